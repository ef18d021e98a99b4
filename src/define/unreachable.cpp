// Code that can never run is dropped by the compiler, but it still makes a function a generator, a name a local variable,
// a local variable a cell and an outer name a free variable. Such traces are written again where they cannot run either.
#include <algorithm>
#include <set>

#include "define/definer.h"

namespace depyf {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

void Definer::keep_unreachable(const CodeObject& code, const Traces& traces, Body& statements) {
    const bool generator = code.flags & (kGenerator | kAsyncGenerator);
    const std::set<std::string> cells(code.cellvars.begin(), code.cellvars.end()),
        free(code.freevars.begin(), code.freevars.end());
    auto artificial = [](const std::string& name) {
        return name.empty() || name[0] == '.' || name == "__class__" || name == "__classdict__";
    };

    Body hidden;
    auto add = [&](StmtKind kind, std::vector<Expr*> exprs) {
        Stmt* stmt = tree_.stmt(kind);
        stmt->exprs = std::move(exprs);
        hidden.push_back(stmt);
    };
    auto local = [&](const std::string& name) {
        if (artificial(name) || traces.arguments.count(name) || traces.stored.count(name) || free.count(name)) return;
        Constant none;
        add(StmtKind::Assign, {tree_.name(name), tree_.constant(none)});
    };
    for (const std::string& name : traces.loaded) {
        if (!cells.count(name)) local(name);
    }
    for (const std::string& name : cells) {
        const bool comprehension_captures = traces.captured.count(name) && !traces.captured_outside.count(name);
        if (!traces.put_aside.count(name) || !comprehension_captures) local(name);
    }
    Expr* captured = tree_.expr(ExprKind::Tuple);
    for (const std::string& name : cells) {
        if (!artificial(name) && !traces.captured.count(name)) captured->items.push_back(tree_.name(name));
    }
    if (!captured->items.empty()) {
        Expr* lambda = tree_.expr(ExprKind::Lambda, {captured->items.size() == 1 ? captured->items[0] : captured});
        lambda->args = tree_.arguments();
        add(StmtKind::Expr, {lambda});
    }
    for (const std::string& name : free) {
        if (!artificial(name) && !traces.used.count(name) && !traces.captured.count(name))
            add(StmtKind::Expr, {tree_.name(name)});
    }
    if (generator && !traces.yields) add(StmtKind::Expr, {tree_.expr(ExprKind::Yield, {nullptr})});
    if (hidden.empty()) return;
    Constant no;
    no.kind = Constant::Kind::False;
    Stmt* guard = tree_.stmt(StmtKind::If);
    guard->exprs = {tree_.constant(no)};
    guard->body = hidden;
    statements.push_back(guard);
}

}  // namespace depyf
