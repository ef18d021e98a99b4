// What differs between the versions, as named facts. Outside src/bytecode no code compares versions: it asks here.
//
//   const Features& f = features(code.version);
//   if (f.has_exception_table) { ... }
//
// Sources: CPython Doc/whatsnew, Doc/library/dis.rst, Python/compile.c (codegen.c from 3.14) and Python/ceval.c
// (bytecodes.c from 3.12) of each version; operand tables: that version's own Lib/opcode.py (generated/pyXY.def).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bytecode/version.h"

namespace depyf {

struct Features {
    Version version;

    // --- code objects and .pyc files
    std::uint16_t first_magic, last_magic;  // magic numbers of the release and its pre-releases
    bool has_posonlyargcount;               // 3.8+
    bool has_qualname;                      // 3.11+: co_qualname
    bool has_localsplus;                    // 3.11+: locals and cells share one index space
    bool has_columns;                       // 3.11+: the line table has columns
    bool linetable_ranges;                  // 3.10: co_linetable of (size, line change) pairs; before: co_lnotab
    bool unified_locals;                    // 3.13+: LOAD_FAST loads cells as well, LOAD_CLOSURE is gone
    bool docstring_flag;                    // 3.14+: CO_HAS_DOCSTRING; before: co_consts[0] is a str or None
    bool docstrings_dedented;               // 3.13+
    bool strings_located_by_end;            // 3.7: a string over several lines is on the last one
    bool marshal_has_slices;                // 3.14+: constant slices
    bool marshal_has_frozendict;            // 3.15+

    // --- encoding of instructions
    std::uint32_t jump_unit;                // bytes that one unit of a jump operand stands for: 1, from 3.10 on 2
    bool has_inline_caches;                 // 3.11+
    bool relative_jumps_only;               // 3.11+: loops close by JUMP_BACKWARD
    bool conditional_backward_jumps;        // 3.11 only: POP_JUMP_BACKWARD_IF_*; up to 3.10 by absolute targets
    bool has_resume;                        // 3.11+: RESUME marks entry and resumption
    bool has_not_taken;                     // 3.14+: NOT_TAKEN behind conditional jumps
    bool has_super_instructions;            // 3.13+: LOAD_FAST_LOAD_FAST and the like
    bool has_load_fast_borrow;              // 3.14+
    bool has_return_const;                  // 3.12, 3.13
    bool has_load_small_int;                // 3.14+: oparg is the int itself
    bool has_common_constants;              // 3.14+: LOAD_COMMON_CONSTANT
    bool common_constants_hold_values;      // 3.15+: None, True, "" ... no longer come from co_consts
    std::int32_t small_int_base;            // LOAD_SMALL_INT pushes oparg + small_int_base (0 so far)

    // --- exceptions and blocks
    bool has_exception_table;               // 3.11+; before: a block stack (SETUP_FINALLY ... POP_BLOCK)
    bool has_loop_blocks;                   // 3.7: SETUP_LOOP, BREAK_LOOP, CONTINUE_LOOP
    bool has_setup_except;                  // 3.7: SETUP_EXCEPT beside SETUP_FINALLY
    bool finally_unwinds;                   // 3.7: END_FINALLY resumes return/continue that the stack remembers
    bool finally_subroutine;                // 3.8: BEGIN_FINALLY, CALL_FINALLY, POP_FINALLY, END_FINALLY
    bool finally_copied;                    // 3.9+: the compiler copies the finally body to every exit
    std::uint8_t exc_info_items;  // stack items that a handler finds: 6 up to 3.10 (3 + 3 saved), 1 from 3.11
        // on (2 after PUSH_EXC_INFO), lasti not counted
    bool with_cleanup_pair;  // 3.7, 3.8: WITH_CLEANUP_START/FINISH; later WITH_EXCEPT_START
    bool exc_match_compares;  // 3.7, 3.8: COMPARE_OP "exception match"
    bool exc_match_jumps;  // 3.9, 3.10: JUMP_IF_NOT_EXC_MATCH; later CHECK_EXC_MATCH
    bool reraise_has_lasti;  // 3.10+: RERAISE's oparg tells whether lasti is restored from the stack
    bool has_exception_groups;  // 3.11+: except*
    bool prep_reraise_star_intrinsic;  // 3.12+: CALL_INTRINSIC_2; 3.11 has an opcode
    bool with_special_methods;  // 3.14+: LOAD_SPECIAL __enter__/__exit__; before: SETUP_WITH/BEFORE_WITH
    bool generators_wrap_stop_iteration;  // 3.12+: a handler around the whole body of a generator

    // --- globals, attributes, calls
    bool load_global_null_bit;  // 3.11+: bit 0 of LOAD_GLOBAL pushes NULL as well
    bool load_attr_method_bit;  // 3.12+: bit 0 of LOAD_ATTR makes it LOAD_METHOD
    bool has_load_super_attr;  // 3.12+: bit 0 method, bit 1 two-argument super()
    bool has_call_method;  // 3.7 - 3.10: LOAD_METHOD/CALL_METHOD beside CALL_FUNCTION
    bool unified_call;  // 3.11+: CALL
    bool has_precall;  // 3.11: PRECALL before CALL
    bool has_kw_names;  // 3.11, 3.12: KW_NAMES before CALL
    bool call_kw_opcode;  // 3.13+: CALL_KW with the tuple of names on the stack
    bool callable_before_null;  // 3.13+: callable below NULL/self; 3.11, 3.12: NULL below callable
    bool load_global_null_above;  // 3.13+: LOAD_GLOBAL's NULL lies above the value (before: below)
    bool call_ex_null_slot;  // 3.11+: CALL_FUNCTION_EX has a NULL beside the callable
    bool call_ex_kwargs_slot;  // 3.14+: CALL_FUNCTION_EX always has a kwargs slot, NULL if unused
    bool make_function_flags_in_oparg;  // up to 3.12
    bool make_function_qualname_on_stack;  // up to 3.10
    bool set_function_attribute;  // 3.13+
    bool annotations_as_tuple;  // 3.10 - 3.13: flat (name, value, ...) tuple; before: dict
    std::uint32_t future_annotations_flag;  // in co_flags: 0x100000 (3.7), 0x1000000 (3.8+)
    bool deferred_annotations;  // 3.14+: __annotate__ functions (PEP 649)

    // --- operators
    bool unified_binary_op;  // 3.11+: BINARY_OP
    bool subscript_is_binary_op;  // 3.14+: BINARY_OP 26
    std::uint8_t compare_shift;  // COMPARE_OP operator = oparg >> shift: 0, 4 (3.12), 5 (3.13+)
    std::uint32_t compare_bool_bit;  // bit of oparg that asks for a bool: 0 none, 16 (3.13+)
    bool has_is_and_contains_op;  // 3.9+; before: COMPARE_OP
    bool has_to_bool;  // 3.13+: conditional jumps need a bool, TO_BOOL makes it
    bool has_copy_swap;  // 3.11+; before: ROT_*, DUP_TOP
    bool has_slice_opcodes;  // 3.12+: BINARY_SLICE, STORE_SLICE
    bool list_unpack_build;  // up to 3.8: BUILD_*_UNPACK; later LIST_EXTEND, SET_UPDATE, DICT_UPDATE
    bool dict_comprehension_key_first;  // 3.8+: MAP_ADD takes key, value in that order
    bool format_value_flags;  // up to 3.12: FORMAT_VALUE; later CONVERT_VALUE, FORMAT_SIMPLE/WITH_SPEC
    bool has_intrinsics;  // 3.12+: CALL_INTRINSIC_1/2

    // --- iteration, generators
    bool for_iter_leaves_iterator;  // 3.12+: at the exhaustion target (END_FOR) the iterator and a placeholder
        // are on the stack; before: neither
    bool end_for_pops_one;  // 3.13+: END_FOR takes one item and POP_TOP/POP_ITER the iterator;
        // 3.12: END_FOR takes both
    bool has_pop_iter;  // 3.14+: POP_ITER
    bool iter_pushes_two;  // 3.15+: GET_ITER pushes iterator and index-or-NULL
    bool import_name_flags;  // 3.15+: IMPORT_NAME's name is oparg >> 2, bit 0 lazy, bit 1 eager
    bool yield_from_opcode;  // up to 3.10: YIELD_FROM; later a SEND loop
    bool has_end_send;  // 3.12+: END_SEND, CLEANUP_THROW in await/yield from
    bool has_gen_start;  // 3.10: GEN_START
    bool has_return_generator;  // 3.11+
    bool async_gen_wrap_intrinsic;  // 3.12+: before YIELD_VALUE in async generators; 3.11: ASYNC_GEN_WRAP
    bool inlined_comprehensions;  // 3.12+: list, set, dict comprehensions inside their function (PEP 709)
    bool fast_path_any_all;  // 3.14+: any/all/tuple(genexpr) as a loop beside the call

    // --- language
    bool has_match;  // 3.10+
    bool has_walrus;  // 3.8+ (also positional-only parameters and f"{x=}")
    bool has_parenthesized_with;  // 3.9+ (officially 3.10)
    bool any_expression_as_decorator;  // 3.9+
    bool star_in_return;  // 3.8+: return 1, *a and yield 1, *a without parentheses
    bool star_in_for;  // 3.9+: for x in *a, *b
    bool continue_in_finally;  // 3.8+
    bool has_type_parameters;  // 3.12+: def f[T], class C[T], type X = ... (PEP 695)
    bool has_type_parameter_defaults;  // 3.13+ (PEP 696)
    bool nested_fstring_quotes;  // 3.12+ (PEP 701)
    bool has_template_strings;  // 3.14+ (PEP 750)
    bool except_without_parentheses;  // 3.14+ (PEP 758)
    bool has_lazy_imports;  // 3.15+ (PEP 810)
    bool has_comprehension_unpacking;  // 3.15+ (PEP 798)
    bool star_in_subscript;  // 3.11+ (PEP 646)
    bool async_comprehension_in_sync;  // 3.11+

    // --- what the compiler does on top
    bool while_test_duplicated;  // 3.10 - 3.13: the loop test stands at the bottom again
    bool exit_blocks_copied;  // 3.10, 3.12+: small exit blocks copied into their predecessors
    bool cold_blocks_moved;  // 3.12+: handlers at the end of the code
    bool values_threaded;  // 3.14+: jumps of `a and b or c` as a value are threaded (as up to 3.11)
    bool repeated_stores_dropped;  // 3.13+: of two stores to one variable in a row only the last stays
    bool comprehension_saves_argument;  // 3.12, 3.13: inlined in a class body it saves a variable ".0" too
    bool comprehension_hides_imports;  // 3.13+: inlined in a module it takes attributes of imports for methods
    bool empty_tuple_folded;  // 3.10+: BUILD_TUPLE 0 becomes a constant
    bool tuples_folded_late;  // 3.14+: `a, b = 1, 2` never makes the tuple
    bool list_as_tuple;  // 3.8+: `in [a, b]` is compiled like `in (a, b)`
    bool percent_format_folded;  // 3.11+: '%s' % (x,) is compiled like an f-string
    bool class_firstlineno;  // 3.13+: class bodies store __firstlineno__, __static_attributes__
    bool stores_classdictcell;  // 3.12+: __classdictcell__ / __classdict__

    // --- operand tables (see enum Operand)
    std::span<const std::string_view> compare_names;  // 3.8 and older also "in", "not in", "is", "is not",
        // "exception match", "BAD"
    std::span<const std::string_view> binary_names;  // "+" ... "^=" and, 3.14+, "[]"
    std::span<const std::string_view> intrinsic_1_names;  // "INTRINSIC_PRINT" ...
    std::span<const std::string_view> intrinsic_2_names;
    std::span<const std::string_view> common_constants;  // as expressions: "AssertionError", "None", "''" ...
    std::span<const std::string_view> special_methods;  // "__enter__" ...
};

// Throws Error where the version is not supported.
const Features& features(Version version);

// The version of a .pyc magic number. Throws Error where it belongs to none of the supported versions.
Version version_of_magic(std::uint16_t magic);

}  // namespace depyf
