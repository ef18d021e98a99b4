// Symbolic execution of one block: instructions push and pop expressions, statements come out.
#pragma once

#include <string>
#include <vector>

#include "ast/function_value.h"
#include "express/express.h"

namespace depyf {

using IrOp = ir::Op;

bool names_keywords(const ast::Expr* dict);

class StackMachine {
  public:
    StackMachine(const ir::Function& function, const ExpressContext& context);
    // Runs `block` on `stack` (what lies there on entry); fills statements, exit value and both outgoing stacks. Returns
    // how many instructions were run: it stops behind one that drops a loop's iterator, since what follows stands
    // outside that loop.
    std::size_t run(Block& block, std::vector<ast::Expr*> stack);
    std::string fresh_name();

  private:
    using Expr = ast::Expr;
    using ExprKind = ast::ExprKind;
    bool leaves_loop() const;
    void step(const ir::Inst& inst);
    bool in_chained_comparison() const;
    bool stack_ops(const ir::Inst& inst);
    bool names(const ir::Inst& inst);
    bool attributes(const ir::Inst& inst);
    bool operators(const ir::Inst& inst);
    bool displays(const ir::Inst& inst);
    bool extensions(const ir::Inst& inst);
    void append_in_loop(const char* container, std::vector<Expr*> parts, bool unpacks);
    bool strings(const ir::Inst& inst);
    Expr* percent_format(Expr* joined);
    bool calls(const ir::Inst& inst);
    bool imports(const ir::Inst& inst);
    bool iteration(const ir::Inst& inst);
    bool control(const ir::Inst& inst);
    void match_case(const ir::Inst& inst);
    ast::Pattern* pattern(const ir::Pattern& from);
    Expr* pattern_value(const ir::PatternValue& from);
    bool exceptions(const ir::Inst& inst);

    // the stack
    Expr* make(ExprKind kind, std::vector<Expr*> items = {});
    void push(Expr* e);
    Expr* pop_raw();  // as it lies there
    Expr* pop();  // as a value: markers and pending forms become expressions
    std::vector<Expr*> pop_values(std::size_t count);
    std::vector<Expr*> unfolded(std::size_t count, std::size_t folded);
    void keep_over_exception();
    Expr* peek(std::size_t depth);  // 1: the top
    void refuse_disorder(const std::vector<Expr*>& values) const;
    Expr* as_value(Expr* e);
    Expr* unpacked(Expr* item);
    Expr* unpack_target(Expr* unpack);
    static bool is_marker(const Expr* e);
    std::size_t pending() const;  // values (not markers) on the stack

    // stores
    void store(Expr* target, Expr* value);
    void finish_store(Expr* target, Expr* value);
    bool stores_everything_pending() const;
    void emit_assign(std::vector<Expr*> targets, Expr* value);
    void drop(Expr* value);  // POP_TOP
    Expr* dead_target();
    Expr* name(const std::string* id);
    Expr* cell(const ir::Inst& inst);

    // calls
    void call(const ir::Inst& inst, Expr* names);
    Expr* finish_call(Expr* callee, std::vector<Expr*> args, std::vector<ast::Keyword> keywords);
    Expr* raw_argument(Expr* e);
    void call_ex(const ir::Inst& inst);
    void add_keywords(Expr* dict, std::vector<ast::Keyword>& keywords);
    void splice_positional(Expr* args, std::vector<Expr*>& out, bool always);

    // statements
    ast::Stmt* emit(ast::StmtKind kind, std::vector<Expr*> exprs = {});
    void spill();  // values that must outlive a statement go into temporaries

    const ir::Function& function_;
    const ExpressContext& context_;
    ast::Tree& tree_;
    Block* block_ = nullptr;
    std::size_t position_ = 0;  // index into block_->insts of the instruction being executed
    std::size_t statement_start_ = 0;
    std::vector<Expr*> stack_;
    std::vector<std::pair<Expr*, Expr*>> group_;  // targets and values of a parallel assignment under way
    std::uint32_t next_order_ = 1;
    std::uint32_t next_name_ = 0;
    const ir::Inst* inst_ = nullptr;
};

}  // namespace depyf
