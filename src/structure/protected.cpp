// try and with statements.
#include <algorithm>

#include "base/error.h"
#include "structure/structurer.h"

namespace depyf {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

// What comes behind the protected region that starts at `b`. `orelse`: where the else clause starts, -1 without one.
std::int32_t Structurer::after_region(std::int32_t b, const Context& context, std::int32_t& orelse) const {
    const Block& setup = graph_[b];
    orelse = -1;
    const std::vector<std::int32_t> around = meanings(context);
    auto known = [&](std::int32_t x) { return std::find(around.begin(), around.end(), x) != around.end(); };
    auto ends = [&](std::int32_t x) { return graph_[x].next < 0 && graph_[x].target < 0; };
    std::vector<std::int32_t> exits = regions_.region_exits(b, setup.handler_id);
    std::int32_t follow = regions_.join(b, setup.next, setup.target);
    std::vector<std::int32_t> open;    // ways out of the region that mean nothing yet
    for (std::int32_t x : exits) {
        if (!known(x) && x != follow) open.push_back(x);
    }
    // `return value`: the value was computed inside, only the return stands outside
    auto returns = [&](std::int32_t x) { return graph_[x].exit == Exit::Return && graph_[x].pure() && graph_[x].insts.size() == 1; };
    open.erase(std::remove_if(open.begin(), open.end(), returns), open.end());
    if (follow < 0) {
        for (std::int32_t x : exits) {
            if (x == context.next) return x;
        }
        // handlers never come back: what the body goes on to follows the statement
        std::int32_t best = -1;
        for (std::int32_t x : open) {
            if (best < 0 || (ends(best) && !ends(x)) || (ends(best) == ends(x) && graph_[x].offset > graph_[best].offset)) best = x;
        }
        if (best < 0 && !exits.empty()) {
            for (std::int32_t x : exits) {
                if (known(x)) best = -1;
            }
        }
        // the handlers may reach what surrounds the statement: then the code behind the body is an else clause
        if (best >= 0 && context.next >= 0 && regions_.reaches(setup.target, context.next) && !ends(best) && handler_falls(b, context)) {
            orelse = best;
            return context.next;
        }
        return best;
    }
    for (std::int32_t x : open) {
        if (orelse < 0 || graph_[x].offset < graph_[orelse].offset) orelse = x;
    }
    return follow;
}

// Some handler of the statement that starts at `b` ends where the surrounding code goes on.
bool Structurer::handler_falls(std::int32_t b, const Context& context) const {
    std::vector<bool> seen(graph_.blocks.size(), false);
    std::vector<std::int32_t> todo{graph_[b].target};
    while (!todo.empty()) {
        const std::int32_t x = todo.back();
        todo.pop_back();
        if (x < 0) continue;
        if (x == context.next) return true;
        if (seen[static_cast<std::size_t>(x)] || x == context.again || x == context.leave) continue;
        if (!regions_.dominators().dominates(graph_[b].target, x)) continue;
        seen[static_cast<std::size_t>(x)] = true;
        todo.push_back(graph_[x].next);
        todo.push_back(graph_[x].target);
    }
    return false;
}

std::int32_t Structurer::protect(std::int32_t b, const Context& context, Body& out) {
    const Block& setup = graph_[b];
    const ir::Handler& handler = graph_.function->handlers[static_cast<std::size_t>(setup.handler_id)];
    const HandlerKind kind = handler_kind(*graph_.function, handler);
    if (kind == HandlerKind::NameCleanup) return setup.next;
    std::int32_t orelse = -1;
    const std::int32_t follow = after_region(b, context, orelse);
    Context inner = context;
    if (follow >= 0) inner.next = follow;
    if (kind == HandlerKind::With) return with(b, follow, context, out);
    Stmt* stmt = make(kind == HandlerKind::ExceptStar ? StmtKind::TryStar : StmtKind::Try, b);
    out.push_back(stmt);
    Context body = inner;
    if (orelse >= 0) body.next = orelse;
    stmt->body = walk(setup.next, body);
    if (orelse >= 0) stmt->orelse = walk(orelse, inner);
    if (kind == HandlerKind::Finally) {
        Context in_finally = context;
        in_finally.next = -1;
        stmt->finalbody = walk(setup.target, in_finally);
    } else if (kind == HandlerKind::ExceptStar) {
        group_clauses(stmt, setup.target, inner);
    } else {
        except_clauses(stmt, setup.target, inner);
    }
    return follow >= 0 ? follow : (completes({stmt}) ? context.next : -1);
}

std::int32_t Structurer::with(std::int32_t b, std::int32_t follow, const Context& context, Body& out) {
    const Block& setup = graph_[b];
    Expr* exit = nullptr;
    for (std::size_t i = setup.out.size(); i-- > 0 && !exit;) {
        if (setup.out[i]->kind == ExprKind::WithExit) exit = setup.out[i];
    }
    if (!exit) throw Error(setup.offset, "a with handler without its context manager");
    Context inner = context;
    if (follow >= 0) inner.next = follow;
    Stmt* stmt = make(exit->flag ? StmtKind::AsyncWith : StmtKind::With, b);
    ast::WithItem item;
    item.context = exit->items[0];
    out.push_back(stmt);
    stmt->body = walk(setup.next, inner);
    if (!stmt->body.empty() && stmt->body[0]->kind == StmtKind::Assign && stmt->body[0]->exprs.back()->kind == ExprKind::WithEnter) {
        item.target = stmt->body[0]->exprs[0];
        stmt->body.erase(stmt->body.begin());
    }
    stmt->with_items.push_back(item);
    return follow;
}

void Structurer::except_clauses(Stmt* stmt, std::int32_t entry, const Context& context) {
    std::int32_t b = entry;
    while (b >= 0) {
        const Block& block = graph_[b];
        const bool tests = block.exit == Exit::Branch && block.value->kind == ExprKind::ExceptionMatch;
        if (block.exit == Exit::Reraise && block.pure()) return;   // no clause matches
        if (block.exit == Exit::Fall && block.pure() && block.next >= 0 && block.preds.size() == 1 && graph_[block.next].preds.size() == 1 &&
            graph_[block.next].exit == Exit::Branch && graph_[block.next].value->kind == ExprKind::ExceptionMatch) {
            b = block.next;
            continue;
        }
        ast::ExceptHandler clause;
        clause.line = block.location.line;
        if (tests) clause.type = block.value->items[0];
        clause.body = walk(tests ? block.next : b, context);
        if (!clause.body.empty() && clause.body[0]->kind == StmtKind::Assign && clause.body[0]->exprs.back()->kind == ExprKind::Exception) {
            clause.name = clause.body[0]->exprs[0]->name;
            clause.body.erase(clause.body.begin());
        }
        stmt->handlers.push_back(std::move(clause));
        if (!tests) return;
        b = block.target;
    }
}

void Structurer::group_clauses(Stmt* stmt, std::int32_t entry, const Context& context) {
    (void)stmt;
    (void)context;
    throw Error(graph_[entry].offset, "except* is not understood yet");
}

}  // namespace depyf
