#include "match/match.h"

#include <unordered_map>

#include "match/case_reader.h"
#include "match/guard.h"

namespace depyf {

using ir::Inst;
using matching::Case;
using matching::read_case;

namespace {

class Recogniser {
  public:
    explicit Recogniser(ir::Function& function)
        : function_(function), size_(static_cast<std::int32_t>(function.insts.size())) {}

    void run() {
        for (std::int32_t i = 0; i < size_; ++i) {
            const std::int32_t start = start_before(i);
            if (start < 0 || inst(start).op == ir::Op::MatchCase) continue;
            const std::vector<Case> cases = read_match(start);
            for (const Case& c : cases) write(c);
        }
    }

  private:
    Inst& inst(std::int32_t i) { return function_.insts[static_cast<std::size_t>(i)]; }

    // The instruction with which a first case may begin, told by instruction `i`; -1 for none.
    std::int32_t start_before(std::int32_t i) {
        switch (inst(i).op) {
            case ir::Op::Copy: return inst(i).count == 1 ? i : -1;
            case ir::Op::MatchSequence:
            case ir::Op::MatchMapping: return not_copied(i);
            case ir::Op::MatchClass: {   // class; names; MatchClass
                std::int32_t k = i - 2;
                while (k > 0 && inst(k).op == ir::Op::LoadAttr) --k;
                if (k > 0 && inst(k - 1).op == ir::Op::LoadLocals) --k;
                return not_copied(k);
            }
            default: return matching::opens_with_guard(function_, i) ? i : -1;
        }
    }

    // A copy in front belongs to the case: it was tried before.
    std::int32_t not_copied(std::int32_t i) {
        return i > 0 && inst(i - 1).op == ir::Op::Copy && inst(i - 1).count == 1 ? -1 : i;
    }

    std::vector<Case> read_match(std::int32_t start) {
        std::vector<Case> cases;
        std::int32_t at = start;
        while (static_cast<std::int32_t>(cases.size()) < size_) {
            auto last = read_case(function_, at, true);
            if (last && (!cases.empty() || last->failure >= 0)) {
                cases.push_back(std::move(*last));
                return cases;
            }
            auto found = read_case(function_, at, false);
            // a copy that is only dropped was left out
            if (!found && (!cases.empty() || matching::opens_with_guard(function_, at))) found = wildcard(at);
            if (found && found->failure < 0) found->failure = matching::end_of_guard(function_, found->success);
            if (!found || found->failure < 0) break;
            const bool irrefutable = found->pattern.kind == ast::PatternKind::As && found->pattern.patterns.empty();
            at = found->failure;
            if (irrefutable) found->failure = -1;
            cases.push_back(std::move(*found));
        }
        return {};
    }

    // `case _ if guard`, of which only the guard is left
    static Case wildcard(std::int32_t at) {
        Case c;
        c.start = c.success = at;
        return c;
    }

    void write(const Case& c) {
        const bool insert = c.start == c.success;
        if (insert) function_.insts.push_back(Inst(inst(c.start)));
        auto [found, added] =
            ids_.try_emplace(identity(c.pattern), static_cast<std::uint32_t>(function_.patterns.size()));
        if (added) function_.patterns.push_back(c.pattern);
        Inst& in = inst(c.start);
        in.op = ir::Op::MatchCase;
        in.count = found->second;
        in.flag = c.last;
        in.next = insert ? static_cast<std::int32_t>(function_.insts.size()) - 1 : c.success;
        in.target = c.failure;
        if (c.default_mark >= 0) {
            inst(c.default_mark).op = ir::Op::MatchDefault;
            in.target = c.default_mark;
        }
        in.name = nullptr;
        in.value = nullptr;
    }

    ir::Function& function_;
    const std::int32_t size_;
    std::unordered_map<std::string, std::uint32_t> ids_;   // of patterns
};

}  // namespace

namespace {

// Takes the Nops that mark lines out of the code: they may be all that is left of `case _:`, nobody else needs them.
void remove_line_marks(ir::Function& function) {
    const auto is_mark = [](const Inst& inst) { return inst.op == ir::Op::Nop && inst.flag; };
    std::vector<std::int32_t> moved;   // where each instruction lies afterwards
    std::int32_t kept = 0;
    for (const Inst& inst : function.insts) {
        moved.push_back(kept);
        if (!is_mark(inst)) ++kept;
    }
    if (static_cast<std::size_t>(kept) == function.insts.size()) return;
    auto move = [&](std::int32_t& i) {
        while (i >= 0 && is_mark(function.insts[static_cast<std::size_t>(i)]))
            i = function.insts[static_cast<std::size_t>(i)].next;
        if (i >= 0) i = moved[static_cast<std::size_t>(i)];
    };
    for (Inst& inst : function.insts) {
        if (is_mark(inst)) continue;
        move(inst.next);
        move(inst.target);
    }
    for (ir::Handler& handler : function.handlers) move(handler.target);
    move(function.entry);
    std::erase_if(function.insts, is_mark);
}

}  // namespace

void recognise_matches(ir::Function& function) {
    if (!function.features->has_match) return;
    Recogniser(function).run();
    remove_line_marks(function);
}

}  // namespace depyf
