#include "bytecode/features.h"

#include <array>
#include <string>

#include "base/error.h"
#include "bytecode/imported_tables.h"

namespace depyf {

namespace {

struct MagicRange {
    std::uint8_t minor;
    std::uint16_t first, last;
};
constexpr MagicRange kMagicRanges[] = {
#define DEPYF_VERSION(minor, first_magic, last_magic) {minor, first_magic, last_magic},
#include "bytecode/version.def"
};
static_assert(std::size(kMagicRanges) == std::size(kImportedTables));

void set_format(Features& f, int minor) {
    f.has_posonlyargcount = minor >= 8;
    f.has_qualname = minor >= 11;
    f.has_localsplus = minor >= 11;
    f.has_columns = minor >= 11;
    f.linetable_ranges = minor == 10;
    f.unified_locals = minor >= 13;
    f.docstring_flag = minor >= 14;
    f.docstrings_dedented = minor >= 13;
    f.strings_located_by_end = minor <= 7;
    f.marshal_has_slices = minor >= 14;
    f.marshal_has_frozendict = minor >= 15;
    f.jump_unit = minor >= 10 ? 2 : 1;
    f.has_inline_caches = minor >= 11;
    f.relative_jumps_only = minor >= 11;
    f.conditional_backward_jumps = minor == 11;
    f.has_resume = minor >= 11;
    f.has_not_taken = minor >= 14;
    f.has_super_instructions = minor >= 13;
    f.has_load_fast_borrow = minor >= 14;
    f.has_return_const = minor == 12 || minor == 13;
    f.has_load_small_int = minor >= 14;
    f.has_common_constants = minor >= 14;
    f.common_constants_hold_values = minor >= 15;
    f.small_int_base = 0;
}

void set_exceptions(Features& f, int minor) {
    f.has_exception_table = minor >= 11;
    f.has_loop_blocks = minor == 7;
    f.has_setup_except = minor == 7;
    f.finally_unwinds = minor == 7;
    f.finally_subroutine = minor == 8;
    f.finally_copied = minor >= 9;
    f.exc_info_items = minor >= 11 ? 1 : 6;
    f.with_cleanup_pair = minor <= 8;
    f.exc_match_compares = minor <= 8;
    f.exc_match_jumps = minor == 9 || minor == 10;
    f.reraise_has_lasti = minor >= 10;
    f.has_exception_groups = minor >= 11;
    f.prep_reraise_star_intrinsic = minor >= 12;
    f.with_special_methods = minor >= 14;
    f.generators_wrap_stop_iteration = minor >= 12;
}

void set_calls(Features& f, int minor) {
    f.load_global_null_bit = minor >= 11;
    f.load_attr_method_bit = minor >= 12;
    f.has_load_super_attr = minor >= 12;
    f.has_call_method = minor <= 10;
    f.unified_call = minor >= 11;
    f.has_precall = minor == 11;
    f.has_kw_names = minor == 11 || minor == 12;
    f.call_kw_opcode = minor >= 13;
    f.callable_before_null = minor >= 13;
    f.load_global_null_above = minor >= 13;
    f.call_ex_null_slot = minor >= 11;
    f.call_ex_kwargs_slot = minor >= 14;
    f.make_function_flags_in_oparg = minor <= 12;
    f.make_function_qualname_on_stack = minor <= 10;
    f.set_function_attribute = minor >= 13;
    f.annotations_as_tuple = minor >= 10 && minor <= 13;
    f.deferred_annotations = minor >= 14;
}

void set_operators(Features& f, int minor) {
    f.unified_binary_op = minor >= 11;
    f.subscript_is_binary_op = minor >= 14;
    f.compare_shift = minor <= 11 ? 0 : minor == 12 ? 4 : 5;
    f.future_annotations_flag = minor == 7 ? 0x100000 : 0x1000000;
    f.compare_bool_bit = minor >= 13 ? 16 : 0;
    f.has_is_and_contains_op = minor >= 9;
    f.has_to_bool = minor >= 13;
    f.has_copy_swap = minor >= 11;
    f.has_slice_opcodes = minor >= 12;
    f.list_unpack_build = minor <= 8;
    f.dict_comprehension_key_first = minor >= 8;
    f.format_value_flags = minor <= 12;
    f.has_intrinsics = minor >= 12;
}

void set_iteration(Features& f, int minor) {
    f.for_iter_leaves_iterator = minor >= 12;
    f.end_for_pops_one = minor >= 13;
    f.has_pop_iter = minor >= 14;
    f.iter_pushes_two = minor >= 15;
    f.import_name_flags = minor >= 15;
    f.yield_from_opcode = minor <= 10;
    f.has_end_send = minor >= 12;
    f.has_gen_start = minor == 10;
    f.has_return_generator = minor >= 11;
    f.async_gen_wrap_intrinsic = minor >= 12;
    f.inlined_comprehensions = minor >= 12;
    f.fast_path_any_all = minor >= 14;
}

void set_language(Features& f, int minor) {
    f.has_match = minor >= 10;
    f.has_walrus = minor >= 8;
    f.has_parenthesized_with = minor >= 9;
    f.any_expression_as_decorator = minor >= 9;
    f.star_in_return = minor >= 8;
    f.star_in_for = minor >= 9;
    f.continue_in_finally = minor >= 8;
    f.has_type_parameters = minor >= 12;
    f.has_type_parameter_defaults = minor >= 13;
    f.nested_fstring_quotes = minor >= 12;
    f.has_template_strings = minor >= 14;
    f.except_without_parentheses = minor >= 14;
    f.has_lazy_imports = minor >= 15;
    f.has_comprehension_unpacking = minor >= 15;
    f.star_in_subscript = minor >= 11;
    f.async_comprehension_in_sync = minor >= 11;
    f.while_test_duplicated = minor >= 10 && minor <= 13;
    f.exit_blocks_copied = minor == 10 || minor >= 12;
    f.cold_blocks_moved = minor >= 12;
    f.values_threaded = minor >= 14;
    f.repeated_stores_dropped = minor >= 13;
    f.comprehension_saves_argument = minor == 12 || minor == 13;
    f.comprehension_hides_imports = minor >= 13;
    f.empty_tuple_folded = minor >= 10;
    f.tuples_folded_late = minor >= 14;
    f.list_as_tuple = minor >= 8;
    f.percent_format_folded = minor >= 11;
    f.class_firstlineno = minor >= 13;
    f.stores_classdictcell = minor >= 12;
}

Features build_features(const ImportedTables& tables, const MagicRange& magic) {
    Features f{};
    f.version = {3, tables.minor};
    f.first_magic = magic.first;
    f.last_magic = magic.last;
    set_format(f, tables.minor);
    set_exceptions(f, tables.minor);
    set_calls(f, tables.minor);
    set_operators(f, tables.minor);
    set_iteration(f, tables.minor);
    set_language(f, tables.minor);
    f.compare_names = tables.compare;
    f.binary_names = tables.binary;
    f.intrinsic_1_names = tables.intrinsic_1;
    f.intrinsic_2_names = tables.intrinsic_2;
    f.common_constants = tables.common_constants;
    f.special_methods = tables.special_methods;
    return f;
}

}  // namespace

const Features& features(Version version) {
    static const auto all = [] {
        std::array<Features, std::size(kImportedTables)> built;
        for (std::size_t i = 0; i < built.size(); ++i) {
            built[i] = build_features(kImportedTables[i], kMagicRanges[i]);
        }
        return built;
    }();
    return all[imported_tables(version).minor - kFirstMinor];
}

Version version_of_magic(std::uint16_t magic) {
    for (const MagicRange& range : kMagicRanges) {
        if (range.first <= magic && magic <= range.last) {
            return {3, range.minor};
        }
    }
    const auto described = [](std::uint16_t number, std::uint8_t minor) {
        return std::to_string(number) + " (Python " + Version{3, minor}.text() + ")";
    };
    const MagicRange &oldest = kMagicRanges[0], &newest = kMagicRanges[std::size(kMagicRanges) - 1];
    throw Error(0, "expected a magic number from " + described(oldest.first, oldest.minor) + " to " +
                       described(newest.last, newest.minor) + ", found " + std::to_string(magic));
}

}  // namespace depyf
