// Patterns of `match` statements as they are read back from the instructions (match/).
#pragma once

#include <string>
#include <vector>

#include "base/pattern_kind.h"
#include "bytecode/code_object.h"

namespace depyf::ir {

// A literal, or a name with the attributes behind it. The pointers are into the code object.
struct PatternValue {
    const Constant* constant = nullptr;
    std::vector<const std::string*> dotted;
};

// Which members count for which kind: ast::PatternKind.
struct Pattern {
    ast::PatternKind kind = ast::PatternKind::As;
    PatternValue value;
    const std::string* name = nullptr;
    std::vector<PatternValue> keys;
    std::vector<Pattern> patterns;
    std::vector<const std::string*> keyword_names;
};

// Equal texts for patterns of one code object that are the same.
std::string identity(const Pattern& pattern);

}  // namespace depyf::ir
