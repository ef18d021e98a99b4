// Tuples, lists, sets, dicts and f-strings. Source: starunpack_helper, compiler_dict, compiler_joined_str in CPython
// Python/compile.c.
#include <algorithm>

#include "base/error.h"
#include "verify/foldable.h"
#include "verify/lowerer.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;
using ir::Op;

const Constant* Lowerer::keep(Constant value) {
    return &program_.constants.emplace_back(std::move(value));
}

const Constant* Lowerer::text(std::string value) {
    Constant c;
    c.kind = Constant::Kind::Str;
    c.text = std::move(value);
    return keep(std::move(c));
}

const Constant* Lowerer::number(std::uint32_t value) {
    Constant c;
    c.kind = Constant::Kind::Int;
    c.text = std::to_string(value);
    return keep(std::move(c));
}

const Constant* Lowerer::constant_tuple(const std::vector<Expr*>& items) {
    Constant tuple;
    tuple.kind = Constant::Kind::Tuple;
    for (const Expr* item : items) {
        if (item->kind == ExprKind::Constant && can_be_written(*item->value)) {
            tuple.items.push_back(*item->value);
        } else if (item->kind == ExprKind::Tuple) {
            const Constant* inner = constant_tuple(item->items);
            if (!inner) return nullptr;
            tuple.items.push_back(*inner);
        } else {
            return nullptr;
        }
    }
    return keep(std::move(tuple));
}

void Lowerer::build_tuple(std::uint32_t count) {
    if (const Constant* folded = out_.fold_tuple(count, program_.constants)) {
        out_.constant(folded);
        return;
    }
    out_.emit(Op::BuildTuple, count);
}

void Lowerer::tuple(const Expr* e) {
    if (const Constant* folded = constant_tuple(e->items)) {
        out_.constant(folded);
        return;
    }
    sequence(e->items, Display::Tuple, 0);
}

void Lowerer::list(const Expr* e) {
    sequence(e->items, Display::List, 0);
}

void Lowerer::set(const Expr* e) {
    if (e->items.empty()) throw Error(-1, "an empty set");
    sequence(e->items, Display::Set, 0);
}

namespace {

constexpr std::size_t kStackUse = 30;   // STACK_USE_GUIDELINE

struct SequenceOps {
    Op build, add, extend;
};

SequenceOps sequence_ops(bool set) {
    return set ? SequenceOps{Op::BuildSet, Op::SetAdd, Op::SetUpdate}
               : SequenceOps{Op::BuildList, Op::ListAppend, Op::ListExtend};
}

bool has_star(const std::vector<Expr*>& items) {
    return std::any_of(items.begin(), items.end(), [](const Expr* i) { return i->kind == ExprKind::Starred; });
}

}  // namespace

// `pushed` items lie on the stack already and come first.
void Lowerer::sequence(const std::vector<Expr*>& items, Display display, std::uint32_t pushed) {
    if (features().list_unpack_build) {
        sequence_unpacked(items, display);
        return;
    }
    const SequenceOps ops = sequence_ops(display == Display::Set);
    const auto size = static_cast<std::uint32_t>(items.size());
    const bool big = features().has_match && size + pushed > kStackUse;
    const bool appended = features().tuples_folded_late && big && display != Display::Tuple;
    const Constant* folded = size > 2 && !appended ? constant_tuple(items) : nullptr;
    if (folded && display == Display::Tuple && pushed == 0) {
        out_.constant(folded);
        return;
    }
    if (folded) {
        if (display == Display::Set) {
            Constant set = *folded;
            set.kind = Constant::Kind::FrozenSet;
            folded = keep(std::move(set));
        }
        out_.emit(ops.build, pushed);
        out_.constant(folded);
        out_.emit(ops.extend, 1);
        if (display == Display::Tuple) out_.emit(Op::ListToTuple);
        return;
    }
    if (!has_star(items) && !big) {
        for (const Expr* item : items) expression(item);
        if (display == Display::Tuple)
            build_tuple(size + pushed);
        else
            out_.emit(ops.build, size + pushed);
        return;
    }
    bool built = big;
    if (big) out_.emit(ops.build, pushed);
    for (std::uint32_t i = 0; i < size; ++i) {
        if (items[i]->kind == ExprKind::Starred) {
            if (!built) out_.emit(ops.build, i + pushed);
            built = true;
            expression(items[i]->items[0]);
            out_.emit(ops.extend, 1);
        } else {
            expression(items[i]);
            if (built) out_.emit(ops.add, 1);
        }
    }
    if (display == Display::Tuple) out_.emit(Op::ListToTuple);
}

std::uint32_t Lowerer::iterables(const std::vector<Expr*>& items, std::uint32_t& seen) {
    std::uint32_t parts = 0;
    for (const Expr* item : items) {
        if (item->kind == ExprKind::Starred) {
            if (seen) {
                build_tuple(seen);
                seen = 0;
                ++parts;
            }
            expression(item->items[0]);
            ++parts;
        } else {
            expression(item);
            ++seen;
        }
    }
    return parts;
}

void Lowerer::sequence_unpacked(const std::vector<Expr*>& items, Display display) {
    std::uint32_t seen = 0;
    std::uint32_t parts = iterables(items, seen);
    if (parts) {
        if (seen) {
            build_tuple(seen);
            ++parts;
        }
        out_.emit(display == Display::Tuple ? Op::BuildTupleUnpack
                  : display == Display::Set ? Op::BuildSetUnpack
                                            : Op::BuildListUnpack,
                  parts);
    } else if (display == Display::Tuple) {
        build_tuple(seen);
    } else {
        out_.emit(display == Display::Set ? Op::BuildSet : Op::BuildList, seen);
    }
}

void Lowerer::sub_dict(const Expr* e, std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    const bool big = features().has_match && n * 2 > kStackUse;
    std::vector<Expr*> keys;
    for (std::size_t i = begin; i < end; ++i) keys.push_back(e->items[2 * i]);
    const Constant* folded = n > 1 && !big && !features().marshal_has_slices ? constant_tuple(keys) : nullptr;
    if (folded) {
        for (std::size_t i = begin; i < end; ++i) expression(e->items[2 * i + 1]);
        out_.constant(folded);
        out_.emit(Op::BuildConstKeyMap, static_cast<std::uint32_t>(n));
        return;
    }
    if (big) out_.emit(Op::BuildMap, 0);
    for (std::size_t i = begin; i < end; ++i) {
        expression(e->items[2 * i]);
        expression(e->items[2 * i + 1]);
        if (big) out_.emit(Op::MapAdd, 1);
    }
    if (!big) out_.emit(Op::BuildMap, static_cast<std::uint32_t>(n));
}

void Lowerer::dict(const Expr* e) {
    if (features().list_unpack_build)
        dict_unpacked(e);
    else
        dict_updates(e);
}

void Lowerer::dict_updates(const Expr* e) {
    const std::size_t size = e->items.size() / 2;
    std::size_t elements = 0;
    bool have_dict = false;
    auto flush = [&](std::size_t end) {
        sub_dict(e, end - elements, end);
        if (have_dict) out_.emit(Op::DictUpdate, 1);
        have_dict = true;
        elements = 0;
    };
    const std::size_t limit = features().has_match ? kStackUse / 2 : 0xFFFE;
    for (std::size_t i = 0; i < size; ++i) {
        if (!e->items[2 * i]) {
            if (elements) flush(i);
            if (!have_dict) out_.emit(Op::BuildMap, 0);
            have_dict = true;
            expression(e->items[2 * i + 1]);
            out_.emit(Op::DictUpdate, 1);
        } else if (elements > limit) {
            ++elements;
            flush(i + 1);
        } else {
            ++elements;
        }
    }
    if (elements) flush(size);
    if (!have_dict) out_.emit(Op::BuildMap, 0);
}

void Lowerer::dict_unpacked(const Expr* e) {
    const std::size_t size = e->items.size() / 2;
    std::size_t elements = 0;
    std::uint32_t containers = 0;
    bool unpacks = false;
    for (std::size_t i = 0; i < size; ++i) {
        unpacks = !e->items[2 * i];
        if (elements == 0xFFFF || (elements && unpacks)) {
            sub_dict(e, i - elements, i);
            ++containers;
            elements = 0;
        }
        if (unpacks) {
            expression(e->items[2 * i + 1]);
            ++containers;
        } else {
            ++elements;
        }
    }
    if (elements || containers == 0) {
        sub_dict(e, size - elements, size);
        ++containers;
    }
    while (containers > 1 || unpacks) {
        const std::uint32_t n = std::min(containers, 255U);
        out_.emit(Op::BuildMapUnpack, n);
        containers -= n - 1;
        unpacks = false;
    }
}

namespace {

void flatten(const Expr* e, std::vector<const Expr*>& parts) {
    if (e->kind != ExprKind::JoinedStr) {
        parts.push_back(e);
        return;
    }
    for (const Expr* part : e->items) flatten(part, parts);
}

bool is_text(const Expr* e) {
    return e->kind == ExprKind::Constant && e->value->kind == Constant::Kind::Str;
}

}  // namespace

void Lowerer::joined_string(const Expr* e) {
    std::vector<const Expr*> parts;
    flatten(e, parts);
    if (parts.empty()) throw Error(-1, "an empty f-string");
    std::uint32_t count = 0;
    std::size_t known = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) known += !(is_text(parts[i]) && i > 0 && is_text(parts[i - 1]));
    const bool joins = features().has_exception_table && known > kStackUse;
    if (joins) {
        out_.constant(text(""));
        out_.emit_name(Op::LoadMethod, program_.names.intern("join"));
        out_.emit(Op::BuildList, 0);
    }
    for (std::size_t i = 0; i < parts.size(); ++i, ++count) {
        if (is_text(parts[i])) {
            std::string joined = parts[i]->value->text;
            const std::size_t first = i;
            while (i + 1 < parts.size() && is_text(parts[i + 1])) joined += parts[++i]->value->text;
            out_.constant(first == i ? parts[i]->value : text(std::move(joined)));
        } else if (parts[i]->kind == ExprKind::FormattedValue) {
            formatted_value(parts[i]);
        } else {
            throw Error(-1, "a part of an f-string that the proof does not know");
        }
        if (joins) out_.emit(Op::ListAppend, 1);
    }
    if (joins) {
        call_op(Op::Call, 1, true);
    } else if (count != 1) {
        out_.emit(Op::BuildString, count);
    }
}

void Lowerer::formatted_value(const Expr* e) {
    expression(e->items[0]);
    const std::uint32_t conversion = e->conversion == 's' ? 1 : e->conversion == 'r' ? 2 : e->conversion == 'a' ? 3 : 0;
    const Expr* spec = e->items.size() > 1 ? e->items[1] : nullptr;
    if (!features().format_value_flags && conversion) out_.emit(Op::ConvertValue, conversion);
    if (spec) {
        if (spec->kind == ExprKind::Constant && is_text(spec))
            out_.constant(spec->value);
        else
            joined_string(spec);
    }
    if (features().format_value_flags)
        out_.emit(Op::FormatValue, conversion | (spec ? 4U : 0U));
    else
        out_.emit(spec ? Op::FormatWithSpec : Op::FormatSimple);
}

}  // namespace depyf::verify
