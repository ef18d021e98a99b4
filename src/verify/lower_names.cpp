// Which instruction a name becomes. Source: compiler_nameop in CPython Python/compile.c.
#include <algorithm>

#include "base/error.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ir::Op;

Name Lowerer::mangled(const std::string& name) const {
    return program_.names.mangle(scope().class_name, name);
}

// Inlined comprehensions first, innermost to outermost.
const Symbol* Lowerer::lookup(Name name) const {
    for (std::size_t i = inlined_.size(); i-- > 0;) {
        const Scope& inner = program_.scopes.scopes[static_cast<std::size_t>(inlined_[i])];
        const Symbol* symbol = inner.find(name);
        if (!symbol) continue;
        const bool own = (symbol->flags & kBound) && !(symbol->flags & (kNonlocal | kGlobal));
        if (own || inner.is_in_class) return symbol;
    }
    return scope().find(name);
}

bool Lowerer::is_fast(Name name) const {
    for (std::size_t i = inlined_.size(); i-- > 0;) {
        const Scope& inner = program_.scopes.scopes[static_cast<std::size_t>(inlined_[i])];
        const Symbol* symbol = inner.find(name);
        if (symbol && symbol->binding == Binding::Local && (symbol->flags & kBound)) return true;
    }
    return scope().is_function();
}

void Lowerer::load(Name name) {
    const Symbol* symbol = lookup(name);
    if (!symbol) throw Error(-1, "a name that no scope knows: " + *name);
    const bool in_class = scope().type == ScopeType::Class;
    switch (symbol->binding) {
        case Binding::Local: {
            // the variable of a comprehension in the place of a cell: lifted, both look alike (3.13+)
            const Symbol* own = scope().find(name);
            const bool cell = features().unified_locals && own && own->binding == Binding::Cell;
            out_.emit_name(cell ? Op::LoadClosure : is_fast(name) ? Op::LoadFast : Op::LoadName, name);
            return;
        }
        case Binding::GlobalExplicit:
        case Binding::GlobalImplicit:
            if (scope().sees_class && symbol->binding == Binding::GlobalImplicit) {
                load(program_.names.intern("__classdict__"));
                out_.emit_name(Op::LoadFromDictOrGlobals, name);
                return;
            }
            if (symbol->binding == Binding::GlobalExplicit || scope().is_function() || (in_class && !inlined_.empty()))
                out_.emit_name(Op::LoadGlobal, name);
            else
                out_.emit_name(Op::LoadName, name);
            return;
        case Binding::Free:
        case Binding::Cell: {
            const bool from_class = in_class && symbol->binding == Binding::Free && inlined_.empty();
            const bool sees_class = scope().sees_class && *name != "__classdict__" && symbol->binding == Binding::Free;
            if (!from_class && !sees_class) {
                out_.emit_name(Op::LoadDeref, name);
            } else if (sees_class) {
                load(program_.names.intern("__classdict__"));
                out_.emit_name(Op::LoadClassDeref, name, 1);
                out_.set_depth(out_.depth() - 1);
            } else if (features().has_intrinsics) {
                out_.emit(Op::LoadLocals);
                out_.emit_name(Op::LoadClassDeref, name, 1);
                out_.set_depth(out_.depth() - 1);
            } else {
                out_.emit_name(Op::LoadClassDeref, name);
            }
            return;
        }
        case Binding::Unknown: break;
    }
    throw Error(-1, "a name without a meaning: " + *name);
}

void Lowerer::store(Name name) {
    const Symbol* symbol = lookup(name);
    if (!symbol) throw Error(-1, "a name that no scope knows: " + *name);
    switch (symbol->binding) {
        case Binding::Local: out_.emit_name(is_fast(name) ? Op::StoreFast : Op::StoreName, name); return;
        case Binding::GlobalExplicit: out_.emit_name(Op::StoreGlobal, name); return;
        case Binding::Free:
        case Binding::Cell: out_.emit_name(Op::StoreDeref, name); return;
        default: throw Error(-1, "a name that is not bound here: " + *name);
    }
}

void Lowerer::remove(Name name) {
    const Symbol* symbol = lookup(name);
    if (!symbol) throw Error(-1, "a name that no scope knows: " + *name);
    switch (symbol->binding) {
        case Binding::Local: out_.emit_name(is_fast(name) ? Op::DeleteFast : Op::DeleteName, name); return;
        case Binding::GlobalExplicit: out_.emit_name(Op::DeleteGlobal, name); return;
        case Binding::Free:
        case Binding::Cell: out_.emit_name(Op::DeleteDeref, name); return;
        default: throw Error(-1, "a name that is not bound here: " + *name);
    }
}

void Lowerer::load_name(const std::string& name) {
    load(mangled(name));
}

void Lowerer::store_name(const std::string& name) {
    store(mangled(name));
}

void Lowerer::delete_name(const std::string& name) {
    remove(mangled(name));
}

}  // namespace depyf::verify
