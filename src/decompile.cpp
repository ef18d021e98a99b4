// The whole road: every code object passes lift, normalise, express, structure and refine (define/definer.cpp runs them);
// the tree is printed once.
#include "depyf/decompile.h"

#include "ast/node.h"
#include "bytecode/code_object.h"
#include "bytecode/features.h"
#include "define/definer.h"
#include "line_map.h"
#include "print/printer.h"
#include "verify/verify.h"

namespace depyf {

Decompilation decompile(const CodeObject& code, const Options& options) {
    Decompilation result;
    ast::Tree tree;
    Definer definer(tree, options, result);
    const ast::Body body = options.as_module ? definer.module(code) : definer.lone(code);
    const bool align = options.align_lines || (definer.has_class() && features(code.version).class_firstlineno);
    std::vector<bool> unbroken = definer.unbroken();
    PrintedText printed = print_module(body, code.version, {align, &unbroken, false});
    if (options.verify) {
        const auto to_join = prove({&body, &code, options.as_module, &printed}, result);
        for (const std::size_t index : to_join) unbroken[index] = true;
        if (!to_join.empty()) printed = print_module(body, code.version, {align, &unbroken, true});
    }
    result.source = std::move(printed.text);
    for (const PrintedLine& line : printed.lines) {
        for (std::uint32_t offset : line.stmt->offsets)
            result.line_map.push_back({line.stmt->code_index, offset, line.line});
    }
    sort_line_map(result.line_map);
    return result;
}

}  // namespace depyf
