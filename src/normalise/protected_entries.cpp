#include <map>
#include <utility>

#include "normalise/normalise.h"

namespace depyf::normalising {

namespace {

class Marker {
  public:
    explicit Marker(ir::Function& function) : function_(function) {}

    void run() {
        if (!function_.features->conditional_backward_jumps) protect_split_jumps();
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
    // 3.12+: a conditional jump backwards is written as one over an unconditional jump, which no entry of the table covers.
    // It counts as protected like the condition. Source: normalize_jumps_in_block, CPython Python/flowgraph.c.
    void protect_split_jumps() {
        for (std::size_t i = 0; i + 1 < function_.insts.size(); ++i) {
            const ir::Inst& test = function_.insts[i];
            ir::Inst& jump = function_.insts[i + 1];
            const bool split = test.op == ir::Op::Branch && jump.op == ir::Op::Jump && jump.handler != test.handler && jump.target <= static_cast<std::int32_t>(i) &&
                               test.location.line == jump.location.line && test.location.column == jump.location.column;
            if (split) jump.handler = test.handler;
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
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> markers_;   // (instruction, handler) -> marker
};

}  // namespace

void mark_protected_entries(ir::Function& function) { Marker(function).run(); }

}  // namespace depyf::normalising
