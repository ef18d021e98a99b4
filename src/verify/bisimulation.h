// Do two graphs of instructions do the same? Walks both in lock-step from the entry: the same operations on the same
// operands with the same stack under them, the same ways on, the same handlers around what can raise. What only moves
// stack items about (COPY, SWAP, ROT, POP) counts by its effect; NOPs, jumps, copies and the order of blocks do not count.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/function.h"
#include "verify/lowerer.h"

namespace depyf::verify {

struct Difference {
    std::int64_t offset = -1;  // in the input
    std::string message;  // empty: there is none
};

struct Comparison {
    Difference difference;
    bool one_to_one = true;  // every instruction has exactly one partner
    std::vector<std::pair<const CodeObject*, std::uint32_t>> nested;  // code object of the input, index of the child
};

Comparison compare(const ir::Function& input, const Lowered& lowered);

// What does not sit in instructions. Empty: the same.
std::string compare_headers(const CodeObject& code, const Lowered& lowered, const Unit& unit, const Features& features);

}  // namespace depyf::verify
