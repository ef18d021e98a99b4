// Listings of code objects: as text for people, as plain values for bindings and tests.
#pragma once

#include <string>
#include <vector>

#include "bytecode/code_object.h"
#include "bytecode/instruction.h"

namespace depyf {

struct ListedInstruction {
    Instruction instruction;
    std::string opname;
    bool has_arg = false;      // false: the opcode has no operand
    std::string operand;       // what the operand selects: a name, a constant's repr, "to 24", "" for bare numbers
    bool is_target = false;    // of a jump or of an exception handler
    bool starts_line = false;  // its line is known and differs from the instruction before
};

struct Listing {
    std::string qualname;      // co_name where there is no co_qualname
    std::int32_t firstlineno = 0;
    std::vector<ListedInstruction> instructions;
    std::vector<ExceptionEntry> exceptions;
};

// Of this code object alone, without the nested ones. Throws Error where decode() or decode_exception_table() does.
Listing list_instructions(const CodeObject& code);

// This code object, then those nested in its constants, depth first, each as text with a headline. What cannot be
// decoded becomes a line that says so. Ends in a newline.
//
//   3   >> 4 LOAD_GLOBAL              1 (print + NULL)
std::string disassemble(const CodeObject& code);

// The code object and all that are nested in its constants, depth first, in the order of co_consts; what is more than
// `max_depth` levels down is left out.
std::vector<const CodeObject*> nested_code_objects(const CodeObject& code, std::size_t max_depth = 1000);

}  // namespace depyf
