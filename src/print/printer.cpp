#include "print/printer.h"

#include <algorithm>
#include <optional>

#include "bytecode/features.h"
#include "print/alignment.h"
#include "print/expression_printer.h"
#include "print/literal.h"

namespace depyf {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

constexpr const char* kAugmented[] = {"+=", "-=", "*=", "@=", "/=", "//=", "%=", "**=", "<<=", ">>=", "|=", "^=", "&="};

class StatementPrinter {
  public:
    StatementPrinter(PrintedText& result, const Features& features, const PrintOptions& options,
                     const Alignment* alignment)
        : result_(result),
          features_(features),
          align_(options.align),
          alignment_(alignment),
          unbroken_(options.unbroken),
          unbroken_headers_(options.unbroken_headers),
          expressions_(features) {}

    void body(const Body& statements, bool docstring_possible) {
        for (std::size_t i = 0; i < statements.size(); ++i) {
            const Stmt* stmt = statements[i];
            const bool definition = is_definition(stmt);
            if (i > 0 && !inline_ && (definition || is_definition(statements[i - 1]))) blank(indent_ == 0 ? 2 : 1);
            if (i == 0 && docstring_possible && is_docstring(stmt))
                docstring(stmt, statements.size() > 1 ? statements[1] : nullptr);
            else
                statement(stmt);
        }
        if (statements.empty()) {
            line(nullptr, "pass");
        }
    }

    void module(const Body& statements) {
        if (!statements.empty()) body(statements, true);
    }

  private:
    static bool is_definition(const Stmt* stmt) {
        return stmt->kind == StmtKind::FunctionDef || stmt->kind == StmtKind::AsyncFunctionDef ||
               stmt->kind == StmtKind::ClassDef;
    }
    static bool is_docstring(const Stmt* stmt) {
        return stmt->kind == StmtKind::Expr && stmt->exprs[0]->kind == ExprKind::Constant &&
               stmt->exprs[0]->value->kind == Constant::Kind::Str;
    }

    void blank(int lines) {
        if (align_) return;
        for (; lines > 0; --lines) newline();
    }

    void newline() {
        result_.text += '\n';
        ++line_number_;
    }

    // Aligned text: moves down to the original line, never up.
    std::int32_t wanted(const Stmt* stmt) const { return alignment_ ? alignment_->line(stmt) : 0; }

    void move_to(std::int32_t line) {
        if (!align_ || line <= 0 || inline_) return;
        while (line_number_ < static_cast<std::uint32_t>(line)) newline();
    }

    static bool is_simple(const Stmt* stmt) {
        switch (stmt->kind) {
            case StmtKind::Return:
            case StmtKind::Delete:
            case StmtKind::Assign:
            case StmtKind::AugAssign:
            case StmtKind::AnnAssign:
            case StmtKind::Raise:
            case StmtKind::Assert:
            case StmtKind::Import:
            case StmtKind::ImportFrom:
            case StmtKind::Expr:
            case StmtKind::Pass:
            case StmtKind::Break:
            case StmtKind::Continue:
            case StmtKind::TypeAlias: return true;
            default: return false;
        }
    }

    void line(const Stmt* stmt, const std::string& text) {
        const bool simple = stmt && is_simple(stmt);
        const std::int32_t at = stmt ? wanted(stmt) : 0;
        const bool behind = align_ && simple && (at > 0 || inline_) && static_cast<std::uint32_t>(at) < line_number_;
        const bool joins = joins_at_ == indent_ && ((behind && simple) || inline_);
        if (inline_ || joins) {
            result_.text.pop_back();
            --line_number_;
            result_.text += joins ? "; " : " ";
        } else {
            move_to(at);
        }
        if (stmt) result_.lines.push_back({stmt, line_number_});
        if (!inline_ && !joins) result_.text.append(indent_ * 4, ' ');
        std::string wrapped = text;
        const bool header = !stmt || is_definition(stmt);
        const bool never = align_ || (header && unbroken_headers_) || (stmt && is_unbroken(stmt));
        if (break_long(wrapped, never)) note_broken(stmt);
        result_.text += wrapped;
        result_.text += '\n';
        line_number_ += 1 + static_cast<std::uint32_t>(std::count(wrapped.begin(), wrapped.end(), '\n'));
        joins_at_ = simple ? indent_ : kNoJoin;
    }

    // Breaks at soft breaks what would be longer than kWidth. `never`: the statement stays on one line.
    // Tells whether it did.
    bool break_long(std::string& text, bool never) const {
        bool broken = false;
        const bool fits = indent_ * 4 + text.size() <= kWidth;
        std::size_t column = indent_ * 4, start = 0;
        std::string out;
        for (std::size_t i = 0; i <= text.size(); ++i) {
            if (i < text.size() && text[i] != ExpressionPrinter::kSoftBreak) continue;
            const std::size_t length = i - start;
            if (start > 0) {
                const bool over = !never && !fits && column + 1 + length > kWidth;
                broken = broken || over;
                out += over ? "\n" + std::string(indent_ * 4 + 8, ' ') : " ";
                column = over ? indent_ * 4 + 8 : column + 1;
            }
            out.append(text, start, length);
            column += length;
            start = i + 1;
        }
        text.swap(out);
        return broken;
    }

    void note_broken(const Stmt* stmt) {
        if (!stmt || is_definition(stmt)) {  // an instruction of whichever code object
            result_.broken_anywhere = true;
            return;
        }
        if (result_.broken.size() <= stmt->code_index) result_.broken.resize(stmt->code_index + 1, false);
        result_.broken[stmt->code_index] = true;
    }

    bool is_unbroken(const Stmt* stmt) const {
        return unbroken_ && stmt->code_index < unbroken_->size() && (*unbroken_)[stmt->code_index];
    }

    void docstring(const Stmt* stmt, const Stmt* next) {
        const std::string& value = stmt->exprs[0]->value->text;
        const auto lines = static_cast<std::uint32_t>(std::count(value.begin(), value.end(), '\n'));
        const bool too_long =
            align_ && next && wanted(next) > 0 && line_number_ + lines >= static_cast<std::uint32_t>(wanted(next));
        // the compiler takes the indentation away again (3.13+)
        const std::string indent = features_.docstrings_dedented ? std::string(indent_ * 4, ' ') : "";
        line(stmt, too_long ? string_literal(value) : docstring_literal(value, indent));
    }

    std::string text(const Expr* e, Precedence least = Precedence::NamedExpr) {
        std::string out;
        expressions_.print(out, e, least);
        return out;
    }
    // of if, while and a guard: a walrus stands as it is, a tuple in parentheses
    std::string test(const Expr* e) {
        return text(e, e->kind == ExprKind::NamedExpr ? Precedence::NamedExpr : Precedence::Test);
    }
    std::string target(const Expr* e) {
        std::string out;
        expressions_.target(out, e);
        return out;
    }
    std::string list(const std::vector<Expr*>& items, Precedence least) {
        std::string out;
        expressions_.comma_separated(out, items, least);
        return out;
    }

    // Whether the statements would stand below the lines that they, or what follows them, shall be on.
    bool is_behind(const Body& statements) const {
        const auto known =
            std::find_if(statements.begin(), statements.end(), [&](const Stmt* s) { return wanted(s) > 0; });
        const auto lines = static_cast<std::uint32_t>(known - statements.begin()) + (statements.empty() ? 1 : 0);
        const std::int32_t next = known == statements.end() ? alignment_->upcoming(statements) : wanted(*known);
        return next > 0 && static_cast<std::uint32_t>(next) < line_number_ + lines;
    }

    void block(const Body& statements, bool docstring_possible = false) {
        ++indent_;
        const bool simple = std::all_of(statements.begin(), statements.end(), is_simple);
        const bool behind = align_ && is_behind(statements);
        const bool outer = inline_;
        inline_ = align_ && simple && behind;
        joins_at_ = kNoJoin;
        body(statements, docstring_possible && !inline_);
        inline_ = outer;
        joins_at_ = kNoJoin;
        --indent_;
    }

    void statement(const Stmt* stmt) {
        switch (stmt->kind) {
            case StmtKind::FunctionDef:
            case StmtKind::AsyncFunctionDef: function(stmt); return;
            case StmtKind::ClassDef: class_def(stmt); return;
            case StmtKind::Return:
                line(stmt, stmt->exprs.empty()
                               ? "return"
                               : "return " + (is_yield(stmt->exprs[0]) ? text(stmt->exprs[0], Precedence::Test)
                                                                       : value(stmt->exprs[0])));
                return;
            case StmtKind::Delete: line(stmt, "del " + list(stmt->exprs, Precedence::Atom)); return;
            case StmtKind::Assign: assign(stmt); return;
            case StmtKind::TypeAlias:
                line(stmt, "type " + stmt->exprs[0]->name + type_params(stmt->type_params) + " = " +
                               text(stmt->exprs[1], Precedence::Test));
                return;
            case StmtKind::AugAssign:
                line(stmt, text(stmt->exprs[0], Precedence::Atom) + " " + kAugmented[static_cast<int>(stmt->binary)] +
                               " " + right_side(stmt->exprs[1]));
                return;
            case StmtKind::AnnAssign: {
                std::string out = text(stmt->exprs[0], Precedence::Atom);
                if (stmt->flag) out = "(" + out + ")";
                out += ": " + text(stmt->exprs[1], Precedence::Test);
                if (stmt->exprs.size() > 2)
                    out +=
                        " = " + (features_.has_walrus ? value(stmt->exprs[2]) : text(stmt->exprs[2], Precedence::Test));
                line(stmt, out);
                return;
            }
            case StmtKind::For:
            case StmtKind::AsyncFor:
                line(stmt, std::string(stmt->kind == StmtKind::AsyncFor ? "async " : "") + "for " +
                               target(stmt->exprs[0]) + " in " + iterable(stmt->exprs[1]) + ":");
                block(stmt->body);
                otherwise(stmt->orelse);
                return;
            case StmtKind::While:
                line(stmt, "while " + test(stmt->exprs[0]) + ":");
                block(stmt->body);
                otherwise(stmt->orelse);
                return;
            case StmtKind::If: if_statement(stmt); return;
            case StmtKind::With:
            case StmtKind::AsyncWith: with(stmt); return;
            case StmtKind::Match: match(stmt); return;
            case StmtKind::Raise: {
                std::string out = "raise";
                if (!stmt->exprs.empty()) out += " " + text(stmt->exprs[0], Precedence::Test);
                if (stmt->exprs.size() > 1) out += " from " + text(stmt->exprs[1], Precedence::Test);
                line(stmt, out);
                return;
            }
            case StmtKind::Try:
            case StmtKind::TryStar: try_statement(stmt); return;
            case StmtKind::Assert:
                line(stmt, "assert " + text(stmt->exprs[0], Precedence::Test) +
                               (stmt->exprs.size() > 1 ? ", " + text(stmt->exprs[1], Precedence::Test) : ""));
                return;
            case StmtKind::Import: line(stmt, lazy(stmt) + "import " + aliases(stmt)); return;
            case StmtKind::ImportFrom:
                line(stmt,
                     lazy(stmt) + "from " + std::string(stmt->number, '.') + stmt->name + " import " + aliases(stmt));
                return;
            case StmtKind::Global: line(stmt, "global " + aliases(stmt)); return;
            case StmtKind::Nonlocal: line(stmt, "nonlocal " + aliases(stmt)); return;
            case StmtKind::Expr: {
                const Expr* e = stmt->exprs[0];
                line(stmt, e->kind == ExprKind::NamedExpr ? text(e, Precedence::Tuple) : value(e));
                return;
            }
            case StmtKind::Pass: line(stmt, "pass"); return;
            case StmtKind::Break: line(stmt, "break"); return;
            case StmtKind::Continue: line(stmt, "continue"); return;
            case StmtKind::Comment: comment(stmt); return;
            default: line(stmt, "pass  # not structured"); return;
        }
    }

    static bool is_yield(const Expr* e) { return e->kind == ExprKind::Yield || e->kind == ExprKind::YieldFrom; }
    static std::string lazy(const Stmt* stmt) { return stmt->flag ? "lazy " : ""; }

    static bool has_star(const Expr* e) {
        return e->kind == ExprKind::Tuple && std::any_of(e->items.begin(), e->items.end(),
                                                         [](const Expr* i) { return i->kind == ExprKind::Starred; });
    }

    // Up to 3.8 a tuple with a starred part needs parentheses behind `in` and `+=`; yield needs them behind `in` always.
    std::string iterable(const Expr* e) { return is_yield(e) ? text(e, Precedence::Test) : right_side(e); }
    std::string right_side(const Expr* e) {
        return has_star(e) && !features_.any_expression_as_decorator ? text(e, Precedence::Atom) : value(e);
    }

    // The right side of an assignment, return or expression statement: a tuple or yield needs no parentheses there.
    std::string value(const Expr* e) {
        if (e->kind == ExprKind::Tuple &&
            std::any_of(e->items.begin(), e->items.end(), [](const Expr* i) { return i->kind == ExprKind::Starred; }) &&
            !features_.has_walrus) {
            return text(e, Precedence::Yield);  // 3.7: no bare `return *a, b`
        }
        return text(e, Precedence::Tuple);
    }

    void comment(const Stmt* stmt) {
        std::size_t start = 0;
        while (start <= stmt->name.size()) {
            std::size_t end = stmt->name.find('\n', start);
            if (end == std::string::npos) end = stmt->name.size();
            line(start == 0 ? stmt : nullptr, "# " + stmt->name.substr(start, end - start));
            start = end + 1;
        }
    }

    void assign(const Stmt* stmt) {
        std::string out;
        for (std::size_t i = 0; i + 1 < stmt->exprs.size(); ++i) out += target(stmt->exprs[i]) + " = ";
        line(stmt, out + value(stmt->exprs.back()));
    }

    std::string aliases(const Stmt* stmt) {
        std::string out;
        for (std::size_t i = 0; i < stmt->aliases.size(); ++i) {
            const ast::Alias& alias = stmt->aliases[i];
            if (i > 0) out += ", ";
            out += alias.name;
            if (!alias.asname.empty() && alias.asname != alias.name) out += " as " + alias.asname;
        }
        return out;
    }

    // A line that is no statement of its own.
    void header(const std::string& text, const Body& statements) {
        if (alignment_) move_to(alignment_->header(statements));
        line(nullptr, text);
    }

    void otherwise(const Body& statements) {
        if (statements.empty()) return;
        header("else:", statements);
        block(statements);
    }

    void if_statement(const Stmt* stmt) {
        const char* keyword = "if ";
        while (true) {
            line(stmt, keyword + test(stmt->exprs[0]) + ":");
            block(stmt->body);
            if (stmt->orelse.size() != 1 || stmt->orelse[0]->kind != StmtKind::If) break;
            stmt = stmt->orelse[0];
            keyword = "elif ";
        }
        otherwise(stmt->orelse);
    }

    void with(const Stmt* stmt) {
        std::string out = stmt->kind == StmtKind::AsyncWith ? "async with " : "with ";
        for (std::size_t i = 0; i < stmt->with_items.size(); ++i) {
            const ast::WithItem& item = stmt->with_items[i];
            if (i > 0) out += ", ";
            out += text(item.context, Precedence::Test);
            if (item.target) out += " as " + text(item.target, Precedence::Atom);
        }
        line(stmt, out + ":");
        block(stmt->body);
    }

    void try_statement(const Stmt* stmt) {
        line(stmt, "try:");
        block(stmt->body);
        for (const ast::ExceptHandler& handler : stmt->handlers) {
            std::string out = stmt->kind == StmtKind::TryStar ? "except*" : "except";
            if (handler.type) out += " " + text(handler.type, Precedence::Test);
            if (!handler.name.empty()) out += " as " + handler.name;
            if (alignment_) move_to(alignment_->line(handler));
            line(nullptr, out + ":");
            block(handler.body);
        }
        otherwise(stmt->orelse);
        if (!stmt->finalbody.empty()) {
            header("finally:", stmt->finalbody);
            block(stmt->finalbody);
        } else if (stmt->handlers.empty()) {
            line(nullptr, "finally:");
            block({});
        }
    }

    std::string type_params(const std::vector<ast::TypeParam>& params) {
        if (params.empty()) return "";
        std::string out = "[";
        for (std::size_t i = 0; i < params.size(); ++i) {
            if (i > 0) out += ", ";
            if (params[i].kind == ast::TypeParam::Kind::TypeVarTuple) out += "*";
            if (params[i].kind == ast::TypeParam::Kind::ParamSpec) out += "**";
            out += params[i].name;
            if (params[i].bound) out += ": " + text(params[i].bound, Precedence::Test);
            if (params[i].default_value) out += " = " + text(params[i].default_value, Precedence::Test);
        }
        return out + "]";
    }

    void decorators(const Stmt* stmt) {
        for (const Expr* d : stmt->decorators) line(nullptr, "@" + text(d));
    }

    void function(const Stmt* stmt) {
        move_to(wanted(stmt));
        decorators(stmt);
        std::string out = stmt->kind == StmtKind::AsyncFunctionDef ? "async def " : "def ";
        out += stmt->name + type_params(stmt->type_params) + "(";
        if (stmt->args) expressions_.arguments(out, *stmt->args, true);
        out += ")";
        if (stmt->returns) out += " -> " + text(stmt->returns, Precedence::Test);
        line(stmt, out + ":");
        block(stmt->body, true);
    }

    void class_def(const Stmt* stmt) {
        move_to(wanted(stmt));
        decorators(stmt);
        std::string out = "class " + stmt->name + type_params(stmt->type_params);
        if (!stmt->exprs.empty() || !stmt->keywords.empty()) {
            out += "(" + list(stmt->exprs, Precedence::Test);
            bool first = stmt->exprs.empty();
            for (const ast::Keyword& k : stmt->keywords) {
                if (!first) out += ", ";
                first = false;
                expressions_.keyword(out, k);
            }
            out += ")";
        }
        line(stmt, out + ":");
        block(stmt->body, true);
    }

    void match(const Stmt* stmt) {
        line(stmt, "match " +
                       (stmt->exprs[0]->kind == ExprKind::Tuple ? text(stmt->exprs[0], Precedence::Tuple)
                                                                : test(stmt->exprs[0])) +
                       ":");
        ++indent_;
        for (const ast::MatchCase& c : stmt->cases) {
            std::string out = "case ";
            pattern(out, c.pattern, true);
            if (c.guard) out += " if " + text(c.guard, Precedence::NamedExpr);
            header(out + ":", c.body);
            block(c.body);
        }
        --indent_;
    }

    void patterns(std::string& out, const std::vector<ast::Pattern*>& list) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (i > 0) out += ", ";
            pattern(out, list[i], false);
        }
    }

    void pattern(std::string& out, const ast::Pattern* p, bool top) {
        using ast::PatternKind;
        switch (p->kind) {
            case PatternKind::Value:
            case PatternKind::Singleton: out += text(p->value, Precedence::Arithmetic); return;
            case PatternKind::Sequence:
                out += '[';
                patterns(out, p->patterns);
                out += ']';
                return;
            case PatternKind::Mapping:
                out += '{';
                for (std::size_t i = 0; i < p->patterns.size(); ++i) {
                    if (i > 0) out += ", ";
                    out += text(p->keys[i], Precedence::Arithmetic) + ": ";
                    pattern(out, p->patterns[i], false);
                }
                if (!p->name.empty()) out += (p->patterns.empty() ? "**" : ", **") + p->name;
                out += '}';
                return;
            case PatternKind::Class: {
                out += text(p->value, Precedence::Atom) + "(";
                const std::size_t positional = p->patterns.size() - p->keyword_names.size();
                for (std::size_t i = 0; i < p->patterns.size(); ++i) {
                    if (i > 0) out += ", ";
                    if (i >= positional) out += p->keyword_names[i - positional] + "=";
                    pattern(out, p->patterns[i], false);
                }
                out += ")";
                return;
            }
            case PatternKind::Star: out += "*" + (p->name.empty() ? "_" : p->name); return;
            case PatternKind::As:
                if (p->patterns.empty()) {
                    out += p->name.empty() ? "_" : p->name;
                    return;
                }
                if (!top) out += '(';
                if (p->patterns[0]->kind == PatternKind::Or || p->patterns[0]->kind == PatternKind::As) {
                    out += '(';
                    pattern(out, p->patterns[0], true);
                    out += ')';
                } else {
                    pattern(out, p->patterns[0], false);
                }
                out += " as " + p->name;
                if (!top) out += ')';
                return;
            case PatternKind::Or:
                if (!top) out += '(';
                for (std::size_t i = 0; i < p->patterns.size(); ++i) {
                    if (i > 0) out += " | ";
                    pattern(out, p->patterns[i], false);
                }
                if (!top) out += ')';
                return;
        }
    }

    PrintedText& result_;
    const Features& features_;
    const bool align_;
    const Alignment* alignment_;  // null where the text is not aligned
    const std::vector<bool>* unbroken_;
    const bool unbroken_headers_;
    static constexpr std::size_t kWidth = 120;
    ExpressionPrinter expressions_;
    std::size_t indent_ = 0;
    std::uint32_t line_number_ = 1;
    std::size_t joins_at_ = kNoJoin;  // indent of the simple statement that ends the text; kNoJoin: something else does
    bool inline_ = false;  // inside a suite that stands behind its header
    static constexpr std::size_t kNoJoin = static_cast<std::size_t>(-1);
};

}  // namespace

PrintedText print_module(const Body& body, Version version, const PrintOptions& options) {
    PrintedText result;
    std::optional<Alignment> alignment;
    if (options.align) alignment.emplace(body, features(version).strings_located_by_end);
    StatementPrinter(result, features(version), options, alignment ? &*alignment : nullptr).module(body);
    return result;
}

std::string print_expression(const Expr& expr, Version version) {
    std::string out;
    ExpressionPrinter printer(features(version));
    printer.print(out, &expr, Precedence::NamedExpr);
    return out;
}

std::string print_constant(const Constant& value, Version version) {
    std::string out;
    ExpressionPrinter printer(features(version));
    printer.constant(out, value, Precedence::NamedExpr);
    return out;
}

}  // namespace depyf
