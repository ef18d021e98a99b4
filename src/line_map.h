// Order in line maps.
#pragma once

#include <vector>

#include "depyf/decompile.h"

namespace depyf {

// By code object, offset and line; what stands there twice goes.
void sort_line_map(std::vector<LineMapEntry>& entries);

}  // namespace depyf
