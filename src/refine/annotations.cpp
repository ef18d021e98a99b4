#include "base/identifier.h"
#include "refine/refine.h"

namespace depyf::refining {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

// The name that `__annotations__['name'] = annotation` annotates, empty where it is something else.
std::string annotated_name(const Stmt* stmt) {
    if (stmt->kind != StmtKind::Assign || stmt->exprs.size() != 2) return "";
    const Expr* target = stmt->exprs[0];
    if (target->kind != ExprKind::Subscript || target->items[0]->kind != ExprKind::Name ||
        target->items[0]->name != "__annotations__")
        return "";
    const Expr* key = target->items[1];
    const bool names = key->kind == ExprKind::Constant && key->value->kind == Constant::Kind::Str;
    return names && is_identifier(key->value->text) ? key->value->text : "";
}

bool same_name(const std::string& source, const std::string& mangled) {
    return source == mangled || (mangled.size() > source.size() && source.rfind("__", 0) == 0 &&
                                 mangled.compare(mangled.size() - source.size(), source.size(), source) == 0);
}

}  // namespace

void recover_annotations(Body& body, const RefineContext& context) {
    if (context.scope == ScopeKind::Function) return;
    const bool text = context.code->flags & features(context.code->version).future_annotations_flag;
    each_body(body, [&](Body& statements) {
        Body out;
        for (Stmt* stmt : statements) {
            const std::string name = annotated_name(stmt);
            if (name.empty()) {
                out.push_back(stmt);
                continue;
            }
            Expr* annotation = stmt->exprs[1];
            if (text && annotation->kind == ExprKind::Constant && annotation->value->kind == Constant::Kind::Str) {
                Constant raw = *annotation->value;
                raw.kind = Constant::Kind::Opaque;   // printed as it is
                annotation = context.tree->constant(raw);
            }
            Stmt* before = out.empty() ? nullptr : out.back();
            const bool assigned = before && before->kind == StmtKind::Assign && before->exprs.size() == 2 &&
                                  before->exprs[0]->kind == ExprKind::Name && same_name(before->exprs[0]->name, name);
            if (assigned) {
                before->kind = StmtKind::AnnAssign;
                before->exprs = {before->exprs[0], annotation, before->exprs[1]};
                before->offsets.insert(before->offsets.end(), stmt->offsets.begin(), stmt->offsets.end());
                continue;
            }
            stmt->kind = StmtKind::AnnAssign;
            stmt->exprs = {context.tree->name(name), annotation};
            out.push_back(stmt);
        }
        statements.swap(out);
    });
}

}  // namespace depyf::refining
