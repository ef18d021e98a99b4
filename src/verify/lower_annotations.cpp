// The functions __annotate__ (3.14+). Source: codegen_setup_annotations_scope, codegen_function_annotations and
// codegen_deferred_annotations_body in CPython Python/codegen.c. lift/annotations.cpp has turned the stores into the
// dictionary of a module or class into assignments, and returns None instead: they are written so here.
#include "base/error.h"
#include "verify/deferred.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::Expr;
using ir::Op;

namespace {

const char* const kConditional = "__conditional_annotations__";

}  // namespace

Unit Lowerer::annotate_unit(const void* key) {
    Unit unit = child(UnitKind::Annotate, key, "__annotate__");
    unit.qualname = child_qualname("__annotate__", nullptr);
    return unit;
}

// if format > 2: raise NotImplementedError
void Lowerer::annotate_prologue() {
    const Label behind = out_.label();
    out_.emit_name(Op::LoadFast, result_.header.arguments[0]);
    out_.constant(number(2));
    out_.emit(Op::Compare, static_cast<std::uint32_t>(ast::CompareOperator::Gt));
    out_.branch(false, behind);
    out_.emit_name(Op::CommonConst, program_.names.intern("NotImplementedError"));
    out_.emit(Op::Raise, 1);
    out_.place(behind);
}

void Lowerer::annotate_body() {
    annotate_prologue();
    if (!unit_.body) {
        const std::uint32_t count = argument_annotations(*unit_.stmt);
        out_.emit(Op::BuildMap, count);
        out_.emit(Op::Return);
        return;
    }
    const bool is_module = !unit_.stmt;
    for (const DeferredAnnotation& annotation : deferred_annotations(*unit_.body, is_module)) {
        const Label next = out_.label();
        if (annotation.index >= 0) {
            out_.constant(number(static_cast<std::uint32_t>(annotation.index)));
            if (is_module)
                out_.emit_name(Op::LoadGlobal, program_.names.intern(kConditional));
            else
                out_.emit_name(Op::LoadDeref, program_.names.intern(kConditional));
            out_.emit(Op::Compare, static_cast<std::uint32_t>(ast::CompareOperator::In));
            out_.branch(false, next);
        }
        expression(annotation.stmt->exprs[1]);
        out_.emit_name(Op::StoreName, mangled(annotation.stmt->exprs[0]->name));
        out_.place(next);
    }
    out_.none();
    out_.emit(Op::Return);
}

// Name and annotation of each argument; how many there are.
std::uint32_t Lowerer::argument_annotations(const ast::Stmt& stmt) {
    const ast::Arguments& args = *stmt.args;
    std::uint32_t count = 0;
    auto one = [&](const std::string& name, const Expr* annotation) {
        if (!annotation) return;
        if (annotation->kind == ast::ExprKind::Starred) throw Error(-1, "a starred annotation");
        out_.constant(text(*mangled(name)));
        annotation_value(annotation);
        ++count;
    };
    for (const auto& arg : args.args) one(arg.name, arg.annotation);
    for (const auto& arg : args.posonly) one(arg.name, arg.annotation);
    if (args.has_vararg) one(args.vararg.name, args.vararg.annotation);
    for (const auto& arg : args.kwonly) one(arg.name, arg.annotation);
    if (args.has_kwarg) one(args.kwarg.name, args.kwarg.annotation);
    one("return", stmt.returns);
    return count;
}

// The function that waits, where the body has annotations.
void Lowerer::store_annotate(const ast::Body& statements, const ast::Stmt* class_stmt) {
    if (deferred_annotations(statements, !class_stmt).empty()) return;
    Unit unit = annotate_unit(deferred_key(&statements));
    unit.stmt = class_stmt;
    unit.body = &statements;
    make_function(std::move(unit), 0);
    out_.emit_name(Op::StoreName, program_.names.intern(class_stmt ? "__annotate_func__" : "__annotate__"));
}

void Lowerer::set_up_conditional_annotations() {
    if (!scope().has_conditional_annotations) return;
    out_.emit(Op::BuildSet, 0);
    const Name name = program_.names.intern(kConditional);
    out_.emit_name(scope().type == ScopeType::Class ? Op::StoreDeref : Op::StoreName, name);
}

// The annotation's number goes into the set: it has been reached.
void Lowerer::mark_annotation() {
    const bool conditional = scope().type == ScopeType::Module || conditional_ > 0;
    if (!conditional) return;
    out_.constant(number(next_annotation_++));
    out_.emit_name(Op::StoreName, program_.names.intern(kConditional), 1);
}

}  // namespace depyf::verify
