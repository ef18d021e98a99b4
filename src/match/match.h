// `match` statements: the code of each case's pattern becomes one MatchCase instruction. Runs between lift and
// normalise, where pattern code still is what the compiler wrote. What is not recognised stays as it is.
// Source of the shapes: compiler_pattern_* in CPython Python/compile.c (3.10 - 3.13), codegen_pattern_* in
// Python/codegen.c (3.14+).
#pragma once

#include "ir/function.h"

namespace depyf {

void recognise_matches(ir::Function& function);

}  // namespace depyf
