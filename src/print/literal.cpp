#include "print/literal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace depyf {

namespace {

void append_hex(std::string& out, const char* format, unsigned value) {
    char buffer[16];
    std::snprintf(buffer, sizeof buffer, format, value);
    out += buffer;
}

// Decodes one code point at text[i]; returns its length, 0 where the bytes are no UTF-8.
std::size_t decode(std::string_view text, std::size_t i, std::uint32_t& point) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned first = byte(i);
    const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
    if (length == 0 || i + length > text.size()) return 0;
    point = length == 1 ? first : first & (0xFFu >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) point = (point << 6) | (byte(i + k) & 0x3F);
    return length;
}

// Characters that must not stand raw in a source file, or that nobody can see.
bool is_hidden(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA1) || c == 0xAD || (c >= 0xD800 && c < 0xE000) ||
           (c >= 0x2000 && c < 0x2010) || (c >= 0x2028 && c < 0x2030) || (c >= 0x205F && c < 0x2070) || c == 0x3000 ||
           (c >= 0xE000 && c < 0xF900) || c == 0xFEFF || (c >= 0xFFF0 && c < 0xFFFC) || c == 0x1680 || c == 0x180E ||
           (c >= 0x0600 && c < 0x0606) || c == 0x061C || c == 0x06DD || c == 0x070F || c >= 0xE0000 ||
           (c & 0xFFFE) == 0xFFFE;
}

}  // namespace

std::string escaped(std::string_view text, char quote, bool multiline) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        std::uint32_t c = 0;
        const std::size_t length = decode(text, i, c);
        if (length == 0) {
            append_hex(out, "\\x%02x", static_cast<unsigned char>(text[i]));
            ++i;
            continue;
        }
        if (c == '\\')
            out += "\\\\";
        else if (c == static_cast<unsigned char>(quote) && quote != 0)
            out += '\\', out += quote;
        else if (c == '\n')
            out += multiline ? "\n" : "\\n";
        else if (c == '\r')
            out += "\\r";
        else if (c == '\t')
            out += "\\t";
        else if (c >= 0x10000 && is_hidden(c))
            append_hex(out, "\\U%08x", c);
        else if (c >= 0x100 && is_hidden(c))
            append_hex(out, "\\u%04x", c);
        else if (is_hidden(c))
            append_hex(out, "\\x%02x", c);
        else
            out.append(text.substr(i, length));
        i += length;
    }
    return out;
}

std::string string_literal(std::string_view text, char quote) {
    return std::string(1, quote) + escaped(text, quote) + std::string(1, quote);
}

std::string string_literal(std::string_view text) {
    const bool doubles = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
    return string_literal(text, doubles ? '"' : '\'');
}

std::string bytes_literal(std::string_view bytes) {
    const char quote =
        bytes.find('\'') != std::string_view::npos && bytes.find('"') == std::string_view::npos ? '"' : '\'';
    std::string out = "b";
    out += quote;
    for (const char byte : bytes) {
        const auto c = static_cast<unsigned char>(byte);
        if (c == '\\' || c == static_cast<unsigned char>(quote))
            out += '\\', out += byte;
        else if (c == '\n')
            out += "\\n";
        else if (c == '\r')
            out += "\\r";
        else if (c == '\t')
            out += "\\t";
        else if (c < 0x20 || c >= 0x7F)
            append_hex(out, "\\x%02x", c);
        else
            out += byte;
    }
    return out + quote;
}

std::string float_literal(double value) {
    if (std::isnan(value)) return "(1e309 - 1e309)";
    if (std::isinf(value)) return value < 0 ? "-1e309" : "1e309";
    char buffer[64];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    std::string text(buffer, result.ptr);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

// Triple quotes, lines as they were; falls back on one line where that could change the value.
std::string docstring_literal(std::string_view text, const std::string& indent) {
    const bool plain =
        text.find("\"\"\"") == std::string_view::npos && (text.empty() || (text.back() != '"' && text.back() != '\\'));
    if (text.find('\n') == std::string_view::npos || !plain) {
        if (plain && text.find('\r') == std::string_view::npos) return "\"\"\"" + escaped(text, 0) + "\"\"\"";
        return string_literal(text);
    }
    std::vector<std::string> lines{""};
    for (const char c : escaped(text, 0, true)) {
        if (c == '\n')
            lines.emplace_back();
        else
            lines.back() += c;
    }
    const auto blank = [](const std::string& line) { return line.find_first_not_of(' ') == std::string::npos; };
    // where only blank lines follow the first one, the compiler takes no margin away
    const bool margin = !std::all_of(lines.begin() + 1, lines.end(), blank);
    std::string out = "\"\"\"" + lines[0];
    for (std::size_t i = 1; i < lines.size(); ++i) {
        out += '\n';
        if (margin && (!lines[i].empty() || i + 1 == lines.size())) out += indent;
        out += lines[i];
    }
    return out + "\"\"\"";
}

}  // namespace depyf
