// Statements as structured -> statements as people write them. Each pass is one rewrite; the order is in refine.cpp.
#pragma once

#include <string>

#include "ast/node.h"
#include "bytecode/features.h"

namespace depyf {

enum class ScopeKind : std::uint8_t { Module, Class, Function };

struct RefineContext {
    ast::Tree* tree = nullptr;
    const CodeObject* code = nullptr;
    const Features* features = nullptr;
    ScopeKind scope = ScopeKind::Function;
};

void refine(ast::Body& body, const RefineContext& context);

namespace refining {

void drop_tail_jumps(ast::Body& body,
                     const RefineContext& context);      // `return` and `continue` that go where control goes anyway
void recover_asserts(ast::Body& body, const RefineContext& context);  // if not c: raise AssertionError  =>  assert c
void keep_dropped_strings(ast::Body& body, const RefineContext& context);  // 'text'  =>  f'text'
void recover_annotations(ast::Body& body, const RefineContext& context);  // __annotations__['x'] = t  =>  x: t
void merge_statements(ast::Body& body,
                      const RefineContext& context);  // with in with, try in try, import, del on one line
void drop_bookkeeping(ast::Body& body,
                      const RefineContext& context);  // __module__, __qualname__, __classcell__ ... ; docstrings

// Calls `f` with every list of statements in `body`, inner ones first.
template <class F>
void each_body(ast::Body& body, F f) {
    for (ast::Stmt* stmt : body) {
        if (stmt->kind == ast::StmtKind::FunctionDef || stmt->kind == ast::StmtKind::AsyncFunctionDef ||
            stmt->kind == ast::StmtKind::ClassDef)
            continue;
        each_body(stmt->body, f);
        each_body(stmt->orelse, f);
        each_body(stmt->finalbody, f);
        for (ast::ExceptHandler& h : stmt->handlers) each_body(h.body, f);
        for (ast::MatchCase& c : stmt->cases) each_body(c.body, f);
    }
    f(body);
}

}  // namespace refining
}  // namespace depyf
