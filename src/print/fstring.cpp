// f-strings and t-strings. Up to 3.11 a replacement field may hold neither a backslash nor the quote of the string
// around it (PEP 498); from 3.12 on anything goes (PEP 701).
#include <algorithm>
#include <array>

#include "print/expression_printer.h"
#include "print/literal.h"

namespace depyf {

using ast::Expr;
using ast::ExprKind;

namespace {

constexpr std::array<const char*, 4> kQuotes = {"'", "\"", "'''", "\"\"\""};

}  // namespace

bool ExpressionPrinter::fits_inside(std::string_view literal) const {
    const bool lines = literal.find('\n') != std::string_view::npos;
    const auto ended_by = [&](const std::string& quote) {
        return literal.find(quote) != std::string_view::npos || (lines && quote.size() == 1);
    };
    return quotes_around_.empty() || (literal.find('\\') == std::string_view::npos &&
                                      std::none_of(quotes_around_.begin(), quotes_around_.end(), ended_by));
}

void ExpressionPrinter::string_constant(std::string& out, const std::string& text) {
    std::string literal = string_literal(text);
    for (std::size_t i = 0; i < kQuotes.size() && !fits_inside(literal); ++i) {
        const std::string quote = kQuotes[i];
        const bool several = quote.size() > 1;
        const bool ends_it =
            several && (text.find(quote) != std::string::npos || (!text.empty() && text.back() == quote[0]));
        if (!ends_it) literal = quote + escaped(text, several ? 0 : quote[0], several) + quote;
    }
    misplaced_ = misplaced_ || !fits_inside(literal);
    out += literal;
}

void ExpressionPrinter::joined_string(std::string& out, const Expr* e) {
    const bool is_template = e->kind == ExprKind::TemplateStr || e->kind == ExprKind::Interpolation;
    const bool nests = features_.nested_fstring_quotes;
    const bool misplaced = misplaced_;
    ++fstring_depth_;
    std::string best;
    bool found = false;
    for (std::size_t i = 0; i < (nests ? 2 : kQuotes.size()); ++i) {
        const std::string quote = kQuotes[i];
        std::string inside;
        misplaced_ = false;
        if (!nests) quotes_around_.push_back(quote);
        if (e->kind == ExprKind::FormattedValue || e->kind == ExprKind::Interpolation)
            replacement(inside, e, quote[0]);
        else
            fstring_parts(inside, e, quote[0], false);
        if (!nests) quotes_around_.pop_back();
        const std::string text = std::string(is_template ? "t" : "f") + quote + inside + quote;
        const bool fits = !misplaced_ && fits_inside(text);
        const bool plain = inside.find(std::string("\\") + quote[0]) == std::string::npos;
        if (best.empty() || (fits && (!found || plain))) best = text;
        found = found || fits;
        if (fits && plain) break;
    }
    misplaced_ = misplaced || !found;
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
