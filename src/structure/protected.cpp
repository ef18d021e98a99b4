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

// A value that was computed inside the region and is returned behind it: `return value` stands inside.
bool Structurer::returns_pending(std::int32_t b) const {
    const Block& block = graph_[b];
    if (block.exit != Exit::Return || !block.pure()) return false;
    for (std::int32_t p : block.preds) {
        const std::vector<Expr*>& stack = graph_[p].next == b ? graph_[p].out : graph_[p].target_out;
        if (std::find(stack.begin(), stack.end(), block.value) != stack.end()) return true;
    }
    return false;
}

// Where the exception that a `with` swallowed lets control go on: behind the statement.
std::int32_t Structurer::after_with(std::int32_t b) const {
    std::int32_t x = graph_[b].target;
    if (graph_[x].exit == Exit::Branch) x = graph_[x].next;
    return regions_.settle(x);
}

// Where the except clauses of the statement that starts at `b` let control go on: targets behind their POP_EXCEPT.
// `last`: up to 3.8, the END_FINALLY of the handler itself.
std::vector<std::int32_t> Structurer::handler_exits(std::int32_t b, std::int32_t& last) const {
    last = -1;
    const std::uint32_t base = graph_.function->handlers[static_cast<std::size_t>(graph_[b].handler_id)].depth;
    std::vector<std::int32_t> exits;
    std::vector<bool> seen(graph_.blocks.size(), false);
    std::vector<std::int32_t> todo{graph_[b].target};
    while (!todo.empty()) {
        const std::int32_t x = todo.back();
        todo.pop_back();
        if (x < 0 || seen[static_cast<std::size_t>(x)] || !graph_[x].executed) continue;
        seen[static_cast<std::size_t>(x)] = true;
        const Block& block = graph_[x];
        const auto exception = [](const Expr* e) { return e->kind == ExprKind::Exception; };
        if (block.in.size() <= base || std::none_of(block.in.begin() + base, block.in.end(), exception))
            continue;  // `break` has left the handler
        const ir::Op op = graph_.function->insts[static_cast<std::size_t>(block.insts.back())].op;
        const bool ends = op == ir::Op::PopExcept || op == ir::Op::PopFinally;
        bool handling = false;
        for (std::size_t k = base; k < block.out.size(); ++k)
            handling = handling || block.out[k]->kind == ExprKind::Exception;
        if (block.exit == Exit::Reraise && !handling) {
            if (block.next >= 0) last = x;
            continue;
        }
        if (ends && !handling) {
            const std::int32_t next = regions_.settle(block.next);
            if (std::find(exits.begin(), exits.end(), next) == exits.end()) exits.push_back(next);
            continue;
        }
        todo.push_back(block.next);
        todo.push_back(block.target);
    }
    return exits;
}

// What comes behind the protected region that starts at `b`. `orelse`: where the else clause starts, -1 without one.
std::int32_t Structurer::after_region(std::int32_t b, HandlerKind kind, const Context& context, std::int32_t& orelse,
                                      bool& goes_on) const {
    const Block& setup = graph_[b];
    orelse = -1;
    const std::vector<std::int32_t> around = meanings(context);
    auto known = [&](std::int32_t x) { return std::find(around.begin(), around.end(), x) != around.end(); };
    auto ends = [&](std::int32_t x) { return graph_[x].next < 0 && graph_[x].target < 0; };
    auto returns_constant = [&](std::int32_t x) {   // may as well stand inside
        return graph_[x].exit == Exit::Return && graph_[x].pure() && graph_[x].value->kind == ExprKind::Constant;
    };
    std::vector<std::int32_t> exits = regions_.region_exits(b, setup.handler_id);
    std::erase_if(exits, [&](std::int32_t x) { return returns_pending(x); });
    std::int32_t follow = regions_.settle(regions_.join(b, setup.next, setup.target));
    std::int32_t last = -1;
    std::vector<std::int32_t> from_handlers = handler_exits(b, last);
    const std::int32_t behind = last >= 0 ? graph_[last].next : -1;
    goes_on = behind >= 0;
    std::erase_if(from_handlers, [&](std::int32_t x) { return x < 0 || returns_pending(x); });
    if (behind >= 0) {
        // up to 3.8 the text says it: END_FINALLY stands in front of the else clause, or of what follows
        const bool finally = kind == HandlerKind::Finally;
        const std::int32_t settled = regions_.settle(behind);
        std::int32_t end = -1;
        for (std::int32_t x : from_handlers) {
            const bool inside =
                returns_constant(x) && graph_[x].preds.size() == 1 && graph_[x].offset < graph_[last].offset;
            const bool jumps = x != context.next && (x == context.again || x == context.leave);   // continue, break
            if (!inside && !jumps && (end < 0 || graph_[x].offset > graph_[end].offset)) end = x;
        }
        if (finally || end < 0 || end == settled) return settled;
        orelse = behind;
        return end;
    }
    // a return that several ways share is no place where they meet if others go on
    const bool others_go_on = context.next >= 0 && context.next != follow;
    if (follow >= 0 && ends(follow) && others_go_on && regions_.reaches_around(b, context.next, follow))
        follow = context.next;
    if (follow < 0 && std::find(from_handlers.begin(), from_handlers.end(), context.next) != from_handlers.end())
        follow = context.next;
    auto later = [&](std::int32_t x, std::int32_t y) {  // a better guess for what follows the statement than y
        if (y < 0) return true;
        return ends(x) != ends(y) ? !ends(x) : graph_[x].offset > graph_[y].offset;
    };
    std::int32_t behind_handlers = -1;
    for (std::int32_t x : from_handlers) {
        // behind POP_EXCEPT only a constant can be returned by the clause itself; no clause of except* returns
        const bool inside = returns_constant(x) && graph_[x].preds.size() == 1 && kind != HandlerKind::ExceptStar;
        if (!known(x) && !inside && later(x, behind_handlers)) behind_handlers = x;
    }
    const bool goes_behind = behind_handlers >= 0 && !returns_constant(behind_handlers);
    if (follow < 0 && kind == HandlerKind::Except && goes_behind) follow = behind_handlers;
    if (follow < 0 && std::find(exits.begin(), exits.end(), context.next) != exits.end()) follow = context.next;
    if (follow < 0 && behind_handlers >= 0 && others_go_on && !goes_behind &&
        regions_.reaches_around(b, context.next, behind_handlers))
        follow = context.next;
    std::vector<std::int32_t> open;    // ways out of the body that mean nothing yet
    for (std::int32_t x : exits) {
        if (!known(x) && x != follow) open.push_back(x);
    }
    if (kind == HandlerKind::Finally) {
        // what leaves it otherwise than by its end has a meaning around it: return, break, continue
        for (std::int32_t x : open) {
            if (x != context.next && !returns_constant(x)) return x;
        }
    }
    if (follow < 0) follow = behind_handlers;
    if (follow < 0) {
        for (std::int32_t x : open) {
            if (later(x, follow)) follow = x;
        }
        return follow;
    }
    for (std::int32_t x : open) {
        if (x != follow && !returns_constant(x) && (orelse < 0 || graph_[x].offset < graph_[orelse].offset)) orelse = x;
    }
    return follow;
}

// Where the finally body of the statement that starts at `b` goes by `break`, of a loop that nothing else shows because its
// body never comes to its end; -1 for none.
std::int32_t Structurer::finally_break(std::int32_t b, const Context& context) const {
    std::int32_t last = -1, found = -1;
    for (std::int32_t x : handler_exits(b, last)) {
        if (x < 0) continue;
        if (x == context.again || x == context.leave) return -1;  // a loop of its own would come between
        const bool function = graph_.function->code->flags & kOptimized;
        const bool returns = function && graph_[x].exit == Exit::Return && graph_[x].pure();
        // `return` will do: it drops the exception before a constant is loaded, and behind any other value
        if (returns && (graph_[x].value->kind == ExprKind::Constant || returns_pending(x))) continue;
        if (found >= 0) return -1;
        found = x;
    }
    return found;
}

// while True: try ... finally: break
std::int32_t Structurer::break_loop(std::int32_t b, std::int32_t follow, const Context& context, Body& out) {
    Context inner;
    inner.leave = follow;
    inner.outer = &context;
    Stmt* loop = make(StmtKind::While, -1);
    Constant truth;
    truth.kind = Constant::Kind::True;
    loop->exprs = {tree_.constant(truth)};
    loop->flag = true;
    const std::int32_t behind = protect(b, inner, loop->body);
    if (behind >= 0) {
        Body rest = walk(behind, inner);
        loop->body.insert(loop->body.end(), rest.begin(), rest.end());
    }
    out.push_back(loop);
    return follow;
}

std::int32_t Structurer::protect(std::int32_t b, const Context& context, Body& out) {
    const Block& setup = graph_[b];
    const ir::Handler& handler = graph_.function->handlers[static_cast<std::size_t>(setup.handler_id)];
    const HandlerKind kind = handler_kind(*graph_.function, handler);
    if (kind == HandlerKind::NameCleanup) return setup.next;
    std::int32_t orelse = -1;
    if (kind == HandlerKind::With) return with(b, after_with(b), context, out);
    if (kind == HandlerKind::Finally) {
        if (const std::int32_t x = finally_break(b, context); x >= 0) return break_loop(b, x, context, out);
    }
    bool goes_on = false;
    std::int32_t follow = after_region(b, kind, context, orelse, goes_on);
    if (follow >= 0 && regions_.ends_body(follow)) follow = -1;
    Context inner = context;
    if (follow >= 0) inner.next = follow;
    Stmt* stmt = make(kind == HandlerKind::ExceptStar ? StmtKind::TryStar : StmtKind::Try, b);
    stmt->flag = goes_on;
    out.push_back(stmt);
    Context body = inner;
    if (kind == HandlerKind::Finally) {
        orelse = -1;
        if (const std::int32_t end = regions_.body_end(setup.handler_id); end >= 0) body.next = end;
    }
    if (orelse >= 0) body.next = regions_.settle(orelse);
    stmt->body = walk(setup.next, body);
    if (orelse >= 0) stmt->orelse = walk(orelse, inner);
    if (kind == HandlerKind::Finally) {
        Context in_finally = context;
        in_finally.next = -1;
        stmt->finalbody = walk(setup.target, in_finally);
        if (stmt->finalbody.empty()) stmt->finalbody.push_back(make(StmtKind::Pass, -1));
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
    if (!stmt->body.empty() && stmt->body[0]->kind == StmtKind::Assign &&
        stmt->body[0]->exprs.back()->kind == ExprKind::WithEnter) {
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
        if (block.exit == Exit::Reraise && block.pure()) return;  // no clause matches
        if (block.exit == Exit::Fall && block.pure() && block.next >= 0 && block.preds.size() == 1 &&
            graph_[block.next].preds.size() == 1 && graph_[block.next].exit == Exit::Branch &&
            graph_[block.next].value->kind == ExprKind::ExceptionMatch) {
            b = block.next;
            continue;
        }
        ast::ExceptHandler clause;
        clause.line = block.location.line;
        if (tests) clause.type = block.value->items[0];
        clause.body = walk(tests ? block.next : b, context);
        if (!clause.body.empty() && clause.body[0]->kind == StmtKind::Assign &&
            clause.body[0]->exprs.back()->kind == ExprKind::Exception) {
            clause.name = clause.body[0]->exprs[0]->name;
            clause.body.erase(clause.body.begin());
        }
        stmt->handlers.push_back(std::move(clause));
        if (!tests) return;
        b = block.target;
    }
}

}  // namespace depyf
