#include "verify/optimise.h"

#include <algorithm>
#include <utility>

namespace depyf::verify {

using ir::Inst;
using ir::Op;

namespace {

class Optimiser {
  public:
    explicit Optimiser(ir::Function& function) : function_(function) {}

    // JUMP_IF_FALSE_OR_POP to another test of the value that it keeps. Source: optimize_basic_block, up to 3.11;
    // PyCode_Optimize up to 3.9.
    void thread_kept_values(Lowered& lowered) {
        const bool certain = function_.features->has_match;   // 3.10+
        std::vector<ir::Inst>& insts = function_.insts;
        for (std::size_t i = 0; i < insts.size(); ++i) {
            if (insts[i].op != Op::KeepBranch) continue;
            Inst inst = insts[i];
            for (std::size_t steps = 0; inst.op == Op::KeepBranch && steps < function_.insts.size(); ++steps) {
                const std::int32_t to = settle(inst.target);
                if (to < 0 || !retarget(inst, at(to))) break;
                lowered.line_sensitive = true;
            }
            if (inst.op == insts[i].op && inst.target == insts[i].target) continue;
            if (certain)
                insts[i] = inst;
            else
                lowered.threaded[static_cast<std::int32_t>(i)] = inst;
        }
    }

    // COPY 1; POP_JUMP_IF_FALSE t; POP_TOP, where t tests the copy again. Source: JUMP_IF_FALSE in optimize_basic_block,
    // 3.14+.
    void thread_copied_values() {
        for (std::size_t i = 0; i + 1 < function_.insts.size(); ++i) {
            if (!copies_and_tests(static_cast<std::int32_t>(i))) continue;
            Inst& test = function_.insts[i + 1];
            for (std::size_t steps = 0; steps < function_.insts.size(); ++steps) {
                const std::int32_t to = settle(test.target);
                if (to < 0 || !copies_and_tests(to)) break;
                const Inst& again = at(to + 1);
                test.target = again.count == test.count ? again.target : again.next;
            }
        }
    }

    // SWAP n; STORE a; STORE b  =>  STORE b; STORE a. Source: apply_static_swaps, 3.11+.
    void apply_static_swaps() {
        mark_leaders();
        const auto size = static_cast<std::int32_t>(function_.insts.size());
        for (std::int32_t i = 0; i < size; ++i) {
            if (at(i).op == Op::Swap) {
                i = fewer_swaps(i);
                apply_swaps_before(i);
            }
            if (at(i).op == Op::StoreFast && function_.features->repeated_stores_dropped) drop_repeated(i);
        }
    }

  private:
    Inst& at(std::int32_t i) { return function_.insts[static_cast<std::size_t>(i)]; }

    bool copies_and_tests(std::int32_t i) {
        const bool pair = at(i).op == Op::Copy && at(i).count == 1 && at(i + 1).op == Op::Branch &&
                          at(i + 1).count <= static_cast<std::uint32_t>(ir::Condition::True);
        return pair && at(i + 1).next == i + 2 && at(i + 2).op == Op::Pop;
    }

    std::int32_t settle(std::int32_t i) {
        for (std::size_t steps = 0; i >= 0 && steps < function_.insts.size(); ++steps) {
            if (at(i).op == Op::Jump)
                i = at(i).target;
            else if (at(i).op == Op::Nop)
                i = at(i).next;
            else
                return i;
        }
        return -1;
    }

    // false: the target is no test, or a test that pops where this one jumps.
    bool retarget(Inst& inst, const Inst& test) {
        const bool tests = test.op == Op::KeepBranch || test.op == Op::Branch;
        if (!tests || test.count > static_cast<std::uint32_t>(ir::Condition::True)) return false;
        const bool same = test.count == inst.count;
        if (test.op == Op::Branch || !same) inst.op = Op::Branch;
        inst.target = same ? test.target : test.next;
        return true;
    }

    void mark_leaders() {
        leaders_.assign(function_.insts.size() + 1, false);
        for (std::size_t i = 0; i < function_.insts.size(); ++i) {
            const Inst& inst = function_.insts[i];
            if (inst.target >= 0) {
                leaders_[static_cast<std::size_t>(inst.target)] = true;
                leaders_[i + 1] = true;
            }
            if (inst.next < 0) leaders_[i + 1] = true;
        }
        for (const ir::Handler& handler : function_.handlers) {
            if (handler.target >= 0) leaders_[static_cast<std::size_t>(handler.target)] = true;
        }
    }

    static bool is_swappable(const Inst& inst) {
        return inst.op == Op::StoreFast || (inst.op == Op::Pop && !inst.flag && inst.count == 0);
    }

    // The next STORE_FAST or POP_TOP in the block behind i, nothing else between; else -1.
    std::int32_t next_swappable(std::int32_t i) {
        const auto size = static_cast<std::int32_t>(function_.insts.size());
        while (++i < size && !leaders_[static_cast<std::size_t>(i)]) {
            if (at(i).op == Op::Nop) continue;
            return is_swappable(at(i)) ? i : -1;
        }
        return -1;
    }

    // The run of swaps that starts at i becomes the shortest one that does the same. Returns where the run ends. Source:
    // swaptimize.
    std::int32_t fewer_swaps(std::int32_t i) {
        const auto size = static_cast<std::int32_t>(function_.insts.size());
        std::uint32_t depth = at(i).count;
        std::int32_t end = i + 1, swaps = 1;
        for (; end < size && !leaders_[static_cast<std::size_t>(end)]; ++end) {
            if (at(end).op == Op::Swap) {
                depth = std::max(depth, at(end).count);
                ++swaps;
            } else if (at(end).op != Op::Nop) {
                break;
            }
        }
        if (swaps == 1) return i;
        std::vector<std::uint32_t> stack(depth);
        for (std::uint32_t k = 0; k < depth; ++k) stack[k] = k;
        for (std::int32_t k = i; k < end; ++k) {
            if (at(k).op == Op::Swap) std::swap(stack[0], stack[at(k).count - 1]);
        }
        rewrite_swaps(i, end - 1, stack);
        return end - 1;
    }

    // Every cycle of the permutation is a run of swaps with the top; written from the end backwards.
    void rewrite_swaps(std::int32_t first, std::int32_t current, std::vector<std::uint32_t>& stack) {
        constexpr std::uint32_t kVisited = 0xFFFFFFFF;
        for (std::uint32_t k = 0; k < stack.size(); ++k) {
            if (stack[k] == kVisited || stack[k] == k) continue;
            for (std::uint32_t j = k;;) {
                if (j) {
                    at(current).op = Op::Swap;
                    at(current--).count = j + 1;
                }
                if (stack[j] == kVisited) break;
                j = std::exchange(stack[j], kVisited);
            }
        }
        for (; current >= first; --current) at(current).op = Op::Nop;
    }

    // STORE_FAST x; STORE_FAST x  =>  POP_TOP; STORE_FAST x
    void drop_repeated(std::int32_t i) {
        const std::int32_t next = next_swappable(i);
        if (next < 0 || at(next).op != Op::StoreFast || at(next).name != at(i).name) return;
        at(i).op = Op::Pop;
        at(i).name = nullptr;
    }

    void apply_swaps_before(std::int32_t i) {
        for (; i >= 0; --i) {
            Inst& swap = at(i);
            if (swap.op != Op::Swap) {
                if (swap.op != Op::Nop && !is_swappable(swap)) return;
            } else if (!apply_one(i)) {
                return;
            }
            if (leaders_[static_cast<std::size_t>(i)]) return;
        }
    }

    bool apply_one(std::int32_t i) {
        const std::int32_t j = next_swappable(i);
        std::int32_t k = j;
        for (std::uint32_t n = at(i).count; k >= 0 && n > 1; --n) k = next_swappable(k);
        if (k < 0) return false;
        const std::string* first = at(j).op == Op::StoreFast ? at(j).name : nullptr;
        const std::string* second = at(k).op == Op::StoreFast ? at(k).name : nullptr;
        if (first && first == second) return false;
        for (std::int32_t between = j + 1; (first || second) && between < k; ++between) {
            if (at(between).op == Op::StoreFast && (at(between).name == first || at(between).name == second))
                return false;
        }
        at(i).op = Op::Nop;
        std::swap(at(j).op, at(k).op);
        std::swap(at(j).name, at(k).name);
        return true;
    }

    ir::Function& function_;
    std::vector<bool> leaders_;
};

}  // namespace

void optimise(Lowered& lowered) {
    const Features& features = *lowered.function.features;
    Optimiser optimiser(lowered.function);
    if (!features.has_intrinsics) optimiser.thread_kept_values(lowered);
    if (features.values_threaded) optimiser.thread_copied_values();
    if (features.has_copy_swap) optimiser.apply_static_swaps();
}

}  // namespace depyf::verify
