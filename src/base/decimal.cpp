#include "base/decimal.h"

#include <vector>

namespace depyf {

namespace {

constexpr std::uint64_t kLimb = 1'000'000'000;  // nine decimal digits: limb * 2**30 + carry stays below 2**64

void multiply_add(std::vector<std::uint32_t>& limbs, unsigned shift, std::uint64_t addend) {
    std::uint64_t carry = addend;
    for (std::uint32_t& limb : limbs) {
        carry += static_cast<std::uint64_t>(limb) << shift;
        limb = static_cast<std::uint32_t>(carry % kLimb);
        carry /= kLimb;
    }
    while (carry != 0) {
        limbs.push_back(static_cast<std::uint32_t>(carry % kLimb));
        carry /= kLimb;
    }
}

}  // namespace

std::string decimal_of_base_32768(std::span<const std::uint16_t> digits, bool negative) {
    std::vector<std::uint32_t> limbs;  // least significant first
    std::size_t i = digits.size();
    if (i % 2 == 1) {
        multiply_add(limbs, 0, digits[--i]);
    }
    while (i >= 2) {
        i -= 2;
        multiply_add(limbs, 30, (static_cast<std::uint64_t>(digits[i + 1]) << 15) | digits[i]);
    }
    if (limbs.empty()) {
        return "0";
    }
    std::string text = (negative ? "-" : "") + std::to_string(limbs.back());
    for (std::size_t limb = limbs.size() - 1; limb-- > 0;) {
        const std::string part = std::to_string(limbs[limb]);
        text.append(9 - part.size(), '0');
        text += part;
    }
    return text;
}

}  // namespace depyf
