#include "refine/refine.h"

namespace depyf::refining {

using ast::Body;
using ast::Stmt;
using ast::StmtKind;

namespace {

bool is_with(const Stmt* stmt) {
    return stmt->kind == StmtKind::With || stmt->kind == StmtKind::AsyncWith;
}

// with a: with b: ...  =>  with a, b: ...        where both stand on one line, or nothing is known of lines
void merge_with(Stmt* stmt) {
    while (stmt->body.size() == 1 && stmt->body[0]->kind == stmt->kind && stmt->body[0]->line == stmt->line) {
        Stmt* inner = stmt->body[0];
        stmt->with_items.insert(stmt->with_items.end(), inner->with_items.begin(), inner->with_items.end());
        stmt->offsets.insert(stmt->offsets.end(), inner->offsets.begin(), inner->offsets.end());
        const Body body = inner->body;
        stmt->body = body;
    }
}

// try: (try: a except: b) finally: c  =>  try: a except: b finally: c
void merge_try(Stmt* stmt) {
    if (stmt->kind != StmtKind::Try || !stmt->handlers.empty() || stmt->body.size() != 1) return;
    Stmt* inner = stmt->body[0];
    if ((inner->kind != StmtKind::Try && inner->kind != StmtKind::TryStar) || inner->handlers.empty() ||
        !inner->finalbody.empty())
        return;
    stmt->kind = inner->kind;
    stmt->handlers = inner->handlers;
    stmt->orelse = inner->orelse;
    const Body body = inner->body;
    stmt->body = body;
}

bool joins(const Stmt* before, const Stmt* stmt) {
    if (before->kind != stmt->kind || before->line != stmt->line || stmt->line == 0 || before->flag != stmt->flag)
        return false;
    return stmt->kind == StmtKind::Import || stmt->kind == StmtKind::Delete;
}

}  // namespace

void merge_statements(Body& body, const RefineContext&) {
    each_body(body, [](Body& statements) {
        Body out;
        for (Stmt* stmt : statements) {
            if (is_with(stmt)) merge_with(stmt);
            merge_try(stmt);
            if (!out.empty() && joins(out.back(), stmt)) {
                out.back()->aliases.insert(out.back()->aliases.end(), stmt->aliases.begin(), stmt->aliases.end());
                out.back()->exprs.insert(out.back()->exprs.end(), stmt->exprs.begin(), stmt->exprs.end());
                out.back()->offsets.insert(out.back()->offsets.end(), stmt->offsets.begin(), stmt->offsets.end());
                continue;
            }
            out.push_back(stmt);
        }
        statements.swap(out);
    });
}

}  // namespace depyf::refining
