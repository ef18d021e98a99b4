// Reads the code of one case, from where the subject lies on the stack to where its names are stored.
#pragma once

#include <optional>

#include "match/machine.h"

namespace depyf::matching {

struct Case {
    ir::Pattern pattern;
    std::int32_t start = -1;
    std::int32_t success = -1;   // where control goes when the pattern matched
    std::int32_t failure = -1;   // where it goes otherwise, -1 where the pattern always matches
    std::int32_t default_mark = -1;   // on the way to `failure`: the instruction that stands for `case _:`
    bool last = false;           // takes the subject off the stack
};

// `last`: the subject itself is matched, not a copy of it. Nothing where the code at `start` is no such case.
std::optional<Case> read_case(const ir::Function& function, std::int32_t start, bool last);

// The pattern that a subject was found to have; nothing where the compiler would not have written it that way.
std::optional<ir::Pattern> build_pattern(const State& state, std::int32_t subject);

}  // namespace depyf::matching
