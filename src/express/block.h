// Basic blocks whose instructions have become statements and expressions.
#pragma once

#include <cstdint>
#include <vector>

#include "ast/node.h"
#include "ir/function.h"

namespace depyf {

enum class Exit : std::uint8_t {
    Fall,      // to `next`
    Branch,    // value true: to `next`, false: to `target`
    Keep,      // as Branch, but on one edge (kept_when) the value stays on the stack
    For,       // value: the iterable; `next`: body, with the item on the stack; `target`: exhausted
    AsyncFor,  // as For
    Break,     // to `target`, behind the loop; `next`: what stands behind it, no way that control goes (3.7)
    Loop,      // to `next`, where a loop starts; `target`: what stands behind it, no way that control goes (3.7)
    Setup,     // to `next`, protected by `handler_id`; the handler's first block is `target`
    Case,      // value: a MatchSubject, pattern; matched: to `next`, else to `target` (-1: it always matches)
    Return,    // value
    Reraise,  // the exception that is being handled goes on; `next` (up to 3.8): what stands behind, never run from here
    End,  // control ends in the last statement (raise), or never gets here
};

struct Block {
    std::vector<std::int32_t> insts;  // indices into ir::Function::insts
    std::int32_t handler = -1;  // innermost handler around the block
    std::int32_t next = -1, target = -1;
    std::int32_t handler_id = -1;  // Setup
    Exit exit = Exit::Fall;
    bool kept_when = false;  // Keep
    bool falls_true = true;  // Branch: the true edge is the one that falls through in the layout
    bool executed = false, dead = false;
    bool jumps_out = false;  // up to 3.8: ends in a `return`, `break` or `continue` that somebody wrote
    bool leaves_loop = false;  // ends by dropping a loop's iterator: what follows stands outside the loop
    std::vector<std::int32_t> preds;  // each once for every edge
    ast::Expr* value = nullptr;
    ast::Pattern* pattern = nullptr;  // Case
    ast::Body statements;
    std::vector<std::uint32_t> tail;  // offsets of the instructions behind the last statement
    std::vector<ast::Expr*> in;  // stack on entry
    std::vector<ast::Expr*> out;  // stack on the edge to `next`
    std::vector<ast::Expr*> target_out;  // stack on the edge to `target`
    Location location;  // of the last instruction
    std::uint32_t offset = 0;  // of the first instruction

    bool pure() const { return statements.empty(); }
};

struct FlowGraph {
    const ir::Function* function = nullptr;
    std::vector<Block> blocks;
    std::vector<std::int32_t> order;  // reverse postorder of the original graph
    std::int32_t entry = 0;

    Block& operator[](std::int32_t b) { return blocks[static_cast<std::size_t>(b)]; }
    const Block& operator[](std::int32_t b) const { return blocks[static_cast<std::size_t>(b)]; }
};

// Splits the instructions into basic blocks; fills insts, handler, next, target, preds, order.
FlowGraph make_blocks(const ir::Function& function);

}  // namespace depyf
