// What the compiler does with constants before it writes instructions.
#pragma once

#include "ast/node.h"
#include "bytecode/features.h"

namespace depyf::verify {

// Whether the constant's text means the constant, wherever an expression may stand.
// `in_subscript`: slices may.
bool can_be_written(const Constant& constant, bool in_subscript = false);
// An operation whose operands are all constants, so that the compiler may well have computed it.
bool folds(const ast::Expr* e);
// x[a:b] with instructions of its own (3.12+).
bool two_element_slice(const ast::Expr* e, const Features& features);
// One token of the source: no sign in front, no parts.
bool is_token(const Constant& constant);
bool constant_slice(const ast::Expr* e);

}  // namespace depyf::verify
