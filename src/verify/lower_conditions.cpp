// Comparisons and conditional jumps. Source: compiler_compare, compiler_jump_if in CPython Python/compile.c.
#include "base/error.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::CompareOperator;
using ast::Expr;
using ast::ExprKind;
using ir::Op;

void Lowerer::iterable(const Expr* e) {
    const Expr as_tuple = [&] {
        Expr copy;
        if (e->kind != ExprKind::List && e->kind != ExprKind::Set) return copy;
        copy.kind = ExprKind::Tuple;
        copy.items = e->items;
        return copy;
    }();
    const Constant* folded = as_tuple.kind == ExprKind::Tuple ? constant_tuple(as_tuple.items) : nullptr;
    if (e->kind == ExprKind::List) {
        for (const Expr* item : e->items) {
            if (item->kind == ExprKind::Starred) {
                expression(e);
                return;
            }
        }
        if (folded || features().list_as_tuple)
            tuple(&as_tuple);
        else
            list(e);
    } else if (e->kind == ExprKind::Set && folded) {
        Constant set = *folded;
        set.kind = Constant::Kind::FrozenSet;
        out_.constant(keep(std::move(set)));
    } else if (e->kind == ExprKind::Constant && e->value->kind == Constant::Kind::FrozenSet &&
               !e->value->items.empty()) {
        out_.constant(e->value);
    } else {
        expression(e);
    }
}

// The operand of the i-th comparison, and the comparison.
void Lowerer::comparison(const Expr* e, std::size_t i) {
    out_.emit(Op::Compare, static_cast<std::uint32_t>(e->compare_ops[i]));
}

void Lowerer::compare_operand(const Expr* e, std::size_t i) {
    const bool last = i + 1 == e->compare_ops.size();
    if (last && e->compare_ops[i] >= CompareOperator::In)
        iterable(e->items[i + 1]);
    else
        expression(e->items[i + 1]);
}

void Lowerer::compare(const Expr* e) {
    expression(e->items[0]);
    const std::size_t last = e->compare_ops.size() - 1;
    if (last == 0) {
        compare_operand(e, 0);
        comparison(e, 0);
        return;
    }
    const Label cleanup = out_.label(), end = out_.label();
    for (std::size_t i = 0; i < last; ++i) {
        compare_operand(e, i);
        out_.copy(1);
        out_.emit(Op::Rotate, 3);
        comparison(e, i);
        if (features().has_intrinsics) {
            out_.copy(1);
            out_.branch(false, cleanup);
            out_.pop();
        } else {
            out_.keep_branch(false, cleanup);
        }
    }
    compare_operand(e, last);
    comparison(e, last);
    out_.jump(end);
    out_.place(cleanup);
    out_.swap(2);
    out_.pop();
    out_.place(end);
}

namespace {

// LOAD_CONST None; IS_OP; POP_JUMP_IF_*  =>  POP_JUMP_IF_NONE (3.11+)
bool is_none_test(const Expr* right, CompareOperator op, const Features& features) {
    return features.has_exception_table && (op == CompareOperator::Is || op == CompareOperator::IsNot) &&
           right->kind == ExprKind::Constant && right->value->kind == Constant::Kind::None;
}

}  // namespace

void Lowerer::jump_if_compare(const Expr* e, Label to, bool when) {
    const std::size_t last = e->compare_ops.size() - 1;
    const Label cleanup = out_.label(), end = out_.label();
    expression(e->items[0]);
    for (std::size_t i = 0; i < last; ++i) {
        compare_operand(e, i);
        out_.copy(1);
        out_.emit(Op::Rotate, 3);
        comparison(e, i);
        out_.branch(false, cleanup);
    }
    compare_operand(e, last);
    const bool none = is_none_test(e->items.back(), e->compare_ops.back(), features());
    if (none) {
        out_.drop_last();
        out_.branch_none((e->compare_ops.back() == CompareOperator::Is) == when, to);
    } else {
        comparison(e, last);
        out_.branch(when, to);
    }
    const std::int32_t depth = out_.depth();
    out_.jump(end);
    out_.place(cleanup);
    out_.pop();
    if (!when) out_.jump(to);
    out_.place(end);
    out_.set_depth(depth);
}

void Lowerer::jump_if(const Expr* e, Label to, bool when) {
    switch (e->kind) {
        case ExprKind::UnaryOp:
            if (e->unary != ast::UnaryOperator::Not) break;
            jump_if(e->items[0], to, !when);
            return;
        case ExprKind::BoolOp: {
            const bool is_or = !e->is_and;
            const Label inner = is_or != when ? out_.label() : to;
            for (std::size_t i = 0; i + 1 < e->items.size(); ++i) jump_if(e->items[i], inner, is_or);
            jump_if(e->items.back(), to, when);
            if (inner != to) out_.place(inner);
            return;
        }
        case ExprKind::IfExp: {
            const Label otherwise = out_.label(), end = out_.label();
            jump_if(e->items[0], otherwise, false);
            jump_if(e->items[1], to, when);
            out_.jump(end);
            out_.place(otherwise);
            jump_if(e->items[2], to, when);
            out_.place(end);
            return;
        }
        case ExprKind::Compare:
            if (e->compare_ops.size() > 1) {
                jump_if_compare(e, to, when);
                return;
            }
            if (is_none_test(e->items[1], e->compare_ops[0], features())) {
                expression(e->items[0]);
                out_.branch_none((e->compare_ops[0] == CompareOperator::Is) == when, to);
                return;
            }
            break;
        default: break;
    }
    expression(e);
    out_.branch(when, to);
}

}  // namespace depyf::verify
