#include "bytecode/opcode.h"

#include <unordered_map>

#include "base/error.h"
#include "bytecode/imported_tables.h"

namespace depyf {

namespace {

constexpr std::string_view kOpNames[] = {
    "UNKNOWN",
#define DEPYF_OPCODE_NAME(name) #name,
#include "bytecode/generated/opcode_names.def"
};
constexpr std::size_t kOpCount = std::size(kOpNames);

constexpr OpcodeMeaning kMeanings[] = {
#define DEPYF_MEANING(name, since, until, operand, flow, lift, detail) \
    {Op::name, since, until, Operand::operand, Flow::flow, LiftKind::lift, detail},
#include "bytecode/opcode.def"
};

constexpr bool holds_in(const OpcodeMeaning& meaning, Op op, std::uint8_t minor) {
    return meaning.op == op && meaning.since <= minor && minor <= meaning.until;
}

// Whether a row's operand is a refinement of what the interpreter says of the opcode.
constexpr bool agrees(Operand operand, const ImportedOpcode& imported) {
    switch (imported.kind) {
        case ImportedKind::Const: return operand == Operand::Const;
        case ImportedKind::Name:
            return operand == Operand::Name || operand == Operand::NameFlag1 || operand == Operand::NameFlag2;
        case ImportedKind::Local:
            return operand == Operand::Local || operand == Operand::LocalsPlus || operand == Operand::LocalsPlusPair;
        case ImportedKind::Free: return operand == Operand::Free || operand == Operand::LocalsPlus;
        case ImportedKind::JumpAbsolute: return operand == Operand::JumpAbsolute;
        case ImportedKind::JumpRelative:
            return operand == Operand::JumpForward || operand == Operand::JumpBackward ||
                   operand == Operand::SourceBackward;
        case ImportedKind::Compare: return operand == Operand::Compare;
        case ImportedKind::None: return operand == Operand::None && !imported.has_arg;
        case ImportedKind::Number:
            return imported.has_arg && (operand == Operand::Number || operand >= Operand::BinaryOp);
    }
    return false;
}

// The first opcode of a version that not exactly one row covers, or whose row contradicts the interpreter.
constexpr Op first_uncovered(const ImportedTables& tables) {
    for (const ImportedOpcode& imported : tables.opcodes) {
        int rows = 0;
        for (const OpcodeMeaning& meaning : kMeanings) {
            if (holds_in(meaning, imported.op, tables.minor)) {
                rows += agrees(meaning.operand, imported) ? 1 : 2;
            }
        }
        if (rows != 1) {
            return imported.op;
        }
    }
    return Op::UNKNOWN;
}

// The first row that claims a version which has no such opcode.
constexpr Op first_unfounded(const ImportedTables& tables) {
    for (const OpcodeMeaning& meaning : kMeanings) {
        bool found = meaning.since > tables.minor || meaning.until < tables.minor;
        for (const ImportedOpcode& imported : tables.opcodes) {
            found = found || imported.op == meaning.op;
        }
        if (!found) {
            return meaning.op;
        }
    }
    return Op::UNKNOWN;
}

// The template argument shows in the compiler's message which version and opcode need a row in opcode.def.
template <int Minor, Op Uncovered, Op Unfounded>
constexpr bool rows_match() {
    static_assert(Uncovered == Op::UNKNOWN, "opcode.def: this opcode is covered by no row, by two, or by a wrong one");
    static_assert(Unfounded == Op::UNKNOWN, "opcode.def: this row claims a version that does not have the opcode");
    return true;
}
#define DEPYF_VERSION(minor, first_magic, last_magic)                                      \
    static_assert(rows_match<minor, first_uncovered(kImportedTables[minor - kFirstMinor]), \
                             first_unfounded(kImportedTables[minor - kFirstMinor])>());
#include "bytecode/version.def"

struct VersionIndex {
    std::array<OpcodeByte, 256> bytes{};
    std::array<const OpcodeMeaning*, kOpCount> meanings{};
    std::array<std::int16_t, kOpCount> values{};
};

VersionIndex build_index(const ImportedTables& tables) {
    VersionIndex index;
    index.values.fill(-1);
    for (const ImportedOpcode& row : tables.opcodes) {
        index.bytes[row.byte] = {row.op, row.has_arg, false, row.caches};
        index.values[static_cast<std::size_t>(row.op)] = row.byte;
    }
    for (const ImportedForm& form : tables.forms) {
        const std::int16_t base = index.values[static_cast<std::size_t>(form.base)];
        index.bytes[form.byte] = index.bytes[static_cast<std::size_t>(base)];
        index.bytes[form.byte].specialized = true;
    }
    for (const OpcodeMeaning& meaning : kMeanings) {
        if (meaning.since <= tables.minor && tables.minor <= meaning.until) {
            index.meanings[static_cast<std::size_t>(meaning.op)] = &meaning;
        }
    }
    return index;
}

const VersionIndex& version_index(Version version) {
    static const auto indices = [] {
        std::array<VersionIndex, std::size(kImportedTables)> built;
        for (std::size_t i = 0; i < built.size(); ++i) {
            built[i] = build_index(kImportedTables[i]);
        }
        return built;
    }();
    return indices[imported_tables(version).minor - kFirstMinor];
}

[[noreturn]] void throw_missing(Version version, Op op) {
    throw Error(-1, "expected an opcode of Python " + version.text() + ", found " + std::string(op_name(op)));
}

}  // namespace

const ImportedTables& imported_tables(Version version) {
    if (version.major != 3 || version.minor < kFirstMinor || version.minor > kLastMinor) {
        throw Error(-1, "expected Python " + Version{3, kFirstMinor}.text() + " to " + Version{3, kLastMinor}.text() +
                            ", found " + version.text());
    }
    return kImportedTables[version.minor - kFirstMinor];
}

std::string_view op_name(Op op) {
    const auto index = static_cast<std::size_t>(op);
    return index < kOpCount ? kOpNames[index] : kOpNames[0];
}

Op op_from_name(std::string_view name) {
    static const auto ops = [] {
        std::unordered_map<std::string_view, Op> map;
        for (std::size_t i = 1; i < kOpCount; ++i) {
            map.emplace(kOpNames[i], static_cast<Op>(i));
        }
        return map;
    }();
    const auto found = ops.find(name);
    return found == ops.end() ? Op::UNKNOWN : found->second;
}

const OpcodeMeaning& opcode_meaning(Version version, Op op) {
    const VersionIndex& index = version_index(version);
    const auto position = static_cast<std::size_t>(op);
    if (position >= kOpCount || index.meanings[position] == nullptr) {
        throw_missing(version, op);
    }
    return *index.meanings[position];
}

const std::array<OpcodeByte, 256>& opcode_bytes(Version version) {
    return version_index(version).bytes;
}

std::uint8_t opcode_value(Version version, Op op) {
    const VersionIndex& index = version_index(version);
    const auto position = static_cast<std::size_t>(op);
    if (position >= kOpCount || index.values[position] < 0) {
        throw_missing(version, op);
    }
    return static_cast<std::uint8_t>(index.values[position]);
}

}  // namespace depyf
