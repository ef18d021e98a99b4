#include "bytecode/code_object.h"

#include <algorithm>
#include <bit>
#include <compare>

namespace depyf {

namespace {

std::strong_ordering compare_constants(const Constant& a, const Constant& b);

std::strong_ordering compare_items(const std::vector<const Constant*>& a, const std::vector<const Constant*>& b) {
    if (const auto order = a.size() <=> b.size(); order != 0) {
        return order;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (const auto order = compare_constants(*a[i], *b[i]); order != 0) {
            return order;
        }
    }
    return std::strong_ordering::equal;
}

// A set has no order of its own: its items are compared in the order of compare_constants.
std::vector<const Constant*> ordered_items(const Constant& constant) {
    std::vector<const Constant*> items;
    items.reserve(constant.items.size());
    for (const Constant& item : constant.items) {
        items.push_back(&item);
    }
    if (constant.kind == Constant::Kind::FrozenSet || constant.kind == Constant::Kind::Set) {
        std::sort(items.begin(), items.end(),
                  [](const Constant* a, const Constant* b) { return compare_constants(*a, *b) < 0; });
    }
    return items;
}

std::strong_ordering compare_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) <=> std::bit_cast<std::uint64_t>(b);
}

std::strong_ordering compare_constants(const Constant& a, const Constant& b) {
    if (const auto order = a.kind <=> b.kind; order != 0) {
        return order;
    }
    if (const auto order = compare_bits(a.real, b.real); order != 0) {
        return order;
    }
    if (const auto order = compare_bits(a.imag, b.imag); order != 0) {
        return order;
    }
    if (const int order = a.text.compare(b.text); order != 0) {
        return order < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    if (a.code != b.code) {
        return std::compare_three_way{}(a.code.get(), b.code.get());
    }
    if (a.items.empty() && b.items.empty()) {
        return std::strong_ordering::equal;
    }
    return compare_items(ordered_items(a), ordered_items(b));
}

}  // namespace

int truth(const Constant& c) {
    switch (c.kind) {
        case Constant::Kind::None:
        case Constant::Kind::False: return 0;
        case Constant::Kind::True:
        case Constant::Kind::Ellipsis: return 1;
        case Constant::Kind::Int: return c.text != "0";
        case Constant::Kind::Float: return c.real != 0;
        case Constant::Kind::Str:
        case Constant::Kind::Bytes: return !c.text.empty();
        case Constant::Kind::Tuple: return !c.items.empty();
        default: return -1;
    }
}

bool Constant::operator==(const Constant& other) const {
    return compare_constants(*this, other) == 0;
}

}  // namespace depyf
