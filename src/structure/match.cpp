// match statements: a chain of blocks that each test one pattern, with the guards between them.
#include <algorithm>

#include "express/conditions.h"
#include "structure/structurer.h"

namespace depyf {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

// Where the cases that start at `blocks` meet again; -1 where they do not. `end`: where the last one goes if it does
// not match either.
std::int32_t Structurer::match_follow(const std::vector<std::int32_t>& blocks, std::int32_t end) const {
    std::int32_t best = -1;
    for (std::int32_t b : blocks) {
        for (std::int32_t m : regions_.dominators().children(b)) {
            if (std::find(blocks.begin(), blocks.end(), m) != blocks.end()) continue;
            if (!regions_.is_join(m)) continue;
            // a short way out that several cases share is not where they meet
            const auto ends = [&](std::int32_t x) { return graph_[x].next < 0 && graph_[x].target < 0; };
            if (best < 0 || (ends(best) && !ends(m)) ||
                (ends(best) == ends(m) && regions_.dominators().position(m) > regions_.dominators().position(best))) {
                best = m;
            }
        }
    }
    if (best >= 0 && best != end && graph_[best].next < 0 && graph_[best].target < 0 && end >= 0 && regions_.reaches(end, best) &&
        !regions_.dominators().dominates(end, best)) {
        return best;
    }
    return best;
}

std::int32_t Structurer::match(std::int32_t b, const Context& context, Body& out) {
    struct Arm {
        std::int32_t body;
        Expr* guard;
        ast::Pattern* pattern;
    };
    std::vector<Arm> arms;
    std::vector<std::int32_t> blocks;    // cases and guards
    Stmt* stmt = make(StmtKind::Match, b);
    const Expr* subject = graph_[b].value;
    stmt->exprs = {graph_[b].value->items[0]};
    std::int32_t end = -1;
    for (std::int32_t at = b; at >= 0;) {
        const Block& block = graph_[at];
        blocks.push_back(at);
        Arm arm{block.next, nullptr, block.pattern};
        end = block.target;
        if (arm.body == end) {   // what a guard that is always false leaves
            Constant never;
            never.kind = Constant::Kind::False;
            arm.guard = tree_.constant(never);
            arm.body = -1;
            arms.push_back(arm);
            at = is_case(end, subject) ? end : -1;
            continue;
        }
        const Block& behind = graph_[arm.body];
        const bool wildcard = arm.pattern->kind == ast::PatternKind::As && arm.pattern->patterns.empty() && arm.pattern->name.empty();
        if (behind.exit == Exit::Branch && behind.pure() && behind.preds.size() == 1 && behind.next != behind.target) {
            auto fails = [&](std::int32_t to) { return end >= 0 ? to == end : is_case(to, subject); };
            const bool when_false = fails(behind.target) || (end < 0 && wildcard && !fails(behind.next) && behind.falls_true);
            const bool when_true = !when_false && (fails(behind.next) || (end < 0 && wildcard));
            if (when_false || when_true) {
                blocks.push_back(arm.body);
                arm.guard = when_false ? behind.value : negated(tree_, behind.value);
                arm.body = when_false ? behind.next : behind.target;
                end = when_false ? behind.target : behind.next;
            }
        }
        arms.push_back(arm);
        at = end >= 0 && is_case(end, subject) ? end : -1;
    }
    out.push_back(stmt);
    const std::int32_t follow = match_follow(blocks, end);
    Context inner = context;
    if (follow >= 0) inner.next = follow;
    bool any_completes = false;
    for (const Arm& arm : arms) {
        ast::MatchCase& c = stmt->cases.emplace_back();
        c.pattern = arm.pattern;
        c.guard = arm.guard;
        stmt->cases.back().body = walk(arm.body, inner);
        any_completes = any_completes || completes(stmt->cases.back().body);
    }
    const bool marked = end >= 0 && is_default(end, blocks);
    if (end < 0 || (end == inner.next && !marked)) return follow >= 0 ? follow : end < 0 && !any_completes ? -1 : context.next;
    if (follow < 0 && !any_completes && !marked) return end;
    Body body = walk(end, inner);
    if (!body.empty() || marked) stmt->cases.push_back({tree_.pattern(ast::PatternKind::As), nullptr, std::move(body)});
    return follow >= 0 ? follow : context.next;
}

// Block `b`, where the last case fails, was marked as the body of `case _:` and only the cases lead there.
bool Structurer::is_default(std::int32_t b, const std::vector<std::int32_t>& cases) const {
    const Block& block = graph_[b];
    if (block.insts.empty() || graph_.function->insts[static_cast<std::size_t>(block.insts[0])].op != ir::Op::MatchDefault) return false;
    return std::all_of(block.preds.begin(), block.preds.end(), [&](std::int32_t p) { return std::find(cases.begin(), cases.end(), p) != cases.end(); });
}

// Block `b` does nothing but test the next pattern for the same subject.
bool Structurer::is_case(std::int32_t b, const Expr* subject) const {
    return b >= 0 && graph_[b].exit == Exit::Case && graph_[b].value == subject && graph_[b].pure();
}

}  // namespace depyf
