// f-strings and t-strings. Up to 3.11 a replacement field may hold neither a backslash nor the quote of the string
// around it (PEP 498); from 3.12 on anything goes (PEP 701).
#include <algorithm>

#include "print/expression_printer.h"
#include "print/literal.h"

namespace depyf {

using ast::Expr;
using ast::ExprKind;

void ExpressionPrinter::joined_string(std::string& out, const Expr* e) {
    const bool is_template = e->kind == ExprKind::TemplateStr || e->kind == ExprKind::Interpolation;
    const std::string saved = avoid_;
    ++fstring_depth_;
    std::string best;
    for (const std::string quote : {"'", "\"", "'''", "\"\"\""}) {
        if (!features_.nested_fstring_quotes && saved.find(quote[0]) != std::string::npos) continue;
        avoid_ = features_.nested_fstring_quotes ? "" : saved + quote[0];
        std::string inside;
        if (e->kind == ExprKind::FormattedValue || e->kind == ExprKind::Interpolation)
            replacement(inside, e, quote[0]);
        else
            fstring_parts(inside, e, quote[0], false);
        const std::string text = std::string(is_template ? "t" : "f") + quote + inside + quote;
        if (best.empty()) best = text;
        const bool escapes = inside.find(std::string("\\") + quote[0]) != std::string::npos;
        if (quote.size() == 1 && !escapes) {
            best = text;
            break;
        }
        if (quote == "\"" || features_.nested_fstring_quotes) break;
    }
    avoid_ = saved;
    --fstring_depth_;
    out += best;
}

void ExpressionPrinter::fstring_parts(std::string& out, const Expr* e, char quote, bool spec) {
    for (const Expr* part : e->items) {
        if (part->kind == ExprKind::FormattedValue || part->kind == ExprKind::Interpolation) {
            replacement(out, part, quote);
        } else if (part->kind == ExprKind::Constant && part->value->kind == Constant::Kind::Str) {
            for (const char c : escaped(part->value->text, quote)) {
                out += c;
                if (c == '{' || c == '}') out += c;
            }
        } else if (part->kind == ExprKind::JoinedStr) {
            fstring_parts(out, part, quote, spec);
        } else {
            out += '{';
            print(out, part, Precedence::Test);
            out += '}';
        }
    }
}

void ExpressionPrinter::replacement(std::string& out, const Expr* e, char quote) {
    // a t-string keeps the text of its expressions
    const bool as_written = !e->name.empty() && e->name.find_first_of("#\n\\") == std::string::npos;
    std::string value = as_written ? e->name : "";
    if (!as_written) print(value, e->items[0], Precedence::Test);
    out += '{';
    if (!value.empty() && value[0] == '{') out += ' ';
    const bool wrap = !as_written && e->items[0]->kind == ExprKind::Lambda;
    out += wrap ? "(" + value + ")" : value;
    if (e->conversion) {
        out += '!';
        out += e->conversion;
    }
    if (e->items.size() > 1 && e->items[1]) {
        out += ':';
        fstring_parts(out, e->items[1], quote, true);
    }
    out += '}';
}

}  // namespace depyf
