// Patterns of `match` statements as syntax.
#include "express/stack_machine.h"

namespace depyf {

using ast::Expr;
using ast::ExprKind;
using ast::Pattern;

Expr* StackMachine::pattern_value(const ir::PatternValue& from) {
    if (from.constant) {
        Expr* e = make(ExprKind::Constant);
        e->value = from.constant;
        return e;
    }
    Expr* e = name(from.dotted.at(0));
    for (std::size_t i = 1; i < from.dotted.size(); ++i) {
        Expr* attribute = make(ExprKind::Attribute, {e});
        attribute->name = name(from.dotted[i])->name;
        e = attribute;
    }
    return e;
}

Pattern* StackMachine::pattern(const ir::Pattern& from) {
    Pattern* p = tree_.pattern(from.kind);
    if (from.value.constant || !from.value.dotted.empty()) p->value = pattern_value(from.value);
    if (from.name) p->name = name(from.name)->name;
    for (const ir::PatternValue& key : from.keys) p->keys.push_back(pattern_value(key));
    for (const ir::Pattern& part : from.patterns) p->patterns.push_back(pattern(part));
    for (const std::string* keyword : from.keyword_names) p->keyword_names.push_back(*keyword);
    return p;
}

// The subject stays on the stack as a marker until the instructions drop it; only the first case evaluates it.
void StackMachine::match_case(const ir::Inst& inst) {
    Expr* subject = pop_raw();
    if (subject->kind != ExprKind::MatchSubject) {
        Expr* value = as_value(subject);
        subject = make(ExprKind::MatchSubject, {value});
        subject->order = value->order;
    }
    block_->exit = Exit::Case;
    block_->value = subject;
    block_->pattern = pattern(function_.patterns[inst.count]);
    if (!inst.flag) stack_.push_back(subject);
    block_->out = block_->target_out = stack_;
}

}  // namespace depyf
