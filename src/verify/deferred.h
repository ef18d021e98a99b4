// 3.14+: annotations of modules and classes wait in a function __annotate__. Source: symtable_visit_annotation in CPython
// Python/symtable.c, codegen_process_deferred_annotations in Python/codegen.c.
#pragma once

#include <cstdint>
#include <vector>

#include "ast/node.h"

namespace depyf::verify {

struct DeferredAnnotation {
    const ast::Stmt* stmt = nullptr;
    std::int32_t index = -1;  // into __conditional_annotations__; -1: it is evaluated in any case
};

// In the order in which the compiler meets them. A module's are all conditional: it may be executed in part.
std::vector<DeferredAnnotation> deferred_annotations(const ast::Body& body, bool is_module);

}  // namespace depyf::verify
