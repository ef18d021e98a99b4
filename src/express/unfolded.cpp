#include "express/unfolded.h"

#include <algorithm>
#include <cmath>

namespace depyf {

using ast::Expr;
using ast::ExprKind;

Expr* decided_late(ast::Tree& tree, const Features& features, Expr* constant) {
    if (!features.finally_copied || features.jump_unit != 2) return constant;  // up to 3.9 the test is there to be seen
    const bool computes = features.has_load_small_int;  // tuples and negative numbers too
    const auto kind = constant->value->kind;
    if (computes && (kind == Constant::Kind::Tuple || kind == Constant::Kind::Complex)) return constant;
    if (computes && kind == Constant::Kind::Int && constant->value->text[0] == '-') return constant;
    if (computes && kind == Constant::Kind::Float && std::signbit(constant->value->real)) return constant;
    const int truth = depyf::truth(*constant->value);
    if (truth < 0) return constant;
    Expr* none = tree.constant(Constant{});
    none->location = constant->location;
    Expr* e = tree.expr(ExprKind::BoolOp, {constant, none});
    e->is_and = truth == 0;
    e->flag = true;
    e->order = constant->order;
    e->location = constant->location;
    return e;
}

Expr* computed_late(ast::Tree& tree, Expr* constant) {
    const Constant& value = *constant->value;
    const bool number = (value.kind == Constant::Kind::Float && !std::signbit(value.real)) ||
                        (value.kind == Constant::Kind::Int && value.text[0] != '-');
    if (!number) return constant;
    Expr* e = tree.expr(ExprKind::UnaryOp, {constant});
    e->unary = ast::UnaryOperator::UAdd;
    e->order = constant->order;
    e->location = constant->location;
    return e;
}

bool are_constants(const std::vector<Expr*>& values) {
    return std::all_of(values.begin(), values.end(), [](const Expr* e) { return e->kind == ExprKind::Constant; });
}

}  // namespace depyf
