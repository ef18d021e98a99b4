#include "express/conditions.h"
#include "refine/refine.h"

namespace depyf::refining {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

// `raise` is what `assert` compiles to. `test`: the if statement around it, null where there is none.
bool assertion(const Stmt* raise, const Stmt* test, const Features& features, Expr** message) {
    if (raise->kind != StmtKind::Raise || raise->exprs.size() != 1) return false;
    const Expr* error = raise->exprs[0];
    if (error->kind == ExprKind::Call && error->items.size() == 2 && error->keywords.empty()) {
        *message = error->items[1];
        error = error->items[0];
    }
    if (error->kind != ExprKind::Name || error->name != "AssertionError") return false;
    // up to 3.8 `assert` loads a global like any other: then it stands on the line of its test
    return error->flag || (test && features.list_unpack_build && raise->line <= test->line);
}

}  // namespace

// if not test: raise AssertionError(message)  =>  assert test, message
void recover_asserts(Body& body, const RefineContext& context) {
    each_body(body, [&](Body& statements) {
        for (Stmt* stmt : statements) {
            if (stmt->kind == StmtKind::Raise && stmt->exprs.size() == 1) {   // the test was a constant
                Expr* message = nullptr;
                if (assertion(stmt, nullptr, *context.features, &message)) {
                    Constant no;
                    no.kind = Constant::Kind::False;
                    stmt->kind = StmtKind::Assert;
                    stmt->exprs = {context.tree->constant(no)};
                    if (message) stmt->exprs.push_back(message);
                }
                continue;
            }
            if (stmt->kind != StmtKind::If) continue;
            const bool in_else = stmt->body.empty() && stmt->orelse.size() == 1;
            if (!in_else && (stmt->body.size() != 1 || !stmt->orelse.empty())) continue;
            const Stmt* raise = in_else ? stmt->orelse[0] : stmt->body[0];
            Expr* message = nullptr;
            const bool done = raise->kind == StmtKind::Assert && raise->exprs[0]->kind == ExprKind::Constant &&
                              raise->exprs[0]->value->kind == Constant::Kind::False;
            if (done)
                message = raise->exprs.size() > 1 ? raise->exprs[1] : nullptr;
            else if (!assertion(raise, stmt, *context.features, &message))
                continue;
            Expr* test = stmt->exprs[0];
            if (!in_else && !done && context.features->list_unpack_build && !can_negate(test)) continue;
            stmt->exprs = {in_else ? test : negated(*context.tree, test)};
            if (message) stmt->exprs.push_back(message);
            stmt->kind = StmtKind::Assert;
            stmt->offsets.insert(stmt->offsets.end(), raise->offsets.begin(), raise->offsets.end());
            stmt->body.clear();
            stmt->orelse.clear();
        }
    });
}

}  // namespace depyf::refining
