#include "verify/bisimulation.h"

#include "verify/pair_set.h"
#include "verify/stack_window.h"

namespace depyf::verify {

using ir::Inst;
using ir::Op;

namespace {

constexpr std::int32_t kNowhere = -1;   // control runs off the code
constexpr std::int32_t kForever = -2;   // an empty endless loop

class Side {
  public:
    explicit Side(const ir::Function& function) : function_(function) {}

    const Inst& at(std::int32_t i) const { return function_.insts[static_cast<std::size_t>(i)]; }
    const ir::Handler& handler(std::int32_t h) const { return function_.handlers[static_cast<std::size_t>(h)]; }
    bool has(std::int32_t i) const { return static_cast<std::size_t>(i) < function_.insts.size(); }
    StackWindow& window() { return window_; }

    // To the next operation that counts.
    std::int32_t settle(std::int32_t i) {
        window_.clear();
        for (std::size_t steps = 0; i >= 0; ++steps) {
            if (steps > function_.insts.size()) return kForever;
            const Inst& inst = at(i);
            switch (inst.op) {
                case Op::Nop: break;
                case Op::Jump: i = inst.target; continue;
                case Op::Copy: window_.copy(inst.count); break;
                case Op::Swap: window_.swap(inst.count); break;
                case Op::Rotate: window_.rotate(inst.count); break;
                case Op::Pop:
                    if (inst.flag || inst.count) return i;
                    window_.pop();
                    break;
                case Op::EndBody: return kNowhere;   // a finally body that never ends
                default: return i;
            }
            i = inst.next;
        }
        return kNowhere;
    }

  private:
    const ir::Function& function_;
    StackWindow window_;
};

class Walk {
  public:
    Walk(const ir::Function& input, const Lowered& lowered)
        : lowered_(lowered),
          features_(*input.features),
          a_(input),
          b_(lowered.function),
          partner_a_(input.insts.size(), kNowhere),
          partner_b_(lowered.function.insts.size(), kNowhere),
          budget_(8 * (input.insts.size() + lowered.function.insts.size()) + 64) {
        todo_.emplace_back(input.entry, lowered.function.entry);
    }

    Comparison run() {
        while (!todo_.empty()) {
            const auto [i, j] = todo_.back();
            todo_.pop_back();
            if (!seen_.insert(i, j)) continue;
            if (seen_.size() > budget_) {
                differ(i, "the proof ran over its budget");
                break;
            }
            step(i, j);
        }
        return std::move(result_);
    }

  private:
    void differ(std::int32_t i, std::string message) {
        result_.one_to_one = false;
        if (!result_.difference.message.empty()) return;
        result_.difference = {i < 0 ? -1 : static_cast<std::int64_t>(a_.at(i).offset), std::move(message)};
    }

    static std::string describe(const Inst& inst) {
        std::string text = ir::op_name(inst.op);
        if (inst.name) text += " '" + *inst.name + "'";
        if (inst.value && (inst.value->kind == Constant::Kind::Str || inst.value->kind == Constant::Kind::Int))
            text += " " + inst.value->text.substr(0, 40);
        else if (inst.count)
            text += " " + std::to_string(inst.count);
        return text;
    }

    void step(std::int32_t start_a, std::int32_t start_b) {
        const std::int32_t i = a_.settle(start_a), j = b_.settle(start_b);
        if (i < 0 || j < 0) {
            if (i != j) differ(start_a, "one of the two ends");
            return;
        }
        if (!StackWindow::same(a_.window(), b_.window())) {
            differ(i, "other items on the stack at " + describe(a_.at(i)) + ", found " + describe(b_.at(j)));
            return;
        }
        if ((i != start_a || j != start_b) && !seen_.insert(i, j)) return;
        partner(partner_a_, i, j);
        partner(partner_b_, j, i);
        const Inst& p = a_.at(i);
        const Inst& q = threaded(p, j);
        if (!same_operation(p, q)) {
            differ(i, "expected " + describe(p) + ", found " + describe(q));
            return;
        }
        if (!same_handlers(p, q)) {
            differ(i, "another handler around " + describe(p));
            return;
        }
        // nothing comes behind a `break`, but other ways of comparing code go on there
        if (p.op == Op::BreakLoop && a_.has(i + 1) && b_.has(j + 1)) todo_.emplace_back(i + 1, j + 1);
        follow(p, q);
    }

    void partner(std::vector<std::int32_t>& partners, std::int32_t of, std::int32_t is) {
        std::int32_t& known = partners[static_cast<std::size_t>(of)];
        if (known != kNowhere && known != is) result_.one_to_one = false;
        known = is;
    }

    // The lowered instruction, or the one that it is with its jump threaded, whichever is like `p`.
    const Inst& threaded(const Inst& p, std::int32_t j) {
        const Inst& q = b_.at(j);
        if (q.op != Op::KeepBranch || lowered_.threaded.empty()) return q;
        const auto found = lowered_.threaded.find(j);
        if (found == lowered_.threaded.end() || p.op != found->second.op) return q;
        if (p.op == Op::Branch) return found->second;
        const std::int32_t to = a_.settle(p.target);
        const bool tests = to >= 0 && (a_.at(to).op == Op::KeepBranch || a_.at(to).op == Op::Branch);
        return tests ? q : found->second;
    }

    static bool tests_none(const Inst& inst) { return inst.count >= static_cast<std::uint32_t>(ir::Condition::None); }

    bool same_operation(const Inst& p, const Inst& q) {
        if (p.op != q.op) return false;
        if (p.op == Op::SetupLoop) return true;   // its target: follow
        if (p.flag != q.flag) return false;
        if ((p.name != nullptr) != (q.name != nullptr) || (p.name && p.name != q.name && *p.name != *q.name))
            return false;
        switch (p.op) {
            case Op::Const: return same_constant(p, q);
            case Op::Branch: return tests_none(p) == tests_none(q);
            case Op::SetupFinally: return true;   // its handler: same_handlers
            case Op::CallFinally: return true;    // the innermost one: the handler around tells
            default: break;
        }
        if (p.count != q.count) return false;
        if ((p.value != nullptr) != (q.value != nullptr)) return false;
        return !p.value || p.value == q.value || *p.value == *q.value;
    }

    bool same_constant(const Inst& p, const Inst& q) {
        if (!p.value) return false;
        const bool code = p.value->kind == Constant::Kind::Code && p.value->code;
        if (!code) return q.value && (p.value == q.value || *p.value == *q.value);
        if (q.count == 0) return false;
        if (*lowered_.children[q.count - 1].name != p.value->code->name) return false;
        result_.nested.emplace_back(p.value->code.get(), q.count - 1);
        return true;
    }

    // Operations that cannot raise: whether a handler covers them makes no difference.
    bool is_quiet(const Inst& inst) const {
        switch (inst.op) {
            case Op::Const:
            case Op::StoreFast:
            case Op::PushNull:
            case Op::Return:
            case Op::PopExcept:
            case Op::PushException:
            case Op::PopBlock:
            case Op::LoopEnd:
            case Op::LoadClosure:
            case Op::PopIter:
            case Op::BuildTuple: return true;
            case Op::Compare:
                return features_.has_is_and_contains_op &&
                       (inst.count == static_cast<std::uint32_t>(ast::CompareOperator::Is) ||
                        inst.count == static_cast<std::uint32_t>(ast::CompareOperator::IsNot));
            case Op::LoadFast: return features_.has_intrinsics;   // an unbound one is checked apart
            case Op::Branch: return features_.has_to_bool || tests_none(inst);
            default: return false;
        }
    }

    bool same_handler(std::int32_t h, std::int32_t k) {
        const ir::Handler &x = a_.handler(h), &y = b_.handler(k);
        if (x.depth != y.depth || x.lasti != y.lasti) return false;
        todo_.emplace_back(x.target, y.target);
        return true;
    }

    bool same_handlers(const Inst& p, const Inst& q) {
        const bool quiet = is_quiet(p);
        if (p.op == Op::SetupFinally &&
            !same_handler(static_cast<std::int32_t>(p.count), static_cast<std::int32_t>(q.count)))
            return false;
        if (p.handler < 0 && q.handler < 0) return true;
        if (p.handler < 0 || q.handler < 0 || !same_handler(p.handler, q.handler)) {
            result_.one_to_one = false;
            return quiet;
        }
        return true;
    }

    void follow(const Inst& p, const Inst& q) {
        if (p.op == Op::Branch) {
            // odd conditions: True, NotNone
            const bool p_flips = (p.count & 1) != 0, q_flips = (q.count & 1) != 0;
            todo_.emplace_back(p_flips ? p.next : p.target, q_flips ? q.next : q.target);
            todo_.emplace_back(p_flips ? p.target : p.next, q_flips ? q.target : q.next);
            return;
        }
        const bool breaks = p.op == Op::BreakLoop;   // what stands behind it: step
        if (!breaks && (p.next >= 0 || q.next >= 0)) todo_.emplace_back(p.next, q.next);
        if (p.target >= 0 || q.target >= 0) todo_.emplace_back(p.target, q.target);
    }

    const Lowered& lowered_;
    const Features& features_;
    Side a_, b_;
    std::vector<std::int32_t> partner_a_, partner_b_;
    std::size_t budget_;
    PairSet seen_;
    std::vector<std::pair<std::int32_t, std::int32_t>> todo_;
    Comparison result_;
};

}  // namespace

Comparison compare(const ir::Function& input, const Lowered& lowered) {
    return Walk(input, lowered).run();
}

}  // namespace depyf::verify
