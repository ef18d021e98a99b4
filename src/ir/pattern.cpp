#include "ir/pattern.h"

namespace depyf::ir {

namespace {

void add(std::string& out, const void* pointer) {
    out += std::to_string(reinterpret_cast<std::uintptr_t>(pointer)) + ' ';
}

void add(std::string& out, const PatternValue& value) {
    add(out, value.constant);
    for (const std::string* name : value.dotted) add(out, name);
    out += ';';
}

void add(std::string& out, const Pattern& pattern) {
    out += std::to_string(static_cast<int>(pattern.kind)) + '(';
    add(out, pattern.value);
    add(out, pattern.name);
    for (const PatternValue& key : pattern.keys) add(out, key);
    for (const Pattern& p : pattern.patterns) add(out, p);
    for (const std::string* name : pattern.keyword_names) add(out, name);
    out += ')';
}

}  // namespace

// The code object holds each name and each constant once, so their addresses stand for them.
std::string identity(const Pattern& pattern) {
    std::string out;
    add(out, pattern);
    return out;
}

}  // namespace depyf::ir
