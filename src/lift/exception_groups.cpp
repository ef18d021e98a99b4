// except* (3.11+) becomes the shape of except: each clause that matches drops the exception and leaves the statement,
// where none does the exception goes on. What the clauses raise is not collected any more.
// Source: compiler_try_star_except in CPython Python/compile.c (codegen_try_star_except in codegen.c from 3.14).
//
//   PUSH_EXC_INFO; COPY 1; BUILD_LIST 0; SWAP 2           (3.12+: BUILD_LIST 0; COPY 2)
//   <type>; CHECK_EG_MATCH; COPY 1; POP_JUMP_IF_NONE n; STORE e (or POP_TOP); <body>; [None; STORE e; DELETE e;] JUMP x
//   h: [None; STORE e; DELETE e;] LIST_APPEND 3; POP_TOP; JUMP x              what the body raised
//   n: POP_TOP; x: <next type> ... x: LIST_APPEND 1; PREP_RERAISE_STAR; COPY 1; POP_JUMP_IF_NOT_NONE r
//   POP_TOP; POP_EXCEPT; <behind>; r: SWAP 2; POP_EXCEPT; RERAISE
//
// The stack stays as deep as it was: the regions inside the bodies count on it.
#include <utility>

#include "lift/lift.h"

namespace depyf::lifting {

namespace {

using ir::Inst;
using ir::Op;

class Groups {
  public:
    explicit Groups(ir::Function& function) : function_(function) {}

    void run() {
        const auto size = static_cast<std::int32_t>(function_.insts.size());
        bool any = false;
        for (const Inst& inst : function_.insts) any = any || inst.op == Op::CheckGroupMatch;
        if (!any) return;
        depth_ = stack_depths(function_);
        std::vector<std::pair<std::int32_t, std::int32_t>>
            clauses;  // CHECK_EG_MATCH, last instruction of the statement
        for (std::int32_t i = 0; i < size; ++i) {
            if (at(i).op == Op::CheckGroupMatch && depth_[static_cast<std::size_t>(i)] >= 0)
                clauses.emplace_back(i, pop_except(i));
        }
        for (const auto& [match, end] : clauses) {
            if (end >= 0) clause(match, end);
        }
        drop_collectors();
        for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
            if (at(static_cast<std::int32_t>(i)).op == Op::PushException)
                drop_list(at(static_cast<std::int32_t>(i)).next);
        }
    }

  private:
    Inst& at(std::int32_t i) { return function_.insts[static_cast<std::size_t>(i)]; }
    bool is(std::int32_t i, Op op) { return i >= 0 && at(i).op == op; }
    std::int32_t settle(std::int32_t i) {
        for (int steps = 0; i >= 0 && steps < 1000 && (at(i).op == Op::Nop || at(i).op == Op::Jump); ++steps) {
            i = at(i).op == Op::Jump ? at(i).target : at(i).next;
        }
        return i;
    }

    std::int32_t branch(std::int32_t match) {
        const std::int32_t copy = at(match).next;
        const std::int32_t b = is(copy, Op::Copy) ? at(copy).next : -1;
        return is(b, Op::Branch) && at(b).count == static_cast<std::uint32_t>(ir::Condition::None) ? b : -1;
    }

    // The POP_EXCEPT with which the statement ends: behind the clauses that do not match.
    std::int32_t pop_except(std::int32_t match) {
        for (std::size_t steps = 0; steps < function_.insts.size(); ++steps) {
            const std::int32_t b = branch(match);
            if (b < 0 || !is(at(b).target, Op::Pop)) return -1;
            const std::int32_t wanted = depth_[static_cast<std::size_t>(match)];
            std::int32_t i = at(at(b).target).next;
            // to the next clause through its type, which may branch: whatever way, it comes to the match
            while (i >= 0 && !(at(i).op == Op::CheckGroupMatch && depth_[static_cast<std::size_t>(i)] == wanted) &&
                   at(i).op != Op::PrepReraiseStar) {
                i = at(i).op == Op::Jump ? at(i).target : at(i).next;
            }
            if (i < 0) return -1;
            if (at(i).op == Op::CheckGroupMatch) {
                match = i;
                continue;
            }
            const std::int32_t test = at(at(i).next).next;
            if (!is(test, Op::Branch)) return -1;
            std::int32_t pop = settle(
                at(test).count == static_cast<std::uint32_t>(ir::Condition::NotNone) ? at(test).next : at(test).target);
            pop = is(pop, Op::Pop) ? settle(at(pop).next) : -1;
            return is(pop, Op::PopExcept) ? pop : -1;
        }
        return -1;
    }

    void clause(std::int32_t match, std::int32_t end) {
        const std::int32_t b = branch(match);
        const std::int32_t none = at(b).target;
        const std::int32_t next = settle(at(none).next);
        const std::int32_t depth = depth_[static_cast<std::size_t>(match)] - 1;  // behind the clause
        drop_empty_body(at(b).next);
        leave_at_end(at(b).next, next, depth, end);
        at(at(match).next).op = Op::GroupMatched;
        at(b).count = static_cast<std::uint32_t>(ir::Condition::False);
        if (is(next, Op::ListAppend)) {  // the last clause
            at(none).op = Op::Reraise;
            at(none).count = 0;
            at(none).next = -1;
        }
    }

    // Every way from `body` to what stands behind the clause drops what lies on the stack and leaves the statement.
    void leave_at_end(std::int32_t body, std::int32_t next, std::int32_t depth, std::int32_t end) {
        const std::int32_t exit = exit_chain(end);
        std::vector<bool> seen(function_.insts.size(), false);
        std::vector<std::int32_t> todo{body};
        auto follow = [&](std::int32_t edge) {
            const std::int32_t to = settle(edge);
            if (to < 0) return edge;
            const bool known = static_cast<std::size_t>(to) < depth_.size();
            const bool ends = to == next || (known && at(to).op == Op::ListAppend && at(to).count == 1 &&
                                             depth_[static_cast<std::size_t>(to)] == depth);
            if (ends) return exit;
            todo.push_back(edge);
            return edge;
        };
        while (!todo.empty()) {
            const std::int32_t i = todo.back();
            todo.pop_back();
            if (i < 0 || seen[static_cast<std::size_t>(i)]) continue;
            seen[static_cast<std::size_t>(i)] = true;
            const std::int32_t after = at(i).next < 0 ? -1 : follow(at(i).next);
            const std::int32_t target = at(i).target < 0 ? -1 : follow(at(i).target);
            at(i).next = after;
            at(i).target = target;
            for (std::int32_t h = at(i).handler; h >= 0; h = function_.handlers[static_cast<std::size_t>(h)].outer) {
                const ir::Handler& handler = function_.handlers[static_cast<std::size_t>(h)];
                if (static_cast<std::int32_t>(handler.depth) < depth || collector(handler) >= 0) break;
                todo.push_back(handler.target);
            }
        }
    }

    // What the handler appends to the list, if it is the one that collects what the body of a clause raised; else -1.
    std::int32_t collector(const ir::Handler& handler) {
        std::int32_t i = handler.target;
        if (is(i, Op::Const) && at(i).next >= 0) i = at(at(at(i).next).next).next;
        return is(i, Op::ListAppend) && at(i).count == 3 ? i : -1;
    }

    // except* T as e: pass  =>  nothing between the store and the clean-up, and no handler that would tell
    void drop_empty_body(std::int32_t store) {
        if (is(store, Op::Pop)) return;
        const std::int32_t none = settle(at(store).next);
        if (!is(none, Op::Const) || at(none).value->kind != Constant::Kind::None ||
            at(none).handler != at(store).handler)
            return;
        const std::int32_t again = at(none).next;
        if (!is(again, at(store).op) || at(again).name != at(store).name) return;
        at(store).next = at(at(again).next).next;
    }

    // POP_TOP the rest, the list and the group; POP_EXCEPT.
    std::int32_t exit_chain(std::int32_t end) {
        const auto first = static_cast<std::int32_t>(function_.insts.size());
        Inst inst = at(end);
        for (std::int32_t k = 0; k < 3; ++k) {
            inst.op = Op::Pop;
            inst.next = first + k + 1;
            function_.insts.push_back(inst);
        }
        function_.insts.push_back(at(end));
        return first;
    }

    // The handlers that collect what a body raised; those that clear a name too stay as the clean-up of except.
    void drop_collectors() {
        std::vector<std::int32_t> replacement(function_.handlers.size());
        for (std::size_t h = 0; h < replacement.size(); ++h) {
            replacement[h] = static_cast<std::int32_t>(h);
            const std::int32_t append = collector(function_.handlers[h]);
            if (append < 0) continue;
            if (append == function_.handlers[h].target) {
                replacement[h] = function_.handlers[h].outer;
                continue;
            }
            at(append).op = Op::Reraise;
            at(append).count = 0;
            at(append).next = -1;
        }
        for (Inst& inst : function_.insts) {
            while (inst.handler >= 0 && replacement[static_cast<std::size_t>(inst.handler)] != inst.handler) {
                inst.handler = replacement[static_cast<std::size_t>(inst.handler)];
            }
        }
        for (ir::Handler& handler : function_.handlers) {
            while (handler.outer >= 0 && replacement[static_cast<std::size_t>(handler.outer)] != handler.outer) {
                handler.outer = replacement[static_cast<std::size_t>(handler.outer)];
            }
        }
    }

    // The empty list only takes its place on the stack.
    void drop_list(std::int32_t i) {
        const bool copied =
            is(i, Op::Copy) && at(i).count == 1 && is(at(i).next, Op::BuildList) && is(at(at(i).next).next, Op::Swap);
        const bool plain = is(i, Op::BuildList) && is(at(i).next, Op::Copy) && at(at(i).next).count == 2;
        const std::int32_t list = copied ? at(i).next : i;
        if ((copied || plain) && at(list).count == 0) at(list).op = Op::PushNull;
    }

    ir::Function& function_;
    std::vector<std::int32_t> depth_;
};

}  // namespace

void flatten_exception_groups(ir::Function& function) {
    Groups(function).run();
}

}  // namespace depyf::lifting
