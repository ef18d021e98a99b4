// Blocks -> statements: loops, conditions, protected regions.
#pragma once

#include "ast/node.h"
#include "express/block.h"

namespace depyf {

// Throws Error where the graph cannot be written with Python's statements within a bounded amount of duplication.
ast::Body structure(const FlowGraph& graph, ast::Tree& tree, std::uint32_t code_index);

}  // namespace depyf
