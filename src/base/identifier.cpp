#include "base/identifier.h"

#include <algorithm>
#include <array>

namespace depyf {

namespace {

constexpr std::array<std::string_view, 36> kKeywords = {
    "False",   "None",  "True",     "__debug__", "and",    "as",   "assert", "async",  "await",
    "break",   "class", "continue", "def",       "del",    "elif", "else",   "except", "for",
    "finally", "from",  "global",   "if",        "import", "in",   "is",     "lambda", "nonlocal",
    "not",     "or",    "pass",     "raise",     "return", "try",  "while",  "with",   "yield"};

bool can_continue(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80);
}

bool has_surrogate(std::string_view text) {
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        if (text[i] == '\xED' && static_cast<unsigned char>(text[i + 1]) >= 0xA0) return true;
    }
    return false;
}

}  // namespace

bool is_identifier(std::string_view text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
    if (!std::all_of(text.begin(), text.end(), can_continue) || has_surrogate(text)) return false;
    return std::find(kKeywords.begin(), kKeywords.end(), text) == kKeywords.end();
}

}  // namespace depyf
