// How far a loop reaches in the text, and where `break` goes.
#include <algorithm>
#include <limits>

#include "structure/regions.h"

namespace depyf {

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

// Only the loop leads to `b`, with a value on the stack that was computed inside: it is on its way to a `return`.
bool Regions::carries_value(std::int32_t b, const Extent& extent) const {
    const auto& before = graph_[extent.header].in;
    const auto& in = graph_[b].in;
    if (in.empty() || graph_[b].exit == Exit::Reraise) return false;
    const ast::ExprKind kind = in.back()->kind;
    if (kind == ast::ExprKind::Exception || kind == ast::ExprKind::Iterator || kind == ast::ExprKind::WithExit)
        return false;
    if (std::find(before.begin(), before.end(), in.back()) != before.end()) return false;
    return only_from_loop(b, extent);
}

std::uint32_t Regions::text_end(std::int32_t b) const {
    const Block& block = graph_[b];
    if (handlers_last()) return block.offset;
    return graph_.function->insts[static_cast<std::size_t>(block.insts.back())].offset;
}

// The leftmost column of what `b` does; more than any other where no columns are known.
std::int32_t Regions::first_column(std::int32_t b) const {
    std::int32_t first = std::numeric_limits<std::int32_t>::max();
    for (const std::int32_t i : graph_[b].insts) {
        const std::int32_t column = graph_.function->insts[static_cast<std::size_t>(i)].location.column;
        if (column >= 0) first = std::min(first, column);
    }
    return first;
}

void Regions::add_natural_loop(Extent& extent) const {
    std::vector<std::int32_t> todo;
    for (std::int32_t p : predecessors_[static_cast<std::size_t>(extent.header)]) {
        if (dominators_.dominates(extent.header, p)) todo.push_back(p);
    }
    while (!todo.empty()) {
        const std::int32_t b = todo.back();
        todo.pop_back();
        if (extent.has(b)) continue;
        extent.add(b);
        extent.last_line = std::max(extent.last_line, graph_[b].location.line);
        extent.first_column = std::min(extent.first_column, first_column(b));
        if (!handlers_last() || !handler_entry_[static_cast<std::size_t>(b)])
            extent.end = std::max(extent.end, text_end(b));
        for (std::int32_t p : predecessors_[static_cast<std::size_t>(b)]) todo.push_back(p);
    }
    if (extent.exhausted >= 0 && graph_[extent.exhausted].offset > extent.end)
        extent.end = graph_[extent.exhausted].offset - 1;
}

// Nothing but the loop leads to `b`, and not by ending by itself.
bool Regions::only_from_loop(std::int32_t b, const Extent& extent) const {
    const auto& preds = predecessors_[static_cast<std::size_t>(b)];
    return std::all_of(preds.begin(), preds.end(), [&](std::int32_t p) {
        if (dominators_.dominates(b, p)) return true;  // a loop of its own
        return extent.has(p) && !(p == extent.header && extent.exhausted >= 0);
    });
}

// The text of a `for` loop is where its iterator lies on the stack.
bool Regions::belongs_to_for(std::int32_t b, const Extent& extent, const ast::Expr* iterator) const {
    const auto& in = graph_[b].in;
    if (std::find(in.begin(), in.end(), iterator) != in.end() || carries_value(b, extent)) return true;
    // a `return` has dropped it already when it leaves a try statement in the loop
    return extent.exhausted >= 0 && graph_[b].offset > graph_[extent.header].offset &&
           graph_[b].offset < graph_[extent.exhausted].offset && only_returns(b) && only_from_loop(b, extent);
}

// Does nothing; one way leads there.
bool Regions::passes_on(std::int32_t b) const {
    const Block& block = graph_[b];
    return block.pure() && block.exit == Exit::Fall && block.in.size() == block.out.size() &&
           predecessors_[static_cast<std::size_t>(b)].size() == 1;
}

// `b` returns a variable behind the loop: a try statement in the loop is left first, by `break`.
bool Regions::returns_behind(std::int32_t b, const Extent& extent) const {
    const Block& block = graph_[b];
    if (block.exit != Exit::Return || !block.pure() || block.value->kind == ast::ExprKind::Constant) return false;
    if (std::find(block.in.begin(), block.in.end(), block.value) != block.in.end()) return false;  // loaded inside
    const std::int32_t column = graph_.function->insts[static_cast<std::size_t>(block.insts.back())].location.column;
    if (column >= 0 && column < extent.first_column) return true;
    const auto& preds = predecessors_[static_cast<std::size_t>(b)];
    const auto leaves_handler = [&](std::int32_t p) {
        for (std::size_t steps = 0; steps < graph_.blocks.size() && passes_on(p); ++steps)
            p = predecessors_[static_cast<std::size_t>(p)].front();
        return handles_inside(p, extent.header) && graph_[p].out.size() < graph_[p].in.size();
    };
    return !handles_inside(b, extent.header) && std::any_of(preds.begin(), preds.end(), leaves_handler);
}

// `b` is indented less than the loop's body. Without columns nothing is known.
bool Regions::stands_left_of(std::int32_t b, const Extent& extent) const {
    return first_column(b) < extent.first_column && !handles_inside(b, extent.header);
}

// What only the loop leads to and stands before its end in the text (`return` inside the loop, code before `break`), or
// belongs to a handler inside the loop.
bool Regions::belongs_to_while(std::int32_t b, const Extent& extent) const {
    if (protected_in(b, extent.body)) return true;
    if (!only_from_loop(b, extent) || returns_behind(b, extent) || stands_left_of(b, extent)) return false;
    const Block& block = graph_[b];
    if (block.offset <= extent.end || handler_entry_[static_cast<std::size_t>(b)]) return true;
    const std::int32_t parent = dominators_.immediate(b);
    if (handlers_last() && !graph_[parent].dead && extent.has(parent) && graph_[parent].offset > extent.end)
        return true;  // in a handler
    if (block.exit == Exit::End) return block.location.line > 0 && block.location.line <= extent.last_line;
    const bool written = (graph_.function->code->flags & kOptimized) &&  // not the return at the end
                         !graph_.function->insts[static_cast<std::size_t>(block.insts.back())].flag;
    return written && block.exit == Exit::Return && block.pure() &&
           (extent.exhausted < 0 || graph_[extent.exhausted].offset < graph_[extent.header].offset);
}

// Where most of what leaves the text goes; -1 where nothing does.
std::int32_t Regions::likeliest_exit(const Extent& extent, const std::vector<std::int32_t>& outer) const {
    std::vector<std::pair<std::int32_t, int>> targets;
    for (std::int32_t b : dominators_.order()) {
        if (!extent.has(b) || (b == extent.header && extent.exhausted >= 0)) continue;
        for (std::int32_t s : successors_[static_cast<std::size_t>(b)]) {
            if (extent.has(s)) continue;
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
        if (target == extent.exhausted)
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
    return best;
}

std::int32_t Regions::loop_follow(const Extent& extent, const std::vector<std::int32_t>& outer) const {
    if (written_follow(extent.header) >= 0) return settle(written_follow(extent.header));
    const std::int32_t exhausted = extent.exhausted, exit = likeliest_exit(extent, outer);
    if (exhausted < 0 || exit < 0) return settle(exit >= 0 ? exit : exhausted);
    // what leaves the loop and comes to where it ends by itself is a longer way to `break`
    // (where that is an outer loop again, `else: continue` reads better)
    const bool comes_there =
        exit != exhausted && !is_loop_header(exhausted) && reaches_around(exit, exhausted, extent.header);
    // no else clause of a loop can end a module
    const bool ends_module = !(graph_.function->code->flags & kOptimized) && settle(exhausted) == end_of_module_;
    return settle(comes_there || ends_module ? exhausted : exit);
}

Regions::Loop Regions::loop(std::int32_t header, std::int32_t exhausted, const std::vector<std::int32_t>& outer) const {
    Extent extent{header,
                  exhausted,
                  text_end(header),
                  graph_[header].location.line,
                  first_column(header),
                  std::vector<bool>(graph_.blocks.size(), false)};
    extent.add(header);
    add_natural_loop(extent);
    const ast::Expr* iterator = loop_iterator(header);
    for (std::int32_t b : dominators_.order()) {
        if (extent.has(b) || b == exhausted || !dominators_.dominates(header, b)) continue;
        if (std::find(outer.begin(), outer.end(), b) != outer.end()) continue;
        const bool handles = handles_inside(b, header) && extent.has(dominators_.immediate(b));
        if (handles || (iterator ? belongs_to_for(b, extent, iterator) : belongs_to_while(b, extent))) extent.add(b);
    }
    const std::int32_t follow = loop_follow(extent, outer);
    return {std::move(extent.body), follow};
}

}  // namespace depyf
