// Guards of cases whose pattern always matches: no test tells where such a case fails.
#pragma once

#include "ir/function.h"

namespace depyf::matching {

// `start`: where a guard may begin while the subject lies on the stack. Returns where control goes when it is false
// (the next case, which is the first to touch the subject), -1 where this is no guard.
std::int32_t end_of_guard(const ir::Function& function, std::int32_t start);

// 3.12+: `at` begins the guard of a first `case _ if ...`, of which nothing else is left but the subject on the stack.
bool opens_with_guard(const ir::Function& function, std::int32_t at);

}  // namespace depyf::matching
