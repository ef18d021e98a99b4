// Rules that turn branches inside expressions into expressions. Each rule takes a block A and the blocks that only A
// leads to, and leaves A doing all their work.
#pragma once

#include "ast/node.h"
#include "express/block.h"

namespace depyf {

class Folder {
  public:
    Folder(FlowGraph& graph, ast::Tree& tree) : graph_(graph), tree_(tree) {}

    // Folds the predecessors of `join` that each bring a value for it, as far as it goes.
    void fold_values(std::int32_t join);
    // Folds `a`'s condition with the conditions behind it, as far as it goes.
    void fold_conditions(std::int32_t a);
    // Appends the executed block `b` to its only predecessor, which falls into it. Returns the block that holds it now.
    std::int32_t merge_into_predecessor(std::int32_t b);
    // `loop` and all blocks in it were one expression: `before` goes straight to `after`.
    void remove_edge(std::int32_t from, std::int32_t to);
    void kill(std::int32_t b);  // takes the block out of the graph with all its edges

  private:
    bool fold_value(std::int32_t join);
    bool short_circuit(std::int32_t a, std::int32_t p, std::int32_t join);
    bool condition_before_keep(std::int32_t a, std::int32_t p, std::int32_t join);
    bool conditional_expression(std::int32_t a, std::int32_t join);
    bool chained_value(std::int32_t a, std::int32_t join);
    bool combine_conditions(std::int32_t a);
    bool chain_ready(std::int32_t a) const;
    bool and_or(std::int32_t a, std::int32_t b);
    bool conditional_test(std::int32_t a);
    bool chained_condition(std::int32_t a);
    bool chained_keep(std::int32_t a);
    bool only_from(std::int32_t b, std::int32_t a) const;  // pure, executed, and `a` is the only way in
    void fall_with_values(std::int32_t a, std::int32_t join, std::vector<ast::Expr*> out);
    bool brings_value(std::int32_t p, std::int32_t join, std::size_t base) const;
    void replace_edge(std::int32_t from, std::int32_t& edge, std::int32_t to);
    void absorb(std::int32_t a, std::int32_t b);  // `b` dies; edges of `a` were set already

    FlowGraph& graph_;
    ast::Tree& tree_;
};

}  // namespace depyf
