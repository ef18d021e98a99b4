// IR blocks -> blocks of statements, each ending in at most one condition.
#pragma once

#include <string>

#include "ast/node.h"
#include "express/block.h"
#include "express/nested.h"

namespace depyf {

struct ExpressContext {
    ast::Tree* tree = nullptr;
    NestedCode* nested = nullptr;
    std::string class_name;          // of the innermost enclosing class, for name mangling; may be empty
    std::uint32_t code_index = 0;    // recorded in every statement
    bool refuse_hand_made = false;   // throw HandMade rather than keep values in temporaries
};

// No compiler made this code: it keeps values on the stack between statements.
struct HandMade {};

// Executes every block symbolically and folds what branches only inside expressions: `and`, `or`, `not`, conditional
// expressions, chained comparisons, comprehensions. Throws Error (offset into co_code) where the stack runs empty, HandMade where
// untangle() must come first.
FlowGraph express(const ir::Function& function, const ExpressContext& context);

}  // namespace depyf
