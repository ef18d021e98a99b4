// Tree -> IR, one code object at a time, as CPython's compiler of that version does it. What it does not know it refuses:
// it throws Error, and the code object stays unproved.
// Source: CPython Python/compile.c of 3.7 - 3.13, Python/codegen.c and flowgraph.c of later ones.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ast/node.h"
#include "verify/emitter.h"
#include "verify/scopes.h"

namespace depyf::verify {

enum class UnitKind : std::uint8_t {
    Module,
    Function,
    Lambda,
    Class,
    Comprehension,
    TypeParams,
    Value,  // an expression of its own: a bound, a default, a type alias
    Annotate,
};

// A code object to be: which part of the tree it is.
struct Unit {
    UnitKind kind = UnitKind::Module;
    const ast::Body* body = nullptr;
    const ast::Stmt* stmt = nullptr;
    const ast::Expr* expr = nullptr;
    std::int32_t scope = 0;
    Name name = nullptr;
    std::string qualname;
    std::string inner_qualname;  // TypeParams: of what they belong to
    std::uint32_t arguments = 0;  // TypeParams: 1: it gets the defaults, 2: those of keyword-only arguments
};

// The parts of a code object that do not sit in instructions.
struct Header {
    std::uint32_t argcount = 0, posonlyargcount = 0, kwonlyargcount = 0, flags = 0;
    std::vector<Name> arguments;
    std::vector<Name> free, cells;
    const Constant* docstring = nullptr;
};

struct Lowered {
    Header header;
    ir::Function function;
    // Up to 3.9: what a test that keeps its value is once jumps are threaded, by instruction. The optimizer threads no
    // jump over an EXTENDED_ARG, so both are possible.
    std::unordered_map<std::int32_t, ir::Inst> threaded;
    bool line_sensitive = false;  // the optimizer changed operations; whether it does so depends on line numbers
    std::vector<Unit> children;  // Const with count k + 1 loads the code object of children[k]
};

// What is the same for every unit of a tree.
struct Program {
    const Features* features = nullptr;
    ScopeTable scopes;
    Names names;
    std::deque<Constant> constants;
    std::unordered_map<const ast::Stmt*, std::uint32_t> class_lines;  // of the first decorator, in the text
};

class Lowerer {
  public:
    Lowerer(Program& program, const Unit& unit);
    Lowered lower();

  private:
    // --- what a jump out of a block has to undo
    enum class BlockKind : std::uint8_t {
        While,
        For,
        AsyncFor,
        TryExcept,
        FinallyTry,
        FinallyEnd,
        With,
        AsyncWith,
        HandlerCleanup,
        PopValue,
    };
    struct Block {
        BlockKind kind;
        Label entry = -1, exit = -1;
        std::int32_t outer = -1;  // handler in force around it
        const ast::Body* final_body = nullptr;
        Name name = nullptr;  // HandlerCleanup: what `as` bound
        bool placeholder = false;  // 3.8: FINALLY_TRY2
    };

    // --- units
    void header();
    void arguments_header(const ast::Arguments& args);
    void module_body(const ast::Body& body);
    void class_body();

    // --- statements
    void body(const ast::Body& statements, std::size_t from = 0);
    void statement(const ast::Stmt* stmt);
    void compound(const ast::Stmt* stmt);
    void compound_itself(const ast::Stmt* stmt);
    void if_statement(const ast::Stmt* stmt);
    void while_statement(const ast::Stmt* stmt);
    void for_statement(const ast::Stmt* stmt);
    void async_for_statement(const ast::Stmt* stmt);
    void enter_loop(Label end);
    void leave_loop();
    void get_iter();
    std::int32_t iterator_items() const;
    void break_statement();
    void continue_statement();
    void return_statement(const ast::Stmt* stmt);
    void assign(const ast::Stmt* stmt);
    bool assign_constants(const ast::Stmt* stmt);
    void aug_assign(const ast::Stmt* stmt);
    void ann_assign(const ast::Stmt* stmt);
    void raise_statement(const ast::Stmt* stmt);
    void assert_statement(const ast::Stmt* stmt);
    void expression_statement(const ast::Stmt* stmt);
    void import_statement(const ast::Stmt* stmt);
    void import_from(const ast::Stmt* stmt);
    void import_flags(ir::Inst& inst, const ast::Stmt* stmt);
    void whole_slice_key(const ast::Expr* e);
    void delete_target(const ast::Expr* e);

    // --- blocks
    void unwind(const Block& block, bool preserve);
    void unwind_blocks(bool preserve, bool all);
    void unwind_finally_end(const Block& block, bool preserve);
    void unwind_handler(const Block& block, bool preserve);
    void unwind_with(const Block& block, bool preserve);
    void unwind_finally_try(const Block& block, bool preserve);
    const Block* loop_block() const;

    // --- protected regions
    void try_statement(const ast::Stmt* stmt);
    void try_finally(const ast::Stmt* stmt);
    void try_except(const ast::Stmt* stmt);
    void except_clause(const ast::ExceptHandler& clause, Label end, Label next);
    void named_clause(const ast::ExceptHandler& clause, Label end);
    void match_exception(const ast::Expr* type, Label next);
    void pop_except();
    void pop_block();
    void finally_shared(const ast::Stmt* stmt);
    void finally_try(const ast::Stmt* stmt, const Block& block);
    void finally_copied(const ast::Stmt* stmt);
    void with_statement(const ast::Stmt* stmt, std::size_t item);
    void with_exit_normal(bool async);
    void with_exit_exception(bool async);
    void call_exit_with_nones();

    // --- match
    struct PatternContext {
        std::vector<Name> stores;  // what is captured so far, in the order of the stack
        bool allow_irrefutable = false;
        std::vector<Label> fail;  // by items to pop
        std::size_t on_top = 0;  // items that belong to patterns around
    };
    void match_statement(const ast::Stmt* stmt);
    Label fail_label(PatternContext& context, std::size_t pops);
    void jump_to_fail(PatternContext& context, bool when);
    void emit_fail_pops(PatternContext& context);
    void pattern(const ast::Pattern* p, PatternContext& context);
    void pattern_value(const ast::Expr* e);
    void pattern_singleton(const ast::Pattern* p, PatternContext& context);
    void pattern_store(const std::string& name, PatternContext& context);
    void pattern_as(const ast::Pattern* p, PatternContext& context);
    void pattern_subpattern(const ast::Pattern* p, PatternContext& context);
    void pattern_sequence(const ast::Pattern* p, PatternContext& context);
    void sequence_by_unpacking(const ast::Pattern* p, PatternContext& context);
    void sequence_by_index(const ast::Pattern* p, std::uint32_t star, PatternContext& context);
    void pattern_class(const ast::Pattern* p, PatternContext& context);
    void class_by_index(const ast::Pattern* p, PatternContext& context);
    void pattern_mapping(const ast::Pattern* p, PatternContext& context);
    void mapping_rest(std::uint32_t size);
    void pattern_or(const ast::Pattern* p, PatternContext& context);
    void reorder_captures(const std::vector<Name>& control, std::vector<Name>& stores);

    // --- functions and classes
    void function_def(const ast::Stmt* stmt);
    void class_def(const ast::Stmt* stmt);
    void decorators(const ast::Stmt* stmt);
    void apply_decorators(const ast::Stmt* stmt);
    std::uint32_t defaults(const ast::Arguments& args);
    std::uint32_t annotations(const ast::Stmt* stmt);
    void make_function(Unit unit, std::uint32_t flags);
    std::uint32_t deferred_function_annotations(const ast::Stmt* stmt);
    Unit annotate_unit(const void* key);
    void annotate_prologue();
    void annotate_body();
    std::uint32_t argument_annotations(const ast::Stmt& stmt);
    void store_annotate(const ast::Body& statements, const ast::Stmt* class_stmt);
    void set_up_conditional_annotations();
    void mark_annotation();
    Unit child(UnitKind kind, const void* key, const std::string& name);
    std::string child_qualname(const std::string& name, Name bound) const;
    void lambda(const ast::Expr* e);
    void annotation_value(const ast::Expr* e);

    void class_function(const ast::Stmt* stmt);
    void function_value(const ast::Stmt* stmt, std::uint32_t flags);

    // --- type parameters
    void evaluator(const ast::Expr* e, const void* key, const std::string& name);
    void value_body();
    void type_parameters(const ast::Stmt* stmt);
    Unit generic_unit(const ast::Stmt* stmt, const std::string& name, std::uint32_t arguments);
    void call_generic(Unit unit);
    void generic_function(const ast::Stmt* stmt);
    void generic_class(const ast::Stmt* stmt);
    void type_alias(const ast::Stmt* stmt);
    void alias_value(const ast::Stmt* stmt);
    void generic_body();
    void generic_class_body(const ast::Stmt* stmt);

    // --- names
    void load_name(const std::string& name);
    void store_name(const std::string& name);
    void delete_name(const std::string& name);
    void load(Name name);
    void store(Name name);
    void remove(Name name);
    Name mangled(const std::string& name) const;
    const Symbol* lookup(Name name) const;
    bool is_fast(Name name) const;

    // --- expressions
    void expression(const ast::Expr* e);
    void constant(const ast::Expr* e);
    void bool_op(const ast::Expr* e);
    void bin_op(const ast::Expr* e);
    void unary_op(const ast::Expr* e);
    void if_exp(const ast::Expr* e);
    void named_expr(const ast::Expr* e);
    void compare(const ast::Expr* e);
    void comparison(const ast::Expr* e, std::size_t i);
    void compare_operand(const ast::Expr* e, std::size_t i);
    void iterable(const ast::Expr* e);  // behind `in`: a list is as good as a tuple, a set as a frozenset
    void attribute(const ast::Expr* e);
    void subscript(const ast::Expr* e);
    void slice(const ast::Expr* e);
    void subscript_key(const ast::Expr* e);
    void yield_value(const ast::Expr* e);
    void yield_from(const ast::Expr* e);
    void await(const ast::Expr* e);
    void jump_if(const ast::Expr* e, Label to, bool when);
    void jump_if_compare(const ast::Expr* e, Label to, bool when);
    void target(const ast::Expr* e);
    void unpack_targets(const ast::Expr* e);

    // --- displays and strings
    void tuple(const ast::Expr* e);
    void list(const ast::Expr* e);
    void set(const ast::Expr* e);
    enum class Display : std::uint8_t { Tuple, List, Set };
    void sequence(const std::vector<ast::Expr*>& items, Display display, std::uint32_t pushed);
    // Up to 3.8: the items as iterables, those between starred ones joined in tuples. `seen`: items not yet joined, before
    // and behind. Returns how many iterables lie on the stack.
    std::uint32_t iterables(const std::vector<ast::Expr*>& items, std::uint32_t& seen);
    void sequence_unpacked(const std::vector<ast::Expr*>& items, Display display);  // up to 3.8
    void build_tuple(std::uint32_t count);
    const Constant* constant_tuple(const std::vector<ast::Expr*>& items);  // null where an item is no constant
    const Constant* keep(Constant value);
    const Constant* text(std::string value);
    const Constant* number(std::uint32_t value);
    void dict_updates(const ast::Expr* e);
    void dict_unpacked(const ast::Expr* e);  // up to 3.8
    void sub_dict(const ast::Expr* e, std::size_t begin, std::size_t end);
    void dict(const ast::Expr* e);
    void joined_string(const ast::Expr* e);
    void formatted_value(const ast::Expr* e);
    void percent_format(const ast::Expr* e);

    // --- calls
    void call(const ast::Expr* e);
    bool method_call(const ast::Expr* e);
    using Items = std::vector<ast::Expr*>;
    using Keywords = std::vector<ast::Keyword>;
    void call_arguments(std::uint32_t pushed, const Items& items, const Keywords& keywords, bool flag);
    void call_simple(std::uint32_t count, const Items& items, const Keywords& keywords, bool flag);
    void call_ex(std::uint32_t pushed, const Items& items, const Keywords& keywords);
    void call_ex_unpacked(std::uint32_t pushed, const Items& items, const Keywords& keywords);  // up to 3.8
    void keyword_map(const Keywords& keywords, std::size_t begin, std::size_t end);
    void push_null_before();  // 3.11, 3.12: below the callable
    void push_null_behind();  // 3.13+: above it
    ir::Inst& call_op(ir::Op op, std::uint32_t count, bool flag);
    Name mangled_keyword(const std::string& name) const { return program_.names.intern(name); }
    bool imported(const ast::Expr* e) const;
    bool super_attribute(const ast::Expr* e, bool method);

    // --- comprehensions
    void comprehension(const ast::Expr* e);
    void comprehension_body();
    void clause(const ast::Expr* e, std::size_t index, std::uint32_t slots, bool on_stack);
    void element(const ast::Expr* e, std::uint32_t slots);
    void inlined_comprehension(const ast::Expr* e, std::int32_t inner);

    const Features& features() const { return *program_.features; }
    const Scope& scope() const { return program_.scopes.scopes[static_cast<std::size_t>(unit_.scope)]; }

    Program& program_;
    const Unit& unit_;
    Emitter out_;
    Lowered result_;
    std::vector<Block> blocks_;
    std::vector<std::int32_t> inlined_;  // scopes of the inlined comprehensions around
    int depth_ = 0;
    bool in_subscript_ = false;
    int conditional_ = 0;  // inside what may not run
    std::uint32_t next_annotation_ = 0;
};

}  // namespace depyf::verify
