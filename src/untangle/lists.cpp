// Readable form: lists and tuples that are built, cut, filled and taken apart without ever leaving the frame.
#include <algorithm>

#include "base/error.h"
#include "untangle/simulator.h"

namespace depyf::untangling {

using ir::Inst;
using ir::Op;

namespace {

bool is_integer(const Constant* c, long& value) {
    if (!c || c->kind != Constant::Kind::Int || c->text.size() > 9) return false;
    value = std::stol(c->text);
    return true;
}

bool is_index(const Constant* c, std::size_t size, std::size_t& index) {
    long value = 0;
    if (!is_integer(c, value)) return false;
    if (value < 0) value += static_cast<long>(size);
    if (value < 0 || value >= static_cast<long>(size)) return false;
    index = static_cast<std::size_t>(value);
    return true;
}

// Where a slice's bound lies in a list of `size` items; `otherwise` where it is None.
bool bound(const Constant* c, std::size_t size, std::size_t otherwise, std::size_t& result) {
    long value = 0;
    if (c && c->kind == Constant::Kind::None) {
        result = otherwise;
        return true;
    }
    if (!is_integer(c, value)) return false;
    const long length = static_cast<long>(size);
    if (value < 0) value += length;
    result = static_cast<std::size_t>(std::clamp(value, 0L, length));
    return true;
}

bool starts_with(const std::string& text, const char* head) {
    return text.rfind(head, 0) == 0;
}

}  // namespace

const Constant* Simulator::constant(const Entry& entry) {
    const bool one = entry.kind == Entry::Kind::Free && entry.code.size() == 1 && entry.code[0].op == Op::Const;
    return one ? entry.code[0].value : nullptr;
}

bool Simulator::resolve_slice(const Entry& key, std::size_t size, std::size_t& first, std::size_t& last) const {
    if (key.kind != Entry::Kind::Free || key.code.size() != 3 || key.code.back().op != Op::BuildSlice) return false;
    if (!bound(key.code[0].value, size, 0, first) || !bound(key.code[1].value, size, size, last)) return false;
    last = std::max(first, last);
    return true;
}

// Names that torch.compile gives to what it only carries along.
bool Simulator::is_temporary(const std::string& name) const {
    const auto& args = function_.code->varnames;
    const std::size_t count = function_.code->argcount + function_.code->kwonlyargcount;
    if (std::find(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(count, args.size())),
                  name) != args.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(count, args.size()))) {
        return false;
    }
    return starts_with(name, "tmp_") || starts_with(name, "graph_out_");
}

std::size_t Simulator::references(std::int32_t list) const {
    std::size_t count = 0;
    auto look = [&](const Entry& entry) { count += entry.kind == Entry::Kind::Virtual && entry.list == list; };
    for (const Entry& entry : state_.stack) look(entry);
    for (const auto& [name, entry] : state_.variables) look(entry);
    // a list in a list that nothing refers to any more does not count
    for (std::size_t i = 0; i < state_.lists.size(); ++i) {
        if (static_cast<std::int32_t>(i) == list) continue;
        for (const Entry& item : state_.lists[i].items) {
            if (item.kind == Entry::Kind::Virtual && item.list == list && references(static_cast<std::int32_t>(i)) > 0)
                ++count;
        }
    }
    return count;
}

void Simulator::replace(std::int32_t list, const Entry& with) {
    auto change = [&](Entry& entry) {
        if (entry.kind == Entry::Kind::Virtual && entry.list == list) entry = with;
    };
    for (Entry& entry : state_.stack) change(entry);
    for (auto& [name, entry] : state_.variables) change(entry);
    for (VirtualList& other : state_.lists) {
        for (Entry& item : other.items) change(item);
    }
}

// The list is built: in place where nothing else refers to it, else in a variable.
Entry Simulator::realised(Entry entry, const Inst& at) {
    const VirtualList list = state_.lists[static_cast<std::size_t>(entry.list)];
    Inst build = at;
    build.op = list.tuple ? Op::BuildTuple : Op::BuildList;
    build.count = static_cast<std::uint32_t>(list.items.size());
    build.name = nullptr;
    build.value = nullptr;
    build.target = -1;
    build.flag = false;
    Entry result;
    result.kind = Entry::Kind::Pending;
    for (Entry item : list.items) add_operand(result.code, item, build);
    result.code.push_back(build);
    if (list.tuple || references(entry.list) == 0) return result;
    const Entry temporary = fresh_temporary(build);
    assign(block_->code, result, temporary);
    replace(entry.list, temporary);
    return temporary;
}

// Aliases and lists become variables: what follows is reached from elsewhere too.
void Simulator::settle(State& state, Code& out) {
    Inst at;
    if (block_ && !block_->insts.empty()) at = function_.insts[static_cast<std::size_t>(block_->insts.back())];
    at.flag = false;
    Block scratch;
    Block* const block = block_;
    State saved = std::move(state_);
    state_ = std::move(state);
    block_ = &scratch;
    std::vector<std::string> names;
    for (const auto& [name, entry] : state_.variables) {
        names.push_back(name);
        push(entry);
    }
    state_.variables.clear();
    for (std::size_t i = 0; i < state_.stack.size(); ++i) {
        if (state_.stack[i].kind != Entry::Kind::Virtual) continue;
        const std::int32_t list = state_.stack[i].list;
        const Entry value = realised(state_.stack[i], at);
        if (value.kind != Entry::Kind::Pending) continue;   // it is in a variable already
        const Entry temporary = fresh_temporary(at);
        assign(scratch.code, value, temporary);
        replace(list, temporary);
    }
    for (std::size_t i = names.size(); i-- > 0;) {
        const Entry value = pop();
        Entry variable;
        variable.code = {at};
        variable.code[0].op = Op::LoadFast;
        variable.code[0].name = &function_.own_names->emplace_back(names[i]);
        assign(scratch.code, value, variable);
    }
    out.insert(out.end(), scratch.code.begin(), scratch.code.end());
    block_ = block;
    state = std::move(state_);
    state_ = std::move(saved);
}

void Simulator::make_list(const Inst& inst, bool tuple) {
    if (inst.count > 0) flush();
    VirtualList list;
    list.items = pop_many(inst.count);
    list.tuple = tuple;
    for (const Entry& item : list.items) {
        if (item.kind == Entry::Kind::Real)
            throw Error(inst.offset, "something that cannot be stored goes into a list");
    }
    Entry entry;
    entry.kind = Entry::Kind::Virtual;
    entry.list = static_cast<std::int32_t>(state_.lists.size());
    state_.lists.push_back(std::move(list));
    push(entry);
}

bool Simulator::lists(const Inst& inst) {
    if (!readable_) return false;
    switch (inst.op) {
        case Op::BuildList: make_list(inst, false); return true;
        case Op::BuildTuple:
            for (std::size_t i = 1; i <= inst.count; ++i) {
                const Entry& item = peek(i);
                if (!item.code.empty() &&
                    (item.code.back().op == Op::BuildSlice || item.code.back().op == Op::LoadClosure))
                    return false;
            }
            make_list(inst, true);
            return true;
        case Op::LoadSubscr: return subscript(inst);
        case Op::StoreSubscr:
        case Op::DeleteSubscr: return store_subscript(inst);
        case Op::ListToTuple: {
            if (peek(1).kind != Entry::Kind::Virtual) return false;
            VirtualList copy = state_.lists[static_cast<std::size_t>(pop().list)];
            copy.tuple = true;
            Entry entry;
            entry.kind = Entry::Kind::Virtual;
            entry.list = static_cast<std::int32_t>(state_.lists.size());
            state_.lists.push_back(std::move(copy));
            push(entry);
            return true;
        }
        case Op::ListExtend:
        case Op::ListAppend: {
            const Entry& container = peek(inst.count + 1);
            if (container.kind != Entry::Kind::Virtual || state_.lists[static_cast<std::size_t>(container.list)].tuple)
                return false;
            const std::int32_t list = container.list;
            Entry& value = peek(1);
            if (inst.op == Op::ListExtend && value.kind != Entry::Kind::Virtual) {
                // [a, *b]
                if (inst.count == 1 && references(list) == 1) {
                    Entry item = pop();
                    Entry display = realised(pop(), inst);
                    push(display);
                    push(item);
                }
                return false;
            }
            if (inst.op == Op::ListAppend) {
                flush();
                Entry item = pop();
                refuse_cycle(item, list, inst);
                state_.lists[static_cast<std::size_t>(list)].items.push_back(item);
                return true;
            }
            const std::vector<Entry> more = state_.lists[static_cast<std::size_t>(pop().list)].items;
            for (const Entry& item : more) refuse_cycle(item, list, inst);
            auto& items = state_.lists[static_cast<std::size_t>(list)].items;
            items.insert(items.end(), more.begin(), more.end());
            return true;
        }
        case Op::CallEx: return spread_call(inst);
        case Op::UnpackSequence: {
            if (peek(1).kind != Entry::Kind::Virtual) return false;
            if (state_.lists[static_cast<std::size_t>(peek(1).list)].items.size() != inst.count) return false;
            const std::vector<Entry> items = state_.lists[static_cast<std::size_t>(pop().list)].items;
            for (std::size_t i = items.size(); i-- > 0;) push(items[i]);
            return true;
        }
        default: return false;
    }
}

// A list cannot be written down that is, somewhere inside, an item of itself.
void Simulator::refuse_cycle(const Entry& item, std::int32_t list, const Inst& at) const {
    std::vector<Entry> todo{item};
    while (!todo.empty()) {
        const Entry entry = todo.back();
        todo.pop_back();
        if (entry.kind != Entry::Kind::Virtual) continue;
        if (entry.list == list) throw Error(at.offset, "a list contains itself");
        const std::vector<Entry>& items = state_.lists[static_cast<std::size_t>(entry.list)].items;
        todo.insert(todo.end(), items.begin(), items.end());
    }
}

bool Simulator::subscript(const Inst& inst) {
    const Entry key = peek(1);
    const Entry container = peek(2);
    if (container.kind == Entry::Kind::Virtual) {
        const VirtualList& list = state_.lists[static_cast<std::size_t>(container.list)];
        std::size_t first = 0, last = 0;
        if (is_index(constant(key), list.items.size(), first)) {
            const Entry item = list.items[first];
            pop_many(2);
            push(item);
            return true;
        }
        if (!resolve_slice(key, list.items.size(), first, last)) return false;
        VirtualList part;
        part.tuple = list.tuple;
        part.items.assign(list.items.begin() + static_cast<std::ptrdiff_t>(first),
                          list.items.begin() + static_cast<std::ptrdiff_t>(last));
        pop_many(2);
        Entry entry;
        entry.kind = Entry::Kind::Virtual;
        entry.list = static_cast<std::int32_t>(state_.lists.size());
        state_.lists.push_back(std::move(part));
        push(entry);
        return true;
    }
    // what a graph returned is only ever read
    const bool graph = container.kind == Entry::Kind::Free && container.code.size() == 1 &&
                       container.code[0].op == Op::LoadFast && starts_with(*container.code[0].name, "graph_out_") &&
                       constant(key);
    if (!graph) return false;
    Entry entry;
    entry.code = container.code;
    entry.code.push_back(key.code[0]);
    entry.code.push_back(inst);
    pop_many(2);
    push(entry);
    return true;
}

bool Simulator::store_subscript(const Inst& inst) {
    const Entry key = peek(1);
    const Entry container = peek(2);
    if (container.kind != Entry::Kind::Virtual) return false;
    auto& items = state_.lists[static_cast<std::size_t>(container.list)].items;
    std::size_t first = 0, last = 0;
    const bool index = is_index(constant(key), items.size(), first);
    if (index)
        last = first + 1;
    else if (!resolve_slice(key, items.size(), first, last))
        return false;
    const auto begin = static_cast<std::ptrdiff_t>(first), end = static_cast<std::ptrdiff_t>(last);
    if (inst.op == Op::DeleteSubscr) {
        items.erase(items.begin() + begin, items.begin() + end);
        pop_many(2);
        return true;
    }
    const Entry value = peek(3);
    if (index) {
        flush();
        refuse_cycle(peek(3), container.list, inst);
        items[first] = peek(3);
        pop_many(3);
        return true;
    }
    if (value.kind != Entry::Kind::Virtual) return false;
    const std::vector<Entry> more = state_.lists[static_cast<std::size_t>(value.list)].items;
    for (const Entry& item : more) refuse_cycle(item, container.list, inst);
    items.erase(items.begin() + begin, items.begin() + end);
    items.insert(items.begin() + begin, more.begin(), more.end());
    pop_many(3);
    return true;
}

// f(*[a, b])  =>  f(a, b)
bool Simulator::spread_call(const Inst& inst) {
    if ((inst.count & 1) || peek(1).kind != Entry::Kind::Virtual) return false;
    const Entry args = pop();
    const std::vector<Entry> items = state_.lists[static_cast<std::size_t>(args.list)].items;
    for (const Entry& item : items) push(item);
    Inst call = inst;
    call.op = Op::Call;
    call.count = static_cast<std::uint32_t>(items.size());
    call.flag = inst.count & 2;
    call.value = nullptr;
    expression(call, items.size() + 1 + (call.flag ? 1 : 0));
    return true;
}

// The pair of calls with which torch.compile measures how long it takes to get to a graph.
bool Simulator::drop_profiling(const Inst& inst) {
    if (!readable_) return false;
    if (inst.op == Op::LoadAttr) {
        Entry& object = peek(1);
        if (object.kind != Entry::Kind::Free || object.code.size() != 1 || object.code[0].op != Op::LoadGlobal)
            return false;
        if (!starts_with(*object.code[0].name, "__import_")) return false;
        object.code.push_back(inst);   // a module's attribute: may be read at any time
        return true;
    }
    if (inst.op != Op::Call || inst.count > 1) return false;
    const std::size_t size = inst.count + 1 + (inst.flag ? 1 : 0);
    if (size > state_.stack.size()) return false;
    for (std::size_t i = inst.count + 1; i <= size; ++i) {
        const Entry& callee = peek(i);
        if (callee.kind != Entry::Kind::Free || callee.code.size() != 2 || callee.code[1].op != Op::LoadAttr) continue;
        if (!starts_with(*callee.code[1].name, "record_pregraph_bytecode_")) continue;
        pop_many(size);
        static const Constant kNone;
        Entry none;
        none.code = {inst};
        none.code[0].op = Op::Const;
        none.code[0].value = &kNone;
        push(none);
        return true;
    }
    return false;
}

}  // namespace depyf::untangling
