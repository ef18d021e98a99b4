#include "bytecode/literal_parser.h"

#include <cctype>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

#include "base/error.h"
#include "base/unicode.h"

namespace depyf {

namespace {

using Kind = Constant::Kind;
constexpr int kMaxDepth = 100;

class LiteralParser {
  public:
    LiteralParser(std::string_view text, const CodeLookup& codes) : text_(text), codes_(codes) {}

    Constant whole() {
        Constant constant = literal(0);
        skip_spaces();
        if (position_ != text_.size()) {
            fail("the end of the literal");
        }
        return constant;
    }

  private:
    Constant literal(int depth) {
        if (depth > kMaxDepth) {
            fail("fewer nested parentheses");
        }
        skip_spaces();
        if (take("(")) return sequence(Kind::Tuple, ')', depth);
        if (take("frozenset({")) return closed(sequence(Kind::FrozenSet, '}', depth));
        if (take("frozenset()")) return of_kind(Kind::FrozenSet);
        if (take("slice(")) return slice(depth);
        if (take("code ")) return nested_code();
        if (take("opaque ")) return text_of(Kind::Opaque);
        if (peek() == 'b' && (peek(1) == '\'' || peek(1) == '"')) {
            ++position_;
            return text_of(Kind::Bytes);
        }
        if (peek() == '\'' || peek() == '"') return text_of(Kind::Str);
        return word();
    }

    static Constant of_kind(Kind kind) {
        Constant constant;
        constant.kind = kind;
        return constant;
    }

    Constant sequence(Kind kind, char end, int depth) {
        Constant constant = of_kind(kind);
        while (true) {
            skip_spaces();
            if (take(std::string_view(&end, 1))) return constant;
            constant.items.push_back(literal(depth + 1));
            skip_spaces();
            if (!take(",") && peek() != end) fail("',' or the end of the items");
        }
    }

    Constant closed(Constant constant) {
        if (!take(")")) fail("')'");
        return constant;
    }

    Constant slice(int depth) {
        Constant constant = sequence(Kind::Slice, ')', depth);
        if (constant.items.size() != 3) fail("slice(start, stop, step)");
        return constant;
    }

    Constant nested_code() {
        const std::string_view name = text_.substr(position_, text_.find_first_of(",) ", position_) - position_);
        Constant constant = of_kind(Kind::Code);
        constant.code = codes_(name);
        if (!constant.code) fail("the name of a code object that stands before");
        position_ += name.size();
        return constant;
    }

    Constant text_of(Kind kind) {
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail("a quoted text");
        ++position_;
        Constant constant = of_kind(kind);
        while (peek() != quote) {
            if (position_ >= text_.size()) fail("the closing quote");
            if (peek() == '\\') {
                escape(constant.text, kind == Kind::Bytes);
            } else {
                constant.text.push_back(text_[position_++]);
            }
        }
        ++position_;
        return constant;
    }

    void escape(std::string& out, bool bytes) {
        const char letter = peek(1);
        position_ += 2;
        switch (letter) {
            case 'n': out.push_back('\n'); return;
            case 'r': out.push_back('\r'); return;
            case 't': out.push_back('\t'); return;
            case 'x': append(out, hexadecimal(2), bytes); return;
            case 'u': append(out, hexadecimal(4), bytes); return;
            case 'U': append(out, hexadecimal(8), bytes); return;
            default: out.push_back(letter); return;
        }
    }

    static void append(std::string& out, std::uint32_t code_point, bool bytes) {
        if (bytes) {
            out.push_back(static_cast<char>(code_point));
        } else {
            append_utf8(out, code_point);
        }
    }

    std::uint32_t hexadecimal(std::size_t digits) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            const auto digit = static_cast<unsigned char>(peek());
            if (!std::isxdigit(digit)) fail("a hexadecimal digit");
            value = value * 16 +
                    static_cast<std::uint32_t>(std::isdigit(digit) ? digit - '0' : std::tolower(digit) - 'a' + 10);
            ++position_;
        }
        return value;
    }

    Constant word() {
        const std::size_t end = std::min(text_.find_first_of(",)} ", position_), text_.size());
        const std::string word(text_.substr(position_, end - position_));
        Constant constant;
        if (!singleton(word, constant) && !number(word, constant)) fail("a literal");
        position_ = end;
        return constant;
    }

    static bool singleton(const std::string& word, Constant& constant) {
        if (word == "None")
            constant.kind = Kind::None;
        else if (word == "True")
            constant.kind = Kind::True;
        else if (word == "False")
            constant.kind = Kind::False;
        else if (word == "..." || word == "Ellipsis")
            constant.kind = Kind::Ellipsis;
        else
            return false;
        return true;
    }

    static bool number(const std::string& word, Constant& constant) {
        const std::string_view magnitude = std::string_view(word).substr(word.starts_with('-') ? 1 : 0);
        if (!magnitude.empty() && magnitude.find_first_not_of("0123456789") == std::string_view::npos) {
            constant.kind = Kind::Int;
            constant.text = word;
            return true;
        }
        if (word.ends_with('j')) {
            constant.kind = Kind::Complex;
            return real_number(word.substr(0, word.size() - 1), constant.imag);
        }
        constant.kind = Kind::Float;
        return real_number(word, constant.real);
    }

    static bool real_number(const std::string& word, double& value) {
        const bool negative = word.starts_with('-');
        const std::string_view magnitude = std::string_view(word).substr(negative ? 1 : 0);
        if (magnitude == "inf" || magnitude == "nan") {
            value =
                magnitude == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
            value = negative ? -value : value;
            return true;
        }
        std::istringstream stream(word);
        stream.imbue(std::locale::classic());
        stream >> value;
        return !stream.fail() && stream.peek() == std::istringstream::traits_type::eof();
    }

    char peek(std::size_t ahead = 0) const {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
    }
    bool take(std::string_view expected) {
        const bool found = text_.substr(std::min(position_, text_.size())).starts_with(expected);
        position_ += found ? expected.size() : 0;
        return found;
    }
    void skip_spaces() {
        while (peek() == ' ') ++position_;
    }
    [[noreturn]] void fail(const char* expected) const {
        const std::string rest(text_.substr(std::min(position_, text_.size())));
        throw Error(static_cast<std::int64_t>(position_),
                    std::string("expected ") + expected + ", found '" + rest + "'");
    }

    std::string_view text_;
    const CodeLookup& codes_;
    std::size_t position_ = 0;
};

}  // namespace

Constant parse_literal(std::string_view text, const CodeLookup& codes) {
    return LiteralParser(text, codes).whole();
}

}  // namespace depyf
