// One decoded instruction -> its IR instructions; the part of lifting that looks at opcodes.
#pragma once

#include <span>
#include <vector>

#include "ir/function.h"

namespace depyf::lifting {

// Appends the IR of instructions[index ...] to function.insts and returns how many were taken: more than one where a
// fixed sequence is one operation (`with` of 3.14+). Jump targets are left as byte offsets in Inst::target.
class Translator {
  public:
    Translator(ir::Function& function, std::span<const Instruction> instructions);
    std::size_t translate(std::size_t index);

  private:
    ir::Inst& emit(ir::Op op, std::uint32_t count = 0);
    std::size_t fixed_sequence(std::size_t index);
    bool matches(std::size_t index, std::initializer_list<Op> ops) const;
    void single(const Instruction& instruction);
    bool names_and_constants(const Instruction& instruction);
    bool operators(const Instruction& instruction);
    bool displays(const Instruction& instruction);
    bool calls(const Instruction& instruction);
    bool jumps(const Instruction& instruction);
    bool exceptions(const Instruction& instruction);
    bool is_tested() const;
    void load_local(std::uint32_t index, bool clear);
    void binary(std::string_view name, bool inplace);
    void compare(std::string_view name);

    ir::Function& function_;
    const CodeObject& code_;
    std::span<const Instruction> instructions_;
    const Instruction* current_ = nullptr;
    const Constant* keyword_names_ = nullptr;   // KW_NAMES waits for its CALL
};

}  // namespace depyf::lifting
