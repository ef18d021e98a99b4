#include "cfg/dominators.h"

namespace depyf {

Dominators::Dominators(const std::vector<std::vector<std::int32_t>>& successors, std::int32_t entry)
    : idom_(successors.size(), -1),
      position_(successors.size(), -1),
      children_(successors.size()),
      enter_(successors.size(), -1),
      leave_(successors.size(), -1) {
    std::vector<std::pair<std::int32_t, std::size_t>> stack{{entry, 0}};
    std::vector<bool> seen(successors.size(), false);
    seen[static_cast<std::size_t>(entry)] = true;
    std::vector<std::int32_t> postorder;
    while (!stack.empty()) {
        auto& [b, k] = stack.back();
        const auto& out = successors[static_cast<std::size_t>(b)];
        if (k < out.size()) {
            const std::int32_t s =
                out[out.size() - 1 - k++];   // the last successor first: the first one comes next to b
            if (!seen[static_cast<std::size_t>(s)]) {
                seen[static_cast<std::size_t>(s)] = true;
                stack.emplace_back(s, 0);
            }
        } else {
            postorder.push_back(b);
            stack.pop_back();
        }
    }
    order_.assign(postorder.rbegin(), postorder.rend());
    for (std::size_t i = 0; i < order_.size(); ++i)
        position_[static_cast<std::size_t>(order_[i])] = static_cast<std::int32_t>(i);
    std::vector<std::vector<std::int32_t>> preds(successors.size());
    for (std::int32_t b : order_) {
        for (std::int32_t s : successors[static_cast<std::size_t>(b)]) preds[static_cast<std::size_t>(s)].push_back(b);
    }
    auto intersect = [&](std::int32_t a, std::int32_t b) {
        while (a != b) {
            while (position(a) > position(b)) a = idom_[static_cast<std::size_t>(a)];
            while (position(b) > position(a)) b = idom_[static_cast<std::size_t>(b)];
        }
        return a;
    };
    idom_[static_cast<std::size_t>(entry)] = entry;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::int32_t b : order_) {
            if (b == entry) continue;
            std::int32_t best = -1;
            for (std::int32_t p : preds[static_cast<std::size_t>(b)]) {
                if (idom_[static_cast<std::size_t>(p)] < 0) continue;
                best = best < 0 ? p : intersect(p, best);
            }
            if (best != idom_[static_cast<std::size_t>(b)]) {
                idom_[static_cast<std::size_t>(b)] = best;
                changed = true;
            }
        }
    }
    for (std::int32_t b : order_) {
        if (b != entry) children_[static_cast<std::size_t>(immediate(b))].push_back(b);
    }
    number_tree(entry);
}

void Dominators::number_tree(std::int32_t entry) {
    std::int32_t clock = 0;
    std::vector<std::pair<std::int32_t, std::size_t>> stack{{entry, 0}};
    while (!stack.empty()) {
        auto& [b, k] = stack.back();
        if (k == 0) enter_[static_cast<std::size_t>(b)] = clock++;
        const auto& below = children_[static_cast<std::size_t>(b)];
        if (k < below.size()) {
            const std::int32_t child = below[k++];
            stack.emplace_back(child, 0);
        } else {
            leave_[static_cast<std::size_t>(b)] = clock;
            stack.pop_back();
        }
    }
}

bool Dominators::dominates(std::int32_t a, std::int32_t b) const {
    if (!reachable(a) || !reachable(b)) return false;
    return enter_[static_cast<std::size_t>(a)] <= enter_[static_cast<std::size_t>(b)] &&
           enter_[static_cast<std::size_t>(b)] < leave_[static_cast<std::size_t>(a)];
}

}  // namespace depyf
