// Comprehensions and generator expressions. Source: compiler_comprehension, compiler_sync_comprehension_generator in
// CPython Python/compile.c; inlined ones (3.12+): PEP 709.
#include <algorithm>

#include "base/error.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;
using ir::Op;

namespace {

const char* unit_name(ExprKind kind) {
    switch (kind) {
        case ExprKind::ListComp: return "<listcomp>";
        case ExprKind::SetComp: return "<setcomp>";
        case ExprKind::DictComp: return "<dictcomp>";
        default: return "<genexpr>";
    }
}

Op build_op(ExprKind kind) {
    return kind == ExprKind::ListComp ? Op::BuildList : kind == ExprKind::SetComp ? Op::BuildSet : Op::BuildMap;
}

}  // namespace

void Lowerer::comprehension(const Expr* e) {
    const std::int32_t inner = program_.scopes.of(e);
    if (inner < 0) throw Error(-1, "a scope that was not read");
    if (program_.scopes.scopes[static_cast<std::size_t>(inner)].inlined) {
        inlined_comprehension(e, inner);
        return;
    }
    Unit unit = child(UnitKind::Comprehension, e, unit_name(e->kind));
    unit.expr = e;
    unit.qualname = child_qualname(unit_name(e->kind), nullptr);
    const ast::Comprehension& first = e->generators[0];
    make_function(std::move(unit), 0);
    if (first.is_async)
        expression(first.iter);
    else
        iterable(first.iter);
    if (!features().iter_pushes_two || e->kind != ExprKind::GeneratorExp) {   // 3.15: it does so itself
        if (first.is_async)
            out_.emit(Op::GetAsyncIter);
        else
            get_iter();
    }
    call_op(Op::Call, features().unified_call ? 0 : 1, features().unified_call);
    const Scope& scope = program_.scopes.scopes[static_cast<std::size_t>(inner)];
    if (scope.coroutine && e->kind != ExprKind::GeneratorExp) out_.emit(Op::Await);
}

void Lowerer::comprehension_body() {
    const Expr* e = unit_.expr;
    if (e->kind != ExprKind::GeneratorExp) out_.emit(build_op(e->kind), 0);
    clause(e, 0, 0, false);
    if (e->kind == ExprKind::GeneratorExp) out_.none();
    out_.emit(Op::Return);
}

// `slots`: how many items lie above the container, of iterators.
void Lowerer::clause(const Expr* e, std::size_t index, std::uint32_t slots, bool on_stack) {
    if (++depth_ > 500) throw Error(-1, "comprehensions are nested too deeply");
    const ast::Comprehension& gen = e->generators[index];
    const Label start = out_.label(), anchor = out_.label(), next = out_.label();
    const bool one_item = index > 0 && features().has_is_and_contains_op && !gen.is_async &&
                          (gen.iter->kind == ExprKind::List || gen.iter->kind == ExprKind::Tuple) &&
                          gen.iter->items.size() == 1 && gen.iter->items[0]->kind != ExprKind::Starred &&
                          !constant_tuple(gen.iter->items);
    if (index == 0) {
        if (!on_stack) out_.emit_name(Op::LoadFast, program_.names.intern(".0"));
        if (!on_stack && features().iter_pushes_two && e->kind == ExprKind::GeneratorExp) {
            if (gen.is_async)
                out_.emit(Op::GetAsyncIter);
            else
                get_iter();
        }
    } else if (one_item) {
        expression(gen.iter->items[0]);
    } else if (gen.is_async) {
        expression(gen.iter);
        out_.emit(Op::GetAsyncIter);
    } else {
        iterable(gen.iter);
        get_iter();
    }
    const std::int32_t depth = out_.depth();
    if (!one_item) {
        slots += gen.is_async ? 1 : static_cast<std::uint32_t>(iterator_items());
        out_.place(start);
        out_.loop(gen.is_async ? Op::AsyncForIter : Op::ForIter, anchor);
        if (gen.is_async) pop_block();
    }
    target(gen.target);
    for (const Expr* condition : gen.ifs) jump_if(condition, next, false);
    if (index + 1 < e->generators.size())
        clause(e, index + 1, slots, false);
    else
        element(e, slots);
    out_.place(next);
    if (!one_item) {
        out_.jump(start);
        out_.place(anchor);
        out_.set_depth(depth - (gen.is_async ? 1 : iterator_items()));
    }
    --depth_;
}

void Lowerer::element(const Expr* e, std::uint32_t slots) {
    const std::uint32_t place = slots + 1;
    for (const Expr* item : e->items) {
        if (!item || item->kind == ExprKind::Starred) throw Error(-1, "a comprehension that unpacks");
    }
    switch (e->kind) {
        case ExprKind::GeneratorExp:
            expression(e->items[0]);
            if (result_.header.flags & kAsyncGenerator && features().has_return_generator) out_.emit(Op::AsyncGenWrap);
            out_.emit(Op::Yield);
            out_.pop();
            return;
        case ExprKind::ListComp:
        case ExprKind::SetComp:
            expression(e->items[0]);
            out_.emit(e->kind == ExprKind::ListComp ? Op::ListAppend : Op::SetAdd, place);
            return;
        default: {
            const bool key_first = features().dict_comprehension_key_first;
            expression(e->items[key_first ? 0 : 1]);
            expression(e->items[key_first ? 1 : 0]);
            out_.emit(Op::MapAdd, place);
            return;
        }
    }
}

void Lowerer::inlined_comprehension(const Expr* e, std::int32_t inner) {
    const ast::Comprehension& first = e->generators[0];
    if (first.is_async)
        expression(first.iter);
    else
        iterable(first.iter);
    const Scope& scope = program_.scopes.scopes[static_cast<std::size_t>(inner)];
    std::vector<Name> saved;
    for (const Symbol& symbol : scope.symbols) {
        const bool all = scope.is_in_class && features().comprehension_saves_argument;
        if (!all && (!(symbol.flags & kBound) || (symbol.flags & (kNonlocal | kGlobal)))) continue;
        if (!all && *symbol.name == ".0") continue;
        saved.push_back(symbol.name);
    }
    saved.insert(saved.end(), scope.inlined_locals.begin(), scope.inlined_locals.end());
    const auto start = [&] {
        if (first.is_async)
            out_.emit(Op::GetAsyncIter);
        else
            get_iter();
    };
    if (!features().iter_pushes_two) start();
    for (const Name name : saved) out_.emit_name(Op::LoadFastAndClear, name);
    const auto count = static_cast<std::uint32_t>(saved.size());
    if (count) out_.swap(count + 1);
    inlined_.push_back(inner);
    out_.emit(build_op(e->kind), 0);
    out_.swap(2);
    if (features().iter_pushes_two) start();
    clause(e, 0, 0, true);
    inlined_.pop_back();
    if (count) out_.swap(count + 1);
    for (std::size_t i = saved.size(); i-- > 0;) out_.emit_name(Op::StoreFast, saved[i]);
}

}  // namespace depyf::verify
