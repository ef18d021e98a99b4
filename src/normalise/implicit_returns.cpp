#include <set>
#include <utility>
#include <vector>

#include "normalise/normalise.h"

namespace depyf::normalising {

using ir::Inst;
using ir::Op;

namespace {

bool is_function(const CodeObject& code) {
    return (code.flags & kOptimized) != 0;
}

bool same_place(const Location& a, const Location& b) {
    return a.line == b.line && a.column == b.column && a.end_line == b.end_line && a.end_column == b.end_column;
}

// `return`, `return None` or the `None` in it as the table of columns shows them. Statements stand in even columns, the
// value of a return in odd ones; that tells `None` from `pass`.
bool looks_like_return(const Location& place) {
    const int width = place.end_column - place.column;
    if (place.column < 0 || place.line != place.end_line) return false;
    return width == 6 || width == 11 || (width == 4 && place.column % 2 == 1);
}

// Something the author wrote, as against what leaving a block or handler runs.
bool is_written(const ir::Function& function, std::size_t i) {
    const Inst& inst = function.insts[i];
    const Inst* before = i > 0 ? &function.insts[i - 1] : nullptr;
    const bool follows = before && same_place(before->location, inst.location);
    switch (inst.op) {
        case Op::Const:
        case Op::PopExcept:
        case Op::Swap:
        case Op::Rotate:
        case Op::Copy:
        case Op::Pop:
        case Op::PopIter:
        case Op::Return:
        case Op::Nop:
        case Op::PopBlock:
        case Op::Jump:
        case Op::SetupFinally:
        case Op::Reraise: return false;
        case Op::StoreFast:
        case Op::StoreName:
        case Op::StoreGlobal:
        case Op::StoreDeref: return !(follows && before->op == Op::Const);
        case Op::DeleteFast:
        case Op::DeleteName:
        case Op::DeleteGlobal:
        case Op::DeleteDeref:
            return !(follows && (before->op == Op::StoreFast || before->op == Op::StoreName ||
                                 before->op == Op::StoreGlobal || before->op == Op::StoreDeref));
        default: return true;
    }
}

}  // namespace

// The compiler gives the return that it adds no place of its own: it takes that of the instruction in front of it
// (3.10+, guarantee_lineno_for_exits), or stands at the very end of the code (up to 3.9).
void join_implicit_returns(ir::Function& function) {
    const auto size = static_cast<std::int32_t>(function.insts.size());
    std::vector<std::int32_t> elsewhere(function.insts.size(), 0);  // edges from another place
    for (const Inst& inst : function.insts) {
        // a MatchCase stands for the instruction in front as well; the end of except* has no place
        if (inst.op == Op::MatchCase || inst.location.line == 0) continue;
        for (std::int32_t to : {inst.next, inst.target}) {
            if (to >= 0 && !same_place(inst.location, function.insts[static_cast<std::size_t>(to)].location))
                ++elsewhere[static_cast<std::size_t>(to)];
        }
    }
    std::set<std::pair<std::int32_t, std::int32_t>> written;  // places, by line and column
    for (std::size_t i = 0; i < function.insts.size(); ++i) {
        if (is_written(function, i))
            written.emplace(function.insts[i].location.line, function.insts[i].location.column);
    }
    std::vector<std::int32_t> replacement(function.insts.size(), -1);
    std::vector<std::int32_t> first_of_handler(function.handlers.size() + 1, -1);
    for (std::int32_t i = 0; i < size; ++i) {
        Inst& value = function.insts[static_cast<std::size_t>(i)];
        if (value.op != Op::Const || !value.value || value.value->kind != Constant::Kind::None || value.next < 0)
            continue;
        Inst& result = function.insts[static_cast<std::size_t>(value.next)];
        if (result.op != Op::Return) continue;
        const bool shares_place = written.count({value.location.line, value.location.column}) > 0 ||
                                  (function.features->has_columns && !looks_like_return(value.location));
        const bool implicit = !is_function(*function.code) || value.location.line == 0 ||
                              (function.features->finally_copied && function.features->jump_unit == 2
                                   ? elsewhere[static_cast<std::size_t>(i)] == 0 && shares_place
                                   : value.next + 1 >= size);
        if (!implicit) continue;
        result.flag = true;
        if (!is_function(*function.code)) value.handler = result.handler = -1;  // a module ends outside of everything
        std::int32_t& first = first_of_handler[static_cast<std::size_t>(value.handler + 1)];
        if (first < 0) first = i;
        replacement[static_cast<std::size_t>(i)] = first;
    }
    for (Inst& inst : function.insts) {
        for (std::int32_t* edge : {&inst.next, &inst.target}) {
            if (*edge >= 0 && replacement[static_cast<std::size_t>(*edge)] >= 0)
                *edge = replacement[static_cast<std::size_t>(*edge)];
        }
    }
    if (replacement[static_cast<std::size_t>(function.entry)] >= 0)
        function.entry = replacement[static_cast<std::size_t>(function.entry)];
}

}  // namespace depyf::normalising
