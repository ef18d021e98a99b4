#include "print/expression_printer.h"

#include <algorithm>
#include <cmath>

#include "print/literal.h"

namespace depyf {

using ast::Expr;
using ast::ExprKind;

namespace {

constexpr const char* kBinary[] = {"+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "|", "^", "&"};
constexpr const char* kUnary[] = {"~", "not ", "+", "-"};
constexpr const char* kCompare[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};

Precedence binary_precedence(ast::Operator op) {
    switch (op) {
        case ast::Operator::Add:
        case ast::Operator::Sub: return Precedence::Arithmetic;
        case ast::Operator::LShift:
        case ast::Operator::RShift: return Precedence::Shift;
        case ast::Operator::BitOr: return Precedence::Expression;
        case ast::Operator::BitXor: return Precedence::BitXor;
        case ast::Operator::BitAnd: return Precedence::BitAnd;
        case ast::Operator::Pow: return Precedence::Power;
        default: return Precedence::Term;
    }
}

Precedence tighter(Precedence p) {
    return static_cast<Precedence>(static_cast<int>(p) + 1);
}

bool starts_with_sign(const Constant& c) {
    switch (c.kind) {
        case Constant::Kind::Int: return !c.text.empty() && c.text[0] == '-';
        case Constant::Kind::Float: return std::signbit(c.real) && !std::isnan(c.real);
        default: return false;
    }
}

}  // namespace

Precedence ExpressionPrinter::precedence(const Expr* e) {
    switch (e->kind) {
        case ExprKind::NamedExpr: return Precedence::NamedExpr;
        case ExprKind::Tuple: return e->items.empty() ? Precedence::Atom : Precedence::Tuple;
        case ExprKind::Yield:
        case ExprKind::YieldFrom: return Precedence::Yield;
        case ExprKind::IfExp:
        case ExprKind::Lambda: return Precedence::Test;
        case ExprKind::BoolOp: return e->is_and ? Precedence::And : Precedence::Or;
        case ExprKind::UnaryOp: return e->unary == ast::UnaryOperator::Not ? Precedence::Not : Precedence::Factor;
        case ExprKind::Compare: return Precedence::Comparison;
        case ExprKind::BinOp: return binary_precedence(e->binary);
        case ExprKind::Await: return Precedence::Await;
        default: return Precedence::Atom;
    }
}

void ExpressionPrinter::print(std::string& out, const Expr* e, Precedence least) {
    if (e->kind == ExprKind::Constant) {
        constant(out, *e->value, least);
        return;
    }
    const bool parentheses = precedence(e) < least;
    if (parentheses) out += '(', enter();
    bare(out, e);
    if (parentheses) out += ')', leave();
}

void ExpressionPrinter::bare(std::string& out, const Expr* e) {
    switch (e->kind) {
        case ExprKind::BoolOp: bool_op(out, e); return;
        case ExprKind::NamedExpr:
            print(out, e->items[0], Precedence::Atom);
            out += " := ";
            print(out, e->items[1], Precedence::Test);
            return;
        case ExprKind::BinOp: bin_op(out, e); return;
        case ExprKind::UnaryOp: {
            out += kUnary[static_cast<int>(e->unary)];
            const bool is_not = e->unary == ast::UnaryOperator::Not;
            // `-1` is one constant for the compiler: keep the operation apart
            const bool number =
                !is_not && e->items[0]->kind == ExprKind::Constant && e->items[0]->value->kind != Constant::Kind::Str;
            print(out, e->items[0], is_not ? Precedence::Not : number ? Precedence::Atom : Precedence::Factor);
            return;
        }
        case ExprKind::Lambda:
            out += "lambda";
            if (!e->args->posonly.empty() || !e->args->args.empty() || !e->args->kwonly.empty() ||
                e->args->has_vararg || e->args->has_kwarg) {
                out += ' ';
            }
            arguments(out, *e->args, false);
            out += ": ";
            print(out, e->items[0], Precedence::Test);
            return;
        case ExprKind::IfExp:
            print(out, e->items[1], Precedence::Or);
            out += " if ";
            print(out, e->items[0], Precedence::Or);
            out += " else ";
            print(out, e->items[2], Precedence::Test);
            return;
        case ExprKind::Dict: dict(out, e); return;
        case ExprKind::Set:
            if (e->items.empty()) {
                out += "{*()}";
                return;
            }
            out += '{';
            enter();
            comma_separated(out, e->items, Precedence::Test);
            leave();
            out += '}';
            return;
        case ExprKind::List:
            out += '[';
            enter();
            comma_separated(out, e->items, Precedence::Test);
            leave();
            out += ']';
            return;
        case ExprKind::Tuple: tuple(out, e); return;
        case ExprKind::ListComp:
        case ExprKind::SetComp:
        case ExprKind::GeneratorExp: {
            const char* brackets = e->kind == ExprKind::ListComp ? "[]" : e->kind == ExprKind::SetComp ? "{}" : "()";
            out += brackets[0];
            print(out, e->items[0], Precedence::Test);
            clauses(out, e->generators);
            out += brackets[1];
            return;
        }
        case ExprKind::DictComp:
            out += '{';
            if (e->items[1]) {
                print(out, e->items[0], Precedence::Test);
                out += ": ";
                print(out, e->items[1], Precedence::Test);
            } else {
                out += "**";
                print(out, e->items[0], Precedence::Expression);
            }
            clauses(out, e->generators);
            out += '}';
            return;
        case ExprKind::Await:
            out += "await ";
            print(out, e->items[0], Precedence::Atom);
            return;
        case ExprKind::Yield:
            out += "yield";
            if (e->items[0] &&
                !(e->items[0]->kind == ExprKind::Constant && e->items[0]->value->kind == Constant::Kind::None)) {
                out += ' ';
                const ExprKind kind = e->items[0]->kind;
                const bool again = kind == ExprKind::Yield || kind == ExprKind::YieldFrom;   // yield (yield x)
                print(out, e->items[0], again ? Precedence::Test : Precedence::Tuple);
            }
            return;
        case ExprKind::YieldFrom:
            out += "yield from ";
            print(out, e->items[0], Precedence::Test);
            return;
        case ExprKind::Compare: compare(out, e); return;
        case ExprKind::Call: call(out, e); return;
        case ExprKind::FormattedValue:
        case ExprKind::Interpolation:
        case ExprKind::JoinedStr:
        case ExprKind::TemplateStr: joined_string(out, e); return;
        case ExprKind::Attribute: {
            const Expr* object = e->items[0];
            const bool number = object->kind == ExprKind::Constant && (object->value->kind == Constant::Kind::Int ||
                                                                       object->value->kind == Constant::Kind::Float ||
                                                                       object->value->kind == Constant::Kind::Complex);
            if (number) out += '(';
            print(out, object, number ? Precedence::NamedExpr : Precedence::Atom);
            if (number) out += ')';
            out += '.';
            out += e->name;
            return;
        }
        case ExprKind::Subscript: subscript(out, e); return;
        case ExprKind::Starred:
            out += '*';
            print(out, e->items[0], Precedence::Expression);
            return;
        case ExprKind::Name: out += e->name; return;
        case ExprKind::Slice:
            if (e->items[0]) print(out, e->items[0], Precedence::Test);
            out += ':';
            if (e->items[1]) print(out, e->items[1], Precedence::Test);
            if (e->items[2]) {
                out += ':';
                print(out, e->items[2], Precedence::Test);
            }
            return;
        default: out += "..."; return;   // an artefact that should not have come this far
    }
}

void ExpressionPrinter::comma_separated(std::string& out, const std::vector<Expr*>& items, Precedence least) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out += comma();
        print(out, items[i], least);
    }
}

void ExpressionPrinter::bool_op(std::string& out, const Expr* e) {
    const Precedence inner = e->is_and ? Precedence::Not : Precedence::And;
    for (std::size_t i = 0; i < e->items.size(); ++i) {
        if (i > 0) out += std::string(space()) + (e->is_and ? "and " : "or ");
        print(out, e->items[i], inner);
    }
}

void ExpressionPrinter::bin_op(std::string& out, const Expr* e) {
    // left-nested chains (a + b + c + ...) may be thousands long: no recursion along the left side
    std::vector<const Expr*> chain{e};
    while (chain.back()->items[0]->kind == ExprKind::BinOp && chain.back()->binary != ast::Operator::Pow &&
           binary_precedence(chain.back()->items[0]->binary) >= binary_precedence(chain.back()->binary)) {
        chain.push_back(chain.back()->items[0]);
    }
    const Expr* innermost = chain.back();
    const Precedence own = binary_precedence(innermost->binary);
    print(out, innermost->items[0], innermost->binary == ast::Operator::Pow ? Precedence::Await : own);
    for (std::size_t i = chain.size(); i-- > 0;) {
        const Expr* part = chain[i];
        const Precedence p = binary_precedence(part->binary);
        out += part->binary == ast::Operator::Pow
                   ? " ** "
                   : std::string(space()) + kBinary[static_cast<int>(part->binary)] + " ";
        print(out, part->items[1], part->binary == ast::Operator::Pow ? Precedence::Factor : tighter(p));
    }
}

void ExpressionPrinter::compare(std::string& out, const Expr* e) {
    print(out, e->items[0], Precedence::Expression);
    for (std::size_t i = 0; i < e->compare_ops.size(); ++i) {
        out += ' ';
        out += kCompare[static_cast<int>(e->compare_ops[i])];
        out += ' ';
        print(out, e->items[i + 1], Precedence::Expression);
    }
}

void ExpressionPrinter::keyword(std::string& out, const ast::Keyword& k) {
    if (k.name.empty())
        out += "**";
    else
        out += k.name + "=";
    print(out, k.value, k.name.empty() ? Precedence::Expression : Precedence::Test);
}

void ExpressionPrinter::call(std::string& out, const Expr* e) {
    print(out, e->items[0], Precedence::Atom);
    const bool lone_generator =
        e->items.size() == 2 && e->keywords.empty() && e->items[1]->kind == ExprKind::GeneratorExp;
    if (lone_generator) {
        print(out, e->items[1], Precedence::Atom);
        return;
    }
    out += '(';
    enter();
    for (std::size_t i = 1; i < e->items.size(); ++i) {
        if (i > 1) out += comma();
        if (e->items[i]->kind == ExprKind::NamedExpr && e->items.size() == 2 && e->keywords.empty())
            print(out, e->items[i], Precedence::NamedExpr);
        else
            print(out, e->items[i], Precedence::Test);
    }
    bool first = e->items.size() == 1;
    for (const ast::Keyword& k : e->keywords) {
        if (!first) out += comma();
        first = false;
        keyword(out, k);
    }
    leave();
    out += ')';
}

void ExpressionPrinter::subscript(std::string& out, const Expr* e) {
    print(out, e->items[0], Precedence::Atom);
    out += '[';
    const Expr* key = e->items[1];
    const bool starred =
        key->kind == ExprKind::Tuple &&
        std::any_of(key->items.begin(), key->items.end(), [](const Expr* i) { return i->kind == ExprKind::Starred; });
    auto is_slice = [](const Constant& c) { return c.kind == Constant::Kind::Slice; };
    auto constant_slice = [&](const Constant& c) {   // 3.14+: x[1:2] has one constant for its slice
        for (std::size_t i = 0; i < c.items.size(); ++i) {
            if (i == 1 || (i == 2 && c.items[2].kind != Constant::Kind::None)) out += ':';
            if (c.items[i].kind != Constant::Kind::None) constant(out, c.items[i], Precedence::Test);
        }
    };
    const bool constant_tuple =
        key->kind == ExprKind::Constant && key->value->kind == Constant::Kind::Tuple && !key->value->items.empty();
    if (key->kind == ExprKind::Tuple && !key->items.empty() && (!starred || features_.star_in_subscript)) {
        for (std::size_t i = 0; i < key->items.size(); ++i) {
            if (i > 0) out += ", ";
            const Expr* item = key->items[i];
            if (item->kind == ExprKind::Constant && is_slice(*item->value))
                constant_slice(*item->value);
            else
                print(out, item, Precedence::Test);
        }
        if (key->items.size() == 1 && !(key->items[0]->kind == ExprKind::Starred)) out += ',';
    } else if (constant_tuple) {
        for (std::size_t i = 0; i < key->value->items.size(); ++i) {
            if (i > 0) out += ", ";
            if (is_slice(key->value->items[i]))
                constant_slice(key->value->items[i]);
            else
                constant(out, key->value->items[i], Precedence::Test);
        }
        if (key->value->items.size() == 1) out += ',';
    } else if (key->kind == ExprKind::Constant && is_slice(*key->value)) {
        constant_slice(*key->value);
    } else {
        print(out, key, key->kind == ExprKind::Slice ? Precedence::NamedExpr : Precedence::Test);
    }
    out += ']';
}

void ExpressionPrinter::tuple(std::string& out, const Expr* e) {
    if (e->items.empty()) {
        out += "()";
        return;
    }
    comma_separated(out, e->items, Precedence::Test);
    if (e->items.size() == 1) out += ',';
}

void ExpressionPrinter::target(std::string& out, const Expr* e) {
    if (e->kind == ExprKind::Tuple && !e->items.empty())
        tuple(out, e);
    else
        print(out, e, Precedence::Atom);
}

void ExpressionPrinter::dict(std::string& out, const Expr* e) {
    out += '{';
    enter();
    for (std::size_t i = 0; i + 1 < e->items.size(); i += 2) {
        if (i > 0) out += comma();
        if (e->items[i]) {
            print(out, e->items[i], Precedence::Test);
            out += ": ";
            print(out, e->items[i + 1], Precedence::Test);
        } else {
            out += "**";
            print(out, e->items[i + 1], Precedence::Expression);
        }
    }
    leave();
    out += '}';
}

void ExpressionPrinter::clauses(std::string& out, const std::vector<ast::Comprehension>& generators) {
    for (const ast::Comprehension& g : generators) {
        out += g.is_async ? " async for " : " for ";
        target(out, g.target);
        out += " in ";
        print(out, g.iter, Precedence::Or);
        for (const Expr* condition : g.ifs) {
            out += " if ";
            print(out, condition, Precedence::Or);
        }
    }
}

void ExpressionPrinter::arguments(std::string& out, const ast::Arguments& args, bool annotations) {
    bool first = true;
    auto separate = [&]() {
        if (!first) out += ", ";
        first = false;
    };
    auto argument = [&](const ast::Arguments::Arg& arg, const char* stars, bool starred) {
        separate();
        out += stars;
        out += arg.name;
        const bool annotated = annotations && arg.annotation;
        if (annotated) {
            out += ": ";
            print(out, arg.annotation, Precedence::Test);
        }
        if (arg.default_value) {
            out += annotated ? " = " : "=";
            print(out, arg.default_value, Precedence::Test);
        }
        (void)starred;
    };
    for (const auto& arg : args.posonly) argument(arg, "", false);
    if (!args.posonly.empty()) {
        separate();
        out += '/';
    }
    for (const auto& arg : args.args) argument(arg, "", false);
    if (args.has_vararg) {
        argument(args.vararg, "*", true);
    } else if (!args.kwonly.empty()) {
        separate();
        out += '*';
    }
    for (const auto& arg : args.kwonly) argument(arg, "", false);
    if (args.has_kwarg) argument(args.kwarg, "**", true);
}

void ExpressionPrinter::constant(std::string& out, const Constant& c, Precedence least) {
    switch (c.kind) {
        case Constant::Kind::None: out += "None"; return;
        case Constant::Kind::True: out += "True"; return;
        case Constant::Kind::False: out += "False"; return;
        case Constant::Kind::Ellipsis: out += "..."; return;
        case Constant::Kind::StopIteration: out += "StopIteration"; return;
        case Constant::Kind::Int:
        case Constant::Kind::Float: {
            const bool parentheses = starts_with_sign(c) && least > Precedence::Factor;
            if (parentheses) out += '(';
            out += c.kind == Constant::Kind::Int ? c.text : float_literal(c.real);
            if (parentheses) out += ')';
            return;
        }
        case Constant::Kind::Complex: {
            // `a+bj` folds back to one constant; a real part of +0.0 needs no sum
            const bool sum = c.real != 0 || std::signbit(c.real) || std::isnan(c.real);
            const bool negative = std::signbit(c.imag) && !std::isnan(c.imag);
            const bool parentheses =
                (sum && least > Precedence::Arithmetic) || (negative && !sum && least > Precedence::Factor);
            if (parentheses) out += '(';
            if (sum) {
                // the unary minus negates both parts: -(0j) is (-0.0, -0.0), while `1 - 0j` has an imaginary part of +0.0
                if (c.real == 0 && std::signbit(c.real) && negative) {
                    out += '-' + float_literal(-c.imag) + 'j';
                } else if (c.imag == 0 && negative) {
                    out += "-(" + float_literal(-c.real) + "+0j)";
                } else {
                    out += float_literal(c.real);
                    out += negative ? '-' : '+';
                    out += float_literal(std::fabs(c.imag)) + 'j';
                }
            } else {
                out += negative ? "0" + float_literal(c.imag) + "j" : float_literal(c.imag) + "j";
            }
            if (parentheses) out += ')';
            return;
        }
        case Constant::Kind::Str: string_constant(out, c.text); return;
        case Constant::Kind::Bytes: {
            const std::string text = bytes_literal(c.text);
            misplaced_ = misplaced_ || !fits_inside(text);
            out += text;
            return;
        }
        case Constant::Kind::Tuple: {
            const bool parentheses = least > Precedence::Tuple || c.items.empty();
            if (parentheses) out += '(';
            for (std::size_t i = 0; i < c.items.size(); ++i) {
                if (i > 0) out += ", ";
                constant(out, c.items[i], Precedence::Test);
            }
            if (c.items.size() == 1) out += ',';
            if (parentheses) out += ')';
            return;
        }
        case Constant::Kind::FrozenSet:
        case Constant::Kind::Set:
        case Constant::Kind::List: {
            const bool list = c.kind == Constant::Kind::List;
            out += list ? '[' : '{';
            for (std::size_t i = 0; i < c.items.size(); ++i) {
                if (i > 0) out += ", ";
                constant(out, c.items[i], Precedence::Test);
            }
            if (c.items.empty() && !list) out += "*()";
            out += list ? ']' : '}';
            return;
        }
        case Constant::Kind::Dict:
        case Constant::Kind::FrozenDict:
            out += '{';
            for (std::size_t i = 0; i + 1 < c.items.size(); i += 2) {
                if (i > 0) out += ", ";
                constant(out, c.items[i], Precedence::Test);
                out += ": ";
                constant(out, c.items[i + 1], Precedence::Test);
            }
            out += '}';
            return;
        case Constant::Kind::Slice:
            out += "slice(";
            for (std::size_t i = 0; i < c.items.size(); ++i) {
                if (i > 0) out += ", ";
                constant(out, c.items[i], Precedence::Test);
            }
            out += ')';
            return;
        case Constant::Kind::Code: out += c.text.empty() ? "..." : c.text; return;
        case Constant::Kind::Opaque: out += c.text; return;
    }
}

}  // namespace depyf
