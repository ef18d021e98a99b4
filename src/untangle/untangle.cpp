#include "untangle/untangle.h"

#include <algorithm>

#include "base/error.h"
#include "untangle/simulator.h"

namespace depyf {

namespace untangling {

using ir::Inst;
using ir::Op;

namespace {

bool same_code(const Code& a, const Code& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Inst& x, const Inst& y) {
        const bool names = x.name == y.name || (x.name && y.name && *x.name == *y.name);
        return x.op == y.op && names && x.value == y.value && x.count == y.count;
    });
}

class Untangler {
  public:
    Untangler(ir::Function& function, bool readable)
        : function_(function), readable_(readable), graph_(split_blocks(function)), simulator_(function, readable) {}

    void run() {
        for (std::int32_t b : graph_.order) {
            Block& block = graph_[b];
            if (!block.handler) block.in = entry_state(b);
            State state = block.in;
            block.reached = true;
            simulator_.run(block, std::move(state));
            enter_handler(block);
        }
        for (std::int32_t b : graph_.order) close_back_edges(b);
        inline_temporaries(graph_, function_, simulator_.pinned(), readable_);
        lay_out();
    }

  private:
    State& edge(std::int32_t from, std::int32_t to) {
        return graph_[from].next == to ? graph_[from].out : graph_[from].target_out;
    }

    std::vector<std::int32_t> reached_preds(std::int32_t b) {
        std::vector<std::int32_t> result;
        for (std::int32_t p : graph_[b].preds) {
            if (graph_[p].reached && std::find(result.begin(), result.end(), p) == result.end()) result.push_back(p);
        }
        return result;
    }

    void before_jump(Block& block, const Code& code) {
        block.code.insert(block.code.begin() + static_cast<std::ptrdiff_t>(block.last), code.begin(), code.end());
        block.last += code.size();
    }

    State entry_state(std::int32_t b) {
        if (b == graph_.entry && graph_[b].preds.empty()) return {};
        const std::vector<std::int32_t> preds = reached_preds(b);
        const bool loop = std::any_of(graph_[b].preds.begin(), graph_[b].preds.end(),
                                      [&](std::int32_t p) { return !graph_[p].reached; });
        if (preds.empty()) return {};
        if (preds.size() == 1 && !loop) return edge(preds[0], b);
        for (std::int32_t p : preds) {
            Code code;
            simulator_.settle(edge(p, b), code);
            before_jump(graph_[p], code);
        }
        State state = edge(preds[0], b);
        for (std::size_t k = 0; k < state.stack.size(); ++k) join(state, b, k, preds, loop);
        return state;
    }

    // Different values come in for one place: a variable takes them all.
    void join(State& state, std::int32_t b, std::size_t k, const std::vector<std::int32_t>& preds, bool loop) {
        bool same = true;
        for (std::int32_t p : preds) {
            const State& other = edge(p, b);
            if (other.stack.size() != state.stack.size())
                throw Error(-1, "the stack has different heights where paths meet");
            const Entry& entry = other.stack[k];
            if ((entry.kind == Entry::Kind::Real) != (state.stack[k].kind == Entry::Kind::Real))
                throw Error(-1, "the stack cannot be told apart where paths meet");
            same = same && same_code(entry.code, state.stack[k].code);
        }
        if (state.stack[k].kind == Entry::Kind::Real) return;
        const Inst& first = state.stack[k].code[0];
        const bool stable = first.op != Op::LoadFast || !changes_in_loop(*first.name, b);
        if (same && (!loop || stable)) return;
        const Entry variable =
            simulator_.fresh_temporary(function_.insts[static_cast<std::size_t>(graph_[b].insts.front())]);
        for (std::int32_t p : preds) {
            Code code;
            simulator_.assign(code, edge(p, b).stack[k], variable);
            before_jump(graph_[p], code);
            edge(p, b).stack[k] = variable;
        }
        state.stack[k] = variable;
    }

    // Whether some block between the loop's start and its last way back stores to the variable.
    bool changes_in_loop(const std::string& name, std::int32_t header) {
        const auto place = [&](std::int32_t b) { return std::find(graph_.order.begin(), graph_.order.end(), b); };
        auto last = place(header);
        for (std::int32_t p : graph_[header].preds) last = std::max(last, place(p));
        return std::any_of(place(header), last + 1, [&](std::int32_t b) {
            const std::vector<std::int32_t>& insts = graph_[b].insts;
            return std::any_of(insts.begin(), insts.end(), [&](std::int32_t i) {
                const Inst& inst = function_.insts[static_cast<std::size_t>(i)];
                return (inst.op == Op::StoreFast || inst.op == Op::DeleteFast) && *inst.name == name;
            });
        });
    }

    // The handler that a SetupFinally names sees the lower part of the stack, and the exception.
    void enter_handler(Block& block) {
        if (block.handler_target < 0) return;
        Block& handler = graph_[block.handler_target];
        if (handler.handler) return;
        ir::Handler& described =
            function_.handlers[function_.insts[static_cast<std::size_t>(block.insts.back())].count];
        State state = block.out;
        state.stack.resize(std::min<std::size_t>(state.stack.size(), described.depth));
        described.depth = static_cast<std::uint32_t>(std::count_if(
            state.stack.begin(), state.stack.end(), [](const Entry& e) { return e.kind == Entry::Kind::Real; }));
        Entry exception;
        exception.kind = Entry::Kind::Real;
        const std::size_t items = function_.features->exc_info_items + (described.lasti ? 1u : 0u);
        state.stack.insert(state.stack.end(), items, exception);
        handler.in = std::move(state);
        handler.handler = true;
    }

    void close_back_edges(std::int32_t p) {
        Block& block = graph_[p];
        for (std::int32_t b : {block.next, block.target}) {
            if (b < 0) continue;
            State& in = graph_[b].in;
            State& out = edge(p, b);
            if (graph_[b].preds.size() < 2) continue;
            if (!out.variables.empty() || std::any_of(out.stack.begin(), out.stack.end(),
                                                      [](const Entry& e) { return e.kind == Entry::Kind::Virtual; })) {
                Code code;
                simulator_.settle(out, code);
                before_jump(block, code);
            }
            if (in.stack.size() != out.stack.size())
                throw Error(-1, "the stack has different heights where paths meet");
            for (std::size_t k = 0; k < in.stack.size(); ++k) {
                if (same_code(in.stack[k].code, out.stack[k].code)) continue;
                if (in.stack[k].code.size() != 1 || in.stack[k].code[0].op != Op::LoadFast)
                    throw Error(-1, "a value changes in a loop on the stack");
                Code code;
                simulator_.assign(code, out.stack[k], in.stack[k]);
                before_jump(block, code);
            }
        }
    }

    // The blocks in their old order, as one list of instructions again.
    void lay_out() {
        std::vector<std::int32_t> layout = graph_.order;
        std::sort(layout.begin(), layout.end(),
                  [&](std::int32_t a, std::int32_t b) { return graph_[a].insts.front() < graph_[b].insts.front(); });
        std::vector<std::int32_t> start(graph_.blocks.size(), -1);
        std::int32_t size = 0;
        for (std::int32_t b : layout) {
            Block& block = graph_[b];
            if (block.code.empty()) {
                Inst nothing = function_.insts[static_cast<std::size_t>(block.insts.back())];
                nothing.op = Op::Nop;
                nothing.flag = false;
                nothing.name = nullptr;
                block.code.push_back(nothing);
            }
            start[static_cast<std::size_t>(b)] = size;
            size += static_cast<std::int32_t>(block.code.size());
        }
        auto at = [&](std::int32_t b) { return b < 0 ? -1 : start[static_cast<std::size_t>(b)]; };
        std::vector<Inst> insts;
        for (std::int32_t b : layout) {
            for (Inst& inst : graph_[b].code) {
                inst.target = -1;
                if (inst.op == Op::LoadClosure) inst.flag = inst.count == 0;   // see Simulator::expression
                inst.next = static_cast<std::int32_t>(insts.size()) + 1;
                insts.push_back(inst);
            }
            Inst& last = insts.back();
            last.next = at(graph_[b].next);
            last.target = at(graph_[b].target);
        }
        for (ir::Handler& handler : function_.handlers) {
            const std::int32_t b = graph_.block_of[static_cast<std::size_t>(handler.target)];
            handler.target = b >= 0 && at(b) >= 0 ? at(b) : 0;
        }
        function_.entry = at(graph_.entry);
        function_.insts = std::move(insts);
    }

    ir::Function& function_;
    bool readable_;
    Graph graph_;
    Simulator simulator_;
};

}  // namespace
}  // namespace untangling

void untangle(ir::Function& function, bool readable) {
    untangling::Untangler(function, readable).run();
}

}  // namespace depyf
