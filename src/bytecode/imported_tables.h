// The tables of generated/pyXY.def as constants. Private to src/bytecode: others ask opcode.h and features.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "bytecode/opcode.h"
#include "bytecode/version.h"

namespace depyf {

// The `dis.has*` list that the interpreter itself puts an opcode in.
enum class ImportedKind : std::uint8_t { None, Number, Const, Name, Local, Free, JumpRelative, JumpAbsolute, Compare };

struct ImportedOpcode {
    std::uint8_t byte;
    Op op;
    bool has_arg;
    ImportedKind kind;
    std::uint8_t caches;
};

struct ImportedForm {  // a specialised or instrumented opcode
    std::uint8_t byte;
    Op base;
};

struct ImportedTables {
    std::uint8_t minor;
    std::span<const ImportedOpcode> opcodes;
    std::span<const ImportedForm> forms;
    std::span<const std::string_view> compare, binary, intrinsic_1, intrinsic_2, common_constants, special_methods;
};

template <typename Row, std::size_t N>
constexpr std::span<const Row> without_last(const Row (&rows)[N]) {
    return std::span<const Row>(rows, N - 1);
}

#define DEPYF_TABLES "bytecode/generated/py37.def"
namespace py37 {
#include "bytecode/imported_tables.inc"
}
#undef DEPYF_TABLES
#define DEPYF_TABLES "bytecode/generated/py38.def"
namespace py38 {
#include "bytecode/imported_tables.inc"
}
#undef DEPYF_TABLES
#define DEPYF_TABLES "bytecode/generated/py39.def"
namespace py39 {
#include "bytecode/imported_tables.inc"
}
#undef DEPYF_TABLES
#define DEPYF_TABLES "bytecode/generated/py310.def"
namespace py310 {
#include "bytecode/imported_tables.inc"
}
#undef DEPYF_TABLES
#define DEPYF_TABLES "bytecode/generated/py311.def"
namespace py311 {
#include "bytecode/imported_tables.inc"
}
#undef DEPYF_TABLES
#define DEPYF_TABLES "bytecode/generated/py312.def"
namespace py312 {
#include "bytecode/imported_tables.inc"
}
#undef DEPYF_TABLES
#define DEPYF_TABLES "bytecode/generated/py313.def"
namespace py313 {
#include "bytecode/imported_tables.inc"
}
#undef DEPYF_TABLES
#define DEPYF_TABLES "bytecode/generated/py314.def"
namespace py314 {
#include "bytecode/imported_tables.inc"
}
#undef DEPYF_TABLES
#define DEPYF_TABLES "bytecode/generated/py315.def"
namespace py315 {
#include "bytecode/imported_tables.inc"
}
#undef DEPYF_TABLES

inline constexpr ImportedTables kImportedTables[] = {
    py37::tables(7),   py38::tables(8),   py39::tables(9),   py310::tables(10), py311::tables(11),
    py312::tables(12), py313::tables(13), py314::tables(14), py315::tables(15),
};

constexpr std::uint8_t kFirstMinor = 7, kLastMinor = 15;
static_assert(std::size(kImportedTables) == kLastMinor - kFirstMinor + 1);

// Throws Error where the version is not supported.
const ImportedTables& imported_tables(Version version);

}  // namespace depyf
