#include "match/or_reader.h"

#include <algorithm>
#include <set>

namespace depyf::matching {

using ir::Inst;
using ir::Op;

namespace {
constexpr std::size_t kMaxTail = 96;  // instructions without a test behind an alternative: its names are put in order
constexpr int kMaxDepth = 16;  // or-patterns inside or-patterns
constexpr int kMaxSteps = 4000;  // of symbolic execution for one case
constexpr int kMaxCopiedExit = 16;  // instructions; the compiler copies less than that

// Behind the alternatives the captured values are moved to their places and the copy of the subject is dropped.
bool may_be_end(Op op) {
    switch (op) {
        case Op::Pop:
        case Op::Swap:
        case Op::Rotate:
        case Op::StoreFast:
        case Op::StoreName:
        case Op::StoreGlobal:
        case Op::StoreDeref: return true;
        default: return false;
    }
}

bool may_be_captured(const Node& node) {
    return node.kind == Node::Kind::Subject || node.kind == Node::Kind::Rest || node.kind == Node::Kind::Either;
}

}  // namespace

bool OrReader::same_code(std::int32_t a, std::int32_t b) const {
    for (int steps = 0; steps < kMaxCopiedExit; ++steps) {
        a = machine_.settle(a);
        b = machine_.settle(b);
        if (a == b) return true;
        if (a < 0 || b < 0) return false;
        const Inst& x = machine_.inst(a);
        const Inst& y = machine_.inst(b);
        if (x.op != y.op || x.count != y.count || x.flag != y.flag || x.name != y.name || x.value != y.value ||
            x.handler != y.handler || x.target != y.target || (steps == 0 && x.location.line != y.location.line)) {
            return false;
        }
        if (x.next < 0 && y.next < 0) return true;
        a = x.next;
        b = y.next;
    }
    return false;
}

bool OrReader::starts_alternative(const Failure& failure, const std::vector<std::int32_t>& stack) const {
    if (failure.at < 0 || failure.stack != stack) return false;
    const Inst& in = machine_.inst(failure.at);
    return in.op == Op::Copy && in.count == 1;
}

// Some state of `other` equals one of ours in place and in the height of the stack; `where` is ours.
bool OrReader::Alternative::joins(const State& other, const OrReader& reader, std::size_t& where) const {
    for (where = 0; where < tail.size(); ++where) {
        if (tail[where].stack.size() == other.stack.size() && reader.same_code(tail[where].at, other.at)) return true;
    }
    return false;
}

// Executes the alternative whose subject has just been copied, as far as no test fails elsewhere.
OrReader::Alternative OrReader::explore(State state, const Alternative* first) {
    Alternative result;
    result.tail.push_back(state);
    std::set<std::int32_t> passed;  // pattern code never comes back to where it was
    while (state.stack.size() > machine_.base() && steps_++ < kMaxSteps && passed.insert(state.at).second) {
        if (first) {
            const bool joined = std::any_of(first->tail.begin(), first->tail.end(), [&](const State& s) {
                return s.at == state.at && s.stack.size() == state.stack.size();
            });
            if (joined) break;
        }
        Failure failure;
        State before = state;
        const Inst& in = machine_.inst(state.at);
        const bool copies = in.op == Op::Copy && in.count == 1 && state.top().kind == Node::Kind::Subject;
        Step step = Step::Plain;
        if (copies && read(state, failure)) {
            if (failure.at >= 0) step = Step::Test;
        } else {
            step = machine_.step(state, failure);
        }
        if (step == Step::Stuck) break;
        if (step == Step::Test) {
            if (result.failure.at >= 0 && failure != result.failure) break;  // behind the alternative
            result.failure = failure;
            result.tail.clear();
        }
        if (result.tail.size() > kMaxTail) break;
        result.tail.push_back(state);
    }
    return result;
}

// What is no or-pattern is remembered: the same copy is come by again and again.
bool OrReader::read(State& state, Failure& failure) {
    const std::int32_t at = state.at;
    if (depth_ >= kMaxDepth || failed_.count(at)) return false;
    // an alternative that only takes a name would make the others unreachable: this is `a = b = value`
    switch (machine_.inst(machine_.settle(machine_.inst(at).next)).op) {
        case Op::StoreFast:
        case Op::StoreName:
        case Op::StoreGlobal:
        case Op::StoreDeref: return false;
        default: break;
    }
    ++depth_;
    const bool done = read_alternatives(state, failure);
    --depth_;
    if (!done) failed_.insert(at);
    return done;
}

bool OrReader::read_alternatives(State& state, Failure& failure) {
    const std::vector<std::int32_t> stack = state.stack;
    std::vector<Alternative> alternatives;
    std::int32_t at = state.at;
    while (true) {
        State entry = state;
        entry.at = machine_.settle(machine_.inst(at).next);
        const std::int32_t alias = entry.add(Node{});
        entry.stack.push_back(alias);
        Alternative alternative = explore(std::move(entry), alternatives.empty() ? nullptr : &alternatives[0]);
        alternative.alias = alias;
        const bool more = starts_alternative(alternative.failure, stack);
        if (alternatives.empty() && !more) return false;
        alternatives.push_back(std::move(alternative));
        std::size_t where = 0;
        const std::vector<State>& first = alternatives[0].tail;
        const bool joins = std::any_of(first.begin(), first.end(),
                                       [&](const State& s) { return alternatives.back().joins(s, *this, where); });
        if (!joins) return false;
        if (!more) break;
        at = alternatives.back().failure.at;
    }
    for (std::size_t join = 0; join < alternatives[0].tail.size(); ++join) {
        State merged = state;
        if (!merge(merged, alternatives, join)) continue;
        failure = alternatives.back().failure;
        state = std::move(merged);
        return true;
    }
    return false;
}

// Brings the nodes of all alternatives together; what they left on the stack at different nodes becomes Either.
bool OrReader::merge(State& state, const std::vector<Alternative>& alternatives, std::size_t join) {
    const State& first = alternatives[0].tail[join];
    if (!may_be_end(machine_.inst(first.at).op)) return false;
    const auto shared = static_cast<std::int32_t>(state.nodes.size());
    const std::int32_t subject = state.stack.back();
    std::vector<std::vector<std::int32_t>> stacks;
    std::vector<std::int32_t> aliases;
    for (const Alternative& alternative : alternatives) {
        std::size_t where = 0;
        if (!alternative.joins(first, *this, where)) return false;
        const State& end = alternative.tail[where];
        const std::int32_t by = static_cast<std::int32_t>(state.nodes.size()) - shared;
        for (auto i = static_cast<std::size_t>(shared); i < end.nodes.size(); ++i) {
            state.nodes.push_back(end.nodes[i]);
            state.nodes.back().shift(shared, by);
        }
        stacks.push_back(end.stack);
        for (std::int32_t& id : stacks.back()) id += id >= shared ? by : 0;
        aliases.push_back(alternative.alias + by);
    }
    state.stack.clear();
    for (std::size_t k = 0; k < stacks[0].size(); ++k) {
        Node either;
        either.kind = Node::Kind::Either;
        for (const auto& stack : stacks) either.parts.push_back(stack[k]);
        const bool same = std::all_of(either.parts.begin(), either.parts.end(),
                                      [&](std::int32_t id) { return id == either.parts[0]; });
        if (!same && !std::all_of(either.parts.begin(), either.parts.end(),
                                  [&](std::int32_t id) { return may_be_captured(state.node(id)); })) {
            return false;
        }
        state.stack.push_back(same ? either.parts[0] : state.add(std::move(either)));
    }
    Node& node = state.node(subject);
    if (node.tested) return false;
    node.tested = true;
    node.pattern = ast::PatternKind::Or;
    node.alternatives = aliases;
    state.at = first.at;
    return true;
}

}  // namespace depyf::matching
