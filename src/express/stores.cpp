// STORE_*: assignments of every form, and the other statements that end in a store (def, class, import, for, with).
#include <algorithm>

#include "express/stack_machine.h"
#include "lift/lift.h"

namespace depyf {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

// A def or class behind its decorators: the innermost Function or class call, null where the value is something else.
Expr* decorated(Expr* value, std::vector<Expr*>& decorators) {
    while (value->kind == ExprKind::Call && value->items.size() == 2 && value->keywords.empty() && value->items[1] &&
           value->items[0]->kind != ExprKind::BuildClass && value->items[0]->kind != ExprKind::Function) {
        Expr* inner = value->items[1];
        if (inner->kind != ExprKind::Call && inner->kind != ExprKind::Function) return nullptr;
        decorators.push_back(value->items[0]);
        value = inner;
    }
    return value;
}

bool is_class(const Expr* e) {
    return e->kind == ExprKind::Call && e->items[0]->kind == ExprKind::BuildClass;
}
bool is_generic(const Expr* e) {
    return e->kind == ExprKind::Call && e->items[0]->kind == ExprKind::Function &&
           e->items[0]->function->code->name.rfind("<generic parameters of ", 0) == 0;
}

}  // namespace

Expr* StackMachine::unpack_target(Expr* unpack) {
    Expr* target = make(ExprKind::Tuple);
    for (std::size_t i = 1; i < unpack->items.size(); ++i) {
        Expr* element = unpack->items[i];
        target->items.push_back(unpack->number == i ? make(ExprKind::Starred, {element}) : element);
    }
    return target;
}

void StackMachine::store(Expr* target, Expr* value) {
    switch (value->kind) {
        case ExprKind::UnpackItem: {
            Expr* unpack = value->items[0];
            unpack->items[value->number + 1] = target;
            if (std::find(unpack->items.begin() + 1, unpack->items.end(), nullptr) == unpack->items.end()) {
                store(unpack_target(unpack), unpack->items[0]);
            }
            return;
        }
        case ExprKind::ImportModule: {
            Stmt* stmt = emit(StmtKind::Import);
            const std::string head = value->name.substr(0, value->name.find('.'));
            stmt->aliases.push_back({value->name, target->name == head ? "" : target->name});
            stmt->flag = value->is_and;
            return;
        }
        case ExprKind::ImportMember: {
            Expr* module = value;
            while (module->kind == ExprKind::ImportMember) module = module->items[0];
            if (module->flag) {
                module->keywords.push_back({value->name, target});
                return;
            }
            Stmt* stmt = emit(StmtKind::Import);
            stmt->aliases.push_back({module->name, target->name});
            stmt->flag = module->is_and;
            return;
        }
        case ExprKind::ForItem:
        case ExprKind::WithEnter:
        case ExprKind::Exception: emit(StmtKind::Assign, {target, value}); return;
        default: break;
    }
    const bool alias = value->kind == ExprKind::Opaque;   // of a type: no other opaque value is stored
    if (target->kind == ExprKind::Name &&
        (value->kind == ExprKind::Function || value->kind == ExprKind::Call || alias)) {
        std::vector<Expr*> decorators;
        Expr* inner = decorated(value, decorators);
        Stmt* stmt = nullptr;
        if (inner && (alias || is_generic(inner)))
            stmt = context_.nested->generic(inner);
        else if (inner && is_class(inner))
            stmt = context_.nested->class_definition(inner);
        else if (inner && inner->kind == ExprKind::Function)
            stmt = context_.nested->definition(inner);
        if (stmt && stmt->name == target->name) {
            Stmt* placed = emit(stmt->kind);
            stmt->offsets = placed->offsets;
            if (stmt->line == 0) stmt->line = placed->line;
            stmt->code_index = placed->code_index;
            stmt->decorators = std::move(decorators);
            block_->statements.back() = stmt;
            return;
        }
    }
    finish_store(target, value);
}

// The values that lie on the stack belong to one `a, b = x, y` when stores and nothing else take them all away.
bool StackMachine::stores_everything_pending() const {
    std::size_t left = pending();
    int extra = 0;
    for (std::size_t i = position_ + 1; i < block_->insts.size() && left > 0; ++i) {
        switch (function_.insts[static_cast<std::size_t>(block_->insts[i])].op) {
            case IrOp::StoreFast:
            case IrOp::StoreName:
            case IrOp::StoreGlobal:
            case IrOp::StoreDeref: --left; break;
            case IrOp::StoreAttr:
                if (extra < 1) return false;
                extra -= 1;
                --left;
                break;
            case IrOp::StoreSubscr:
                if (extra < 2) return false;
                extra -= 2;
                --left;
                break;
            case IrOp::StoreSlice:
                if (extra < 3) return false;
                extra -= 3;
                --left;
                break;
            case IrOp::UnpackSequence:
            case IrOp::UnpackEx: left += function_.insts[static_cast<std::size_t>(block_->insts[i])].count - 1; break;
            case IrOp::LoadFast:
            case IrOp::LoadName:
            case IrOp::LoadGlobal:
            case IrOp::LoadDeref:
            case IrOp::Const: ++extra; break;
            case IrOp::LoadAttr: break;
            case IrOp::LoadSubscr:
            case IrOp::Binary: --extra; break;
            case IrOp::BuildSlice:
            case IrOp::BuildTuple:
            case IrOp::PushNull:
            case IrOp::LoadMethod:
            case IrOp::Call:
                extra += lifting::stack_effect(function_, function_.insts[static_cast<std::size_t>(block_->insts[i])],
                                               false);
                if (extra < 0) return false;
                break;
            case IrOp::Swap:
            case IrOp::Rotate:
            case IrOp::Nop:
            case IrOp::Unary: break;
            default: return false;
        }
    }
    return left == 0;
}

void StackMachine::finish_store(Expr* target, Expr* value) {
    if (!stack_.empty()) {
        Expr* top = stack_.back();
        const bool again = top == value;
        if (again && value->kind != ExprKind::AssignChain) {
            --value->copies;
            Expr* chain = make(ExprKind::AssignChain, {value, target});
            chain->order = value->order;
            stack_.back() = chain;
            return;
        }
        if (again) {
            --value->copies;
            value->items.push_back(target);
            return;
        }
    }
    std::vector<Expr*> targets;
    if (value->kind == ExprKind::AssignChain) {
        targets.assign(value->items.begin() + 1, value->items.end());
        value = value->items[0];
    }
    targets.push_back(target);
    value = as_value(value);
    const bool grouping = !group_.empty() || (pending() > 0 && targets.size() == 1 && stores_everything_pending());
    if (grouping) {
        group_.emplace_back(target, value);
        if (pending() > 0) return;
        std::vector<std::pair<Expr*, Expr*>> group;
        group.swap(group_);
        if (group.size() > 1) {
            std::stable_sort(group.begin(), group.end(),
                             [](const auto& a, const auto& b) { return a.second->order < b.second->order; });
            Expr* left = make(ExprKind::Tuple);
            Expr* right = make(ExprKind::Tuple);
            for (const auto& [t, v] : group) {
                left->items.push_back(t);
                right->items.push_back(v);
            }
            emit_assign({left}, right);
            return;
        }
    }
    emit_assign(std::move(targets), value);
}

void StackMachine::emit_assign(std::vector<Expr*> targets, Expr* value) {
    if (value->kind == ExprKind::BinOp && value->flag && targets.size() == 1) {
        Stmt* stmt = emit(StmtKind::AugAssign, {targets[0], value->items[1]});
        stmt->binary = value->binary;
        return;
    }
    targets.push_back(value);
    emit(StmtKind::Assign, std::move(targets));
}

}  // namespace depyf
