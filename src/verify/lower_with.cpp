// with and async with. Source: compiler_with, compiler_async_with in CPython Python/compile.c.
#include "base/error.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::Stmt;
using ast::StmtKind;
using ir::Op;

namespace {

// What stands for the whole exit up to 3.8; `jumps`: on the way of return, break or continue.
void whole_exit(Emitter& out, bool jumps) {
    ir::Inst& inst = out.emit(Op::Pop);
    inst.flag = jumps;
    inst.count = jumps ? 0 : 1;
}

}  // namespace

void Lowerer::with_statement(const Stmt* stmt, std::size_t item) {
    if (++depth_ > 1500) throw Error(-1, "statements are nested too deeply");
    const bool async = stmt->kind == StmtKind::AsyncWith;
    const ast::WithItem& with = stmt->with_items[item];
    const Label handler = out_.label(), exit = out_.label();
    expression(with.context);
    const std::int32_t depth = out_.depth() - 1;
    out_.emit(async ? Op::BeforeAsyncWith : Op::SetupWith, features().with_special_methods ? 2 : 1);
    if (async) out_.emit(Op::Await);
    const std::int32_t outer = out_.protect(handler, features().has_exception_table, 1);
    blocks_.push_back({async ? BlockKind::AsyncWith : BlockKind::With, -1, -1, outer});
    if (with.target)
        target(with.target);
    else
        out_.pop();
    if (item + 1 < stmt->with_items.size())
        with_statement(stmt, item + 1);
    else
        body(stmt->body);
    blocks_.pop_back();
    pop_block();
    out_.unprotect(outer);
    with_exit_normal(async);
    out_.jump(exit);
    out_.place_handler(handler);
    with_exit_exception(async);
    out_.place(exit);
    out_.set_depth(depth);
    --depth_;
}

void Lowerer::call_exit_with_nones() {
    out_.none();
    if (features().has_copy_swap) {
        out_.none();
        out_.none();
        call_op(Op::Call, features().with_special_methods ? 3 : 2, true);
        return;
    }
    out_.copy(1);
    out_.copy(1);
    call_op(Op::Call, 3, false);
}

void Lowerer::with_exit_normal(bool async) {
    if (!features().finally_copied) {
        whole_exit(out_, false);
        return;
    }
    call_exit_with_nones();
    if (async) out_.emit(Op::Await);
    out_.pop();
}

void Lowerer::with_exit_exception(bool async) {
    if (!features().finally_copied) {
        out_.emit(Op::WithCleanupStart);
        if (async) out_.emit(Op::Await);
        out_.emit(Op::WithCleanupFinish);
        out_.emit(Op::EndFinally);
        return;
    }
    const Label suppress = out_.label();
    if (features().has_exception_table) out_.emit(Op::PushException);
    out_.emit(Op::WithExceptStart);
    if (async) out_.emit(Op::Await);
    out_.branch(true, suppress);
    out_.emit(Op::Reraise, features().has_exception_table ? 2 : features().reraise_has_lasti ? 1 : 0);
    out_.place(suppress);
    for (int i = features().has_exception_table ? 1 : 3; i > 0; --i) out_.pop();
    pop_except();
    for (int i = features().with_special_methods ? 3 : features().has_exception_table ? 2 : 1; i > 0; --i) out_.pop();
}

void Lowerer::unwind_with(const Block& block, bool preserve) {
    pop_block();
    out_.unprotect(block.outer);
    const bool two = features().with_special_methods;
    if (preserve) out_.emit(Op::Rotate, two ? 3 : 2);
    if (!features().finally_copied) {
        whole_exit(out_, true);
        return;
    }
    call_exit_with_nones();
    if (block.kind == BlockKind::AsyncWith) out_.emit(Op::Await);
    out_.pop();
}

}  // namespace depyf::verify
