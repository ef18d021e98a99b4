// What expression recovery asks of the stages behind it when it meets the code of a nested function.
#pragma once

#include "ast/node.h"

namespace depyf {

class NestedCode {
  public:
    virtual ~NestedCode() = default;
    // The lambda, comprehension, def or class that `function` (ExprKind::Function) is. `iterable`: what the outermost
    // `for` of the comprehension runs over. Null where it cannot be written that way.
    virtual ast::Expr* lambda(ast::Expr* function) = 0;
    virtual ast::Expr* comprehension(ast::Expr* function, ast::Expr* iterable) = 0;
    virtual ast::Stmt* definition(ast::Expr* function) = 0;  // def or async def, without decorators
    virtual ast::Stmt* class_definition(ast::Expr* build_class_call) = 0;  // Call of BuildClass
    // `def f[T]`, `class C[T]`, `type X = ...`: the call of a <generic parameters> function, or the type alias that an
    // intrinsic makes (3.12+).
    virtual ast::Stmt* generic(ast::Expr* call) = 0;
};

}  // namespace depyf
