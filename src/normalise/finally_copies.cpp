// From 3.9 on the compiler writes a finally body once for the exception and once for every other way out. The copies
// are compared with the handler as graphs and skipped, so that the handler's is the only one left.
// Source: compiler_unwind_fblock in CPython Python/compile.c (codegen.c from 3.14).
#include <map>
#include <unordered_map>

#include "lift/lift.h"
#include "normalise/normalise.h"

namespace depyf::normalising {

using ir::Inst;
using ir::Op;

namespace {

bool skipped(const Inst& inst) {
    return inst.op == Op::Nop || inst.op == Op::PopBlock || inst.op == Op::MatchDefault ||
           (inst.op == Op::Jump && !inst.flag);
}

class FinallyCopies {
  public:
    explicit FinallyCopies(ir::Function& function)
        : function_(function), original_(function.insts), depth_(lifting::stack_depths(function)) {}

    void run() {
        for (std::size_t h = 0; h < function_.handlers.size(); ++h) {
            const HandlerKind kind = handler_kind(function_, function_.handlers[h]);
            is_copied_.push_back(kind == HandlerKind::Finally || kind == HandlerKind::NameCleanup);
            is_name_cleanup_.push_back(kind == HandlerKind::NameCleanup);
        }
        bool changed = true;
        for (int round = 0; changed && round < 64; ++round) {
            changed = false;
            for (std::size_t i = 0; i < original_.size(); ++i) {
                if (depth_[i] < 0) continue;
                changed |= leave(static_cast<std::int32_t>(i), function_.insts[i].next, next_done_,
                                 [&](Inst& in, std::int32_t to) { in.next = to; });
                changed |= leave(static_cast<std::int32_t>(i), function_.insts[i].target, target_done_,
                                 [&](Inst& in, std::int32_t to) { in.target = to; });
            }
        }
    }

  private:
    const Inst& at(std::int32_t i) const { return original_[static_cast<std::size_t>(i)]; }

    // Each edge passes each handler's copy once at most; remembers the edges that did.
    using Done = std::map<std::pair<std::int32_t, std::int32_t>, bool>;

    // The copy lies on the way of a `return`, whose value waits on the stack.
    bool carries_value(std::int32_t copy, std::int32_t h) const {
        const ir::Handler& handler = function_.handlers[static_cast<std::size_t>(h)];
        return depth_[static_cast<std::size_t>(copy)] > static_cast<std::int32_t>(handler.depth);
    }

    // Where a way goes that ends in the body of handler h: to the end of the try body, or to the return whose value
    // lies on the stack.
    std::int32_t dead_end(std::int32_t from, std::int32_t h, std::int32_t copy) {
        const bool returns = carries_value(copy, h);
        auto [known, added] = ends_.try_emplace({h, returns ? copy : -1}, -1);
        if (!added) return known->second;
        Inst end = function_.insts[static_cast<std::size_t>(from)];
        end.op = returns ? Op::Return : Op::EndBody;
        end.flag = false;
        end.handler = function_.handlers[static_cast<std::size_t>(h)].outer;
        end.next = end.target = -1;
        end.count = returns ? 0 : static_cast<std::uint32_t>(h);
        function_.insts.push_back(end);
        known->second = static_cast<std::int32_t>(function_.insts.size()) - 1;
        return known->second;
    }

    template <class Redirect>
    bool leave(std::int32_t from, std::int32_t to, Done& done, Redirect redirect) {
        if (to < 0 || static_cast<std::size_t>(to) >= original_.size()) return false;
        std::int32_t h = function_.insts[static_cast<std::size_t>(from)].handler;
        if (function_.insts[static_cast<std::size_t>(from)].op == Op::SetupFinally) {
            h = static_cast<std::int32_t>(function_.insts[static_cast<std::size_t>(from)].count);
        }
        for (; h >= 0; h = function_.handlers[static_cast<std::size_t>(h)].outer) {
            if (function_.protected_by(to, h)) break;
            if (function_.insts[static_cast<std::size_t>(to)].op == Op::SetupFinally &&
                function_.insts[static_cast<std::size_t>(to)].count == static_cast<std::uint32_t>(h))
                break;
            if (!is_copied_[static_cast<std::size_t>(h)]) continue;
            if (!done.try_emplace({from, h}, true).second) continue;
            std::int32_t last = -1, copy = to;
            if (is_name_cleanup_[static_cast<std::size_t>(h)]) {
                while (drops_exception(copy)) last = copy, copy = settle(at(copy).next);  // POP_EXCEPT stands in front
            }
            const std::int32_t behind = copy < 0 ? kNoMatch : match(h, copy);
            if (behind == kNoMatch) continue;
            if (last >= 0) {
                Inst& end = function_.insts[static_cast<std::size_t>(last)];
                if (end.next != at(last).next) continue;  // another way in has done it, and may have gone further
                end.next = behind;
                return true;
            }
            const std::int32_t end = behind < 0 ? dead_end(from, h, copy) : behind;
            redirect(function_.insts[static_cast<std::size_t>(from)], end);
            return true;
        }
        return false;
    }

    std::int32_t settle(std::int32_t i) const {
        for (int steps = 0; i >= 0 && skipped(at(i)) && steps < 1000; ++steps)
            i = at(i).op == Op::Jump ? at(i).target : at(i).next;
        return i;
    }

    static bool same_operation(const Inst& a, const Inst& b) {
        if (a.op != b.op) return false;
        if (a.flag != b.flag && a.op != Op::Return) return false;  // the flag of a return is a guess
        if (a.op == Op::SetupFinally) return true;  // handlers are paired by match()
        return a.count == b.count && a.name == b.name &&
               (a.value == b.value || (a.value && b.value && *a.value == *b.value));
    }

    // The same test, jumping on the other outcome.
    static bool are_opposite(const Inst& a, const Inst& b) {
        return a.op == Op::Branch && b.op == Op::Branch && (a.count ^ 1U) == b.count;
    }

    // Leaving a finally body by return, break or continue drops the exception first: only the handler's copy does.
    bool drops_exception(std::int32_t i) const {
        for (int steps = 0; i >= 0 && steps < 8; ++steps, i = settle(at(i).next)) {
            if (at(i).op == Op::PopExcept) return true;
            if (at(i).op != Op::Pop && at(i).op != Op::Swap && at(i).op != Op::Rotate) return false;
        }
        return false;
    }

    // [keep the value on top;] drop the exception; POP_EXCEPT  =>  what comes behind, -1 where something else stands there
    // `depth`: of the stack with the exception on top.
    std::int32_t behind_exception(std::int32_t i, std::int32_t depth) const {
        const int items = function_.features->exc_info_items > 1 ? 3 : 1;
        const auto keeps = [&](std::int32_t k) { return at(k).op == Op::Swap || at(k).op == Op::Rotate; };
        if (depth_[static_cast<std::size_t>(i)] != depth + (keeps(i) ? 1 : 0)) return -1;
        if (keeps(i)) i = settle(at(i).next);
        for (int k = 0; k < items; ++k, i = settle(at(i).next)) {
            if (i < 0 || at(i).op != Op::Pop) return -1;
        }
        if (i >= 0 && keeps(i)) i = settle(at(i).next);
        return i >= 0 && at(i).op == Op::PopExcept ? settle(at(i).next) : -1;
    }

    // The same in the copy on the way of a `return`, whose value is dropped.
    std::int32_t behind_value(std::int32_t i) const {
        if (at(i).op == Op::Pop) return settle(at(i).next);
        const bool under = (at(i).op == Op::Swap || at(i).op == Op::Rotate) && at(at(i).next).op == Op::Pop;
        return under ? settle(at(at(i).next).next) : i;
    }

    // Where the copy that starts at `copy` goes on, -1 where it never does, kNoMatch where it is no copy of handler h's body.
    std::int32_t match(std::int32_t h, std::int32_t copy) const {
        const ir::Handler& handler = function_.handlers[static_cast<std::size_t>(h)];
        std::int32_t body = settle(handler.target);
        if (at(body).op == Op::PushException) body = settle(at(body).next);
        const std::int32_t end_depth = depth_[static_cast<std::size_t>(body)];
        const bool returns = carries_value(copy, h);
        std::int32_t behind = -1;
        std::map<std::pair<std::int32_t, std::int32_t>, bool> seen;
        std::vector<std::pair<std::int32_t, std::int32_t>> todo{{body, copy}};
        auto pair = [&](std::int32_t a, std::int32_t b) {
            if (a < 0 && b < 0) return true;
            if (a < 0 || b < 0) return false;
            if (seen.try_emplace({a, b}, true).second) todo.emplace_back(a, b);
            return true;
        };
        while (!todo.empty()) {
            std::int32_t a = settle(todo.back().first), b = settle(todo.back().second);
            todo.pop_back();
            if (const std::int32_t left = behind_exception(a, end_depth); left >= 0) {
                a = left;
                if (returns) b = behind_value(b);
            }
            if (at(a).op == Op::Reraise && depth_[static_cast<std::size_t>(a)] == end_depth) {
                if (behind < 0 || b < behind) behind = b;
                continue;
            }
            const bool opposite = are_opposite(at(a), at(b));
            if (!opposite && !same_operation(at(a), at(b))) return kNoMatch;
            const std::int32_t ha =
                at(a).op == Op::SetupFinally ? static_cast<std::int32_t>(at(a).count) : at(a).handler;
            const std::int32_t hb =
                at(b).op == Op::SetupFinally ? static_cast<std::int32_t>(at(b).count) : at(b).handler;
            if (ha != hb && !pair_handlers(ha, hb, pair)) return kNoMatch;
            const std::int32_t next = opposite ? at(b).target : at(b).next;
            const std::int32_t target = opposite ? at(b).next : at(b).target;
            if (!pair(at(a).next, next) || !pair(at(a).target, target)) return kNoMatch;
        }
        return behind;
    }

    template <class Pair>
    bool pair_handlers(std::int32_t ha, std::int32_t hb, Pair pair) const {
        if (ha < 0 || hb < 0) return false;
        return pair(function_.handlers[static_cast<std::size_t>(ha)].target,
                    function_.handlers[static_cast<std::size_t>(hb)].target);
    }

    static constexpr std::int32_t kNoMatch = -2;
    ir::Function& function_;
    const std::vector<Inst> original_;  // copies are compared as the compiler wrote them
    const std::vector<std::int32_t> depth_;
    std::vector<bool> is_copied_, is_name_cleanup_;
    // By handler: its EndBody instruction; by handler and copy: the return that ends there.
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> ends_;
    Done next_done_, target_done_;
};

}  // namespace

// STORE name; POP_EXCEPT; LOAD_CONST None; STORE name; DELETE name  =>  STORE name; POP_EXCEPT
void skip_name_cleanups(ir::Function& function) {
    auto at = [&](std::int32_t i) -> Inst& { return function.insts[static_cast<std::size_t>(i)]; };
    auto stores = [](const Inst& i) {
        return i.op == Op::StoreFast || i.op == Op::StoreName || i.op == Op::StoreGlobal || i.op == Op::StoreDeref;
    };
    auto deletes = [](const Inst& i) {
        return i.op == Op::DeleteFast || i.op == Op::DeleteName || i.op == Op::DeleteGlobal || i.op == Op::DeleteDeref;
    };
    for (const Inst& store : function.insts) {
        if (!stores(store) || store.next < 0 || at(store.next).op != Op::PopExcept) continue;
        Inst& pop = at(store.next);
        if (pop.next < 0 || at(pop.next).op != Op::Const || !at(pop.next).value ||
            at(pop.next).value->kind != Constant::Kind::None)
            continue;
        const std::int32_t clear = at(pop.next).next;
        if (!stores(at(clear)) || at(clear).name != store.name || !deletes(at(at(clear).next)) ||
            at(at(clear).next).name != store.name)
            continue;
        pop.next = at(at(clear).next).next;
    }
}

void skip_finally_copies(ir::Function& function) {
    if (!function.handlers.empty()) FinallyCopies(function).run();
}

}  // namespace depyf::normalising
