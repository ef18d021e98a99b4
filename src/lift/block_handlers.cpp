// 3.7 - 3.10: handlers from a walk over the code with the block stack that the interpreter would have.
// Source: CPython Python/ceval.c of 3.7 - 3.10 (SETUP_*, POP_BLOCK, exception_unwind), frameobject.c.
#include <algorithm>
#include <map>

#include "base/error.h"
#include "lift/lift.h"

namespace depyf::lifting {

using ir::Inst;
using ir::Op;

namespace {

enum class BlockKind : std::uint8_t { Loop, Protected, ExceptHandler };

struct Block {       // a node of the (shared, immutable) block stack
    std::int32_t parent;
    BlockKind kind;
    std::int32_t depth;    // stack depth that the block restores
    std::int32_t handler;  // innermost handler at this point
    std::int32_t setup;    // Loop: its SetupLoop
};

class Walk {
  public:
    explicit Walk(ir::Function& function) : function_(function), state_(function.insts.size()) {}

    void run() {
        is_handler_.assign(function_.insts.size(), false);
        for (const Inst& in : function_.insts) {
            if (in.op == Op::SetupFinally) {
                is_handler_[static_cast<std::size_t>(in.target)] = true;
            }
        }
        reach(function_.entry, -1, 0);
        while (!todo_.empty()) {
            const std::int32_t i = todo_.back();
            todo_.pop_back();
            step(i);
        }
    }

    // Afterwards the handler is entered by exceptions only: what fell into it goes on behind its END_FINALLY.
    void split() {
        visited_.assign(function_.insts.size(), false);
        std::vector<std::int32_t> with_ends;
        for (const ir::Handler& h : function_.handlers) {
            if (inst(h.target).op == Op::WithCleanupStart) with_ends.push_back(end_of(h.target));
        }
        std::map<std::int32_t, std::int32_t> ends;
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(function_.insts.size()); ++i) {
            Inst& in = inst(i);
            if (in.op != Op::BeginFinally && !falls_into_handler(in)) continue;
            const std::int32_t entry = in.next;
            if (!state_[static_cast<std::size_t>(entry)].seen) continue;
            auto [found, added] = ends.try_emplace(entry, -1);
            if (added) found->second = end_of(entry);
            in.op = inst(entry).op == Op::WithCleanupStart ? Op::Pop : Op::Nop;
            in.value = nullptr;
            in.count = in.op == Op::Pop ? 1 : 0;   // not just any item
            in.next = found->second < 0 ? -1 : inst(found->second).next;
            if (in.next < 0) {
                in.op = Op::EndBody;
                in.count = handler_at(entry);
            }
        }
        for (Inst& in : function_.insts) {
            if (in.op == Op::CallFinally) in.target = -1;   // stays: only return, break and continue call
        }
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(function_.insts.size()); ++i) {
            Inst& in = inst(i);
            if (in.op != Op::EndFinally) continue;
            if (std::find(with_ends.begin(), with_ends.end(), i) != with_ends.end()) continue;   // may swallow
            // What stands behind is still where the statement goes on: the edge stays for the structurer, nothing runs it.
            in.op = Op::Reraise;
        }
    }

  private:
    std::uint32_t handler_at(std::int32_t entry) const {
        for (std::size_t h = 0; h < function_.handlers.size(); ++h) {
            if (function_.handlers[h].target == entry) return static_cast<std::uint32_t>(h);
        }
        return 0;
    }

    struct State {
        bool seen = false;
        std::int32_t block = -1;
        std::int32_t depth = 0;
    };

    Inst& inst(std::int32_t i) { return function_.insts[static_cast<std::size_t>(i)]; }
    const Block& block(std::int32_t b) const { return blocks_[static_cast<std::size_t>(b)]; }
    std::int32_t handler_of(std::int32_t b) const { return b < 0 ? -1 : block(b).handler; }

    void reach(std::int32_t i, std::int32_t b, std::int32_t depth) {
        if (i < 0) return;
        State& state = state_[static_cast<std::size_t>(i)];
        if (state.seen) return;
        state = {true, b, depth};
        inst(i).handler = handler_of(b);
        todo_.push_back(i);
    }

    std::int32_t push(std::int32_t parent, BlockKind kind, std::int32_t depth, std::int32_t handler,
                      std::int32_t setup) {
        blocks_.push_back({parent, kind, depth, handler, setup});
        return static_cast<std::int32_t>(blocks_.size()) - 1;
    }

    std::int32_t pop(std::int32_t i, std::int32_t b) const {
        if (b < 0) throw Error(function_.insts[static_cast<std::size_t>(i)].offset, "the block stack is empty");
        return block(b).parent;
    }

    // Pushes a protected block and walks its handler too. Afterwards the instruction names its handler.
    std::int32_t protect(std::int32_t i, std::int32_t b, std::int32_t depth) {
        const auto id = static_cast<std::int32_t>(function_.handlers.size());
        function_.handlers.push_back({inst(i).target, static_cast<std::uint32_t>(depth), false, handler_of(b)});
        const std::int32_t in_handler = push(b, BlockKind::ExceptHandler, depth, handler_of(b), -1);
        reach(inst(i).target, in_handler, depth + function_.features->exc_info_items);
        inst(i).count = static_cast<std::uint32_t>(id);
        inst(i).target = -1;
        return push(b, BlockKind::Protected, depth, id, -1);
    }

    void mark_for(std::int32_t b) {
        if (b >= 0 && block(b).kind == BlockKind::Loop) inst(block(b).setup).flag = true;
    }

    void leave_loop(std::int32_t i, std::int32_t b) {
        Inst& in = inst(i);
        std::int32_t loop = b;
        while (loop >= 0 && block(loop).kind != BlockKind::Loop) loop = block(loop).parent;
        if (loop < 0) throw Error(in.offset, "not in a loop");
        if (in.op == Op::BreakLoop) {
            in.target = inst(block(loop).setup).target;
            in.count = static_cast<std::uint32_t>(block(loop).depth);
            reach(in.target, block(loop).parent, block(loop).depth);
            in.next =
                i + 1;  // no way that control goes, but what stands there has this one only if nothing else leads there
            reach(in.next, b, state_[static_cast<std::size_t>(i)].depth);
        } else {
            in.count = static_cast<std::uint32_t>(state_[static_cast<std::size_t>(in.target)].depth);
            reach(in.target, loop, state_[static_cast<std::size_t>(in.target)].depth);
            in.next = -1;  // unwinds: the stack is cut to `count` items
        }
    }

    void step(std::int32_t i) {
        const auto [seen, b, depth] = state_[static_cast<std::size_t>(i)];
        Inst& in = inst(i);
        const std::int32_t after = depth + stack_effect(function_, in, false);
        if (after < 0) throw Error(in.offset, "the stack is empty");
        std::int32_t next_block = b;
        switch (in.op) {
            case Op::SetupLoop:
                reach(in.target, b, depth);
                next_block = push(b, BlockKind::Loop, depth, handler_of(b), i);
                break;
            case Op::SetupFinally: next_block = protect(i, b, depth - static_cast<std::int32_t>(in.count)); break;
            case Op::PopBlock:
                if (b >= 0 && block(b).kind == BlockKind::Loop) in.op = Op::LoopEnd;
                next_block = pop(i, b);
                break;
            case Op::PopExcept:
            case Op::EndFinally: next_block = pop(i, b); break;
            case Op::GetAsyncNext: mark_for(b < 0 ? b : block(b).parent); break;
            case Op::PopFinally:
            case Op::EndAsyncFor: next_block = pop(i, b); break;
            case Op::BreakLoop:
            case Op::ContinueLoop: leave_loop(i, b); return;
            case Op::CallFinally:
            case Op::BeginFinally: break;  // their edge to the finally body is its handler edge
            default:
                if (in.op == Op::ForIter) mark_for(b);
                if (in.target >= 0) reach(in.target, b, depth + stack_effect(function_, in, true));
                break;
        }
        // BEGIN_FINALLY falls into the finally body, which the handler edge reaches already
        if (in.op != Op::BeginFinally && !falls_into_handler(in)) reach(in.next, next_block, after);
    }

    // 3.7: LOAD_CONST None; finally body
    bool falls_into_handler(const Inst& in) const {
        return function_.features->finally_unwinds && in.op == Op::Const && in.value->kind == Constant::Kind::None &&
               in.next >= 0 && is_handler_[static_cast<std::size_t>(in.next)];
    }

    // The END_FINALLY at which the finally body or with exit that starts at `entry` ends; -1 where it never does.
    std::int32_t end_of(std::int32_t entry) {
        const std::int32_t depth = state_[static_cast<std::size_t>(entry)].depth;
        const std::int32_t wanted = inst(entry).op == Op::WithCleanupStart ? depth - 1 : depth;
        std::vector<std::int32_t> todo{entry};
        std::vector<std::int32_t> seen{entry};
        auto add = [&](std::int32_t i) {
            if (i < 0 || !state_[static_cast<std::size_t>(i)].seen ||
                state_[static_cast<std::size_t>(i)].depth < wanted)
                return;
            if (visited_[static_cast<std::size_t>(i)]) return;
            visited_[static_cast<std::size_t>(i)] = true;
            seen.push_back(i);
            todo.push_back(i);
        };
        visited_[static_cast<std::size_t>(entry)] = true;
        std::int32_t found = -1;
        while (!todo.empty() && found < 0) {
            const std::int32_t i = todo.back();
            todo.pop_back();
            const Inst& in = inst(i);
            if (in.op == Op::EndFinally && state_[static_cast<std::size_t>(i)].depth == wanted) found = i;
            if (in.op == Op::BeginFinally || falls_into_handler(in)) {
                // the inner finally body is reached through its handler
                const std::int32_t inner = in.next;
                if (!visited_[static_cast<std::size_t>(inner)]) add(inner);
            } else {
                add(in.next);
            }
            add(in.target);
        }
        for (std::int32_t i : seen) visited_[static_cast<std::size_t>(i)] = false;
        return found;
    }

    ir::Function& function_;
    std::vector<State> state_;
    std::vector<Block> blocks_;
    std::vector<std::int32_t> todo_;
    std::vector<bool> is_handler_, visited_;
};

}  // namespace

void assign_block_handlers(ir::Function& function) {
    Walk walk(function);
    walk.run();
    walk.split();
}

}  // namespace depyf::lifting
