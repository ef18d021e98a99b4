// The loops of a comprehension or generator expression, read back into `for ... in ... if ...` clauses.
#pragma once

#include <optional>
#include <vector>

#include "ast/node.h"
#include "express/block.h"

namespace depyf {

struct ComprehensionParts {
    std::vector<ast::Comprehension> generators;
    std::vector<ast::Expr*> elements;   // elt, or key and value
    bool unpacks = false;               // 3.15: `*elt`, `**elt`
    bool yields = false;                // a generator expression
    std::vector<std::int32_t> blocks;   // all that the loops consist of
};

// Reads the loops that start at block `header` (Exit::For or AsyncFor); nothing where they do more than that.
std::optional<ComprehensionParts> read_comprehension(const FlowGraph& graph, std::int32_t header, ast::Tree& tree);

}  // namespace depyf
