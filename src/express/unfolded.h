// Constants with which the compiler did not do what it does with every constant in the source: they were the result of
// an operation. Written plainly, they would compile to something else.
#pragma once

#include "ast/node.h"
#include "bytecode/features.h"

namespace depyf {

// 3.10+: `0 and x`, of which the optimiser left 0 when the instructions around it were made: `0 and None` compiles to it again.
ast::Expr* decided_late(ast::Tree& tree, const Features& features, ast::Expr* constant);
// 3.14+: `10**20`, computed when the jump or slice was made: `+100000000000000000000` is computed there too. Other
// constants than numbers stay as they are.
ast::Expr* computed_late(ast::Tree& tree, ast::Expr* constant);
bool are_constants(const std::vector<ast::Expr*>& values);

}  // namespace depyf
