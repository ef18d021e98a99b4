// Decompiles .pyc files with the proof on.
//
//   prove_pycs OUT_FOLDER a.pyc b.pyc ...
//
// Writes OUT_FOLDER/a.py and prints a line for every code object: file, qualified name, verdict (exact, equivalent,
// unproved, failed), and for those that are not proved the offset and the first difference, separated by tabs.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "bytecode/pyc_reader.h"
#include "depyf/decompile.h"

namespace {

const char* verdict_name(depyf::Verdict verdict) {
    switch (verdict) {
        case depyf::Verdict::Exact: return "exact";
        case depyf::Verdict::Equivalent: return "equivalent";
        case depyf::Verdict::Unproved: return "unproved";
        case depyf::Verdict::Failed: return "failed";
    }
    return "";
}

// No tab or line end may stand in a field.
std::string field(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    }
    return text;
}

void report(const std::string& file, const depyf::Decompilation& result) {
    std::multimap<std::string, const depyf::Diagnostic*> diagnostics;
    for (const depyf::Diagnostic& d : result.diagnostics) diagnostics.emplace(d.qualname, &d);
    for (const depyf::CodeVerdict& code : result.codes) {
        std::string why = "\t";
        const bool proved = code.verdict == depyf::Verdict::Exact || code.verdict == depyf::Verdict::Equivalent;
        if (const auto found = diagnostics.find(code.qualname); !proved && found != diagnostics.end()) {
            why = std::to_string(found->second->offset) + "\t" + field(found->second->message);
            diagnostics.erase(found);
        }
        std::printf("%s\t%s\t%s\t%s\n", file.c_str(), field(code.qualname).c_str(), verdict_name(code.verdict),
                    why.c_str());
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::filesystem::path out = argv[1];
    for (int i = 2; i < argc; ++i) {
        const std::filesystem::path path = argv[i];
        try {
            std::ifstream stream(path, std::ios::binary);
            const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
            const depyf::PycFile file = depyf::read_pyc(depyf::as_bytes(bytes));
            const depyf::Decompilation result = depyf::decompile(*file.code, {});
            std::ofstream(out / path.filename().replace_extension(".py"), std::ios::binary) << result.source;
            report(path.filename().string(), result);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s: %s\n", argv[i], error.what());
        }
    }
    return 0;
}
