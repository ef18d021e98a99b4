#include <algorithm>

#include "base/error.h"
#include "express/block.h"

namespace depyf {

namespace {

bool ends_block(ir::Op op) {
    switch (op) {
        case ir::Op::Branch:
        case ir::Op::KeepBranch:
        case ir::Op::ForIter:
        case ir::Op::AsyncForIter:
        case ir::Op::Return:
        case ir::Op::Raise:
        case ir::Op::Reraise:
        case ir::Op::EndBody:
        case ir::Op::EndFinally:
        case ir::Op::PopFinally:
        case ir::Op::SetupLoop:
        case ir::Op::BreakLoop:
        case ir::Op::Jump:
        case ir::Op::SetupFinally:
        case ir::Op::Send:
        case ir::Op::MatchCase:
        case ir::Op::PopExcept: return true;
        default: return false;
    }
}

class BlockMaker {
  public:
    explicit BlockMaker(const ir::Function& function)
        : function_(function), block_of_(function.insts.size(), -1), preds_(function.insts.size(), 0) {
        graph_.function = &function;
    }

    FlowGraph run() {
        count_predecessors();
        graph_.entry = block_at(function_.entry);
        for (std::size_t b = 0; b < graph_.blocks.size(); ++b)
            fill(static_cast<std::int32_t>(b));   // grows while it runs
        for (std::int32_t b = 0; b < static_cast<std::int32_t>(graph_.blocks.size()); ++b) {
            for (std::int32_t s : {graph_[b].next, graph_[b].target}) {
                if (s >= 0) graph_[s].preds.push_back(b);
            }
        }
        reverse_postorder();
        return std::move(graph_);
    }

  private:
    const ir::Inst& at(std::int32_t i) const { return function_.insts[static_cast<std::size_t>(i)]; }

    std::int32_t handler_target(const ir::Inst& setup) const { return function_.handlers[setup.count].target; }

    void count_predecessors() {
        std::vector<std::int32_t> todo;
        auto edge = [&](std::int32_t to) {
            if (to >= 0 && preds_[static_cast<std::size_t>(to)]++ == 0) todo.push_back(to);
        };
        edge(function_.entry);
        preds_[static_cast<std::size_t>(function_.entry)]++;   // the entry always starts a block
        while (!todo.empty()) {
            const ir::Inst& inst = at(todo.back());
            todo.pop_back();
            edge(inst.next);
            edge(inst.target);
            if (inst.op == ir::Op::SetupFinally) edge(handler_target(inst));
        }
    }

    // Outside of functions nothing returns but the end: it is a block, which control can be said to come to.
    bool ends_module(std::int32_t i) const {
        return !(function_.code->flags & kOptimized) && at(i).op == ir::Op::Const && at(i).next >= 0 &&
               at(at(i).next).op == ir::Op::Return && at(at(i).next).flag;
    }

    std::int32_t block_at(std::int32_t inst) {
        if (inst < 0) return -1;
        std::int32_t& b = block_of_[static_cast<std::size_t>(inst)];
        if (b < 0) {
            b = static_cast<std::int32_t>(graph_.blocks.size());
            graph_.blocks.emplace_back();
            graph_.blocks.back().insts.push_back(inst);
            graph_.blocks.back().handler = at(inst).handler;
            graph_.blocks.back().offset = at(inst).offset;
        }
        return b;
    }

    void fill(std::int32_t b) {
        std::int32_t i = graph_[b].insts.front();
        while (true) {
            const ir::Inst& inst = at(i);
            const std::int32_t n = inst.next;
            const bool stop = ends_block(inst.op) || n < 0 || preds_[static_cast<std::size_t>(n)] > 1 ||
                              at(n).handler != inst.handler || at(n).op == ir::Op::ForIter ||
                              at(n).op == ir::Op::AsyncForIter || at(n).op == ir::Op::SetupFinally ||
                              at(n).op == ir::Op::LoopEnd || ends_module(n) || !function_.adjacent(i, n);
            if (stop) break;
            graph_[b].insts.push_back(n);
            i = n;
        }
        const ir::Inst& last = at(i);
        const bool jumps = last.op == ir::Op::Jump || last.op == ir::Op::ContinueLoop;
        const std::int32_t next = jumps ? last.target : last.next;
        std::int32_t target = jumps ? -1 : last.target;
        if (last.op == ir::Op::SetupFinally) target = handler_target(last);
        const bool needs_both = last.op == ir::Op::Branch || last.op == ir::Op::KeepBranch ||
                                last.op == ir::Op::ForIter || last.op == ir::Op::AsyncForIter;
        if (needs_both && (next < 0 || target < 0)) throw Error(last.offset, "a branch that leads nowhere");
        const std::int32_t next_block = block_at(next);
        const std::int32_t target_block = block_at(target);
        graph_[b].next = next_block;
        graph_[b].target = target_block;
        graph_[b].location = last.location;
    }

    // Successors by `target` are visited first, so that what falls through comes first in the order and a loop's body
    // before what follows the loop.
    void reverse_postorder() {
        std::vector<std::uint8_t> state(graph_.blocks.size(), 0);
        std::vector<std::int32_t> stack{graph_.entry};
        std::vector<std::int32_t> postorder;
        while (!stack.empty()) {
            const std::int32_t b = stack.back();
            std::uint8_t& s = state[static_cast<std::size_t>(b)];
            const std::int32_t succ = s == 0 ? graph_[b].target : s == 1 ? graph_[b].next : -1;
            if (s == 2) {
                postorder.push_back(b);
                s = 3;
                stack.pop_back();
                continue;
            }
            if (s == 3) {
                stack.pop_back();
                continue;
            }
            ++s;
            if (succ >= 0 && state[static_cast<std::size_t>(succ)] == 0) stack.push_back(succ);
        }
        graph_.order.assign(postorder.rbegin(), postorder.rend());
    }

    const ir::Function& function_;
    FlowGraph graph_;
    std::vector<std::int32_t> block_of_;
    std::vector<std::int32_t> preds_;
};

}  // namespace

FlowGraph make_blocks(const ir::Function& function) {
    return BlockMaker(function).run();
}

}  // namespace depyf
