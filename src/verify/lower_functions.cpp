// Definitions: what stands around the code object of a function, class or lambda. Source: compiler_function,
// compiler_class, compiler_make_closure in CPython Python/compile.c.
#include <algorithm>

#include "base/error.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;
using ir::Op;

// `bound`: the name in this scope, null where there is none. Source: compiler_set_qualname.
std::string Lowerer::child_qualname(const std::string& name, Name bound) const {
    if (unit_.kind == UnitKind::Module) return name;
    if (bound) {
        const Symbol* symbol = scope().find(bound);
        if (symbol && symbol->binding == Binding::GlobalExplicit) return name;
    }
    if (unit_.kind == UnitKind::Class) return unit_.qualname + "." + name;
    if (unit_.kind == UnitKind::TypeParams) return unit_.inner_qualname;
    return unit_.qualname + (unit_.kind == UnitKind::Comprehension ? "." : ".<locals>.") + name;
}

Unit Lowerer::child(UnitKind kind, const void* key, const std::string& name) {
    Unit unit;
    unit.kind = kind;
    unit.scope = program_.scopes.of(key);
    unit.name = program_.names.intern(name);
    if (unit.scope < 0) throw Error(-1, "a scope that was not read");
    return unit;
}

void Lowerer::decorators(const Stmt* stmt) {
    for (const Expr* decorator : stmt->decorators) expression(decorator);
}

void Lowerer::apply_decorators(const Stmt* stmt) {
    for (std::size_t i = 0; i < stmt->decorators.size(); ++i)
        call_op(Op::Call, features().unified_call ? 0 : 1, features().unified_call);
}

std::uint32_t Lowerer::defaults(const ast::Arguments& args) {
    std::uint32_t flags = 0, positional = 0;
    std::vector<Expr*> values;
    auto one = [&](const ast::Arguments::Arg& arg) {
        if (arg.default_value)
            values.push_back(arg.default_value);
        else if (!values.empty())
            throw Error(-1, "an argument without a default behind one with a default");
    };
    for (const auto& arg : args.posonly) one(arg);
    for (const auto& arg : args.args) one(arg);
    positional = static_cast<std::uint32_t>(values.size());
    if (positional) {
        flags |= 1;
        for (const Expr* value : values) expression(value);
        build_tuple(positional);
    }
    Constant names;
    names.kind = Constant::Kind::Tuple;
    for (const auto& arg : args.kwonly) {
        if (!arg.default_value) continue;
        if (features().marshal_has_slices) out_.constant(text(*mangled(arg.name)));
        expression(arg.default_value);
        names.items.push_back(*text(*mangled(arg.name)));
    }
    if (names.items.empty()) return flags;
    const auto count = static_cast<std::uint32_t>(names.items.size());
    if (features().marshal_has_slices) {
        out_.emit(Op::BuildMap, count);
    } else {
        out_.constant(keep(std::move(names)));
        out_.emit(Op::BuildConstKeyMap, count);
    }
    return flags | 2;
}

// Up to 3.13; order: compiler_visit_annotations.
std::uint32_t Lowerer::annotations(const Stmt* stmt) {
    if (features().deferred_annotations) return deferred_function_annotations(stmt);
    const ast::Arguments& args = *stmt->args;
    Constant names;
    names.kind = Constant::Kind::Tuple;
    auto one = [&](const std::string& name, const Expr* annotation) {
        if (!annotation) return;
        if (features().annotations_as_tuple) out_.constant(text(*mangled(name)));
        if (annotation->kind == ExprKind::Starred) throw Error(-1, "a starred annotation");
        annotation_value(annotation);
        names.items.push_back(*text(*mangled(name)));
    };
    for (const auto& arg : args.args) one(arg.name, arg.annotation);
    for (const auto& arg : args.posonly) one(arg.name, arg.annotation);
    if (args.has_vararg) one(args.vararg.name, args.vararg.annotation);
    for (const auto& arg : args.kwonly) one(arg.name, arg.annotation);
    if (args.has_kwarg) one(args.kwarg.name, args.kwarg.annotation);
    one("return", stmt->returns);
    if (names.items.empty()) return 0;
    const auto count = static_cast<std::uint32_t>(names.items.size());
    if (features().annotations_as_tuple) {
        build_tuple(2 * count);
    } else {
        out_.constant(keep(std::move(names)));
        out_.emit(Op::BuildConstKeyMap, count);
    }
    return 4;
}

std::uint32_t Lowerer::deferred_function_annotations(const Stmt* stmt) {
    const ast::Arguments& args = *stmt->args;
    bool any =
        stmt->returns || (args.has_vararg && args.vararg.annotation) || (args.has_kwarg && args.kwarg.annotation);
    for (const auto* list : {&args.posonly, &args.args, &args.kwonly}) {
        for (const auto& arg : *list) any = any || arg.annotation;
    }
    if (!any) return 0;
    Unit unit = annotate_unit(annotations_key(stmt));
    unit.stmt = stmt;
    make_function(std::move(unit), 0);
    return 16;
}

void Lowerer::make_function(Unit unit, std::uint32_t flags) {
    const Scope& inner = program_.scopes.scopes[static_cast<std::size_t>(unit.scope)];
    std::vector<Name> free;
    for (const Symbol& symbol : inner.symbols) {
        if (symbol.binding == Binding::Free || (symbol.flags & kFreeClass)) free.push_back(symbol.name);
    }
    std::sort(free.begin(), free.end(), [](Name a, Name b) { return *a < *b; });
    if (!free.empty()) {
        for (const Name name : free) out_.emit_name(Op::LoadClosure, name);
        out_.emit(Op::BuildTuple, static_cast<std::uint32_t>(free.size()));
        flags |= 8;
    }
    result_.children.push_back(std::move(unit));
    const auto index = static_cast<std::uint32_t>(result_.children.size());
    out_.emit(Op::Const).count = index;
    if (features().make_function_qualname_on_stack) {
        const Unit& made = result_.children.back();   // a class body has its plain name
        out_.constant(text(made.kind == UnitKind::Class ? *made.name : made.qualname));
    }
    const std::int32_t depth = out_.depth();
    ir::Inst& inst = out_.emit(Op::MakeFunction, features().make_function_flags_in_oparg ? flags : 0);
    inst.flag = features().make_function_qualname_on_stack;
    std::int32_t attributes = 0;
    for (std::uint32_t bit = 1; bit < 32; bit <<= 1) attributes += (flags & bit) != 0;
    out_.set_depth(depth - (inst.flag ? 1 : 0));
    if (features().make_function_flags_in_oparg) {
        out_.set_depth(out_.depth() - attributes);
        return;
    }
    for (const std::uint32_t bit : {8U, 16U, 4U, 2U, 1U}) {
        if (flags & bit) out_.emit(Op::SetFunctionAttribute, bit);
    }
}

void Lowerer::function_def(const Stmt* stmt) {
    if (!stmt->type_params.empty()) {
        generic_function(stmt);
        return;
    }
    decorators(stmt);
    function_value(stmt, defaults(*stmt->args));
    apply_decorators(stmt);
    store_name(stmt->name);
}

// The function itself, behind its defaults.
void Lowerer::function_value(const Stmt* stmt, std::uint32_t flags) {
    flags |= annotations(stmt);
    Unit unit = child(UnitKind::Function, stmt, stmt->name);
    unit.stmt = stmt;
    unit.body = &stmt->body;
    unit.qualname = child_qualname(stmt->name, mangled(stmt->name));
    make_function(std::move(unit), flags);
}

void Lowerer::lambda(const Expr* e) {
    const std::uint32_t flags = defaults(*e->args);
    Unit unit = child(UnitKind::Lambda, e, "<lambda>");
    unit.expr = e;
    unit.qualname = child_qualname("<lambda>", nullptr);
    make_function(std::move(unit), flags);
}

void Lowerer::class_def(const Stmt* stmt) {
    if (!stmt->type_params.empty()) {
        generic_class(stmt);
        return;
    }
    decorators(stmt);
    push_null_before();
    out_.emit(Op::BuildClass);
    push_null_behind();
    class_function(stmt);
    out_.constant(text(stmt->name));
    call_arguments(2, stmt->exprs, stmt->keywords, features().unified_call);
    apply_decorators(stmt);
    store_name(stmt->name);
}

void Lowerer::class_function(const Stmt* stmt) {
    Unit unit = child(UnitKind::Class, stmt, stmt->name);
    unit.stmt = stmt;
    unit.body = &stmt->body;
    unit.qualname = child_qualname(stmt->name, mangled(stmt->name));
    make_function(std::move(unit), 0);
}

}  // namespace depyf::verify
