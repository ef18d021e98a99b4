#include "refine/refine.h"

namespace depyf::refining {

using ast::Body;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

// A string that is loaded and dropped was an f-string without fields: of a plain literal nothing would be left, or it
// would be a docstring.
void keep_dropped_strings(Body& body, const RefineContext& context) {
    each_body(body, [&](Body& statements) {
        for (Stmt* stmt : statements) {
            if (stmt->kind != StmtKind::Expr || stmt->exprs[0]->kind != ExprKind::Constant) continue;
            if (stmt->exprs[0]->value->kind == Constant::Kind::Str)
                stmt->exprs[0] = context.tree->expr(ExprKind::JoinedStr, {stmt->exprs[0]});
        }
    });
}

}  // namespace depyf::refining
