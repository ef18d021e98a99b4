// A CPython feature release and what its bytecode is like. Outside src/bytecode no code compares versions: it asks a
// named feature of `Features`.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace depyf {

struct Version {
    std::uint8_t major = 3;
    std::uint8_t minor = 0;
    auto operator<=>(const Version&) const = default;
    std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

}  // namespace depyf
