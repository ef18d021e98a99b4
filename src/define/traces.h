// What the instructions of a code object show about its names, read once from the lifted code.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/function.h"

namespace depyf {

struct Traces {
    bool read = false;   // the code could be lifted
    std::set<std::string> arguments;
    // by reachable instructions; `captured`: free variables of the code objects that they load
    std::set<std::string> stored, loaded, captured, used;
    std::set<std::string> put_aside;         // variables of inlined comprehensions
    std::set<std::string> captured_outside;  // of them
    bool yields = false;
    // by all instructions, in their order; `globals`: loaded ones among them
    std::vector<std::string> stored_globals, globals, nonlocals;
    std::vector<std::string> free;   // co_freevars
    bool inlined_comprehensions = false;
};

Traces read_traces(const ir::Function& function);

}  // namespace depyf
