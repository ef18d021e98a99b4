// Python literals.
#pragma once

#include <string>
#include <string_view>

#include "bytecode/code_object.h"

namespace depyf {

std::string string_literal(std::string_view text, char quote);   // text: UTF-8 with lone surrogates as three bytes
std::string string_literal(std::string_view text);               // chooses the quote as repr() does
std::string bytes_literal(std::string_view bytes);
std::string float_literal(double value);  // 1e309 for infinity; nan has no literal: (1e309-1e309)
// The inside of a string literal, without quotes. `quote`: what must be escaped; 0: nothing.
std::string escaped(std::string_view text, char quote, bool multiline = false);
// Triple-quoted over several lines where that keeps the value; `indent` goes in front of every line but the first.
std::string docstring_literal(std::string_view text, const std::string& indent);

}  // namespace depyf
