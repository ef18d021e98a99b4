// The whole road, stage by stage.
#include "depyf/decompile.h"

#include "bytecode/code_object.h"

namespace depyf {

Decompilation decompile(const CodeObject& code, const Options&) {
    Decompilation result;
    result.codes.push_back({code.name, Verdict::Failed});
    result.diagnostics.push_back({code.name, -1, "the stages after the reader are not connected yet"});
    return result;
}

}  // namespace depyf
