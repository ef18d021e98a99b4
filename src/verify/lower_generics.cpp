// PEP 695 and 696: type parameters and type aliases. Source: compiler_type_params, compiler_typealias, compiler_function,
// compiler_class in CPython Python/compile.c of 3.12 and 3.13 (codegen.c from 3.14).
#include "base/error.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::TypeParam;
using ir::Op;

namespace {

std::string generic_name(const std::string& name) {
    return "<generic parameters of " + name + ">";
}

}  // namespace

// A function that computes `e` when it is asked for.
void Lowerer::evaluator(const Expr* e, const void* key, const std::string& name) {
    if (e->kind == ExprKind::Starred) throw Error(-1, "a starred default");
    std::uint32_t flags = 0;
    if (features().deferred_annotations) {  // 3.14+: asked for a format
        Constant one;
        one.kind = Constant::Kind::Tuple;
        one.items.push_back(*number(1));
        out_.constant(keep(std::move(one)));
        flags = 1;
    }
    Unit unit = child(UnitKind::Value, key, name);
    unit.expr = e;
    unit.qualname = child_qualname(name, nullptr);
    make_function(std::move(unit), flags);
}

void Lowerer::value_body() {
    if (features().deferred_annotations) annotate_prologue();
    expression(unit_.expr);
    out_.emit(Op::Return);
}

void Lowerer::type_parameters(const Stmt* stmt) {
    auto intrinsic = [&](Op op, const char* name) { out_.emit_name(op, program_.names.intern(name)); };
    for (const TypeParam& param : stmt->type_params) {
        out_.constant(text(param.name));
        if (param.kind == TypeParam::Kind::TypeVar && param.bound) {
            evaluator(param.bound, &param.bound, param.name);
            intrinsic(Op::Intrinsic2, param.bound->kind == ExprKind::Tuple ? "INTRINSIC_TYPEVAR_WITH_CONSTRAINTS"
                                                                           : "INTRINSIC_TYPEVAR_WITH_BOUND");
        } else if (param.bound) {
            throw Error(-1, "a type parameter with a bound that cannot have one");
        } else {
            intrinsic(Op::Intrinsic1, param.kind == TypeParam::Kind::TypeVar     ? "INTRINSIC_TYPEVAR"
                                      : param.kind == TypeParam::Kind::ParamSpec ? "INTRINSIC_PARAMSPEC"
                                                                                 : "INTRINSIC_TYPEVARTUPLE");
        }
        if (param.default_value) {
            evaluator(param.default_value, &param.default_value, param.name);
            intrinsic(Op::Intrinsic2, "INTRINSIC_SET_TYPEPARAM_DEFAULT");
        }
        out_.copy(1);
        store_name(param.name);
    }
    out_.emit(Op::BuildTuple, static_cast<std::uint32_t>(stmt->type_params.size()));
}

Unit Lowerer::generic_unit(const Stmt* stmt, const std::string& name, std::uint32_t arguments) {
    Unit unit = child(UnitKind::TypeParams, type_parameters_key(stmt), generic_name(name));
    unit.stmt = stmt;
    unit.arguments = arguments;
    unit.qualname = child_qualname(generic_name(name), nullptr);
    unit.inner_qualname = child_qualname(name, mangled(name));
    return unit;
}

// Behind the defaults, whose flags are given (3.12: a NULL lies below them).
void Lowerer::call_generic(Unit unit) {
    const std::uint32_t arguments = unit.arguments & 1U ? (unit.arguments & 2U ? 2 : 1) : (unit.arguments >> 1);
    if (arguments == 2) out_.swap(2);
    make_function(std::move(unit), 0);
    if (arguments > 0) {
        out_.swap(arguments + 1);
        call_op(Op::Call, features().callable_before_null ? arguments - 1 : arguments, true);
        return;
    }
    push_null_behind();
    call_op(Op::Call, 0, true);
}

void Lowerer::generic_function(const Stmt* stmt) {
    decorators(stmt);
    push_null_before();
    const std::uint32_t flags = defaults(*stmt->args);
    call_generic(generic_unit(stmt, stmt->name, flags));
    apply_decorators(stmt);
    store_name(stmt->name);
}

void Lowerer::generic_class(const Stmt* stmt) {
    decorators(stmt);
    push_null_before();
    call_generic(generic_unit(stmt, stmt->name, 0));
    apply_decorators(stmt);
    store_name(stmt->name);
}

void Lowerer::type_alias(const Stmt* stmt) {
    const std::string& name = stmt->exprs[0]->name;
    if (stmt->type_params.empty()) {
        out_.constant(text(name));
        out_.none();
        alias_value(stmt);
    } else {
        push_null_before();
        call_generic(generic_unit(stmt, name, 0));
    }
    store_name(name);
}

// Behind the name and the parameters.
void Lowerer::alias_value(const Stmt* stmt) {
    evaluator(stmt->exprs[1], stmt, stmt->exprs[0]->name);
    out_.emit(Op::BuildTuple, 3);
    out_.emit_name(Op::Intrinsic1, program_.names.intern("INTRINSIC_TYPEALIAS"));
}

void Lowerer::generic_body() {
    const Stmt* stmt = unit_.stmt;
    switch (stmt->kind) {
        case ast::StmtKind::TypeAlias:
            out_.constant(text(stmt->exprs[0]->name));
            type_parameters(stmt);
            alias_value(stmt);
            break;
        case ast::StmtKind::ClassDef: generic_class_body(stmt); break;
        default: {
            type_parameters(stmt);
            for (const Name name : result_.header.arguments) load(name);
            function_value(stmt, unit_.arguments);
            out_.swap(2);
            out_.emit_name(Op::Intrinsic2, program_.names.intern("INTRINSIC_SET_FUNCTION_TYPE_PARAMS"));
            break;
        }
    }
    out_.emit(Op::Return);
}

void Lowerer::generic_class_body(const Stmt* stmt) {
    const Name params = program_.names.intern(".type_params"), base = program_.names.intern(".generic_base");
    type_parameters(stmt);
    store(params);
    push_null_before();
    out_.emit(Op::BuildClass);
    push_null_behind();
    class_function(stmt);
    out_.constant(text(stmt->name));
    load(params);
    out_.emit_name(Op::Intrinsic1, program_.names.intern("INTRINSIC_SUBSCRIPT_GENERIC"));
    store(base);
    Expr generic;
    generic.kind = ExprKind::Name;
    generic.name = ".generic_base";
    std::vector<Expr*> bases = stmt->exprs;
    bases.push_back(&generic);
    call_arguments(2, bases, stmt->keywords, true);
}

}  // namespace depyf::verify
