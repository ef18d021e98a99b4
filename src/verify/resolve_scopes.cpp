// Second pass: what each name is in each scope. Source: analyze_name, analyze_block in CPython Python/symtable.c.
#include <algorithm>

#include "verify/scope_reader.h"

namespace depyf::verify {

namespace {

class Resolver {
  public:
    Resolver(ScopeTable& table, const Features& features, Names& names) : table_(table), features_(features) {
        class_cell_ = names.intern("__class__");
        class_dictionary_ = names.intern("__classdict__");
        conditional_ = names.intern("__conditional_annotations__");
        first_argument_ = names.intern(".0");
    }

    void run() {
        // parents stand before their children; what a child needs marks symbols of its parents
        for (std::size_t s = 0; s < table_.scopes.size(); ++s) {
            // a symbol that a child adds further out is settled when it is added
            if (features_.inlined_comprehensions) mark_inlined(at(s));
            const std::size_t count = at(s).symbols.size();
            for (std::size_t k = 0; k < count; ++k) resolve(static_cast<std::int32_t>(s), k);
        }
        for (std::size_t s = table_.scopes.size(); s-- > 0;) {
            if (!at(s).inlined) continue;
            hand_over_cells(at(s));
            hand_over_locals(at(s));
        }
    }

  private:
    Scope& at(std::size_t s) { return table_.scopes[s]; }
    Scope& at(std::int32_t s) { return table_.scopes[static_cast<std::size_t>(s)]; }

    void resolve(std::int32_t s, std::size_t k) {
        Symbol& symbol = at(s).symbols[k];
        if (symbol.binding != Binding::Unknown) {
            // settled by a child before its own turn: impossible, children come later
            return;
        }
        if (symbol.flags & kGlobal) {
            symbol.binding = Binding::GlobalExplicit;
        } else if ((symbol.flags & kBound) && !(symbol.flags & kNonlocal)) {
            symbol.binding = Binding::Local;
        } else {
            const Name name = symbol.name;
            if (at(s).inlined && !at(s).is_in_class) use_in_parent(at(s).parent, name);
            const Binding found = look_outwards(s, name);
            at(s).symbols[k].binding = found;
        }
    }

    // PEP 709: the comprehension's code stands in the scope around it, and so do the names that it does not bind.
    void mark_inlined(Scope& scope) {
        if (scope.type != ScopeType::Comprehension || scope.parent < 0) return;
        const Scope& outer = at(scope.parent);
        scope.inlined = !outer.sees_class;
        scope.is_in_class = outer.type == ScopeType::Class || (outer.inlined && outer.is_in_class);
    }

    // What an inner comprehension binds is saved by the outer one too.
    void hand_over_locals(const Scope& scope) {
        Scope& outer = at(scope.parent);
        if (!outer.inlined) return;
        auto add = [&](Name name) {
            const Symbol* known = outer.find(name);
            const bool listed =
                std::find(outer.inlined_locals.begin(), outer.inlined_locals.end(), name) != outer.inlined_locals.end();
            if (!listed && !(known && (known->flags & kBound))) outer.inlined_locals.push_back(name);
        };
        for (const Symbol& symbol : scope.symbols) {
            if ((symbol.flags & kBound) && !(symbol.flags & (kNonlocal | kGlobal)) && symbol.name != first_argument_)
                add(symbol.name);
        }
        for (const Name name : scope.inlined_locals) add(name);
    }

    void hand_over_cells(const Scope& scope) {
        std::int32_t home = scope.parent;
        while (at(home).inlined) home = at(home).parent;
        for (const Symbol& symbol : scope.symbols) {
            if (symbol.binding == Binding::Cell) at(home).inlined_cells.push_back(symbol.name);
        }
    }

    void use_in_parent(std::int32_t parent, Name name) {
        const std::size_t before = at(parent).symbols.size();
        at(parent).add(name, kUse);
        if (at(parent).symbols.size() > before) resolve(parent, before);
    }

    // Whether the code of s stands in that of `outer`.
    bool is_own_code(std::int32_t s, std::int32_t outer) {
        while (s != outer && at(s).inlined) s = at(s).parent;
        return s == outer;
    }

    // Which names a class gives to its functions without binding them.
    bool class_gives(Scope& scope, Name name) const {
        if (name == class_cell_) {
            scope.needs_class_cell = true;
            return true;
        }
        if (name == conditional_ && scope.has_conditional_annotations) return true;
        if (name == class_dictionary_ && features_.stores_classdictcell) {
            scope.needs_class_dictionary = true;
            return true;
        }
        return false;
    }

    Binding look_outwards(std::int32_t s, Name name) {
        if (at(s).sees_class && name != class_dictionary_ && name != class_cell_) {
            const Symbol* in_class = nullptr;
            for (std::int32_t c = at(s).parent; c >= 0; c = at(c).parent) {
                if (at(c).type == ScopeType::Class) {
                    in_class = at(c).find(name);
                    break;
                }
                const Symbol* between = at(c).find(name);
                if (between && (between->flags & kBound)) break;
            }
            if (in_class && (in_class->flags & kGlobal)) return Binding::GlobalExplicit;
            if (in_class && (in_class->flags & kBound) && !(in_class->flags & kNonlocal))
                return Binding::GlobalImplicit;
        }
        std::int32_t outer = at(s).parent;
        for (; outer >= 0; outer = at(outer).parent) {
            Scope& scope = at(outer);
            if (scope.type == ScopeType::Module) return Binding::GlobalImplicit;
            if (scope.type == ScopeType::Class) {
                if (!class_gives(scope, name)) continue;
                break;
            }
            const Symbol* known = scope.find(name);
            if (!known) continue;
            if (known->flags & kGlobal) return Binding::GlobalImplicit;
            if (known->binding == Binding::Free) break;
            if (known->binding != Binding::Cell && is_own_code(s, outer) && (known->flags & kBound))
                return Binding::Local;
            if ((known->flags & kBound) && !(known->flags & kNonlocal)) {
                scope.add(name, 0).binding = Binding::Cell;
                break;
            }
        }
        if (outer < 0) return Binding::GlobalImplicit;
        for (std::int32_t between = at(s).parent; between != outer; between = at(between).parent) {
            Scope& scope = at(between);
            const Symbol* known = scope.find(name);
            if (scope.type == ScopeType::Class && known && (known->flags & kBound)) {
                scope.add(name, kFreeClass);
                continue;
            }
            scope.add(name, 0).binding = Binding::Free;
        }
        return Binding::Free;
    }

    ScopeTable& table_;
    const Features& features_;
    Name class_cell_, class_dictionary_, conditional_, first_argument_;
};

}  // namespace

void resolve_scopes(ScopeTable& table, const Features& features, Names& names) {
    Resolver(table, features, names).run();
}

ScopeTable read_scopes(const ast::Body& body, const Features& features, Names& names, const Surroundings* around) {
    ScopeTable table;
    ScopeReader(features, names, table).read(body, around);
    resolve_scopes(table, features, names);
    return table;
}

}  // namespace depyf::verify
