// Or-patterns: each alternative works on a copy of the subject, fails to the next one and joins the others behind the
// last. Small ways out of the function may have been copied, then the joins are several places with the same code.
#pragma once

#include <optional>
#include <set>

#include "match/machine.h"

namespace depyf::matching {

class OrReader {
  public:
    explicit OrReader(const Machine& machine) : machine_(machine) {}

    // At a Copy of a subject: executes the whole or-pattern, if one starts here, and returns true. `failure` is where
    // its last alternative fails; failure.at < 0 where that one always matches.
    bool read(State& state, Failure& failure);
    // The same code, up to its end, at two places. The compiler gives an implicit `return None` the line of the code
    // in front of it, so only the first instructions must come from the same line.
    bool same_code(std::int32_t a, std::int32_t b) const;

  private:
    struct Alternative {
        Failure failure;
        std::vector<State> tail;  // the states from behind the last test of its own
        std::int32_t alias = -1;  // its subject
        bool joins(const State& other, const OrReader& reader, std::size_t& where) const;
    };
    bool read_alternatives(State& state, Failure& failure);
    Alternative explore(State state, const Alternative* first);
    bool starts_alternative(const Failure& failure, const std::vector<std::int32_t>& stack) const;
    bool merge(State& state, const std::vector<Alternative>& alternatives, std::size_t join);

    const Machine& machine_;
    int steps_ = 0;
    int depth_ = 0;
    std::set<std::int32_t> failed_;  // copies that start no or-pattern
};

}  // namespace depyf::matching
