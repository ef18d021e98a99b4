// Syntax tree -> text. One precedence table decides every parenthesis; what is printed parses back to the same tree on
// the grammar of the given version.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ast/node.h"
#include "bytecode/version.h"

namespace depyf {

struct PrintedLine {
    const ast::Stmt* stmt;   // the statement whose header starts on this line
    std::uint32_t line;      // 1-based
};

struct PrintedText {
    std::string text;                  // UTF-8, four spaces an indent, ends in a newline unless empty
    std::vector<PrintedLine> lines;    // in the order of the text
    std::vector<bool> broken;          // by code index (it may be shorter): a statement stands on several lines
    bool broken_anywhere = false;      // so does a header of which no one knows whose instructions it becomes
};

struct PrintOptions {
    // Every statement goes on its original line (Stmt::line); where the text is longer than the original was, simple
    // statements share lines until it has caught up.
    bool align = false;
    // By code index: statements of these code objects are never broken over lines. Up to 3.9 the compiler optimises no
    // code object in which one line takes more than 255 bytes (CPython Python/peephole.c).
    const std::vector<bool>* unbroken = nullptr;
    bool unbroken_headers = false;  // nor are decorators and the headers of blocks
};

PrintedText print_module(const ast::Body& body, Version version, const PrintOptions& options = {});
std::string print_expression(const ast::Expr& expr, Version version);  // for messages and tests
std::string print_constant(const Constant& value, Version version);  // as a Python literal

}  // namespace depyf
