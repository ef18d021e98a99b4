// The top of a stack while items are only moved about. Items are named by the place they had at the start, counted from
// the top: -1, -2 ...
#pragma once

#include <cstdint>
#include <vector>

namespace depyf::verify {

class StackWindow {
  public:
    void clear() {
        floor_ = 0;
        items_.clear();
    }
    void copy(std::uint32_t n) {
        reach(n);
        items_.push_back(items_[items_.size() - n]);
    }
    void swap(std::uint32_t n);
    void rotate(std::uint32_t n);
    void pop() {
        reach(1);
        items_.pop_back();
    }
    // Whether both stacks are the same now.
    static bool same(StackWindow& a, StackWindow& b);

  private:
    void reach(std::size_t n);  // at least n items are in the window

    std::int32_t floor_ = 0;  // items below are where they were
    std::vector<std::int32_t> items_;
};

}  // namespace depyf::verify
