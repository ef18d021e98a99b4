// What the structurer asks of the flow graph: dominance, loops and their extent, protected regions, join points.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cfg/dominators.h"
#include "express/block.h"

namespace depyf {

class Regions {
  public:
    explicit Regions(const FlowGraph& graph);

    struct Loop {
        std::vector<bool> body;         // by block: belongs to the loop, or leaves it from inside its text
        std::int32_t follow = -1;       // where `break` goes; -1: nowhere
    };

    // 3.7, where the code says so: what follows the loop of that header, -1 where nothing is said.
    std::int32_t written_follow(std::int32_t header) const { return follow_[static_cast<std::size_t>(header)]; }
    bool ends_loop(std::int32_t b) const;   // the loop has ended by itself where `b` starts (3.7)
    bool is_loop_header(std::int32_t b) const { return header_[static_cast<std::size_t>(b)]; }
    // `outer`: blocks that mean something around the loop (what follows, continue and break targets).
    Loop loop(std::int32_t header, std::int32_t exhausted, const std::vector<std::int32_t>& outer) const;
    // Where the arms of the compound statement that starts at b meet again, -1 where they do not.
    std::int32_t join(std::int32_t b, std::int32_t first, std::int32_t second) const;
    bool is_join(std::int32_t b) const;    // several ways lead there, not counting those that lead back
    // The block that `b` leads to without doing anything (it may drop what lies on the stack).
    // `through_jumps`: past a `break` or `continue` that has a block of its own (up to 3.8) as well.
    std::int32_t settle(std::int32_t b, bool through_jumps = true) const;
    bool inside(std::int32_t b, std::int32_t handler) const;   // protected by it
    // Targets of edges that leave the region protected by `handler` and start at blocks that `setup` dominates.
    std::vector<std::int32_t> region_exits(std::int32_t setup, std::int32_t handler) const;
    // The return that everything at module level ends in, -1 where none does.
    std::int32_t end_of_module() const { return end_of_module_; }
    // Where the body of a try statement ends whose finally body never does, -1 where it ends in no such place.
    std::int32_t body_end(std::int32_t handler) const;
    bool ends_body(std::int32_t b) const;  // such a place
    const Dominators& dominators() const { return dominators_; }
    bool returns_to(std::int32_t b, std::int32_t header) const;  // not by way of a loop around that header
    bool reaches_around(std::int32_t from, std::int32_t to,
                        std::int32_t without) const;   // not through `without` or back to `from`

  private:
    static std::vector<std::vector<std::int32_t>> edges(const FlowGraph& graph);
    void find_loops();
    bool protected_in(std::int32_t b, const std::vector<bool>& blocks) const;  // by a statement that starts in `blocks`
    bool only_returns(std::int32_t b) const;  // nothing is done from here on but returning a constant
    bool handles_inside(std::int32_t b, std::int32_t header) const;
    void find_ends();
    void read_written_loop(std::int32_t setup);

    // A loop whose text is being found.
    struct Extent {
        std::int32_t header;
        std::int32_t exhausted;  // where a `for` or `while` goes when it ends by itself, -1 for `while True`
        std::uint32_t end;  // offset up to which the text reaches
        std::int32_t last_line, first_column;  // of the natural loop
        std::vector<bool> body;
        bool has(std::int32_t b) const { return body[static_cast<std::size_t>(b)]; }
        void add(std::int32_t b) { body[static_cast<std::size_t>(b)] = true; }
    };
    // Up to 3.10 handlers stand where they were written, later at the end of the code.
    bool handlers_last() const { return graph_.function->features->has_exception_table; }
    std::uint32_t text_end(std::int32_t b) const;
    void add_natural_loop(Extent& extent) const;
    std::int32_t first_column(std::int32_t b) const;
    bool stands_left_of(std::int32_t b, const Extent& extent) const;
    bool passes_on(std::int32_t b) const;
    bool returns_behind(std::int32_t b, const Extent& extent) const;
    bool only_from_loop(std::int32_t b, const Extent& extent) const;
    bool carries_value(std::int32_t b, const Extent& extent) const;
    bool belongs_to_for(std::int32_t b, const Extent& extent, const ast::Expr* iterator) const;
    bool belongs_to_while(std::int32_t b, const Extent& extent) const;
    std::int32_t likeliest_exit(const Extent& extent, const std::vector<std::int32_t>& outer) const;
    std::int32_t loop_follow(const Extent& extent, const std::vector<std::int32_t>& outer) const;
    const ast::Expr* loop_iterator(std::int32_t header) const;  // null for `while`

    const FlowGraph& graph_;
    std::vector<std::vector<std::int32_t>> successors_, predecessors_;
    Dominators dominators_;
    std::vector<bool> header_;
    std::vector<std::int32_t> follow_;  // by header
    std::vector<bool> handler_entry_;
    std::unordered_map<std::int32_t, std::int32_t> body_end_;  // by handler
    std::int32_t end_of_module_ = -1;
    std::vector<std::int32_t> setup_;  // by handler: the block that enters its region, -1 where none does
};

}  // namespace depyf
