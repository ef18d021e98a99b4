#include "verify/static_attributes.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

class Finder {
  public:
    std::set<std::string> found;

    // `in_function`: the body of the class itself counts too, but nothing in a class inside it.
    void body(const ast::Body& statements) {
        for (const Stmt* stmt : statements) statement(stmt);
    }

  private:
    void target(const Expr* e) {
        switch (e->kind) {
            case ExprKind::Attribute:
                if (e->items[0]->kind == ExprKind::Name && e->items[0]->name == "self") found.insert(e->name);
                return;
            case ExprKind::Tuple:
            case ExprKind::List:
            case ExprKind::Starred:
                for (const Expr* item : e->items) target(item);
                return;
            default: return;
        }
    }

    void targets(const Stmt* stmt) {
        switch (stmt->kind) {
            case StmtKind::Assign:
                for (std::size_t i = 0; i + 1 < stmt->exprs.size(); ++i) target(stmt->exprs[i]);
                return;
            case StmtKind::AnnAssign:
                if (stmt->exprs.size() > 2) target(stmt->exprs[0]);
                return;
            case StmtKind::For:
            case StmtKind::AsyncFor: target(stmt->exprs[0]); return;
            default:
                for (const ast::WithItem& item : stmt->with_items) {
                    if (item.target) target(item.target);
                }
                return;
        }
    }

    // `for self.x in ...` of comprehensions
    void expression(const Expr* e) {
        if (!e) return;
        for (const ast::Comprehension& clause : e->generators) {
            target(clause.target);
            expression(clause.iter);
            for (const Expr* condition : clause.ifs) expression(condition);
        }
        for (const Expr* item : e->items) expression(item);
        for (const ast::Keyword& keyword : e->keywords) expression(keyword.value);
    }

    void statement(const Stmt* stmt) {
        if (stmt->kind == StmtKind::ClassDef) return;
        targets(stmt);
        for (const Expr* e : stmt->exprs) expression(e);
        body(stmt->body);
        for (const ast::ExceptHandler& handler : stmt->handlers) body(handler.body);
        for (const ast::MatchCase& c : stmt->cases) body(c.body);
        body(stmt->orelse);
        body(stmt->finalbody);
    }
};

}  // namespace

std::set<std::string> static_attributes(const ast::Body& class_body) {
    Finder finder;
    finder.body(class_body);
    return std::move(finder.found);
}

}  // namespace depyf::verify
