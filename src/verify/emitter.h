// Writes the IR of re-lowered code: labels, depth of the stack, the handler in force.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "ir/function.h"
#include "verify/names.h"

namespace depyf::verify {

using Label = std::int32_t;

class Emitter {
  public:
    explicit Emitter(const Features& features);

    ir::Inst& emit(ir::Op op, std::uint32_t count = 0);
    ir::Inst& emit_name(ir::Op op, Name name, std::uint32_t count = 0);
    void constant(const Constant* value);
    void none();
    void drop_last();   // a constant that was just written is not wanted after all
    void pop() { emit(ir::Op::Pop); }
    void swap(std::uint32_t n) { emit(ir::Op::Swap, n); }
    void copy(std::uint32_t n) { emit(ir::Op::Copy, n); }

    // LOAD_CONST ... BUILD_TUPLE n  =>  the tuple, its parts taken back; null where they are no constants.
    const Constant* fold_tuple(std::uint32_t count, std::deque<Constant>& constants);

    Label label();
    void jump(Label to);
    void branch(bool when, Label to);            // jumps where the top of the stack is true (false)
    void branch_none(bool when, Label to);
    void keep_branch(bool when, Label to);       // up to 3.11; the value stays where it jumps
    void loop(ir::Op op, Label exhausted);       // ForIter, AsyncForIter
    void set_loop(Label end);                     // 3.7: SETUP_LOOP
    void leave_loop(ir::Op op, Label to);        // 3.7: BREAK_LOOP, CONTINUE_LOOP
    void place(Label label);
    bool live() const { return live_; }

    // What follows is protected: `below` items of the stack are not restored. Returns the handler that was in force.
    std::int32_t protect(Label handler, bool lasti = false, std::uint32_t below = 0, bool except = false);
    void unprotect(std::int32_t outer) { handler_ = outer; }
    std::int32_t handler() const { return handler_; }
    void place_handler(Label handler);

    std::int32_t depth() const { return depth_; }
    void set_depth(std::int32_t depth) { depth_ = depth; }

    bool peephole() const { return peephole_; }  // the optimizer changed operations
    // An instruction that ends the finally body, though the text goes on behind it (up to 3.8).
    void end_finally();

    // Labels become instructions. Nothing may be emitted afterwards.
    ir::Function finish();

  private:
    struct Place {
        std::int32_t at = -1;
        std::int32_t depth = -1;
        bool used = false;
    };
    ir::Inst& add(ir::Op op);
    void aim(ir::Inst& inst, Label to);
    bool test_of_constant(bool when, Label to);
    void unpack_what_was_built(ir::Inst& inst);

    const Features& features_;
    ir::Function function_;
    std::vector<Place> labels_;
    std::int32_t depth_ = 0;
    std::int32_t handler_ = -1;
    std::int32_t barrier_ = 0;  // instructions before it belong to another block
    bool live_ = true;
    bool peephole_ = false;
};

}  // namespace depyf::verify
