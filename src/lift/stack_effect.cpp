// Stack effects of the IR. Source: stack_effect() in CPython Python/compile.c (3.7 - 3.12), Python/bytecodes.c (3.13+).
#include "base/error.h"
#include "lift/lift.h"

namespace depyf::lifting {

using ir::Op;

namespace {

struct Fixed {
    std::int32_t pops, pushes;
};

constexpr Fixed kFixed[] = {
#define INST(name, pops, pushes) {pops, pushes},
#include "ir/inst.def"
#undef INST
};

std::int32_t count_bits(std::uint32_t flags) {
    std::int32_t bits = 0;
    for (; flags; flags &= flags - 1) ++bits;
    return bits;
}

}  // namespace

std::int32_t stack_effect(const ir::Function& function, const ir::Inst& inst, bool jump) {
    const auto n = static_cast<std::int32_t>(inst.count);
    const Features& f = *function.features;
    const std::int32_t exc_items = f.exc_info_items;
    const std::int32_t iter_slots = f.iter_pushes_two ? 2 : 1;
    switch (inst.op) {
        case Op::Copy: return 1;
        case Op::Swap:
        case Op::Rotate:
        case Op::BeginFinally: return 0;
        case Op::BuildTuple:
        case Op::BuildList:
        case Op::BuildSet:
        case Op::BuildString:
        case Op::BuildSlice:
        case Op::BuildTupleUnpack:
        case Op::BuildListUnpack:
        case Op::BuildSetUnpack:
        case Op::BuildMapUnpack:
        case Op::BuildTupleUnpackWithCall:
        case Op::BuildMapUnpackWithCall: return 1 - n;
        case Op::BuildMap: return 1 - 2 * n;
        case Op::BuildConstKeyMap: return -n;
        case Op::ListAppend:
        case Op::ListExtend:
        case Op::SetAdd:
        case Op::SetUpdate:
        case Op::DictUpdate:
        case Op::DictMerge: return -1;
        case Op::MapAdd: return -2;
        case Op::FormatValue: return n & 4 ? -1 : 0;
        case Op::BuildInterpolation: return -1 - (n & 1);
        case Op::Call: return -n - (inst.flag ? 1 : 0);
        case Op::CallKeywords: return -n - 1 - (inst.flag ? 1 : 0);
        case Op::CallEx: return -1 - (n & 1) - (n & 2 ? 1 : 0);
        case Op::MakeFunction: return -count_bits(inst.count & 15) - (inst.flag ? 1 : 0);
        case Op::UnpackSequence: return n - 1;
        case Op::UnpackEx: return (n & 255) + (n >> 8);
        case Op::GetIter: return inst.flag ? 1 : 0;
        case Op::YieldFrom: return inst.flag ? -1 : 0;
        case Op::Send: return f.has_end_send || !jump ? 0 : -1;
        case Op::EndSend: return -1;
        case Op::EndFor: return f.end_for_pops_one ? -1 : -2;
        case Op::PopIter: return -iter_slots;
        case Op::KeepBranch: return jump ? 0 : -1;
        case Op::ForIter: return jump ? -iter_slots : 1;
        case Op::AsyncForIter: return jump ? -1 : 1;
        case Op::Raise: return -n;
        case Op::Reraise: return inst.next >= 0 ? -exc_items : 0;
        case Op::PopExcept: return exc_items > 1 ? -3 : -1;
        case Op::PopFinally:
        case Op::EndFinally: return -exc_items;
        case Op::SetupWith:
        case Op::BeforeAsyncWith: return n;
        case Op::WithCleanupStart: return 2;
        case Op::WithCleanupFinish: return -3;
        case Op::EndAsyncFor: return exc_items > 1 ? -7 : -2;
        case Op::MatchKeys: return f.exc_info_items > 1 ? 2 : 1;  // 3.10 pushes whether it matched as well
        case Op::MatchClass: return f.exc_info_items > 1 ? -1 : -2;
        case Op::MatchCase: return inst.flag ? -1 : 0;
        default: break;
    }
    const Fixed& fixed = kFixed[static_cast<std::size_t>(inst.op)];
    if (fixed.pops < 0 || fixed.pushes < 0)
        throw Error(inst.offset, std::string("no stack effect for ") + ir::op_name(inst.op));
    return fixed.pushes - fixed.pops;
}

std::vector<std::int32_t> stack_depths(const ir::Function& function) {
    std::vector<std::int32_t> depth(function.insts.size(), -1);
    std::vector<std::int32_t> todo;
    auto reach = [&](std::int32_t inst, std::int32_t d) {
        if (inst < 0 || depth[static_cast<std::size_t>(inst)] >= 0) return;
        depth[static_cast<std::size_t>(inst)] = d;
        todo.push_back(inst);
    };
    reach(function.entry, 0);
    while (!todo.empty()) {
        const std::int32_t i = todo.back();
        todo.pop_back();
        const ir::Inst& inst = function.insts[static_cast<std::size_t>(i)];
        const std::int32_t d = depth[static_cast<std::size_t>(i)];
        if (inst.next >= 0) {
            const std::int32_t after = d + stack_effect(function, inst, false);
            if (after < 0) throw Error(inst.offset, "the stack is empty");
            reach(inst.next, after);
        }
        if (inst.target >= 0) {
            const std::int32_t after = d + stack_effect(function, inst, true);
            if (after < 0) throw Error(inst.offset, "the stack is empty");
            reach(inst.target, after);
        }
        if (inst.handler >= 0) {
            const ir::Handler& h = function.handlers[static_cast<std::size_t>(inst.handler)];
            reach(h.target, static_cast<std::int32_t>(h.depth) + function.features->exc_info_items + (h.lasti ? 1 : 0));
        }
    }
    return depth;
}

}  // namespace depyf::lifting
