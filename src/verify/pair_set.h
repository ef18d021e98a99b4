// A set of pairs of instruction indices; open addressing, no deletion.
#pragma once

#include <cstdint>
#include <vector>

namespace depyf::verify {

class PairSet {
  public:
    // false: it was there already.
    bool insert(std::int32_t a, std::int32_t b) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        const std::uint64_t key =
            (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32) | static_cast<std::uint32_t>(b);
        std::uint64_t& slot = find(key);
        if (slot == key) return false;
        slot = key;
        ++size_;
        return true;
    }
    std::size_t size() const { return size_; }

  private:
    static constexpr std::uint64_t kFree = 0x7FFFFFFF7FFFFFFF;

    std::uint64_t& find(std::uint64_t key) {
        std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 20) & (slots_.size() - 1);
        while (slots_[at] != kFree && slots_[at] != key) at = (at + 1) & (slots_.size() - 1);
        return slots_[at];
    }
    void grow() {
        std::vector<std::uint64_t> old(slots_.empty() ? 128 : slots_.size() * 2, kFree);
        old.swap(slots_);
        for (const std::uint64_t key : old) {
            if (key != kFree) find(key) = key;
        }
    }

    std::vector<std::uint64_t> slots_;
    std::size_t size_ = 0;
};

}  // namespace depyf::verify
