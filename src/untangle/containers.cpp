// Lists, sets and dicts that grow on the stack, and what is unpacked onto it.
#include "base/error.h"
#include "untangle/simulator.h"

namespace depyf::untangling {

using ir::Inst;
using ir::Op;

bool Simulator::containers(const Inst& inst) {
    switch (inst.op) {
        case Op::ListAppend:
        case Op::ListExtend:
        case Op::SetAdd:
        case Op::SetUpdate:
        case Op::DictUpdate:
        case Op::DictMerge: break;
        case Op::MapAdd: throw Error(inst.offset, "a key is added to a dict on the stack");
        default: return false;
    }
    const Entry& container = peek(inst.count + 1);
    if (inst.count == 1 && container.kind == Entry::Kind::Pending) {
        const Op last = container.code.back().op;
        const bool list = inst.op == Op::ListAppend || inst.op == Op::ListExtend;
        const bool set = inst.op == Op::SetAdd || inst.op == Op::SetUpdate;
        const bool display = list  ? last == Op::BuildList || last == Op::ListExtend || last == Op::ListAppend
                             : set ? last == Op::BuildSet || last == Op::SetUpdate || last == Op::SetAdd
                                   : last == Op::BuildMap || last == Op::BuildConstKeyMap || last == Op::DictUpdate ||
                                         last == Op::DictMerge;
        if (display) {
            std::vector<Entry> entries = pop_many(2);
            Code code = operands(std::move(entries), inst);
            code.push_back(inst);
            push_pending(std::move(code));
            return true;
        }
    }
    extend(inst);
    return true;
}

void Simulator::extend(const Inst& inst) {
    static const std::string kAppend = "append", kExtend = "extend", kAdd = "add", kUpdate = "update";
    Entry value = pop();
    flush();
    Entry container = peek(inst.count);
    if (container.kind == Entry::Kind::Virtual) {
        container = realised(container, inst);
        if (container.kind == Entry::Kind::Pending) {   // nothing else refers to it
            peek(inst.count) = container;
            flush();
            container = peek(inst.count);
        }
    }
    if (container.kind == Entry::Kind::Real) throw Error(inst.offset, "a list that cannot be stored grows");
    Code code;
    add_operand(code, container, inst);
    Inst attribute = inst;
    attribute.op = Op::LoadAttr;
    attribute.name = inst.op == Op::ListAppend   ? &kAppend
                     : inst.op == Op::ListExtend ? &kExtend
                     : inst.op == Op::SetAdd     ? &kAdd
                                                 : &kUpdate;
    code.push_back(attribute);
    add_operand(code, value, inst);
    Inst call = inst;
    call.op = Op::Call;
    call.count = 1;
    call.flag = false;
    call.value = nullptr;
    code.push_back(call);
    call.op = Op::Pop;
    code.push_back(call);
    block_->code.insert(block_->code.end(), code.begin(), code.end());
}

bool Simulator::unpacking(const Inst& inst) {
    if (inst.op != Op::UnpackSequence && inst.op != Op::UnpackEx) return false;
    const std::size_t count = inst.op == Op::UnpackEx ? (inst.count & 255) + 1 + (inst.count >> 8) : inst.count;
    Entry value = pop();
    if (value.kind == Entry::Kind::Virtual) value = realised(value, inst);
    flush();
    Code code;
    if (value.kind != Entry::Kind::Real) add_operand(code, value, inst);
    code.push_back(inst);
    block_->code.insert(block_->code.end(), code.begin(), code.end());
    bool stored = true;   // by the instructions that follow
    for (std::size_t i = 1; i <= count && stored; ++i) {
        const std::size_t at = position_ + i;
        const Op op =
            at < block_->insts.size() ? function_.insts[static_cast<std::size_t>(block_->insts[at])].op : Op::Nop;
        stored = op == Op::StoreFast || op == Op::StoreGlobal || op == Op::StoreDeref || op == Op::StoreName;
    }
    if (stored) {
        push_real(count);
        return true;
    }
    std::vector<Entry> items;
    for (std::size_t i = 0; i < count; ++i) {
        Entry temporary = fresh_temporary(inst);
        pinned_.insert(*temporary.code[0].name);
        Inst store = temporary.code[0];
        store.op = Op::StoreFast;
        store.flag = false;
        block_->code.push_back(store);
        items.push_back(temporary);
    }
    for (std::size_t i = count; i-- > 0;) push(items[i]);
    return true;
}

}  // namespace depyf::untangling
