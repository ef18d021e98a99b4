// Decodes every code object of .pyc files, encodes the instructions again and decodes the result: instructions, jumps,
// lines and exception table must be what they were. Prints one line of counts.
//
//   reencode a.pyc b.pyc ...
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "bytecode/disassembler.h"
#include "bytecode/encoder.h"
#include "bytecode/pyc_reader.h"

namespace {

using Index = std::unordered_map<std::int64_t, std::size_t>;  // start of an instruction -> its number

struct Unplaced {
    std::vector<depyf::UnplacedInstruction> instructions;
    std::vector<depyf::UnplacedException> exceptions;
};

Unplaced unplaced(const depyf::CodeObject& code) {
    const auto decoded = depyf::decode(code);
    Index index{{static_cast<std::int64_t>(code.code.size()), decoded.size()}};
    for (std::size_t i = 0; i < decoded.size(); ++i) index[decoded[i].start] = i;
    Unplaced result;
    for (const depyf::Instruction& instruction : decoded) {
        const std::int64_t target =
            instruction.target < 0 ? -1 : static_cast<std::int64_t>(index.at(instruction.target));
        result.instructions.push_back({instruction.op, instruction.arg, target, instruction.location.line});
    }
    for (const depyf::ExceptionEntry& entry : depyf::decode_exception_table(code)) {
        result.exceptions.push_back(
            {index.at(entry.start), index.at(entry.end), index.at(entry.target), entry.depth, entry.lasti});
    }
    return result;
}

bool same(const Unplaced& a, const Unplaced& b) {
    bool equal = a.instructions.size() == b.instructions.size() && a.exceptions.size() == b.exceptions.size();
    for (std::size_t i = 0; equal && i < a.instructions.size(); ++i) {
        const auto &x = a.instructions[i], &y = b.instructions[i];
        // The operand of a jump follows from its target; sizes may differ where the compiler left a needless prefix.
        equal = x.op == y.op && x.target == y.target && (x.target >= 0 || x.arg == y.arg) && x.line == y.line;
    }
    for (std::size_t i = 0; equal && i < a.exceptions.size(); ++i) {
        const auto &x = a.exceptions[i], &y = b.exceptions[i];
        equal = x.start == y.start && x.end == y.end && x.target == y.target;
        equal = equal && x.depth == y.depth && x.lasti == y.lasti;
    }
    return equal;
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t codes = 0, agreeing = 0, same_bytes = 0;
    for (int i = 1; i < argc; ++i) {
        std::ifstream in(argv[i], std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), {}};
        const auto root = depyf::read_pyc(depyf::as_bytes(bytes)).code;
        for (const depyf::CodeObject* code : depyf::nested_code_objects(*root)) {
            const Unplaced before = unplaced(*code);
            depyf::CodeObject again = *code;
            depyf::encode(before.instructions, before.exceptions, again);
            ++codes;
            const bool agrees = same(before, unplaced(again));
            agreeing += agrees;
            same_bytes += again.code == code->code;
            if (!agrees) std::printf("%s: %s differs\n", argv[i], code->name.c_str());
        }
    }
    std::printf("%zu of %zu code objects agree, %zu with the same bytes\n", agreeing, codes, same_bytes);
    return agreeing == codes ? 0 : 1;
}
