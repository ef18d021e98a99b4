#include "match/machine.h"

#include <algorithm>
#include <cstdlib>

namespace depyf::matching {

using ir::Inst;
using ir::Op;
using Kind = Node::Kind;
using Test = Node::Test;

namespace {

Node make(Kind kind, std::int32_t owner = -1) {
    Node node;
    node.kind = kind;
    node.owner = owner;
    return node;
}

Node flag(Test test, std::int32_t owner) {
    Node node = make(Kind::Flag, owner);
    node.test = test;
    return node;
}

const Constant* constant(const Node& node) {
    return node.kind == Kind::Value ? node.values[0].constant : nullptr;
}

// The number that a constant holds, -1 where it is none that can be a length or an index.
std::int32_t small_int(const Node& node) {
    const Constant* c = constant(node);
    if (!c || c->kind != Constant::Kind::Int || c->text.size() > 8 || c->text[0] == '-') return -1;
    return std::atoi(c->text.c_str());
}

bool is_singleton(const Constant* c) {
    return c &&
           (c->kind == Constant::Kind::None || c->kind == Constant::Kind::True || c->kind == Constant::Kind::False);
}

bool is(const Node& node, Kind kind) {
    return node.kind == kind;
}

}  // namespace

std::int32_t State::add(Node node) {
    nodes.push_back(std::move(node));
    return static_cast<std::int32_t>(nodes.size()) - 1;
}

std::int32_t Machine::settle(std::int32_t i) const {
    for (int steps = 0; i >= 0 && steps < 1000; ++steps) {
        const Inst& in = inst(i);
        if (in.op == Op::Nop)
            i = in.next;
        else if (in.op == Op::Jump && !in.flag)
            i = in.target;
        else
            break;
    }
    return i;
}

Step Machine::step(State& state, Failure& failure) const {
    state.at = settle(state.at);
    // a walk that makes more values than there are instructions goes round in a loop: no pattern does
    if (state.at < 0 || state.nodes.size() > 2 * function_.insts.size() + 16) return Step::Stuck;
    const Inst& in = inst(state.at);
    if (in.op == Op::Branch) return branch(state, in, failure);
    if (in.target >= 0 || in.next < 0 || !execute(state, in)) return Step::Stuck;
    state.at = settle(in.next);
    return Step::Plain;
}

bool Machine::execute(State& state, const Inst& in) const {
    switch (in.op) {
        case Op::ToBool: return !state.stack.empty();
        case Op::Copy:
        case Op::Swap:
        case Op::Rotate:
        case Op::Pop: return stack_operation(state, in);
        case Op::StoreFast:
        case Op::StoreName:
        case Op::StoreGlobal:
        case Op::StoreDeref: {
            if (state.stack.size() <= base_) return false;
            const std::int32_t id = state.stack.back();
            state.stack.pop_back();
            state.stored = true;
            return store(state, id, in.name);
        }
        case Op::MatchSequence:
        case Op::MatchMapping:
        case Op::GetLen:
        case Op::Compare:
        case Op::Binary: return !state.stack.empty() && question(state, in);
        case Op::LoadSubscr: return subscript(state);
        case Op::UnpackSequence:
        case Op::UnpackEx: return !state.stack.empty() && take_apart(state, in);
        case Op::MatchClass: return match_class(state, in);
        case Op::BuildTuple:
        case Op::MatchKeys:
        case Op::CopyDictWithoutKeys:
        case Op::BuildMap:
        case Op::DictUpdate:
        case Op::DeleteSubscr: return keys_and_rest(state, in);
        default: return load(state, in);
    }
}

bool Machine::stack_operation(State& state, const Inst& in) const {
    std::vector<std::int32_t>& stack = state.stack;
    const std::size_t n = in.op == Op::Pop ? 1 : in.count;
    if (n == 0 || stack.size() < base_ + n) return false;
    switch (in.op) {
        case Op::Copy: {
            const std::int32_t id = stack[stack.size() - n];
            ++state.node(id).copies;
            stack.push_back(id);
            return true;
        }
        case Op::Swap: std::swap(stack.back(), stack[stack.size() - n]); return true;
        case Op::Rotate:
            std::rotate(stack.end() - static_cast<std::ptrdiff_t>(n), stack.end() - 1, stack.end());
            return true;
        default: stack.pop_back(); return true;
    }
}

bool Machine::load(State& state, const Inst& in) const {
    Node value = make(Kind::Value);
    value.values.emplace_back();
    switch (in.op) {
        case Op::Const: value.values[0].constant = in.value; break;
        case Op::LoadLocals: value.kind = Kind::Namespace; break;
        case Op::LoadClassDeref:
        case Op::LoadFromDictOrGlobals:
            if (in.op == Op::LoadFromDictOrGlobals || in.count) {
                if (state.stack.empty() || !is(state.top(), Kind::Namespace)) return false;
                state.stack.pop_back();
            }
            value.values[0].dotted.push_back(in.name);
            break;
        case Op::LoadFast:
        case Op::LoadName:
        case Op::LoadGlobal:
        case Op::LoadDeref:
        case Op::CommonConst: value.values[0].dotted.push_back(in.name); break;
        case Op::LoadAttr:
            if (state.stack.empty() || !is(state.top(), Kind::Value) || constant(state.top())) return false;
            state.top().values[0].dotted.push_back(in.name);
            return true;
        default: return false;
    }
    state.stack.push_back(state.add(std::move(value)));
    return true;
}

bool Machine::question(State& state, const Inst& in) const {
    const std::int32_t id = state.stack.back();
    const Kind kind = state.node(id).kind;
    switch (in.op) {
        case Op::MatchSequence:
        case Op::MatchMapping:
            if (kind != Kind::Subject) return false;
            state.stack.push_back(state.add(flag(in.op == Op::MatchSequence ? Test::Sequence : Test::Mapping, id)));
            return true;
        case Op::GetLen:
            if (kind != Kind::Subject) return false;
            state.stack.push_back(state.add(make(Kind::Length, id)));
            return true;
        case Op::Compare: return compare(state, in);
        default: {   // len(subject) - number
            if (in.count != static_cast<std::uint32_t>(ast::Operator::Sub) || state.stack.size() < 2) return false;
            Node& length = state.node(state.stack[state.stack.size() - 2]);
            const std::int32_t number = small_int(state.top());
            if (!is(length, Kind::Length) || number < 0) return false;
            length.kind = Kind::FromEnd;
            length.number = number;
            state.stack.pop_back();
            return true;
        }
    }
}

bool Machine::compare(State& state, const Inst& in) const {
    if (state.stack.size() < base_ + 2) return false;
    const auto compare = static_cast<ast::CompareOperator>(in.count);
    const Node right = state.top();
    state.stack.pop_back();
    const std::int32_t id = state.stack.back();
    const Node& left = state.node(id);
    if (!is(right, Kind::Value)) return false;
    Node result = flag(Test::None, id);
    if (is(left, Kind::Length)) {
        result.owner = left.owner;
        result.number = small_int(right);
        if (result.number < 0) return false;
        if (compare == ast::CompareOperator::Eq) result.test = Test::Length;
        if (compare == ast::CompareOperator::GtE) result.test = Test::MinLength;
    } else if (is(left, Kind::Subject)) {
        result.values = right.values;
        if (compare == ast::CompareOperator::Eq) result.test = Test::Equal;
        if (compare == ast::CompareOperator::Is && is_singleton(constant(right))) result.test = Test::Identical;
    } else if (is(left, Kind::Parts) && compare == ast::CompareOperator::IsNot) {
        result.test = Test::Parts;
    }
    state.stack.pop_back();
    state.stack.push_back(state.add(result));
    return result.test != Test::None;
}

// Patterns take elements by index where they skip others: [first, *_, last]; up to 3.10 in class patterns too.
bool Machine::subscript(State& state) const {
    if (state.stack.size() < base_ + 2) return false;
    const Node index = state.top();
    state.stack.pop_back();
    const std::int32_t id = state.stack.back();
    state.stack.pop_back();
    std::int32_t owner = id;
    std::int32_t number = small_int(index);
    if (is(state.node(id), Kind::Parts)) {
        owner = state.node(id).owner;
        if (number < 0) return false;
    } else if (is(state.node(id), Kind::Subject)) {
        --state.node(id).copies;
        if (is(index, Kind::FromEnd) && index.owner == id && index.number > 0)
            number = -index.number;
        else if (number < 0)
            return false;
    } else {
        return false;
    }
    const std::int32_t item = state.add(make(Kind::Subject));
    state.stack.push_back(item);
    return state.node(owner).items.try_emplace(number, item).second;
}

bool Machine::take_apart(State& state, const Inst& in) const {
    const std::int32_t id = state.stack.back();
    const Kind kind = state.node(id).kind;
    state.stack.pop_back();
    const bool star = in.op == Op::UnpackEx;
    const auto before = static_cast<std::int32_t>(star ? in.count & 255 : in.count);
    const auto after = static_cast<std::int32_t>(star ? in.count >> 8 : 0);
    if (kind == Kind::Keys && !star) {
        for (std::int32_t i = 0; i < before; ++i) state.stack.push_back(state.add(make(Kind::Key)));
        return true;
    }
    const std::int32_t owner = kind == Kind::Parts ? state.node(id).owner : id;
    if (kind != Kind::Subject && (kind != Kind::Parts || star)) return false;
    std::vector<std::int32_t> items;
    for (std::int32_t i = 0; i < before + after; ++i) {
        items.push_back(state.add(make(Kind::Subject)));
        if (!state.node(owner).items.try_emplace(i < before ? i : i - before - after, items.back()).second)
            return false;
    }
    if (star) {
        const std::int32_t rest = state.add(make(Kind::Subject));
        items.insert(items.begin() + before, rest);
        state.node(owner).star = rest;
        state.node(owner).star_index = before;
    }
    state.stack.insert(state.stack.end(), items.rbegin(), items.rend());
    return true;
}

bool Machine::keys_and_rest(State& state, const Inst& in) const {
    std::vector<std::int32_t>& stack = state.stack;
    switch (in.op) {
        case Op::BuildTuple: {
            if (stack.size() < base_ + in.count) return false;
            Node keys = make(Kind::Keys);
            for (std::size_t i = stack.size() - in.count; i < stack.size(); ++i) {
                if (!is(state.node(stack[i]), Kind::Value)) return false;
                keys.values.push_back(state.node(stack[i]).values[0]);
            }
            stack.resize(stack.size() - in.count);
            stack.push_back(state.add(std::move(keys)));
            return true;
        }
        case Op::MatchKeys: {
            if (stack.size() < base_ + 2) return false;
            Node& keys = state.top();
            if (const Constant* tuple = constant(keys); tuple && tuple->kind == Constant::Kind::Tuple) {
                keys.kind = Kind::Keys;
                keys.values.clear();
                for (const Constant& item : tuple->items) keys.values.push_back({&item, {}});
            }
            const std::int32_t subject = stack[stack.size() - 2];
            if (!is(keys, Kind::Keys) || !is(state.node(subject), Kind::Subject)) return false;
            state.node(subject).values = keys.values;
            stack.push_back(state.add(make(Kind::Parts, subject)));
            if (function_.features->exc_info_items > 1) stack.push_back(state.add(flag(Test::Parts, subject)));
            return true;
        }
        case Op::CopyDictWithoutKeys: {   // 3.10
            if (stack.size() < base_ + 2 || !is(state.top(), Kind::Keys)) return false;
            stack.back() = state.add(make(Kind::Rest, stack[stack.size() - 2]));
            return true;
        }
        case Op::BuildMap: stack.push_back(state.add(make(Kind::Rest))); return in.count == 0;
        case Op::DictUpdate: {
            if (stack.size() < base_ + 1 + in.count || !is(state.top(), Kind::Subject)) return false;
            Node& rest = state.node(stack[stack.size() - 1 - in.count]);
            rest.owner = stack.back();
            stack.pop_back();
            return is(rest, Kind::Rest);
        }
        default:   // del rest[key]
            if (stack.size() < base_ + 2 || !is(state.top(), Kind::Key) ||
                !is(state.node(stack[stack.size() - 2]), Kind::Rest))
                return false;
            stack.resize(stack.size() - 2);
            return true;
    }
}

bool Machine::match_class(State& state, const Inst& in) const {
    std::vector<std::int32_t>& stack = state.stack;
    if (stack.size() < base_ + 3) return false;
    const Constant* names = constant(state.top());
    const Node cls = state.node(stack[stack.size() - 2]);
    const std::int32_t id = stack[stack.size() - 3];
    Node& subject = state.node(id);
    if (!names || names->kind != Constant::Kind::Tuple || !is(cls, Kind::Value) || cls.values[0].constant ||
        !is(subject, Kind::Subject) || subject.tested) {
        return false;
    }
    subject.values = cls.values;
    subject.positional = in.count;
    subject.keyword_names = names;
    subject.pattern = ast::PatternKind::Class;
    stack.resize(stack.size() - 3);
    stack.push_back(state.add(make(Kind::Parts, id)));
    if (function_.features->exc_info_items > 1) stack.push_back(state.add(flag(Test::Parts, id)));
    return true;
}

bool Machine::store(State& state, std::int32_t id, const std::string* name) const {
    Node& node = state.node(id);
    switch (node.kind) {
        case Kind::Subject: node.captures.push_back(name); return true;
        case Kind::Rest:
            if (node.owner < 0) return false;
            state.node(node.owner).rest = name;
            return true;
        case Kind::Either: {
            const std::vector<std::int32_t> parts = node.parts;
            return std::all_of(parts.begin(), parts.end(), [&](std::int32_t part) { return store(state, part, name); });
        }
        default: return false;
    }
}

// Notes at the owner of the flag what is known about it now. False where no pattern asks for that.
bool Machine::passed(State& state, const Node& flag) const {
    Node& owner = state.node(flag.owner);
    auto becomes = [&](ast::PatternKind kind) {
        if (owner.tested) return false;
        owner.tested = true;
        owner.pattern = kind;
        return true;
    };
    switch (flag.test) {
        case Test::Sequence: return becomes(ast::PatternKind::Sequence);
        case Test::Mapping: return becomes(ast::PatternKind::Mapping);
        case Test::Equal:
        case Test::Identical:
            owner.values = flag.values;
            return becomes(flag.test == Test::Equal ? ast::PatternKind::Value : ast::PatternKind::Singleton);
        case Test::Length:
        case Test::MinLength:
            if (!owner.tested || owner.length >= 0) return false;
            owner.length = flag.number;
            owner.at_least = flag.test == Test::MinLength;
            return true;
        case Test::Parts:
            return owner.pattern == ast::PatternKind::Class ? becomes(ast::PatternKind::Class) : owner.tested;
        default: return false;
    }
}

Failure Machine::fail(const State& state, std::int32_t at) const {
    Failure failure{settle(at), state.stack, -1};
    std::int32_t raw = at;
    while (failure.at >= 0 && inst(failure.at).op == Op::Pop && failure.stack.size() > base_) {
        failure.stack.pop_back();
        raw = inst(failure.at).next;
        failure.at = settle(raw);
    }
    for (int steps = 0; raw != failure.at && steps < 1000; ++steps) {
        const Inst& in = inst(raw);
        if (in.op == Op::Nop && in.location.line > inst(state.at).location.line) {
            failure.line_mark = raw;
            break;
        }
        raw = in.op == Op::Jump ? in.target : in.next;
    }
    return failure;
}

Step Machine::branch(State& state, const Inst& in, Failure& failure) const {
    // names are bound when all tests are passed: `match (name := value)` is no capture
    if (state.stack.size() <= base_ || state.stored) return Step::Stuck;
    const std::int32_t id = state.stack.back();
    const Node node = state.node(id);
    state.stack.pop_back();
    bool passes_by_jump = false;
    Node flag_node = node;
    switch (static_cast<ir::Condition>(in.count)) {
        case ir::Condition::False: break;
        case ir::Condition::True: passes_by_jump = true; break;
        default: {
            const bool jumps_on_none = static_cast<ir::Condition>(in.count) == ir::Condition::None;
            if (is(node, Kind::Parts)) {
                flag_node = flag(Test::Parts, node.owner);
                passes_by_jump = !jumps_on_none;
            } else if (is(node, Kind::Subject)) {
                static const Constant kNone;
                flag_node = flag(Test::Identical, id);
                flag_node.values.push_back({&kNone, {}});
                passes_by_jump = jumps_on_none;
            }
            break;
        }
    }
    if (!is(flag_node, Kind::Flag)) return Step::Stuck;
    failure = fail(state, passes_by_jump ? in.next : in.target);
    if (!passed(state, flag_node)) return Step::Stuck;
    state.at = settle(passes_by_jump ? in.target : in.next);
    return Step::Test;
}

}  // namespace depyf::matching
