// Building blocks of conditions.
#pragma once

#include "ast/node.h"

namespace depyf {

// `not e`, written as the compiler reads it: the test of a conditional jump, with the outcomes exchanged.
ast::Expr* negated(ast::Tree& tree, ast::Expr* e);
// False for `a in b` and `a is b`: the compiler turns `not a in b` into another operation, `a not in b`.
bool can_negate(const ast::Expr* e);
// `a and b`, `a or b`; joins what is already the same operator.
ast::Expr* bool_op(ast::Tree& tree, bool is_and, ast::Expr* left, ast::Expr* right);
// a < b, b < c  =>  a < b < c
ast::Expr* chained(ast::Tree& tree, ast::Expr* first, ast::Expr* second);

}  // namespace depyf
