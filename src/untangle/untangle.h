// Code that no compiler wrote (torch.compile's) keeps values on the stack between statements, copies and exchanges them
// and builds lists there. Symbolic execution of the stack turns it into code that keeps its values in variables, in the
// order in which it computed them; express() reads that like any other.
#pragma once

#include "ir/function.h"

namespace depyf {

// Rewrites `function`, to which normalise() has been applied. `readable`: frame values that only travel through lists,
// the profiling calls around a graph and one-shot temporaries are evaluated away; the text then tells what happens
// rather than how. Throws Error where the code does what is not understood here.
void untangle(ir::Function& function, bool readable);

}  // namespace depyf
