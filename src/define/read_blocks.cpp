#include "base/error.h"
#include "define/definer.h"
#include "express/express.h"
#include "lift/lift.h"
#include "match/match.h"
#include "normalise/normalise.h"
#include "untangle/untangle.h"

namespace depyf {

FlowGraph Definer::read_blocks(const CodeObject& code, ir::Function& function, std::uint32_t index, Traces& traces) {
    ExpressContext context{&tree_, this, class_name_, index};
    const std::size_t codes = result_.codes.size(), diagnostics = result_.diagnostics.size(), depth = scopes_.size();
    const auto start = [&](bool merge) {   // what an earlier attempt registered is taken back
        result_.codes.erase(result_.codes.begin() + static_cast<std::ptrdiff_t>(codes), result_.codes.end());
        result_.diagnostics.erase(result_.diagnostics.begin() + static_cast<std::ptrdiff_t>(diagnostics),
                                  result_.diagnostics.end());
        unbroken_.resize(codes);
        scopes_.resize(depth);
        function = lift(code);
        if (!traces.read) traces = read_traces(function);
        mark_protected_entries(function);
        recognise_matches(function);
        normalise(function, merge);
    };
    start(true);
    context.refuse_hand_made = true;
    try {
        return express(function, context);
    } catch (const HandMade&) {
        context.refuse_hand_made = false;
    }
    for (const bool readable : {true, false}) {
        if (readable && !options_.readable) continue;
        try {
            start(false);
            untangle(function, readable);
            return express(function, context);
        } catch (const Error&) {   // the next best form
        }
    }
    start(true);
    return express(function, context);
}

}  // namespace depyf
