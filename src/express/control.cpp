// Iteration, suspension, jumps and exceptions.
#include <algorithm>

#include "base/error.h"
#include "express/stack_machine.h"
#include "express/unfolded.h"

namespace depyf {

using ast::Expr;
using ast::ExprKind;
using ast::StmtKind;

bool StackMachine::iteration(const ir::Inst& inst) {
    switch (inst.op) {
        case IrOp::GetIter:
        case IrOp::GetAsyncIter: {
            Expr* iterable = pop();
            Expr* e = make(ExprKind::Iterator, {iterable});
            e->order = iterable->order;
            e->flag = inst.op == IrOp::GetAsyncIter;
            push(e);
            if (inst.flag) push(make(ExprKind::Null));
            return true;
        }
        case IrOp::GetYieldFromIter:
        case IrOp::GetAwaitable: return true;   // part of a folded suspension or hand-made
        case IrOp::Await: {
            Expr* value = pop_raw();
            // an asynchronous comprehension is a coroutine that the compiler awaits itself (up to 3.11)
            const bool comprehension = value->kind == ExprKind::ListComp || value->kind == ExprKind::SetComp ||
                                       value->kind == ExprKind::DictComp;
            if (value->kind == ExprKind::WithEnter || value->kind == ExprKind::Opaque || comprehension)
                stack_.push_back(value);
            else
                push(make(ExprKind::Await, {as_value(value)}));
            return true;
        }
        case IrOp::YieldFrom: push(make(ExprKind::YieldFrom, {pop()})); return true;
        case IrOp::Yield: push(make(ExprKind::Yield, {pop()})); return true;
        case IrOp::AsyncGenWrap: return true;
        case IrOp::ForIter:
        case IrOp::AsyncForIter: {
            const bool two = inst.op == IrOp::ForIter && function_.features->iter_pushes_two;
            Expr* iterator = peek(two ? 2 : 1);
            block_->exit = inst.op == IrOp::ForIter ? Exit::For : Exit::AsyncFor;
            block_->value =
                iterator->kind == ExprKind::Iterator && !iterator->items.empty() ? iterator->items[0] : iterator;
            if (iterator->kind != ExprKind::Iterator) {
                stack_[stack_.size() - (two ? 2 : 1)] = make(ExprKind::Iterator, {iterator});
            }
            block_->target_out.assign(stack_.begin(), stack_.end() - (two ? 2 : 1));
            Expr* item = make(ExprKind::ForItem);
            push(item);
            block_->out = stack_;
            return true;
        }
        default: return false;
    }
}

bool StackMachine::control(const ir::Inst& inst) {
    const auto condition = static_cast<ir::Condition>(inst.count);
    switch (inst.op) {
        case IrOp::Jump: return true;
        case IrOp::BreakLoop:
            block_->exit = Exit::Break;
            block_->out = block_->target_out = stack_;
            if (stack_.size() > inst.count) block_->target_out.resize(inst.count);
            return true;
        case IrOp::ContinueLoop:
            if (stack_.size() > inst.count) stack_.resize(inst.count);
            block_->jumps_out = true;
            return true;
        case IrOp::Branch: {
            Expr* value = pop();
            if (function_.features->has_load_small_int && value->kind == ExprKind::Constant)
                value = computed_late(tree_, value);
            block_->exit = Exit::Branch;
            if (condition == ir::Condition::None || condition == ir::Condition::NotNone) {
                Constant none;
                Expr* compare = make(ExprKind::Compare, {value, tree_.constant(none)});
                compare->location = value->location;
                compare->flag = true;   // the jump says nothing about how it was spelt
                compare->compare_ops = {condition == ir::Condition::NotNone ? ast::CompareOperator::Is
                                                                            : ast::CompareOperator::IsNot};
                value = compare;
            }
            block_->value = value;
            block_->falls_true = condition != ir::Condition::True;
            if (!block_->falls_true) std::swap(block_->next, block_->target);
            block_->out = block_->target_out = stack_;
            return true;
        }
        case IrOp::KeepBranch: {
            Expr* value = pop();
            if (function_.features->has_load_small_int && value->kind == ExprKind::Constant)
                value = computed_late(tree_, value);
            block_->exit = Exit::Keep;
            block_->value = value;
            block_->kept_when = condition == ir::Condition::True;
            block_->falls_true = !block_->kept_when;
            block_->out = block_->target_out = stack_;
            if (block_->kept_when) {
                std::swap(block_->next, block_->target);   // next: true edge
                block_->out.push_back(value);
            } else {
                block_->target_out.push_back(value);
            }
            return true;
        }
        case IrOp::MatchCase: match_case(inst); return true;
        case IrOp::Return:
            block_->value = pop();
            if (context_.refuse_hand_made && pending() > 0) throw HandMade();
            block_->exit = Exit::Return;
            return true;
        case IrOp::Raise: {
            std::vector<Expr*> parts = pop_values(inst.count);
            emit(StmtKind::Raise, parts);
            block_->exit = Exit::End;
            return true;
        }
        case IrOp::SetupLoop:
            block_->exit = Exit::Loop;
            block_->out = block_->target_out = stack_;
            return true;
        case IrOp::EndBody: block_->exit = Exit::End; return true;
        case IrOp::Reraise:
            block_->exit = Exit::Reraise;
            block_->out = stack_;
            if (inst.next >= 0)
                block_->out.resize(stack_.size() -
                                   std::min<std::size_t>(stack_.size(), function_.features->exc_info_items));
            return true;
        default: return false;
    }
}

bool StackMachine::exceptions(const ir::Inst& inst) {
    auto exit_function = [&](Expr* context, bool async) {
        Expr* exit = make(ExprKind::WithExit, {context});
        exit->flag = async;
        for (std::uint32_t i = 0; i < inst.count; ++i) push(exit);
        Expr* enter = make(ExprKind::WithEnter, {context});
        enter->flag = async;
        push(enter);
    };
    const bool three = function_.features->exc_info_items > 1;
    switch (inst.op) {
        case IrOp::SetupWith: exit_function(pop(), false); return true;
        case IrOp::BeforeAsyncWith: exit_function(pop(), true); return true;
        case IrOp::SetupFinally:
            block_->exit = Exit::Setup;
            block_->handler_id = static_cast<std::int32_t>(inst.count);
            block_->out = stack_;
            block_->target_out = stack_;
            return true;
        case IrOp::PushException: {
            Expr* exception = pop_raw();
            push(make(ExprKind::Exception));
            stack_.push_back(exception);
            return true;
        }
        case IrOp::PopExcept:
            for (int i = 0; i < (three ? 3 : 1); ++i) pop_raw();
            return true;
        case IrOp::PopFinally: {
            Expr* returned = inst.count ? pop_raw() : nullptr;   // preserve_tos
            for (int i = 0; i < function_.features->exc_info_items; ++i) pop_raw();
            if (returned) stack_.push_back(returned);
            return true;
        }
        case IrOp::ExceptionMatch:
        case IrOp::CheckExceptionMatch: {
            Expr* type = pop();
            if (inst.op == IrOp::ExceptionMatch) pop_raw();
            push(make(ExprKind::ExceptionMatch, {type}));
            return true;
        }
        case IrOp::CheckGroupMatch: {
            Expr* type = pop();
            pop_raw();
            push(make(ExprKind::Exception));            // what is left of the group
            push(make(ExprKind::Exception, {type}));    // what matches
            return true;
        }
        case IrOp::GroupMatched: {
            Expr* e = make(ExprKind::ExceptionMatch, peek(1)->items);
            e->flag = true;
            push(e);
            return true;
        }
        case IrOp::PrepReraiseStar:
            pop_raw();
            pop_raw();
            push(make(ExprKind::Exception));
            return true;
        case IrOp::WithExceptStart: {
            Expr* e = make(ExprKind::Opaque);
            e->name = "with exit";
            push(e);
            return true;
        }
        case IrOp::CallFinally: block_->jumps_out = true; return true;
        case IrOp::WithCleanupStart: {
            Expr* e = make(ExprKind::Opaque);   // what the exit function returns, awaited where it is asynchronous
            e->name = "with exit";
            push(e);
            return true;
        }
        case IrOp::WithCleanupFinish: {
            pop_raw();
            const auto exit = std::find_if(stack_.rbegin(), stack_.rend(),
                                           [](const Expr* e) { return e->kind == ExprKind::WithExit; });
            if (exit != stack_.rend()) stack_.erase(std::next(exit).base());
            return true;
        }
        case IrOp::EndFinally:   // of a with statement: the exception was swallowed, or there was none
            for (int i = 0; i < function_.features->exc_info_items; ++i) pop_raw();
            return true;
        default: return false;
    }
}

}  // namespace depyf
