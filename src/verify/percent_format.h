// '%s and %r' % (a, b): from 3.11 on the compiler makes an f-string of it. Source: optimize_format in CPython
// Python/ast_opt.c (ast_preprocess.c from 3.14).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ast/node.h"

namespace depyf::verify {

struct FormatPart {
    std::string text;     // literal text, or the format specification of a field
    char conversion = 0;  // 0: literal text
};

// The parts, where the compiler makes an f-string of `e`.
std::optional<std::vector<FormatPart>> percent_format_parts(const ast::Expr* e);
inline bool is_percent_format(const ast::Expr* e) {
    return percent_format_parts(e).has_value();
}

}  // namespace depyf::verify
