// Source: CPython Lib/dis.py (_unpack_opargs, jump targets) and Python/ceval.c of each version.
#include <algorithm>

#include "base/error.h"
#include "bytecode/features.h"
#include "bytecode/instruction.h"
#include "bytecode/line_table.h"
#include "bytecode/operand.h"

namespace depyf {

namespace {

class Decoder {
  public:
    explicit Decoder(const CodeObject& code)
        : code_(code), features_(features(code.version)), bytes_(opcode_bytes(code.version)) {}

    std::vector<Instruction> run() {
        instructions_.reserve(code_.code.size() / 2);
        while (position_ < code_.code.size()) {
            decode_one();
        }
        check_targets();
        add_locations();
        return std::move(instructions_);
    }

  private:
    std::uint8_t byte_at(std::uint32_t position) const { return static_cast<std::uint8_t>(code_.code[position]); }

    void decode_one() {
        Instruction instruction{};
        instruction.start = position_;
        std::uint32_t arg = 0;
        OpcodeByte opcode = unit(arg);
        while (opcode.op == Op::EXTENDED_ARG) {
            opcode = unit(arg);
        }
        instruction.offset = position_ - 2;
        instruction.op = opcode.op;
        // An EXTENDED_ARG before an opcode without operand has no effect.
        instruction.arg = opcode.has_arg ? arg : 0;
        skip_caches(opcode, instruction.offset);
        instruction.end = position_;
        const OpcodeMeaning& meaning = opcode_meaning(code_.version, opcode.op);
        if (is_jump(meaning.operand)) {
            instruction.target = jump_target(meaning.operand, instruction);
        }
        check_operand(code_, meaning, instruction);
        instructions_.push_back(instruction);
    }

    // Reads one unit of two bytes and shifts its operand into `arg`.
    OpcodeByte unit(std::uint32_t& arg) {
        if (position_ + 2 > code_.code.size()) {
            throw Error(position_, "expected an instruction of two bytes, found the end of the code");
        }
        const std::uint8_t byte = byte_at(position_);
        const OpcodeByte opcode = bytes_[byte];
        if (opcode.op == Op::UNKNOWN || opcode.op == Op::CACHE) {
            throw Error(position_, "expected an opcode of Python " + code_.version.text() + ", found " +
                                       (opcode.op == Op::CACHE ? "an inline cache" : "byte " + std::to_string(byte)));
        }
        arg = (arg << 8) | byte_at(position_ + 1);  // more than 32 bits overflow, as in the interpreter
        position_ += 2;
        return opcode;
    }

    void skip_caches(const OpcodeByte& opcode, std::uint32_t offset) {
        const std::uint32_t size = 2u * opcode.caches;
        if (code_.code.size() - position_ < size) {
            throw Error(offset, "expected " + std::to_string(size) + " bytes of inline cache behind " +
                                    std::string(op_name(opcode.op)) + ", found the end of the code");
        }
        position_ += size;
    }

    std::int32_t jump_target(Operand operand, const Instruction& instruction) const {
        const std::int64_t distance = std::int64_t{instruction.arg} * features_.jump_unit;
        std::int64_t target = instruction.end;
        switch (operand) {
            case Operand::JumpAbsolute: target = distance; break;
            case Operand::JumpBackward: target -= distance; break;
            default: target += distance; break;
        }
        if (target < 0 || target >= static_cast<std::int64_t>(code_.code.size())) {
            throw Error(instruction.offset, "expected a jump into the " + std::to_string(code_.code.size()) +
                                                " bytes of code, found one to " + std::to_string(target));
        }
        return static_cast<std::int32_t>(target);
    }

    // A jump must lead to where an instruction starts, its EXTENDED_ARG prefixes included.
    void check_targets() const {
        std::vector<bool> begins(code_.code.size(), false);
        for (const Instruction& instruction : instructions_) {
            begins[instruction.start] = true;
        }
        for (const Instruction& instruction : instructions_) {
            if (instruction.target >= 0 && !begins[static_cast<std::size_t>(instruction.target)]) {
                throw Error(instruction.offset, "expected a jump to the start of an instruction, found one to " +
                                                    std::to_string(instruction.target));
            }
        }
    }

    void add_locations() {
        const std::vector<LineRange> ranges = line_ranges(code_);
        auto range = ranges.begin();
        for (Instruction& instruction : instructions_) {
            while (range != ranges.end() && range->end <= instruction.offset) {
                ++range;
            }
            if (range != ranges.end() && range->start <= instruction.offset) {
                instruction.location = range->location;
            }
        }
    }

    const CodeObject& code_;
    const Features& features_;
    const std::array<OpcodeByte, 256>& bytes_;
    std::uint32_t position_ = 0;
    std::vector<Instruction> instructions_;
};

}  // namespace

std::vector<Instruction> decode(const CodeObject& code) {
    if (!code.damage.empty()) {
        throw Error(-1, code.damage + " (at byte " + std::to_string(code.damage_offset) + " of the file)");
    }
    return Decoder(code).run();
}

}  // namespace depyf
