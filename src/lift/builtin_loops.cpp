// Source: maybe_optimize_function_call in CPython Python/codegen.c (3.14+).
#include "lift/lift.h"

namespace depyf::lifting {

using ir::Inst;
using ir::Op;

// f; COPY 1; LOAD_COMMON_CONSTANT any; IS_OP; POP_JUMP_IF_FALSE call; <loop>; call: ...  =>  f; call: ...
void drop_builtin_loops(ir::Function& function) {
    auto at = [&](std::int32_t i) -> Inst& { return function.insts[static_cast<std::size_t>(i)]; };
    for (Inst& copy : function.insts) {
        if (copy.op != Op::Copy || copy.count != 1 || copy.next < 0 || at(copy.next).op != Op::CommonConst) continue;
        const std::int32_t is = at(copy.next).next;
        if (is < 0 || at(is).op != Op::Compare || at(is).count != static_cast<std::uint32_t>(ast::CompareOperator::Is))
            continue;
        const std::int32_t branch = at(is).next;
        if (branch < 0 || at(branch).op != Op::Branch ||
            at(branch).count != static_cast<std::uint32_t>(ir::Condition::False))
            continue;
        copy.op = Op::Nop;
        copy.next = at(branch).target;
    }
}

}  // namespace depyf::lifting
