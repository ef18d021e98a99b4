#include "ast/function_value.h"
#include "ast/node.h"

namespace depyf::ast {

Tree::Tree() = default;
Tree::~Tree() = default;

FunctionValue* Tree::function() {
    functions_.push_back(std::make_unique<FunctionValue>());
    return functions_.back().get();
}

}  // namespace depyf::ast
