// Constants from their Python spelling, for the assembler. Not a parser of Python expressions.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "bytecode/code_object.h"

namespace depyf {

// A nested code object by its name; null where there is none.
using CodeLookup = std::function<std::shared_ptr<const CodeObject>(std::string_view name)>;

// Reads None, True, False, ..., ints, floats (nan, inf too), imaginary numbers, 'text', b'bytes', (tuples),
// frozenset({...}), slice(a, b, c), code NAME and opaque 'expression'. The whole text must be one literal.
// Throws Error (offset into `text`).
Constant parse_literal(std::string_view text, const CodeLookup& codes);

}  // namespace depyf
