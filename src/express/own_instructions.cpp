// Which statement every instruction belongs to, so that a breakpoint on its line stops where it begins.
#include <unordered_map>

#include "express/own_instructions.h"

namespace depyf {

namespace {

void own_in_block(const ir::Function& function, Block& block) {
    std::unordered_map<std::uint32_t, ast::Stmt*> owner;
    for (ast::Stmt* stmt : block.statements) {
        for (std::uint32_t offset : stmt->offsets) owner.emplace(offset, stmt);
    }
    std::vector<std::uint32_t> open;
    for (std::int32_t i : block.insts) {
        const std::uint32_t offset = function.insts[static_cast<std::size_t>(i)].offset;
        const auto found = owner.find(offset);
        if (found == owner.end()) {
            open.push_back(offset);
            continue;
        }
        found->second->offsets.insert(found->second->offsets.end(), open.begin(), open.end());
        open.clear();
    }
    block.tail = std::move(open);
}

}  // namespace

void own_instructions(FlowGraph& graph) {
    for (Block& block : graph.blocks) {
        if (!block.dead && block.executed) own_in_block(*graph.function, block);
    }
    for (std::int32_t b : graph.order) {   // what a block leaves for the next one to use belongs to what uses it
        Block& block = graph[b];
        if (block.dead || !block.executed || block.exit != Exit::Fall || block.out.empty() || block.next < 0) continue;
        std::vector<std::uint32_t>& tail = graph[block.next].tail;
        tail.insert(tail.begin(), block.tail.begin(), block.tail.end());
    }
}

}  // namespace depyf
