#include "verify/emitter.h"

#include "base/error.h"
#include "lift/lift.h"
#include "verify/foldable.h"

namespace depyf::verify {

using ir::Inst;
using ir::Op;

Emitter::Emitter(const Features& features) : features_(features) {
    function_.features = &features;
}

Inst& Emitter::add(Op op) {
    Inst& inst = function_.insts.emplace_back();
    inst.op = op;
    inst.handler = handler_;
    inst.offset = static_cast<std::uint32_t>(function_.insts.size() - 1);
    inst.next = ir::ends(op) ? -1 : static_cast<std::int32_t>(function_.insts.size());
    return inst;
}

Inst& Emitter::emit(Op op, std::uint32_t count) {
    if (op == Op::Rotate && (count == 2 || (features_.has_copy_swap && count > 2))) {
        for (; count > 2; --count) swap(count);
        op = Op::Swap;
    }
    Inst& inst = add(op);
    inst.count = count;
    if (op == Op::UnpackSequence) unpack_what_was_built(inst);
    if (op != Op::Call && op != Op::CallKeywords && op != Op::MakeFunction && op != Op::YieldFrom && op != Op::GetIter)
        depth_ += lifting::stack_effect(function_, function_.insts.back(), false);
    if (ir::ends(op)) {
        live_ = false;
        barrier_ = static_cast<std::int32_t>(function_.insts.size());
    }
    return function_.insts.back();
}

Inst& Emitter::emit_name(Op op, Name name, std::uint32_t count) {
    Inst& inst = emit(op, count);
    inst.name = name;
    return inst;
}

// BUILD_TUPLE n; UNPACK_SEQUENCE n  =>  the items in reverse order. Source: the peephole optimizer (flowgraph.c).
void Emitter::unpack_what_was_built(Inst& inst) {
    const auto size = static_cast<std::int32_t>(function_.insts.size());
    if (size - 2 < barrier_ || inst.count > 3 || inst.count == 0) return;
    Inst& built = function_.insts[static_cast<std::size_t>(size - 2)];
    if (built.op != Op::BuildTuple || built.count != inst.count) return;
    const std::uint32_t n = inst.count;
    peephole_ = true;
    depth_ += static_cast<std::int32_t>(n) - 1;   // as before the tuple was built
    built.op = Op::Nop;
    built.count = 0;
    inst.op = n == 1 ? Op::Nop : Op::Swap;   // 3: the first and the last change places
    inst.count = n;
}

void Emitter::constant(const Constant* value) {
    emit(Op::Const).value = value;
}

void Emitter::drop_last() {
    function_.insts.pop_back();
    --depth_;
}

void Emitter::none() {
    static const Constant kNone;
    constant(&kNone);
}

const Constant* Emitter::fold_tuple(std::uint32_t count, std::deque<Constant>& constants) {
    const auto size = static_cast<std::int32_t>(function_.insts.size());
    const std::int32_t first = size - static_cast<std::int32_t>(count);
    if (first < barrier_ || (count == 0 && !features_.has_match)) return nullptr;
    for (std::int32_t i = first; i < size; ++i) {
        const Inst& inst = function_.insts[static_cast<std::size_t>(i)];
        if (inst.op != Op::Const || !inst.value) return nullptr;
    }
    peephole_ = true;
    Constant tuple;
    tuple.kind = Constant::Kind::Tuple;
    for (std::int32_t i = first; i < size; ++i) {
        tuple.items.push_back(*function_.insts[static_cast<std::size_t>(i)].value);
    }
    function_.insts.resize(static_cast<std::size_t>(first));
    depth_ -= static_cast<std::int32_t>(count);
    return &constants.emplace_back(std::move(tuple));
}

Label Emitter::label() {
    labels_.emplace_back();
    return static_cast<Label>(labels_.size()) - 1;
}

void Emitter::aim(Inst& inst, Label to) {
    inst.target = to;
    Place& place = labels_[static_cast<std::size_t>(to)];
    place.used = place.used || live_;
    if (place.depth < 0) place.depth = depth_;
}

void Emitter::jump(Label to) {
    aim(add(Op::Jump), to);
    live_ = false;
    barrier_ = static_cast<std::int32_t>(function_.insts.size());
}

// LOAD_CONST; POP_JUMP_IF_*  =>  nothing, or a jump.
bool Emitter::test_of_constant(bool when, Label to) {
    const auto size = static_cast<std::int32_t>(function_.insts.size());
    if (size - 1 < barrier_) return false;
    Inst& last = function_.insts.back();
    if (last.op != Op::Const || !last.value) return false;
    const int known = truth(*last.value);
    if (known < 0) return false;
    // up to 3.9 only what falls through is known
    if (!features_.has_match && (known == (when ? 1 : 0) || when)) return false;
    peephole_ = true;
    function_.insts.pop_back();
    --depth_;
    if (known == (when ? 1 : 0)) jump(to);
    return true;
}

void Emitter::branch(bool when, Label to) {
    if (test_of_constant(when, to)) return;
    Inst& inst = emit(Op::Branch, static_cast<std::uint32_t>(when ? ir::Condition::True : ir::Condition::False));
    aim(inst, to);
    barrier_ = static_cast<std::int32_t>(function_.insts.size());
}

void Emitter::branch_none(bool when, Label to) {
    Inst& inst = emit(Op::Branch, static_cast<std::uint32_t>(when ? ir::Condition::None : ir::Condition::NotNone));
    aim(inst, to);
    barrier_ = static_cast<std::int32_t>(function_.insts.size());
}

void Emitter::keep_branch(bool when, Label to) {
    Inst& inst = add(Op::KeepBranch);
    inst.count = static_cast<std::uint32_t>(when ? ir::Condition::True : ir::Condition::False);
    aim(inst, to);
    --depth_;
    barrier_ = static_cast<std::int32_t>(function_.insts.size());
}

void Emitter::loop(Op op, Label exhausted) {
    Inst& inst = add(op);
    const std::int32_t before = depth_;
    depth_ += lifting::stack_effect(function_, inst, true);
    aim(inst, exhausted);
    depth_ = before + lifting::stack_effect(function_, inst, false);
    barrier_ = static_cast<std::int32_t>(function_.insts.size());
}

void Emitter::set_loop(Label end) {
    aim(add(Op::SetupLoop), end);
}

void Emitter::leave_loop(Op op, Label to) {
    Inst& inst = add(op);
    inst.count = static_cast<std::uint32_t>(labels_[static_cast<std::size_t>(to)].depth);
    aim(inst, to);
    live_ = false;
    barrier_ = static_cast<std::int32_t>(function_.insts.size());
}

void Emitter::place(Label label) {
    Place& place = labels_[static_cast<std::size_t>(label)];
    if (place.used) barrier_ = static_cast<std::int32_t>(function_.insts.size());
    place.at = static_cast<std::int32_t>(function_.insts.size());
    if (!live_ && place.depth >= 0) depth_ = place.depth;
    if (place.depth < 0) place.depth = depth_;
    live_ = live_ || place.used;
}

void Emitter::end_finally() {
    if (!live_) return;
    Inst& inst = emit(Op::Reraise);
    inst.next = static_cast<std::int32_t>(function_.insts.size());
    live_ = true;
}

std::int32_t Emitter::protect(Label handler, bool lasti, std::uint32_t below, bool except) {
    const std::int32_t outer = handler_;
    const auto id = static_cast<std::int32_t>(function_.handlers.size());
    function_.handlers.push_back({handler, static_cast<std::uint32_t>(depth_) - below, lasti, outer});
    if (!features_.has_exception_table) {
        Inst& inst = add(Op::SetupFinally);
        inst.count = static_cast<std::uint32_t>(id);
        inst.flag = except && features_.has_setup_except;
    }
    Place& place = labels_[static_cast<std::size_t>(handler)];
    place.used = true;
    place.depth = depth_ - static_cast<std::int32_t>(below) + features_.exc_info_items + (lasti ? 1 : 0);
    handler_ = id;
    return outer;
}

void Emitter::place_handler(Label handler) {
    live_ = false;
    place(handler);
}

ir::Function Emitter::finish() {
    const auto size = static_cast<std::int32_t>(function_.insts.size());
    auto resolve = [&](std::int32_t& target) {
        if (target >= 0) target = labels_[static_cast<std::size_t>(target)].at;
        if (target >= size) target = -1;
    };
    for (Inst& inst : function_.insts) {
        resolve(inst.target);
        if (inst.next >= size) inst.next = -1;
    }
    for (ir::Handler& handler : function_.handlers) resolve(handler.target);
    return std::move(function_);
}

}  // namespace depyf::verify
