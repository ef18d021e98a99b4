// Reads .pyc files and marshal data without executing or importing anything.
// Formats: PEP 552 (header), CPython Python/marshal.c of 3.7 - 3.15 (marshal versions 0 - 5).
//
//   PycFile file = read_pyc(bytes);          // file.code is the module's code object
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bytecode/code_object.h"
#include "bytecode/version.h"

namespace depyf {

struct ReadOptions {
    std::uint32_t max_depth = 2000;     // deepest nesting of marshal objects, as in CPython
    // Most objects that are built, 16 bytes of text counting as one: references let a small file ask for a huge tree.
    // 0: a million and 4 for each byte of input.
    std::uint64_t max_objects = 0;
};

struct PycFile {
    Version version;
    std::uint16_t magic = 0;
    std::uint32_t flags = 0;  // 0: timestamp; bit 0: hash-based, bit 1: the hash is checked
    std::uint32_t timestamp = 0;  // seconds since 1970, modulo 2**32 (0 where hash-based)
    std::uint32_t source_size = 0;  // bytes, modulo 2**32 (0 where hash-based)
    std::uint64_t source_hash = 0;  // 0 where by timestamp
    std::shared_ptr<const CodeObject> code;
};

inline constexpr std::size_t kPycHeaderSize = 16;

// All throw Error with the byte offset from the start of `bytes` for input that is cut off, malformed, too deep, too
// large, or not of a supported version. Bytes behind the object are ignored, as CPython does.
PycFile read_pyc(std::span<const std::byte> bytes, const ReadOptions& options = {});
std::shared_ptr<const CodeObject> read_marshal(std::span<const std::byte> bytes, Version version,
                                               const ReadOptions& options = {}, std::size_t offset = 0);
Constant read_marshal_constant(std::span<const std::byte> bytes, Version version, const ReadOptions& options = {},
                               std::size_t offset = 0);

// What is left of a code object that cannot be read: those inside it that were complete, outermost only.
struct Salvage {
    std::vector<std::shared_ptr<const CodeObject>> codes;
    std::int64_t offset = -1;  // where reading stopped
    std::string message;  // why; "" where it did not: `codes` has the code object itself
};
Salvage salvage_code(std::span<const std::byte> bytes, Version version, const ReadOptions& options = {},
                     std::size_t offset = 0);

inline std::span<const std::byte> as_bytes(std::string_view text) {
    return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

}  // namespace depyf
