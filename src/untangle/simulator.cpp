#include "untangle/simulator.h"

#include <algorithm>

#include "base/error.h"
#include "lift/lift.h"

namespace depyf::untangling {

using ir::Inst;
using ir::Op;

namespace {

// One underscore: two would be mangled inside a class.
const char* const kTemporary = "_stack_";

bool stores_local(Op op) {
    return op == Op::StoreFast || op == Op::DeleteFast;
}

bool is_load(Op op) {
    switch (op) {
        case Op::LoadFast:
        case Op::Const:
        case Op::PushNull:
        case Op::LoadGlobal:
        case Op::LoadAttr:
        case Op::LoadSubscr: return true;
        default: return false;
    }
}

// The loads become part of whatever instruction takes the value.
void read_where_used(Entry& entry) {
    if (entry.kind != Entry::Kind::Free) return;
    for (Inst& load : entry.code) load.flag = load.flag || is_load(load.op);
}

}  // namespace

Simulator::Simulator(ir::Function& function, bool readable) : function_(function), readable_(readable) {
    if (!function.own_names) function.own_names = std::make_shared<std::deque<std::string>>();
    for (const std::vector<std::string>* names : {&function.code->names, &function.code->localsplus})
        taken_.insert(names->begin(), names->end());
    for (const Inst& inst : function.insts) {
        if (inst.op == Op::StoreGlobal || inst.op == Op::DeleteGlobal) stored_globals_.insert(*inst.name);
    }
}

void Simulator::run(Block& block, State state) {
    block_ = &block;
    state_ = std::move(state);
    for (Entry& entry : state_.stack) read_where_used(entry);
    for (auto& [name, entry] : state_.variables) read_where_used(entry);
    for (VirtualList& list : state_.lists) {
        for (Entry& item : list.items) read_where_used(item);
    }
    for (position_ = 0; position_ < block.insts.size(); ++position_)
        step(function_.insts[static_cast<std::size_t>(block.insts[position_])]);
    const Inst& last = function_.insts[static_cast<std::size_t>(block.insts.back())];
    const bool jumps = last.op == Op::Branch || last.op == Op::KeepBranch || last.op == Op::ForIter ||
                       last.op == Op::SetupFinally || last.op == Op::AsyncForIter;
    if (jumps) return;   // out and target_out are set
    if (last.op != Op::Return && last.op != Op::Raise && last.op != Op::Reraise && block.next >= 0) {
        const bool loop = function_.insts[static_cast<std::size_t>(block.insts.back())].op == Op::GetIter;
        flush(loop ? 1 : 0);
        if (loop) {   // the iterator stays on the stack
            Entry iterator = pop();
            block.code.insert(block.code.end(), iterator.code.begin(), iterator.code.end());
            push_real(1);
        }
        block.last = block.code.size();
    }
    block.out = state_;
}

void Simulator::step(const Inst& inst) {
    if (drop_profiling(inst)) return;
    if (loads(inst) || moves(inst) || lists(inst) || containers(inst) || unpacking(inst) || expressions(inst) ||
        statements(inst) || control(inst) || exceptions(inst)) {
        return;
    }
    throw Error(inst.offset, std::string("not expected in code without a compiler: ") + ir::op_name(inst.op));
}

// ---- the stack

Entry& Simulator::peek(std::size_t depth) {
    if (depth == 0 || depth > state_.stack.size()) throw Error(-1, "the stack is empty");
    return state_.stack[state_.stack.size() - depth];
}

Entry Simulator::pop() {
    Entry entry = peek(1);
    state_.stack.pop_back();
    return entry;
}

std::vector<Entry> Simulator::pop_many(std::size_t count) {
    if (count > state_.stack.size()) throw Error(-1, "the stack is empty");
    const auto from = state_.stack.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<Entry> entries(from, state_.stack.end());
    state_.stack.erase(from, state_.stack.end());
    return entries;
}

void Simulator::push(Entry entry) {
    state_.stack.push_back(std::move(entry));
}

void Simulator::push_real(std::size_t count) {
    Entry entry;
    entry.kind = Entry::Kind::Real;
    for (; count > 0; --count) push(entry);
}

void Simulator::push_pending(Code code) {
    Entry entry;
    entry.kind = Entry::Kind::Pending;
    entry.code = std::move(code);
    push(std::move(entry));
}

Entry Simulator::fresh_temporary(const Inst& at) {
    std::string name;
    do name = kTemporary + std::to_string(next_name_++);
    while (taken_.count(name));
    Inst load;
    load.op = Op::LoadFast;
    load.offset = at.offset;
    load.location = at.location;
    load.handler = at.handler;
    load.name = &function_.own_names->emplace_back(name);
    load.flag = true;
    Entry entry;
    entry.code = {load};
    return entry;
}

void Simulator::assign(Code& out, const Entry& value, const Entry& temporary) const {
    if (value.code.size() == 1 && value.code[0].op == Op::LoadFast && *value.code[0].name == *temporary.code[0].name)
        return;
    out.insert(out.end(), value.code.begin(), value.code.end());
    Inst store = temporary.code[0];
    store.op = Op::StoreFast;
    store.flag = false;
    if (!value.code.empty()) {
        store.offset = value.code.back().offset;
        store.location = value.code.back().location;
        store.handler = value.code.back().handler;
    }
    out.push_back(store);
}

void Simulator::materialise(std::size_t position) {
    for (std::size_t i = 0; i <= position && i < state_.stack.size(); ++i) {
        if (state_.stack[i].kind != Entry::Kind::Pending) continue;
        const Inst last = state_.stack[i].code.back();
        Code code;
        add_operand(code, state_.stack[i], last);
        Entry value;
        value.code = std::move(code);
        const Entry temporary = fresh_temporary(last);
        assign(block_->code, value, temporary);
        state_.stack[i] = temporary;
    }
}

void Simulator::flush(std::size_t keep) {
    if (state_.stack.size() > keep) materialise(state_.stack.size() - keep - 1);
}

void Simulator::release_in(Entry& entry, const std::string& local) {
    if (entry.kind != Entry::Kind::Free) return;
    for (const Inst& inst : entry.code) {
        if (inst.op != Op::LoadFast || *inst.name != local) continue;
        const Entry temporary = fresh_temporary(inst);
        assign(block_->code, entry, temporary);
        entry = temporary;
        return;
    }
}

void Simulator::release(const std::string& local) {
    for (Entry& entry : state_.stack) release_in(entry, local);
    for (VirtualList& list : state_.lists) {
        for (Entry& item : list.items) release_in(item, local);
    }
    for (auto& [name, entry] : state_.variables) release_in(entry, local);
}

void Simulator::add_operand(Code& code, Entry& entry, const Inst& consumer) {
    if (entry.kind == Entry::Kind::Virtual) entry = realised(entry, consumer);
    const std::size_t begin = code.size();
    code.insert(code.end(), entry.code.begin(), entry.code.end());
    for (std::size_t i = begin; i < code.size(); ++i) {
        if (code[i].flag && is_load(code[i].op)) {   // it is read where it is used
            code[i].offset = consumer.offset;
            code[i].location = consumer.location;
            code[i].flag = false;
        }
        code[i].handler = consumer.handler;
    }
    const bool sliced = consumer.op == Op::LoadSubscr || consumer.op == Op::StoreSubscr ||
                        consumer.op == Op::DeleteSubscr || consumer.op == Op::BuildTuple;
    if (!code.empty() && code.size() > begin && code.back().op == Op::BuildSlice && !sliced) {
        static const std::string kSlice = "slice";
        Inst load = code.back();
        Inst call = code.back();
        load.op = Op::LoadGlobal;
        load.name = &kSlice;
        call.op = Op::Call;
        call.flag = false;
        code.back() = call;
        code.insert(code.begin() + static_cast<std::ptrdiff_t>(begin), load);
    }
}

// The code that puts `entries` on the stack; those that lie there already must be the lowest.
Code Simulator::operands(std::vector<Entry> entries, const Inst& consumer, bool* real) {
    Code code;
    for (Entry& entry : entries) {
        if (entry.kind == Entry::Kind::Real) {
            if (!code.empty() || !real)
                throw Error(consumer.offset, "something that cannot be stored lies between values");
            *real = true;
            continue;
        }
        add_operand(code, entry, consumer);
    }
    return code;
}

// A display of constants alone would be compiled into something else; one of them goes into a variable.
void Simulator::keep_display(std::vector<Entry>& entries, const Inst& inst) {
    const bool map = inst.op == Op::BuildMap;
    if (readable_ || entries.empty() || (!map && inst.op != Op::BuildList && inst.op != Op::BuildSet)) return;
    if (map ? inst.count < 2 : inst.count < 3) return;
    const auto folds = [](const Entry& entry) {
        return !entry.code.empty() && std::all_of(entry.code.begin(), entry.code.end(), [](const Inst& i) {
            return i.op == Op::Const || i.op == Op::BuildTuple;
        });
    };
    for (std::size_t i = 0; i < entries.size(); i += map ? 2 : 1) {
        if (!folds(entries[i])) return;
    }
    const Entry temporary = fresh_temporary(entries[0].code[0]);
    pinned_.insert(*temporary.code[0].name);
    assign(block_->code, entries[0], temporary);
    entries[0] = temporary;
}

// f(*args, **{...}): a dict that is handed over as it is has no spelling of its own, unless a variable holds it.
void Simulator::keep_keywords(const Inst& inst) {
    if (readable_ || inst.op != Op::CallEx || !(inst.count & 1)) return;
    const Entry& keywords = peek(1);
    const Entry& args = peek(2);
    if (keywords.kind != Entry::Kind::Pending || args.code.empty()) return;
    const Inst& made = keywords.code.back();
    if (made.op != Op::BuildMap && made.op != Op::BuildConstKeyMap) return;
    const Op positional = args.code.back().op;
    if (made.count > 0 && positional != Op::Const && positional != Op::BuildTuple) return;
    materialise(state_.stack.size() - 1);
    pinned_.insert(*peek(1).code[0].name);
}

void Simulator::expression(const Inst& inst, std::size_t pops) {
    keep_keywords(inst);
    std::vector<Entry> entries = pop_many(pops);
    if (inst.op == Op::MakeFunction && (inst.count & 8)) {   // the cells that a function takes, not used otherwise
        Entry& closure = entries[entries.size() - (inst.flag ? 3 : 2)];
        for (Inst& load : closure.code) load.count = load.op == Op::LoadClosure ? 1 : load.count;
    }
    keep_display(entries, inst);
    bool real = false;
    const bool constant_slice =
        inst.op == Op::BuildSlice &&
        std::all_of(entries.begin(), entries.end(), [](const Entry& e) { return constant(e) != nullptr; });
    const bool any_real =
        std::any_of(entries.begin(), entries.end(), [](const Entry& e) { return e.kind == Entry::Kind::Real; });
    if (any_real) flush();
    Code code = operands(entries, inst, &real);
    code.push_back(inst);
    if (real) {   // part of a with statement or the like: what comes out stays on the stack
        block_->code.insert(block_->code.end(), code.begin(), code.end());
        push_real(1);
        return;
    }
    push_pending(std::move(code));
    if (constant_slice) peek(1).kind = Entry::Kind::Free;
}

void Simulator::statement(const Inst& inst, std::size_t pops) {
    std::vector<Entry> entries = pop_many(pops);
    for (Entry& entry : entries) {
        if (entry.kind == Entry::Kind::Virtual) entry = realised(entry, inst);
    }
    flush();
    if (stores_local(inst.op)) release(*inst.name);
    bool real = false;
    Code code = operands(std::move(entries), inst, &real);
    block_->code.insert(block_->code.end(), code.begin(), code.end());
    block_->code.push_back(inst);
}

// ---- instructions

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
