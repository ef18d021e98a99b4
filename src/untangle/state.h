// What is known about the stack (and, in readable form, about lists and temporaries) between two instructions.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/function.h"

namespace depyf::untangling {

using Code = std::vector<ir::Inst>;

struct Entry {
    enum class Kind : std::uint8_t {
        Free,      // code loads it; may run at any time and more than once
        Pending,   // code computes it; has not run yet, and must before anything that comes later
        Real,      // lies on the stack that is left: iterators, exit functions, exceptions
        Virtual,   // a list or tuple of which all is known, not built yet
    };
    Kind kind = Kind::Free;
    Code code;
    std::int32_t list = -1;   // Virtual: index into State::lists
};

// Its loads become part of whatever instruction takes the value.
void read_where_used(Entry& entry);

struct VirtualList {
    std::vector<Entry> items;   // Free or Virtual
    bool tuple = false;
    std::uint32_t offset = 0;
};

struct State {
    std::vector<Entry> stack;
    std::vector<VirtualList> lists;
    std::map<std::string, Entry> variables;   // temporaries that stand for something else
};

// A straight run of instructions: indices into Function::insts, and what was made of them.
struct Block {
    std::vector<std::int32_t> insts;
    std::int32_t next = -1, target = -1, handler_target = -1;   // blocks
    std::vector<std::int32_t> preds;
    Code code;
    std::size_t last = 0;    // where in `code` the instructions of the last one (a branch with its test) begin
    bool reached = false;
    bool handler = false;    // entered by an exception, from the state `in`
    State in, out, target_out;
};

struct Graph {
    std::vector<Block> blocks;
    std::vector<std::int32_t> order;   // reverse postorder
    std::vector<std::int32_t> block_of;   // instruction -> block that it starts, or -1
    std::int32_t entry = 0;
    Block& operator[](std::int32_t b) { return blocks[static_cast<std::size_t>(b)]; }
};

Graph split_blocks(const ir::Function& function);

// Temporaries that are used once, with nothing but loads in between, and such as nothing reads. `pinned`: must stay.
void inline_temporaries(Graph& graph, const ir::Function& function, const std::set<std::string>& pinned, bool readable);

}  // namespace depyf::untangling
