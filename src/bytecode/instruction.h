// One decoded instruction: EXTENDED_ARG folded into its operand, inline caches gone, operands resolved to indices and
// jump targets to byte offsets, whatever unit and base the version uses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bytecode/code_object.h"
#include "bytecode/opcode.h"

namespace depyf {

// Where an instruction comes from in the original source. 0 = unknown, lines 1-based, columns 0-based UTF-8 bytes.
struct Location {
    std::int32_t line = 0, end_line = 0;
    std::int32_t column = -1, end_column = -1;   // -1 where the version or the table has no columns
    bool operator==(const Location&) const = default;
};

struct Instruction {
    std::uint32_t offset;   // of the opcode byte pair itself (after its EXTENDED_ARG prefixes), in bytes
    std::uint32_t start;    // of the first EXTENDED_ARG prefix, == offset where there is none
    std::uint32_t end;      // first byte after it and its inline caches
    Op op;                  // opcode meaning, specialised and instrumented forms mapped to their base
    std::uint32_t arg = 0;  // raw oparg
    std::int32_t target = -1;  // jump target as byte offset for every opcode that jumps or sets up a block, else -1
    Location location;
};

struct ExceptionEntry {   // 3.11+; byte offsets, end exclusive. Objects/exception_handling_notes.txt (3.11)
    std::uint32_t start, end, target, depth;
    bool lasti;
};

// Throws Error (offset into co_code) for an opcode that the version does not have, a jump out of range, a cut-off
// operand, an index out of range of its table.
std::vector<Instruction> decode(const CodeObject& code);
std::vector<ExceptionEntry> decode_exception_table(const CodeObject& code);

}  // namespace depyf
