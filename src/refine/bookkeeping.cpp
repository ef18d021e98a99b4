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
    if (stmt->kind != StmtKind::Assign || stmt->exprs.size() != 2 || stmt->exprs[0]->kind != ExprKind::Name || stmt->exprs[0]->name != name) return nullptr;
    return stmt->exprs[1];
}

bool is_name(const Expr* e, const char* name) { return e && e->kind == ExprKind::Name && e->name == name; }

bool is_constant(const Expr* e) { return e && e->kind == ExprKind::Constant; }

// __doc__ = 'text' as the first statement is a docstring.
void docstring(Body& body, std::size_t position) {
    if (position >= body.size()) return;
    const Expr* value = stored_to(body[position], "__doc__");
    if (!is_constant(value) || value->value->kind != Constant::Kind::Str) return;
    Stmt* stmt = body[position];
    stmt->kind = StmtKind::Expr;
    stmt->exprs = {stmt->exprs[1]};
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
        if (context.features->class_firstlineno) take([](const Stmt* s) { return is_constant(stored_to(s, "__firstlineno__")); });
        take([](const Stmt* s) { return is_name(stored_to(s, "__type_params__"), ".type_params"); });
        auto last = [&](auto matches) {
            if (!body.empty() && matches(body.back())) body.pop_back();
        };
        // __classcell__ = __class__, always behind everything else
        last([](const Stmt* s) { return stored_to(s, "__classcell__") != nullptr; });
        if (!body.empty() && body.back()->kind == StmtKind::Assign && body.back()->exprs.size() == 3 &&
            body.back()->exprs[0]->kind == ExprKind::Name && body.back()->exprs[0]->name == "__classcell__") {
            body.pop_back();
        }
        last([](const Stmt* s) { return is_name(stored_to(s, "__classdictcell__"), "__classdict__"); });
        if (context.features->class_firstlineno) last([](const Stmt* s) { return is_constant(stored_to(s, "__static_attributes__")); });
        last([](const Stmt* s) { return is_name(stored_to(s, "__classdictcell__"), "__classdict__"); });
        take([](const Stmt* s) { return is_name(stored_to(s, "__classdict__"), "__classdict__"); });
    }
    docstring(body, 0);
}

}  // namespace depyf::refining
