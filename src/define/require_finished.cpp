#include "define/require_finished.h"

#include <string>
#include <vector>

#include "base/error.h"

namespace depyf {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

const char* artefact_name(ExprKind kind) {
    switch (kind) {
        case ExprKind::StackIn: return "a value from an earlier block";
        case ExprKind::Null: return "a NULL";
        case ExprKind::Iterator: return "an iterator";
        case ExprKind::WithExit: return "the exit function of a with statement";
        case ExprKind::WithEnter: return "the result of __enter__";
        case ExprKind::Exception: return "the exception that is being handled";
        case ExprKind::ForItem: return "the item of a for loop";
        case ExprKind::UnpackItem:
        case ExprKind::Unpack: return "an unpacking";
        case ExprKind::Function: return "a function without a definition";
        case ExprKind::BuildClass: return "a class without a definition";
        case ExprKind::AssignChain: return "a chained assignment";
        case ExprKind::ImportModule:
        case ExprKind::ImportMember: return "an import";
        case ExprKind::ExceptionMatch: return "the test of an except clause";
        case ExprKind::Accumulator: return "the result of a comprehension";
        case ExprKind::MatchSubject: return "the subject of a match";
        case ExprKind::Opaque: return "an artefact of the compiler";
        default: return nullptr;
    }
}

class Finder {
  public:
    // `group`: within a clause of except*, which `return` cannot leave; `jumps`: a loop in it may be left.
    void body(const Body& statements, bool group = false, bool jumps = true) {
        bodies_.push_back({&statements, group, jumps});
    }
    void expression(const Expr* e) {
        if (e) expressions_.push_back(e);
    }

    // Worklists, no recursion: input decides how deep the tree is.
    void run() {
        while (true) {
            if (!expressions_.empty()) {
                const Expr* e = expressions_.back();
                expressions_.pop_back();
                check(e);
            } else if (!bodies_.empty()) {
                const Place place = bodies_.back();
                bodies_.pop_back();
                for (const Stmt* s : *place.statements) statement(s, place.group, place.jumps);
            } else {
                return;
            }
        }
    }

  private:
    struct Place {
        const Body* statements;
        bool group, jumps;
    };

    void check(const Expr* e) {
        const char* name = artefact_name(e->kind);
        if (!name && e->kind == ExprKind::Constant && e->value->kind == Constant::Kind::Code && e->value->text.empty())
            name = "a code object";
        if (name) throw Error(offset_, std::string("no Python text means ") + name + " here");
        for (const Expr* item : e->items) expression(item);
        for (const ast::Keyword& keyword : e->keywords) expression(keyword.value);
        for (const ast::Comprehension& clause : e->generators) {
            expression(clause.target);
            expression(clause.iter);
            for (const Expr* test : clause.ifs) expression(test);
        }
        if (e->args) arguments(*e->args);
    }

    void arguments(const ast::Arguments& args) {
        auto argument = [&](const ast::Arguments::Arg& a) {
            expression(a.annotation);
            expression(a.default_value);
        };
        for (const auto* list : {&args.posonly, &args.args, &args.kwonly}) {
            for (const auto& a : *list) argument(a);
        }
        argument(args.vararg);
        argument(args.kwarg);
    }

    void statement(const Stmt* s, bool group, bool jumps) {
        if (!s->offsets.empty()) offset_ = s->offsets.front();
        if ((group && s->kind == StmtKind::Return) ||
            (!jumps && (s->kind == StmtKind::Break || s->kind == StmtKind::Continue)))
            throw Error(offset_, "no Python text leaves a clause of except* here");
        if (s->kind == StmtKind::Append || s->kind == StmtKind::Goto)
            throw Error(offset_, "no Python text means a part of a comprehension here");
        const bool defines =
            s->kind == StmtKind::FunctionDef || s->kind == StmtKind::AsyncFunctionDef || s->kind == StmtKind::ClassDef;
        for (const Expr* e : s->exprs) expression(e);
        for (const Expr* e : s->decorators) expression(e);
        for (const ast::Keyword& keyword : s->keywords) expression(keyword.value);
        if (s->args) arguments(*s->args);
        expression(s->returns);
        for (const ast::WithItem& item : s->with_items) {
            expression(item.context);
            expression(item.target);
        }
        if (defines) return;
        const bool loop = s->kind == StmtKind::While || s->kind == StmtKind::For || s->kind == StmtKind::AsyncFor;
        const bool star = s->kind == StmtKind::TryStar;
        body(s->body, group, jumps || loop);
        body(s->orelse, group, jumps);
        body(s->finalbody, group, jumps);
        for (const ast::ExceptHandler& handler : s->handlers) {
            expression(handler.type);
            body(handler.body, group || star, jumps && !star);
        }
        for (const ast::MatchCase& arm : s->cases) {
            expression(arm.guard);
            body(arm.body, group, jumps);
        }
    }

    std::vector<Place> bodies_;
    std::vector<const Expr*> expressions_;
    std::int64_t offset_ = -1;
};

}  // namespace

void require_finished(const Body& body) {
    Finder finder;
    finder.body(body);
    finder.run();
}

void require_finished(const Expr* expression) {
    Finder finder;
    finder.expression(expression);
    finder.run();
}

}  // namespace depyf
