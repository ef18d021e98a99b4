// The public face of the engine: one code object in, one Decompilation out.
//
//   depyf::Decompilation result = depyf::decompile(*code, depyf::Options{});
//   std::cout << result.source;
//
// Nothing here executes or imports anything of the input. No exception leaves decompile(): what goes wrong with one
// function becomes a Diagnostic and costs that function only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace depyf {

struct CodeObject;  // bytecode/code_object.h: made by the .pyc reader or by the bindings from a live code object

struct Options {
    bool verify = true;           // prove each function by re-lowering (Verdict stays Unproved where it is off)
    bool as_module = true;        // print the code object's body as a module; false: print the `def` around it
    // Put every statement on its original line, as far as the text allows. From 3.13 on class bodies store the line they
    // stand on (__firstlineno__), so files with classes are aligned there in any case.
    bool align_lines = false;
    bool readable = false;  // code that torch.compile wrote: what happens rather than how (see untangle/untangle.h)
    // Limits. What is over one of them becomes a stub and a diagnostic.
    std::uint32_t max_depth = 1000;  // deepest nesting of code objects that is followed
    std::uint32_t max_size = 0;  // bytes of co_code in one code object; 0: any
    double max_seconds = 0;  // no code object is begun later than so long after the start; 0: any time
};

enum class Verdict : std::uint8_t {
    Exact,  // the re-lowered source has the same instructions
    Equivalent,  // the control-flow graphs are bisimilar; only layout differs
    Unproved,  // the first difference is in the diagnostics
    Failed,  // no source for this code object: a stub with its disassembly stands in its place
};

struct Diagnostic {
    std::string qualname;  // of the code object concerned
    std::int64_t offset;  // byte offset of the instruction concerned, -1 where there is none
    std::string message;  // what was expected, what was found
};

struct LineMapEntry {
    std::uint32_t code_index;  // into Decompilation::codes
    std::uint32_t offset;  // byte offset of the instruction
    std::uint32_t output_line;  // 1-based line of `source`
};

struct CodeVerdict {
    std::string qualname;
    Verdict verdict;
    const CodeObject* code = nullptr;  // inside the one that was handed in
};

struct Decompilation {
    std::string source;  // UTF-8, ends in a newline unless empty
    std::vector<LineMapEntry> line_map;  // sorted by (code_index, offset)
    std::vector<CodeVerdict> codes;  // index 0 is the code object asked for, then the nested ones
    std::vector<Diagnostic> diagnostics;
};

Decompilation decompile(const CodeObject& code, const Options& options);

// `line_map`, and what it leaves out: the instructions of lambdas and comprehensions, which are on the line of the
// statement that makes them. The code object must still be there.
std::vector<LineMapEntry> full_line_map(const Decompilation& decompilation);

}  // namespace depyf
