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

}  // namespace

void read_where_used(Entry& entry) {
    if (entry.kind != Entry::Kind::Free) return;
    for (Inst& load : entry.code) load.flag = load.flag || is_load(load.op);
}

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

}  // namespace depyf::untangling
