#include "express/express.h"

#include <algorithm>

#include "base/error.h"
#include "express/comprehension.h"
#include "express/fold.h"
#include "express/own_instructions.h"
#include "express/stack_machine.h"

namespace depyf {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

namespace {

class Expression {
  public:
    Expression(const ir::Function& function, const ExpressContext& context)
        : function_(function),
          context_(context),
          tree_(*context.tree),
          graph_(make_blocks(function)),
          folder_(graph_, tree_),
          machine_(function, context) {}

    FlowGraph run() {
        for (std::size_t i = 0; i < graph_.order.size(); ++i) {   // grows where a block is split
            const std::int32_t b = graph_.order[i];
            if (graph_[b].dead || (graph_[b].preds.empty() && b != graph_.entry)) continue;
            collapse_comprehension(b);
            folder_.fold_values(b);
            if (values_differ(b)) copy_for_predecessors(b, i);
            const std::size_t done = machine_.run(graph_[b], entry_stack(b));
            if (done < graph_[b].insts.size()) split(b, done, i);
            const std::int32_t now = folder_.merge_into_predecessor(b);
            folder_.fold_conditions(now);
        }
        test_kept_values();
        own_instructions(graph_);
        if (context_.refuse_hand_made && fills_a_list()) throw HandMade();
        return std::move(graph_);
    }

  private:
    // More than one value for some place on the stack comes in, and no expression says why.
    bool values_differ(std::int32_t b) {
        const std::vector<std::int32_t> preds = executed_predecessors(b);
        if (preds.size() < 2) return false;
        const std::vector<Expr*>& first = edge_stack(preds[0], b);
        for (std::int32_t p : preds) {
            const std::vector<Expr*>& other = edge_stack(p, b);
            if (other.size() != first.size()) return false;
            for (std::size_t k = 0; k < first.size(); ++k) {
                if (other[k] != first[k] && !(is_marker(other[k]) && is_marker(first[k]))) return true;
            }
        }
        return false;
    }

    std::vector<std::int32_t> executed_predecessors(std::int32_t b) {
        std::vector<std::int32_t> preds;
        for (std::int32_t p : graph_[b].preds) {
            if (graph_[p].executed && std::find(preds.begin(), preds.end(), p) == preds.end()) preds.push_back(p);
        }
        return preds;
    }

    // Equal ends of different statements were taken for copies of one: every way in gets the block for itself again.
    void copy_for_predecessors(std::int32_t b, std::size_t place) {
        const std::vector<std::int32_t> preds = executed_predecessors(b);
        const bool only_forward = preds.size() == graph_[b].preds.size();
        if (!only_forward || graph_[b].insts.size() > 24 || copies_ + preds.size() > 200) return;
        for (std::size_t k = 1; k < preds.size(); ++k) {
            const auto copy = static_cast<std::int32_t>(graph_.blocks.size());
            graph_.blocks.push_back(graph_[b]);
            ++copies_;
            graph_[copy].preds = {preds[k]};
            for (std::int32_t s : {graph_[copy].next, graph_[copy].target}) {
                if (s >= 0) graph_[s].preds.push_back(copy);
            }
            Block& from = graph_[preds[k]];
            (from.next == b ? from.next : from.target) = copy;
            folder_.remove_edge(preds[k], b);
            graph_.order.insert(graph_.order.begin() + static_cast<std::ptrdiff_t>(place + k), copy);
        }
    }

    // The instructions of `b` from `position` on become a block of their own, next in the order.
    void split(std::int32_t b, std::size_t position, std::size_t place) {
        const auto rest = static_cast<std::int32_t>(graph_.blocks.size());
        graph_.blocks.emplace_back();
        Block& block = graph_[b];
        Block& behind = graph_[rest];
        behind.insts.assign(block.insts.begin() + static_cast<std::ptrdiff_t>(position), block.insts.end());
        block.insts.resize(position);
        behind.handler = block.handler;
        behind.offset = function_.insts[static_cast<std::size_t>(behind.insts.front())].offset;
        behind.location = block.location;
        block.location = function_.insts[static_cast<std::size_t>(block.insts.back())].location;
        behind.next = block.next;
        behind.target = block.target;
        for (std::int32_t s : {behind.next, behind.target}) {
            if (s >= 0) *std::find(graph_[s].preds.begin(), graph_[s].preds.end(), b) = rest;
        }
        block.exit = Exit::Fall;
        block.next = rest;
        block.target = -1;
        block.leaves_loop = true;
        behind.preds = {b};
        graph_.order.insert(graph_.order.begin() + static_cast<std::ptrdiff_t>(place) + 1, rest);
    }

    std::vector<Expr*>& edge_stack(std::int32_t from, std::int32_t to) {
        Block& block = graph_[from];
        return block.next == to ? block.out : block.target_out;
    }

    std::vector<Expr*> entry_stack(std::int32_t b) {
        const std::vector<std::int32_t> preds = executed_predecessors(b);
        if (preds.empty()) return {};
        const Block& first = graph_[preds[0]];
        if (first.exit == Exit::Setup && first.target == b && first.next != b) return handler_stack(first);
        std::vector<Expr*> stack = edge_stack(preds[0], b);
        for (std::int32_t p : preds) stack.resize(std::min(stack.size(), edge_stack(p, b).size()));
        for (std::size_t k = 0; k < stack.size(); ++k) {
            for (std::int32_t p : preds) {
                Expr* other = edge_stack(p, b)[k];
                if (other == stack[k] || (is_marker(stack[k]) && is_marker(other))) continue;
                stack[k] = join_in_temporary(preds, b, k);
                break;
            }
        }
        return stack;
    }

    static bool is_marker(const Expr* e) {
        return e->kind == ExprKind::Null || e->kind == ExprKind::Iterator || e->kind == ExprKind::WithExit ||
               e->kind == ExprKind::Exception || e->kind == ExprKind::Opaque || e->kind == ExprKind::ForItem ||
               e->kind == ExprKind::MatchSubject;
    }

    std::vector<Expr*> handler_stack(const Block& setup) {
        const ir::Handler& handler = function_.handlers[static_cast<std::size_t>(setup.handler_id)];
        std::vector<Expr*> stack = setup.target_out;
        stack.resize(std::min<std::size_t>(stack.size(), handler.depth));
        const std::size_t items = function_.features->exc_info_items + (handler.lasti ? 1u : 0u);
        for (std::size_t i = 0; i < items; ++i) stack.push_back(tree_.expr(ExprKind::Exception));
        return stack;
    }

    // Different values meet on the stack and no expression says why (hand-made code): every way in stores its own.
    Expr* join_in_temporary(const std::vector<std::int32_t>& preds, std::int32_t b, std::size_t k) {
        if (context_.refuse_hand_made) throw HandMade();
        const std::string name = machine_.fresh_name();
        for (std::int32_t p : preds) {
            std::vector<Expr*>& stack = edge_stack(p, b);
            Expr* value = stack[k];
            Stmt* stmt = tree_.stmt(StmtKind::Assign);
            stmt->exprs = {tree_.name(name), value};
            stmt->code_index = context_.code_index;
            Block& block = graph_[p];
            block.statements.push_back(stmt);
            stack[k] = tree_.name(name);
            if (block.value == value) block.value = tree_.name(name);
        }
        Expr* joined = tree_.name(name);
        joined->flag = true;
        return joined;
    }

    // `b` comes behind a loop that fills an empty display lying on the stack: the loop is a comprehension.
    void collapse_comprehension(std::int32_t b) {
        const std::vector<std::int32_t> preds = graph_[b].preds;
        for (std::int32_t h : preds) {
            const Block& loop = graph_[h];
            if (!loop.executed || (loop.exit != Exit::For && loop.exit != Exit::AsyncFor) || loop.target != b) continue;
            if (loop.target_out.empty()) continue;
            Expr* container = loop.target_out.back();
            const bool display = container->kind == ExprKind::List || container->kind == ExprKind::Set ||
                                 container->kind == ExprKind::Dict;
            if (!display || !container->items.empty()) continue;
            std::int32_t before = -1;
            for (std::int32_t p : loop.preds) {
                if (graph_[p].executed && graph_[p].exit == Exit::Fall && before < 0 && precedes(p, h)) before = p;
            }
            auto parts = read_comprehension(graph_, h, tree_);
            if (!parts || parts->yields || before < 0) continue;
            container->kind = container->kind == ExprKind::List  ? ExprKind::ListComp
                              : container->kind == ExprKind::Set ? ExprKind::SetComp
                                                                 : ExprKind::DictComp;
            container->items = parts->elements;
            if (parts->unpacks && container->kind == ExprKind::DictComp)
                container->items.push_back(nullptr);
            else if (parts->unpacks)
                container->items[0] = tree_.expr(ExprKind::Starred, {container->items[0]});
            container->generators = parts->generators;
            std::vector<Expr*> out = loop.target_out;
            for (std::int32_t dead : parts->blocks) folder_.kill(dead);
            folder_.remove_edge(before, h);
            graph_[before].next = b;
            graph_[before].out = out;
            graph_[b].preds.push_back(before);
        }
    }

    bool precedes(std::int32_t p, std::int32_t h) const {
        auto at = [&](std::int32_t b) { return std::find(graph_.order.begin(), graph_.order.end(), b); };
        return at(p) < at(h);
    }

    // Something is added to a list on the stack that no comprehension fills.
    bool fills_a_list() const {
        return std::any_of(graph_.blocks.begin(), graph_.blocks.end(), [](const Block& block) {
            return !block.dead && std::any_of(block.statements.begin(), block.statements.end(),
                                              [](const Stmt* s) { return s->kind == StmtKind::Append; });
        });
    }

    // A value that is kept on one edge only and was not folded: the joins that read it have stored it, a test is left.
    void test_kept_values() {
        for (Block& block : graph_.blocks) {
            if (!block.dead && block.executed && block.exit == Exit::Keep) block.exit = Exit::Branch;
        }
    }

    const ir::Function& function_;
    const ExpressContext& context_;
    ast::Tree& tree_;
    FlowGraph graph_;
    Folder folder_;
    StackMachine machine_;
    std::size_t copies_ = 0;
};

}  // namespace

FlowGraph express(const ir::Function& function, const ExpressContext& context) {
    return Expression(function, context).run();
}

}  // namespace depyf
