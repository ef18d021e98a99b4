// PEP 695 and 696 (3.12+): type parameters. `def f[T]`, `class C[T]` and `type X[T] = ...` are calls of a function
// `<generic parameters of ...>` that makes the parameters and then what they belong to.
// Source: codegen_type_params, codegen_function, codegen_class, codegen_typealias in CPython Python/codegen.c.
#include <algorithm>

#include "base/error.h"
#include "define/definer.h"
#include "express/express.h"
#include "lift/lift.h"
#include "match/match.h"
#include "normalise/normalise.h"

namespace depyf {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;
using ast::TypeParam;

namespace {

bool is_intrinsic(const Expr* e, const char* name) {
    return e->kind == ExprKind::Opaque && e->name == name;
}
bool is_text(const Expr* e) {
    return e->kind == ExprKind::Constant && e->value->kind == Constant::Kind::Str;
}

// (value,) = tuple: what a starred default compiles to; the value of the right side.
Expr* starred_default(const Body& body, std::size_t from) {
    if (from + 2 != body.size() || body[from]->kind != StmtKind::Assign || body[from + 1]->kind != StmtKind::Return)
        return nullptr;
    const std::vector<Expr*>& parts = body[from]->exprs;
    const bool unpacks = parts.size() == 2 && parts[0]->kind == ExprKind::Tuple && parts[0]->items.size() == 1;
    return unpacks && body[from + 1]->exprs.size() == 1 && parts[0]->items[0] == body[from + 1]->exprs[0] ? parts[1]
                                                                                                          : nullptr;
}

}  // namespace

// The value of a function that the compiler made to evaluate a bound, default or alias later.
Expr* Definer::lazy_value(const Expr* function) {
    if (function->kind != ExprKind::Function) throw Error(-1, "a type parameter's value is no function");
    const CodeObject& code = *function->function->code;
    const Body statements = body(code, ScopeKind::Function);
    std::size_t from = 0;
    if (features(code.version).deferred_annotations && !statements.empty() && statements[0]->kind == StmtKind::If &&
        statements[0]->orelse.empty() && statements[0]->body.size() == 1 &&
        statements[0]->body[0]->kind == StmtKind::Raise) {
        from = 1;   // if format > 2: raise NotImplementedError
    }
    if (Expr* value = starred_default(statements, from)) return tree_.expr(ExprKind::Starred, {value});
    Expr* value = as_expression(statements, from);
    if (!value) throw Error(-1, "a type parameter's value is no single expression");
    return value;
}

TypeParam Definer::type_param(const Expr* e) {
    TypeParam param;
    if (is_intrinsic(e, "INTRINSIC_SET_TYPEPARAM_DEFAULT")) {
        param = type_param(e->items[0]);
        param.default_value = lazy_value(e->items[1]);
        return param;
    }
    if (e->kind != ExprKind::Opaque || e->items.empty() || !is_text(e->items[0])) throw Error(-1, "no type parameter");
    param.name = e->items[0]->value->text;
    if (e->name == "INTRINSIC_PARAMSPEC") param.kind = TypeParam::Kind::ParamSpec;
    if (e->name == "INTRINSIC_TYPEVARTUPLE") param.kind = TypeParam::Kind::TypeVarTuple;
    if (e->items.size() == 2) param.bound = lazy_value(e->items[1]);
    return param;
}

std::vector<TypeParam> Definer::type_params(const Expr* tuple) {
    std::vector<TypeParam> params;
    if (tuple->kind != ExprKind::Tuple) return params;
    for (const Expr* item : tuple->items) params.push_back(type_param(item));
    return params;
}

// The block that the function consists of.
Block Definer::generic_block(const CodeObject& code) {
    const std::uint32_t index = register_code(code);
    ir::Function lifted = lift(code);
    mark_protected_entries(lifted);
    normalise(lifted);
    ExpressContext context{&tree_, this, class_name_, index};
    const FlowGraph graph = express(lifted, context);
    const Block& block = graph[graph.entry];
    if (block.exit != Exit::Return) throw Error(0, "a function of generic parameters that is more than one block");
    return block;
}

Stmt* Definer::type_alias(const Expr* alias) {
    const Expr* parts = alias->items[0];
    if (parts->kind != ExprKind::Tuple || parts->items.size() != 3 || !is_text(parts->items[0])) return nullptr;
    Stmt* stmt = tree_.stmt(StmtKind::TypeAlias);
    stmt->name = parts->items[0]->value->text;
    stmt->type_params = type_params(parts->items[1]);
    stmt->exprs = {tree_.name(stmt->name), lazy_value(parts->items[2])};
    return stmt;
}

Stmt* Definer::generic_function(const Expr* call, const Expr* made) {
    Expr* function = made->items[0];
    if (function->kind != ExprKind::Function) return nullptr;
    // the defaults are evaluated outside and handed in
    const CodeObject& maker = *call->items[0]->function->code;
    auto argument = [&](Expr*& value) {
        if (!value || value->kind != ExprKind::Name) return;
        for (std::size_t i = 0; i < maker.argcount && i + 1 < call->items.size(); ++i) {
            if (maker.varnames[i] == value->name) {
                value = call->items[i + 1];
                return;
            }
        }
    };
    argument(function->function->defaults);
    argument(function->function->kwdefaults);
    std::vector<TypeParam> params = type_params(made->items[1]);
    Stmt* stmt = define_function(function);
    if (stmt) stmt->type_params = std::move(params);
    return stmt;
}

Stmt* Definer::generic_class(const Block& block) {
    Expr* call = block.value;
    std::vector<TypeParam> params;
    for (const Stmt* stmt : block.statements) {
        const bool assigns =
            stmt->kind == StmtKind::Assign && stmt->exprs.size() == 2 && stmt->exprs[0]->kind == ExprKind::Name;
        if (assigns && stmt->exprs[0]->name == ".type_params") params = type_params(stmt->exprs[1]);
    }
    std::erase_if(call->items,
                  [](const Expr* e) { return e && e->kind == ExprKind::Name && e->name == ".generic_base"; });
    Stmt* stmt = class_definition(call);
    if (stmt) stmt->type_params = std::move(params);
    return stmt;
}

Stmt* Definer::generic(Expr* made) {
    if (is_intrinsic(made, "INTRINSIC_TYPEALIAS")) return type_alias(made);
    const CodeObject& code = *made->items[0]->function->code;
    const std::size_t depth = scopes_.size();
    try {
        scopes_.push_back(code.name);
        const Block block = generic_block(code);
        Stmt* stmt = nullptr;
        if (is_intrinsic(block.value, "INTRINSIC_TYPEALIAS"))
            stmt = type_alias(block.value);
        else if (is_intrinsic(block.value, "INTRINSIC_SET_FUNCTION_TYPE_PARAMS"))
            stmt = generic_function(made, block.value);
        else if (block.value->kind == ExprKind::Call)
            stmt = generic_class(block);
        scopes_.resize(depth);
        if (!stmt) throw Error(0, "generic parameters of something unknown");
        return stmt;
    } catch (const Error& error) {
        scopes_.resize(depth);
        result_.diagnostics.push_back({qualified(code), error.offset(), error.what()});
        return nullptr;
    }
}

}  // namespace depyf
