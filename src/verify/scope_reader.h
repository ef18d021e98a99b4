// First pass over the tree: scopes, and what each statement does to the names in them. The second (resolve_scopes)
// settles what they are.
#pragma once

#include "verify/scopes.h"

namespace depyf::verify {

class ScopeReader {
  public:
    ScopeReader(const Features& features, Names& names, ScopeTable& table)
        : features_(features), names_(names), table_(table) {}

    void read(const ast::Body& body, const Surroundings* around);

  private:
    static constexpr int kMaxDepth = 4000;   // of nested statements and expressions together

    Scope& scope() { return table_.scopes[static_cast<std::size_t>(current_)]; }
    Name own(const std::string& name) { return names_.mangle(scope().class_name, name); }
    void add(const std::string& name, std::uint16_t flags) { scope().add(own(name), flags); }
    std::int32_t enter(ScopeType type, const void* node);
    void leave(std::int32_t outer) { current_ = outer; }
    // A scope that the compiler makes for annotations and type parameters.
    template <typename Read>
    void in_annotation_scope(ScopeType type, const void* node, Read read);

    void body(const ast::Body& statements);
    void statement(const ast::Stmt* stmt);
    void simple_statement(const ast::Stmt* stmt);
    void function(const ast::Stmt* stmt);
    void function_itself(const ast::Stmt* stmt);
    void function_annotations(const ast::Stmt* stmt);
    void class_def(const ast::Stmt* stmt);
    void class_itself(const ast::Stmt* stmt);
    void type_parameters(const ast::Stmt* stmt);
    void type_alias(const ast::Stmt* stmt);
    void annotated(const ast::Stmt* stmt);
    void annotation(const ast::Expr* e);
    void deferred_annotation(const ast::Stmt* stmt);
    void declare_global(Name name);
    void imports(const ast::Stmt* stmt);
    void parameters(const ast::Arguments& args);
    void defaults(const ast::Arguments& args);
    void pattern(const ast::Pattern* pattern);
    void targets(const ast::Expr* e);
    void expression(const ast::Expr* e);
    void expressions(const std::vector<ast::Expr*>& items);
    void name(const ast::Expr* e, std::uint16_t flags);
    void lambda(const ast::Expr* e);
    void comprehension(const ast::Expr* e);
    void walrus(const ast::Expr* e);

    const Features& features_;
    Names& names_;
    ScopeTable& table_;
    std::int32_t current_ = -1;
    int depth_ = 0;
    int conditional_ = 0;   // 3.14+: inside what may not run
    const ast::Body* own_body_ = nullptr;   // of the module or class that is being read
};

void resolve_scopes(ScopeTable& table, const Features& features, Names& names);

}  // namespace depyf::verify
