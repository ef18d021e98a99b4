// Statements other than loops, `try` and `with`. Source: compiler_visit_stmt in CPython Python/compile.c.
#include "base/error.h"
#include "verify/foldable.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;
using ir::Op;

namespace {

constexpr int kMaxDepth = 1500;

bool is_constant(const Expr* e) {
    return e->kind == ExprKind::Constant;
}

}  // namespace

void Lowerer::body(const ast::Body& statements, std::size_t from) {
    if (++depth_ > kMaxDepth) throw Error(-1, "statements are nested too deeply");
    for (std::size_t i = from; i < statements.size(); ++i) statement(statements[i]);
    --depth_;
}

void Lowerer::statement(const Stmt* stmt) {
    switch (stmt->kind) {
        case StmtKind::Return: return_statement(stmt); return;
        case StmtKind::Delete:
            for (const Expr* e : stmt->exprs) delete_target(e);
            return;
        case StmtKind::Assign: assign(stmt); return;
        case StmtKind::AugAssign: aug_assign(stmt); return;
        case StmtKind::AnnAssign: ann_assign(stmt); return;
        case StmtKind::Raise: raise_statement(stmt); return;
        case StmtKind::Assert: assert_statement(stmt); return;
        case StmtKind::Import: import_statement(stmt); return;
        case StmtKind::ImportFrom: import_from(stmt); return;
        case StmtKind::Expr: expression_statement(stmt); return;
        case StmtKind::Break: break_statement(); return;
        case StmtKind::Continue: continue_statement(); return;
        case StmtKind::Global:
        case StmtKind::Nonlocal:
        case StmtKind::Pass:
        case StmtKind::Comment: return;
        default: compound(stmt); return;
    }
}

void Lowerer::compound(const Stmt* stmt) {
    ++conditional_;
    compound_itself(stmt);
    --conditional_;
}

void Lowerer::compound_itself(const Stmt* stmt) {
    switch (stmt->kind) {
        case StmtKind::FunctionDef:
        case StmtKind::AsyncFunctionDef: function_def(stmt); return;
        case StmtKind::ClassDef: class_def(stmt); return;
        case StmtKind::If: if_statement(stmt); return;
        case StmtKind::While: while_statement(stmt); return;
        case StmtKind::For: for_statement(stmt); return;
        case StmtKind::AsyncFor: async_for_statement(stmt); return;
        case StmtKind::With:
        case StmtKind::AsyncWith: with_statement(stmt, 0); return;
        case StmtKind::Try: try_statement(stmt); return;
        case StmtKind::Match: match_statement(stmt); return;
        case StmtKind::TryStar: throw Error(-1, "except*");
        case StmtKind::TypeAlias: type_alias(stmt); return;
        default: throw Error(-1, "a statement that the proof does not know");
    }
}

void Lowerer::if_statement(const Stmt* stmt) {
    const Label end = out_.label();
    while (true) {   // elif chains may be long
        const Expr* test = stmt->exprs[0];
        const int known = is_constant(test) ? truth(*test->value) : -1;
        const Label next = stmt->orelse.empty() ? end : out_.label();
        if (known < 0) jump_if(test, next, false);
        if (known == 0) out_.jump(next);
        const std::int32_t depth = out_.depth();
        body(stmt->body);
        if (next == end) break;
        out_.jump(end);
        out_.place(next);
        out_.set_depth(depth);
        if (stmt->orelse.size() == 1 && stmt->orelse[0]->kind == StmtKind::If) {
            stmt = stmt->orelse[0];
            continue;
        }
        body(stmt->orelse);
        break;
    }
    out_.place(end);
}

// a, b = 1, 2 (3.14+)
bool Lowerer::assign_constants(const Stmt* stmt) {
    const Expr* to = stmt->exprs[0];
    const Expr* value = stmt->exprs.back();
    if (!features().tuples_folded_late || stmt->exprs.size() != 2 ||
        (to->kind != ExprKind::Tuple && to->kind != ExprKind::List) || to->items.size() > 3)
        return false;
    for (const Expr* item : to->items) {
        if (item->kind == ExprKind::Starred) return false;
    }
    if (value->kind == ExprKind::Constant && value->value->kind == Constant::Kind::Tuple &&
        value->value->items.size() == to->items.size()) {
        if (!can_be_written(*value->value)) return false;
        for (const Constant& item : value->value->items) out_.constant(&item);
    } else if (value->kind == ExprKind::Tuple && value->items.size() == to->items.size() &&
               constant_tuple(value->items)) {
        for (const Expr* item : value->items) expression(item);
    } else {
        return false;
    }
    out_.swap(static_cast<std::uint32_t>(to->items.size()));
    for (const Expr* item : to->items) target(item);
    return true;
}

void Lowerer::assign(const Stmt* stmt) {
    if (assign_constants(stmt)) return;
    expression(stmt->exprs.back());
    const std::size_t targets = stmt->exprs.size() - 1;
    for (std::size_t i = 0; i < targets; ++i) {
        if (i + 1 < targets) out_.copy(1);
        target(stmt->exprs[i]);
    }
}

void Lowerer::aug_assign(const Stmt* stmt) {
    const Expr* to = stmt->exprs[0];
    const auto inplace = [&] {
        expression(stmt->exprs[1]);
        out_.emit(Op::Inplace, static_cast<std::uint32_t>(stmt->binary));
    };
    switch (to->kind) {
        case ExprKind::Name:
            load_name(to->name);
            inplace();
            store_name(to->name);
            return;
        case ExprKind::Attribute:
            expression(to->items[0]);
            out_.copy(1);
            out_.emit_name(Op::LoadAttr, mangled(to->name));
            inplace();
            out_.swap(2);
            out_.emit_name(Op::StoreAttr, mangled(to->name));
            return;
        case ExprKind::Subscript: {
            expression(to->items[0]);
            const bool parts = two_element_slice(to->items[1], features());
            if (parts)
                slice(to->items[1]);
            else
                subscript_key(to->items[1]);
            const std::uint32_t n = parts ? 3 : 2;
            for (std::uint32_t i = 0; i < n; ++i) out_.copy(n);
            out_.emit(parts ? Op::LoadSlice : Op::LoadSubscr);
            inplace();
            out_.emit(Op::Rotate, n + 1);
            out_.emit(parts ? Op::StoreSlice : Op::StoreSubscr);
            return;
        }
        default: throw Error(-1, "no target of an augmented assignment");
    }
}

void Lowerer::annotation_value(const Expr* e) {
    if (program_.scopes.future_annotations) {
        if (!is_constant(e) || (e->value->kind != Constant::Kind::Opaque && e->value->kind != Constant::Kind::Str))
            throw Error(-1, "an annotation that is no text");
        // a string in the source would be written as a string of a string
        if (e->value->kind != Constant::Kind::Opaque) throw Error(-1, "an annotation that is a string");
        out_.constant(text(e->value->text));
        return;
    }
    expression(e);
}

void Lowerer::ann_assign(const Stmt* stmt) {
    const Expr* to = stmt->exprs[0];
    if (stmt->exprs.size() > 2) {
        expression(stmt->exprs[2]);
        target(to);
    }
    const bool kept = scope().type == ScopeType::Module || scope().type == ScopeType::Class;
    if (to->kind == ExprKind::Name) {
        if (stmt->flag || !kept) return;
        if (features().deferred_annotations && !program_.scopes.future_annotations) {
            mark_annotation();
            return;
        }
        annotation_value(stmt->exprs[1]);
        out_.emit_name(Op::LoadName, program_.names.intern("__annotations__"));
        out_.constant(text(*mangled(to->name)));
        out_.emit(Op::StoreSubscr);
        return;
    }
    if (stmt->exprs.size() == 2) {
        if (to->kind == ExprKind::Attribute || to->kind == ExprKind::Subscript) {
            expression(to->items[0]);
            out_.pop();
        }
        if (to->kind == ExprKind::Subscript) {
            expression(to->items[1]);
            out_.pop();
        }
    }
    if (!stmt->flag && kept) throw Error(-1, "an annotation of no name");
}

void Lowerer::raise_statement(const Stmt* stmt) {
    for (const Expr* e : stmt->exprs) expression(e);
    const std::int32_t depth = out_.depth() - static_cast<std::int32_t>(stmt->exprs.size());
    out_.emit(Op::Raise, static_cast<std::uint32_t>(stmt->exprs.size()));
    out_.set_depth(depth);
}

void Lowerer::assert_statement(const Stmt* stmt) {
    const Label end = out_.label();
    jump_if(stmt->exprs[0], end, true);
    if (features().has_is_and_contains_op)
        out_.emit(Op::LoadAssertionError);
    else
        out_.emit_name(Op::LoadGlobal, program_.names.intern("AssertionError"));
    if (stmt->exprs.size() > 1) {
        expression(stmt->exprs[1]);
        call_op(Op::Call, features().unified_call ? 0 : 1, features().unified_call);
    }
    out_.emit(Op::Raise, 1);
    out_.place(end);
}

void Lowerer::expression_statement(const Stmt* stmt) {
    if (is_constant(stmt->exprs[0])) return;
    expression(stmt->exprs[0]);
    out_.pop();
}

void Lowerer::import_flags(ir::Inst& inst, const Stmt* stmt) {
    if (!features().import_name_flags) {
        if (stmt->flag) throw Error(-1, "a lazy import");
        return;
    }
    const bool star = !stmt->aliases.empty() && stmt->aliases[0].name == "*";
    bool in_try = false;
    for (const Block& block : blocks_)
        in_try = in_try || block.kind == BlockKind::TryExcept || block.kind == BlockKind::FinallyTry ||
                 block.kind == BlockKind::FinallyEnd || block.kind == BlockKind::HandlerCleanup;
    constexpr std::uint32_t kLazy = 1, kEager = 2;
    const bool eager = unit_.kind != UnitKind::Module || star || in_try;
    if (eager && stmt->flag) throw Error(-1, "a lazy import where none may be");
    inst.count = stmt->flag ? kLazy : eager ? kEager : 0;
}

// `import a.b as c` loads a.b, then its parts; `import a.b` binds a.
void Lowerer::import_statement(const Stmt* stmt) {
    for (const ast::Alias& alias : stmt->aliases) {
        out_.constant(number(0));
        out_.none();
        import_flags(out_.emit_name(Op::ImportName, program_.names.intern(alias.name)), stmt);
        const std::size_t dot = alias.name.find('.');
        if (alias.asname.empty() || alias.asname == alias.name) {
            store_name(alias.name.substr(0, dot));
            continue;
        }
        if (dot != std::string::npos) {
            std::size_t start = dot + 1;
            while (true) {
                const std::size_t end = alias.name.find('.', start);
                out_.emit_name(Op::ImportFrom, program_.names.intern(alias.name.substr(start, end - start)));
                if (end == std::string::npos) break;
                out_.swap(2);
                out_.pop();
                start = end + 1;
            }
            store_name(alias.asname);
            out_.pop();
            continue;
        }
        store_name(alias.asname);
    }
}

void Lowerer::import_from(const Stmt* stmt) {
    Constant names;
    names.kind = Constant::Kind::Tuple;
    for (const ast::Alias& alias : stmt->aliases) names.items.push_back(*text(alias.name));
    out_.constant(number(stmt->number));
    out_.constant(keep(std::move(names)));
    import_flags(out_.emit_name(Op::ImportName, program_.names.intern(stmt->name)), stmt);
    if (stmt->aliases.size() == 1 && stmt->aliases[0].name == "*") {
        out_.emit(Op::ImportStar);
        if (features().has_intrinsics) {
            out_.emit(Op::PushNull);
            out_.pop();
        }
        return;
    }
    for (const ast::Alias& alias : stmt->aliases) {
        out_.emit_name(Op::ImportFrom, program_.names.intern(alias.name));
        store_name(alias.asname.empty() ? alias.name : alias.asname);
    }
    out_.pop();
}

// `del` has no instruction for the parts of a slice.
void Lowerer::whole_slice_key(const Expr* e) {
    if (!two_element_slice(e, features())) {
        subscript_key(e);
        return;
    }
    slice(e);
    out_.emit(Op::BuildSlice, 2);
}

void Lowerer::delete_target(const Expr* e) {
    switch (e->kind) {
        case ExprKind::Name: delete_name(e->name); return;
        case ExprKind::Attribute:
            expression(e->items[0]);
            out_.emit_name(Op::DeleteAttr, mangled(e->name));
            return;
        case ExprKind::Subscript:
            expression(e->items[0]);
            whole_slice_key(e->items[1]);
            out_.emit(Op::DeleteSubscr);
            return;
        case ExprKind::Tuple:
        case ExprKind::List:
            for (const Expr* item : e->items) delete_target(item);
            return;
        default: throw Error(-1, "nothing that can be deleted");
    }
}

}  // namespace depyf::verify
