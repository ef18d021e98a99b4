// Displays, strings and unpacking.
#include <algorithm>

#include "base/error.h"
#include "express/stack_machine.h"
#include "express/unfolded.h"

namespace depyf {

using ast::Expr;
using ast::ExprKind;

namespace {

bool is_constant(const Expr* e, Constant::Kind kind) {
    return e->kind == ExprKind::Constant && e->value->kind == kind;
}

// Up to 3.8 a display with stars is put together from parts: each run of elements between stars, each starred value.
// Two runs never follow each other: then the second was a display behind a star.
bool is_run(const Expr* part, ExprKind display) {
    if (is_constant(part, Constant::Kind::Tuple)) return display == ExprKind::Tuple && !part->value->items.empty();
    if (part->kind != display || part->items.empty()) return false;
    return std::none_of(part->items.begin(), part->items.end(),
                        [](const Expr* e) { return !e || e->kind == ExprKind::Starred; });
}

constexpr std::size_t kFoldedSize = 3;

// What a display of at least three constants becomes. A set of fewer had equal elements.
bool is_folded_display(const Expr* value, ExprKind display) {
    if (display == ExprKind::Set) return is_constant(value, Constant::Kind::FrozenSet) && !value->value->items.empty();
    return is_constant(value, Constant::Kind::Tuple) && value->value->items.size() >= kFoldedSize;
}

}  // namespace

// The elements of a display. From `folded` constants on the compiler makes one constant of it, if nothing else was there.
std::vector<Expr*> StackMachine::unfolded(std::size_t count, std::size_t folded) {
    std::vector<Expr*> values = pop_values(count);
    if (count >= folded && are_constants(values))
        values.back() = decided_late(tree_, *function_.features, values.back());
    return values;
}

bool StackMachine::displays(const ir::Inst& inst) {
    switch (inst.op) {
        case IrOp::BuildTuple: push(make(ExprKind::Tuple, unfolded(inst.count, 1))); return true;
        case IrOp::BuildList: push(make(ExprKind::List, unfolded(inst.count, 3))); return true;
        case IrOp::BuildSet: push(make(ExprKind::Set, unfolded(inst.count, 3))); return true;
        case IrOp::BuildMap:
            push(make(ExprKind::Dict, pop_values(2 * static_cast<std::size_t>(inst.count))));
            return true;
        case IrOp::BuildConstKeyMap: {
            Expr* keys = pop();
            std::vector<Expr*> values = pop_values(inst.count);
            if (!is_constant(keys, Constant::Kind::Tuple) || keys->value->items.size() != values.size()) {
                throw Error(inst.offset, "BUILD_CONST_KEY_MAP without its tuple of keys");
            }
            Expr* dict = make(ExprKind::Dict);
            for (std::size_t i = 0; i < values.size(); ++i) {
                Expr* key = tree_.constant(&keys->value->items[i]);
                key->location = values[i]->location;
                dict->items.push_back(key);
                dict->items.push_back(values[i]);
            }
            push(dict);
            return true;
        }
        case IrOp::BuildSlice: {
            std::vector<Expr*> parts = pop_values(inst.count);
            if (parts.size() == 2) parts.push_back(nullptr);
            for (Expr*& part : parts) {
                if (part && is_constant(part, Constant::Kind::None)) part = nullptr;
            }
            push(make(ExprKind::Slice, parts));
            return true;
        }
        case IrOp::BuildTupleUnpack:
        case IrOp::BuildListUnpack:
        case IrOp::BuildSetUnpack:
        case IrOp::BuildTupleUnpackWithCall: {
            const ExprKind kind = inst.op == IrOp::BuildListUnpack  ? ExprKind::List
                                  : inst.op == IrOp::BuildSetUnpack ? ExprKind::Set
                                                                    : ExprKind::Tuple;
            Expr* e = make(kind);
            bool after_run = false;
            for (Expr* part : pop_values(inst.count)) {
                after_run = !after_run && is_run(part, kind);
                if (after_run)
                    splice_positional(part, e->items, true);
                else
                    e->items.push_back(make(ExprKind::Starred, {part}));
            }
            e->flag = inst.op == IrOp::BuildTupleUnpackWithCall;  // the arguments themselves, not a tuple after a star
            push(e);
            return true;
        }
        case IrOp::BuildMapUnpack:
        case IrOp::BuildMapUnpackWithCall: {
            Expr* e = make(ExprKind::Dict);
            bool after_run = false;
            for (Expr* part : pop_values(inst.count)) {
                const bool call = inst.op == IrOp::BuildMapUnpackWithCall;
                after_run = !after_run && (call ? names_keywords(part) : is_run(part, ExprKind::Dict));
                if (after_run) {
                    e->items.insert(e->items.end(), part->items.begin(), part->items.end());
                } else {
                    e->items.push_back(nullptr);
                    e->items.push_back(part);
                }
            }
            push(e);
            return true;
        }
        case IrOp::ListToTuple: {
            Expr* list = pop();
            if (list->kind != ExprKind::List) {
                push(make(ExprKind::Call, {tree_.name("tuple"), list}));
                return true;
            }
            list->kind = ExprKind::Tuple;
            list->flag = true;
            push(list);
            return true;
        }
        case IrOp::UnpackSequence:
        case IrOp::UnpackEx: {
            const std::uint32_t before = inst.count & 255, after = inst.count >> 8;
            const std::uint32_t count = inst.op == IrOp::UnpackEx ? before + 1 + after : inst.count;
            Expr* value = pop_raw();
            if (count == 0) {
                finish_store(make(ExprKind::List), value);
                return true;
            }
            if (value->kind == ExprKind::Function) value = as_value(value);
            if (count > function_.insts.size())
                throw Error(inst.offset, "more elements than instructions to take them");
            Expr* unpack = make(ExprKind::Unpack, std::vector<Expr*>(count + 1, nullptr));
            unpack->items[0] = value;
            unpack->number = inst.op == IrOp::UnpackEx ? before + 1 : 0;
            for (std::uint32_t i = count; i-- > 0;) {
                Expr* item = make(ExprKind::UnpackItem, {unpack});
                item->number = i;
                item->order = value->order;
                push(item);
            }
            return true;
        }
        default: return false;
    }
}

void StackMachine::append_in_loop(const char* container, std::vector<Expr*> parts, bool unpacks) {
    ast::Stmt* stmt = tree_.stmt(ast::StmtKind::Append);
    stmt->name = container;
    stmt->exprs = std::move(parts);
    stmt->number = inst_->count;
    stmt->flag = unpacks;
    stmt->line = inst_->location.line;
    stmt->code_index = context_.code_index;
    stmt->offsets.push_back(inst_->offset);
    block_->statements.push_back(stmt);
}

// LIST_APPEND and its kin add to a display below on the stack, or, in a comprehension, to what the loop fills.
bool StackMachine::extensions(const ir::Inst& inst) {
    auto container_kind = [&](IrOp op) {
        return op == IrOp::ListAppend || op == IrOp::ListExtend ? ExprKind::List
               : op == IrOp::SetAdd || op == IrOp::SetUpdate    ? ExprKind::Set
                                                                : ExprKind::Dict;
    };
    switch (inst.op) {
        case IrOp::ListAppend:
        case IrOp::SetAdd:
        case IrOp::ListExtend:
        case IrOp::SetUpdate: {
            Expr* value = pop();
            Expr* container = peek(inst.count);
            const bool extend = inst.op == IrOp::ListExtend || inst.op == IrOp::SetUpdate;
            const bool in_loop = inst.count > 1;
            if (in_loop || container->kind != container_kind(inst.op)) {
                std::vector<Expr*> parts{value};
                if (!in_loop) parts.push_back(container);
                append_in_loop("list", std::move(parts), extend);
                return true;
            }
            if (!extend) {
                container->items.push_back(value);
            } else if (container->items.empty() && is_folded_display(value, container->kind)) {
                for (const Constant& item : value->value->items) container->items.push_back(tree_.constant(&item));
                while (container->items.size() < kFoldedSize) container->items.push_back(container->items.back());
            } else {
                Expr* starred = make(ExprKind::Starred, {value});
                container->items.push_back(starred);
            }
            return true;
        }
        case IrOp::MapAdd: {
            Expr* second = pop();
            Expr* first = pop();
            const bool key_first = function_.features->dict_comprehension_key_first;
            Expr* key = key_first ? first : second;
            Expr* value = key_first ? second : first;
            Expr* container = peek(inst.count);
            if (inst.count > 1 || container->kind != ExprKind::Dict) {
                append_in_loop("dict", {key, value}, false);
                return true;
            }
            container->items.push_back(key);
            container->items.push_back(value);
            return true;
        }
        case IrOp::DictUpdate:
        case IrOp::DictMerge: {
            Expr* value = pop();
            Expr* container = peek(inst.count);
            if (inst.count > 1 || container->kind != ExprKind::Dict) {
                append_in_loop("dict", {value}, true);
                return true;
            }
            // behind another literal it was unpacked, unless the display is so long that it comes in parts
            const bool behind_unpacking =
                container->items.size() >= 2 && !container->items[container->items.size() - 2];
            const bool literal = value->kind == ExprKind::Dict && !value->items.empty() && !container->items.empty() &&
                                 !value->flag && (inst.op == IrOp::DictUpdate || names_keywords(value)) &&
                                 (behind_unpacking || (inst.op == IrOp::DictUpdate && container->items.size() >= 30));
            if (literal) {
                container->items.insert(container->items.end(), value->items.begin(), value->items.end());
            } else {
                container->items.push_back(nullptr);
                container->items.push_back(value);
            }
            return true;
        }
        default: return false;
    }
}

// 3.11+: `'%s: %r' % (a, b)` is compiled like an f-string; only it converts with !s.
Expr* StackMachine::percent_format(Expr* joined) {
    if (!function_.features->percent_format_folded) return joined;
    bool converts = false;
    Constant format;
    format.kind = Constant::Kind::Str;
    Expr* values = make(ExprKind::Tuple);
    for (const Expr* part : joined->items) {
        if (part->kind == ExprKind::Constant && part->value->kind == Constant::Kind::Str) {
            for (const char c : part->value->text) format.text += c == '%' ? "%%" : std::string(1, c);
        } else if (part->kind == ExprKind::FormattedValue && part->conversion && !part->items[1]) {
            converts = converts || part->conversion == 's';
            format.text += std::string("%") + part->conversion;
            values->items.push_back(part->items[0]);
        } else {
            return joined;
        }
    }
    if (!converts) return joined;
    Expr* result = make(ExprKind::BinOp, {tree_.constant(format), values});
    result->binary = ast::Operator::Mod;
    return result;
}

bool StackMachine::strings(const ir::Inst& inst) {
    auto formatted = [&](Expr* value, char conversion, Expr* spec) {
        if (spec && spec->kind != ExprKind::JoinedStr) spec = make(ExprKind::JoinedStr, {spec});
        Expr* e = make(ExprKind::FormattedValue, {value, spec});
        e->conversion = conversion;
        Expr* joined = make(ExprKind::JoinedStr, {e});
        joined->flag = true;  // one replacement field: BUILD_STRING takes it apart again
        push(joined);  // `'%s' % (x,)` alone looks the same
    };
    static constexpr char kConversions[] = {0, 's', 'r', 'a'};
    switch (inst.op) {
        case IrOp::FormatValue: {
            Expr* spec = inst.count & 4 ? pop() : nullptr;
            formatted(pop(), kConversions[inst.count & 3], spec);
            return true;
        }
        case IrOp::ConvertValue: {
            Expr* e = make(ExprKind::FormattedValue, {pop(), nullptr});
            e->conversion = kConversions[inst.count & 3];
            e->flag = true;  // waits for FORMAT_SIMPLE or FORMAT_WITH_SPEC
            push(e);
            return true;
        }
        case IrOp::FormatSimple:
        case IrOp::FormatWithSpec: {
            Expr* spec = inst.op == IrOp::FormatWithSpec ? pop() : nullptr;
            Expr* value = pop();
            const bool converted = value->kind == ExprKind::FormattedValue && value->flag;
            formatted(converted ? value->items[0] : value, converted ? value->conversion : 0, spec);
            return true;
        }
        case IrOp::BuildString: {
            Expr* e = make(ExprKind::JoinedStr);
            for (Expr* part : pop_values(inst.count)) {
                if (part->kind == ExprKind::JoinedStr && part->flag)
                    e->items.push_back(part->items[0]);
                else
                    e->items.push_back(part);
            }
            push(percent_format(e));
            return true;
        }
        case IrOp::BuildInterpolation: {
            Expr* spec = inst.count & 1 ? pop() : nullptr;
            Expr* text = pop();
            Expr* value = pop();
            if (spec && spec->kind != ExprKind::JoinedStr) spec = make(ExprKind::JoinedStr, {spec});
            Expr* e = make(ExprKind::Interpolation, {value, spec});
            e->conversion = kConversions[(inst.count >> 2) & 3];
            if (text->kind == ExprKind::Constant) e->name = text->value->text;
            push(e);
            return true;
        }
        case IrOp::BuildTemplate: {
            Expr* interpolations = pop();
            Expr* texts = pop();
            Expr* e = make(ExprKind::TemplateStr);
            std::vector<Expr*> strings;
            if (texts->kind == ExprKind::Tuple) strings = texts->items;
            if (texts->kind == ExprKind::Constant) {
                for (const Constant& item : texts->value->items) strings.push_back(tree_.constant(&item));
            }
            for (std::size_t i = 0; i < strings.size(); ++i) {
                if (!strings[i]->value->text.empty()) e->items.push_back(strings[i]);
                if (i < interpolations->items.size()) e->items.push_back(interpolations->items[i]);
            }
            push(e);
            return true;
        }
        default: return false;
    }
}

}  // namespace depyf
