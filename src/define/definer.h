// Code objects -> definitions: runs every stage for one code object and, when a nested one turns up on the way, for it
// too. What goes wrong with one code object costs that one only.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ast/function_value.h"
#include "ast/node.h"
#include "define/traces.h"
#include "depyf/decompile.h"
#include "express/block.h"
#include "express/nested.h"
#include "refine/refine.h"

namespace depyf {

class Definer : public NestedCode {
  public:
    Definer(ast::Tree& tree, const Options& options, Decompilation& result)
        : tree_(tree), options_(options), result_(result) {}

    // The statements of a module, or of any other code object on its own.
    ast::Body module(const CodeObject& code);
    // The def or class statement (or a lambda assigned to a name) that a lone code object belongs to.
    ast::Body lone(const CodeObject& code);

    // By code index: see PrintOptions::unbroken.
    const std::vector<bool>& unbroken() const { return unbroken_; }
    bool has_class() const { return has_class_; }   // some class body came by

    ast::Expr* lambda(ast::Expr* function) override;
    ast::Expr* comprehension(ast::Expr* function, ast::Expr* iterable) override;
    ast::Stmt* definition(ast::Expr* function) override;
    ast::Stmt* class_definition(ast::Expr* call) override;
    ast::Stmt* generic(ast::Expr* call) override;

  private:
    // Runs lift ... refine. On failure the statements are a stub that raises, and a diagnostic says why.
    // `traces` gets what the instructions show, where it is asked for.
    ast::Body body(const CodeObject& code, ScopeKind scope, Traces* traces = nullptr);
    void check_limits(const CodeObject& code) const;   // throws Error
    ast::Body function_body(const CodeObject& code, Traces& traces);
    ast::Body stub(const CodeObject& code, std::int64_t offset, const std::string& message);
    ast::Arguments* arguments(const ast::FunctionValue& function, ast::Expr** returns);
    void annotations(const ast::FunctionValue& function, ast::Arguments& args, ast::Expr** returns);
    std::vector<std::pair<std::string, ast::Expr*>> deferred_annotations(const CodeObject& code);
    struct Annotation {
        std::string name;
        ast::Expr* value = nullptr;
        std::int32_t index = -1;   // into __conditional_annotations__; -1: not conditional
        std::int32_t line = 0;
    };
    std::optional<std::vector<Annotation>> read_annotate(const CodeObject& code);
    void place_conditional(ast::Body& statements, const std::vector<Annotation>& annotations, ScopeKind scope);
    ast::Stmt* guarded(ast::Stmt* stmt, bool runs);   // if True: stmt
    void place_unreachable(ast::Body& statements, const std::vector<Annotation>& annotations,
                           const std::vector<bool>& placed);
    void place_unconditional(ast::Body& statements, const std::vector<Annotation>& annotations);
    // Takes the store of the function that holds the annotations out of the statements; null where there is none.
    ast::Expr* take_annotate(ast::Body& statements, ScopeKind scope) const;
    void place_annotations(ast::Expr* function, ast::Body& statements, ScopeKind scope);
    ast::Stmt* define_function(ast::Expr* function);
    ast::Expr* lazy_value(const ast::Expr* function);
    ast::TypeParam type_param(const ast::Expr* e);
    std::vector<ast::TypeParam> type_params(const ast::Expr* tuple);
    Block generic_block(const CodeObject& code);
    ast::Stmt* type_alias(const ast::Expr* alias);
    ast::Stmt* generic_function(const ast::Expr* call, const ast::Expr* made);
    ast::Stmt* generic_class(const Block& block);
    // What only unreachable code did and the code object still shows: appended behind `if False:`.
    void keep_unreachable(const CodeObject& code, const Traces& traces, ast::Body& body);
    void declarations(const Traces& traces, ScopeKind scope, ast::Body& body);
    ast::Expr* as_expression(const ast::Body& body, std::size_t from);
    ast::Expr* raising_expression();
    ast::Expr* annotation_value(ast::Expr* value, const CodeObject& code);
    std::string qualified(const CodeObject& code) const;

    ast::Tree& tree_;
    const Options& options_;
    Decompilation& result_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::vector<std::string> scopes_;    // names of the enclosing code objects
    std::uint32_t register_code(const CodeObject& code);   // its index in Decompilation::codes
    // lift ... express; what no compiler made is untangled on the way.
    FlowGraph read_blocks(const CodeObject& code, ir::Function& function, std::uint32_t index, Traces& traces);
    static void declare_walruses(const Traces& traces, Traces& around);
    // Traces of the function whose instructions are being read; null in a module or class body, where `:=` declares nothing.
    Traces* around_ = nullptr;
    class Around {
      public:
        Around(Traces*& place, Traces* traces) : place_(place), outer_(std::exchange(place, traces)) {}
        Around(const Around&) = delete;
        Around& operator=(const Around&) = delete;
        ~Around() { place_ = outer_; }

      private:
        Traces*& place_;
        Traces* outer_;
    };
    std::vector<const Traces*> functions_;  // of the functions around the code object that is being read
    bool hidden_by_function(const std::string& global) const;
    std::vector<bool> unbroken_;
    bool has_class_ = false;
    std::string class_name_;  // innermost enclosing class
};

}  // namespace depyf
