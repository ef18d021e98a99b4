// Recursive descent over the flow graph. A walk writes the statements from one block on until it comes to a block that
// means something where it stands: what follows (nothing to write), the loop's header (`continue`), what follows the
// loop (`break`). Blocks reached twice are written twice; the amount is bounded.
#pragma once

#include "ast/node.h"
#include "express/block.h"
#include "normalise/normalise.h"
#include "structure/regions.h"

namespace depyf {

class Structurer {
  public:
    Structurer(const FlowGraph& graph, ast::Tree& tree, std::uint32_t code_index);
    ast::Body run();

  private:
    struct Context {
        std::int32_t next = -1;       // where control goes behind the last statement
        std::int32_t again = -1;      // `continue`
        std::int32_t leave = -1;      // `break`
        const Context* outer = nullptr;   // around the innermost loop
    };

    struct MatchArm {
        std::int32_t body = -1;
        ast::Expr* guard = nullptr;
        std::int32_t guard_block = -1;
        ast::Pattern* pattern = nullptr;
    };
    struct MatchChain {
        std::vector<MatchArm> arms;
        std::vector<std::int32_t> blocks;   // that test the patterns and guards
        std::int32_t end = -1;              // where control goes when none matches; -1: one always does
    };

    ast::Body walk(std::int32_t b, const Context& context);
    std::int32_t leave(std::int32_t b, const Context& context, ast::Body& out);
    void leave_body(ast::Body& out);
    ast::Body walk_header(std::int32_t b, const Context& context);
    bool returns_pending(std::int32_t b) const;
    std::int32_t after_with(std::int32_t b) const;
    std::vector<std::int32_t> handler_exits(std::int32_t b, std::int32_t& last) const;
    bool reached(std::int32_t b, const Context& context, ast::Body& out, bool jumped);
    void copy_statements(std::int32_t b, ast::Body& out);
    std::int32_t branch(std::int32_t b, const Context& context, ast::Body& out);
    std::int32_t match(std::int32_t b, const Context& context, ast::Body& out);
    bool is_default(std::int32_t b, const MatchChain& chain) const;
    bool is_case(std::int32_t b) const;
    std::int32_t match_follow(const MatchChain& chain) const;
    std::int32_t read_guard(std::int32_t at, MatchArm& arm) const;
    MatchChain match_chain(std::int32_t b) const;
    std::int32_t loop(std::int32_t b, const Context& context, ast::Body& out);
    std::int32_t protect(std::int32_t b, const Context& context, ast::Body& out);
    std::int32_t finally_break(std::int32_t b, const Context& context) const;
    std::int32_t break_loop(std::int32_t b, std::int32_t follow, const Context& context, ast::Body& out);
    std::int32_t with(std::int32_t b, std::int32_t follow, const Context& context, ast::Body& out);
    std::int32_t after_region(std::int32_t b, HandlerKind kind, const Context& context, std::int32_t& orelse,
                              bool& goes_on) const;
    void except_clauses(ast::Stmt* stmt, std::int32_t entry, const Context& context);
    ast::Body loop_body(std::int32_t entry, const Context& context, ast::Expr*& target);
    static std::vector<std::int32_t> meanings(const Context& context);

    std::int32_t first_line(const Block& block) const;
    ast::Stmt* make(ast::StmtKind kind, std::int32_t b);

    const FlowGraph& graph_;
    ast::Tree& tree_;
    std::uint32_t code_index_;
    Regions regions_;
    std::vector<std::uint8_t> entered_;    // loop headers whose loop is being written
    std::vector<std::uint32_t> visits_;
    std::size_t budget_;
};

bool completes(const ast::Body& body);   // control can reach what follows the last statement

}  // namespace depyf
