// The parts of a code object that do not sit in instructions: arguments, flags, variables of closures, docstring.
#include <algorithm>

#include "verify/bisimulation.h"

namespace depyf::verify {

namespace {

std::vector<std::string> sorted(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::vector<std::string> spelled(const std::vector<Name>& names) {
    std::vector<std::string> out;
    out.reserve(names.size());
    for (const Name name : names) out.push_back(*name);
    return out;
}

std::string list(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return "(" + text + ")";
}

std::string variables(const char* what, std::vector<std::string> expected, const std::vector<Name>& found) {
    expected = sorted(std::move(expected));
    const std::vector<std::string> got = sorted(spelled(found));
    return expected == got ? "" : std::string(what) + ": expected " + list(expected) + ", found " + list(got);
}

const Constant* docstring(const CodeObject& code, const Features& features) {
    if (!(code.flags & kOptimized) || code.name[0] == '<' || code.consts.empty() ||
        code.consts[0].kind != Constant::Kind::Str || (features.docstring_flag && !(code.flags & kHasDocstring)))
        return nullptr;
    return &code.consts[0];
}

}  // namespace

std::string compare_headers(const CodeObject& code, const Lowered& lowered, const Unit& unit,
                            const Features& features) {
    const Header& h = lowered.header;
    if (code.name != *unit.name) return "name: expected " + code.name + ", found " + *unit.name;
    if (code.argcount != h.argcount || code.posonlyargcount != h.posonlyargcount ||
        code.kwonlyargcount != h.kwonlyargcount)
        return "other numbers of arguments";
    constexpr std::uint32_t kNoFree = 0x40;
    if ((code.flags & ~kNoFree) != h.flags)
        return "flags: expected " + std::to_string(code.flags & ~kNoFree) + ", found " + std::to_string(h.flags);
    if (code.varnames.size() < h.arguments.size()) return "other arguments";
    for (std::size_t i = 0; i < h.arguments.size(); ++i) {
        if (code.varnames[i] != *h.arguments[i])
            return "argument: expected " + code.varnames[i] + ", found " + *h.arguments[i];
    }
    std::string difference = variables("free variables", code.freevars, h.free);
    if (difference.empty()) difference = variables("cell variables", code.cellvars, h.cells);
    if (!difference.empty()) return difference;
    const Constant* doc = docstring(code, features);
    if ((doc != nullptr) != (h.docstring != nullptr) || (doc && !(*doc == *h.docstring))) return "another docstring";
    return "";
}

}  // namespace depyf::verify
