// What only stands in a tree that is being built must not reach the printer: there is no text that means it.
#pragma once

#include "ast/node.h"

namespace depyf {

// Throws Error (offset into co_code of the statement, -1 where unknown) at the first artefact in `body`, those of nested
// definitions not counted: they were checked when they were made.
void require_finished(const ast::Body& body);
void require_finished(const ast::Expr* expression);

}  // namespace depyf
