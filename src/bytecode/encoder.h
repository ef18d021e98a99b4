// Instructions, line tables and exception tables back to bytes: the inverse of the decoder, for the assembler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bytecode/instruction.h"

namespace depyf {

struct UnplacedInstruction {
    Op op = Op::UNKNOWN;
    std::uint32_t arg = 0;
    std::int64_t target = -1;   // index of the instruction that it jumps to, -1: `arg` stands as it is
    std::int32_t line = 0;
};

struct UnplacedException {      // indices of instructions, end exclusive (the number of instructions: the end)
    std::size_t start, end, target;
    std::uint32_t depth;
    bool lasti;
};

// Fills code.code, code.linetable and code.exceptiontable (which code.version decides the format of), with as many
// EXTENDED_ARG as needed and empty inline caches. Throws Error for an opcode that the version does not have and for a
// jump in a direction that the opcode cannot take.
void encode(const std::vector<UnplacedInstruction>& instructions, const std::vector<UnplacedException>& exceptions,
            CodeObject& code);

}  // namespace depyf
