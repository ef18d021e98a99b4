// The symbol table of a tree: which scopes it has and what each name means in each of them.
// Source: CPython Python/symtable.c of 3.7 - 3.15.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ast/node.h"
#include "bytecode/features.h"
#include "verify/names.h"

namespace depyf::verify {

enum class ScopeType : std::uint8_t {
    Module,
    Class,
    Function,
    Lambda,
    Comprehension,
    Generator,
    TypeParams,
    Annotation
};

// What a name is in a scope.
enum class Binding : std::uint8_t { Unknown, Local, GlobalExplicit, GlobalImplicit, Free, Cell };

enum SymbolFlag : std::uint16_t {
    kUse = 1,
    kBound = 2,      // stored, deleted, imported, defined here
    kParameter = 4,
    kGlobal = 8,     // declared
    kNonlocal = 16,  // declared
    kImported = 32,
    kFreeClass = 64,   // a class binds it, and its functions want the one around the class
    kComprehensionTarget = 128,
    kAnnotated = 256,
    kTypeParameter = 512,
};

struct Symbol {
    Name name = nullptr;
    std::uint16_t flags = 0;
    Binding binding = Binding::Unknown;
};

struct Scope {
    ScopeType type = ScopeType::Module;
    std::int32_t parent = -1;
    std::vector<Symbol> symbols;
    std::unordered_map<Name, std::uint32_t> index;
    std::string class_name;   // for mangling
    std::vector<Name> inlined_locals;  // a comprehension's: of the comprehensions inlined in it
    std::vector<Name> inlined_cells;   // of comprehensions whose code stands in this scope's
    bool nested = false;      // some function is around it
    bool generator = false;
    bool coroutine = false;
    bool is_async = false;    // async def, lambda never
    bool inlined = false;     // its code stands in the parent's (3.12+)
    bool is_in_class = false; // inlined, and the code that it stands in is a class body
    bool sees_class = false;  // an annotation scope inside a class: names of the class come first
    bool needs_class_cell = false;       // class: some function inside uses __class__
    bool needs_class_dictionary = false; // class: some annotation scope inside reads its names
    bool has_conditional_annotations = false;   // 3.14+
    bool has_annotations = false;

    bool is_function() const { return type != ScopeType::Module && type != ScopeType::Class; }
    const Symbol* find(Name name) const {
        const auto found = index.find(name);
        return found == index.end() ? nullptr : &symbols[found->second];
    }
    Symbol& add(Name name, std::uint16_t flags);
};

struct ScopeTable {
    std::vector<Scope> scopes;   // 0: the outermost
    std::unordered_map<const void*, std::int32_t> by_node;
    bool future_annotations = false;

    std::int32_t of(const void* node) const {
        const auto found = by_node.find(node);
        return found == by_node.end() ? -1 : found->second;
    }
};

// What is around a tree that is no module of its own.
struct Surroundings {
    std::vector<std::string> free;   // names that an enclosing function binds
    bool nested = false;
    bool future_annotations = false;
};

// Throws Error where the tree is no program (or is nested too deeply).
ScopeTable read_scopes(const ast::Body& body, const Features& features, Names& names, const Surroundings* around);

// Keys of by_node for scopes that have no node of their own.
inline const void* type_parameters_key(const ast::Stmt* stmt) {
    return &stmt->type_params;
}
inline const void* annotations_key(const ast::Stmt* stmt) {
    return &stmt->returns;
}
inline const void* deferred_key(const ast::Body* body) {
    return reinterpret_cast<const char*>(body) + 1;
}

}  // namespace depyf::verify
