#include <algorithm>

#include "untangle/state.h"

namespace depyf::untangling {

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
        case ir::Op::Jump:
        case ir::Op::SetupFinally: return true;
        default: return false;
    }
}

class Splitter {
  public:
    explicit Splitter(const ir::Function& function) : function_(function), preds_(function.insts.size(), 0) {
        graph_.block_of.assign(function.insts.size(), -1);
    }

    Graph run() {
        count_predecessors();
        graph_.entry = block_at(function_.entry);
        for (std::size_t b = 0; b < graph_.blocks.size(); ++b)
            fill(static_cast<std::int32_t>(b));   // grows while it runs
        for (std::int32_t b = 0; b < static_cast<std::int32_t>(graph_.blocks.size()); ++b) {
            for (std::int32_t s : {graph_[b].next, graph_[b].target}) {
                if (s >= 0) graph_[s].preds.push_back(b);
            }
        }
        postorder();
        return std::move(graph_);
    }

  private:
    const ir::Inst& at(std::int32_t i) const { return function_.insts[static_cast<std::size_t>(i)]; }

    void count_predecessors() {
        std::vector<std::int32_t> todo;
        auto edge = [&](std::int32_t to) {
            if (to >= 0 && preds_[static_cast<std::size_t>(to)]++ == 0) todo.push_back(to);
        };
        edge(function_.entry);
        while (!todo.empty()) {
            const ir::Inst& inst = at(todo.back());
            todo.pop_back();
            edge(inst.next);
            edge(inst.target);
            if (inst.op == ir::Op::SetupFinally) edge(function_.handlers[inst.count].target);
        }
    }

    std::int32_t block_at(std::int32_t inst) {
        if (inst < 0) return -1;
        std::int32_t& b = graph_.block_of[static_cast<std::size_t>(inst)];
        if (b < 0) {
            b = static_cast<std::int32_t>(graph_.blocks.size());
            graph_.blocks.emplace_back();
            graph_.blocks.back().insts.push_back(inst);
        }
        return b;
    }

    void fill(std::int32_t b) {
        std::int32_t i = graph_[b].insts.front();
        for (std::int32_t n = at(i).next; !ends_block(at(i).op) && n >= 0; n = at(i).next) {
            if (preds_[static_cast<std::size_t>(n)] > 1 || at(n).handler != at(i).handler ||
                at(n).op == ir::Op::ForIter)
                break;
            graph_[b].insts.push_back(n);
            i = n;
        }
        const ir::Inst& last = at(i);
        const std::int32_t next = block_at(last.op == ir::Op::Jump ? last.target : last.next);
        const std::int32_t target = block_at(last.op == ir::Op::Jump ? -1 : last.target);
        const std::int32_t handler =
            last.op == ir::Op::SetupFinally ? block_at(function_.handlers[last.count].target) : -1;
        graph_[b].next = next;
        graph_[b].target = target;
        graph_[b].handler_target = handler;
    }

    void postorder() {
        std::vector<std::uint8_t> state(graph_.blocks.size(), 0);
        std::vector<std::int32_t> stack{graph_.entry}, order;
        while (!stack.empty()) {
            const std::int32_t b = stack.back();
            std::uint8_t& s = state[static_cast<std::size_t>(b)];
            const Block& block = graph_[b];
            if (s >= 3) {
                if (s == 3) order.push_back(b);
                s = 4;
                stack.pop_back();
                continue;
            }
            const std::int32_t to = s == 0 ? block.handler_target : s == 1 ? block.target : block.next;
            ++s;
            if (to >= 0 && state[static_cast<std::size_t>(to)] == 0) stack.push_back(to);
        }
        graph_.order.assign(order.rbegin(), order.rend());
    }

    const ir::Function& function_;
    Graph graph_;
    std::vector<std::int32_t> preds_;
};

}  // namespace

Graph split_blocks(const ir::Function& function) {
    return Splitter(function).run();
}

}  // namespace depyf::untangling
