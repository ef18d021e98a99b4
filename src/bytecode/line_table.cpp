#include "bytecode/line_table.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "bytecode/features.h"

namespace depyf {

namespace {

constexpr int kNoLine = -128;  // 3.10: line delta of a range without a line

Location line_only(std::int64_t line) {
    Location location;
    location.line = location.end_line = static_cast<std::int32_t>(line);
    return location;
}

void add_range(std::vector<LineRange>& ranges, std::uint32_t start, std::uint32_t end, const Location& location) {
    if (start < end) {
        ranges.push_back({start, end, location});
    }
}

// Up to 3.9: pairs (bytes up to the change, signed line change).
std::vector<LineRange> lnotab_ranges(const CodeObject& code) {
    std::vector<LineRange> ranges;
    const auto size = static_cast<std::uint32_t>(code.code.size());
    std::uint32_t start = 0, offset = 0;
    std::int64_t line = code.firstlineno;
    for (std::size_t i = 0; i + 1 < code.linetable.size() && offset < size; i += 2) {
        const auto step = static_cast<unsigned char>(code.linetable[i]);
        if (step != 0) {
            offset += step;
            add_range(ranges, start, std::min(offset, size), line_only(line));
            start = offset;
        }
        line += static_cast<signed char>(code.linetable[i + 1]);
    }
    add_range(ranges, start, size, line_only(line));
    return ranges;
}

// 3.10: pairs (bytes that the range covers, signed line change before it).
std::vector<LineRange> linetable_ranges(const CodeObject& code) {
    std::vector<LineRange> ranges;
    const auto size = static_cast<std::uint32_t>(code.code.size());
    std::uint32_t start = 0;
    std::int64_t line = code.firstlineno;
    for (std::size_t i = 0; i + 1 < code.linetable.size() && start < size; i += 2) {
        const std::uint32_t end = start + static_cast<unsigned char>(code.linetable[i]);
        const int change = static_cast<signed char>(code.linetable[i + 1]);
        if (change != kNoLine) {
            line += change;
        }
        add_range(ranges, start, std::min(end, size), change == kNoLine ? Location{} : line_only(line));
        start = end;
    }
    return ranges;
}

// Reads the variable-length entries of 3.11+: a first byte with bit 7 set, then bytes with it clear.
class LocationReader {
  public:
    LocationReader(std::string_view table, std::int64_t line) : table_(table), line_(line) {}

    struct Entry {
        std::uint32_t size;  // bytes of code
        Location location;
    };
    // Nothing at the end of the table or where it is malformed.
    std::optional<Entry> next() {
        if (position_ >= table_.size() || (byte() & 0x80) == 0) {
            return std::nullopt;
        }
        const unsigned head = take();
        Entry entry{((head & 7) + 1) * 2, {}};
        entry.location = location((head >> 3) & 15);
        if (broken_) {
            return std::nullopt;
        }
        return entry;
    }

  private:
    enum Code : unsigned { kOneLine = 10, kNoColumns = 13, kLong = 14, kNone = 15 };

    Location location(unsigned code) {
        if (code == kNone) {
            return {};
        }
        if (code == kNoColumns || code == kLong) {
            line_ += signed_varint();
        } else if (code >= kOneLine) {
            line_ += code - kOneLine;
        }
        Location location = line_only(line_);
        if (code == kLong) {
            location.end_line = static_cast<std::int32_t>(line_ + varint());
            location.column = static_cast<std::int32_t>(varint()) - 1;
            location.end_column = static_cast<std::int32_t>(varint()) - 1;
        } else if (code < kOneLine) {
            const unsigned columns = take();
            location.column = static_cast<std::int32_t>(code * 8 + (columns >> 4));
            location.end_column = location.column + static_cast<std::int32_t>(columns & 15);
        } else if (code < kNoColumns) {
            location.column = static_cast<std::int32_t>(take());
            location.end_column = static_cast<std::int32_t>(take());
        }
        return location;
    }

    unsigned byte() const { return static_cast<unsigned char>(table_[position_]); }
    unsigned take() {
        if (position_ >= table_.size()) {
            broken_ = true;
            return 0;
        }
        return static_cast<unsigned char>(table_[position_++]);
    }
    std::uint32_t varint() {
        std::uint32_t value = 0;
        for (unsigned shift = 0; shift < 32; shift += 6) {
            const unsigned part = take();
            value |= (part & 63) << shift;
            if ((part & 64) == 0) {
                return value;
            }
        }
        broken_ = true;
        return 0;
    }
    std::int64_t signed_varint() {
        const std::uint32_t value = varint();
        const auto magnitude = static_cast<std::int64_t>(value >> 1);
        return (value & 1) != 0 ? -magnitude : magnitude;
    }

    std::string_view table_;
    std::size_t position_ = 0;
    std::int64_t line_;
    bool broken_ = false;
};

std::vector<LineRange> location_ranges(const CodeObject& code) {
    std::vector<LineRange> ranges;
    const auto size = static_cast<std::uint32_t>(code.code.size());
    LocationReader reader(code.linetable, code.firstlineno);
    std::uint32_t start = 0;
    while (start < size) {
        const auto entry = reader.next();
        if (!entry) {
            break;
        }
        add_range(ranges, start, std::min(start + entry->size, size), entry->location);
        start += entry->size;
    }
    return ranges;
}

}  // namespace

std::vector<LineRange> line_ranges(const CodeObject& code) {
    const Features& f = features(code.version);
    if (f.has_columns) {
        return location_ranges(code);
    }
    return f.linetable_ranges ? linetable_ranges(code) : lnotab_ranges(code);
}

}  // namespace depyf
