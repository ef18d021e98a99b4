#include "lift/lift.h"

#include "base/error.h"
#include "lift/translate.h"

namespace depyf {

namespace {

// Byte offset -> index of the first IR instruction that stands for what lies there (an instruction that vanished
// stands for the one behind it).
std::vector<std::int32_t> index_by_offset(const std::vector<Instruction>& instructions,
                                          const std::vector<std::size_t>& first, std::size_t code_size) {
    std::vector<std::int32_t> index(code_size + 1, -1);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        for (std::uint32_t at = instructions[i].start; at < instructions[i].end && at < index.size(); ++at) {
            index[at] = static_cast<std::int32_t>(first[i]);
        }
    }
    return index;
}

// FOR_ITER's exhausted edge goes straight behind END_FOR and POP_ITER, which only belong to it.
void skip_loop_ends(ir::Function& function) {
    for (ir::Inst& inst : function.insts) {
        if (inst.op != ir::Op::ForIter) continue;
        const auto at = [&](std::int32_t i) -> const ir::Inst& { return function.insts[static_cast<std::size_t>(i)]; };
        if (at(inst.target).op != ir::Op::EndFor) continue;
        inst.target = at(inst.target).next;
        const ir::Op op = at(inst.target).op;
        if (function.features->end_for_pops_one && (op == ir::Op::Pop || op == ir::Op::PopIter)) {
            inst.target = at(inst.target).next;
        }
    }
}

}  // namespace

ir::Function lift(const CodeObject& code) {
    ir::Function function;
    function.code = &code;
    function.features = &features(code.version);
    const std::vector<Instruction> instructions = decode(code);
    std::vector<ExceptionEntry> entries;
    if (function.features->has_exception_table) entries = decode_exception_table(code);

    std::vector<std::size_t> first(instructions.size());
    lifting::Translator translator(function, instructions);
    function.insts.reserve(instructions.size());
    for (std::size_t i = 0; i < instructions.size();) {
        const std::size_t begin = function.insts.size();
        const std::size_t taken = translator.translate(i);
        for (std::size_t k = 0; k < taken; ++k) first[i + k] = begin;
        i += taken;
    }
    const auto size = static_cast<std::int32_t>(function.insts.size());
    const std::vector<std::int32_t> index = index_by_offset(instructions, first, code.code.size());
    for (std::int32_t i = 0; i < size; ++i) {
        ir::Inst& inst = function.insts[static_cast<std::size_t>(i)];
        inst.next = ir::ends(inst.op) ? -1 : i + 1;
        if (inst.next == size) {
            // 3.8 leaves the pop behind a finally body that never ends, with nothing behind it
            if (!function.features->finally_subroutine)
                throw Error(inst.offset, "control runs off the end of the code");
            inst.op = ir::Op::Reraise;
            inst.next = -1;
        }
        if (inst.target >= 0) {
            inst.target = index.at(static_cast<std::size_t>(inst.target));
            if (inst.target < 0 || inst.target >= size) throw Error(inst.offset, "jump to no instruction");
        }
    }
    if (size == 0) throw Error(0, "the code is empty");
    skip_loop_ends(function);
    lifting::fold_suspensions(function);
    if (function.features->deferred_annotations) lifting::name_deferred_annotations(function);
    if (function.features->fast_path_any_all) lifting::drop_builtin_loops(function);
    if (function.features->has_exception_table) {
        for (ExceptionEntry& entry : entries) {
            const std::int32_t target = index.at(entry.target);
            if (target < 0 || target >= size) throw Error(entry.target, "exception handler at no instruction");
            entry.target = static_cast<std::uint32_t>(target);
        }
        lifting::assign_table_handlers(function, entries);
        lifting::flatten_exception_groups(function);
    } else {
        if (function.features->finally_subroutine) {
            lifting::fold_inline_with_exits(function);
            lifting::drop_finally_placeholders(function);
        }
        lifting::assign_block_handlers(function);
    }
    lifting::fold_async_for(function);
    lifting::drop_compiler_handlers(function);
    return function;
}

}  // namespace depyf
