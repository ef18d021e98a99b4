#include "express/comprehension.h"

#include <algorithm>

#include "express/conditions.h"

namespace depyf {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

class Reader {
  public:
    Reader(const FlowGraph& graph, ast::Tree& tree) : graph_(graph), tree_(tree) {}

    std::optional<ComprehensionParts> read(std::int32_t header) {
        if (!enter_loop(header)) return std::nullopt;
        while (!done_) {
            if (!step()) return std::nullopt;
        }
        return std::move(parts_);
    }

  private:
    // Starts the clause of the loop at `header`.
    bool enter_loop(std::int32_t header) {
        const Block& loop = graph_[header];
        if (!loop.executed || (loop.exit != Exit::For && loop.exit != Exit::AsyncFor) || !loop.pure()) return false;
        parts_.blocks.push_back(header);
        ast::Comprehension clause;
        clause.iter = loop.value;
        clause.is_async = loop.exit == Exit::AsyncFor;
        parts_.generators.push_back(clause);
        header_ = header;
        current_ = loop.next;
        statement_ = 0;
        return true;
    }

    bool step() {
        const Block& block = graph_[current_];
        if (!block.executed) return false;
        if (std::find(parts_.blocks.begin(), parts_.blocks.end(), current_) == parts_.blocks.end())
            parts_.blocks.push_back(current_);
        for (; statement_ < block.statements.size(); ++statement_) {
            if (!statement(block.statements[statement_])) return false;
        }
        if (!parts_.generators.back().target) return false;
        switch (block.exit) {
            case Exit::Fall: return follow(block.next);
            case Exit::Branch:
                if (!parts_.elements.empty()) return false;
                if (block.target == header_) {
                    parts_.generators.back().ifs.push_back(block.value);
                    return go(block.next);
                }
                if (block.next == header_) {
                    parts_.generators.back().ifs.push_back(negated(tree_, block.value));
                    return go(block.target);
                }
                return false;
            default: return false;
        }
    }

    bool go(std::int32_t next) {
        current_ = next;
        statement_ = 0;
        return next >= 0 && ++steps_ < graph_.blocks.size() + 8;
    }

    bool follow(std::int32_t next) {
        if (next == header_ && !parts_.elements.empty()) {
            done_ = true;
            return true;
        }
        if (!parts_.elements.empty() || next < 0) return false;
        const Block& block = graph_[next];
        if (block.executed && (block.exit == Exit::For || block.exit == Exit::AsyncFor) && block.target == header_)
            return enter_loop(next);
        if (next == header_) return false;
        return go(next);
    }

    bool statement(Stmt* stmt) {
        if (!parts_.elements.empty()) return false;
        if (stmt->kind == StmtKind::Assign && stmt->exprs.size() == 2 && stmt->exprs[1]->kind == ExprKind::ForItem) {
            if (parts_.generators.back().target) return false;
            parts_.generators.back().target = stmt->exprs[0];
            return true;
        }
        if (stmt->kind == StmtKind::Assign && stmt->exprs.size() == 2 && parts_.generators.back().target) {
            // 3.9+: `for y in [value]` is an assignment
            ast::Comprehension clause;
            clause.target = stmt->exprs[0];
            clause.iter = tree_.expr(ExprKind::List, {stmt->exprs[1]});
            parts_.generators.push_back(clause);
            return true;
        }
        if (stmt->kind == StmtKind::Append) {
            parts_.elements = stmt->exprs;
            parts_.unpacks = stmt->flag;
            return true;
        }
        if (stmt->kind == StmtKind::Expr && stmt->exprs[0]->kind == ExprKind::Yield) {
            Expr* value = stmt->exprs[0]->items[0];
            parts_.yields = true;
            const bool nested = parts_.generators.size() > 1 && !parts_.generators.back().target;
            if (nested && value && value->kind == ExprKind::ForItem) {
                // 3.15: `(*x for x in y)` yields the items of x in a loop of its own
                value = parts_.generators.back().iter;
                parts_.generators.pop_back();
                parts_.unpacks = true;
            }
            parts_.elements = {value};
            return true;
        }
        return false;
    }

    const FlowGraph& graph_;
    ast::Tree& tree_;
    ComprehensionParts parts_;
    std::int32_t header_ = -1, current_ = -1;
    std::size_t statement_ = 0, steps_ = 0;
    bool done_ = false;
};

}  // namespace

std::optional<ComprehensionParts> read_comprehension(const FlowGraph& graph, std::int32_t header, ast::Tree& tree) {
    return Reader(graph, tree).read(header);
}

}  // namespace depyf
