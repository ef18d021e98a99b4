#include "normalise/normalise.h"

namespace depyf {

void normalise(ir::Function& function, bool merge) {
    normalising::thread_jumps(function);
    normalising::fold_copied_tests(function);
    normalising::join_implicit_returns(function);
    normalising::skip_name_cleanups(function);
    if (function.features->finally_copied) normalising::skip_finally_copies(function);
    normalising::thread_jumps(function);
    if (merge) normalising::merge_copies(function);
}

namespace {

// `finally: continue` (break, return) drops the exception where that statement stands, `except:` where the clause does.
bool drops_at_once(const ir::Function& function, std::int32_t i) {
    if (!function.features->has_columns) return false;
    const ir::Inst& pop = function.insts[static_cast<std::size_t>(i)];
    if (pop.next < 0 || pop.location.column < 0) return false;
    const ir::Inst& end = function.insts[static_cast<std::size_t>(pop.next)];
    return end.op == ir::Op::PopExcept && end.location.line == pop.location.line &&
           end.location.column == pop.location.column && end.location.end_line == pop.location.end_line;
}

}  // namespace

HandlerKind handler_kind(const ir::Function& function, const ir::Handler& handler) {
    auto at = [&](std::int32_t i) -> const ir::Inst& { return function.insts[static_cast<std::size_t>(i)]; };
    std::int32_t i = handler.target;
    while (i >= 0 && at(i).op == ir::Op::Nop) i = at(i).next;
    if (i < 0) return HandlerKind::Finally;
    bool pushed = false;
    if (at(i).op == ir::Op::PushException) {
        i = at(i).next;
        pushed = true;
    }
    const bool table = function.features->has_exception_table;
    if (at(i).op == ir::Op::WithExceptStart || at(i).op == ir::Op::WithCleanupStart) return HandlerKind::With;
    if (at(i).op == ir::Op::Pop) return drops_at_once(function, i) ? HandlerKind::Finally : HandlerKind::Except;
    if (at(i).op == ir::Op::Const && at(i).value && at(i).value->kind == Constant::Kind::None && (!table || !pushed)) {
        const ir::Op store = at(at(i).next).op;
        if (store == ir::Op::StoreFast || store == ir::Op::StoreName || store == ir::Op::StoreGlobal ||
            store == ir::Op::StoreDeref) {
            const ir::Op remove = at(at(at(i).next).next).op;
            const bool deletes = remove == ir::Op::DeleteFast || remove == ir::Op::DeleteName ||
                                 remove == ir::Op::DeleteGlobal || remove == ir::Op::DeleteDeref;
            const std::int32_t last = at(at(at(i).next).next).next;
            if (deletes && last >= 0 && at(last).op == ir::Op::Reraise) return HandlerKind::NameCleanup;
        }
    }
    if (!table) return at(i).op == ir::Op::Copy ? HandlerKind::Except : HandlerKind::Finally;
    if (at(i).op == ir::Op::Copy) return HandlerKind::ExceptStar;
    // the exception type is an expression: look for the match behind it, through branches of the expression
    for (int steps = 0; i >= 0 && steps < 10000; ++steps) {
        switch (at(i).op) {
            case ir::Op::CheckExceptionMatch: return HandlerKind::Except;
            case ir::Op::CheckGroupMatch: return HandlerKind::ExceptStar;
            case ir::Op::Pop:
            case ir::Op::StoreFast:
            case ir::Op::StoreName:
            case ir::Op::StoreGlobal:
            case ir::Op::StoreDeref:
            case ir::Op::StoreAttr:
            case ir::Op::StoreSubscr:
            case ir::Op::Return:
            case ir::Op::Raise:
            case ir::Op::Reraise:
            case ir::Op::DeleteFast:
            case ir::Op::DeleteName:
            case ir::Op::DeleteAttr:
            case ir::Op::DeleteSubscr:
            case ir::Op::SetupWith:
            case ir::Op::ForIter:
            case ir::Op::SetupFinally:
            case ir::Op::StoreSlice: return HandlerKind::Finally;
            case ir::Op::Jump: i = at(i).target; break;
            default: i = at(i).next; break;
        }
    }
    return HandlerKind::Finally;
}

namespace normalising {

namespace {

bool does_nothing(const ir::Inst& inst) {
    return inst.op == ir::Op::Nop || inst.op == ir::Op::PopBlock || (inst.op == ir::Op::Jump && !inst.flag);
}

}  // namespace

void thread_jumps(ir::Function& function) {
    auto at = [&](std::int32_t i) -> ir::Inst& { return function.insts[static_cast<std::size_t>(i)]; };
    auto settle = [&](std::int32_t i) {
        std::int32_t slow = i;
        for (bool move_slow = false; i >= 0 && does_nothing(at(i)); move_slow = !move_slow) {
            i = at(i).op == ir::Op::Jump ? at(i).target : at(i).next;
            if (move_slow) slow = at(slow).op == ir::Op::Jump ? at(slow).target : at(slow).next;
            if (i == slow) break;  // an empty endless loop: stay where we are
        }
        return i;
    };
    for (ir::Inst& inst : function.insts) {
        if (inst.next >= 0) inst.next = settle(inst.next);
        if (inst.target >= 0) inst.target = settle(inst.target);
    }
    for (ir::Handler& handler : function.handlers) handler.target = settle(handler.target);
    function.entry = settle(function.entry);
}

}  // namespace normalising
}  // namespace depyf
