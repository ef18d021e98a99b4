#include "ir/function.h"

namespace depyf::ir {

const char* op_name(Op op) {
    static constexpr const char* kNames[] = {
#define INST(name, pops, pushes) #name,
#include "ir/inst.def"
#undef INST
    };
    return kNames[static_cast<std::size_t>(op)];
}

bool ends(Op op) {
    return op == Op::Return || op == Op::Raise || op == Op::Reraise || op == Op::EndBody || op == Op::Jump ||
           op == Op::BreakLoop || op == Op::ContinueLoop;
}

bool Function::protected_by(std::int32_t inst, std::int32_t handler) const {
    for (std::int32_t h = insts[static_cast<std::size_t>(inst)].handler; h >= 0;
         h = handlers[static_cast<std::size_t>(h)].outer) {
        if (h == handler) return true;
    }
    return false;
}

bool Function::adjacent(std::int32_t first, std::int32_t second) const {
    std::int32_t i = first + 1;
    while (i < second &&
           (insts[static_cast<std::size_t>(i)].op == Op::Nop || insts[static_cast<std::size_t>(i)].op == Op::PopBlock))
        ++i;
    return i == second || insts[static_cast<std::size_t>(first)].op == Op::SetupFinally ||
           insts[static_cast<std::size_t>(second)].op == Op::SetupFinally;
}

std::string dump(const Function& function) {
    std::string text;
    for (std::size_t i = 0; i < function.insts.size(); ++i) {
        const Inst& inst = function.insts[i];
        text += std::to_string(i) + " @" + std::to_string(inst.offset) + " L" + std::to_string(inst.location.line) +
                " " + op_name(inst.op) + " " + std::to_string(inst.count);
        if (inst.name) text += " '" + *inst.name + "'";
        if (inst.target >= 0) text += " target=" + std::to_string(inst.target);
        if (inst.next != static_cast<std::int32_t>(i) + 1) text += " next=" + std::to_string(inst.next);
        if (inst.handler >= 0) text += " handler=" + std::to_string(inst.handler);
        text += "\n";
    }
    for (std::size_t h = 0; h < function.handlers.size(); ++h) {
        const Handler& handler = function.handlers[h];
        text += "handler " + std::to_string(h) + " target=" + std::to_string(handler.target) +
                " depth=" + std::to_string(handler.depth) + " outer=" + std::to_string(handler.outer) + "\n";
    }
    return text;
}

}  // namespace depyf::ir
