// Operators, named as CPython's `ast` names them. Instructions and syntax tree share them.
#pragma once

#include <cstdint>

namespace depyf::ast {

enum class Operator : std::uint8_t {
    Add,
    Sub,
    Mult,
    MatMult,
    Div,
    FloorDiv,
    Mod,
    Pow,
    LShift,
    RShift,
    BitOr,
    BitXor,
    BitAnd,
};
enum class UnaryOperator : std::uint8_t { Invert, Not, UAdd, USub };
enum class CompareOperator : std::uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };

}  // namespace depyf::ast
