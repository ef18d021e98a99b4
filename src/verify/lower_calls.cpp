// Calls. Source: compiler_call, compiler_call_helper in CPython Python/compile.c.
#include <algorithm>

#include "base/error.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;
using ir::Op;

namespace {

constexpr std::size_t kStackUse = 30;   // STACK_USE_GUIDELINE

bool has_star(const std::vector<Expr*>& items) {
    return std::any_of(items.begin(), items.end(), [](const Expr* i) { return i->kind == ExprKind::Starred; });
}

bool unpacks(const std::vector<ast::Keyword>& keywords) {
    return std::any_of(keywords.begin(), keywords.end(), [](const ast::Keyword& k) { return k.name.empty(); });
}

}  // namespace

void Lowerer::push_null_before() {
    if (features().unified_call && !features().callable_before_null) out_.emit(Op::PushNull);
}

void Lowerer::push_null_behind() {
    if (features().callable_before_null) out_.emit(Op::PushNull);
}

// A call instruction: the emitter cannot know its stack effect before its operands are there.
ir::Inst& Lowerer::call_op(Op op, std::uint32_t count, bool flag) {
    ir::Inst& inst = out_.emit(op, count);
    inst.flag = flag;
    out_.set_depth(out_.depth() - static_cast<std::int32_t>(count) - (flag ? 1 : 0) - (op == Op::CallKeywords ? 1 : 0));
    return inst;
}

void Lowerer::call(const Expr* e) {
    if (method_call(e)) return;
    const std::vector<Expr*> items(e->items.begin() + 1, e->items.end());
    push_null_before();
    expression(e->items[0]);
    push_null_behind();
    call_arguments(0, items, e->keywords, features().unified_call);
}

// From 3.11 on attributes of what the module imports are no methods.
bool Lowerer::imported(const Expr* e) const {
    if (!features().unified_call || e->kind != ExprKind::Name) return false;
    const Scope& module = program_.scopes.scopes[0];
    if (features().comprehension_hides_imports && !inlined_.empty() && unit_.kind == UnitKind::Module) return false;
    const Symbol* symbol = module.find(program_.names.intern(e->name));
    return module.type == ScopeType::Module && symbol && (symbol->flags & kImported);
}

bool Lowerer::method_call(const Expr* e) {
    const Expr* method = e->items[0];
    if (method->kind != ExprKind::Attribute) return false;
    const std::vector<Expr*> items(e->items.begin() + 1, e->items.end());
    if (has_star(items) || unpacks(e->keywords)) return false;
    if (!features().unified_call && !e->keywords.empty()) return false;
    if (imported(method->items[0])) return false;
    if (features().has_match && items.size() + e->keywords.size() + (e->keywords.empty() ? 0 : 1) >= kStackUse)
        return false;
    if (!super_attribute(method, true)) {
        expression(method->items[0]);
        out_.emit_name(Op::LoadMethod, mangled(method->name));
    }
    call_simple(0, items, e->keywords, true);
    return true;
}

// super().name and super(A, b).name (3.12+). Source: can_optimize_super_call.
bool Lowerer::super_attribute(const Expr* e, bool method) {
    if (!features().has_load_super_attr) return false;
    const Expr* made = e->items[0];
    if (made->kind != ExprKind::Call || made->items[0]->kind != ExprKind::Name || made->items[0]->name != "super" ||
        !made->keywords.empty() || e->name == "__class__")
        return false;
    const Scope& module = program_.scopes.scopes[0];
    const Name super = program_.names.intern("super");
    const Symbol* symbol = lookup(super);
    if (!symbol || symbol->binding != Binding::GlobalImplicit) return false;
    if (module.type == ScopeType::Module && module.find(super)) return false;   // the module itself names it
    const std::size_t arguments = made->items.size() - 1;
    if (arguments == 2) {
        for (std::size_t i = 1; i < 3; ++i) {
            if (made->items[i]->kind == ExprKind::Starred) return false;
        }
        load(super);
        expression(made->items[1]);
        expression(made->items[2]);
    } else if (arguments == 0) {
        const bool own = unit_.kind == UnitKind::Function || unit_.kind == UnitKind::Lambda;
        const Symbol* cell = lookup(program_.names.intern("__class__"));
        if (!own || result_.header.argcount == 0 || !cell || cell->binding != Binding::Free) return false;
        load(super);
        load(cell->name);
        load(result_.header.arguments[0]);
    } else {
        return false;
    }
    out_.emit_name(method ? Op::LoadSuperMethod : Op::LoadSuperAttr, mangled(e->name), arguments == 2 ? 1 : 0);
    return true;
}

// Behind the callable, with `pushed` arguments on the stack already.
void Lowerer::call_arguments(std::uint32_t pushed, const Items& items, const Keywords& keywords, bool flag) {
    const bool big = features().has_match && items.size() + keywords.size() * 2 > kStackUse;
    if (big || has_star(items) || unpacks(keywords)) {
        if (features().list_unpack_build)
            call_ex_unpacked(pushed, items, keywords);
        else
            call_ex(pushed, items, keywords);
        return;
    }
    call_simple(pushed, items, keywords, flag);
}

void Lowerer::call_simple(std::uint32_t count, const Items& items, const Keywords& keywords, bool flag) {
    for (const Expr* item : items) expression(item);
    count += static_cast<std::uint32_t>(items.size() + keywords.size());
    if (keywords.empty()) {
        call_op(Op::Call, count, flag);
        return;
    }
    Constant names;
    names.kind = Constant::Kind::Tuple;
    for (const ast::Keyword& keyword : keywords) {
        expression(keyword.value);
        names.items.push_back(*text(*mangled_keyword(keyword.name)));
    }
    const Constant* kept = keep(std::move(names));
    if (features().has_kw_names) {
        call_op(Op::Call, count, flag).value = kept;
        return;
    }
    out_.constant(kept);
    call_op(Op::CallKeywords, count, flag);
}

void Lowerer::keyword_map(const Keywords& keywords, std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    const bool big = features().has_match && n * 2 > kStackUse;
    if (n > 1 && !big && !features().marshal_has_slices) {
        Constant names;
        names.kind = Constant::Kind::Tuple;
        for (std::size_t i = begin; i < end; ++i) {
            expression(keywords[i].value);
            names.items.push_back(*text(*mangled_keyword(keywords[i].name)));
        }
        out_.constant(keep(std::move(names)));
        out_.emit(Op::BuildConstKeyMap, static_cast<std::uint32_t>(n));
        return;
    }
    if (big) out_.emit(Op::BuildMap, 0);
    for (std::size_t i = begin; i < end; ++i) {
        out_.constant(text(*mangled_keyword(keywords[i].name)));
        expression(keywords[i].value);
        if (big) out_.emit(Op::MapAdd, 1);
    }
    if (!big) out_.emit(Op::BuildMap, static_cast<std::uint32_t>(n));
}

void Lowerer::call_ex(std::uint32_t pushed, const Items& items, const Keywords& keywords) {
    if (pushed == 0 && items.size() == 1 && items[0]->kind == ExprKind::Starred)
        expression(items[0]->items[0]);
    else
        sequence(items, Display::Tuple, pushed);
    bool have_dict = false;
    std::size_t seen = 0;
    auto flush = [&](std::size_t end) {
        keyword_map(keywords, end - seen, end);
        if (have_dict) out_.emit(Op::DictMerge, 1);
        have_dict = true;
        seen = 0;
    };
    for (std::size_t i = 0; i < keywords.size(); ++i) {
        if (!keywords[i].name.empty()) {
            ++seen;
            continue;
        }
        if (seen) flush(i);
        if (!have_dict) out_.emit(Op::BuildMap, 0);
        have_dict = true;
        expression(keywords[i].value);
        out_.emit(Op::DictMerge, 1);
    }
    if (seen) flush(keywords.size());
    if (features().call_ex_kwargs_slot && keywords.empty()) out_.emit(Op::PushNull);
    const bool slot = features().call_ex_kwargs_slot || !keywords.empty();
    out_.emit(Op::CallEx, (slot ? 1U : 0U) | (features().call_ex_null_slot ? 2U : 0U));
}

void Lowerer::call_ex_unpacked(std::uint32_t pushed, const Items& items, const Keywords& keywords) {
    std::uint32_t seen = pushed;
    std::uint32_t parts = iterables(items, seen);
    if (seen) {
        build_tuple(seen);
        ++parts;
    }
    if (parts > 1)
        out_.emit(Op::BuildTupleUnpackWithCall, parts);
    else if (parts == 0)
        build_tuple(0);
    std::uint32_t maps = 0;
    std::size_t named = 0;
    for (std::size_t i = 0; i < keywords.size(); ++i) {
        if (!keywords[i].name.empty()) {
            ++named;
            continue;
        }
        if (named) {
            keyword_map(keywords, i - named, i);
            named = 0;
            ++maps;
        }
        expression(keywords[i].value);
        ++maps;
    }
    if (named) {
        keyword_map(keywords, keywords.size() - named, keywords.size());
        ++maps;
    }
    if (maps > 1) out_.emit(Op::BuildMapUnpackWithCall, maps);
    out_.emit(Op::CallEx, maps > 0 ? 1U : 0U);
}

}  // namespace depyf::verify
