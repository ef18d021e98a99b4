// match statements: a chain of blocks that each test one pattern, with the guards between them.
#include <algorithm>

#include "base/error.h"
#include "express/conditions.h"
#include "structure/structurer.h"

namespace depyf {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

// Where the cases of `chain` meet again; -1 where they do not.
std::int32_t Structurer::match_follow(const MatchChain& chain) const {
    const auto ends = [&](std::int32_t x) { return graph_[x].next < 0 && graph_[x].target < 0; };
    const auto in_chain = [&](std::int32_t x) {
        return std::find(chain.blocks.begin(), chain.blocks.end(), x) != chain.blocks.end();
    };
    std::int32_t best = -1;
    for (std::int32_t b : chain.blocks) {
        for (std::int32_t m : regions_.dominators().children(b)) {
            if (in_chain(m) || !regions_.is_join(m)) continue;
            // pattern and guard of the last case both lead to what comes if it does not match
            if (m == chain.end && std::all_of(graph_[m].preds.begin(), graph_[m].preds.end(), in_chain)) continue;
            // a short way out that several cases share is not where they meet
            if (best < 0 || (ends(best) && !ends(m)) ||
                (ends(best) == ends(m) && regions_.dominators().position(m) > regions_.dominators().position(best))) {
                best = m;
            }
        }
    }
    return best;
}

// Reads the guard of the case at block `at`, if there is one, into `arm`; tells where the case fails.
std::int32_t Structurer::read_guard(std::int32_t at, MatchArm& arm) const {
    const Block& block = graph_[at];
    const std::int32_t end = block.target;
    const bool last = graph_.function->insts[static_cast<std::size_t>(block.insts.back())].flag;
    if (arm.body == end) {   // nothing is left of a body that does nothing, or of a guard that is always false
        arm.body = -1;
        Constant never;
        never.kind = Constant::Kind::False;
        if (!last) arm.guard = tree_.constant(never);
        return end;
    }
    if (arm.body < 0) return end;
    const Block& behind = graph_[arm.body];
    if (behind.exit != Exit::Branch || !behind.pure() || behind.preds.size() != 1 || behind.next == behind.target)
        return end;
    const bool wildcard =
        arm.pattern->kind == ast::PatternKind::As && arm.pattern->patterns.empty() && arm.pattern->name.empty();
    const bool other_line =
        block.location.line > 0 && behind.location.line > 0 && block.location.line != behind.location.line;
    const bool always = end < 0 && last && !other_line;
    if (last && other_line && !wildcard) return end;   // an `if` in the body
    auto fails = [&](std::int32_t to) { return end >= 0 ? to == end : !last && is_case(to); };
    const bool when_false = fails(behind.target) || ((always || wildcard) && !fails(behind.next) && behind.falls_true);
    const bool when_true = !when_false && (fails(behind.next) || (end < 0 && (always || wildcard)));
    if (!when_false && !when_true) return end;
    arm.guard_block = arm.body;
    arm.guard = when_false ? behind.value : negated(tree_, behind.value);
    arm.body = when_false ? behind.next : behind.target;
    return when_false ? behind.target : behind.next;
}

Structurer::MatchChain Structurer::match_chain(std::int32_t b) const {
    MatchChain chain;
    for (std::int32_t at = b; at >= 0;) {
        MatchArm arm{graph_[at].next, nullptr, -1, graph_[at].pattern};
        chain.end = read_guard(at, arm);
        chain.blocks.push_back(at);
        if (arm.guard_block >= 0) chain.blocks.push_back(arm.guard_block);
        chain.arms.push_back(arm);
        const bool last = graph_.function->insts[static_cast<std::size_t>(graph_[at].insts.back())].flag;
        at = !last && is_case(chain.end) ? chain.end : -1;
    }
    return chain;
}

std::int32_t Structurer::match(std::int32_t b, const Context& context, Body& out) {
    const MatchChain chain = match_chain(b);
    const std::int32_t end = chain.end;
    if (graph_[b].value->kind != ExprKind::MatchSubject)
        throw Error(graph_[b].offset, "the subject of a match comes from several places");
    Stmt* stmt = make(StmtKind::Match, b);
    stmt->exprs = {graph_[b].value->items[0]};
    out.push_back(stmt);
    const bool marked = end >= 0 && is_default(end, chain);
    std::int32_t follow = regions_.settle(match_follow(chain));
    if (follow < 0 && chain.arms.back().body < 0 && !chain.arms.back().guard) follow = regions_.settle(end);
    // at the end of a loop's body the cases may `continue` past what follows
    const bool lines = graph_[b].location.line > 0;
    if (follow < 0 && end >= 0 && !marked && lines && context.next >= 0 && context.next == context.again)
        follow = regions_.settle(end);
    Context inner = context;
    if (follow >= 0) inner.next = follow;
    bool any_completes = false;
    for (const MatchArm& arm : chain.arms) {
        Body body = walk(arm.body, inner);
        any_completes = any_completes || (arm.body >= 0 && completes(body));
        stmt->cases.push_back({arm.pattern, arm.guard, std::move(body)});
    }
    if (end < 0 && follow < 0 && !any_completes) return -1;
    if (end >= 0 && follow < 0 && !any_completes && !marked && regions_.settle(end) != context.next) return end;
    if (end >= 0 && (regions_.settle(end) != inner.next || marked)) {
        Body body = walk(end, inner);
        const bool ends = follow < 0 && context.next < 0 && body.size() == 1 && body[0]->kind == StmtKind::Return &&
                          body[0]->flag;  // control gets to the end of the function all the same
        if ((!body.empty() && !ends) || marked)
            stmt->cases.push_back({tree_.pattern(ast::PatternKind::As), nullptr, std::move(body)});
    }
    return follow >= 0 ? follow : context.next;
}

// Block `b`, where the last case fails, was marked as the body of `case _:` and only the cases lead there.
bool Structurer::is_default(std::int32_t b, const MatchChain& chain) const {
    const Block& block = graph_[b];
    if (block.insts.empty() ||
        graph_.function->insts[static_cast<std::size_t>(block.insts[0])].op != ir::Op::MatchDefault)
        return false;
    return std::all_of(block.preds.begin(), block.preds.end(), [&](std::int32_t p) {
        return std::find(chain.blocks.begin(), chain.blocks.end(), p) != chain.blocks.end();
    });
}

// Block `b` does nothing but test the next pattern for the subject that lies on the stack.
bool Structurer::is_case(std::int32_t b) const {
    return b >= 0 && graph_[b].exit == Exit::Case && graph_[b].pure();
}

}  // namespace depyf
