#include "line_map.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "base/error.h"
#include "bytecode/instruction.h"
#include "bytecode/opcode.h"

namespace depyf {

namespace {

std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> key(const LineMapEntry& entry) {
    return {entry.code_index, entry.offset, entry.output_line};
}

std::vector<Instruction> decoded(const CodeObject& code) {
    try {
        return decode(code);
    } catch (const Error&) {   // a stub has no lines
        return {};
    }
}

class Completion {
  public:
    explicit Completion(const Decompilation& decompilation)
        : codes_(decompilation.codes), map_(decompilation.line_map) {
        mapped_.resize(codes_.size());
        for (const LineMapEntry& entry : map_) mapped_[entry.code_index] = true;
        for (std::uint32_t i = 0; i < codes_.size(); ++i) {
            if (codes_[i].code && !mapped_[i]) missing_.try_emplace(codes_[i].code, i);
        }
    }

    std::vector<LineMapEntry> run() {
        // What is inside of another code object comes behind it.
        for (std::uint32_t i = 0; i < codes_.size() && !missing_.empty(); ++i) {
            if (codes_[i].code && mapped_[i] && loads_missing(*codes_[i].code)) add_nested(i);
        }
        sort_line_map(map_);
        return std::move(map_);
    }

  private:
    bool loads_missing(const CodeObject& code) const {
        return std::any_of(code.consts.begin(), code.consts.end(), [&](const Constant& constant) {
            return constant.kind == Constant::Kind::Code && missing_.contains(constant.code.get());
        });
    }

    void add_nested(std::uint32_t outer) {
        const CodeObject& code = *codes_[outer].code;
        std::unordered_map<std::uint32_t, std::uint32_t> lines;
        for (const LineMapEntry& entry : map_) {
            if (entry.code_index == outer) lines.try_emplace(entry.offset, entry.output_line);
        }
        for (const Instruction& instruction : decoded(code)) {
            const auto line = lines.find(instruction.offset);
            if (instruction.op != Op::LOAD_CONST || line == lines.end()) continue;
            const auto found = missing_.find(code.consts[instruction.arg].code.get());
            if (found == missing_.end()) continue;
            const std::uint32_t inner = found->second;
            missing_.erase(found);
            mapped_[inner] = true;
            for (const Instruction& own : decoded(*codes_[inner].code)) {
                map_.push_back({inner, own.offset, line->second});
            }
        }
    }

    const std::vector<CodeVerdict>& codes_;
    std::vector<LineMapEntry> map_;
    std::vector<bool> mapped_;
    std::unordered_map<const CodeObject*, std::uint32_t> missing_;
};

}  // namespace

void sort_line_map(std::vector<LineMapEntry>& entries) {
    const auto same = [](const LineMapEntry& a, const LineMapEntry& b) { return key(a) == key(b); };
    std::sort(entries.begin(), entries.end(),
              [](const LineMapEntry& a, const LineMapEntry& b) { return key(a) < key(b); });
    entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
}

std::vector<LineMapEntry> full_line_map(const Decompilation& decompilation) {
    return Completion(decompilation).run();
}

}  // namespace depyf
