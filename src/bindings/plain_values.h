// What the engine knows, as plain Python values: listings of instructions, marshalled constants.
#pragma once

#include <pybind11/pybind11.h>

#include "bytecode/code_object.h"

namespace depyf {

// {"qualname", "firstlineno", "instructions", "exceptions"}, see python/depyf/_engine.pyi. Throws Error.
pybind11::dict plain_listing(const CodeObject& code);

// None, bool, int, float, str, bytes, tuple, list, set, frozenset, dict; anything else becomes None.
pybind11::object plain_value(const Constant& constant);

}  // namespace depyf
