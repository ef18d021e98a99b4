// A live `types.CodeType` of the host interpreter as the engine's own value.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "bytecode/code_object.h"

namespace depyf {

// `describe(object) -> str` names a constant that marshal cannot hold; its answer becomes the text of an opaque constant.
// Must hold the GIL. Raises TypeError (as pybind11::type_error) where `code` is no code object.
std::shared_ptr<const CodeObject> from_live_code(pybind11::handle code, const pybind11::function& describe);

}  // namespace depyf
