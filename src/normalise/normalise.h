// Takes back what CPython's optimiser and code generator did to the shape of the code: threaded jumps, copied finally
// bodies, copied loop tests and exit blocks. Each pass redirects edges of the graph; nothing is moved or deleted.
#pragma once

#include "ir/function.h"

namespace depyf {

// 3.11+: a SetupFinally stands at every way into a protected region, as the older versions have it.
// Comes first, before patterns are recognised: a jump that is not protected leaves the region even where it goes back
// into it.
void mark_protected_entries(ir::Function& function);

// All passes below, in order.
// `merge`: take copies of instructions for one.
void normalise(ir::Function& function, bool merge = true);

namespace normalising {

// Edges skip jumps and other instructions that do nothing.
void thread_jumps(ir::Function& function);
// 3.12+: a copied value that is tested and, on one way, dropped becomes a KeepBranch as the older versions have it.
void fold_copied_tests(ir::Function& function);
// The `return None` that nobody wrote, of which there may be a copy on every path, becomes one. Marked by Inst::flag.
void join_implicit_returns(ir::Function& function);
// `name = None; del name` behind `except ... as name: pass`, whose empty body no handler protects (3.11+).
void skip_name_cleanups(ir::Function& function);
// Exits of a try whose handler is a finally body (or the clean-up of `except ... as name`) skip their copy of it.
void skip_finally_copies(ir::Function& function);
// Instructions that came from the same place in the source and do the same become one.
void merge_copies(ir::Function& function);

}  // namespace normalising

// What a handler does, told by its first instructions.
enum class HandlerKind : std::uint8_t {
    Except,      // `except` clauses
    ExceptStar,  // `except*` clauses
    Finally,     // runs and re-raises
    NameCleanup, // `name = None; del name` of `except ... as name`
    With,        // calls the exit function
};
HandlerKind handler_kind(const ir::Function& function, const ir::Handler& handler);

}  // namespace depyf
