// Symbolic execution of one block: what lay on the stack becomes expressions in the order of evaluation, and variables.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "untangle/state.h"

namespace depyf::untangling {

class Simulator {
  public:
    Simulator(ir::Function& function, bool readable);

    // Runs `block` from `state`; fills its code, out, target_out.
    void run(Block& block, State state);
    Entry fresh_temporary(const ir::Inst& at);  // a Free entry that loads a variable nobody else uses
    // Puts what the entry stands for into the variable that `temporary` loads.
    void assign(Code& out, const Entry& value, const Entry& temporary) const;
    // All virtual lists and aliases of `state` become real.
    void settle(State& state, Code& out);

    const std::set<std::string>& pinned() const { return pinned_; }

  private:
    void step(const ir::Inst& inst);
    bool loads(const ir::Inst& inst);
    bool moves(const ir::Inst& inst);
    bool expressions(const ir::Inst& inst);
    bool statements(const ir::Inst& inst);
    bool containers(const ir::Inst& inst);
    bool unpacking(const ir::Inst& inst);
    bool control(const ir::Inst& inst);
    bool exceptions(const ir::Inst& inst);

    Entry& peek(std::size_t depth);  // 1: the top
    Entry pop();
    std::vector<Entry> pop_many(std::size_t count);
    void push(Entry entry);
    void push_real(std::size_t count);
    void push_pending(Code code);

    void flush(std::size_t keep = 0);  // every pending entry but the top `keep` ones goes into a variable
    void materialise(std::size_t position);  // the stack's entry at `position`, and all pending ones below it
    void release(const std::string& local);  // what still reads that variable gets a copy of its value
    void release_in(Entry& entry, const std::string& local);
    Code operands(std::vector<Entry> entries, const ir::Inst& consumer, bool* real = nullptr);
    void add_operand(Code& code, Entry& entry, const ir::Inst& consumer);
    void expression(const ir::Inst& inst, std::size_t pops);
    void statement(const ir::Inst& inst, std::size_t pops);
    void inplace(const ir::Inst& inst);
    void extend(const ir::Inst& inst);
    void keep_keywords(const ir::Inst& inst);
    void keep_display(std::vector<Entry>& entries, const ir::Inst& inst);
    void settle_here();

    // readable form: lists that never leave the frame
    bool lists(const ir::Inst& inst);
    bool subscript(const ir::Inst& inst);
    bool store_subscript(const ir::Inst& inst);
    bool spread_call(const ir::Inst& inst);
    bool drop_profiling(const ir::Inst& inst);
    void make_list(const ir::Inst& inst, bool tuple);
    Entry realised(Entry entry, const ir::Inst& at);  // Virtual -> Pending or Free
    std::size_t references(std::int32_t list) const;
    void refuse_cycle(const Entry& item, std::int32_t list, const ir::Inst& at) const;
    void replace(std::int32_t list, const Entry& with);
    bool is_temporary(const std::string& name) const;
    bool resolve_slice(const Entry& key, std::size_t size, std::size_t& first, std::size_t& last) const;
    static const Constant* constant(const Entry& entry);

    ir::Function& function_;
    bool readable_;
    std::set<std::string> taken_;  // names that occur in the code
    std::set<std::string> stored_globals_;
    std::set<std::string> pinned_;  // temporaries that must stay
    std::uint32_t next_name_ = 0;
    Block* block_ = nullptr;
    std::size_t position_ = 0;
    State state_;
};

}  // namespace depyf::untangling
