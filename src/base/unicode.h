// UTF-8 as marshal uses it: lone surrogates stand as their three bytes ("surrogatepass").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace depyf {

// Offset of the first byte that is not part of well-formed UTF-8 (surrogates allowed), or text.size().
std::size_t first_malformed_utf8(std::string_view text);

void append_utf8(std::string& out, std::uint32_t code_point);
std::string utf8_of_latin1(std::string_view text);

// Decodes one code point at `position` of well-formed text and moves `position` behind it.
std::uint32_t next_code_point(std::string_view text, std::size_t& position);

}  // namespace depyf
