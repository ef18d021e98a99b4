#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "normalise/normalise.h"

namespace depyf::normalising {

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

    // What is left of SETUP_FINALLY and POP_BLOCK, a NOP that no entry of the table covers, stands in what surrounds both
    // the way there and the way on.
    void protect_nops() {
        std::vector<std::vector<std::int32_t>> ways_there(function_.insts.size());
        for (std::size_t i = 0; i < function_.insts.size(); ++i) {
            for (const std::int32_t to : {function_.insts[i].next, function_.insts[i].target}) {
                if (to > static_cast<std::int32_t>(i))
                    ways_there[static_cast<std::size_t>(to)].push_back(static_cast<std::int32_t>(i));
            }
        }
        for (std::size_t i = 0; i < function_.insts.size(); ++i) {
            ir::Inst& nop = function_.insts[i];
            if (nop.op != ir::Op::Nop || nop.handler >= 0 || nop.next < 0) continue;
            const auto surrounds_way = [&](std::int32_t h) {
                return std::any_of(ways_there[i].begin(), ways_there[i].end(), [&](std::int32_t way) {
                    return within(function_.insts[static_cast<std::size_t>(way)].handler, h);
                });
            };
            std::int32_t way_on = nop.next;
            while (way_on >= 0 && function_.insts[static_cast<std::size_t>(way_on)].op == ir::Op::Nop)
                way_on = function_.insts[static_cast<std::size_t>(way_on)].next;
            std::int32_t h = way_on < 0 ? -1 : function_.insts[static_cast<std::size_t>(way_on)].handler;
            while (h >= 0 && !surrounds_way(h)) h = function_.handlers[static_cast<std::size_t>(h)].outer;
            nop.handler = h;
        }
    }

    // From 3.12 on the optimiser makes jumps that no entry of the table covers. Only one that goes back to the very start
    // of a region leaves it (`while x: try: ...`), unless the `try:` in front of it has a place of its own; any other
    // counts as protected like its target.
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
            bool at_start = false;
            for (std::int32_t h = inner; h >= 0 && !within(jump.handler, h);
                 h = function_.handlers[static_cast<std::size_t>(h)].outer) {
                const bool behind = static_cast<std::int32_t>(i) > last[static_cast<std::size_t>(h)];
                const bool passes_try =
                    jump.target > 0 && function_.insts[static_cast<std::size_t>(jump.target - 1)].op == ir::Op::Nop;
                at_start = at_start || (first[static_cast<std::size_t>(h)] == jump.target && !passes_try &&
                                        (behind || !loops_inside[static_cast<std::size_t>(h)]));
            }
            if (!at_start) jump.handler = inner;
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
    Marker(function).run();
}

}  // namespace depyf::normalising
