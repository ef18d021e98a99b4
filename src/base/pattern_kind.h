// Kinds of patterns, named as CPython's `ast` names them without "Match". Instructions and syntax tree share them.
#pragma once

#include <cstdint>

namespace depyf::ast {

enum class PatternKind : std::uint8_t {
    Value,      // value
    Singleton,  // value (None, True, False)
    Sequence,   // patterns
    Mapping,    // keys, patterns; name: **rest, or empty
    Class,      // value: cls; patterns: positional then keyword; keyword_names for the last ones
    Star,       // name, or empty for `*_`
    As,         // patterns: none or one; name, or empty for `_`
    Or,         // patterns
};

}  // namespace depyf::ast
