// Calls, functions and imports.
#include <algorithm>

#include "base/error.h"
#include "base/identifier.h"
#include "express/stack_machine.h"

namespace depyf {

using ast::Expr;
using ast::ExprKind;
using ast::StmtKind;

namespace {

bool is_comprehension(const Expr* e) {
    if (e->kind != ExprKind::Function) return false;
    const std::string& name = e->function->code->name;
    return name == "<listcomp>" || name == "<setcomp>" || name == "<dictcomp>" || name == "<genexpr>";
}

bool can_be_keyword(const Expr* key) {
    return key->kind == ExprKind::Constant && key->value->kind == Constant::Kind::Str &&
           is_identifier(key->value->text);
}

}  // namespace

bool StackMachine::calls(const ir::Inst& inst) {
    switch (inst.op) {
        case IrOp::Call: call(inst, nullptr); return true;
        case IrOp::CallKeywords: {
            Expr* names = pop();
            call(inst, names);
            return true;
        }
        case IrOp::CallEx: call_ex(inst); return true;
        case IrOp::BuildClass: push(make(ExprKind::BuildClass)); return true;
        case IrOp::MakeFunction: {
            if (inst.flag) pop();   // the qualified name
            Expr* code = pop();
            if (code->kind != ExprKind::Constant || code->value->kind != Constant::Kind::Code) {
                throw Error(inst.offset, "MAKE_FUNCTION without a code object");
            }
            ast::FunctionValue* function = tree_.function();
            function->code = code->value->code.get();
            if (inst.count & 8) pop();   // the cells follow from the code's names
            if (inst.count & 4) function->annotations = pop();
            if (inst.count & 2) function->kwdefaults = pop();
            if (inst.count & 1) function->defaults = pop();
            Expr* e = make(ExprKind::Function);
            e->function = function;
            push(e);
            return true;
        }
        case IrOp::SetFunctionAttribute: {
            Expr* function = pop_raw();
            Expr* value = pop_raw();
            if (function->kind != ExprKind::Function)
                throw Error(inst.offset, "SET_FUNCTION_ATTRIBUTE without a function");
            if (inst.count == 1)
                function->function->defaults = value;
            else if (inst.count == 2)
                function->function->kwdefaults = value;
            else if (inst.count == 4)
                function->function->annotations = value;
            else if (inst.count == 16)
                function->function->annotate = value;
            stack_.push_back(function);
            return true;
        }
        case IrOp::PrintExpr: emit(StmtKind::Expr, {pop()}); return true;
        case IrOp::Intrinsic1: {
            Expr* e = make(ExprKind::Opaque, {pop_raw()});
            e->name = *inst.name;
            push(e);
            return true;
        }
        case IrOp::Intrinsic2: {
            Expr* second = pop_raw();
            Expr* e = make(ExprKind::Opaque, {pop_raw(), second});
            e->name = *inst.name;
            push(e);
            return true;
        }
        default: return imports(inst);
    }
}

void StackMachine::call(const ir::Inst& inst, Expr* names) {
    std::size_t count = inst.count;
    const Constant* keys = names ? (names->kind == ExprKind::Constant ? names->value : nullptr) : inst.value;
    if (names && !keys) throw Error(inst.offset, "keyword names are no constant");
    Expr* iterable = count == 1 ? peek(1) : nullptr;   // a comprehension takes its iterator as it is
    std::vector<Expr*> args =
        iterable && iterable->kind == ExprKind::Iterator ? std::vector<Expr*>{pop_raw()} : pop_values(count);
    Expr* callee = pop_raw();
    if (inst.flag) {
        Expr* below = pop_raw();
        if (callee->kind == ExprKind::WithExit || below->kind == ExprKind::WithExit) {
            callee = below->kind == ExprKind::WithExit ? below : callee;
        } else if (callee->kind == ExprKind::Null) {
            callee = below;
        } else if (below->kind != ExprKind::Null) {
            args.insert(args.begin(), raw_argument(callee));
            callee = below;
        }
    }
    if (!is_comprehension(callee)) {
        for (Expr*& arg : args) arg = arg->kind == ExprKind::Iterator ? as_value(arg) : arg;
    }
    if (callee->kind == ExprKind::WithExit) {
        Expr* e = make(ExprKind::Opaque);
        e->name = "with exit";
        push(e);
        return;
    }
    std::vector<ast::Keyword> keywords;
    if (keys) {
        const std::size_t k = keys->items.size();
        if (k > args.size()) throw Error(inst.offset, "more keyword names than arguments");
        for (std::size_t i = 0; i < k; ++i) keywords.push_back({keys->items[i].text, args[args.size() - k + i]});
        args.resize(args.size() - k);
    }
    push(finish_call(callee, std::move(args), std::move(keywords)));
}

Expr* StackMachine::raw_argument(Expr* e) {
    // 3.11+: a decorated function or a comprehension's iterable lies where a method's self would
    const bool lambda = e->kind == ExprKind::Function && e->function->code->name == "<lambda>";
    if (e->kind == ExprKind::Iterator || (e->kind == ExprKind::Function && !lambda)) return e;
    return as_value(e);
}

Expr* StackMachine::finish_call(Expr* callee, std::vector<Expr*> args, std::vector<ast::Keyword> keywords) {
    if (is_comprehension(callee) && args.size() == 1 && keywords.empty()) {
        if (Expr* e = context_.nested->comprehension(callee, args[0])) {
            e->location = inst_->location;
            return e;
        }
    }
    if (callee->kind != ExprKind::BuildClass && callee->kind != ExprKind::Function) callee = as_value(callee);
    if (callee->kind == ExprKind::Function && callee->function->code->name.rfind("<generic parameters of", 0) != 0)
        callee = as_value(callee);
    Expr* e = make(ExprKind::Call, {callee});
    e->items.insert(e->items.end(), args.begin(), args.end());
    e->keywords = std::move(keywords);
    return e;
}

// The arguments that a tuple or list stands for. `always`: a display without starred parts is taken apart as well.
void StackMachine::splice_positional(Expr* args, std::vector<Expr*>& out, bool always) {
    const bool display = args->kind == ExprKind::Tuple || args->kind == ExprKind::List;
    if (display && (always || args->flag)) {
        out.insert(out.end(), args->items.begin(), args->items.end());
    } else if (args->kind == ExprKind::Constant && args->value->kind == Constant::Kind::Tuple && always) {
        for (const Constant& item : args->value->items) out.push_back(tree_.constant(&item));
    } else {
        out.push_back(make(ExprKind::Starred, {args}));
    }
}

// Every key of the display can be written as `name=`.
bool names_keywords(const Expr* dict) {
    if (dict->kind != ExprKind::Dict || dict->items.empty()) return false;
    for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2) {
        if (!dict->items[i] || !can_be_keyword(dict->items[i])) return false;
    }
    return true;
}

void StackMachine::add_keywords(Expr* dict, std::vector<ast::Keyword>& keywords) {
    const bool display = dict->kind == ExprKind::Dict && !dict->items.empty();
    bool unpacks = false;
    for (std::size_t i = 0; display && i + 1 < dict->items.size(); i += 2) unpacks = unpacks || !dict->items[i];
    if (!unpacks && !names_keywords(dict)) {
        keywords.push_back({"", dict});
        return;
    }
    for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2) {
        Expr* key = dict->items[i];
        if (!key)
            keywords.push_back({"", dict->items[i + 1]});
        else if (can_be_keyword(key))
            keywords.push_back({key->value->text, dict->items[i + 1]});
        else
            keywords.push_back({"", make(ExprKind::Dict, {key, dict->items[i + 1]})});
    }
}

void StackMachine::call_ex(const ir::Inst& inst) {
    std::vector<ast::Keyword> keywords;
    bool has_keywords = false;
    Expr* dict = nullptr;
    if (inst.count & 1) {
        dict = pop_raw();
        if (dict->kind != ExprKind::Null) {
            has_keywords = true;
            dict = as_value(dict);
            add_keywords(dict, keywords);
        }
    }
    Expr* packed = pop();
    Expr* callee = pop_raw();
    if (inst.count & 2) {
        Expr* below = pop_raw();
        if (callee->kind == ExprKind::Null) callee = below;
    }
    std::vector<Expr*> args;
    // a list was behind a star, and an empty constant where no arguments at all are none
    const bool empty = packed->kind == ExprKind::Constant && packed->value->items.empty();
    const bool display = packed->kind != ExprKind::List && (!empty || function_.features->empty_tuple_folded);
    splice_positional(packed, args, has_keywords && display);
    // up to 3.8 one display behind `**` reaches the call as it is; without any star this would be another call
    const bool starred =
        std::any_of(args.begin(), args.end(), [](const Expr* e) { return e->kind == ExprKind::Starred; }) ||
        std::any_of(keywords.begin(), keywords.end(), [](const ast::Keyword& k) { return k.name.empty(); });
    if (has_keywords && !starred && function_.features->list_unpack_build) keywords = {{"", dict}};
    push(finish_call(callee, std::move(args), std::move(keywords)));
}

bool StackMachine::imports(const ir::Inst& inst) {
    switch (inst.op) {
        case IrOp::ImportName: {
            Expr* from = pop();
            Expr* level = pop();
            Expr* e = make(ExprKind::ImportModule);
            e->name = *inst.name;
            e->flag = from->kind == ExprKind::Constant && from->value->kind == Constant::Kind::Tuple;
            e->is_and = inst.count & 1;
            e->number = level->kind == ExprKind::Constant && level->value->kind == Constant::Kind::Int
                            ? static_cast<std::uint32_t>(std::stoul(level->value->text))
                            : 0;
            push(e);
            return true;
        }
        case IrOp::ImportFrom: {
            Expr* e = make(ExprKind::ImportMember, {peek(1)});
            e->name = name(inst.name)->name;   // mangled, unlike the names of the `from` list
            push(e);
            return true;
        }
        case IrOp::ImportStar: {
            Expr* module = pop_raw();
            ast::Stmt* stmt = emit(StmtKind::ImportFrom);
            stmt->name = module->name;
            stmt->number = module->number;
            stmt->aliases.push_back({"*", ""});
            return true;
        }
        default: return false;
    }
}

}  // namespace depyf
