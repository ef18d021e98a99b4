// 3.11+: handlers from the exception table. Source: CPython Objects/exception_handling_notes.txt (3.11).
#include <map>
#include <tuple>

#include "lift/lift.h"

namespace depyf::lifting {

// `entries` hold instruction indices in `target`, byte offsets in start and end.
void assign_table_handlers(ir::Function& function, const std::vector<ExceptionEntry>& entries) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::int32_t> ids;
    std::size_t i = 0;
    for (const ExceptionEntry& entry : entries) {
        const auto key = std::make_tuple(entry.target, entry.depth, entry.lasti);
        auto [found, added] = ids.try_emplace(key, static_cast<std::int32_t>(function.handlers.size()));
        if (added) function.handlers.push_back({static_cast<std::int32_t>(entry.target), entry.depth, entry.lasti, -1});
        while (i < function.insts.size() && function.insts[i].offset < entry.start) ++i;
        for (std::size_t k = i; k < function.insts.size() && function.insts[k].offset < entry.end; ++k) {
            if (function.insts[k].handler < 0) function.insts[k].handler = found->second;
        }
    }
    const std::size_t count = function.handlers.size();
    for (ir::Handler& handler : function.handlers) {
        handler.outer = function.insts[static_cast<std::size_t>(handler.target)].handler;
    }
    // a forged table may make handlers protect each other in a circle: cut it
    for (ir::Handler& handler : function.handlers) {
        std::size_t steps = 0;
        for (std::int32_t h = handler.outer; h >= 0; h = function.handlers[static_cast<std::size_t>(h)].outer) {
            if (++steps > count || &function.handlers[static_cast<std::size_t>(h)] == &handler) {
                handler.outer = -1;
                break;
            }
        }
    }
}

}  // namespace depyf::lifting
