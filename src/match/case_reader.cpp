#include "match/case_reader.h"

#include "match/or_reader.h"

namespace depyf::matching {

using ir::Op;

namespace {

// What may stand behind the names of a pattern while the subject still lies on the stack: its removal, or a guard.
bool starts_body_or_guard(Op op) {
    switch (op) {
        case Op::StoreFast:
        case Op::StoreName:
        case Op::StoreGlobal:
        case Op::StoreDeref:
        case Op::Swap:
        case Op::Rotate:
        case Op::GetLen:
        case Op::MatchSequence:
        case Op::MatchMapping:
        case Op::Compare:
        case Op::Branch:
        case Op::KeepBranch:
        case Op::UnpackSequence:
        case Op::UnpackEx:
        case Op::Return:
        case Op::Call:
        case Op::LoadAttr:
        case Op::LoadSubscr: return false;
        default: return true;
    }
}

}  // namespace

std::optional<Case> read_case(const ir::Function& function, std::int32_t start, bool last) {
    const Machine machine(function, last ? 0 : 1);
    OrReader ors(machine);
    State state;
    state.at = machine.settle(start);
    Case result;
    result.last = last;
    result.start = state.at;
    if (!last) {
        const ir::Inst& copy = machine.inst(state.at);
        if (copy.op != Op::Copy || copy.count != 1) return std::nullopt;
        Node held;
        held.kind = Node::Kind::Held;
        state.stack.push_back(state.add(held));
        state.at = machine.settle(copy.next);
    }
    const std::int32_t subject = state.add(Node{});
    state.stack.push_back(subject);
    bool any = false;
    Failure failed;
    while (state.stack.size() > machine.base()) {
        if (state.at < 0) return std::nullopt;
        Failure failure;
        const ir::Inst& in = machine.inst(state.at);
        if (!(in.op == Op::Copy && in.count == 1 && state.top().kind == Node::Kind::Subject &&
              ors.read(state, failure)) &&
            machine.step(state, failure) == Step::Stuck) {
            return std::nullopt;
        }
        if (failure.at < 0) continue;
        if (failure.stack.size() != machine.base()) return std::nullopt;
        if (any && failure.at != failed.at && !ors.same_code(failure.at, failed.at)) return std::nullopt;
        if (!any) failed = failure;
        if (failed.line_mark < 0) failed.line_mark = failure.line_mark;
        any = true;
    }
    const bool never = any && state.at == failed.at;   // a guard that is always false leaves no code
    if (state.at < 0 || (!last && !never && !starts_body_or_guard(machine.inst(state.at).op))) return std::nullopt;
    auto pattern = build_pattern(state, subject);
    if (!pattern) return std::nullopt;
    result.pattern = std::move(*pattern);
    result.success = state.at;
    result.failure = any ? failed.at : -1;
    if (any && last) result.default_mark = failed.line_mark;
    return result;
}

}  // namespace depyf::matching
