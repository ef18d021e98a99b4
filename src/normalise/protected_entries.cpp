#include <map>
#include <utility>
#include <vector>

#include "normalise/normalise.h"

namespace depyf {

namespace {

class Marker {
  public:
    explicit Marker(ir::Function& function) : function_(function) {}

    void run() {
        protect_branches();
        protect_nops();
        protect_jumps();
        const std::size_t size = function_.insts.size();
        for (std::size_t i = 0; i < size; ++i) {
            const std::int32_t handler = function_.insts[i].handler;
            const std::int32_t next = function_.insts[i].next, target = function_.insts[i].target;
            const std::int32_t new_next = next < 0 ? next : enter(handler, next);
            const std::int32_t new_target = target < 0 ? target : enter(handler, target);
            function_.insts[i].next = new_next;
            function_.insts[i].target = new_target;
        }
        function_.entry = enter(-1, function_.entry);
    }

  private:
    // 3.13+: a conditional jump cannot raise, so no entry needs to cover it.
    void protect_branches() {
        if (!function_.features->has_to_bool) return;
        for (std::size_t i = 1; i < function_.insts.size(); ++i) {
            if (function_.insts[i].op == ir::Op::Branch) function_.insts[i].handler = function_.insts[i - 1].handler;
        }
    }

    // The innermost region that surrounds both, -1 where none does.
    std::int32_t common(std::int32_t one, std::int32_t other) const {
        while (one >= 0 && !within(other, one)) one = function_.handlers[static_cast<std::size_t>(one)].outer;
        return one;
    }

    // No entry covers the NOP that stands for `try`: what surrounds all that leads there and what follows surrounds it.
    void protect_nops() {
        const auto uncovered = [](const ir::Inst& inst) {
            return (inst.op == ir::Op::Nop || inst.op == ir::Op::Jump) && inst.handler < 0;
        };
        std::vector<std::vector<std::int32_t>> sources(function_.insts.size());
        for (const ir::Inst& inst : function_.insts) {
            if (uncovered(inst)) continue;
            for (const std::int32_t to : {inst.next, inst.target}) {
                if (to >= 0) sources[static_cast<std::size_t>(to)].push_back(inst.handler);
            }
        }
        for (std::size_t i = 0; i < function_.insts.size(); ++i) {
            ir::Inst& nop = function_.insts[i];
            if (nop.op != ir::Op::Nop || nop.handler >= 0 || sources[i].empty()) continue;
            std::int32_t behind = nop.next;
            for (std::size_t steps = 0; steps < function_.insts.size(); ++steps) {
                const ir::Inst& inst = function_.insts[static_cast<std::size_t>(behind)];
                if (!uncovered(inst)) break;
                behind = inst.op == ir::Op::Jump ? inst.target : inst.next;
            }
            std::int32_t around = function_.insts[static_cast<std::size_t>(behind)].handler;
            for (const std::int32_t source : sources[i]) around = common(around, source);
            nop.handler = around;
            sources[static_cast<std::size_t>(nop.next)].push_back(around);
        }
    }

    // From 3.12 on the optimiser makes jumps that no entry of the table covers. Only one that goes back to the very start
    // of a region leaves it (`while True: try: ...`), and only where it does not pass a `try:` that has a place of its own;
    // else a jump counts as protected like its target.
    void protect_jumps() {
        std::vector<std::int32_t> first(function_.handlers.size(), -1), last(function_.handlers.size(), -1);
        for (std::size_t i = 0; i < function_.insts.size(); ++i) {
            for (std::int32_t h = function_.insts[i].handler; h >= 0;
                 h = function_.handlers[static_cast<std::size_t>(h)].outer) {
                if (first[static_cast<std::size_t>(h)] < 0)
                    first[static_cast<std::size_t>(h)] = static_cast<std::int32_t>(i);
                last[static_cast<std::size_t>(h)] = static_cast<std::int32_t>(i);
            }
        }
        std::vector<bool> loops_inside(function_.handlers.size(), false);  // a covered jump goes back to the start
        for (const ir::Inst& jump : function_.insts) {
            if (jump.op != ir::Op::Jump) continue;
            for (std::int32_t h = jump.handler; h >= 0; h = function_.handlers[static_cast<std::size_t>(h)].outer) {
                if (first[static_cast<std::size_t>(h)] == jump.target) loops_inside[static_cast<std::size_t>(h)] = true;
            }
        }
        for (std::size_t i = 0; i < function_.insts.size(); ++i) {
            ir::Inst& jump = function_.insts[i];
            if (jump.op != ir::Op::Jump) continue;
            const std::int32_t inner = function_.insts[static_cast<std::size_t>(jump.target)].handler;
            if (inner < 0 || within(jump.handler, inner)) continue;
            const bool passes_try =
                jump.target > 0 && function_.insts[static_cast<std::size_t>(jump.target - 1)].op == ir::Op::Nop;
            const auto left = [&](std::int32_t h) {
                const bool behind = static_cast<std::int32_t>(i) > last[static_cast<std::size_t>(h)];
                return !passes_try && first[static_cast<std::size_t>(h)] == jump.target &&
                       (behind || !loops_inside[static_cast<std::size_t>(h)]);
            };
            std::int32_t around = inner;  // the outermost region left decides
            for (std::int32_t h = inner; h >= 0 && !within(jump.handler, h);
                 h = function_.handlers[static_cast<std::size_t>(h)].outer) {
                if (left(h)) around = function_.handlers[static_cast<std::size_t>(h)].outer;
            }
            if (!within(jump.handler, around)) jump.handler = around;
        }
    }

    bool within(std::int32_t handler, std::int32_t wanted) const {
        for (; handler >= 0; handler = function_.handlers[static_cast<std::size_t>(handler)].outer) {
            if (handler == wanted) return true;
        }
        return false;
    }

    // Where an edge to `to` from a place that `from` protects must go: the outermost marker of the regions it enters.
    std::int32_t enter(std::int32_t from, std::int32_t to) {
        std::int32_t next = to;
        for (std::int32_t h = function_.insts[static_cast<std::size_t>(to)].handler; h >= 0 && !within(from, h);
             h = function_.handlers[static_cast<std::size_t>(h)].outer) {
            auto [found, added] = markers_.try_emplace({next, h}, static_cast<std::int32_t>(function_.insts.size()));
            if (added) {
                const ir::Inst& first = function_.insts[static_cast<std::size_t>(to)];
                ir::Inst marker;
                marker.op = ir::Op::SetupFinally;
                marker.count = static_cast<std::uint32_t>(h);
                marker.next = next;
                marker.handler = function_.handlers[static_cast<std::size_t>(h)].outer;
                marker.offset = first.offset;
                marker.location = first.location;
                function_.insts.push_back(marker);
            }
            next = found->second;
        }
        return next;
    }

    ir::Function& function_;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> markers_;  // (instruction, handler) -> marker
};

}  // namespace

void mark_protected_entries(ir::Function& function) {
    if (function.features->has_exception_table) Marker(function).run();
}

}  // namespace depyf
