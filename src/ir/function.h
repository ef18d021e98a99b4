// A code object's instructions without the accents of its version. Instructions form a graph: `next` is where control
// goes on, `target` where a jump goes; both are indices into Function::insts, so passes can redirect edges freely and
// leave what is no longer reachable where it stands. The vector's order is the layout of the original code.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/operators.h"
#include "bytecode/code_object.h"
#include "bytecode/features.h"
#include "bytecode/instruction.h"
#include "ir/pattern.h"

namespace depyf::ir {

enum class Op : std::uint8_t {
#define INST(name, pops, pushes) name,
#include "ir/inst.def"
#undef INST
};

enum class Condition : std::uint32_t { False, True, None, NotNone };

struct Inst {
    Op op = Op::Nop;
    bool flag = false;
    std::uint32_t count = 0;
    std::int32_t target = -1;   // instruction index
    std::int32_t next = -1;     // instruction index; -1 where control does not go on
    std::int32_t handler = -1;  // index into Function::handlers
    std::uint32_t offset = 0;   // byte offset in co_code
    const std::string* name = nullptr;
    const Constant* value = nullptr;
    Location location;
};

// What happens to an exception raised by an instruction: the stack is cut to `depth`, the exception pushed, control
// goes to `target`. `outer` protects the instructions around the protected region.
struct Handler {
    std::int32_t target = -1;
    std::uint32_t depth = 0;
    bool lasti = false;
    std::int32_t outer = -1;
};

struct Function {
    const CodeObject* code = nullptr;
    const Features* features = nullptr;
    std::vector<Inst> insts;
    std::vector<Handler> handlers;
    std::vector<Pattern> patterns;   // of MatchCase instructions
    std::int32_t entry = 0;
    std::shared_ptr<std::deque<std::string>> own_names;   // of variables that are not the code object's

    // In the original layout `second` comes right behind `first`, no jump between them.
    bool adjacent(std::int32_t first, std::int32_t second) const;
    bool protected_by(std::int32_t inst, std::int32_t handler) const;   // directly or through outer handlers
};

const char* op_name(Op op);
bool ends(Op op);                       // control never goes on to `next`
std::string dump(const Function& function);  // one line an instruction, for people and tests

}  // namespace depyf::ir
