#include "bytecode/encoder.h"

#include <algorithm>

#include "base/error.h"
#include "bytecode/features.h"

namespace depyf {

namespace {

std::uint32_t prefixes(std::uint32_t arg) {
    return arg > 0xFFFFFF ? 3 : arg > 0xFFFF ? 2 : arg > 0xFF ? 1 : 0;
}

class Layout {
  public:
    Layout(const std::vector<UnplacedInstruction>& instructions, Version version)
        : version_(version), instructions_(instructions), args_(instructions.size()), starts_(instructions.size() + 1) {
        for (std::size_t i = 0; i < args_.size(); ++i) {
            args_[i] = instructions[i].target < 0 ? instructions[i].arg : 0;
        }
    }

    // Operands of jumps depend on sizes and sizes on operands. sizes_ only grows, so that it ends; an operand that
    // became shorter keeps the prefixes that it once needed.
    void settle() {
        for (bool changed = true; changed;) {
            changed = false;
            place();
            for (std::size_t i = 0; i < args_.size(); ++i) {
                if (instructions_[i].target >= 0) {
                    args_[i] = jump_operand(i);
                    changed = changed || prefixes(args_[i]) > sizes_[i];
                }
            }
        }
    }

    std::string bytes() const {
        std::string out;
        for (std::size_t i = 0; i < args_.size(); ++i) {
            for (std::uint32_t shift = sizes_[i]; shift > 0; --shift) {
                out.push_back(static_cast<char>(opcode_value(version_, Op::EXTENDED_ARG)));
                out.push_back(static_cast<char>(args_[i] >> (8 * shift) & 0xFF));
            }
            out.push_back(static_cast<char>(opcode_value(version_, instructions_[i].op)));
            out.push_back(static_cast<char>(args_[i] & 0xFF));
            out.append(2u * caches(i), '\0');
        }
        return out;
    }

    std::uint32_t start(std::size_t index) const { return starts_[index]; }

  private:
    std::uint32_t caches(std::size_t i) const {
        return opcode_bytes(version_)[opcode_value(version_, instructions_[i].op)].caches;
    }

    void place() {
        sizes_.resize(args_.size(), 0);
        std::uint32_t position = 0;
        for (std::size_t i = 0; i < args_.size(); ++i) {
            sizes_[i] = std::max(sizes_[i], prefixes(args_[i]));
            starts_[i] = position;
            position += 2 * (sizes_[i] + 1 + caches(i));
        }
        starts_[args_.size()] = position;
    }

    std::uint32_t jump_operand(std::size_t i) const {
        const std::int64_t target = starts_[static_cast<std::size_t>(instructions_[i].target)];
        const std::int64_t next = starts_[i + 1];
        std::int64_t distance = 0;
        switch (opcode_meaning(version_, instructions_[i].op).operand) {
            case Operand::JumpAbsolute: distance = target; break;
            case Operand::JumpBackward:
            case Operand::SourceBackward: distance = next - target; break;
            default: distance = target - next; break;
        }
        if (distance < 0) {
            const std::string opname(op_name(instructions_[i].op));
            throw Error(starts_[i],
                        "expected a label in the direction of " + opname + ", found one in the other direction");
        }
        return static_cast<std::uint32_t>(distance) / features(version_).jump_unit;
    }

    Version version_;
    const std::vector<UnplacedInstruction>& instructions_;
    std::vector<std::uint32_t> args_;
    std::vector<std::uint32_t> starts_;
    std::vector<std::uint32_t> sizes_;  // EXTENDED_ARG prefixes
};

void append_varint(std::string& out, std::uint32_t value) {
    for (; value >= 64; value >>= 6) out.push_back(static_cast<char>(0x40 | (value & 63)));
    out.push_back(static_cast<char>(value));
}

// 3.11+: entries of at most eight units, without columns.
void append_location(std::string& out, std::uint32_t bytes, std::int32_t line_change) {
    for (std::uint32_t units = bytes / 2; units > 0; line_change = 0) {
        const std::uint32_t part = std::min<std::uint32_t>(units, 8);
        out.push_back(static_cast<char>(0x80 | (13 << 3) | (part - 1)));
        const auto magnitude = static_cast<std::uint32_t>(line_change < 0 ? -line_change : line_change);
        append_varint(out, magnitude << 1 | (line_change < 0 ? 1 : 0));
        units -= part;
    }
}

// 3.10: (bytes, line change before them); up to 3.9: (bytes before the change, line change).
void append_pairs(std::string& out, bool change_first, std::uint32_t bytes, std::int32_t line_change) {
    const auto pair = [&out](std::uint32_t size, std::int32_t change) {
        out.push_back(static_cast<char>(size));
        out.push_back(static_cast<char>(change));
    };
    while (line_change < -127 || line_change > 127) {
        const std::int32_t part = std::clamp(line_change, -127, 127);
        pair(0, part);
        line_change -= part;
    }
    if (change_first) {
        for (; bytes > 254; bytes -= 254, line_change = 0) pair(254, line_change);
        pair(bytes, line_change);
        return;
    }
    pair(0, line_change);
    for (; bytes > 254; bytes -= 254) pair(254, 0);
    pair(bytes, 0);
}

void encode_lines(const std::vector<UnplacedInstruction>& instructions, const Layout& layout, CodeObject& code) {
    const Features& f = features(code.version);
    std::int32_t line = code.firstlineno;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        const std::uint32_t bytes = layout.start(i + 1) - layout.start(i);
        const std::int32_t change = instructions[i].line - line;
        line = instructions[i].line;
        if (f.has_columns) {
            append_location(code.linetable, bytes, change);
        } else {
            append_pairs(code.linetable, f.linetable_ranges, bytes, change);
        }
    }
}

// Six bits a byte, most significant first; bit 7 marks the first byte of an entry.
void append_exception_number(std::string& out, std::uint32_t value, std::uint32_t mark) {
    for (std::uint32_t shift = 30; shift > 0; shift -= 6) {
        if (value >> shift != 0) {
            out.push_back(static_cast<char>(mark | 0x40 | (value >> shift & 63)));
            mark = 0;
        }
    }
    out.push_back(static_cast<char>(mark | (value & 63)));
}

}  // namespace

void encode(const std::vector<UnplacedInstruction>& instructions, const std::vector<UnplacedException>& exceptions,
            CodeObject& code) {
    Layout layout(instructions, code.version);
    layout.settle();
    code.code = layout.bytes();
    code.linetable.clear();
    encode_lines(instructions, layout, code);
    code.exceptiontable.clear();
    for (const UnplacedException& entry : exceptions) {
        const std::uint32_t start = layout.start(entry.start), end = layout.start(entry.end);
        append_exception_number(code.exceptiontable, start / 2, 0x80);
        append_exception_number(code.exceptiontable, (end - start) / 2, 0);
        append_exception_number(code.exceptiontable, layout.start(entry.target) / 2, 0);
        append_exception_number(code.exceptiontable, entry.depth << 1 | (entry.lasti ? 1 : 0), 0);
    }
}

}  // namespace depyf
