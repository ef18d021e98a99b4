// What MAKE_FUNCTION made, before it becomes a def, a lambda, a comprehension or a class body.
#pragma once

#include "ast/node.h"

namespace depyf::ast {

struct FunctionValue {
    const CodeObject* code = nullptr;
    Expr* defaults = nullptr;      // a tuple
    Expr* kwdefaults = nullptr;    // a dict
    Expr* annotations = nullptr;   // a dict, or a flat tuple of names and values (3.10+)
    Expr* annotate = nullptr;      // a Function (3.14+)
};

}  // namespace depyf::ast
