// Binding strength of expressions, weakest first. Source: the grammar in CPython Grammar/python.gram and _Precedence in
// Lib/ast.py's description of it.
#pragma once

#include <cstdint>

namespace depyf {

enum class Precedence : std::uint8_t {
    NamedExpr,  // x := y
    Tuple,  // a, b
    Yield,  // yield, yield from
    Test,  // a if b else c, lambda
    Or,
    And,
    Not,
    Comparison,
    Expression,  // what a starred item takes: |
    BitXor,
    BitAnd,
    Shift,
    Arithmetic,
    Term,
    Factor,  // -x
    Power,
    Await,
    Atom,
};

}  // namespace depyf
