// try. Source: compiler_try_except, compiler_try_finally in CPython Python/compile.c. In the lifted code the finally body
// that normal and exceptional flow share up to 3.8 is exceptional only (lift/block_handlers.cpp): it is written so here.
#include "base/error.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::Expr;
using ast::Stmt;
using ast::StmtKind;
using ir::Op;

// The end of a protected region; an instruction only while there is a block stack (up to 3.10).
void Lowerer::pop_block() {
    if (!features().has_exception_table) out_.emit(Op::PopBlock);
}

void Lowerer::pop_except() {
    out_.emit(Op::PopExcept);
}

void Lowerer::try_statement(const Stmt* stmt) {
    if (stmt->finalbody.empty() && !stmt->handlers.empty())
        try_except(stmt);
    else
        try_finally(stmt);
}

void Lowerer::try_finally(const Stmt* stmt) {
    if (features().finally_copied)
        finally_copied(stmt);
    else
        finally_shared(stmt);
}

// What the finally body protects, its except clauses included.
void Lowerer::finally_try(const Stmt* stmt, const Block& block) {
    blocks_.push_back(block);
    if (stmt->handlers.empty())
        body(stmt->body);
    else
        try_except(stmt);
    pop_block();
    blocks_.pop_back();
    out_.unprotect(block.outer);
}

void Lowerer::finally_copied(const Stmt* stmt) {
    const Label handler = out_.label(), exit = out_.label();
    const std::int32_t outer = out_.protect(handler), depth = out_.depth();
    finally_try(stmt, {BlockKind::FinallyTry, -1, -1, outer, &stmt->finalbody});
    body(stmt->finalbody);
    out_.jump(exit);
    out_.place_handler(handler);
    blocks_.push_back({BlockKind::FinallyEnd, -1, -1, outer});
    if (features().has_exception_table) out_.emit(Op::PushException);
    body(stmt->finalbody);
    blocks_.pop_back();
    out_.emit(Op::Reraise, 0);
    out_.place(exit);
    out_.set_depth(depth);
}

namespace {

// Whether a jump leaves the statements: return, or break and continue of a loop around them.
bool jumps_out(const ast::Body& statements, bool in_loop) {
    for (const Stmt* stmt : statements) {
        switch (stmt->kind) {
            case StmtKind::Return: return true;
            case StmtKind::Break:
            case StmtKind::Continue:
                if (!in_loop) return true;
                break;
            case StmtKind::For:
            case StmtKind::AsyncFor:
            case StmtKind::While:
                if (jumps_out(stmt->body, true) || jumps_out(stmt->orelse, in_loop)) return true;
                break;
            case StmtKind::If:
            case StmtKind::With:
            case StmtKind::AsyncWith:
            case StmtKind::Try:
                if (jumps_out(stmt->body, in_loop) || jumps_out(stmt->orelse, in_loop) ||
                    jumps_out(stmt->finalbody, in_loop))
                    return true;
                for (const ast::ExceptHandler& handler : stmt->handlers) {
                    if (jumps_out(handler.body, in_loop)) return true;
                }
                break;
            default: break;
        }
    }
    return false;
}

}  // namespace

void Lowerer::finally_shared(const Stmt* stmt) {
    // 3.8: a place for the value of `return`, where the finally body may drop it
    const bool placeholder = features().finally_subroutine && jumps_out(stmt->finalbody, false);
    if (placeholder) out_.none();
    const Label handler = out_.label(), after = out_.label();  // `after` is nowhere where the finally body never ends
    const std::int32_t outer = out_.protect(handler), depth = out_.depth();
    finally_try(stmt, {BlockKind::FinallyTry, -1, -1, outer, &stmt->finalbody, nullptr, placeholder});
    out_.jump(after);
    out_.place_handler(handler);
    blocks_.push_back({BlockKind::FinallyEnd, -1, -1, outer});
    body(stmt->finalbody);
    blocks_.pop_back();
    out_.end_finally();
    if (out_.live()) out_.place(after);
    out_.set_depth(depth);
    if (placeholder) out_.pop();
}

void Lowerer::try_except(const Stmt* stmt) {
    const Label handler = out_.label(), end = out_.label();
    const std::int32_t outer = out_.protect(handler, false, 0, true), depth = out_.depth();
    blocks_.push_back({BlockKind::TryExcept, -1, -1, outer});
    body(stmt->body);
    blocks_.pop_back();
    pop_block();
    out_.unprotect(outer);
    const Label otherwise = out_.label();
    if (!features().finally_copied) {  // up to 3.8 the orelse stands behind the handlers
        out_.jump(otherwise);
    } else {
        body(stmt->orelse);
        out_.jump(end);
    }
    out_.place_handler(handler);
    if (features().has_exception_table) out_.emit(Op::PushException);
    const std::int32_t exception = out_.depth();
    for (std::size_t i = 0; i < stmt->handlers.size(); ++i) {
        const ast::ExceptHandler& clause = stmt->handlers[i];
        if (!clause.type && i + 1 < stmt->handlers.size()) throw Error(-1, "a bare except that is not the last clause");
        const Label next = out_.label();
        out_.set_depth(exception);
        except_clause(clause, end, next);
        out_.place(next);
    }
    out_.set_depth(exception);
    if (features().finally_copied) {
        out_.emit(Op::Reraise, 0);
    } else {
        out_.end_finally();
        out_.place(otherwise);
        out_.set_depth(depth);
        body(stmt->orelse);
    }
    out_.place(end);
    out_.set_depth(depth);
}

void Lowerer::match_exception(const Expr* type, Label next) {
    if (!features().has_exception_table) out_.copy(1);
    expression(type);
    out_.emit(features().has_exception_table ? Op::CheckExceptionMatch : Op::ExceptionMatch);
    out_.branch(false, next);
}

void Lowerer::except_clause(const ast::ExceptHandler& clause, Label end, Label next) {
    if (clause.type) match_exception(clause.type, next);
    if (!clause.name.empty()) {
        if (!clause.type) throw Error(-1, "a bare except with a name");
        named_clause(clause, end);
        return;
    }
    for (int i = features().has_exception_table ? 1 : 3; i > 0; --i) out_.pop();
    blocks_.push_back({BlockKind::HandlerCleanup, -1, -1, out_.handler()});
    body(clause.body);
    blocks_.pop_back();
    pop_except();
    out_.jump(end);
}

void Lowerer::named_clause(const ast::ExceptHandler& clause, Label end) {
    const Name bound = mangled(clause.name);
    if (!features().has_exception_table) out_.pop();
    store(bound);
    if (!features().has_exception_table) out_.pop();
    const Label cleanup = out_.label();
    const std::int32_t outer = out_.protect(cleanup, features().has_exception_table);
    const auto clear = [&] {
        out_.none();
        store(bound);
        remove(bound);
    };
    blocks_.push_back({BlockKind::HandlerCleanup, -1, -1, outer, nullptr, bound});
    body(clause.body);
    blocks_.pop_back();
    pop_block();
    out_.unprotect(outer);
    const Label after = out_.label();
    if (features().finally_copied) {
        pop_except();
        clear();
        out_.jump(end);
    } else {
        out_.jump(after);
    }
    const std::int32_t depth = out_.depth();
    out_.place_handler(cleanup);
    clear();
    if (features().finally_copied) {
        out_.emit(Op::Reraise, features().reraise_has_lasti ? 1 : 0);
        return;
    }
    out_.end_finally();
    out_.place(after);
    out_.set_depth(depth);
    pop_except();
    out_.jump(end);
}

void Lowerer::unwind_finally_try(const Block& block, bool preserve) {
    pop_block();
    out_.unprotect(block.outer);
    if (features().finally_copied) {
        if (preserve) blocks_.push_back({BlockKind::PopValue, -1, -1, block.outer});
        body(*block.final_body);
        if (preserve) blocks_.pop_back();
        return;
    }
    if (block.placeholder && preserve) {
        out_.swap(2);
        out_.pop();
    }
    out_.emit(Op::CallFinally);
    if (block.placeholder && !preserve) out_.pop();
}

void Lowerer::unwind_finally_end(const Block& block, bool preserve) {
    if (!features().finally_copied) {
        out_.emit(Op::PopFinally, preserve ? 1 : 0);
        if (preserve) out_.swap(2);
        out_.pop();
        return;
    }
    const bool one = features().has_exception_table;
    if (preserve) out_.emit(Op::Rotate, one ? 2 : 4);
    for (int i = one ? 1 : 3; i > 0; --i) out_.pop();
    if (preserve) out_.emit(Op::Rotate, one ? 2 : 4);
    pop_except();
    (void)block;
}

void Lowerer::unwind_handler(const Block& block, bool preserve) {
    if (features().has_exception_table) {
        if (preserve) out_.swap(2);
    } else {
        if (features().finally_copied && block.name) pop_block();
        if (preserve) out_.emit(Op::Rotate, 4);
        if (!features().finally_copied && block.name) pop_block();
    }
    out_.unprotect(block.outer);
    pop_except();
    if (!block.name) return;
    if (!features().finally_copied) {
        out_.emit(Op::CallFinally);
        return;
    }
    out_.none();
    store(block.name);
    remove(block.name);
}

}  // namespace depyf::verify
