// Symbolic execution of pattern code along the path on which everything matches.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"
#include "match/node.h"

namespace depyf::matching {

struct State {
    std::int32_t at = -1;                 // instruction to be executed
    std::vector<std::int32_t> stack;      // nodes
    std::vector<Node> nodes;
    bool stored = false;                  // a name was bound

    Node& node(std::int32_t id) { return nodes[static_cast<std::size_t>(id)]; }
    const Node& node(std::int32_t id) const { return nodes[static_cast<std::size_t>(id)]; }
    std::int32_t add(Node node);
    Node& top() { return node(stack.back()); }
};

// Where a failing test goes on, its values dropped.
struct Failure {
    std::int32_t at = -1;
    std::vector<std::int32_t> stack;
    std::int32_t line_mark = -1;   // a Nop on the way that only marks another line: that of `case _:`
    bool operator==(const Failure& other) const { return at == other.at && stack == other.stack; }
};

enum class Step : std::uint8_t {
    Plain,   // executed
    Test,    // executed as if the test were passed; the failure is set
    Stuck,   // no pattern has such an instruction here
};

class Machine {
  public:
    // `base`: how many items of the stack lie below the patterns.
    Machine(const ir::Function& function, std::size_t base) : function_(function), base_(base) {}
    Step step(State& state, Failure& failure) const;
    std::int32_t settle(std::int32_t i) const;   // passes over what does nothing
    std::size_t base() const { return base_; }
    const ir::Inst& inst(std::int32_t i) const { return function_.insts[static_cast<std::size_t>(i)]; }

  private:
    bool execute(State& state, const ir::Inst& inst) const;
    bool stack_operation(State& state, const ir::Inst& inst) const;
    bool load(State& state, const ir::Inst& inst) const;
    bool question(State& state, const ir::Inst& inst) const;
    bool compare(State& state, const ir::Inst& inst) const;
    bool subscript(State& state) const;
    bool take_apart(State& state, const ir::Inst& inst) const;
    bool keys_and_rest(State& state, const ir::Inst& inst) const;
    bool match_class(State& state, const ir::Inst& inst) const;
    bool store(State& state, std::int32_t id, const std::string* name) const;
    bool passed(State& state, const Node& flag) const;
    Step branch(State& state, const ir::Inst& inst, Failure& failure) const;
    Failure fail(const State& state, std::int32_t at) const;

    const ir::Function& function_;
    std::size_t base_;
};

}  // namespace depyf::matching
