#include "express/stack_machine.h"

#include <algorithm>

#include "base/error.h"
#include "express/unfolded.h"

namespace depyf {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

// One underscore: two would be mangled inside a class.
const std::string kTemporary = "_stack_";

}  // namespace

StackMachine::StackMachine(const ir::Function& function, const ExpressContext& context)
    : function_(function), context_(context), tree_(*context.tree) {}

std::string StackMachine::fresh_name() {
    return kTemporary + std::to_string(next_name_++);
}

std::size_t StackMachine::run(Block& block, std::vector<Expr*> stack) {
    block_ = &block;
    stack_ = std::move(stack);
    statement_start_ = 0;
    group_.clear();
    block.in = stack_;
    for (position_ = 0; position_ < block.insts.size(); ++position_) {
        inst_ = &function_.insts[static_cast<std::size_t>(block.insts[position_])];
        const bool leaves = (inst_->op == IrOp::Pop || inst_->op == IrOp::PopIter) && leaves_loop();
        step(*inst_);
        if (leaves && pending() == 0 && position_ + 1 < block.insts.size()) {
            block.out = stack_;
            block.executed = true;
            return position_ + 1;
        }
    }
    // A chained assignment goes on where it began: what leaves the block with its value is `name := value`. What leaves it
    // with a function is a lambda.
    if (block.exit == Exit::Fall && !stack_.empty() &&
        (stack_.back()->kind == ExprKind::AssignChain || stack_.back()->kind == ExprKind::Function))
        stack_.back() = as_value(stack_.back());
    if (block.exit == Exit::Fall || block.exit == Exit::Return || block.exit == Exit::End) block.out = stack_;
    block.executed = true;
    return block.insts.size();
}

// The instruction drops a loop's iterator: `break`, or a return out of the loop.
bool StackMachine::leaves_loop() const {
    for (std::size_t i = stack_.size(); i-- > 0;) {
        if (stack_[i]->kind == ExprKind::Iterator) return i + 2 >= stack_.size();
        if (stack_[i]->kind != ExprKind::Null) return false;
    }
    return false;
}

void StackMachine::step(const ir::Inst& inst) {
    if (stack_ops(inst) || names(inst) || attributes(inst) || operators(inst) || displays(inst) || extensions(inst) ||
        strings(inst) || calls(inst) || imports(inst) || iteration(inst) || control(inst) || exceptions(inst)) {
        return;
    }
    throw Error(inst.offset, std::string("not expected here: ") + ir::op_name(inst.op));
}

Expr* StackMachine::make(ExprKind kind, std::vector<Expr*> items) {
    Expr* e = tree_.expr(kind, std::move(items));
    e->location = inst_->location;
    return e;
}

void StackMachine::push(Expr* e) {
    if (e->order == 0) e->order = next_order_++;
    stack_.push_back(e);
}

Expr* StackMachine::pop_raw() {
    if (stack_.empty()) throw Error(inst_->offset, "the stack is empty");
    Expr* e = stack_.back();
    stack_.pop_back();
    return e;
}

Expr* StackMachine::peek(std::size_t depth) {
    if (depth == 0 || depth > stack_.size()) throw Error(inst_->offset, "the stack is empty");
    return stack_[stack_.size() - depth];
}

Expr* StackMachine::pop() {
    return as_value(pop_raw());
}

std::vector<Expr*> StackMachine::pop_values(std::size_t count) {
    if (count > stack_.size()) throw Error(inst_->offset, "the stack is empty");
    std::vector<Expr*> values(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    refuse_disorder(values);
    for (Expr*& value : values) value = as_value(value);
    return values;
}

// A compiler never takes values in another order than it computed them, nor one of them twice.
void StackMachine::refuse_disorder(const std::vector<Expr*>& values) const {
    if (!context_.refuse_hand_made) return;
    std::uint32_t latest = 0;
    for (const Expr* value : values) {
        const bool computed = value->kind == ExprKind::Call || value->kind == ExprKind::Attribute ||
                              value->kind == ExprKind::Subscript || value->kind == ExprKind::BinOp;
        if (!computed) continue;
        if (value->order <= latest) throw HandMade();
        latest = value->order;
    }
}

bool StackMachine::is_marker(const Expr* e) {
    switch (e->kind) {
        case ExprKind::Null:
        case ExprKind::Iterator:
        case ExprKind::WithExit:
        case ExprKind::Exception:
        case ExprKind::Opaque:
        case ExprKind::MatchSubject:
        case ExprKind::UnpackItem:
        case ExprKind::BuildClass: return true;
        default: return false;
    }
}

std::size_t StackMachine::pending() const {
    const auto iterator =
        std::find_if(stack_.rbegin(), stack_.rend(), [](const Expr* e) { return e->kind == ExprKind::Iterator; });
    return static_cast<std::size_t>(
        std::count_if(stack_.rbegin(), iterator, [](const Expr* e) { return !is_marker(e); }));
}

Expr* StackMachine::as_value(Expr* e) {
    switch (e->kind) {
        case ExprKind::AssignChain: {
            const bool names = std::all_of(e->items.begin() + 1, e->items.end(),
                                           [](const Expr* target) { return target->kind == ExprKind::Name; });
            if (!names) {
                // `a.b = c = value` used as a value again: only hand-made code does that
                std::vector<Expr*> targets(e->items.begin() + 1, e->items.end());
                Expr* temporary = tree_.name(fresh_name());
                targets.push_back(temporary);
                emit_assign(targets, e->items[0]);
                return temporary;
            }
            Expr* value = as_value(e->items[0]);
            for (std::size_t i = 1; i < e->items.size(); ++i) {  // (a := (b := value)) stores b first
                value = tree_.expr(ExprKind::NamedExpr, {e->items[i], value});
                value->order = e->order;
                value->location = e->items[0]->location;
            }
            return value;
        }
        case ExprKind::Function:
            if (Expr* lambda = context_.nested->lambda(e)) {
                if (lambda->order == 0) lambda->order = e->order;
                return lambda;
            }
            return e;
        case ExprKind::UnpackItem: return unpacked(e);
        case ExprKind::MatchSubject: throw Error(inst_->offset, "the subject of a match is used behind it");
        case ExprKind::Iterator: {
            Expr* call = tree_.expr(ExprKind::Call, {tree_.name("iter"), e->items.empty() ? e : e->items[0]});
            call->order = e->order;
            return call;
        }
        default: return e;
    }
}

// An element of an unpacking that is used without being stored (only hand-made code does that): the elements that are
// still to come go into temporaries.
Expr* StackMachine::unpacked(Expr* item) {
    Expr* unpack = item->items[0];
    Expr* result = nullptr;
    const IrOp op = inst_->op;
    const bool annotation = op == IrOp::BuildTuple || op == IrOp::BuildMap || op == IrOp::BuildConstKeyMap;
    if (annotation && unpack->items.size() == 2 && unpack->number == 0) {  // def f(*args: *Ts)
        return make(ExprKind::Starred, {as_value(unpack->items[0])});
    }
    if (const std::size_t i = item->number + 1; i < unpack->items.size() && unpack->items[i]) {
        Expr* stored = unpack->items[i];  // by the element beside it, which the same instruction took
        if (stored->kind == ExprKind::Name && stored->flag) return stored;
        throw Error(inst_->offset, "an element of an unpacking is used and stored");
    }
    for (std::size_t i = 1; i < unpack->items.size(); ++i) {
        if (unpack->items[i]) continue;
        Expr* temporary = tree_.name(fresh_name());
        temporary->flag = true;
        temporary->order = item->order;
        unpack->items[i] = temporary;
        if (i == item->number + 1) result = temporary;
        for (Expr*& e : stack_) {
            if (e->kind == ExprKind::UnpackItem && e->items[0] == unpack && e->number + 1 == i) e = temporary;
        }
    }
    if (!result) throw Error(inst_->offset, "an element that the unpacking does not have");
    emit_assign({unpack_target(unpack)}, as_value(unpack->items[0]));
    return result;
}

// A name as the author wrote it: inside class C, `_C__x` was `__x`.
Expr* StackMachine::name(const std::string* id) {
    Expr* e = make(ExprKind::Name);
    e->name = *id;
    const std::string& cls = context_.class_name;
    if (!cls.empty() && id->size() > cls.size() + 3 && id->compare(0, 1, "_") == 0 &&
        id->compare(1, cls.size(), cls) == 0 && id->compare(cls.size() + 1, 2, "__") == 0 &&
        id->compare(id->size() - 2, 2, "__") != 0) {
        e->name = id->substr(cls.size() + 1);
    }
    return e;
}

// (lambda: x).__closure__[0]: a cell has no other spelling.
Expr* StackMachine::cell(const ir::Inst& inst) {
    Expr* lambda = make(ExprKind::Lambda, {name(inst.name)});
    lambda->args = tree_.arguments();
    Expr* closure = make(ExprKind::Attribute, {lambda});
    closure->name = "__closure__";
    Constant zero;
    zero.kind = Constant::Kind::Int;
    zero.text = "0";
    return make(ExprKind::Subscript, {closure, tree_.constant(zero)});
}

// The instruction starts to keep the right side of a comparison for the next one: COPY 1; ROT_THREE, or SWAP 2; COPY 2.
bool StackMachine::in_chained_comparison() const {
    if (position_ + 2 >= block_->insts.size()) return false;
    const auto at = [&](std::size_t k) -> const ir::Inst& {
        return function_.insts[static_cast<std::size_t>(block_->insts[position_ + k])];
    };
    if (at(2).op != IrOp::Compare) return false;
    return (at(0).op == IrOp::Copy && at(0).count == 1 && at(1).op == IrOp::Rotate && at(1).count == 3) ||
           (at(0).op == IrOp::Swap && at(0).count == 2 && at(1).op == IrOp::Copy && at(1).count == 2);
}

bool StackMachine::stack_ops(const ir::Inst& inst) {
    switch (inst.op) {
        case IrOp::Nop:
        case IrOp::MatchDefault:
        case IrOp::PopBlock:
        case IrOp::LoopEnd:
        case IrOp::EndFor:
        case IrOp::EndSend: return true;
        case IrOp::Const: {
            Expr* e = make(ExprKind::Constant);
            e->value = inst.value;
            push(e);
            return true;
        }
        case IrOp::CommonConst: push(name(inst.name)); return true;
        case IrOp::LoadAssertionError: {
            Expr* e = make(ExprKind::Name);
            e->name = "AssertionError";
            e->flag = true;  // written by `assert`
            push(e);
            return true;
        }
        case IrOp::PushNull: push(make(ExprKind::Null)); return true;
        case IrOp::Copy: {
            if (in_chained_comparison()) stack_.back() = as_value(peek(1));  // a < (b := c) < d
            Expr* e = peek(inst.count);
            ++e->copies;
            stack_.push_back(e);
            return true;
        }
        case IrOp::Swap: {
            peek(inst.count);
            if (in_chained_comparison()) stack_.back() = as_value(stack_.back());
            keep_over_exception();
            std::swap(stack_[stack_.size() - 1], stack_[stack_.size() - inst.count]);
            return true;
        }
        case IrOp::Rotate: {
            peek(inst.count);
            keep_over_exception();
            std::rotate(stack_.end() - inst.count, stack_.end() - 1, stack_.end());
            return true;
        }
        case IrOp::Pop:
            drop(pop_raw());
            block_->jumps_out = block_->jumps_out || inst.flag;
            return true;
        case IrOp::PopIter:
            pop_raw();
            if (function_.features->iter_pushes_two) pop_raw();
            return true;
        default: return false;
    }
}

bool StackMachine::names(const ir::Inst& inst) {
    switch (inst.op) {
        case IrOp::LoadFast:
        case IrOp::LoadName:
        case IrOp::LoadGlobal:
        case IrOp::LoadDeref:
        case IrOp::LoadClosure:
            push(inst.flag && inst.op == IrOp::LoadClosure ? cell(inst) : name(inst.name));
            return true;
        case IrOp::LoadFastAndClear: {
            Expr* e = make(ExprKind::Opaque);  // what an inlined comprehension saves
            e->name = "saved";
            push(e);
            return true;
        }
        case IrOp::LoadClassDeref:
            if (inst.count) pop_raw();
            push(name(inst.name));
            return true;
        case IrOp::LoadFromDictOrGlobals:
            pop_raw();
            push(name(inst.name));
            return true;
        case IrOp::LoadLocals: {
            Expr* e = make(ExprKind::Opaque);
            e->name = "locals";
            push(e);
            return true;
        }
        case IrOp::StoreFast:
        case IrOp::StoreName:
        case IrOp::StoreGlobal:
        case IrOp::StoreDeref: {
            Expr* value = pop_raw();
            if (value->kind == ExprKind::Opaque && value->name != "INTRINSIC_TYPEALIAS") return true;
            store(name(inst.name), value);
            return true;
        }
        case IrOp::DeleteFast:
        case IrOp::DeleteName:
        case IrOp::DeleteGlobal:
        case IrOp::DeleteDeref: emit(StmtKind::Delete, {name(inst.name)}); return true;
        case IrOp::SetupAnnotations: return true;
        default: return false;
    }
}

bool StackMachine::attributes(const ir::Inst& inst) {
    auto attribute = [&](Expr* object) {
        Expr* e = make(ExprKind::Attribute, {object});
        e->name = name(inst.name)->name;
        return e;
    };
    switch (inst.op) {
        case IrOp::LoadAttr: push(attribute(pop())); return true;
        case IrOp::LoadMethod: {
            Expr* e = attribute(pop());
            push(make(ExprKind::Null));
            push(e);
            return true;
        }
        case IrOp::LoadSuperAttr:
        case IrOp::LoadSuperMethod: {
            Expr* self = pop();
            Expr* cls = pop();
            Expr* super = pop();
            Expr* call = make(ExprKind::Call, {super});
            if (inst.count) call->items.insert(call->items.end(), {cls, self});
            Expr* e = attribute(call);
            if (inst.op == IrOp::LoadSuperMethod) push(make(ExprKind::Null));
            push(e);
            return true;
        }
        case IrOp::StoreAttr: {
            Expr* target = attribute(pop());
            store(target, pop_raw());
            return true;
        }
        case IrOp::DeleteAttr: emit(StmtKind::Delete, {attribute(pop())}); return true;
        case IrOp::LoadSubscr: {
            Expr* key = pop();
            push(make(ExprKind::Subscript, {pop(), key}));
            return true;
        }
        case IrOp::StoreSubscr: {
            Expr* key = pop();
            Expr* object = pop();
            Expr* target = make(ExprKind::Subscript, {object, key});
            store(target, pop_raw());
            return true;
        }
        case IrOp::DeleteSubscr: {
            Expr* key = pop();
            emit(StmtKind::Delete, {make(ExprKind::Subscript, {pop(), key})});
            return true;
        }
        case IrOp::LoadSlice:
        case IrOp::StoreSlice: {
            Expr* upper = pop();
            Expr* lower = pop();
            Expr* object = pop();
            auto bound = [](Expr* e) {
                return e->kind == ExprKind::Constant && e->value->kind == Constant::Kind::None ? nullptr : e;
            };
            Expr*& first = bound(lower) ? lower : upper;
            if (function_.features->has_load_small_int && are_constants({lower, upper}))
                first = computed_late(tree_, first);
            Expr* slice = make(ExprKind::Slice, {bound(lower), bound(upper), nullptr});
            Expr* e = make(ExprKind::Subscript, {object, slice});
            if (inst.op == IrOp::LoadSlice)
                push(e);
            else
                store(e, pop_raw());
            return true;
        }
        default: return false;
    }
}

bool StackMachine::operators(const ir::Inst& inst) {
    switch (inst.op) {
        case IrOp::Unary: {
            Expr* e = make(ExprKind::UnaryOp, {pop()});
            e->unary = static_cast<ast::UnaryOperator>(inst.count);
            push(e);
            return true;
        }
        case IrOp::Binary:
        case IrOp::Inplace: {
            Expr* right = pop();
            Expr* left = pop();
            refuse_disorder({left, right});
            if (are_constants({left, right})) left = decided_late(tree_, *function_.features, left);
            Expr* e = make(ExprKind::BinOp, {left, right});
            e->binary = static_cast<ast::Operator>(inst.count);
            e->flag = inst.op == IrOp::Inplace;
            push(e);
            return true;
        }
        case IrOp::Compare: {
            Expr* right = pop();
            Expr* left = pop();
            Expr* e = make(ExprKind::Compare, {left, right});
            e->compare_ops = {static_cast<ast::CompareOperator>(inst.count)};
            push(e);
            return true;
        }
        case IrOp::ToBool: {  // not not x (3.13+)
            Expr* e = make(ExprKind::UnaryOp, {make(ExprKind::UnaryOp, {pop()})});
            e->unary = e->items[0]->unary = ast::UnaryOperator::Not;
            push(e);
            return true;
        }
        default: return false;
    }
}

// ---- statements

Stmt* StackMachine::emit(StmtKind kind, std::vector<Expr*> exprs) {
    const bool item = !exprs.empty() && exprs.back()->kind == ExprKind::ForItem;
    if (!item) spill();  // storing the item is the loop's own work, also inside an expression's comprehension
    Stmt* stmt = tree_.stmt(kind);
    stmt->exprs = std::move(exprs);
    stmt->code_index = context_.code_index;
    bool begun = false;  // what is taken off the stack first, such as the exception, is on the line of something before
    for (std::size_t i = statement_start_; i <= position_ && i < block_->insts.size(); ++i) {
        const ir::Inst& inst = function_.insts[static_cast<std::size_t>(block_->insts[i])];
        stmt->offsets.push_back(inst.offset);
        begun = begun || inst.op != IrOp::Pop;
        if (begun && inst.location.line > 0 && (stmt->line == 0 || inst.location.line < stmt->line))
            stmt->line = inst.location.line;
    }
    statement_start_ = position_ + 1;
    block_->statements.push_back(stmt);
    return stmt;
}

// Compiled code has nothing but markers on the stack when a statement ends; whatever else lies there is kept in
// temporaries so that it is evaluated now.
void StackMachine::spill() {
    if (!group_.empty()) return;
    for (std::size_t i = 0; i < stack_.size(); ++i) {
        Expr* e = stack_[i];
        if (is_marker(e) || e->kind == ExprKind::Constant ||
            (e->kind == ExprKind::Name && e->flag && e->name.rfind(kTemporary, 0) == 0))
            continue;
        if (e->kind == ExprKind::List || e->kind == ExprKind::Set || e->kind == ExprKind::Dict) {
            if (e->items.empty() && e->copies == 0) continue;  // a comprehension's accumulator
        }
        if (e->kind == ExprKind::BuildClass || e->kind == ExprKind::ImportModule || e->kind == ExprKind::ImportMember ||
            e->kind == ExprKind::UnpackItem || e->kind == ExprKind::WithEnter || e->kind == ExprKind::ForItem)
            continue;
        if (context_.refuse_hand_made) throw HandMade();
        Expr* temporary = tree_.name(fresh_name());
        temporary->flag = true;
        temporary->order = e->order;
        Stmt* stmt = tree_.stmt(StmtKind::Assign);
        stmt->exprs = {temporary, as_value(e)};
        stmt->code_index = context_.code_index;
        stmt->line = inst_->location.line;
        block_->statements.push_back(stmt);
        for (std::size_t k = i; k < stack_.size(); ++k) {
            if (stack_[k] == e) stack_[k] = temporary;
        }
    }
}

// 3.12+: of several stores to one variable in a row, `a, a = x`, all but the last become POP_TOP.
Expr* StackMachine::dead_target() {
    for (std::size_t i = position_ + 1; i < block_->insts.size(); ++i) {
        const ir::Inst& inst = function_.insts[static_cast<std::size_t>(block_->insts[i])];
        if (inst.op == IrOp::StoreFast) return name(inst.name);
        if (inst.op != IrOp::Pop) break;
    }
    return tree_.name("_");
}

// A value that `return` has computed lies on top while the exception is dropped; a constant is loaded behind that.
void StackMachine::keep_over_exception() {
    if (stack_.back()->kind != ExprKind::Constant || position_ + 1 >= block_->insts.size()) return;
    const IrOp next = function_.insts[static_cast<std::size_t>(block_->insts[position_ + 1])].op;
    if (next == IrOp::PopExcept || next == IrOp::Pop)
        stack_.back() = decided_late(tree_, *function_.features, stack_.back());
}

void StackMachine::drop(Expr* value) {
    switch (value->kind) {
        case ExprKind::Null:
        case ExprKind::Iterator:
        case ExprKind::WithExit:
        case ExprKind::Exception:
        case ExprKind::Opaque:
        case ExprKind::WithEnter:
        case ExprKind::MatchSubject:
        case ExprKind::ImportMember: return;
        case ExprKind::UnpackItem: store(dead_target(), value); return;
        case ExprKind::ForItem: {
            Stmt* stmt = emit(StmtKind::Assign, {tree_.name("_"), value});
            stmt->flag = true;
            return;
        }
        default: break;
    }
    if (value->kind == ExprKind::ImportModule) {
        if (!value->flag) return;  // `import a.b as c` drops the package
        Stmt* stmt = emit(StmtKind::ImportFrom);
        stmt->name = value->name;
        stmt->number = value->number;
        stmt->flag = value->is_and;
        for (const ast::Keyword& k : value->keywords)
            stmt->aliases.push_back({k.name, k.value ? k.value->name : k.name});
        return;
    }
    if (value->copies > 0) {  // its other copy is used
        --value->copies;
        return;
    }
    value = as_value(value);
    emit(StmtKind::Expr, {value->kind == ExprKind::Constant ? decided_late(tree_, *function_.features, value) : value});
}

}  // namespace depyf
