// Loops, and what jumps out of blocks. Source: compiler_while, compiler_for, compiler_unwind_fblock in CPython
// Python/compile.c.
#include "base/error.h"
#include "verify/foldable.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ir::Op;

// 3.7: SETUP_LOOP ... POP_BLOCK around a loop.
void Lowerer::enter_loop(Label end) {
    if (features().has_loop_blocks) out_.set_loop(end);
}

void Lowerer::leave_loop() {
    if (features().has_loop_blocks) out_.emit(Op::LoopEnd);
}

void Lowerer::while_statement(const Stmt* stmt) {
    const Label start = out_.label(), otherwise = out_.label(), end = out_.label();
    enter_loop(end);
    out_.place(start);
    blocks_.push_back({BlockKind::While, start, end, out_.handler()});
    const int known = stmt->exprs[0]->kind == ExprKind::Constant ? truth(*stmt->exprs[0]->value) : -1;
    if (known == 0) throw Error(-1, "a loop that never runs");
    if (known < 0) jump_if(stmt->exprs[0], otherwise, false);
    const std::int32_t depth = out_.depth();
    body(stmt->body);
    out_.jump(start);
    blocks_.pop_back();
    out_.place(otherwise);
    out_.set_depth(depth);
    if (out_.live()) leave_loop();
    body(stmt->orelse);
    out_.place(end);
}

void Lowerer::for_statement(const Stmt* stmt) {
    const Label start = out_.label(), cleanup = out_.label(), end = out_.label();
    enter_loop(end);
    iterable(stmt->exprs[1]);
    get_iter();
    const std::int32_t depth = out_.depth();
    out_.place(start);
    blocks_.push_back({BlockKind::For, start, end, out_.handler()});
    out_.loop(Op::ForIter, cleanup);
    target(stmt->exprs[0]);
    body(stmt->body);
    out_.jump(start);
    out_.place(cleanup);
    out_.set_depth(depth - iterator_items());
    leave_loop();
    blocks_.pop_back();
    body(stmt->orelse);
    out_.place(end);
    out_.set_depth(depth - iterator_items());
}

void Lowerer::get_iter() {
    ir::Inst& inst = out_.emit(Op::GetIter);
    if (!features().iter_pushes_two) return;
    inst.flag = true;
    out_.set_depth(out_.depth() + 1);
}

std::int32_t Lowerer::iterator_items() const {
    return features().iter_pushes_two ? 2 : 1;
}

void Lowerer::async_for_statement(const Stmt* stmt) {
    const Label start = out_.label(), cleanup = out_.label(), end = out_.label();
    enter_loop(end);
    expression(stmt->exprs[1]);
    out_.emit(Op::GetAsyncIter);
    const std::int32_t depth = out_.depth();
    out_.place(start);
    blocks_.push_back({BlockKind::AsyncFor, start, end, out_.handler()});
    out_.loop(Op::AsyncForIter, cleanup);
    pop_block();
    target(stmt->exprs[0]);
    body(stmt->body);
    out_.jump(start);
    blocks_.pop_back();
    out_.place(cleanup);
    out_.set_depth(depth - 1);
    leave_loop();
    body(stmt->orelse);
    out_.place(end);
    out_.set_depth(depth - 1);
}

const Lowerer::Block* Lowerer::loop_block() const {
    for (std::size_t i = blocks_.size(); i-- > 0;) {
        const BlockKind kind = blocks_[i].kind;
        if (kind == BlockKind::While || kind == BlockKind::For || kind == BlockKind::AsyncFor) return &blocks_[i];
    }
    throw Error(-1, "break or continue outside a loop");
}

// Undoes the blocks inside the innermost loop, or all of them. What a block needs is written with that block and the
// inner ones gone; afterwards they are back.
void Lowerer::unwind_blocks(bool preserve, bool all) {
    std::vector<Block> undone;
    while (!blocks_.empty()) {
        const Block block = blocks_.back();
        const bool loop =
            block.kind == BlockKind::While || block.kind == BlockKind::For || block.kind == BlockKind::AsyncFor;
        if (loop && !all) break;
        blocks_.pop_back();
        undone.push_back(block);
        unwind(block, preserve);
    }
    while (!undone.empty()) {
        blocks_.push_back(undone.back());
        undone.pop_back();
    }
}

void Lowerer::break_statement() {
    const Block loop = *loop_block();
    const std::int32_t depth = out_.depth(), handler = out_.handler();
    if (features().has_loop_blocks) {
        out_.leave_loop(Op::BreakLoop, loop.exit);
    } else {
        unwind_blocks(false, false);
        unwind(loop, false);
        out_.jump(loop.exit);
    }
    out_.set_depth(depth);
    out_.unprotect(handler);
}

void Lowerer::continue_statement() {
    const Block loop = *loop_block();
    const std::int32_t depth = out_.depth(), handler = out_.handler();
    if (features().has_loop_blocks) {
        bool direct = blocks_.back().entry == loop.entry && blocks_.back().kind == loop.kind;
        if (direct)
            out_.jump(loop.entry);
        else
            out_.leave_loop(Op::ContinueLoop, loop.entry);
    } else {
        unwind_blocks(false, false);
        out_.jump(loop.entry);
    }
    out_.set_depth(depth);
    out_.unprotect(handler);
}

void Lowerer::return_statement(const Stmt* stmt) {
    if (unit_.kind != UnitKind::Function) throw Error(-1, "return outside a function");
    const Expr* value = stmt->exprs.empty() ? nullptr : stmt->exprs[0];
    const std::int32_t depth = out_.depth(), handler = out_.handler();
    const bool late = features().tuples_folded_late;   // 3.14+: only what is one token is a constant here
    const bool constant = value && ((value->kind == ExprKind::Constant && (!late || is_token(*value->value))) ||
                                    (!late && value->kind == ExprKind::Tuple && constant_tuple(value->items)));
    const bool preserve = value && !constant;
    if (preserve || (value && features().has_loop_blocks)) expression(value);
    if (!features().has_loop_blocks) unwind_blocks(preserve, true);
    if (!value)
        out_.none();
    else if (!preserve && !features().has_loop_blocks)
        expression(value);
    out_.emit(Op::Return);
    out_.set_depth(depth);
    out_.unprotect(handler);
}

void Lowerer::unwind(const Block& block, bool preserve) {
    switch (block.kind) {
        case BlockKind::While: return;
        case BlockKind::For:
        case BlockKind::AsyncFor:
            if (preserve) out_.emit(Op::Rotate, block.kind == BlockKind::For && iterator_items() == 2 ? 3 : 2);
            for (std::int32_t i = block.kind == BlockKind::For ? iterator_items() : 1; i > 0; --i) out_.pop();
            return;
        case BlockKind::TryExcept:
            pop_block();
            out_.unprotect(block.outer);
            return;
        case BlockKind::FinallyTry: unwind_finally_try(block, preserve); return;
        case BlockKind::FinallyEnd: unwind_finally_end(block, preserve); return;
        case BlockKind::With:
        case BlockKind::AsyncWith: unwind_with(block, preserve); return;
        case BlockKind::HandlerCleanup: unwind_handler(block, preserve); return;
        case BlockKind::PopValue:
            if (preserve) out_.swap(2);
            out_.pop();
            return;
    }
}

}  // namespace depyf::verify
