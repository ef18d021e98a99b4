// Two shapes of 3.8 only: the with exits on the way of a jump, and finally bodies that return, break or continue themselves.
// For the latter the compiler puts a None under everything in the statement (so that the value of a `return` that comes
// through has a place) and pops it on every way out.
// Source: CPython 3.8 Python/compile.c, compiler_unwind_fblock, compiler_try_finally (break_finally).
#include "lift/lift.h"

namespace depyf::lifting {

using ir::Inst;
using ir::Op;

namespace {

class Placeholder {
  public:
    Placeholder(ir::Function& function, std::int32_t setup) : function_(function), depth_(function.insts.size(), -1) {
        reach(at(setup).next, 0);
        reach(at(setup).target, function.features->exc_info_items);
        while (!todo_.empty()) {
            const std::int32_t i = todo_.back();
            todo_.pop_back();
            step(i);
        }
    }

    // Whether something pops it. Afterwards nothing does.
    bool remove() {
        for (std::int32_t i : pops_) at(i).op = Op::Nop;
        return !pops_.empty();
    }

  private:
    Inst& at(std::int32_t i) { return function_.insts[static_cast<std::size_t>(i)]; }

    // `depth`: items above the placeholder.
    void reach(std::int32_t i, std::int32_t depth) {
        if (i < 0 || depth < 0 || depth_[static_cast<std::size_t>(i)] >= 0) return;
        depth_[static_cast<std::size_t>(i)] = depth;
        todo_.push_back(i);
    }

    void step(std::int32_t i) {
        const Inst& in = at(i);
        const std::int32_t depth = depth_[static_cast<std::size_t>(i)];
        if (in.op == Op::Pop && depth == 0) {
            pops_.push_back(i);
            return;
        }
        if (in.op == Op::Swap && in.count == 2 && depth == 1 && at(in.next).op == Op::Pop) {
            pops_.push_back(i);
            pops_.push_back(in.next);
            return;
        }
        if (in.op == Op::SetupFinally) {
            reach(in.target, depth + function_.features->exc_info_items - static_cast<std::int32_t>(in.count));
        } else if (in.op != Op::CallFinally) {
            reach(in.target, depth + stack_effect(function_, in, true));
        }
        if (in.op != Op::BeginFinally) reach(in.next, depth + stack_effect(function_, in, false));
    }

    ir::Function& function_;
    std::vector<std::int32_t> depth_;
    std::vector<std::int32_t> todo_;
    std::vector<std::int32_t> pops_;
};

}  // namespace

// 3.8, return inside with: BEGIN_FINALLY; WITH_CLEANUP_START; [await]; WITH_CLEANUP_FINISH; POP_FINALLY 0  =>  Pop
void fold_inline_with_exits(ir::Function& function) {
    auto at = [&](std::int32_t i) -> Inst& { return function.insts[static_cast<std::size_t>(i)]; };
    for (Inst& in : function.insts) {
        if (in.op != Op::BeginFinally || at(in.next).op != Op::WithCleanupStart) continue;
        std::int32_t i = at(in.next).next;
        if (at(i).op == Op::Await) i = at(i).next;
        if (at(i).op != Op::WithCleanupFinish || at(i).next < 0 || at(at(i).next).op != Op::PopFinally) continue;
        in.op = Op::Pop;
        in.flag = true;  // on the way of a return, break or continue
        in.next = at(at(i).next).next;
    }
}

void drop_finally_placeholders(ir::Function& function) {
    for (Inst& in : function.insts) {
        if (in.op != Op::Const || in.value->kind != Constant::Kind::None || in.next < 0) continue;
        if (function.insts[static_cast<std::size_t>(in.next)].op != Op::SetupFinally) continue;
        if (Placeholder(function, in.next).remove()) in.op = Op::Nop;
    }
}

}  // namespace depyf::lifting
