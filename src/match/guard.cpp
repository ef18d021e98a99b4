#include "match/guard.h"

#include <algorithm>

#include "lift/lift.h"

namespace depyf::matching {

using ir::Inst;
using ir::Op;

namespace {

constexpr std::int32_t kPops[] = {
#define INST(name, pops, pushes) pops,
#include "ir/inst.def"
#undef INST
};
constexpr std::int32_t kPushes[] = {
#define INST(name, pops, pushes) pushes,
#include "ir/inst.def"
#undef INST
};

class GuardWalk {
  public:
    GuardWalk(const ir::Function& function, std::int32_t start)
        : function_(function), start_(start), seen_(function.insts.size(), false) {}

    std::int32_t run() {
        reach(start_, 0, start_);
        while (!todo_.empty()) {
            const Place place = todo_.back();
            todo_.pop_back();
            if (!step(place)) return -1;
        }
        if (drops_.empty()) return -1;
        if (next_case_ >= 0) return next_case_;
        // a last `case _ if ...` behind this one begins by dropping the subject too
        return drops_.size() == 2 ? std::max(drops_[0], drops_[1]) : -1;
    }

  private:
    struct Place {
        std::int32_t at, depth;
        std::int32_t origin;  // where the way came to with nothing above the subject, behind the last part of the guard
    };

    void reach(std::int32_t at, std::int32_t depth, std::int32_t origin) {
        if (at < 0 || seen_[static_cast<std::size_t>(at)]) return;
        seen_[static_cast<std::size_t>(at)] = true;
        todo_.push_back({at, depth, origin});
    }

    bool touches_subject(const Inst& in, std::int32_t depth) const {
        const auto n = static_cast<std::int32_t>(in.count);
        if (in.op == Op::Copy || in.op == Op::Swap || in.op == Op::Rotate) return n > depth;
        const std::int32_t pops = kPops[static_cast<std::size_t>(in.op)];
        if (pops >= 0) return pops > depth;
        return depth + lifting::stack_effect(function_, in, false) < 0;
    }

    bool step(const Place& place) {
        const Inst& in = function_.insts[static_cast<std::size_t>(place.at)];
        if (touches_subject(in, place.depth)) {
            if (in.op == Op::Pop) {
                drops_.push_back(place.at);
                return true;
            }
            if (place.origin == start_ || (next_case_ >= 0 && next_case_ != place.origin)) return false;
            next_case_ = place.origin;
            return true;
        }
        if (in.op == Op::Return || in.op == Op::Raise || in.op == Op::Reraise || in.op == Op::SetupFinally)
            return false;
        const bool parts = (in.target >= 0 && in.next >= 0) || in.op == Op::Jump || in.op == Op::Pop;
        auto go = [&](std::int32_t to, bool jump) {
            if (to < 0) return;
            const std::int32_t depth = place.depth + lifting::stack_effect(function_, in, jump);
            reach(to, depth, depth == 0 && parts ? to : place.origin);
        };
        go(in.next, false);
        go(in.target, true);
        return true;
    }

    const ir::Function& function_;
    const std::int32_t start_;
    std::vector<bool> seen_;
    std::vector<Place> todo_;
    std::vector<std::int32_t> drops_;  // where the subject is taken off the stack
    std::int32_t next_case_ = -1;
};

}  // namespace

std::int32_t end_of_guard(const ir::Function& function, std::int32_t start) {
    return GuardWalk(function, start).run();
}

bool opens_with_guard(const ir::Function& function, std::int32_t at) {
    if (at <= 0) return false;
    const auto inst = [&](std::int32_t i) -> const Inst& { return function.insts[static_cast<std::size_t>(i)]; };
    const Inst& subject = inst(at - 1);
    const std::int32_t line = inst(at).location.line;
    if (subject.next != at || subject.op == Op::PushException || kPushes[static_cast<std::size_t>(subject.op)] != 1 ||
        subject.location.line <= 0 || line <= subject.location.line)
        return false;
    const auto size = static_cast<std::int32_t>(function.insts.size());
    for (std::int32_t i = at; i < size && inst(i).location.line == line; ++i) {
        if (inst(i).op == Op::Branch) return end_of_guard(function, at) >= 0;
    }
    return false;
}

}  // namespace depyf::matching
