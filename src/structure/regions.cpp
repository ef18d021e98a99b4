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

bool Regions::reaches(std::int32_t from, std::int32_t to) const {
    return reaches_around(from, to, -1);
}

bool Regions::reaches_around(std::int32_t from, std::int32_t to, std::int32_t without) const {
    std::vector<bool> seen(graph_.blocks.size(), false);
    if (without >= 0) seen[static_cast<std::size_t>(without)] = true;
    std::vector<std::int32_t> todo{from};
    while (!todo.empty()) {
        const std::int32_t b = todo.back();
        todo.pop_back();
        if (b == to) return true;
        if (seen[static_cast<std::size_t>(b)]) continue;
        seen[static_cast<std::size_t>(b)] = true;
        for (std::int32_t s : successors_[static_cast<std::size_t>(b)]) {
            if (dominators_.dominates(from, s) || s == to || without < 0) todo.push_back(s);
        }
    }
    return false;
}

std::int32_t Regions::settle(std::int32_t b, bool through_jumps) const {
    for (std::size_t steps = 0; b >= 0 && steps < graph_.blocks.size(); ++steps) {
        const Block& block = graph_[b];
        if (!block.executed || !block.pure() || block.exit != Exit::Fall || header_[static_cast<std::size_t>(b)]) break;
        if (block.out.size() > block.in.size() || block.next < 0) break;   // computes something
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

std::int32_t Regions::end_of_module() const {
    std::int32_t found = -1;
    for (std::int32_t b : dominators_.order()) {
        const Block& block = graph_[b];
        if (block.exit != Exit::Return || !block.pure() || block.handler >= 0) continue;
        if (found < 0 ||
            predecessors_[static_cast<std::size_t>(b)].size() > predecessors_[static_cast<std::size_t>(found)].size())
            found = b;
    }
    return found;
}

std::int32_t Regions::body_end(std::int32_t handler) const {
    for (std::int32_t b : dominators_.order()) {
        const ir::Inst& last = graph_.function->insts[static_cast<std::size_t>(graph_[b].insts.back())];
        if (last.op == ir::Op::EndBody && last.count == static_cast<std::uint32_t>(handler)) return b;
    }
    return -1;
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

const ast::Expr* Regions::loop_iterator(std::int32_t header) const {
    const Block& block = graph_[header];
    if (block.exit != Exit::For && block.exit != Exit::AsyncFor) return nullptr;
    for (std::size_t i = block.out.size(); i-- > 0;) {
        if (block.out[i]->kind == ast::ExprKind::Iterator) return block.out[i];
    }
    return nullptr;
}

bool Regions::only_returns(std::int32_t b) const {
    for (std::size_t steps = 0; b >= 0 && steps < graph_.blocks.size(); ++steps, b = graph_[b].next) {
        if (!graph_[b].pure()) return false;
        // any other value is computed while the iterator still lies there; up to 3.8 the place alone tells enough
        if (graph_[b].exit == Exit::Return)
            return !graph_.function->features->finally_copied || graph_[b].value->kind == ast::ExprKind::Constant;
        if (graph_[b].exit != Exit::Fall) return false;
    }
    return false;
}

// An exception is being handled in `b` that was raised behind the header.
bool Regions::handles_inside(std::int32_t b, std::int32_t header) const {
    const auto exceptions = [&](std::int32_t x) {
        const auto& in = graph_[x].in;
        return std::count_if(in.begin(), in.end(),
                             [](const ast::Expr* e) { return e->kind == ast::ExprKind::Exception; });
    };
    return exceptions(b) > exceptions(header);
}

// Only the loop leads to `b`, with a value on the stack where the iterator lay: it is on its way to a `return`.
bool Regions::carries_value(std::int32_t b, std::int32_t header, const Loop& loop) const {
    const auto& before = graph_[header].in;
    const auto iterator = std::find_if(before.rbegin(), before.rend(),
                                       [](const ast::Expr* e) { return e->kind == ast::ExprKind::Iterator; });
    const auto base = static_cast<std::size_t>(before.rend() - iterator);
    if (iterator == before.rend() || graph_[b].in.size() < base || graph_[b].exit == Exit::Reraise) return false;
    if (graph_[b].in.back()->kind == ast::ExprKind::Exception) return false;
    for (std::int32_t p : predecessors_[static_cast<std::size_t>(b)]) {
        if (p == header || !loop.body[static_cast<std::size_t>(p)]) return false;
    }
    return true;
}

Regions::Loop Regions::loop(std::int32_t header, std::int32_t exhausted, const std::vector<std::int32_t>& outer) const {
    Loop result;
    result.exhausted = exhausted;
    result.body.assign(graph_.blocks.size(), false);
    auto body = [&](std::int32_t b) -> std::vector<bool>::reference {
        return result.body[static_cast<std::size_t>(b)];
    };
    body(header) = true;
    std::vector<std::int32_t> todo;
    for (std::int32_t p : predecessors_[static_cast<std::size_t>(header)]) {
        if (dominators_.dominates(header, p)) todo.push_back(p);
    }
    // up to 3.10 handlers stand where they were written, later at the end of the code
    const bool handlers_last = graph_.function->features->has_exception_table;
    auto text_end = [&](std::int32_t b) {
        const Block& block = graph_[b];
        if (handlers_last) return block.offset;
        return graph_.function->insts[static_cast<std::size_t>(block.insts.back())].offset;
    };
    std::uint32_t end = text_end(header);
    std::int32_t last_line = graph_[header].location.line;
    while (!todo.empty()) {
        const std::int32_t b = todo.back();
        todo.pop_back();
        if (body(b)) continue;
        body(b) = true;
        last_line = std::max(last_line, graph_[b].location.line);
        if (!handlers_last || !handler_entry_[static_cast<std::size_t>(b)]) end = std::max(end, text_end(b));
        for (std::int32_t p : predecessors_[static_cast<std::size_t>(b)]) todo.push_back(p);
    }
    // What only the loop leads to and stands before its end in the text (`return` inside the loop, code before `break`),
    // or belongs to a handler inside the loop, is part of its text too.
    if (exhausted >= 0)
        end = std::max(end, exhausted >= 0 && graph_[exhausted].offset > end ? graph_[exhausted].offset - 1 : end);
    const ast::Expr* iterator = loop_iterator(header);
    for (std::int32_t b : dominators_.order()) {
        if (body(b) || b == exhausted || !dominators_.dominates(header, b)) continue;
        if (std::find(outer.begin(), outer.end(), b) != outer.end()) continue;
        if (handles_inside(b, header) && body(dominators_.immediate(b))) {
            body(b) = true;
            continue;
        }
        if (iterator) {  // the text of a `for` loop is where its iterator lies on the stack
            const auto& in = graph_[b].in;
            // a `return` has dropped it already when it leaves a try statement in the loop
            const auto& preds = predecessors_[static_cast<std::size_t>(b)];
            const bool before_end =
                graph_[b].offset > graph_[header].offset && exhausted >= 0 &&
                graph_[b].offset < graph_[exhausted].offset && only_returns(b) &&
                std::all_of(preds.begin(), preds.end(), [&](std::int32_t p) { return p != header && body(p); });
            if (before_end || std::find(in.begin(), in.end(), iterator) != in.end() || carries_value(b, header, result))
                body(b) = true;
            continue;
        }
        if (protected_in(b, result.body)) {
            body(b) = true;
            continue;
        }
        bool all = true;
        for (std::int32_t p : predecessors_[static_cast<std::size_t>(b)])
            all = all && (body(p) && !(p == header && exhausted >= 0));
        if (!all) continue;
        const std::int32_t parent = dominators_.immediate(b);
        const bool handler =
            handler_entry_[static_cast<std::size_t>(b)] || (handlers_last && !graph_[parent].dead && body(parent) &&
                                                            graph_[b].offset > end && graph_[parent].offset > end);
        const bool written = (graph_.function->code->flags & kOptimized) &&  // not the return at the end
                             !graph_.function->insts[static_cast<std::size_t>(graph_[b].insts.back())].flag;
        const bool returns = written && std::find(outer.begin(), outer.end(), b) == outer.end() &&
                             graph_[b].exit == Exit::Return && graph_[b].pure() &&
                             (exhausted < 0 || graph_[exhausted].offset < graph_[header].offset);
        const bool raises =
            graph_[b].exit == Exit::End && graph_[b].location.line > 0 && graph_[b].location.line <= last_line;
        if (graph_[b].offset <= end || handler || returns || raises) body(b) = true;
    }
    // The follow: where edges out of the text go.
    std::vector<std::pair<std::int32_t, int>> targets;
    for (std::int32_t b : dominators_.order()) {
        if (!body(b)) continue;
        if (b == header && exhausted >= 0) continue;
        for (std::int32_t s : successors_[static_cast<std::size_t>(b)]) {
            if (body(s)) continue;
            auto found = std::find_if(targets.begin(), targets.end(), [&](const auto& t) { return t.first == s; });
            if (found == targets.end())
                targets.emplace_back(s, 1);
            else
                ++found->second;
        }
    }
    std::int32_t best = -1, best_score = -1;
    for (const auto& [target, count] : targets) {
        int score = count;
        if (target == exhausted)
            score += 1000000;
        else if (std::find(outer.begin(), outer.end(), target) != outer.end())
            score += 1000;
        else if (predecessors_[static_cast<std::size_t>(target)].size() > static_cast<std::size_t>(count))
            score += 500;
        if (graph_[target].next < 0 && graph_[target].target < 0 && graph_[target].exit == Exit::Return) score -= 100;
        if (score > best_score || best < 0) {
            best = target;
            best_score = score;
        }
    }
    // what leaves the loop and comes to where it ends by itself is a longer way to `break`
    // (where that is an outer loop again, `else: continue` reads better)
    if (exhausted >= 0 && best >= 0 && best != exhausted && !is_loop_header(exhausted) &&
        reaches_around(best, exhausted, header))
        best = exhausted;
    // no else clause of a loop can end a module
    const bool ends_module =
        exhausted >= 0 && !(graph_.function->code->flags & kOptimized) && settle(exhausted) == end_of_module();
    result.follow = settle(best >= 0 && !ends_module ? best : exhausted);
    if (written_follow(header) >= 0) result.follow = settle(written_follow(header));
    return result;
}

}  // namespace depyf
