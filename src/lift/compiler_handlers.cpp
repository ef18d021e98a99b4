// Handlers that no one wrote: what they protect is protected by the next outer handler instead.
#include <map>
#include <tuple>

#include "lift/lift.h"

namespace depyf::lifting {

using ir::Op;

namespace {

bool is_sequence(const ir::Function& function, std::int32_t i, std::initializer_list<Op> ops) {
    for (Op op : ops) {
        if (i < 0 || function.insts[static_cast<std::size_t>(i)].op != op) return false;
        i = function.insts[static_cast<std::size_t>(i)].next;
    }
    return true;
}

// SWAP 2; POP_TOP; SWAP n; STORE_FAST x ...; RERAISE: an inlined comprehension gives its variables back (3.12+).
bool restores_comprehension(const ir::Function& function, std::int32_t i) {
    if (!is_sequence(function, i, {Op::Swap, Op::Pop})) return false;
    for (; i >= 0; i = function.insts[static_cast<std::size_t>(i)].next) {
        switch (function.insts[static_cast<std::size_t>(i)].op) {
            case Op::Swap:
            case Op::Pop:
            case Op::StoreFast:
            case Op::PopIter: break;
            case Op::Reraise: return true;
            default: return false;
        }
    }
    return false;
}

bool is_compiler_handler(const ir::Function& function, std::int32_t entry) {
    const ir::Inst& first = function.insts[static_cast<std::size_t>(entry)];
    return is_sequence(function, entry, {Op::Copy, Op::PopExcept, Op::Reraise}) ||   // clean-up of an except handler
           (first.op == Op::Intrinsic1 && *first.name == "INTRINSIC_STOPITERATION_ERROR") ||
           first.op == Op::CleanupThrow || first.op == Op::EndAsyncFor || restores_comprehension(function, entry);
}

// The end of a finally body is copied like any small exit block; all copies stand under one clean-up handler.
void join_reraises(ir::Function& function) {
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::int32_t> first;  // by handler, line, depth
    std::vector<std::int32_t> replacement(function.insts.size(), -1);
    const std::vector<std::int32_t> depth = stack_depths(function);
    for (std::size_t i = 0; i < function.insts.size(); ++i) {
        const ir::Inst& inst = function.insts[i];
        if (inst.op != Op::Reraise || inst.count != 0 || inst.next >= 0 || inst.handler < 0) continue;
        if (inst.location.line == 0) continue;
        if (!is_sequence(function, function.handlers[static_cast<std::size_t>(inst.handler)].target,
                         {Op::Copy, Op::PopExcept, Op::Reraise}))
            continue;
        const auto key = std::make_tuple(inst.handler, inst.location.line, depth[i]);
        replacement[i] = first.try_emplace(key, static_cast<std::int32_t>(i)).first->second;
    }
    for (ir::Inst& inst : function.insts) {
        for (std::int32_t* edge : {&inst.next, &inst.target}) {
            if (*edge >= 0 && replacement[static_cast<std::size_t>(*edge)] >= 0)
                *edge = replacement[static_cast<std::size_t>(*edge)];
        }
    }
}

}  // namespace

void drop_compiler_handlers(ir::Function& function) {
    if (function.features->has_exception_table) join_reraises(function);
    std::vector<std::int32_t> replacement(function.handlers.size());
    for (std::size_t h = 0; h < function.handlers.size(); ++h) {
        replacement[h] = is_compiler_handler(function, function.handlers[h].target) ? function.handlers[h].outer
                                                                                    : static_cast<std::int32_t>(h);
    }
    auto resolve = [&](std::int32_t h) {
        std::size_t steps = 0;
        while (h >= 0 && replacement[static_cast<std::size_t>(h)] != h && steps++ < replacement.size()) {
            h = replacement[static_cast<std::size_t>(h)];
        }
        return h;
    };
    for (ir::Inst& inst : function.insts) inst.handler = resolve(inst.handler);
    for (ir::Handler& handler : function.handlers) handler.outer = resolve(handler.outer);
}

}  // namespace depyf::lifting
