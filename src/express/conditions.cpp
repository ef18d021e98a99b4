#include "express/conditions.h"

#include <algorithm>

namespace depyf {

using ast::CompareOperator;
using ast::Expr;
using ast::ExprKind;

namespace {

// Its negation is shorter than itself, or as long.
bool is_negative(const Expr* e) {
    if (e->kind == ExprKind::UnaryOp) return e->unary == ast::UnaryOperator::Not;
    if (e->kind == ExprKind::Compare) return e->flag && e->compare_ops.size() == 1;
    if (e->kind != ExprKind::BoolOp) return false;
    std::size_t negative = 0;
    for (const Expr* item : e->items) negative += is_negative(item) ? 1 : 0;
    return 2 * negative > e->items.size() || (2 * negative == e->items.size() && is_negative(e->items[0]));
}

}  // namespace

bool can_negate(const Expr* e) {
    if (e->kind != ExprKind::Compare || e->flag || e->compare_ops.size() != 1) return true;
    return e->compare_ops[0] < CompareOperator::Is;
}

Expr* negated(ast::Tree& tree, Expr* e) {
    if (e->kind == ExprKind::UnaryOp && e->unary == ast::UnaryOperator::Not) return e->items[0];
    if (e->kind == ExprKind::Compare && e->flag && e->compare_ops.size() == 1) {  // `is None` from the jump's own name
        Expr* flipped = tree.expr(ExprKind::Compare, e->items);
        flipped->flag = true;
        flipped->order = e->order;
        flipped->location = e->location;
        flipped->compare_ops = {e->compare_ops[0] == CompareOperator::Is ? CompareOperator::IsNot
                                                                         : CompareOperator::Is};
        return flipped;
    }
    if (e->kind == ExprKind::BoolOp) {  // De Morgan, where that leaves fewer negations
        std::size_t negative = 0;
        for (const Expr* item : e->items) negative += is_negative(item) ? 1 : 0;
        const bool possible =
            std::all_of(e->items.begin(), e->items.end(), [](const Expr* item) { return can_negate(item); });
        if (possible &&
            (2 * negative > e->items.size() || (2 * negative == e->items.size() && is_negative(e->items[0])))) {
            Expr* result = tree.expr(ExprKind::BoolOp);
            result->is_and = !e->is_and;
            result->order = e->order;
            result->location = e->location;
            for (Expr* item : e->items) {
                Expr* inverse = negated(tree, item);
                const bool same = inverse->kind == ExprKind::BoolOp && inverse->is_and == result->is_and;
                if (same)
                    result->items.insert(result->items.end(), inverse->items.begin(), inverse->items.end());
                else
                    result->items.push_back(inverse);
            }
            return result;
        }
    }
    Expr* result = tree.expr(ExprKind::UnaryOp, {e});
    result->unary = ast::UnaryOperator::Not;
    result->order = e->order;
    result->location = e->location;
    return result;
}

Expr* bool_op(ast::Tree& tree, bool is_and, Expr* left, Expr* right) {
    Expr* result = tree.expr(ExprKind::BoolOp);
    result->is_and = is_and;
    result->order = left->order;
    result->location = left->location;
    auto add = [&](Expr* e, bool flatten) {
        if (flatten && e->kind == ExprKind::BoolOp && e->is_and == is_and) {
            result->items.insert(result->items.end(), e->items.begin(), e->items.end());
        } else {
            result->items.push_back(e);
        }
    };
    add(left, !left->flag);  // `(a or b) or c` tests twice from 3.12 on
    add(right, true);
    return result;
}

Expr* chained(ast::Tree& tree, Expr* first, Expr* second) {
    Expr* result = tree.expr(ExprKind::Compare, first->items);
    result->items.insert(result->items.end(), second->items.begin() + 1, second->items.end());
    result->compare_ops = first->compare_ops;
    result->compare_ops.insert(result->compare_ops.end(), second->compare_ops.begin(), second->compare_ops.end());
    result->order = first->order;
    result->location = first->location;
    return result;
}

}  // namespace depyf
