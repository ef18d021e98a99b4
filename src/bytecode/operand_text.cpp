#include "bytecode/operand_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "base/unicode.h"
#include "bytecode/features.h"
#include "bytecode/operand.h"

namespace depyf {

namespace {

std::string float_text(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    std::array<char, 32> buffer;
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    std::string text(buffer.data(), result.ptr);
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    return text;
}

void append_escape(std::string& out, std::uint32_t code_point, bool bytes) {
    std::array<char, 12> buffer;
    const char* format = code_point <= 0xFF ? "\\x%02x" : "\\u%04x";
    std::snprintf(buffer.data(), buffer.size(), format, code_point);
    switch (code_point) {
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        case '\\': out += "\\\\"; return;
        case '\'': out += "\\'"; return;
        default: break;
    }
    const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    const bool control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
    if (control || surrogate || (bytes && code_point > 0x7E)) {
        out += buffer.data();
    } else {
        append_utf8(out, code_point);
    }
}

std::string quoted(std::string_view text, bool bytes, std::size_t limit) {
    std::string out = bytes ? "b'" : "'";
    std::size_t position = 0;
    while (position < text.size() && (limit == 0 || position < limit)) {
        const std::uint32_t code_point =
            bytes ? static_cast<unsigned char>(text[position++]) : next_code_point(text, position);
        append_escape(out, code_point, bytes);
    }
    out += position < text.size() ? "'..." : "'";
    return out;
}

std::string items_text(const Constant& constant, std::size_t limit) {
    const bool dict = constant.kind == Constant::Kind::Dict || constant.kind == Constant::Kind::FrozenDict;
    std::string out;
    for (std::size_t i = 0; i < constant.items.size(); ++i) {
        if (i != 0) {
            out += dict && i % 2 == 1 ? ": " : ", ";
        }
        if (limit != 0 && out.size() > limit) {
            return out + "...";
        }
        out += constant_text(constant.items[i], limit);
    }
    return out;
}

std::string container_text(const Constant& constant, std::size_t limit) {
    const std::string items = items_text(constant, limit);
    switch (constant.kind) {
        case Constant::Kind::Tuple: return "(" + items + (constant.items.size() == 1 ? ",)" : ")");
        case Constant::Kind::List: return "[" + items + "]";
        case Constant::Kind::Set: return items.empty() ? "set()" : "{" + items + "}";
        case Constant::Kind::FrozenSet: return items.empty() ? "frozenset()" : "frozenset({" + items + "})";
        case Constant::Kind::FrozenDict: return "frozendict({" + items + "})";
        case Constant::Kind::Slice: return "slice(" + items + ")";
        default: return "{" + items + "}";
    }
}

std::string flags_text(std::uint32_t flags) {
    static constexpr std::string_view kNames[] = {"defaults", "kwdefaults", "annotations", "closure", "annotate"};
    std::string out;
    for (std::size_t i = 0; i < std::size(kNames); ++i) {
        if ((flags >> i & 1) != 0) {
            out += (out.empty() ? "" : ", ") + std::string(kNames[i]);
        }
    }
    return out;
}

std::string format_text(std::uint32_t flags) {
    static constexpr std::string_view kConversions[] = {"", "str", "repr", "ascii"};
    std::string out(kConversions[flags & 3]);
    if ((flags & 4) != 0) {
        out += out.empty() ? "with format" : ", with format";
    }
    return out;
}

std::string name_text(const CodeObject& code, Operand operand, std::uint32_t arg) {
    const std::uint32_t index = operand_index(operand, arg);
    switch (operand) {
        case Operand::Local: return code.varnames[index];
        case Operand::Free: return free_name(code, index);
        case Operand::LocalsPlus: return code.localsplus[index];
        case Operand::LocalsPlusPair: return code.localsplus[index] + ", " + code.localsplus[arg & 15];
        default: return code.names[index];
    }
}

}  // namespace

std::string constant_text(const Constant& constant, std::size_t limit) {
    using Kind = Constant::Kind;
    switch (constant.kind) {
        case Kind::None: return "None";
        case Kind::True: return "True";
        case Kind::False: return "False";
        case Kind::Ellipsis: return "Ellipsis";
        case Kind::StopIteration: return "StopIteration";
        case Kind::Int:
        case Kind::Opaque: return constant.text;
        case Kind::Float: return float_text(constant.real);
        case Kind::Complex: return "complex(" + float_text(constant.real) + ", " + float_text(constant.imag) + ")";
        case Kind::Str: return quoted(constant.text, false, limit);
        case Kind::Bytes: return quoted(constant.text, true, limit);
        case Kind::Code:
            return "<code object " + constant.code->name + ", line " + std::to_string(constant.code->firstlineno) + ">";
        default: return container_text(constant, limit);
    }
}

std::string operand_text(const CodeObject& code, const Instruction& instruction) {
    const Features& f = features(code.version);
    const std::uint32_t arg = instruction.arg;
    const Operand operand = opcode_meaning(code.version, instruction.op).operand;
    switch (operand) {
        case Operand::Name:
        case Operand::NameFlag1:
        case Operand::NameFlag2:
        case Operand::Local:
        case Operand::Free:
        case Operand::LocalsPlus:
        case Operand::LocalsPlusPair: return name_text(code, operand, arg);
        case Operand::Compare: return std::string(f.compare_names[arg >> f.compare_shift]);
        case Operand::BinaryOp: return std::string(f.binary_names[arg]);
        case Operand::Intrinsic1: return std::string(f.intrinsic_1_names[arg]);
        case Operand::Intrinsic2: return std::string(f.intrinsic_2_names[arg]);
        case Operand::CommonConstant: return std::string(f.common_constants[arg]);
        case Operand::SpecialMethod: return std::string(f.special_methods[arg]);
        case Operand::IsInvert: return arg != 0 ? "is not" : "is";
        case Operand::ContainsInvert: return arg != 0 ? "not in" : "in";
        case Operand::FormatFlags: return format_text(arg);
        case Operand::Conversion: return format_text(arg & 3);
        case Operand::MakeFunctionFlags:
        case Operand::FunctionAttribute: return flags_text(arg);
        default: return "";
    }
}

}  // namespace depyf
