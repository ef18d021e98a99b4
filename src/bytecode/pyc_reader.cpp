#include "bytecode/pyc_reader.h"

#include <algorithm>

#include "base/byte_reader.h"
#include "bytecode/features.h"
#include "bytecode/marshal_reader.h"

namespace depyf {

namespace {

constexpr std::uint32_t kHashBased = 0x1, kCheckSource = 0x2;  // PEP 552
constexpr std::uint16_t kMagicTail = 0x0A0D;                   // "\r\n" behind every magic number

void read_header(ByteReader& reader, PycFile& file) {
    file.magic = reader.u16();
    file.version = version_of_magic(file.magic);
    if (const std::uint16_t tail = reader.u16(); tail != kMagicTail) {
        throw Error(2, "expected \\r\\n behind the magic number, found bytes " + std::to_string(tail & 0xFF) + " " +
                           std::to_string(tail >> 8));
    }
    file.flags = reader.u32();
    if ((file.flags & ~(kHashBased | kCheckSource)) != 0) {
        throw Error(4, "expected .pyc flags 0 to 3, found " + std::to_string(file.flags));
    }
    if ((file.flags & kHashBased) != 0) {
        file.source_hash = reader.u64();
    } else {
        file.timestamp = reader.u32();
        file.source_size = reader.u32();
    }
}

std::shared_ptr<const CodeObject> read_code(std::span<const std::byte> bytes, std::size_t offset, Version version,
                                            const ReadOptions& options) {
    Constant constant = MarshalReader(bytes, offset, version, options).read();
    if (constant.kind != Constant::Kind::Code) {
        throw Error(static_cast<std::int64_t>(offset), "expected a code object, found an object of another type");
    }
    if (!constant.code->damage.empty()) throw Error(constant.code->damage_offset, constant.code->damage);
    return constant.code;
}

}  // namespace

PycFile read_pyc(std::span<const std::byte> bytes, const ReadOptions& options) {
    PycFile file;
    ByteReader reader(bytes);
    read_header(reader, file);
    file.code = read_code(bytes, reader.offset(), file.version, options);
    return file;
}

std::shared_ptr<const CodeObject> read_marshal(std::span<const std::byte> bytes, Version version,
                                               const ReadOptions& options, std::size_t offset) {
    return read_code(bytes, std::min(offset, bytes.size()), version, options);
}

Constant read_marshal_constant(std::span<const std::byte> bytes, Version version, const ReadOptions& options,
                               std::size_t offset) {
    return MarshalReader(bytes, std::min(offset, bytes.size()), version, options).read();
}

Salvage salvage_code(std::span<const std::byte> bytes, Version version, const ReadOptions& options,
                     std::size_t offset) {
    MarshalReader reader(bytes, std::min(offset, bytes.size()), version, options);
    try {
        const Constant root = reader.read();
        if (root.kind != Constant::Kind::Code) {
            return {{}, static_cast<std::int64_t>(offset), "expected a code object, found an object of another type"};
        }
        if (root.code->damage.empty()) return {{root.code}, -1, ""};
        Salvage result{{}, root.code->damage_offset, root.code->damage};
        for (const Constant& constant : root.code->consts) {
            if (constant.kind == Constant::Kind::Code) result.codes.push_back(constant.code);
        }
        return result;
    } catch (const Error& error) {
        return {reader.complete_code(), error.offset(), error.what()};
    }
}

}  // namespace depyf
