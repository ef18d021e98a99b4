#include "verify/stack_window.h"

#include <algorithm>
#include <utility>

namespace depyf::verify {

void StackWindow::reach(std::size_t n) {
    if (items_.size() >= n) return;
    const std::size_t missing = n - items_.size();
    items_.insert(items_.begin(), missing, 0);
    for (std::size_t i = missing; i-- > 0;) items_[i] = --floor_;
}

void StackWindow::swap(std::uint32_t n) {
    if (n < 2) return;
    reach(n);
    std::swap(items_.back(), items_[items_.size() - n]);
}

void StackWindow::rotate(std::uint32_t n) {
    if (n < 2) return;
    reach(n);
    std::rotate(items_.end() - static_cast<std::ptrdiff_t>(n), items_.end() - 1, items_.end());
}

bool StackWindow::same(StackWindow& a, StackWindow& b) {
    if (a.items_.empty() && b.items_.empty()) return a.floor_ == b.floor_;
    const std::int32_t floor = std::min(a.floor_, b.floor_);
    a.reach(a.items_.size() + static_cast<std::size_t>(a.floor_ - floor));
    b.reach(b.items_.size() + static_cast<std::size_t>(b.floor_ - floor));
    return a.items_ == b.items_;
}

}  // namespace depyf::verify
