// await, yield from and async for: the loops that the compiler writes for them become one instruction each.
// Source: compiler_add_yield_from, compiler_async_for in CPython Python/compile.c (codegen.c from 3.14).
#include "base/error.h"
#include "lift/lift.h"

namespace depyf::lifting {

using ir::Inst;
using ir::Op;

namespace {

struct Graph {
    ir::Function& function;
    Inst& at(std::int32_t i) { return function.insts[static_cast<std::size_t>(i)]; }
    bool is(std::int32_t i, Op op) { return i >= 0 && at(i).op == op; }
};

// The instruction behind the suspension that starts at `i` with LOAD_CONST None, -1 where there is none.
//   up to 3.10:  LOAD_CONST None; YIELD_FROM
//   3.11+:       LOAD_CONST None; s: SEND e; YIELD_VALUE; RESUME; JUMP s; e: [END_SEND]
//   3.15:        PUSH_NULL in front, where GET_ITER has not pushed two values already
std::int32_t behind_suspension(Graph g, std::int32_t i) {
    if (g.function.features->iter_pushes_two && g.is(i, Op::PushNull)) i = g.at(i).next;
    if (!g.is(i, Op::Const) || g.at(i).value->kind != Constant::Kind::None) return -1;
    const std::int32_t s = g.at(i).next;
    if (g.is(s, Op::YieldFrom) && g.at(s).flag) return g.at(s).next;
    if (!g.is(s, Op::Send)) return -1;
    const std::int32_t e = g.at(s).target;
    return g.is(e, Op::EndSend) ? g.at(e).next : e;
}

}  // namespace

void fold_suspensions(ir::Function& function) {
    Graph g{function};
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(function.insts.size()); ++i) {
        const Op op = g.at(i).op;
        const bool push_two = op == Op::GetIter && g.at(i).flag;   // 3.15: `yield from` starts with GET_ITER too
        if (op != Op::GetAwaitable && op != Op::GetYieldFromIter && !push_two) continue;
        const std::int32_t after = behind_suspension(g, g.at(i).next);
        if (after < 0) continue;
        g.at(i).op = op == Op::GetAwaitable ? Op::Await : Op::YieldFrom;
        g.at(i).flag = false;
        g.at(i).next = after;
    }
}

void fold_async_for(ir::Function& function) {
    Graph g{function};
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(function.insts.size()); ++i) {
        if (!g.is(i, Op::GetAsyncNext)) continue;
        const std::int32_t after = behind_suspension(g, g.at(i).next);
        const std::int32_t handler = g.at(i).handler;
        if (after < 0 || handler < 0) continue;
        const ir::Handler& h = function.handlers[static_cast<std::size_t>(handler)];
        std::int32_t exhausted = -1;
        if (g.is(h.target, Op::EndAsyncFor)) {
            exhausted = g.at(h.target).next;
        } else {
            // 3.7: DUP_TOP; LOAD_GLOBAL StopAsyncIteration; COMPARE_OP; POP_JUMP_IF_TRUE e; END_FINALLY ...
            //      e: POP_TOP; POP_TOP; POP_TOP; POP_EXCEPT; POP_TOP
            std::int32_t k = h.target;
            while (k >= 0 && g.at(k).op != Op::Branch) k = g.at(k).next;
            if (k < 0) continue;
            k = g.at(k).target;
            for (int pops = 0; k >= 0 && pops < 5; ++pops) k = g.at(k).next;
            exhausted = k;
        }
        g.at(i).op = Op::AsyncForIter;
        g.at(i).target = exhausted;
        g.at(i).next = after;
        // the target's handler region ends with the item: storing it is not protected any more
        for (Inst& inst : function.insts) {
            if (inst.handler == handler) inst.handler = h.outer;
            if (inst.op == Op::SetupFinally && inst.count == static_cast<std::uint32_t>(handler)) inst.op = Op::Nop;
        }
        for (ir::Handler& other : function.handlers) {
            if (other.outer == handler) other.outer = h.outer;
        }
    }
}

}  // namespace depyf::lifting
