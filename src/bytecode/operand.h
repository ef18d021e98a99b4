// What an instruction's operand selects, resolved against the tables of its code object.
#pragma once

#include <cstdint>
#include <string>

#include "bytecode/instruction.h"
#include "bytecode/opcode.h"

namespace depyf {

// The index into the table that `operand` names (co_names, co_consts, localsplus ...), its flag bits removed; for pairs
// the first index.
constexpr std::uint32_t operand_index(Operand operand, std::uint32_t arg) {
    switch (operand) {
        case Operand::NameFlag1: return arg >> 1;
        case Operand::NameFlag2: return arg >> 2;
        case Operand::LocalsPlusPair: return arg >> 4;
        default: return arg;
    }
}

// Throws Error (offset of the instruction) where the operand points past the end of its table.
void check_operand(const CodeObject& code, const OpcodeMeaning& meaning, const Instruction& instruction);

// Free: the index-th of cellvars + freevars (up to 3.10). The index must have been checked.
const std::string& free_name(const CodeObject& code, std::uint32_t index);

}  // namespace depyf
