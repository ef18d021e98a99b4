// What CPython's optimizer does to finished code where it changes operations, not only layout.
#pragma once

#include "verify/lowerer.h"

namespace depyf::verify {

void optimise(Lowered& lowered);

}  // namespace depyf::verify
