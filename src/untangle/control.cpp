// Jumps, loops, returns and exceptions.
#include "base/error.h"
#include "untangle/simulator.h"

namespace depyf::untangling {

using ir::Inst;
using ir::Op;

namespace {

// `x is None` and a jump are the jump that newer versions have for it: it leaves open which way the test was written.
void test_for_none(Code& code) {
    const std::size_t size = code.size();
    Inst& branch = code.back();
    if (size < 4 || code[size - 2].op != Op::Compare || code[size - 3].op != Op::Const) return;
    const auto compare = static_cast<ast::CompareOperator>(code[size - 2].count);
    const bool is = compare == ast::CompareOperator::Is;
    if ((!is && compare != ast::CompareOperator::IsNot) || code[size - 3].value->kind != Constant::Kind::None) return;
    const bool on_true = branch.count == static_cast<std::uint32_t>(ir::Condition::True);
    if (!on_true && branch.count != static_cast<std::uint32_t>(ir::Condition::False)) return;
    branch.count = static_cast<std::uint32_t>(is == on_true ? ir::Condition::None : ir::Condition::NotNone);
    code.erase(code.end() - 3, code.end() - 1);
}

}  // namespace

bool Simulator::control(const Inst& inst) {
    switch (inst.op) {
        case Op::Jump: return true;
        case Op::Branch: {
            Entry test = pop();
            if (test.kind == Entry::Kind::Virtual) test = realised(test, inst);
            flush();
            block_->last = block_->code.size();
            Code code;
            add_operand(code, test, inst);
            code.push_back(inst);
            test_for_none(code);
            block_->code.insert(block_->code.end(), code.begin(), code.end());
            block_->out = block_->target_out = state_;
            return true;
        }
        case Op::KeepBranch: {
            flush();
            Entry test = pop();
            if (test.kind == Entry::Kind::Virtual) test = realised(test, inst);
            block_->last = block_->code.size();
            Code code;
            Entry again = test;
            add_operand(code, again, inst);
            code.push_back(inst);
            code.back().op = Op::Branch;
            block_->code.insert(block_->code.end(), code.begin(), code.end());
            block_->out = state_;
            push(test);
            block_->target_out = state_;
            return true;
        }
        case Op::ForIter: {
            if (function_.features->iter_pushes_two) throw Error(inst.offset, "a loop of 3.15");
            flush();
            Entry iterator = pop();
            if (iterator.kind != Entry::Kind::Real)
                throw Error(inst.offset, "a loop over something that is no iterator yet");
            block_->last = block_->code.size();
            block_->code.push_back(inst);
            block_->target_out = state_;
            push_real(2);
            block_->out = state_;
            return true;
        }
        case Op::Return:
        case Op::Raise: statement(inst, inst.op == Op::Return ? 1 : inst.count); return true;
        case Op::Reraise:
            flush();
            block_->code.push_back(inst);
            block_->out = state_;
            return true;
        case Op::SetupFinally:
            settle_here();
            flush();
            block_->last = block_->code.size();
            block_->code.push_back(inst);
            block_->out = block_->target_out = state_;
            return true;
        default: return false;
    }
}

void Simulator::settle_here() {
    State state = std::move(state_);
    settle(state, block_->code);
    state_ = std::move(state);
}

bool Simulator::exceptions(const Inst& inst) {
    switch (inst.op) {
        case Op::SetupWith:
        case Op::BeforeAsyncWith:
            statement(inst, 1);
            push_real(inst.count + 1);
            return true;
        case Op::PushException:
        case Op::WithExceptStart:
            flush();
            block_->code.push_back(inst);
            push_real(1);
            return true;
        case Op::PopExcept:
            flush();
            block_->code.push_back(inst);
            pop_many(function_.features->exc_info_items > 1 ? 3 : 1);
            return true;
        default: return false;
    }
}

}  // namespace depyf::untangling
