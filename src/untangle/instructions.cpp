// Loads, moves on the stack, expressions and statements.
#include <algorithm>

#include "base/error.h"
#include "lift/lift.h"
#include "untangle/simulator.h"

namespace depyf::untangling {

using ir::Inst;
using ir::Op;

bool Simulator::loads(const Inst& inst) {
    Entry entry;
    entry.code = {inst};
    entry.code[0].flag = inst.op == Op::LoadFast ? false : inst.flag;
    switch (inst.op) {
        case Op::LoadFast: {
            const auto alias = state_.variables.find(*inst.name);
            push(alias == state_.variables.end() ? entry : alias->second);
            return true;
        }
        case Op::Const:
        case Op::CommonConst:
        case Op::PushNull:
        case Op::LoadClosure:
        case Op::LoadAssertionError:
            if (inst.op == Op::PushNull) entry.code[0].flag = true;   // LOAD_GLOBAL may push it on the way
            push(entry);
            return true;
        case Op::LoadGlobal:
            if (!readable_ || stored_globals_.count(*inst.name)) entry.kind = Entry::Kind::Pending;
            push(entry);
            return true;
        case Op::LoadName:
        case Op::LoadDeref: push_pending(entry.code); return true;
        case Op::LoadMethod: {
            Inst attribute = inst;
            attribute.op = Op::LoadAttr;
            expression(attribute, 1);
            Entry null;
            null.code = {inst};
            null.code[0].op = Op::PushNull;
            null.code[0].name = nullptr;
            null.code[0].flag = true;
            state_.stack.insert(state_.stack.end() - 1, null);
            return true;
        }
        default: return false;
    }
}

bool Simulator::moves(const Inst& inst) {
    switch (inst.op) {
        case Op::Nop:
        case Op::PopBlock: return true;
        case Op::Copy: {
            const std::size_t position = state_.stack.size() - inst.count;
            peek(inst.count);
            materialise(position);
            Entry entry = state_.stack[position];
            if (entry.kind == Entry::Kind::Real) throw Error(inst.offset, "something that cannot be stored is copied");
            read_where_used(entry);
            push(entry);
            return true;
        }
        case Op::Swap:
        case Op::Rotate: {
            peek(inst.count);
            const auto from = state_.stack.end() - static_cast<std::ptrdiff_t>(inst.count);
            const auto pending =
                std::count_if(from, state_.stack.end(), [](const Entry& e) { return e.kind == Entry::Kind::Pending; });
            const bool moves_pending = peek(1).kind == Entry::Kind::Pending || from->kind == Entry::Kind::Pending;
            if (pending > 1 && moves_pending) flush();
            const auto first = state_.stack.end() - static_cast<std::ptrdiff_t>(inst.count);
            if (inst.op == Op::Swap)
                std::swap(state_.stack.back(), *first);
            else
                std::rotate(first, state_.stack.end() - 1, state_.stack.end());
            return true;
        }
        case Op::Pop:
        case Op::PopIter:
        case Op::EndFor: {
            if (inst.op == Op::EndFor) return true;
            Entry entry = pop();
            if (entry.kind == Entry::Kind::Free || entry.kind == Entry::Kind::Virtual) return true;
            flush();
            if (entry.kind == Entry::Kind::Pending) {
                Code code;
                add_operand(code, entry, inst);
                block_->code.insert(block_->code.end(), code.begin(), code.end());
            }
            block_->code.push_back(inst);
            return true;
        }
        default: return false;
    }
}

bool Simulator::expressions(const Inst& inst) {
    switch (inst.op) {
        case Op::Inplace: inplace(inst); return true;
        case Op::LoadAttr:
        case Op::LoadSuperAttr:
        case Op::LoadSubscr:
        case Op::LoadSlice:
        case Op::Unary:
        case Op::Binary:
        case Op::Compare:
        case Op::ToBool:
        case Op::BuildTuple:
        case Op::BuildList:
        case Op::BuildSet:
        case Op::BuildMap:
        case Op::BuildConstKeyMap:
        case Op::BuildString:
        case Op::BuildSlice:
        case Op::ListToTuple:
        case Op::FormatValue:
        case Op::ConvertValue:
        case Op::FormatSimple:
        case Op::FormatWithSpec:
        case Op::Call:
        case Op::CallKeywords:
        case Op::CallEx:
        case Op::MakeFunction:
        case Op::SetFunctionAttribute:
        case Op::BuildClass:
        case Op::ImportName:
        case Op::GetIter:
        case Op::Yield:
        case Op::YieldFrom:
        case Op::Await:
        case Op::GetAwaitable:
        case Op::GetYieldFromIter:
        case Op::AsyncGenWrap:
        case Op::CheckExceptionMatch:
        case Op::Intrinsic1:
        case Op::Intrinsic2: {
            expression(inst, static_cast<std::size_t>(1 - lifting::stack_effect(function_, inst, false)));
            return true;
        }
        default: return false;
    }
}

// `x += value` stays as it is; any other target gets a variable that is changed in place.
void Simulator::inplace(const Inst& inst) {
    std::vector<Entry> entries = pop_many(2);
    const std::size_t after = position_ + 1;
    const Inst* next =
        after < block_->insts.size() ? &function_.insts[static_cast<std::size_t>(block_->insts[after])] : nullptr;
    const Code& left = entries[0].code;
    const bool same = entries[0].kind != Entry::Kind::Virtual && left.size() == 1 && next && next->name &&
                      left[0].name &&
                      ((left[0].op == Op::LoadFast && next->op == Op::StoreFast) ||
                       (left[0].op == Op::LoadGlobal && next->op == Op::StoreGlobal) ||
                       (left[0].op == Op::LoadDeref && next->op == Op::StoreDeref) ||
                       (left[0].op == Op::LoadName && next->op == Op::StoreName)) &&
                      *left[0].name == *next->name;
    if (same) {
        Code code = operands(std::move(entries), inst);
        code.push_back(inst);
        push_pending(std::move(code));
        return;
    }
    flush();
    Entry target = fresh_temporary(inst);
    pinned_.insert(*target.code[0].name);
    Entry value = entries[0];
    value.code.clear();
    add_operand(value.code, entries[0], inst);
    assign(block_->code, value, target);
    Entry right = entries[1];
    Code code;
    Entry load = target;
    add_operand(code, load, inst);
    add_operand(code, right, inst);
    code.push_back(inst);
    Entry result;
    result.code = std::move(code);
    block_->code.insert(block_->code.end(), result.code.begin(), result.code.end());
    Inst store = target.code[0];
    store.op = Op::StoreFast;
    store.flag = false;
    block_->code.push_back(store);
    push(target);
}

bool Simulator::statements(const Inst& inst) {
    switch (inst.op) {
        case Op::StoreFast:
        case Op::DeleteFast:
            if (readable_ && is_temporary(*inst.name)) {
                if (inst.op == Op::DeleteFast) {
                    state_.variables.erase(*inst.name);
                    return true;
                }
                if (peek(1).kind == Entry::Kind::Free || peek(1).kind == Entry::Kind::Virtual) {
                    Entry value = pop();
                    release(*inst.name);
                    state_.variables[*inst.name] = value;
                    return true;
                }
                state_.variables.erase(*inst.name);
            }
            statement(inst, inst.op == Op::StoreFast ? 1 : 0);
            return true;
        case Op::StoreName:
        case Op::StoreGlobal:
        case Op::StoreDeref:
        case Op::DeleteName:
        case Op::DeleteGlobal:
        case Op::DeleteDeref:
        case Op::StoreAttr:
        case Op::DeleteAttr:
        case Op::StoreSubscr:
        case Op::DeleteSubscr:
        case Op::StoreSlice:
        case Op::PrintExpr:
        case Op::ImportStar:
        case Op::SetupAnnotations:
            statement(inst, static_cast<std::size_t>(-lifting::stack_effect(function_, inst, false)));
            return true;
        case Op::ImportFrom:
            if (peek(1).kind != Entry::Kind::Real) {
                Entry module = pop();
                flush();
                block_->code.insert(block_->code.end(), module.code.begin(), module.code.end());
                push_real(1);
            }
            block_->code.push_back(inst);
            push_real(1);
            return true;
        default: return false;
    }
}

// Adding to a display right below is part of the display; adding to anything else is a call of its method.

}  // namespace depyf::untangling
