// Line tables: which source position each instruction comes from. A table is a hint: what is malformed ends it early,
// nothing throws.
// Sources: CPython Objects/lnotab_notes.txt (co_lnotab up to 3.9, co_linetable 3.10), Objects/locations.md (3.11+).
#pragma once

#include <vector>

#include "bytecode/code_object.h"
#include "bytecode/instruction.h"

namespace depyf {

struct LineRange {  // byte offsets, end exclusive; in order and without overlap
    std::uint32_t start, end;
    Location location;
    bool operator==(const LineRange&) const = default;
};

// Line 0: no line. In 3.11+ a module's RESUME has line 0 too; both read alike.
std::vector<LineRange> line_ranges(const CodeObject& code);

}  // namespace depyf
