#pragma once

#include "express/block.h"

namespace depyf {

// Gives every instruction of every block to the statement behind it, and the last ones to Block::tail.
void own_instructions(FlowGraph& graph);

}  // namespace depyf
