#include "verify/percent_format.h"

#include <algorithm>

#include "base/error.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;
using ir::Op;

namespace {

constexpr std::size_t kMaxDigits = 2;

std::string digits(const std::string& format, std::size_t& i) {
    std::string out;
    while (i < format.size() && format[i] >= '0' && format[i] <= '9') out += format[i++];
    return out;
}

// The field behind the '%' at format[i - 1]; false where it is none that the compiler takes.
bool read_field(const std::string& format, std::size_t& i, FormatPart& field) {
    bool left = false;
    for (; i < format.size() && std::string_view("-+ #0").find(format[i]) != std::string_view::npos; ++i)
        left = left || format[i] == '-';
    const std::string width = digits(format, i);
    std::string precision;
    bool has_precision = false;
    if (i < format.size() && format[i] == '.') {
        has_precision = true;
        precision = digits(format, ++i);
    }
    if (width.size() > kMaxDigits || precision.size() > kMaxDigits || i >= format.size()) return false;
    field.conversion = format[i++];
    if (std::string_view("sra").find(field.conversion) == std::string_view::npos) return false;
    if (!width.empty()) {
        if (!left && std::stoi(width) > 0) field.text = ">";
        field.text += std::to_string(std::stoi(width));
    }
    if (has_precision) field.text += "." + std::to_string(precision.empty() ? 0 : std::stoi(precision));
    return true;
}

}  // namespace

std::optional<std::vector<FormatPart>> percent_format_parts(const Expr* e) {
    if (e->binary != ast::Operator::Mod || e->items[0]->kind != ExprKind::Constant ||
        e->items[0]->value->kind != Constant::Kind::Str || e->items[1]->kind != ExprKind::Tuple)
        return std::nullopt;
    for (const Expr* item : e->items[1]->items) {
        if (item->kind == ExprKind::Starred) return std::nullopt;
    }
    const std::string& format = e->items[0]->value->text;
    std::vector<FormatPart> parts;
    std::size_t fields = 0;
    std::string text;
    for (std::size_t i = 0; i < format.size();) {
        if (format[i] != '%') {
            text += format[i++];
            continue;
        }
        if (++i < format.size() && format[i] == '%') {
            text += format[i++];
            continue;
        }
        if (!text.empty()) parts.push_back({std::exchange(text, ""), 0});
        FormatPart field;
        if (!read_field(format, i, field)) return std::nullopt;
        parts.push_back(std::move(field));
        ++fields;
    }
    if (!text.empty()) parts.push_back({text, 0});
    if (fields != e->items[1]->items.size()) return std::nullopt;
    return parts;
}

void Lowerer::percent_format(const Expr* e) {
    const std::vector<FormatPart> parts = *percent_format_parts(e);
    if (parts.size() > 30) throw Error(-1, "a long format");
    std::size_t field = 0;
    for (const FormatPart& part : parts) {
        if (!part.conversion) {
            out_.constant(text(part.text));
            continue;
        }
        expression(e->items[1]->items[field++]);
        const std::uint32_t conversion = part.conversion == 's' ? 1 : part.conversion == 'r' ? 2 : 3;
        const bool spec = !part.text.empty();
        if (!features().format_value_flags) out_.emit(Op::ConvertValue, conversion);
        if (spec) out_.constant(text(part.text));
        if (features().format_value_flags)
            out_.emit(Op::FormatValue, conversion | (spec ? 4U : 0U));
        else
            out_.emit(spec ? Op::FormatWithSpec : Op::FormatSimple);
    }
    if (parts.size() != 1) out_.emit(Op::BuildString, static_cast<std::uint32_t>(parts.size()));
}

}  // namespace depyf::verify
