// Source: CPython Objects/exception_handling_notes.txt (3.11), InternalDocs/exception_handling.md (3.13+).
#include "base/error.h"
#include "bytecode/features.h"
#include "bytecode/instruction.h"

namespace depyf {

namespace {

class TableReader {
  public:
    explicit TableReader(const std::string& table) : table_(table) {}

    bool at_end() const { return position_ == table_.size(); }

    // Six bits a byte, most significant first; bit 6: more follow, bit 7: an entry begins here.
    std::uint32_t varint() {
        std::uint32_t value = 0;
        while (true) {
            if (at_end()) {
                throw Error(-1, "expected the rest of an exception table entry, found the end of the table");
            }
            if (value >= 1u << 25) {
                throw Error(-1, "expected a number below 2**31 in the exception table, found a larger one");
            }
            const auto byte = static_cast<unsigned char>(table_[position_++]);
            value = (value << 6) | (byte & 63u);
            if ((byte & 64) == 0) {
                return value;
            }
        }
    }

  private:
    const std::string& table_;
    std::size_t position_ = 0;
};

void check_entry(const ExceptionEntry& entry, std::uint64_t size) {
    if (entry.start >= entry.end || entry.end > size) {
        throw Error(entry.start, "expected a protected range inside the " + std::to_string(size) +
                                     " bytes of code, found " + std::to_string(entry.start) + " to " +
                                     std::to_string(entry.end));
    }
    if (entry.target >= size) {
        throw Error(entry.start, "expected a handler inside the " + std::to_string(size) + " bytes of code, found " +
                                     std::to_string(entry.target));
    }
}

}  // namespace

std::vector<ExceptionEntry> decode_exception_table(const CodeObject& code) {
    std::vector<ExceptionEntry> entries;
    if (!features(code.version).has_exception_table) {
        return entries;
    }
    const std::uint32_t unit = features(code.version).jump_unit;
    TableReader reader(code.exceptiontable);
    while (!reader.at_end()) {
        ExceptionEntry entry{};
        entry.start = reader.varint() * unit;
        entry.end = entry.start + reader.varint() * unit;
        entry.target = reader.varint() * unit;
        const std::uint32_t depth_lasti = reader.varint();
        entry.depth = depth_lasti >> 1;
        entry.lasti = (depth_lasti & 1) != 0;
        check_entry(entry, code.code.size());
        entries.push_back(entry);
    }
    return entries;
}

}  // namespace depyf
