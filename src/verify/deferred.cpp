#include "verify/deferred.h"

#include "base/error.h"

namespace depyf::verify {

using ast::Stmt;
using ast::StmtKind;

namespace {

struct Collector {
    bool is_module;
    std::vector<DeferredAnnotation> found{};
    std::int32_t next = 0;
    int depth = 0;

    void body(const ast::Body& statements, bool conditional) {
        if (++depth > 1500) throw Error(-1, "statements are nested too deeply");
        for (const Stmt* stmt : statements) statement(stmt, conditional);
        --depth;
    }

    void statement(const Stmt* stmt, bool conditional) {
        switch (stmt->kind) {
            case StmtKind::FunctionDef:
            case StmtKind::AsyncFunctionDef:
            case StmtKind::ClassDef: return;
            case StmtKind::AnnAssign:
                if (stmt->flag || stmt->exprs[0]->kind != ast::ExprKind::Name) return;
                found.push_back({stmt, conditional || is_module ? next++ : -1});
                return;
            default: break;
        }
        body(stmt->body, true);
        for (const ast::ExceptHandler& handler : stmt->handlers) body(handler.body, true);
        for (const ast::MatchCase& c : stmt->cases) body(c.body, true);
        body(stmt->orelse, true);
        body(stmt->finalbody, true);
    }
};

}  // namespace

std::vector<DeferredAnnotation> deferred_annotations(const ast::Body& body, bool is_module) {
    Collector collector{is_module};
    collector.body(body, false);
    return std::move(collector.found);
}

}  // namespace depyf::verify
