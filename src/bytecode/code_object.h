// A code object as an owned value, whichever way it came in (marshal or a live object).
// Field meanings: CPython Objects/codeobject.c and InternalDocs/code_objects.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bytecode/version.h"

namespace depyf {

struct CodeObject;

// A value in co_consts. Text is UTF-8 in which a lone surrogate is encoded as its three bytes (as marshal's
// "surrogatepass" does). Two constants are the same when type and value are, -0.0 and nan by their bits.
struct Constant {
    enum class Kind : std::uint8_t {
        None,
        True,
        False,
        Ellipsis,
        StopIteration,
        Int,        // text: decimal digits, with a leading '-' where negative
        Float,      // real
        Complex,    // real, imag
        Str,        // text
        Bytes,      // text
        Tuple,
        FrozenSet,
        List,
        Set,   // items
        Dict,
        FrozenDict,              // items: key, value, key, value ...
        Slice,      // items: start, stop, step
        Code,       // code
        Opaque,     // a live object that marshal cannot hold; text: a printable expression or name for it
    };
    Kind kind = Kind::None;
    double real = 0;
    double imag = 0;
    std::string text;
    std::vector<Constant> items;
    std::shared_ptr<const CodeObject> code;
    bool operator==(const Constant& other) const;   // code objects by identity
};

int truth(const Constant& constant);  // of bool(constant): 0, 1; -1: not known here

struct CodeObject {
    Version version;
    std::string name, qualname, filename;  // qualname: co_qualname (3.11+), else empty
    std::uint32_t argcount = 0;            // positional, positional-only among them
    std::uint32_t posonlyargcount = 0;
    std::uint32_t kwonlyargcount = 0;
    std::uint32_t flags = 0;               // co_flags
    std::uint32_t stacksize = 0;
    std::int32_t firstlineno = 0;
    std::string code;                      // co_code: de-optimised bytes
    std::vector<Constant> consts;
    std::vector<std::string> names;
    std::vector<std::string> varnames;     // arguments first: positional, keyword-only, *args, **kwargs
    std::vector<std::string> cellvars;
    std::vector<std::string> freevars;
    // 3.11+: the unified index space of LOAD_FAST/LOAD_DEREF ("localsplus") as names; a name that is both an argument
    // and a cell stands once. Up to 3.10: varnames, then cellvars, then freevars.
    std::vector<std::string> localsplus;
    std::string linetable;  // co_lnotab (<= 3.9), co_linetable (3.10: pairs, 3.11+: locations)
    std::string exceptiontable;  // 3.11+
    // What is wrong with the fields of a code object that could be read past, "" where nothing is; decode() throws it.
    std::string damage;
    std::int64_t damage_offset = -1;  // into the file
};

// co_flags, Include/cpython/code.h
inline constexpr std::uint32_t kOptimized = 0x1, kNewLocals = 0x2, kVarArgs = 0x4, kVarKeywords = 0x8, kNested = 0x10,
                               kGenerator = 0x20, kCoroutine = 0x80, kIterableCoroutine = 0x100,
                               kAsyncGenerator = 0x200, kHasDocstring = 0x4000000, kMethod = 0x8000000;

}  // namespace depyf
