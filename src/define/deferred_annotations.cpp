// PEP 649 and 749 (3.14+): the annotations of a module or class stand in a function of their own. Back to where they
// were written.
#include <algorithm>
#include <set>

#include "define/definer.h"

namespace depyf {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

constexpr const char* kConditional = "__conditional_annotations__";

bool stores_to(const Stmt* stmt, const char* name) {
    return stmt->kind == StmtKind::Assign && stmt->exprs.size() == 2 && stmt->exprs[0]->kind == ExprKind::Name &&
           stmt->exprs[0]->name == name;
}

bool stores_annotate(const Stmt* stmt) {
    if (!stores_to(stmt, "__annotate__") && !stores_to(stmt, "__annotate_func__")) return false;
    const Expr* value = stmt->exprs[1];
    return value->kind == ExprKind::Function && value->function->code->name == "__annotate__";
}

// `n in __conditional_annotations__`: n, else -1.
std::int32_t condition(const Stmt* stmt) {
    if (stmt->kind != StmtKind::If || !stmt->orelse.empty() || stmt->exprs[0]->kind != ExprKind::Compare) return -1;
    const std::vector<Expr*>& items = stmt->exprs[0]->items;
    const bool constant = items[0]->kind == ExprKind::Constant && items[0]->value->kind == Constant::Kind::Int;
    return constant && items[1]->kind == ExprKind::Name && items[1]->name == kConditional
               ? std::stoi(items[0]->value->text)
               : -1;
}

bool assigns(const Stmt* stmt, const std::string& name) {
    return stores_to(stmt, name.c_str());
}

void annotate(Stmt* assignment, Expr* annotation) {
    assignment->kind = StmtKind::AnnAssign;
    assignment->exprs = {assignment->exprs[0], annotation, assignment->exprs[1]};
}

}  // namespace

// What `__annotate__` of a module or class says; nothing where it is no function that the compiler made.
std::optional<std::vector<Definer::Annotation>> Definer::read_annotate(const CodeObject& code) {
    std::vector<Annotation> annotations;
    auto add = [&](const Stmt* stmt, std::int32_t index) {
        if (stmt->kind != StmtKind::Assign || stmt->exprs.size() != 2 || stmt->exprs[0]->kind != ExprKind::Name)
            return false;
        const std::int32_t line = stmt->exprs[1]->location.line;
        annotations.push_back({stmt->exprs[0]->name, stmt->exprs[1], index, line > 0 ? line : stmt->line});
        return true;
    };
    for (const Stmt* stmt : body(code, ScopeKind::Function)) {
        const std::int32_t index = condition(stmt);
        if (index >= 0) {
            for (const Stmt* inner : stmt->body) {
                if (!add(inner, index)) return std::nullopt;
            }
        } else if (stmt->kind == StmtKind::If || stmt->kind == StmtKind::Return) {
            continue;   // if format > 2: raise NotImplementedError
        } else if (!add(stmt, -1)) {
            return std::nullopt;
        }
    }
    return annotations;
}

// `__conditional_annotations__ = n` marks where a conditional annotation stood, behind the assignment if it had one.
void Definer::place_conditional(Body& statements, const std::vector<Annotation>& annotations, ScopeKind scope) {
    std::set<const Stmt*> conditional;
    std::vector<bool> placed(annotations.size(), false);
    refining::each_body(statements, [&](Body& list) {
        Body out;
        for (Stmt* stmt : list) {
            if (!stores_to(stmt, kConditional)) {
                out.push_back(stmt);
                continue;
            }
            const Expr* value = stmt->exprs[1];
            const bool constant = value->kind == ExprKind::Constant && value->value->kind == Constant::Kind::Int;
            const std::int32_t index = constant ? std::stoi(value->value->text) : -1;
            auto found = std::find_if(annotations.begin(), annotations.end(),
                                      [&](const Annotation& a) { return a.index == index; });
            if (index < 0 || found == annotations.end()) {
                out.push_back(stmt);
                continue;
            }
            placed[static_cast<std::size_t>(found - annotations.begin())] = true;
            if (!out.empty() && assigns(out.back(), found->name)) {
                annotate(out.back(), found->value);
            } else {
                stmt->kind = StmtKind::AnnAssign;
                stmt->exprs = {tree_.name(found->name), found->value};
                out.push_back(stmt);
            }
            conditional.insert(out.back());
        }
        list.swap(out);
    });
    if (scope == ScopeKind::Class) {   // at its top level no annotation is conditional: `if True:` stood around it
        for (Stmt*& stmt : statements) {
            if (conditional.count(stmt)) stmt = guarded(stmt, true);
        }
    }
    place_unreachable(statements, annotations, placed);
}

Stmt* Definer::guarded(Stmt* stmt, bool runs) {
    Stmt* guard = tree_.stmt(StmtKind::If);
    Constant truth;
    truth.kind = runs ? Constant::Kind::True : Constant::Kind::False;
    guard->exprs = {tree_.constant(truth)};
    guard->body = {stmt};
    guard->line = stmt->line;
    return guard;
}

// Annotations in code that never runs, `if False:`, are marked nowhere.
void Definer::place_unreachable(Body& statements, const std::vector<Annotation>& annotations,
                                const std::vector<bool>& placed) {
    for (std::size_t k = 0; k < annotations.size(); ++k) {
        const Annotation& a = annotations[k];
        if (a.index < 0 || placed[k]) continue;
        Stmt* inner = tree_.stmt(StmtKind::AnnAssign);
        inner->exprs = {tree_.name(a.name), a.value};
        inner->line = a.line;
        auto behind = std::find_if(statements.begin(), statements.end(),
                                   [&](const Stmt* s) { return a.line > 0 && s->line > a.line; });
        statements.insert(behind, guarded(inner, false));
    }
}

// The others stand at the top level of a class, in order; lines tell between which statements.
void Definer::place_unconditional(Body& statements, const std::vector<Annotation>& annotations) {
    std::size_t from = 0;
    for (const Annotation& a : annotations) {
        if (a.index >= 0) continue;
        std::size_t at = statements.size(), end = statements.size();
        for (std::size_t i = from; i < statements.size(); ++i) {
            const std::int32_t line = statements[i]->line;
            if (a.line > 0 && line > a.line) {
                end = i;
                break;
            }
            if (!assigns(statements[i], a.name)) continue;
            at = i;
            if (a.line <= 0 || line <= 0) break;
        }
        if (at < statements.size()) {
            annotate(statements[at], a.value);
            from = at + 1;
            continue;
        }
        if (a.line <= 0) end = from;
        Stmt* stmt = tree_.stmt(StmtKind::AnnAssign);
        stmt->exprs = {tree_.name(a.name), a.value};
        stmt->line = a.line;
        statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(end), stmt);
        from = end + 1;
    }
}

Expr* Definer::take_annotate(Body& statements, ScopeKind scope) const {
    Expr* function = nullptr;
    if (scope == ScopeKind::Function) return function;
    refining::each_body(statements, [&](Body& list) {
        std::erase_if(list, [&](const Stmt* stmt) {
            if (stores_to(stmt, kConditional))
                return stmt->exprs[1]->kind == ExprKind::Set && stmt->exprs[1]->items.empty();
            if (!stores_annotate(stmt)) return false;
            function = stmt->exprs[1];
            return true;
        });
    });
    return function;
}

void Definer::place_annotations(Expr* function, Body& statements, ScopeKind scope) {
    const auto annotations = read_annotate(*function->function->code);
    if (!annotations) {   // someone wrote it
        if (Stmt* stmt = define_function(function)) statements.insert(statements.begin(), stmt);
        return;
    }
    place_conditional(statements, *annotations, scope);
    if (scope == ScopeKind::Class) place_unconditional(statements, *annotations);
}

}  // namespace depyf
