// Expressions. Source: compiler_visit_expr1 in CPython Python/compile.c.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "verify/foldable.h"
#include "verify/lowerer.h"
#include "verify/percent_format.h"

namespace depyf::verify {

using ast::CompareOperator;
using ast::Expr;
using ast::ExprKind;
using ir::Op;

namespace {

constexpr int kMaxDepth = 3000;

}  // namespace

void Lowerer::expression(const Expr* e) {
    if (++depth_ > kMaxDepth) throw Error(-1, "expressions are nested too deeply");
    switch (e->kind) {
        case ExprKind::Constant: constant(e); break;
        case ExprKind::Name:
            if (e->name == "__debug__") throw Error(-1, "__debug__ is a constant");
            load_name(e->name);
            break;
        case ExprKind::BoolOp: bool_op(e); break;
        case ExprKind::NamedExpr: named_expr(e); break;
        case ExprKind::BinOp: bin_op(e); break;
        case ExprKind::UnaryOp: unary_op(e); break;
        case ExprKind::Lambda: lambda(e); break;
        case ExprKind::IfExp: if_exp(e); break;
        case ExprKind::Dict: dict(e); break;
        case ExprKind::Set: set(e); break;
        case ExprKind::List: list(e); break;
        case ExprKind::Tuple: tuple(e); break;
        case ExprKind::ListComp:
        case ExprKind::SetComp:
        case ExprKind::DictComp:
        case ExprKind::GeneratorExp: comprehension(e); break;
        case ExprKind::Await: await(e); break;
        case ExprKind::Yield: yield_value(e); break;
        case ExprKind::YieldFrom: yield_from(e); break;
        case ExprKind::Compare: compare(e); break;
        case ExprKind::Call: call(e); break;
        case ExprKind::FormattedValue:
        case ExprKind::JoinedStr: joined_string(e); break;
        case ExprKind::Attribute: attribute(e); break;
        case ExprKind::Subscript: subscript(e); break;
        case ExprKind::Slice:
            slice(e);
            if (two_element_slice(e, features())) out_.emit(Op::BuildSlice, 2);
            break;
        default: throw Error(-1, "an expression that the proof does not know yet");
    }
    --depth_;
}

void Lowerer::constant(const Expr* e) {
    const bool as_slice = features().marshal_has_slices && in_subscript_;
    if (!can_be_written(*e->value, as_slice)) throw Error(-1, "a constant that no text means");
    out_.constant(e->value);
}

void Lowerer::bool_op(const Expr* e) {
    const Label end = out_.label();
    for (std::size_t i = 0; i + 1 < e->items.size(); ++i) {
        expression(e->items[i]);
        if (features().has_intrinsics) {   // 3.12+
            out_.copy(1);
            out_.branch(!e->is_and, end);
            out_.pop();
        } else {
            out_.keep_branch(!e->is_and, end);
        }
    }
    expression(e->items.back());
    out_.place(end);
}

void Lowerer::named_expr(const Expr* e) {
    expression(e->items[1]);
    out_.copy(1);
    target(e->items[0]);
}

void Lowerer::bin_op(const Expr* e) {
    std::vector<const Expr*> chain;   // chains of operators lean to the left
    for (; e->kind == ExprKind::BinOp; e = e->items[0]) {
        if (folds(e)) throw Error(-1, "an operation on constants");
        if (features().percent_format_folded && is_percent_format(e)) break;
        chain.push_back(e);
    }
    if (e->kind != ExprKind::BinOp)
        expression(e);
    else
        percent_format(e);
    for (std::size_t i = chain.size(); i-- > 0;) {
        expression(chain[i]->items[1]);
        out_.emit(Op::Binary, static_cast<std::uint32_t>(chain[i]->binary));
    }
}

void Lowerer::unary_op(const Expr* e) {
    const Expr* operand = e->items[0];
    if (folds(e)) throw Error(-1, "an operation on a constant");
    if (e->unary == ast::UnaryOperator::Not && operand->kind == ExprKind::Compare && operand->compare_ops.size() == 1 &&
        operand->compare_ops[0] >= CompareOperator::Is) {   // not a in b  =>  a not in b
        Expr inverted = *operand;
        inverted.compare_ops[0] = static_cast<CompareOperator>(static_cast<int>(operand->compare_ops[0]) ^ 1);
        compare(&inverted);
        return;
    }
    const bool twice = e->unary == ast::UnaryOperator::Not && operand->kind == ExprKind::UnaryOp &&
                       operand->unary == ast::UnaryOperator::Not;
    if (twice && features().has_to_bool) {   // not not x
        const Expr* value = operand->items[0];
        if (value->kind == ExprKind::Compare || (value->kind == ExprKind::UnaryOp && value->unary == e->unary))
            throw Error(-1, "not not, of a bool");
        expression(value);
        out_.emit(Op::ToBool);
        return;
    }
    expression(operand);
    out_.emit(Op::Unary, static_cast<std::uint32_t>(e->unary));
}

void Lowerer::if_exp(const Expr* e) {
    const Label otherwise = out_.label(), end = out_.label();
    jump_if(e->items[0], otherwise, false);
    const std::int32_t depth = out_.depth();
    expression(e->items[1]);
    out_.jump(end);
    out_.place(otherwise);
    out_.set_depth(depth);
    expression(e->items[2]);
    out_.place(end);
}

void Lowerer::attribute(const Expr* e) {
    if (super_attribute(e, false)) return;
    expression(e->items[0]);
    out_.emit_name(Op::LoadAttr, mangled(e->name));
}

void Lowerer::subscript(const Expr* e) {
    if (folds(e)) throw Error(-1, "an operation on constants");
    expression(e->items[0]);
    if (two_element_slice(e->items[1], features())) {
        slice(e->items[1]);
        out_.emit(Op::LoadSlice);
        return;
    }
    subscript_key(e->items[1]);
    out_.emit(Op::LoadSubscr);
}

// Constant slices have no text but x[1:2] (3.14+).
void Lowerer::subscript_key(const Expr* e) {
    if (!features().marshal_has_slices) {
        expression(e);
        return;
    }
    if (e->kind == ExprKind::Slice && constant_slice(e)) {
        Constant slice;
        slice.kind = Constant::Kind::Slice;
        for (const Expr* part : e->items) slice.items.push_back(part ? *part->value : Constant{});
        out_.constant(keep(std::move(slice)));
        return;
    }
    if (e->kind == ExprKind::Tuple && !e->items.empty() &&
        std::none_of(e->items.begin(), e->items.end(), [](const Expr* i) { return i->kind == ExprKind::Starred; }) &&
        e->items.size() <= 30) {
        for (const Expr* item : e->items) subscript_key(item);
        build_tuple(static_cast<std::uint32_t>(e->items.size()));
        return;
    }
    const bool outer = std::exchange(in_subscript_, e->kind == ExprKind::Constant);
    expression(e);
    in_subscript_ = outer;
}

// The parts of a slice that has an instruction of its own; else one slice object.
void Lowerer::slice(const Expr* e) {
    const bool parts = two_element_slice(e, features());
    for (std::size_t i = 0; i < (e->items[2] ? 3U : 2U); ++i) {
        if (e->items[i])
            expression(e->items[i]);
        else
            out_.none();
    }
    if (parts) return;
    out_.emit(Op::BuildSlice, e->items[2] ? 3 : 2);
}

void Lowerer::yield_value(const Expr* e) {
    if (!scope().is_function()) throw Error(-1, "yield outside a function");
    if (e->items[0])
        expression(e->items[0]);
    else
        out_.none();
    if (scope().is_async && features().has_return_generator) out_.emit(Op::AsyncGenWrap);
    out_.emit(Op::Yield);
}

void Lowerer::yield_from(const Expr* e) {
    expression(e->items[0]);
    out_.emit(Op::YieldFrom, features().iter_pushes_two ? 3 : 0);
}

void Lowerer::await(const Expr* e) {
    expression(e->items[0]);
    out_.emit(Op::Await);
}

void Lowerer::target(const Expr* e) {
    switch (e->kind) {
        case ExprKind::Name: store_name(e->name); return;
        case ExprKind::Attribute:
            expression(e->items[0]);
            out_.emit_name(Op::StoreAttr, mangled(e->name));
            return;
        case ExprKind::Subscript:
            expression(e->items[0]);
            if (two_element_slice(e->items[1], features())) {
                slice(e->items[1]);
                out_.emit(Op::StoreSlice);
                return;
            }
            subscript_key(e->items[1]);
            out_.emit(Op::StoreSubscr);
            return;
        case ExprKind::Tuple:
        case ExprKind::List: unpack_targets(e); return;
        default: throw Error(-1, "no target");
    }
}

void Lowerer::unpack_targets(const Expr* e) {
    std::size_t star = e->items.size();
    for (std::size_t i = 0; i < e->items.size(); ++i) {
        if (e->items[i]->kind != ExprKind::Starred) continue;
        if (star != e->items.size()) throw Error(-1, "two starred targets");
        star = i;
    }
    const auto count = static_cast<std::uint32_t>(e->items.size());
    if (star == e->items.size())
        out_.emit(Op::UnpackSequence, count);
    else
        out_.emit(Op::UnpackEx, static_cast<std::uint32_t>(star) | (count - static_cast<std::uint32_t>(star) - 1) << 8);
    for (const Expr* item : e->items) target(item->kind == ExprKind::Starred ? item->items[0] : item);
}

}  // namespace depyf::verify
