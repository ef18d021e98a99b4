#include "bytecode/assembler.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "bytecode/assembled_code.h"
#include "bytecode/features.h"

namespace depyf {

namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r"), text.size());
    const std::size_t end = text.find_last_not_of(" \t\r");
    return text.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
}

Version parse_version(std::string_view text) {
    for (std::uint8_t minor = 0; minor < 100; ++minor) {
        const Version version{3, minor};
        if (version.text() == text) {
            return features(version).version;  // throws where it is not supported
        }
    }
    throw Error(-1, "expected a version such as 3.11, found '" + std::string(text) + "'");
}

class Assembler {
  public:
    void line(std::string_view line) {
        const std::size_t space = std::min(line.find(' '), line.size());
        const std::string_view word = line.substr(0, space);
        const std::string_view rest = trimmed(line.substr(space));
        if (word == ".version") {
            if (version_) throw Error(-1, "expected .version once, found it again");
            version_ = parse_version(rest);
            codes_.emplace_back(*version_, "<module>");
            return;
        }
        if (!version_) throw Error(-1, "expected .version first, found '" + std::string(word) + "'");
        if (word == ".code") {
            codes_.emplace_back(*version_, std::string(rest));
        } else if (word == ".end") {
            if (codes_.size() < 2) throw Error(-1, "expected .code before .end, found none");
            const auto code = codes_.back().finish();
            codes_.pop_back();
            codes_.back().add_nested(code);
        } else if (word.starts_with('.')) {
            codes_.back().directive(word, rest);
        } else if (rest.empty() && word.ends_with(':')) {
            codes_.back().label(word.substr(0, word.size() - 1));
        } else {
            codes_.back().instruction(word, rest);
        }
    }

    std::shared_ptr<const CodeObject> finish() {
        if (codes_.size() != 1) {
            throw Error(-1, codes_.empty() ? "expected .version, found the end" : "expected .end, found the end");
        }
        return codes_.back().finish();
    }

  private:
    std::optional<Version> version_;
    std::vector<AssembledCode> codes_;  // the one that is being read is the last
};

}  // namespace

std::shared_ptr<const CodeObject> assemble(std::string_view text) {
    Assembler assembler;
    std::size_t number = 0, begin = 0;
    try {
        while (begin < text.size()) {
            ++number;
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            const std::string_view line = trimmed(text.substr(begin, end - begin));
            if (!line.empty() && line[0] != '#') {
                assembler.line(line);
            }
            begin = end + 1;
        }
        return assembler.finish();
    } catch (const Error& error) {
        const auto offset = static_cast<std::int64_t>(std::min(begin, text.size()));
        throw Error(offset, "line " + std::to_string(number) + ": " + error.what());
    }
}

}  // namespace depyf
