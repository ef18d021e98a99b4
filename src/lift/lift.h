// Instructions -> IR. Every call to lift() yields a graph in which versions no longer differ, except for the artefacts
// that the functions below take away one by one; lift() runs them all in order.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace depyf {

// Throws Error (offset into co_code) where the bytes are no valid code.
ir::Function lift(const CodeObject& code);

namespace lifting {

// 3.8: the exit of a with statement on the way of a return, break or continue becomes one Pop.
void fold_inline_with_exits(ir::Function& function);
// 3.8: the None under a try statement whose finally body leaves it by itself.
void drop_finally_placeholders(ir::Function& function);
// 3.7 - 3.10: which handler protects each instruction, from a walk with the block stack. The finally body and the with
// exit that normal and exceptional flow share up to 3.8 become exceptional only.
void assign_block_handlers(ir::Function& function);
// 3.11+: the same from the exception table.
void assign_table_handlers(ir::Function& function, const std::vector<ExceptionEntry>& entries);
// await and yield from: the send loops become one instruction each.
void fold_suspensions(ir::Function& function);
// async for: GET_ANEXT, its await and the END_ASYNC_FOR handler become one AsyncForIter.
void fold_async_for(ir::Function& function);
// any/all/tuple/list/set of a generator expression (3.14+): the loop that stands beside the call goes, the call stays.
void drop_builtin_loops(ir::Function& function);
// 3.14+: annotations of modules and classes become assignments: to the name inside __annotate__, of the number to
// __conditional_annotations__ where a conditional one stood.
void name_deferred_annotations(ir::Function& function);
// 3.11+: except* clauses become as except clauses are.
void flatten_exception_groups(ir::Function& function);
// Handlers that the compiler adds for itself (clean-up of handlers, StopIteration wrapper, comprehension restore).
void drop_compiler_handlers(ir::Function& function);

// Stack depth before each instruction (-1: not reachable), along normal edges and into handlers.
// Throws Error on underflow; where two paths disagree the first one stands.
std::vector<std::int32_t> stack_depths(const ir::Function& function);
// Net effect on the stack where control goes on to `next` (jump: to `target`).
std::int32_t stack_effect(const ir::Function& function, const ir::Inst& inst, bool jump);

}  // namespace lifting
}  // namespace depyf
