#include "base/unicode.h"

namespace depyf {

namespace {

// Number of bytes that a leading byte announces, 0 where it cannot lead.
std::size_t sequence_length(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    if (lead >= 0xF0 && lead <= 0xF4) return 4;
    return 0;
}

}  // namespace

std::size_t first_malformed_utf8(std::string_view text) {
    std::size_t position = 0;
    while (position < text.size()) {
        const auto lead = static_cast<unsigned char>(text[position]);
        const std::size_t length = sequence_length(lead);
        if (length == 0 || length > text.size() - position) {
            return position;
        }
        for (std::size_t i = 1; i < length; ++i) {
            if ((static_cast<unsigned char>(text[position + i]) & 0xC0) != 0x80) {
                return position;
            }
        }
        const auto second = length > 1 ? static_cast<unsigned char>(text[position + 1]) : 0;
        const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
        if (overlong || (lead == 0xF4 && second > 0x8F)) {
            return position;
        }
        position += length;
    }
    return position;
}

void append_utf8(std::string& out, std::uint32_t code_point) {
    const auto tail = [&](unsigned shift) { out.push_back(static_cast<char>(0x80 | ((code_point >> shift) & 0x3F))); };
    if (code_point < 0x80) {
        out.push_back(static_cast<char>(code_point));
    } else if (code_point < 0x800) {
        out.push_back(static_cast<char>(0xC0 | (code_point >> 6)));
        tail(0);
    } else if (code_point < 0x10000) {
        out.push_back(static_cast<char>(0xE0 | (code_point >> 12)));
        tail(6);
        tail(0);
    } else {
        out.push_back(static_cast<char>(0xF0 | (code_point >> 18)));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::string utf8_of_latin1(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        append_utf8(out, static_cast<unsigned char>(c));
    }
    return out;
}

std::uint32_t next_code_point(std::string_view text, std::size_t& position) {
    const auto lead = static_cast<unsigned char>(text[position++]);
    if (lead < 0x80) {
        return lead;
    }
    const int tails = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    std::uint32_t code_point = lead & (0x3Fu >> tails);
    for (int i = 0; i < tails && position < text.size(); ++i) {
        code_point = (code_point << 6) | (static_cast<unsigned char>(text[position++]) & 0x3Fu);
    }
    return code_point;
}

}  // namespace depyf
