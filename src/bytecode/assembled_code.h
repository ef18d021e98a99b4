// One code object while the assembler reads its lines. Private to the assembler.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bytecode/code_object.h"
#include "bytecode/encoder.h"
#include "bytecode/literal_parser.h"

namespace depyf {

class AssembledCode {
  public:
    AssembledCode(Version version, std::string name);

    // All throw Error (-1) with what was expected.
    void directive(std::string_view word, std::string_view rest);
    void label(std::string_view name);
    void instruction(std::string_view opname, std::string_view operand);
    void add_nested(std::shared_ptr<const CodeObject> code) { nested_.push_back(std::move(code)); }
    std::shared_ptr<const CodeObject> finish();

  private:
    struct PendingJump {
        std::size_t instruction;
        std::string label;
    };
    struct PendingException {
        std::string start, end, target;
        std::uint32_t depth;
        bool lasti;
    };

    bool add_text(std::string_view word, std::string_view rest);
    bool add_number(std::string_view word, std::string_view rest);
    bool add_variable(std::string_view word, std::string_view rest);
    void add_exception(std::string_view rest);
    std::uint32_t resolve(Op op, std::string_view operand);
    std::uint32_t name_operand(std::string_view operand, unsigned shift);
    std::uint32_t variable_index(std::string_view name, Op op) const;
    std::uint32_t compare_operand(std::string_view operand) const;
    std::uint32_t const_index(std::string_view literal);
    std::uint32_t name_index(std::string_view name);
    std::size_t label_position(const std::string& name) const;
    Constant literal(std::string_view text) const;
    void fill_localsplus();

    std::shared_ptr<CodeObject> code_;
    std::string vararg_, varkw_;
    std::vector<std::string> locals_;  // .local: behind all parameters
    bool flags_given_ = false;
    std::int32_t line_ = 1;
    std::vector<UnplacedInstruction> instructions_;
    std::map<std::string, std::size_t, std::less<>> labels_;
    std::vector<PendingJump> jumps_;
    std::vector<PendingException> exceptions_;
    std::vector<std::shared_ptr<const CodeObject>> nested_;
};

}  // namespace depyf
