// Dominator tree of a flow graph given by successor lists. Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance
// Algorithm" (2001).
#pragma once

#include <cstdint>
#include <vector>

namespace depyf {

class Dominators {
  public:
    // `successors[b]`: ids of the blocks that control may reach from b. Blocks that `entry` does not reach have no
    // dominator and no place in the order.
    Dominators(const std::vector<std::vector<std::int32_t>>& successors, std::int32_t entry);

    bool reachable(std::int32_t b) const { return position_[static_cast<std::size_t>(b)] >= 0; }
    std::int32_t immediate(std::int32_t b) const { return idom_[static_cast<std::size_t>(b)]; }   // entry: itself
    bool dominates(std::int32_t a, std::int32_t b) const;
    std::int32_t position(std::int32_t b) const {
        return position_[static_cast<std::size_t>(b)];
    }  // in reverse postorder
    const std::vector<std::int32_t>& order() const { return order_; }
    const std::vector<std::int32_t>& children(std::int32_t b) const { return children_[static_cast<std::size_t>(b)]; }

  private:
    void number_tree(std::int32_t entry);

    std::vector<std::int32_t> idom_, position_, order_;
    std::vector<std::vector<std::int32_t>> children_;
    std::vector<std::int32_t> enter_, leave_;   // preorder interval in the tree
};

}  // namespace depyf
