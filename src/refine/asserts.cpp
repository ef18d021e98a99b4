#include "refine/refine.h"

namespace depyf::refining {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

bool is_assertion_error(const Expr* e, const Stmt* raise, const Stmt* test, const Features& features) {
    if (e->kind != ExprKind::Name || e->name != "AssertionError") return false;
    // up to 3.8 `assert` loads a global like any other: then it stands on the line of its test
    return e->flag || (features.list_unpack_build && raise->line <= test->line);
}

}  // namespace

// if not test: raise AssertionError(message)  =>  assert test, message
void recover_asserts(Body& body, const RefineContext& context) {
    each_body(body, [&](Body& statements) {
        for (Stmt* stmt : statements) {
            if (stmt->kind != StmtKind::If || stmt->body.size() != 1 || !stmt->orelse.empty()) continue;
            const Stmt* raise = stmt->body[0];
            if (raise->kind != StmtKind::Raise || raise->exprs.size() != 1) continue;
            Expr* error = raise->exprs[0];
            Expr* message = nullptr;
            if (error->kind == ExprKind::Call && error->items.size() == 2 && error->keywords.empty()) {
                message = error->items[1];
                error = error->items[0];
            }
            if (!is_assertion_error(error, raise, stmt, *context.features)) continue;
            Expr* test = stmt->exprs[0];
            if (test->kind == ExprKind::UnaryOp && test->unary == ast::UnaryOperator::Not) {
                test = test->items[0];
            } else if (test->kind == ExprKind::Compare && test->flag) {
                Expr* flipped = context.tree->expr(ExprKind::Compare, test->items);
                flipped->compare_ops = {test->compare_ops[0] == ast::CompareOperator::Is ? ast::CompareOperator::IsNot : ast::CompareOperator::Is};
                test = flipped;
            } else {
                Expr* inverted = context.tree->expr(ExprKind::UnaryOp, {test});
                inverted->unary = ast::UnaryOperator::Not;
                test = inverted;
            }
            stmt->kind = StmtKind::Assert;
            stmt->offsets.insert(stmt->offsets.end(), raise->offsets.begin(), raise->offsets.end());
            stmt->exprs = {test};
            if (message) stmt->exprs.push_back(message);
            stmt->body.clear();
        }
    });
}

}  // namespace depyf::refining
