#include "structure/regions.h"

#include <algorithm>

namespace depyf {

std::vector<std::vector<std::int32_t>> Regions::edges(const FlowGraph& graph) {
    std::vector<std::vector<std::int32_t>> successors(graph.blocks.size());
    for (std::size_t b = 0; b < graph.blocks.size(); ++b) {
        const Block& block = graph.blocks[b];
        if (block.dead) continue;
        if (block.next >= 0) successors[b].push_back(block.next);
        if (block.target >= 0 && block.target != block.next) successors[b].push_back(block.target);
    }
    return successors;
}

Regions::Regions(const FlowGraph& graph)
    : graph_(graph),
      successors_(edges(graph)),
      predecessors_(graph.blocks.size()),
      dominators_(successors_, graph.entry),
      header_(graph.blocks.size(), false),
      follow_(graph.blocks.size(), -1),
      handler_entry_(graph.blocks.size(), false),
      setup_(graph.function->handlers.size(), -1) {
    for (std::int32_t b : dominators_.order()) {
        for (std::int32_t s : successors_[static_cast<std::size_t>(b)])
            predecessors_[static_cast<std::size_t>(s)].push_back(b);
        if (graph_[b].exit == Exit::Setup && graph_[b].target >= 0)
            handler_entry_[static_cast<std::size_t>(graph_[b].target)] = true;
        if (graph_[b].exit == Exit::Setup) setup_[static_cast<std::size_t>(graph_[b].handler_id)] = b;
    }
    find_loops();
    find_ends();
}

void Regions::read_written_loop(std::int32_t setup) {
    std::int32_t header = graph_[setup].next;
    if (graph_.function->insts[static_cast<std::size_t>(graph_[setup].insts.back())].flag) {
        while (header >= 0 && graph_[header].exit == Exit::Fall) header = graph_[header].next;
    }
    if (header < 0) return;
    follow_[static_cast<std::size_t>(header)] = graph_[setup].target;
    header_[static_cast<std::size_t>(header)] = true;
}

bool Regions::ends_loop(std::int32_t b) const {
    return graph_.function->insts[static_cast<std::size_t>(graph_[b].insts.front())].op == ir::Op::LoopEnd;
}

void Regions::find_loops() {
    for (std::int32_t b : dominators_.order()) {
        for (std::int32_t s : successors_[static_cast<std::size_t>(b)]) {
            if (dominators_.position(s) <= dominators_.position(b)) header_[static_cast<std::size_t>(s)] = true;
        }
        if (graph_[b].exit == Exit::For || graph_[b].exit == Exit::AsyncFor)
            header_[static_cast<std::size_t>(b)] = true;
        if (graph_[b].exit == Exit::Loop) read_written_loop(b);
    }
}

bool Regions::is_join(std::int32_t b) const {
    std::size_t forward = 0;
    for (std::int32_t p : predecessors_[static_cast<std::size_t>(b)]) {
        if (dominators_.position(p) < dominators_.position(b)) ++forward;
    }
    return forward > 1;
}

bool Regions::inside(std::int32_t b, std::int32_t handler) const {
    for (std::int32_t h = graph_[b].handler; h >= 0; h = graph_.function->handlers[static_cast<std::size_t>(h)].outer) {
        if (h == handler) return true;
    }
    return false;
}

bool Regions::protected_in(std::int32_t b, const std::vector<bool>& blocks) const {
    for (std::int32_t h = graph_[b].handler; h >= 0; h = graph_.function->handlers[static_cast<std::size_t>(h)].outer) {
        const std::int32_t setup = setup_[static_cast<std::size_t>(h)];
        if (setup >= 0 && blocks[static_cast<std::size_t>(setup)]) return true;
    }
    return false;
}

bool Regions::returns_to(std::int32_t b, std::int32_t header) const {
    std::vector<bool> seen(graph_.blocks.size(), false);
    std::vector<std::int32_t> todo{b};
    while (!todo.empty()) {
        b = todo.back();
        todo.pop_back();
        if (b == header) return true;
        if (seen[static_cast<std::size_t>(b)]) continue;
        seen[static_cast<std::size_t>(b)] = true;
        for (std::int32_t s : successors_[static_cast<std::size_t>(b)]) {
            if (dominators_.dominates(header, s)) todo.push_back(s);
        }
    }
    return false;
}

bool Regions::reaches_around(std::int32_t from, std::int32_t to, std::int32_t without) const {
    std::vector<bool> seen(graph_.blocks.size(), false);
    seen[static_cast<std::size_t>(without)] = true;
    std::vector<std::int32_t> todo{from};
    while (!todo.empty()) {
        const std::int32_t b = todo.back();
        todo.pop_back();
        if (b == to || settle(b) == to) return true;
        if (seen[static_cast<std::size_t>(b)]) continue;
        seen[static_cast<std::size_t>(b)] = true;
        for (std::int32_t s : successors_[static_cast<std::size_t>(b)]) {
            if (dominators_.dominates(from, s) || settle(s) == to) todo.push_back(s);
        }
    }
    return false;
}

namespace {

// It leaves something on the stack that did not lie there.
bool computes_value(const Block& block) {
    const auto lay_there = [&](const ast::Expr* e) {
        return std::find(block.in.begin(), block.in.end(), e) != block.in.end();
    };
    return block.out.size() > block.in.size() || !std::all_of(block.out.begin(), block.out.end(), lay_there);
}

}  // namespace

std::int32_t Regions::settle(std::int32_t b, bool through_jumps) const {
    for (std::size_t steps = 0; b >= 0 && steps < graph_.blocks.size(); ++steps) {
        const Block& block = graph_[b];
        if (!block.executed || !block.pure() || block.exit != Exit::Fall || header_[static_cast<std::size_t>(b)]) break;
        if (computes_value(block) || block.next < 0) break;
        if (block.jumps_out && !through_jumps) break;
        b = block.next;
    }
    return b;
}

std::vector<std::int32_t> Regions::region_exits(std::int32_t setup, std::int32_t handler) const {
    std::vector<std::int32_t> exits;
    std::vector<bool> seen(graph_.blocks.size(), false);
    std::vector<std::int32_t> todo{graph_[setup].next};
    while (!todo.empty()) {
        const std::int32_t b = todo.back();
        todo.pop_back();
        if (b < 0 || seen[static_cast<std::size_t>(b)]) continue;
        seen[static_cast<std::size_t>(b)] = true;
        if (!inside(b, handler)) {
            const std::int32_t x = settle(b);
            if (std::find(exits.begin(), exits.end(), x) == exits.end()) exits.push_back(x);
            continue;
        }
        todo.push_back(graph_[b].target);
        todo.push_back(graph_[b].next);
    }
    return exits;
}

void Regions::find_ends() {
    for (std::int32_t b : dominators_.order()) {
        const Block& block = graph_[b];
        const ir::Inst& last = graph_.function->insts[static_cast<std::size_t>(block.insts.back())];
        if (last.op == ir::Op::EndBody) body_end_.try_emplace(static_cast<std::int32_t>(last.count), b);
        if (block.exit != Exit::Return || !block.pure() || block.handler >= 0) continue;
        const auto ways_in = [&](std::int32_t x) { return predecessors_[static_cast<std::size_t>(x)].size(); };
        if (end_of_module_ < 0 || ways_in(b) > ways_in(end_of_module_)) end_of_module_ = b;
    }
}

std::int32_t Regions::body_end(std::int32_t handler) const {
    const auto found = body_end_.find(handler);
    return found == body_end_.end() ? -1 : found->second;
}

bool Regions::ends_body(std::int32_t b) const {
    return graph_.function->insts[static_cast<std::size_t>(graph_[b].insts.back())].op == ir::Op::EndBody;
}

std::int32_t Regions::join(std::int32_t b, std::int32_t first, std::int32_t second) const {
    std::int32_t best = -1;
    for (std::int32_t m : dominators_.children(b)) {
        const bool direct = m == first || m == second;
        std::size_t forward = 0;
        for (std::int32_t p : predecessors_[static_cast<std::size_t>(m)]) {
            if (dominators_.position(p) < dominators_.position(m)) ++forward;
        }
        if (forward < 2 && direct) continue;
        if (forward < 2 || (graph_[m].exit == Exit::Reraise && graph_[m].next < 0)) continue;
        if (best < 0) {
            best = m;
            continue;
        }
        // a short way out (return, raise) that several paths share is not where they meet
        const bool ends = graph_[best].next < 0 && graph_[best].target < 0;
        if (ends ||
            (dominators_.position(m) < dominators_.position(best) && !(graph_[m].next < 0 && graph_[m].target < 0)))
            best = m;
    }
    return best;
}

}  // namespace depyf
