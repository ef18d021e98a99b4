// The proof: the tree that is printed is lowered again, as the compiler of that version would, and compared with the
// code objects it came from.
#pragma once

#include <vector>

#include "ast/node.h"
#include "bytecode/code_object.h"
#include "depyf/decompile.h"
#include "print/printer.h"

namespace depyf {

struct Claim {
    const ast::Body* body;   // what was printed
    const CodeObject* code;  // what it came from
    bool as_module;          // see Options
    const PrintedText* printed;
};

// Sets the verdicts that are not Failed; the first difference of each code object that is not proved becomes a
// diagnostic. Returns the code objects (by index) for which this
// holds only once no statement of theirs, and no header at all, stands on several lines.
std::vector<std::size_t> prove(const Claim& claim, Decompilation& result);

}  // namespace depyf
