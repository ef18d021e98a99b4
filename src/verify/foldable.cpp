#include "verify/foldable.h"

#include <algorithm>
#include <cmath>

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;

bool can_be_written(const Constant& constant, bool in_subscript) {
    switch (constant.kind) {
        case Constant::Kind::None:
        case Constant::Kind::True:
        case Constant::Kind::False:
        case Constant::Kind::Ellipsis:
        case Constant::Kind::Int:
        case Constant::Kind::Float:
        case Constant::Kind::Complex:
        case Constant::Kind::Str:
        case Constant::Kind::Bytes: return true;
        case Constant::Kind::Tuple:
            return std::all_of(constant.items.begin(), constant.items.end(),
                               [&](const Constant& item) { return can_be_written(item, in_subscript); });
        case Constant::Kind::Slice: return in_subscript;
        default: return false;
    }
}

namespace {

// Source: MAX_INT_SIZE, MAX_STR_SIZE in CPython Python/ast_opt.c.
constexpr double kMaxIntBits = 128, kMaxTextSize = 4096;

// log2 of an int's size, 0 for 0 and 1.
double bits(const Constant& c) {
    const std::size_t digits = c.text.size() - (c.text[0] == '-');
    if (digits > 15) return static_cast<double>(digits) * 3.3219;
    const double value = std::fabs(std::stod(c.text));
    return value < 1 ? 0 : std::floor(std::log2(value)) + 1;
}

bool is_number(const Constant& c) {
    return c.kind == Constant::Kind::Int || c.kind == Constant::Kind::Float || c.kind == Constant::Kind::Complex;
}

// An operation on constants that the compiler surely leaves alone.
bool stays(const Expr* e) {
    const Constant& left = *e->items[0]->value;
    if (e->kind != ExprKind::BinOp) return false;
    const Constant& right = *e->items[1]->value;
    const bool ints = left.kind == Constant::Kind::Int && right.kind == Constant::Kind::Int;
    switch (e->binary) {
        case ast::Operator::Mod: return left.kind == Constant::Kind::Str || left.kind == Constant::Kind::Bytes;
        case ast::Operator::LShift:
            return ints && bits(left) > 0 &&
                   (right.text.size() > 6 || bits(left) + std::stod(right.text) > kMaxIntBits);
        case ast::Operator::Mult: {
            const bool text = left.kind == Constant::Kind::Str || left.kind == Constant::Kind::Bytes;
            return text && right.kind == Constant::Kind::Int && right.text[0] != '-' &&
                   static_cast<double>(left.text.size()) / 4 * std::stod(right.text) > kMaxTextSize;
        }
        case ast::Operator::Pow:
            return ints && bits(left) > 1 &&
                   (right.text.size() > 6 || bits(left) * std::stod(right.text) > 2 * kMaxIntBits);
        case ast::Operator::Add:
            return (is_number(left) && right.kind == Constant::Kind::Str) ||
                   (left.kind == Constant::Kind::Str && is_number(right));
        default: return false;
    }
}

}  // namespace

bool folds(const Expr* e) {
    if (e->kind != ExprKind::BinOp && e->kind != ExprKind::UnaryOp && e->kind != ExprKind::Subscript) return false;
    const bool constants = std::all_of(e->items.begin(), e->items.end(),
                                       [](const Expr* item) { return item->kind == ExprKind::Constant; });
    return constants && !stays(e);
}

bool is_token(const Constant& c) {
    switch (c.kind) {
        case Constant::Kind::Tuple: return false;
        case Constant::Kind::Int: return c.text[0] != '-';
        case Constant::Kind::Float: return !std::signbit(c.real);
        case Constant::Kind::Complex: return c.real == 0 && !std::signbit(c.real) && !std::signbit(c.imag);
        default: return true;
    }
}

bool constant_slice(const Expr* e) {
    return std::all_of(e->items.begin(), e->items.end(), [](const Expr* item) {
        return !item || (item->kind == ExprKind::Constant && is_token(*item->value));
    });
}

bool two_element_slice(const Expr* e, const Features& features) {
    return features.has_slice_opcodes && e->kind == ExprKind::Slice && !e->items[2] &&
           !(features.marshal_has_slices && constant_slice(e));
}

}  // namespace depyf::verify
