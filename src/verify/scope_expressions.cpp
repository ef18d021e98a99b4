// The symbol table's view of expressions and patterns.
#include "base/error.h"
#include "verify/scope_reader.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;

void ScopeReader::name(const Expr* e, std::uint16_t flags) {
    add(e->name, flags);
    if (flags == kUse && e->name == "super" && scope().is_function()) scope().add(names_.intern("__class__"), kUse);
}

// What an assignment, `for`, `with`, `del` binds.
void ScopeReader::targets(const Expr* e) {
    switch (e->kind) {
        case ExprKind::Name: name(e, kBound); return;
        case ExprKind::Tuple:
        case ExprKind::List:
            for (const Expr* item : e->items) targets(item);
            return;
        case ExprKind::Starred: targets(e->items[0]); return;
        default: expression(e); return;
    }
}

void ScopeReader::pattern(const ast::Pattern* p) {
    if (++depth_ > kMaxDepth) throw Error(-1, "the tree is nested too deeply");
    if (p->value) expression(p->value);
    if (!p->name.empty()) add(p->name, kBound);
    expressions(p->keys);
    for (const ast::Pattern* inner : p->patterns) pattern(inner);
    --depth_;
}

void ScopeReader::expressions(const std::vector<Expr*>& items) {
    for (const Expr* item : items) {
        if (item) expression(item);
    }
}

void ScopeReader::expression(const Expr* e) {
    // chains of operators lean to the left
    std::vector<const Expr*> right;
    while (e->kind == ExprKind::BinOp) {
        right.push_back(e->items[1]);
        e = e->items[0];
    }
    if (++depth_ > kMaxDepth) throw Error(-1, "the tree is nested too deeply");
    switch (e->kind) {
        case ExprKind::Name: name(e, kUse); break;
        case ExprKind::Constant: break;
        case ExprKind::Lambda: lambda(e); break;
        case ExprKind::ListComp:
        case ExprKind::SetComp:
        case ExprKind::DictComp:
        case ExprKind::GeneratorExp: comprehension(e); break;
        case ExprKind::NamedExpr: walrus(e); break;
        case ExprKind::Yield:
        case ExprKind::YieldFrom:
            expressions(e->items);
            scope().generator = true;
            break;
        case ExprKind::Await:
            expression(e->items[0]);
            scope().coroutine = true;
            break;
        default:
            if (e->kind > ExprKind::Slice)
                throw Error(-1, "an expression that the proof does not know: kind " +
                                    std::to_string(static_cast<int>(e->kind)));
            expressions(e->items);
            for (const ast::Keyword& keyword : e->keywords) expression(keyword.value);
            break;
    }
    for (std::size_t i = right.size(); i-- > 0;) expression(right[i]);
    --depth_;
}

void ScopeReader::lambda(const Expr* e) {
    defaults(*e->args);
    const std::int32_t outer = enter(ScopeType::Lambda, e);
    parameters(*e->args);
    expression(e->items[0]);
    leave(outer);
}

void ScopeReader::comprehension(const Expr* e) {
    if (e->generators.empty()) throw Error(-1, "a comprehension without a loop");
    expression(e->generators[0].iter);
    const bool lazy = e->kind == ExprKind::GeneratorExp;
    const std::int32_t outer = enter(lazy ? ScopeType::Generator : ScopeType::Comprehension, e);
    scope().generator = lazy;
    scope().add(names_.intern(".0"), kParameter | kBound);
    for (std::size_t i = 0; i < e->generators.size(); ++i) {
        const ast::Comprehension& clause = e->generators[i];
        targets(clause.target);
        if (i > 0) expression(clause.iter);
        expressions(clause.ifs);
        if (clause.is_async) scope().coroutine = true;
    }
    for (Symbol& symbol : scope().symbols) {
        if (symbol.flags & kBound) symbol.flags |= kComprehensionTarget;
    }
    expressions(e->items);
    const bool coroutine = scope().coroutine;
    leave(outer);
    if (coroutine && !lazy) scope().coroutine = scope().coroutine || features_.async_comprehension_in_sync;
}

// Inside comprehensions `:=` binds in the function around them.
void ScopeReader::walrus(const Expr* e) {
    const std::string& bound = e->items[0]->name;
    if (scope().type == ScopeType::Comprehension || scope().type == ScopeType::Generator) {
        std::int32_t s = current_;
        while (table_.scopes[static_cast<std::size_t>(s)].type == ScopeType::Comprehension ||
               table_.scopes[static_cast<std::size_t>(s)].type == ScopeType::Generator)
            s = table_.scopes[static_cast<std::size_t>(s)].parent;
        Scope& home = table_.scopes[static_cast<std::size_t>(s)];
        const Name mangled = own(bound);
        if (home.type == ScopeType::Class) throw Error(-1, ":= in a comprehension of a class body");
        const Symbol* known = home.find(mangled);
        const bool global = home.type == ScopeType::Module || (known && (known->flags & kGlobal));
        if (global)
            declare_global(mangled);
        else
            scope().add(mangled, kNonlocal);
        home.add(mangled, kBound);
        expression(e->items[1]);
        return;
    }
    expression(e->items[1]);
    name(e->items[0], kBound);
}

}  // namespace depyf::verify
