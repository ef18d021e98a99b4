// Integers of any size as decimal text.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace depyf {

// `digits` are base 2**15, least significant first, as marshal writes them. Quadratic in their number.
std::string decimal_of_base_32768(std::span<const std::uint16_t> digits, bool negative);

}  // namespace depyf
