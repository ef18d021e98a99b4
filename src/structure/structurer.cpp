#include "structure/structurer.h"

#include <algorithm>

#include "base/error.h"
#include "express/conditions.h"
#include "structure/structure.h"

namespace depyf {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

bool completes(const Body& body) {
    if (body.empty()) return true;
    const Stmt* last = body.back();
    switch (last->kind) {
        case StmtKind::Return:
        case StmtKind::Raise:
        case StmtKind::Continue: return false;
        case StmtKind::Break: return last->flag;
        case StmtKind::If: return last->orelse.empty() || completes(last->body) || completes(last->orelse);
        case StmtKind::With:
        case StmtKind::AsyncWith: return true;   // the exit function may swallow
        case StmtKind::Try:
        case StmtKind::TryStar: {
            if (!last->finalbody.empty() && !completes(last->finalbody)) return false;
            if (last->flag) return true;   // up to 3.8 an END_FINALLY that nothing reaches goes on all the same
            bool any = last->orelse.empty() ? completes(last->body) : completes(last->body) && completes(last->orelse);
            for (const ast::ExceptHandler& h : last->handlers) any = any || completes(h.body);
            return any;
        }
        case StmtKind::While: {
            if (last->exprs[0]->kind != ExprKind::Constant || last->exprs[0]->value->kind != Constant::Kind::True)
                return true;
            return last->flag;   // has a `break`
        }
        case StmtKind::Match: {
            const ast::MatchCase& otherwise = last->cases.back();
            const ast::Pattern* p = otherwise.pattern;
            if (otherwise.guard || p->kind != ast::PatternKind::As || !p->patterns.empty()) return true;
            return std::any_of(last->cases.begin(), last->cases.end(),
                               [](const ast::MatchCase& c) { return completes(c.body); });
        }
        default: return true;
    }
}

Structurer::Structurer(const FlowGraph& graph, ast::Tree& tree, std::uint32_t code_index)
    : graph_(graph),
      tree_(tree),
      code_index_(code_index),
      regions_(graph),
      entered_(graph.blocks.size(), 0),
      visits_(graph.blocks.size(), 0),
      budget_(graph.blocks.size() * 16 + 1000) {}

Body Structurer::run() {
    // A module cannot return: what does is its end.
    Context context;
    if (!(graph_.function->code->flags & kOptimized)) context.next = regions_.end_of_module();
    return walk(graph_.entry, context);
}

// Of what is evaluated first behind the block's last statement: where the next one begins, over however many lines it goes.
// 3.8+ has that line with the value itself.
std::int32_t Structurer::first_line(const Block& block) const {
    if (block.tail.empty() || !graph_.function->features->strings_located_by_end) return 0;
    for (const std::int32_t i : block.insts) {
        const ir::Inst& inst = graph_.function->insts[static_cast<std::size_t>(i)];
        if (inst.offset >= block.tail.front() && inst.op != ir::Op::Pop) return inst.location.line;
    }
    return 0;
}

Stmt* Structurer::make(StmtKind kind, std::int32_t b) {
    Stmt* stmt = tree_.stmt(kind);
    stmt->code_index = code_index_;
    if (b >= 0) {
        const Expr* value = graph_[b].value;
        stmt->line = value && value->location.line > 0 ? value->location.line : graph_[b].location.line;
        stmt->offsets = graph_[b].tail;
        if (const std::int32_t first = first_line(graph_[b]); first > 0 && first < stmt->line) stmt->line = first;
        if (stmt->offsets.empty() && !graph_[b].insts.empty()) {
            stmt->offsets.push_back(graph_.function->insts[static_cast<std::size_t>(graph_[b].insts.back())].offset);
        }
    }
    return stmt;
}

std::vector<std::int32_t> Structurer::meanings(const Context& context) {
    std::vector<std::int32_t> result;
    for (const Context* c = &context; c; c = c->outer) {
        for (std::int32_t b : {c->next, c->again, c->leave}) {
            if (b >= 0) result.push_back(b);
        }
    }
    return result;
}

bool Structurer::reached(std::int32_t b, const Context& context, Body& out, bool jumped) {
    if (jumped) {  // the way here was a statement of its own, even where control would get here anyway
        const std::int32_t x = regions_.settle(b);
        const bool returns = x >= 0 && x == context.next && graph_[x].exit == Exit::Return && graph_[x].pure() &&
                             x != context.again && x != context.leave;
        if (x == context.again || returns) {
            Stmt* stmt = make(returns ? StmtKind::Return : StmtKind::Continue, -1);
            if (returns) stmt->exprs = {graph_[x].value};
            stmt->number = 1;
            out.push_back(stmt);
            return true;
        }
    }
    b = regions_.settle(b, false);
    if (b == context.next) return true;
    if (b == context.again) {
        out.push_back(make(StmtKind::Continue, -1));
        return true;
    }
    if (b == context.leave) {
        out.push_back(make(StmtKind::Break, -1));
        return true;
    }
    return false;
}

// A block that is written again needs statements of its own: later passes change them in place.
void Structurer::copy_statements(std::int32_t b, Body& out) {
    const bool again = visits_[static_cast<std::size_t>(b)]++ > 0;
    for (Stmt* stmt : graph_[b].statements) {
        if (again) {
            Stmt* copy = tree_.stmt(stmt->kind);
            *copy = *stmt;
            stmt = copy;
        }
        out.push_back(stmt);
    }
}

Body Structurer::walk(std::int32_t b, const Context& context) {
    Body out;
    bool jumped = false;
    while (b >= 0) {
        if (reached(b, context, out, jumped)) return out;
        if (budget_-- == 0) throw Error(graph_[b].offset, "the control flow needs too much duplication");
        if (regions_.is_loop_header(b) && !entered_[static_cast<std::size_t>(b)]) {
            b = loop(b, context, out);
            continue;
        }
        const Block& block = graph_[b];
        if (!block.executed) return out;
        copy_statements(b, out);
        jumped = (jumped && block.pure()) || block.jumps_out;
        b = leave(b, context, out);
    }
    return out;
}

// Writes what the block ends in; returns where control goes on behind that, -1 for nowhere.
std::int32_t Structurer::leave(std::int32_t b, const Context& context, Body& out) {
    const Block& block = graph_[b];
    switch (block.exit) {
        case Exit::Fall:
        case Exit::Loop: return block.next;
        case Exit::Branch:
        case Exit::Keep: return branch(b, context, out);
        case Exit::Break:
            out.push_back(make(StmtKind::Break, b));
            out.back()->flag = true;
            return block.next;
        case Exit::Setup: return protect(b, context, out);
        case Exit::Case: return match(b, context, out);
        case Exit::Return:
            out.push_back(make(StmtKind::Return, b));
            out.back()->exprs = {block.value};
            out.back()->flag = graph_.function->insts[static_cast<std::size_t>(block.insts.back())].flag;  // implicit
            return -1;
        default:
            if (regions_.ends_body(b)) leave_body(out);
            return -1;
    }
}

// To the end of a try statement's body from the middle of it: whatever its finally body, which never ends, would drop.
void Structurer::leave_body(Body& out) {
    if (!(graph_.function->code->flags & kOptimized)) return;
    Stmt* stmt = make(StmtKind::Return, -1);
    stmt->exprs = {tree_.constant(Constant{})};
    stmt->number = 1;
    out.push_back(stmt);
}

std::int32_t Structurer::branch(std::int32_t b, const Context& context, Body& out) {
    const Block& block = graph_[b];
    std::int32_t first = block.next, second = block.target;
    Expr* test = block.value;
    Stmt* stmt = make(StmtKind::If, b);
    if (first == second) {
        stmt->exprs = {test};
        out.push_back(stmt);
        return first;
    }
    if (!block.falls_true && can_negate(test)) {
        std::swap(first, second);
        test = negated(tree_, test);
    }
    if (!block.falls_true && !can_negate(block.value) && graph_[second].exit == Exit::End && graph_[second].next < 0) {
        // `assert a in b`, `if a in b: pass else: raise`: what falls through only raises
        stmt->exprs = {test};
        out.push_back(stmt);
        stmt->orelse = walk(second, context);
        return first;
    }
    Context inner = context;
    std::int32_t follow = regions_.settle(regions_.join(b, first, second));
    if (follow >= 0 && graph_[follow].exit == Exit::Return && context.next >= 0 &&
        regions_.reaches_around(b, context.next, follow))
        follow = -1;
    if (follow >= 0) inner.next = follow;
    stmt->exprs = {test};
    out.push_back(stmt);
    stmt->body = walk(first, inner);
    if (second == inner.next) return follow >= 0 ? follow : context.next;
    if (!completes(stmt->body) && follow < 0) return second;
    stmt->orelse = walk(second, inner);
    if ((first == inner.next || stmt->body.empty()) && can_negate(test)) {  // only the else arm has anything in it
        stmt->exprs = {negated(tree_, test)};
        stmt->body.swap(stmt->orelse);
    }
    return follow >= 0 ? follow : context.next;
}

Body Structurer::loop_body(std::int32_t entry, const Context& context, Expr*& target) {
    Body body = walk(entry, context);
    if (!body.empty() && body[0]->kind == StmtKind::Assign && body[0]->exprs.back()->kind == ExprKind::ForItem) {
        target = body[0]->exprs[0];
        body.erase(body.begin());
    }
    return body;
}

std::int32_t Structurer::loop(std::int32_t b, const Context& context, Body& out) {
    entered_[static_cast<std::size_t>(b)] = 1;
    const Block& header = graph_[b];
    const bool for_loop = header.exit == Exit::For || header.exit == Exit::AsyncFor;
    const std::vector<std::int32_t> outer = meanings(context);
    std::int32_t exhausted = for_loop ? header.target : -1;
    std::int32_t body_entry = for_loop ? header.next : b;
    Expr* test = nullptr;
    if (!for_loop && header.exit == Exit::Branch && header.pure() && header.next != header.target) {
        const Regions::Loop natural = regions_.loop(b, -1, outer);
        const bool said = regions_.written_follow(b) >= 0;
        const auto in_body = [&](std::int32_t x) {
            if (said) return !regions_.ends_loop(x);
            return natural.body[static_cast<std::size_t>(x)] && regions_.returns_to(x, b);
        };
        const bool next_in = in_body(header.next), target_in = in_body(header.target);
        if (next_in != target_in && (next_in || can_negate(header.value))) {
            exhausted = next_in ? header.target : header.next;
            body_entry = next_in ? header.next : header.target;
            test = next_in ? header.value : negated(tree_, header.value);
        }
    }
    const Regions::Loop region = regions_.loop(b, exhausted, outer);
    Context inner;
    inner.next = inner.again = b;
    inner.leave = region.follow;
    inner.outer = &context;
    Stmt* stmt =
        make(for_loop ? (header.exit == Exit::AsyncFor ? StmtKind::AsyncFor : StmtKind::For) : StmtKind::While, b);
    if (for_loop) {
        Expr* target = nullptr;
        stmt->body = loop_body(body_entry, inner, target);
        stmt->exprs = {target ? target : tree_.name("_"), header.value};
    } else if (test) {
        stmt->exprs = {test};
        if (body_entry != b) stmt->body = walk(body_entry, inner);
    } else {
        Constant truth;
        truth.kind = Constant::Kind::True;
        stmt->exprs = {tree_.constant(truth)};
        stmt->flag = region.follow >= 0;
        stmt->body = walk_header(b, inner);
    }
    out.push_back(stmt);
    entered_[static_cast<std::size_t>(b)] = 0;
    if (exhausted >= 0 && regions_.settle(exhausted) != region.follow) {
        Context after = context;
        after.next = region.follow;
        stmt->orelse = walk(exhausted, after);
    }
    return region.follow;
}

// The body of an endless loop: starts at the header, where a later arrival means `continue`.
Body Structurer::walk_header(std::int32_t b, const Context& context) {
    Body out;
    copy_statements(b, out);
    const std::int32_t next = leave(b, context, out);
    Body rest = walk(next, context);
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
}

Body structure(const FlowGraph& graph, ast::Tree& tree, std::uint32_t code_index) {
    return Structurer(graph, tree, code_index).run();
}

}  // namespace depyf
