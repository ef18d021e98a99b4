#include "bytecode/disassembler.h"

#include <iomanip>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "bytecode/features.h"
#include "bytecode/operand_text.h"

namespace depyf {

namespace {

constexpr std::size_t kConstantLimit = 200;  // bytes of a constant that a listing shows

// The flag bits beside a name, as `dis` of 3.13+ writes them.
std::string name_flags(const Instruction& instruction, Operand operand) {
    if (operand != Operand::NameFlag1 && operand != Operand::NameFlag2) {
        return "";
    }
    const bool low = (instruction.arg & 1) != 0;
    if (instruction.op == Op::IMPORT_NAME) {
        return low ? " + lazy" : (instruction.arg & 2) != 0 ? " + eager" : "";
    }
    if (!low) {
        return "";
    }
    return instruction.op == Op::LOAD_GLOBAL ? " + NULL" : " + NULL|self";
}

std::string listed_operand(const CodeObject& code, const Instruction& instruction, Operand operand) {
    if (operand == Operand::Const) {
        return constant_text(code.consts[instruction.arg], kConstantLimit);
    }
    if (instruction.target >= 0) {
        return "to " + std::to_string(instruction.target);
    }
    if (operand == Operand::SourceBackward) {
        return "from " + std::to_string(std::int64_t{instruction.end} -
                                        std::int64_t{instruction.arg} * features(code.version).jump_unit);
    }
    const std::string text = operand_text(code, instruction);
    const bool asks_for_bool =
        operand == Operand::Compare && (instruction.arg & features(code.version).compare_bool_bit) != 0;
    return asks_for_bool ? "bool(" + text + ")" : text + name_flags(instruction, operand);
}

void print_instruction(std::ostream& out, const ListedInstruction& listed) {
    const std::string line = listed.starts_line ? std::to_string(listed.instruction.location.line) : "";
    out << std::setw(5) << line << (listed.is_target ? "  >> " : "     ") << std::setw(5) << listed.instruction.offset
        << ' ';
    if (!listed.has_arg) {
        out << listed.opname << '\n';
        return;
    }
    out << std::left << std::setw(26) << listed.opname << std::right << std::setw(5) << listed.instruction.arg;
    if (!listed.operand.empty()) {
        out << " (" << listed.operand << ')';
    }
    out << '\n';
}

void print_exceptions(std::ostream& out, const std::vector<ExceptionEntry>& entries) {
    if (entries.empty()) {
        return;
    }
    out << "ExceptionTable:\n";
    for (const ExceptionEntry& entry : entries) {
        out << "  " << entry.start << " to " << entry.end << " -> " << entry.target << " [" << entry.depth << ']'
            << (entry.lasti ? " lasti" : "") << '\n';
    }
}

void print_code(std::ostream& out, const CodeObject& code) {
    out << "Disassembly of " << (code.qualname.empty() ? code.name : code.qualname) << " (Python "
        << code.version.text() << ", line " << code.firstlineno << "):\n";
    try {
        const Listing listing = list_instructions(code);
        for (const ListedInstruction& listed : listing.instructions) {
            print_instruction(out, listed);
        }
        print_exceptions(out, listing.exceptions);
    } catch (const Error& error) {
        out << "  cannot be decoded at offset " << error.offset() << ": " << error.what() << '\n';
    }
}

}  // namespace

Listing list_instructions(const CodeObject& code) {
    Listing listing;
    listing.qualname = code.qualname.empty() ? code.name : code.qualname;
    listing.firstlineno = code.firstlineno;
    listing.exceptions = decode_exception_table(code);
    std::vector<Instruction> instructions = decode(code);
    std::unordered_set<std::int64_t> targets;
    for (const Instruction& instruction : instructions) {
        if (instruction.target >= 0) targets.insert(instruction.target);
    }
    for (const ExceptionEntry& entry : listing.exceptions) {
        targets.insert(entry.target);
    }
    std::int32_t line = 0;
    listing.instructions.reserve(instructions.size());
    for (const Instruction& instruction : instructions) {
        ListedInstruction& listed = listing.instructions.emplace_back();
        listed.instruction = instruction;
        listed.opname = op_name(instruction.op);
        const OpcodeMeaning& meaning = opcode_meaning(code.version, instruction.op);
        listed.has_arg = opcode_bytes(code.version)[opcode_value(code.version, instruction.op)].has_arg;
        listed.operand = listed_operand(code, instruction, meaning.operand);
        listed.is_target = targets.contains(instruction.start);
        listed.starts_line = instruction.location.line != 0 && instruction.location.line != line;
        line = listed.starts_line ? instruction.location.line : line;
    }
    return listing;
}

std::string disassemble(const CodeObject& code) {
    std::ostringstream out;
    bool first = true;
    for (const CodeObject* nested : nested_code_objects(code)) {
        out << (std::exchange(first, false) ? "" : "\n");
        print_code(out, *nested);
    }
    return out.str();
}

std::vector<const CodeObject*> nested_code_objects(const CodeObject& code, std::size_t max_depth) {
    std::vector<const CodeObject*> found;
    std::vector<std::pair<const CodeObject*, std::size_t>> waiting{{&code, 0}};
    std::unordered_set<const CodeObject*> seen;
    while (!waiting.empty()) {
        const auto [current, depth] = waiting.back();
        waiting.pop_back();
        if (depth > max_depth || !seen.insert(current).second) {
            continue;
        }
        found.push_back(current);
        for (auto constant = current->consts.rbegin(); constant != current->consts.rend(); ++constant) {
            if (constant->kind == Constant::Kind::Code) {
                waiting.emplace_back(constant->code.get(), depth + 1);
            }
        }
    }
    return found;
}

}  // namespace depyf
