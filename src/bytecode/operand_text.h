// Operands and constants as text, for listings only: the printer of Python source is src/print.
#pragma once

#include <string>

#include "bytecode/code_object.h"
#include "bytecode/instruction.h"

namespace depyf {

// Like Python's repr(), on one line; control characters and lone surrogates are escaped. `limit`: items and bytes of
// text after which "..." stands, 0: none.
std::string constant_text(const Constant& constant, std::size_t limit = 0);

// What the operand selects, as `dis` resolves it: a name, an operator, the names of flags; "" where the operand is a
// number, a constant or a jump. `instruction` must come from decode(code).
std::string operand_text(const CodeObject& code, const Instruction& instruction);

}  // namespace depyf
