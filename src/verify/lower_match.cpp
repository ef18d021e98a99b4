// match. Source: compiler_match, compiler_pattern and what they call in CPython Python/compile.c.
#include <algorithm>

#include "base/error.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;
using ast::Pattern;
using ast::PatternKind;
using ast::Stmt;
using ir::Op;

namespace {

bool is_wildcard(const Pattern* p) {
    return p->kind == PatternKind::As && p->patterns.empty() && p->name.empty();
}

bool is_star(const Pattern* p) {
    return p->kind == PatternKind::Star;
}

}  // namespace

// Where a pattern fails, with `pops` items on the stack that are not wanted any more.
Label Lowerer::fail_label(PatternContext& context, std::size_t pops) {
    while (context.fail.size() < pops + 1) context.fail.push_back(out_.label());
    return context.fail[pops];
}

void Lowerer::jump_to_fail(PatternContext& context, bool when) {
    out_.branch(when, fail_label(context, context.on_top + context.stores.size()));
}

// Ladder of POP_TOPs into which the failures jump.
void Lowerer::emit_fail_pops(PatternContext& context) {
    if (context.fail.empty()) return;
    for (std::size_t i = context.fail.size() - 1; i > 0; --i) {
        out_.place(context.fail[i]);
        out_.pop();
    }
    out_.place(context.fail[0]);
    context.fail.clear();
}

void Lowerer::match_statement(const Stmt* stmt) {
    expression(stmt->exprs[0]);
    const Label end = out_.label();
    const std::int32_t depth = out_.depth();   // the subject lies on top
    const std::size_t count = stmt->cases.size();
    const ast::MatchCase& last = stmt->cases.back();
    const bool has_default = is_wildcard(last.pattern) && count > 1;
    for (std::size_t i = 0; i < count - (has_default ? 1 : 0); ++i) {
        const ast::MatchCase& c = stmt->cases[i];
        out_.set_depth(depth);
        const bool copies = i + 1 != count - (has_default ? 1 : 0);
        if (copies) out_.copy(1);
        PatternContext context;
        context.allow_irrefutable = c.guard || i + 1 == count;
        pattern(c.pattern, context);
        for (const Name name : context.stores) store(name);
        if (c.guard) jump_if(c.guard, fail_label(context, 0), false);
        if (copies) out_.pop();
        const std::int32_t in_body = out_.depth();
        body(c.body);
        out_.jump(end);
        out_.set_depth(in_body);
        emit_fail_pops(context);
    }
    if (has_default) {
        out_.set_depth(depth);
        // the subject has no copy where only the default is left
        if (count == 1) out_.pop();
        if (last.guard) jump_if(last.guard, end, false);
        body(last.body);
    }
    out_.place(end);
    out_.set_depth(depth - 1);
}

void Lowerer::pattern(const Pattern* p, PatternContext& context) {
    if (++depth_ > 500) throw Error(-1, "patterns are nested too deeply");
    switch (p->kind) {
        case PatternKind::Value:
            pattern_value(p->value);
            out_.emit(Op::Compare, static_cast<std::uint32_t>(ast::CompareOperator::Eq));
            jump_to_fail(context, false);
            break;
        case PatternKind::Singleton: pattern_singleton(p, context); break;
        case PatternKind::Sequence: pattern_sequence(p, context); break;
        case PatternKind::Mapping: pattern_mapping(p, context); break;
        case PatternKind::Class: pattern_class(p, context); break;
        case PatternKind::Star: pattern_store(p->name, context); break;
        case PatternKind::As: pattern_as(p, context); break;
        case PatternKind::Or: pattern_or(p, context); break;
    }
    --depth_;
}

void Lowerer::pattern_value(const Expr* e) {
    if (e->kind != ExprKind::Constant && e->kind != ExprKind::Attribute)
        throw Error(-1, "a value pattern that is none");
    if (e->kind == ExprKind::Constant && e->value->kind == Constant::Kind::Tuple)
        throw Error(-1, "a tuple as a pattern");
    expression(e);
}

void Lowerer::pattern_singleton(const Pattern* p, PatternContext& context) {
    const bool none = p->value->kind == ExprKind::Constant && p->value->value->kind == Constant::Kind::None;
    if (none &&
        features().has_exception_table) {   // LOAD_CONST None; IS_OP; POP_JUMP_IF_FALSE  =>  POP_JUMP_IF_NOT_NONE
        out_.branch_none(false, fail_label(context, context.on_top + context.stores.size()));
        return;
    }
    expression(p->value);
    out_.emit(Op::Compare, static_cast<std::uint32_t>(ast::CompareOperator::Is));
    jump_to_fail(context, false);
}

// The top of the stack is what `name` will get; it stays there, below what is still to be matched.
void Lowerer::pattern_store(const std::string& name, PatternContext& context) {
    if (name.empty()) {
        out_.pop();
        return;
    }
    const Name bound = mangled(name);
    if (std::find(context.stores.begin(), context.stores.end(), bound) != context.stores.end())
        throw Error(-1, "a pattern that binds a name twice");
    out_.emit(Op::Rotate, static_cast<std::uint32_t>(context.on_top + context.stores.size() + 1));
    context.stores.push_back(bound);
}

void Lowerer::pattern_as(const Pattern* p, PatternContext& context) {
    if (p->patterns.empty()) {
        if (!context.allow_irrefutable) throw Error(-1, "a pattern that always matches and is not the last");
        pattern_store(p->name, context);
        return;
    }
    ++context.on_top;
    out_.copy(1);
    pattern(p->patterns[0], context);
    --context.on_top;
    pattern_store(p->name, context);
}

void Lowerer::pattern_subpattern(const Pattern* p, PatternContext& context) {
    const bool outer = std::exchange(context.allow_irrefutable, true);
    pattern(p, context);
    context.allow_irrefutable = outer;
}

void Lowerer::pattern_sequence(const Pattern* p, PatternContext& context) {
    const auto size = static_cast<std::uint32_t>(p->patterns.size());
    const auto star =
        static_cast<std::uint32_t>(std::find_if(p->patterns.begin(), p->patterns.end(), is_star) - p->patterns.begin());
    const bool starred = star < size;
    const bool only_wildcards = std::all_of(p->patterns.begin(), p->patterns.end(), [](const Pattern* inner) {
        return is_wildcard(inner) || (is_star(inner) && inner->name.empty());
    });
    const bool star_wildcard = starred && p->patterns[star]->name.empty();
    ++context.on_top;
    out_.emit(Op::MatchSequence);
    jump_to_fail(context, false);
    if (!starred || size > 1) {
        out_.emit(Op::GetLen);
        out_.constant(number(starred ? size - 1 : size));
        out_.emit(Op::Compare,
                  static_cast<std::uint32_t>(starred ? ast::CompareOperator::GtE : ast::CompareOperator::Eq));
        jump_to_fail(context, false);
    }
    --context.on_top;
    if (only_wildcards)
        out_.pop();
    else if (star_wildcard)
        sequence_by_index(p, star, context);
    else
        sequence_by_unpacking(p, context);
}

void Lowerer::sequence_by_unpacking(const Pattern* p, PatternContext& context) {
    const auto size = static_cast<std::uint32_t>(p->patterns.size());
    const auto star =
        static_cast<std::uint32_t>(std::find_if(p->patterns.begin(), p->patterns.end(), is_star) - p->patterns.begin());
    if (star < size)
        out_.emit(Op::UnpackEx, star | (size - star - 1) << 8);
    else
        out_.emit(Op::UnpackSequence, size);
    context.on_top += size;
    for (const Pattern* inner : p->patterns) {
        --context.on_top;
        pattern_subpattern(inner, context);
    }
}

// [a, *_, b]: items by index, the sequence stays whole.
void Lowerer::sequence_by_index(const Pattern* p, std::uint32_t star, PatternContext& context) {
    ++context.on_top;
    const auto size = static_cast<std::uint32_t>(p->patterns.size());
    for (std::uint32_t i = 0; i < size; ++i) {
        const Pattern* inner = p->patterns[i];
        if (is_wildcard(inner) || i == star) continue;
        out_.copy(1);
        if (i < star) {
            out_.constant(number(i));
        } else {
            out_.emit(Op::GetLen);
            out_.constant(number(size - i));
            out_.emit(Op::Binary, static_cast<std::uint32_t>(ast::Operator::Sub));
        }
        out_.emit(Op::LoadSubscr);
        pattern_subpattern(inner, context);
    }
    --context.on_top;
    out_.pop();
}

void Lowerer::pattern_class(const Pattern* p, PatternContext& context) {
    expression(p->value);
    Constant names;
    names.kind = Constant::Kind::Tuple;
    for (const std::string& name : p->keyword_names) names.items.push_back(*text(name));
    const std::size_t positional = p->patterns.size() - p->keyword_names.size();
    out_.constant(keep(std::move(names)));
    out_.emit(Op::MatchClass, static_cast<std::uint32_t>(positional));
    ++context.on_top;
    if (features().has_exception_table) {
        out_.copy(1);
        out_.branch_none(true, fail_label(context, context.on_top + context.stores.size()));
    } else {
        jump_to_fail(context, false);   // 3.10
    }
    const auto size = static_cast<std::uint32_t>(p->patterns.size());
    if (!features().has_exception_table) {
        class_by_index(p, context);
        return;
    }
    out_.emit(Op::UnpackSequence, size);
    context.on_top += size;
    --context.on_top;
    for (const Pattern* inner : p->patterns) {
        --context.on_top;
        if (is_wildcard(inner))
            out_.pop();
        else
            pattern_subpattern(inner, context);
    }
}

// 3.10: the tuple of attributes stays on the stack.
void Lowerer::class_by_index(const Pattern* p, PatternContext& context) {
    for (std::size_t i = 0; i < p->patterns.size(); ++i) {
        const Pattern* inner = p->patterns[i];
        if (is_wildcard(inner)) continue;
        out_.copy(1);
        out_.constant(number(static_cast<std::uint32_t>(i)));
        out_.emit(Op::LoadSubscr);
        pattern_subpattern(inner, context);
    }
    --context.on_top;
    out_.pop();
}

void Lowerer::pattern_mapping(const Pattern* p, PatternContext& context) {
    if (!features().has_exception_table) throw Error(-1, "a mapping pattern of this version");
    const auto size = static_cast<std::uint32_t>(p->patterns.size());
    const bool rest = !p->name.empty();
    ++context.on_top;
    out_.emit(Op::MatchMapping);
    jump_to_fail(context, false);
    if (size == 0 && !rest) {
        --context.on_top;
        out_.pop();
        return;
    }
    if (size > 0) {
        out_.emit(Op::GetLen);
        out_.constant(number(size));
        out_.emit(Op::Compare, static_cast<std::uint32_t>(ast::CompareOperator::GtE));
        jump_to_fail(context, false);
    }
    for (const Expr* key : p->keys) pattern_value(key);
    build_tuple(size);
    out_.emit(Op::MatchKeys);
    context.on_top += 2;
    out_.copy(1);
    out_.branch_none(true, fail_label(context, context.on_top + context.stores.size()));
    out_.emit(Op::UnpackSequence, size);
    context.on_top += size;
    --context.on_top;
    for (const Pattern* inner : p->patterns) {
        --context.on_top;
        pattern_subpattern(inner, context);
    }
    context.on_top -= 2;
    if (rest) {
        mapping_rest(size);
        pattern_store(p->name, context);
    } else {
        out_.pop();
        out_.pop();
    }
}

// {**subject} without the keys; the subject and the keys lie on top.
void Lowerer::mapping_rest(std::uint32_t size) {
    out_.emit(Op::BuildMap, 0);
    out_.swap(3);
    out_.emit(Op::DictUpdate, 2);
    out_.emit(Op::UnpackSequence, size);
    while (size) {
        out_.copy(1 + size--);
        out_.swap(2);
        out_.emit(Op::DeleteSubscr);
    }
}

void Lowerer::pattern_or(const Pattern* p, PatternContext& context) {
    const Label end = out_.label();
    PatternContext outer = std::move(context);
    std::vector<Name> control;
    const std::int32_t depth = out_.depth();
    std::int32_t after = depth;
    for (std::size_t i = 0; i < p->patterns.size(); ++i) {
        const Pattern* alternative = p->patterns[i];
        PatternContext own;
        own.allow_irrefutable = i + 1 == p->patterns.size() && outer.allow_irrefutable;
        out_.set_depth(depth);
        out_.copy(1);
        pattern(alternative, own);
        if (i == 0)
            control = own.stores;
        else
            reorder_captures(control, own.stores);
        out_.jump(end);
        after = out_.depth();
        emit_fail_pops(own);
    }
    context = std::move(outer);
    out_.set_depth(depth);
    out_.pop();
    out_.jump(fail_label(context, context.on_top + context.stores.size()));
    out_.place(end);
    out_.set_depth(after);
    const auto captures = static_cast<std::uint32_t>(control.size());
    const auto rotated = static_cast<std::uint32_t>(captures + 1 + context.on_top + context.stores.size());
    for (const Name name : control) {
        out_.emit(Op::Rotate, rotated);
        if (std::find(context.stores.begin(), context.stores.end(), name) != context.stores.end())
            throw Error(-1, "a pattern that binds a name twice");
        context.stores.push_back(name);
    }
    out_.pop();
}

// Brings the captures of an alternative into the order of the first one's.
void Lowerer::reorder_captures(const std::vector<Name>& control, std::vector<Name>& stores) {
    if (control.size() != stores.size()) throw Error(-1, "alternatives that bind other names");
    for (std::size_t i = control.size(); i-- > 0;) {
        const auto found = std::find(stores.begin(), stores.end(), control[i]);
        if (found == stores.end()) throw Error(-1, "alternatives that bind other names");
        const auto at = static_cast<std::size_t>(found - stores.begin());
        if (at == i) continue;
        const std::size_t rotations = at + 1;
        std::vector<Name> rotated(stores.begin(), stores.begin() + static_cast<std::ptrdiff_t>(rotations));
        stores.erase(stores.begin(), stores.begin() + static_cast<std::ptrdiff_t>(rotations));
        stores.insert(stores.begin() + static_cast<std::ptrdiff_t>(i - at), rotated.begin(), rotated.end());
        for (std::size_t k = 0; k < rotations; ++k) out_.emit(Op::Rotate, static_cast<std::uint32_t>(i + 1));
    }
}

}  // namespace depyf::verify
