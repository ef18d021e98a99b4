#include "express/conditions.h"
#include "refine/refine.h"

namespace depyf::refining {

using ast::Body;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

bool returns_none(const Stmt* stmt) {
    return stmt->kind == StmtKind::Return &&
           (stmt->exprs.empty() ||
            (stmt->exprs[0]->kind == ExprKind::Constant && stmt->exprs[0]->value->kind == Constant::Kind::None));
}

// What the last statement of `body` may be without changing anything: `kind` goes where control goes anyway.
void drop_last(Body& body, StmtKind kind, bool explicit_too) {
    if (body.empty()) return;
    Stmt* last = body.back();
    if (last->number == 1 && (last->kind == StmtKind::Continue || last->kind == StmtKind::Return))
        return;   // written, the code shows it
    if (last->kind == kind && kind == StmtKind::Continue) {
        body.pop_back();
        return;
    }
    if (kind == StmtKind::Return && returns_none(last) && (explicit_too || last->flag)) {
        body.pop_back();
        return;
    }
    switch (last->kind) {
        case StmtKind::If:
            drop_last(last->body, kind, false);
            drop_last(last->orelse, kind, false);
            break;
        case StmtKind::With:
        case StmtKind::AsyncWith: drop_last(last->body, kind, false); break;
        case StmtKind::Try:
        case StmtKind::TryStar:
            if (last->orelse.empty())
                drop_last(last->body, kind, false);
            else
                drop_last(last->orelse, kind, false);
            for (ast::ExceptHandler& h : last->handlers) drop_last(h.body, kind, false);
            break;
        case StmtKind::Match:
            for (ast::MatchCase& c : last->cases) drop_last(c.body, kind, false);
            break;
        default: break;
    }
}

}  // namespace

void drop_tail_jumps(Body& body, const RefineContext& context) {
    each_body(body, [&](Body& statements) {
        for (Stmt* stmt : statements) {
            if (stmt->kind == StmtKind::For || stmt->kind == StmtKind::AsyncFor || stmt->kind == StmtKind::While) {
                drop_last(stmt->body, StmtKind::Continue, true);
            }
            if (stmt->kind == StmtKind::Return && returns_none(stmt)) stmt->exprs.clear();
        }
    });
    if (context.scope == ScopeKind::Function) {
        drop_last(body, StmtKind::Return, true);
    } else {
        each_body(body, [](Body& statements) {
            std::erase_if(statements, [](const Stmt* s) { return s->kind == StmtKind::Return; });
        });
    }
    // an arm that became empty: `if a: pass else: b`
    each_body(body, [&](Body& statements) {
        for (Stmt* stmt : statements) {
            if (stmt->kind != StmtKind::If || !stmt->body.empty() || stmt->orelse.empty()) continue;
            ast::Expr* test = stmt->exprs[0];
            if (!can_negate(test)) continue;
            if (test->kind == ExprKind::UnaryOp && test->unary == ast::UnaryOperator::Not) {
                stmt->exprs[0] = test->items[0];
            } else {
                stmt->exprs[0] = context.tree->expr(ExprKind::UnaryOp, {test});
                stmt->exprs[0]->unary = ast::UnaryOperator::Not;
            }
            stmt->body.swap(stmt->orelse);
        }
    });
}

}  // namespace depyf::refining
