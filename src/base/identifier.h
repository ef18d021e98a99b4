#pragma once

#include <string_view>

namespace depyf {

// What can stand as a name in a source file. Outside ASCII only what no name can hold at all (lone surrogates) is refused.
bool is_identifier(std::string_view text);

}  // namespace depyf
