// What the compiler stores in class and module namespaces for its own purposes.
#include <algorithm>

#include "refine/refine.h"

namespace depyf::refining {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

const Expr* stored_to(const Stmt* stmt, const char* name) {
    if (stmt->kind != StmtKind::Assign || stmt->exprs.size() != 2 || stmt->exprs[0]->kind != ExprKind::Name ||
        stmt->exprs[0]->name != name)
        return nullptr;
    return stmt->exprs[1];
}

bool is_name(const Expr* e, const char* name) {
    return e && e->kind == ExprKind::Name && e->name == name;
}

bool is_constant(const Expr* e) {
    return e && e->kind == ExprKind::Constant;
}

// __doc__ = 'text' as the first statement is a docstring.
void docstring(Body& body, std::size_t position) {
    if (position >= body.size()) return;
    const Expr* value = stored_to(body[position], "__doc__");
    if (!is_constant(value) || value->value->kind != Constant::Kind::Str) return;
    Stmt* stmt = body[position];
    stmt->kind = StmtKind::Expr;
    stmt->exprs = {stmt->exprs[1]};
}

// What the compiler writes behind the statements of a class body.
bool closes_class(const Stmt* s, bool has_static_attributes) {
    // __classcell__ = __class__, which is returned as well
    if (s->kind == StmtKind::Assign && is_name(s->exprs[0], "__classcell__")) return true;
    if (is_name(stored_to(s, "__classdictcell__"), "__classdict__")) return true;
    return has_static_attributes && is_constant(stored_to(s, "__static_attributes__"));
}

// Drops the last statement if it closes the class; where the body ends in a compound statement, that of each arm (the
// compiler copies short ends of a code object into what leads there).
bool drop_last(Body& body, bool has_static_attributes) {
    if (body.empty()) return false;
    Stmt* stmt = body.back();
    if (closes_class(stmt, has_static_attributes)) {
        body.pop_back();
        return true;
    }
    switch (stmt->kind) {
        case StmtKind::If:
        case StmtKind::With:
        case StmtKind::Try:
        case StmtKind::TryStar:
        case StmtKind::Match: break;
        default: return false;
    }
    bool any = drop_last(stmt->body, has_static_attributes);
    any |= drop_last(stmt->orelse, has_static_attributes);
    for (ast::ExceptHandler& handler : stmt->handlers) any |= drop_last(handler.body, has_static_attributes);
    for (ast::MatchCase& c : stmt->cases) any |= drop_last(c.body, has_static_attributes);
    return any;
}

}  // namespace

void drop_bookkeeping(Body& body, const RefineContext& context) {
    if (context.scope == ScopeKind::Function) return;
    if (context.scope == ScopeKind::Class) {
        auto take = [&](auto matches) {
            if (!body.empty() && matches(body.front())) body.erase(body.begin());
        };
        take([](const Stmt* s) { return is_name(stored_to(s, "__module__"), "__name__"); });
        take([](const Stmt* s) { return is_constant(stored_to(s, "__qualname__")); });
        if (context.features->class_firstlineno)
            take([](const Stmt* s) { return is_constant(stored_to(s, "__firstlineno__")); });
        take([](const Stmt* s) { return is_name(stored_to(s, "__type_params__"), ".type_params"); });
        while (drop_last(body, context.features->class_firstlineno)) {}
        take([](const Stmt* s) { return is_name(stored_to(s, "__classdict__"), "__classdict__"); });
    }
    docstring(body, 0);
}

}  // namespace depyf::refining
