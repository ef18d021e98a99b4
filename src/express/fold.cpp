#include "express/fold.h"

#include <algorithm>

#include "express/conditions.h"

namespace depyf {

using ast::Expr;
using ast::ExprKind;

void Folder::remove_edge(std::int32_t from, std::int32_t to) {
    if (to < 0) return;
    auto& preds = graph_[to].preds;
    auto found = std::find(preds.begin(), preds.end(), from);
    if (found != preds.end()) preds.erase(found);
}

void Folder::kill(std::int32_t b) {
    Block& block = graph_[b];
    remove_edge(b, block.next);
    remove_edge(b, block.target);
    block.next = block.target = -1;
    block.dead = true;
}

void Folder::replace_edge(std::int32_t from, std::int32_t& edge, std::int32_t to) {
    if (edge == to) return;
    remove_edge(from, edge);
    edge = to;
    if (to >= 0) graph_[to].preds.push_back(from);
}

void Folder::absorb(std::int32_t a, std::int32_t b) {
    graph_[a].insts.insert(graph_[a].insts.end(), graph_[b].insts.begin(), graph_[b].insts.end());
    kill(b);
}

bool Folder::only_from(std::int32_t b, std::int32_t a) const {
    if (b < 0 || b == a || b == graph_.entry) return false;
    const Block& block = graph_[b];
    return block.executed && !block.dead && block.pure() && block.preds.size() == 1 && block.preds[0] == a &&
           block.handler == graph_[a].handler;
}

std::int32_t Folder::merge_into_predecessor(std::int32_t b) {
    Block& block = graph_[b];
    if (block.preds.size() != 1 || b == graph_.entry) return b;
    const std::int32_t a = block.preds[0];
    Block& before = graph_[a];
    if (!before.executed || before.exit != Exit::Fall || before.next != b || before.handler != block.handler || a == b)
        return b;
    if (block.exit == Exit::For || block.exit == Exit::AsyncFor || block.exit == Exit::Setup) return b;
    if (!(graph_.function->code->flags & kOptimized) && block.exit == Exit::Return) return b;  // the end of the module
    // Between statements, what stands behind a jump or behind the end of an except clause may belong to something else.
    const bool statement = std::all_of(before.out.begin(), before.out.end(), [](const Expr* e) {
        return e->kind == ExprKind::Iterator || e->kind == ExprKind::WithExit || e->kind == ExprKind::Exception ||
               e->kind == ExprKind::Null;
    });
    const std::int32_t last = before.insts.back();
    if (statement &&
        (before.leaves_loop || graph_.function->insts[static_cast<std::size_t>(last)].op == ir::Op::PopExcept ||
         graph_.function->insts[static_cast<std::size_t>(last)].op == ir::Op::EndFinally ||
         !graph_.function->adjacent(last, block.insts.front()))) {
        return b;
    }
    before.insts.insert(before.insts.end(), block.insts.begin(), block.insts.end());
    before.statements.insert(before.statements.end(), block.statements.begin(), block.statements.end());
    before.exit = block.exit;
    before.value = block.value;
    before.pattern = block.pattern;
    before.kept_when = block.kept_when;
    before.falls_true = block.falls_true;
    before.handler_id = block.handler_id;
    before.jumps_out = before.jumps_out || block.jumps_out;
    before.out = block.out;
    before.target_out = block.target_out;
    before.location = block.location;
    const std::int32_t next = block.next, target = block.target;
    kill(b);
    before.next = next;
    before.target = target;
    for (std::int32_t s : {next, target}) {
        if (s >= 0) graph_[s].preds.push_back(a);
    }
    return a;
}

// ---- values

void Folder::fold_values(std::int32_t join) {
    while (graph_[join].preds.size() > 1 && fold_value(join)) {}
}

// What `a` branched for has become one value on the stack.
void Folder::fall_with_values(std::int32_t a, std::int32_t join, std::vector<Expr*> out) {
    Block& block = graph_[a];
    block.exit = Exit::Fall;
    block.value = nullptr;
    block.next = join;
    block.target = -1;
    graph_[join].preds.push_back(a);
    block.out = std::move(out);
    block.target_out.clear();
    if (block.out.back()->kind == ExprKind::BoolOp) block.out.back()->flag = true;  // complete
}

bool Folder::brings_value(std::int32_t p, std::int32_t join, std::size_t base) const {
    const Block& block = graph_[p];
    return block.exit == Exit::Fall && block.next == join && block.out.size() == base + 1;
}

bool Folder::fold_value(std::int32_t join) {
    const std::vector<std::int32_t> preds = graph_[join].preds;
    for (std::int32_t p : preds) {
        if (graph_[p].dead || !graph_[p].executed || graph_[p].preds.size() != 1) continue;
        const std::int32_t a = graph_[p].preds[0];
        if (!only_from(p, a) || !graph_[a].executed) continue;
        if (short_circuit(a, p, join) || condition_before_keep(a, p, join) || conditional_expression(a, join) ||
            chained_value(a, join))
            return true;
    }
    return false;
}

// A: value kept -> join, else -> P;  P: value -> join, or kept on the same outcome  =>  A: `value and P's`
bool Folder::short_circuit(std::int32_t a, std::int32_t p, std::int32_t join) {
    Block& block = graph_[a];
    if (block.exit != Exit::Keep) return false;
    std::int32_t& kept = block.kept_when ? block.next : block.target;
    std::int32_t& other = block.kept_when ? block.target : block.next;
    const std::vector<Expr*>& base = block.kept_when ? block.target_out : block.out;
    if (kept != join || other != p) return false;
    Block& second = graph_[p];
    if (brings_value(p, join, base.size())) {
        Expr* value = bool_op(tree_, !block.kept_when, block.value, second.out.back());
        std::vector<Expr*> out = second.out;
        out.back() = value;
        remove_edge(a, join);
        remove_edge(a, p);
        absorb(a, p);
        fall_with_values(a, join, std::move(out));
        return true;
    }
    if (second.exit == Exit::Keep && second.kept_when == block.kept_when &&
        second.out.size() + second.target_out.size() == block.out.size() + block.target_out.size()) {
        const std::int32_t second_kept = second.kept_when ? second.next : second.target;
        const std::int32_t second_other = second.kept_when ? second.target : second.next;
        if (second_kept != join) return false;
        block.value = bool_op(tree_, !block.kept_when, block.value, second.value);
        (block.kept_when ? block.out : block.target_out).back() = block.value;
        remove_edge(a, p);
        absorb(a, p);
        other = second_other;
        graph_[second_other].preds.push_back(a);
        return true;
    }
    return false;
}

// A: condition, P or R;  P: value kept -> join, else -> R  =>  A: `condition and/or value` kept -> join, else -> R
bool Folder::condition_before_keep(std::int32_t a, std::int32_t p, std::int32_t join) {
    Block& block = graph_[a];
    Block& second = graph_[p];
    if (block.exit != Exit::Branch || second.exit != Exit::Keep || block.next == block.target) return false;
    const std::int32_t kept = second.kept_when ? second.next : second.target;
    const std::int32_t other = second.kept_when ? second.target : second.next;
    if (kept != join) return false;
    const bool when_true = block.next == p;  // P runs when A's condition is true
    const std::int32_t skip = when_true ? block.target : block.next;
    if (skip != other) return false;
    // kept on true: both must hold to keep; kept on false: R is reached as soon as one of them is true
    const bool negate = when_true != second.kept_when;
    if (!chain_ready(a) || (negate && !can_negate(block.value))) return false;
    Expr* first = negate ? negated(tree_, block.value) : block.value;
    Expr* value = bool_op(tree_, second.kept_when, first, second.value);
    const bool kept_when = second.kept_when;
    std::vector<Expr*> out = second.out, target_out = second.target_out;
    (kept_when ? out : target_out).back() = value;
    remove_edge(a, block.next);
    remove_edge(a, block.target);
    absorb(a, p);
    block.exit = Exit::Keep;
    block.value = value;
    block.kept_when = kept_when;
    block.out = out;
    block.target_out = target_out;
    block.next = kept_when ? join : other;
    block.target = kept_when ? other : join;
    graph_[join].preds.push_back(a);
    graph_[other].preds.push_back(a);
    return true;
}

// A: condition, X or Y;  X: value -> join;  Y: value -> join  =>  A: `X's if condition else Y's` -> join
bool Folder::conditional_expression(std::int32_t a, std::int32_t join) {
    Block& block = graph_[a];
    if (block.exit != Exit::Branch || block.next == block.target) return false;
    const std::int32_t x = block.next, y = block.target;
    if (!only_from(x, a) || !only_from(y, a) || !brings_value(x, join, block.out.size()) ||
        !brings_value(y, join, block.out.size()))
        return false;
    Expr* value = tree_.expr(ExprKind::IfExp, {block.value, graph_[x].out.back(), graph_[y].out.back()});
    value->order = block.value->order;
    value->location = graph_[x].out.back()->location;
    std::vector<Expr*> out = graph_[x].out;
    out.back() = value;
    remove_edge(a, x);
    remove_edge(a, y);
    absorb(a, x);
    absorb(a, y);
    fall_with_values(a, join, std::move(out));
    return true;
}

// a < b < c as a value. A: `a < b`, b below; false -> C (drops b, keeps the result) -> join; true -> P: `b < c` -> join
bool Folder::chained_value(std::int32_t a, std::int32_t join) {
    Block& block = graph_[a];
    if (block.exit != Exit::Keep || block.kept_when || block.value->kind != ExprKind::Compare || block.out.empty())
        return false;
    const std::int32_t p = block.next, c = block.target;
    if (!only_from(p, a) || block.out.back() != block.value->items.back()) return false;
    if (c < 0 || !graph_[c].executed || !graph_[c].pure() || graph_[c].exit != Exit::Fall || graph_[c].next != join)
        return false;
    if (!only_from(c, a) || graph_[p].exit != Exit::Fall || graph_[p].next != join) return false;
    Expr* second = graph_[p].out.empty() ? nullptr : graph_[p].out.back();
    if (!second || second->kind != ExprKind::Compare || second->items[0] != block.out.back()) return false;
    std::vector<Expr*> out = graph_[p].out;
    out.back() = chained(tree_, block.value, second);
    remove_edge(a, p);
    remove_edge(a, c);
    absorb(a, p);
    absorb(a, c);
    fall_with_values(a, join, std::move(out));
    return true;
}

// ---- conditions

void Folder::fold_conditions(std::int32_t a) {
    while (a >= 0 && !graph_[a].dead && graph_[a].executed) {
        if (combine_conditions(a)) continue;  // there may be more to take in
        if (graph_[a].preds.size() != 1) return;
        const std::int32_t before = graph_[a].preds[0];
        if (before == a || !graph_[before].executed || !combine_conditions(before)) return;
        a = before;
    }
}

bool Folder::combine_conditions(std::int32_t a) {
    if (chained_keep(a)) return true;
    if (graph_[a].exit != Exit::Branch || graph_[a].next == graph_[a].target) return false;
    return chained_condition(a) || and_or(a, graph_[a].next) || and_or(a, graph_[a].target) || conditional_test(a);
}

// `b < c` behind `a < b` waits until the chain is folded.
bool Folder::chain_ready(std::int32_t a) const {
    const Block& block = graph_[a];
    if (block.value->kind != ExprKind::Compare || block.preds.size() != 1) return true;
    const Block& before = graph_[block.preds[0]];
    const bool tests = before.executed && (before.exit == Exit::Branch || before.exit == Exit::Keep);
    return !tests || before.out.empty() || before.value->kind != ExprKind::Compare ||
           before.out.back() != block.value->items[0] || before.value->items.back() != block.value->items[0];
}

bool Folder::and_or(std::int32_t a, std::int32_t b) {
    if (!only_from(b, a)) return false;
    Block& first = graph_[a];
    Block& second = graph_[b];
    if (second.exit != Exit::Branch || second.next == second.target || second.out.size() != first.out.size())
        return false;
    if (first.value->kind == ExprKind::ExceptionMatch || second.value->kind == ExprKind::ExceptionMatch) return false;
    const bool when_true = first.next == b;
    const std::int32_t skip = when_true ? first.target : first.next;
    if (!chain_ready(a) || (skip != second.target && skip != second.next)) return false;
    std::int32_t next = second.next, target = second.target;
    Expr* last = second.value;
    bool falls_true = second.falls_true;
    const bool negate = when_true != (skip == target);
    if (negate && (!can_negate(first.value) || !falls_true) &&
        can_negate(last)) {  // exchange the second's outcomes instead
        std::swap(next, target);
        last = negated(tree_, last);
        falls_true = !falls_true;
    } else if (negate && !can_negate(first.value)) {
        return false;
    }
    const bool invert = when_true != (skip == target);
    Expr* value = bool_op(tree_, skip == target, invert ? negated(tree_, first.value) : first.value, last);
    remove_edge(a, first.next);
    remove_edge(a, first.target);
    absorb(a, b);
    first.value = value;
    first.falls_true = falls_true;
    first.next = next;
    first.target = target;
    graph_[next].preds.push_back(a);
    graph_[target].preds.push_back(a);
    return true;
}

// A: condition, P or Q;  P: test, X or Y;  Q: test, X or Y  =>  A: `P's if condition else Q's`, X or Y
bool Folder::conditional_test(std::int32_t a) {
    Block& block = graph_[a];
    const std::int32_t p = block.next, q = block.target;
    if (!only_from(p, a) || !only_from(q, a)) return false;
    Block& first = graph_[p];
    Block& second = graph_[q];
    if (first.exit != Exit::Branch || second.exit != Exit::Branch || first.out.size() != block.out.size() ||
        second.out.size() != block.out.size())
        return false;
    Expr* body = first.value;
    Expr* orelse = second.value;
    std::int32_t next = first.next, target = first.target;
    const bool crossed = first.next == second.target && first.target == second.next;
    if (!crossed && (first.next != second.next || first.target != second.target)) return false;
    if (crossed && can_negate(orelse) && orelse->kind != ExprKind::Constant) {
        orelse = negated(tree_, orelse);
    } else if (crossed && can_negate(body)) {
        body = negated(tree_, body);
        std::swap(next, target);
    } else if (crossed) {
        return false;
    }
    Expr* value = tree_.expr(ExprKind::IfExp, {block.value, body, orelse});
    value->order = block.value->order;
    value->location = block.value->location;
    remove_edge(a, p);
    remove_edge(a, q);
    absorb(a, p);
    absorb(a, q);
    block.value = value;
    block.falls_true = first.falls_true;
    block.next = next;
    block.target = target;
    graph_[next].preds.push_back(a);
    graph_[target].preds.push_back(a);
    return true;
}

// a < b < c as a test. A: `a < b`, b below; false -> C (drops b) -> F; true -> P: `b < c`, X or F
bool Folder::chained_condition(std::int32_t a) {
    Block& block = graph_[a];
    if (block.value->kind != ExprKind::Compare || block.out.empty() || block.out.back() != block.value->items.back())
        return false;
    const std::int32_t p = block.next, c = block.target;
    if (!only_from(p, a)) return false;
    Block& second = graph_[p];
    if (second.exit != Exit::Branch || second.value->kind != ExprKind::Compare ||
        second.value->items[0] != block.out.back())
        return false;
    const bool longer = second.target == c && second.out.size() == block.out.size();
    if (!longer) {
        if (c < 0 || !graph_[c].executed || !graph_[c].pure() || graph_[c].exit != Exit::Fall ||
            graph_[c].next != second.target)
            return false;
        if (graph_[c].out.size() + 1 != block.out.size() || second.out.size() + 1 != block.out.size()) return false;
    }
    const std::int32_t next = second.next, target = second.target;
    std::vector<Expr*> out = second.out;
    block.value = chained(tree_, block.value, second.value);
    block.falls_true = second.falls_true;
    remove_edge(a, p);
    remove_edge(a, c);
    absorb(a, p);
    if (!longer && graph_[c].preds.empty()) absorb(a, c);
    block.next = next;
    block.target = target;
    block.out = block.target_out = out;
    graph_[next].preds.push_back(a);
    graph_[target].preds.push_back(a);
    return true;
}

// The middle of a longer chain as a value: A and P both keep their result for the same C.
bool Folder::chained_keep(std::int32_t a) {
    Block& block = graph_[a];
    if (block.exit != Exit::Keep || block.kept_when || block.value->kind != ExprKind::Compare || block.out.empty())
        return false;
    const std::int32_t p = block.next, c = block.target;
    if (!only_from(p, a) || block.out.back() != block.value->items.back()) return false;
    Block& second = graph_[p];
    if (second.exit != Exit::Keep || second.kept_when || second.target != c ||
        second.value->kind != ExprKind::Compare || second.value->items[0] != block.out.back() ||
        second.out.size() != block.out.size()) {
        return false;
    }
    const std::int32_t next = second.next;
    std::vector<Expr*> out = second.out, target_out = second.target_out;
    block.value = chained(tree_, block.value, second.value);
    target_out.back() = block.value;
    remove_edge(a, p);
    absorb(a, p);
    block.next = next;
    block.out = out;
    block.target_out = target_out;
    graph_[next].preds.push_back(a);
    return true;
}

}  // namespace depyf
