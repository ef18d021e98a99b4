// Bounds-checked little-endian reading from bytes that belong to someone else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace depyf {

class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes, std::size_t offset = 0) : bytes_(bytes), offset_(offset) {}

    std::size_t offset() const { return offset_; }
    std::size_t remaining() const { return bytes_.size() - offset_; }

    // All throw Error at the current offset where fewer bytes are left than asked for.
    std::uint8_t u8() { return static_cast<std::uint8_t>(take(1)[0]); }
    std::uint16_t u16() { return unsigned_of<std::uint16_t>(); }
    std::uint32_t u32() { return unsigned_of<std::uint32_t>(); }
    std::uint64_t u64() { return unsigned_of<std::uint64_t>(); }
    std::int32_t i32() { return static_cast<std::int32_t>(u32()); }

    // A view into the input.
    std::string_view text(std::size_t size) {
        const auto part = take(size);
        return {reinterpret_cast<const char*>(part.data()), part.size()};
    }

  private:
    std::span<const std::byte> take(std::size_t size) {
        if (size > remaining()) {
            throw Error(static_cast<std::int64_t>(offset_), "expected " + std::to_string(size) +
                                                                " more bytes, found the end of the data after " +
                                                                std::to_string(remaining()));
        }
        const auto part = bytes_.subspan(offset_, size);
        offset_ += size;
        return part;
    }

    template <typename Unsigned>
    Unsigned unsigned_of() {
        Unsigned value = 0;
        const auto part = take(sizeof(Unsigned));
        for (std::size_t i = 0; i < part.size(); ++i) {
            value = static_cast<Unsigned>(value | static_cast<Unsigned>(static_cast<Unsigned>(part[i]) << (8 * i)));
        }
        return value;
    }

    std::span<const std::byte> bytes_;
    std::size_t offset_;
};

}  // namespace depyf
