// Whole code objects. Source: compiler_mod, compiler_function_body, compiler_class_body in CPython Python/compile.c;
// compute_code_flags.
#include <algorithm>

#include "base/error.h"
#include "verify/foldable.h"
#include "verify/lowerer.h"
#include "verify/optimise.h"
#include "verify/static_attributes.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;
using ir::Op;

namespace {

const Constant* docstring_of(const ast::Body& body) {
    if (body.empty() || body[0]->kind != StmtKind::Expr || body[0]->exprs[0]->kind != ExprKind::Constant ||
        body[0]->exprs[0]->value->kind != Constant::Kind::Str)
        return nullptr;
    return body[0]->exprs[0]->value;
}

}  // namespace

Lowerer::Lowerer(Program& program, const Unit& unit) : program_(program), unit_(unit), out_(*program.features) {}

Lowered Lowerer::lower() {
    header();
    switch (unit_.kind) {
        case UnitKind::Module: module_body(*unit_.body); break;
        case UnitKind::Class: class_body(); break;
        case UnitKind::Function: body(*unit_.body, result_.header.docstring ? 1 : 0); break;
        case UnitKind::Lambda:
            expression(unit_.expr->items[0]);
            out_.emit(Op::Return);
            break;
        case UnitKind::Comprehension: comprehension_body(); break;
        case UnitKind::Annotate: annotate_body(); break;
        case UnitKind::TypeParams: generic_body(); break;
        case UnitKind::Value: value_body(); break;
    }
    if (unit_.kind == UnitKind::Module || unit_.kind == UnitKind::Function) {
        out_.none();
        out_.emit(Op::Return);
    }
    result_.function = out_.finish();
    result_.line_sensitive = out_.peephole() && features().jump_unit == 1;
    optimise(result_);
    return std::move(result_);
}

void Lowerer::arguments_header(const ast::Arguments& args) {
    Header& h = result_.header;
    auto one = [&](const ast::Arguments::Arg& arg) { h.arguments.push_back(mangled(arg.name)); };
    for (const auto& arg : args.posonly) one(arg);
    for (const auto& arg : args.args) one(arg);
    for (const auto& arg : args.kwonly) one(arg);
    if (args.has_vararg) one(args.vararg), h.flags |= kVarArgs;
    if (args.has_kwarg) one(args.kwarg), h.flags |= kVarKeywords;
    h.posonlyargcount = static_cast<std::uint32_t>(args.posonly.size());
    h.argcount = static_cast<std::uint32_t>(args.posonly.size() + args.args.size());
    h.kwonlyargcount = static_cast<std::uint32_t>(args.kwonly.size());
    for (std::size_t i = 0; i < h.arguments.size(); ++i) {
        if (std::find(h.arguments.begin(), h.arguments.begin() + static_cast<std::ptrdiff_t>(i), h.arguments[i]) !=
            h.arguments.begin() + static_cast<std::ptrdiff_t>(i))
            throw Error(-1, "two arguments of one name");
    }
}

void Lowerer::header() {
    Header& h = result_.header;
    const Scope& s = scope();
    for (const Symbol& symbol : s.symbols) {
        if (symbol.binding == Binding::Free || (symbol.flags & kFreeClass)) h.free.push_back(symbol.name);
        if (symbol.binding == Binding::Cell) h.cells.push_back(symbol.name);
    }
    if (s.type == ScopeType::Class) {
        if (s.needs_class_cell) h.cells.push_back(program_.names.intern("__class__"));
        if (s.needs_class_dictionary) h.cells.push_back(program_.names.intern("__classdict__"));
    }
    h.cells.insert(h.cells.end(), s.inlined_cells.begin(), s.inlined_cells.end());
    if (s.has_conditional_annotations) h.cells.push_back(program_.names.intern("__conditional_annotations__"));
    if (s.is_function()) {
        h.flags |= kOptimized | kNewLocals;
        if (s.nested) h.flags |= kNested;
        if (s.generator) h.flags |= s.coroutine ? kAsyncGenerator : kGenerator;
        if (!s.generator && s.coroutine) h.flags |= kCoroutine;
    }
    if (program_.scopes.future_annotations) h.flags |= features().future_annotations_flag;
    if (unit_.kind == UnitKind::Function) {
        arguments_header(*unit_.stmt->args);
        h.docstring = docstring_of(*unit_.body);
        if (h.docstring && features().docstring_flag) h.flags |= kHasDocstring;
    } else if (unit_.kind == UnitKind::Lambda) {
        arguments_header(*unit_.expr->args);
    } else if (unit_.kind == UnitKind::Comprehension) {
        h.arguments.push_back(program_.names.intern(".0"));
        h.argcount = 1;
    } else if (unit_.kind == UnitKind::TypeParams) {
        // whichever it is, the first one is called so
        if (unit_.arguments) h.arguments.push_back(program_.names.intern(".defaults"));
        if (unit_.arguments == 3) h.arguments.push_back(program_.names.intern(".kwdefaults"));
        h.argcount = static_cast<std::uint32_t>(h.arguments.size());
    } else if (unit_.kind == UnitKind::Annotate || (unit_.kind == UnitKind::Value && features().deferred_annotations)) {
        h.arguments.push_back(program_.names.intern(unit_.kind == UnitKind::Value ? ".format" : "format"));
        h.argcount = h.posonlyargcount = 1;
    }
    const std::int32_t parent = s.parent;
    const bool annotation = s.type == ScopeType::Annotation || s.type == ScopeType::TypeParams;
    if (features().docstring_flag && s.is_function() && !annotation && parent >= 0 &&
        program_.scopes.scopes[static_cast<std::size_t>(parent)].type == ScopeType::Class)
        h.flags |= kMethod;
}

void Lowerer::module_body(const ast::Body& statements) {
    const bool deferred = features().deferred_annotations && !program_.scopes.future_annotations;
    if (deferred && unit_.kind == UnitKind::Module) store_annotate(statements, nullptr);
    set_up_conditional_annotations();
    if (scope().has_annotations && !deferred) out_.emit(Op::SetupAnnotations);
    const Constant* doc = docstring_of(statements);
    if (doc) {
        out_.constant(doc);
        out_.emit_name(Op::StoreName, program_.names.intern("__doc__"));
    }
    body(statements, doc ? 1 : 0);
    if (deferred && unit_.kind == UnitKind::Class) store_annotate(statements, unit_.stmt);
}

void Lowerer::class_body() {
    auto own = [&](const char* name) { return program_.names.intern(name); };
    out_.emit_name(Op::LoadName, own("__name__"));
    out_.emit_name(Op::StoreName, own("__module__"));
    out_.constant(text(unit_.qualname));
    out_.emit_name(Op::StoreName, own("__qualname__"));
    if (features().class_firstlineno) {
        const auto line = program_.class_lines.find(unit_.stmt);
        if (line == program_.class_lines.end()) throw Error(-1, "a class of which no one knows the line");
        out_.constant(number(line->second));
        out_.emit_name(Op::StoreName, own("__firstlineno__"));
    }
    if (unit_.stmt && !unit_.stmt->type_params.empty()) {
        load(own(".type_params"));
        out_.emit_name(Op::StoreName, own("__type_params__"));
    }
    if (scope().needs_class_dictionary) {
        out_.emit(Op::LoadLocals);
        out_.emit_name(Op::StoreDeref, own("__classdict__"));
    }
    module_body(*unit_.body);
    if (features().class_firstlineno) {
        Constant names;
        names.kind = Constant::Kind::Tuple;
        for (const std::string& name : static_attributes(*unit_.body)) names.items.push_back(*text(name));
        out_.constant(keep(std::move(names)));
        out_.emit_name(Op::StoreName, own("__static_attributes__"));
    }
    if (scope().needs_class_dictionary) {
        out_.emit_name(Op::LoadClosure, own("__classdict__"));
        out_.emit_name(Op::StoreName, own("__classdictcell__"));
    }
    if (scope().needs_class_cell) {
        out_.emit_name(Op::LoadClosure, own("__class__"));
        out_.copy(1);
        out_.emit_name(Op::StoreName, own("__classcell__"));
    } else {
        out_.none();
    }
    out_.emit(Op::Return);
}

}  // namespace depyf::verify
