#include "bytecode/operand.h"

#include "base/error.h"
#include "bytecode/features.h"

namespace depyf {

namespace {

struct Table {
    const char* name;
    std::size_t size;
};

// The table that an operand indexes; an empty name where it indexes none.
Table table_of(const CodeObject& code, Operand operand) {
    const Features& f = features(code.version);
    switch (operand) {
        case Operand::Const: return {"co_consts", code.consts.size()};
        case Operand::Name:
        case Operand::NameFlag1:
        case Operand::NameFlag2: return {"co_names", code.names.size()};
        case Operand::Local: return {"co_varnames", code.varnames.size()};
        case Operand::Free: return {"co_cellvars + co_freevars", code.cellvars.size() + code.freevars.size()};
        case Operand::LocalsPlus:
        case Operand::LocalsPlusPair: return {"the local variables", code.localsplus.size()};
        case Operand::Compare: return {"the comparison operators", f.compare_names.size()};
        case Operand::BinaryOp: return {"the binary operators", f.binary_names.size()};
        case Operand::Intrinsic1: return {"the unary intrinsics", f.intrinsic_1_names.size()};
        case Operand::Intrinsic2: return {"the binary intrinsics", f.intrinsic_2_names.size()};
        case Operand::CommonConstant: return {"the common constants", f.common_constants.size()};
        case Operand::SpecialMethod: return {"the special methods", f.special_methods.size()};
        default: return {"", 0};
    }
}

void check_index(const Table& table, std::uint32_t index, const Instruction& instruction) {
    if (index >= table.size) {
        throw Error(instruction.offset, "expected an index below " + std::to_string(table.size) + " into " +
                                            table.name + ", found " + std::to_string(index) + " in " +
                                            std::string(op_name(instruction.op)));
    }
}

}  // namespace

void check_operand(const CodeObject& code, const OpcodeMeaning& meaning, const Instruction& instruction) {
    const Table table = table_of(code, meaning.operand);
    if (*table.name == '\0') {
        return;
    }
    if (meaning.operand == Operand::Compare) {
        check_index(table, instruction.arg >> features(code.version).compare_shift, instruction);
        return;
    }
    check_index(table, operand_index(meaning.operand, instruction.arg), instruction);
    if (meaning.operand == Operand::LocalsPlusPair) {
        check_index(table, instruction.arg & 15, instruction);
    }
}

const std::string& free_name(const CodeObject& code, std::uint32_t index) {
    return index < code.cellvars.size() ? code.cellvars[index] : code.freevars[index - code.cellvars.size()];
}

}  // namespace depyf
