// Expressions -> text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ast/node.h"
#include "bytecode/features.h"
#include "print/precedence.h"

namespace depyf {

class ExpressionPrinter {
  public:
    explicit ExpressionPrinter(const Features& features) : features_(features) {}

    // Appends `e`, in parentheses where it binds weaker than `least`.
    void print(std::string& out, const ast::Expr* e, Precedence least);
    void arguments(std::string& out, const ast::Arguments& args, bool annotations);
    void target(std::string& out, const ast::Expr* e);  // of an assignment or loop: a tuple needs no parentheses
    void keyword(std::string& out, const ast::Keyword& keyword);
    void constant(std::string& out, const Constant& value, Precedence least);
    void comma_separated(std::string& out, const std::vector<ast::Expr*>& items, Precedence least);

    // Where a long line may be broken: in place of a space inside brackets. Never part of a literal.
    static constexpr char kSoftBreak = '\x01';
    void enter() { ++depth_; }
    void leave() { --depth_; }

  private:
    const char* comma() const { return depth_ > 0 && fstring_depth_ == 0 ? ",\x01" : ", "; }
    const char* space() const { return depth_ > 0 && fstring_depth_ == 0 ? "\x01" : " "; }
    void bare(std::string& out, const ast::Expr* e);
    void bool_op(std::string& out, const ast::Expr* e);
    void bin_op(std::string& out, const ast::Expr* e);
    void compare(std::string& out, const ast::Expr* e);
    void call(std::string& out, const ast::Expr* e);
    void subscript(std::string& out, const ast::Expr* e);
    void tuple(std::string& out, const ast::Expr* e);
    void dict(std::string& out, const ast::Expr* e);
    void clauses(std::string& out, const std::vector<ast::Comprehension>& generators);
    bool fits_inside(std::string_view literal) const;
    void string_constant(std::string& out, const std::string& text);
    void joined_string(std::string& out, const ast::Expr* e);
    void fstring_parts(std::string& out, const ast::Expr* e, char quote, bool spec);
    void replacement(std::string& out, const ast::Expr* e, char quote);
    static Precedence precedence(const ast::Expr* e);

    const Features& features_;
    int fstring_depth_ = 0;
    int depth_ = 0;  // brackets around what is printed
    // Up to 3.11: the quotes of the f-strings around what is printed, outermost first.
    std::vector<std::string> quotes_around_;
    bool misplaced_ = false;  // something was printed that cannot stand inside them
};

}  // namespace depyf
