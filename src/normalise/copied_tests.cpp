#include "normalise/normalise.h"

namespace depyf::normalising {

using ir::Inst;
using ir::Op;

// COPY 1; POP_JUMP_IF_x  =>  KeepBranch, where one of the two ways starts with POP_TOP (which is skipped)
void fold_copied_tests(ir::Function& function) {
    auto at = [&](std::int32_t i) -> Inst& { return function.insts[static_cast<std::size_t>(i)]; };
    std::vector<std::int32_t> ways_in(function.insts.size(), 0);
    for (const Inst& inst : function.insts) {
        for (std::int32_t to : {inst.next, inst.target}) {
            if (to >= 0) ++ways_in[static_cast<std::size_t>(to)];
        }
    }
    // POP_TOP behind such a test that falls through: it drops what was tested
    std::vector<bool> drops_tested(function.insts.size(), false);
    for (const Inst& copy : function.insts) {
        if (copy.op != Op::Copy || copy.count != 1 || copy.next < 0 || at(copy.next).op != Op::Branch) continue;
        const std::int32_t behind = at(copy.next).next;
        if (at(behind).op == Op::Pop) drops_tested[static_cast<std::size_t>(behind)] = true;
    }
    for (Inst& copy : function.insts) {
        if (copy.op != Op::Copy || copy.count != 1 || copy.next < 0) continue;
        Inst& branch = at(copy.next);
        if (branch.op != Op::Branch || branch.count > static_cast<std::uint32_t>(ir::Condition::True)) continue;
        if (ways_in[static_cast<std::size_t>(copy.next)] != 1) continue;
        const bool next_drops = at(branch.next).op == Op::Pop, target_drops = at(branch.target).op == Op::Pop;
        if (!next_drops && !target_drops) continue;
        if (next_drops && target_drops && drops_tested[static_cast<std::size_t>(branch.target)]) {
            // (a or b) and c: the jump goes straight to where `and` drops what it tested
            branch.next = at(branch.next).next;
            branch.target = at(branch.target).next;
        } else if (next_drops) {   // `a and b` as a statement drops both, each for itself
            branch.op = Op::KeepBranch;
            branch.next = at(branch.next).next;
        } else {   // kept where it falls through: exchange the ways
            branch.op = Op::KeepBranch;
            const std::int32_t kept = branch.next;
            branch.next = at(branch.target).next;
            branch.target = kept;
            branch.count = 1 - branch.count;
        }
        copy.op = Op::Nop;
    }
    thread_jumps(function);
}

}  // namespace depyf::normalising
