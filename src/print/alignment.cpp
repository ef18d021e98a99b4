#include "print/alignment.h"

#include <algorithm>
#include <string>
#include <vector>

namespace depyf {

namespace {

struct Place {
    const void* node;   // a statement, a handler or, without a line, where a body begins
    std::int32_t line;
    const ast::Body* body;   // of the statement or handler, of the first case of a match; null where a body begins
    std::int32_t lead = 1;   // lines from the header to the body, where the body cannot stand on the header's line
};

// A `try` or an endless loop has no instruction of its own; its line is then that of the first one in it.
std::int32_t own_line(const ast::Stmt& stmt, bool strings_by_end) {
    if (strings_by_end && stmt.kind == ast::StmtKind::Expr && stmt.exprs[0]->kind == ast::ExprKind::Constant) {
        const std::string& text = stmt.exprs[0]->value->text;   // a docstring
        return std::max(0, stmt.line - static_cast<std::int32_t>(std::count(text.begin(), text.end(), '\n')));
    }
    const bool endless = stmt.kind == ast::StmtKind::While && stmt.exprs[0]->kind == ast::ExprKind::Constant;
    const bool shared = endless || stmt.kind == ast::StmtKind::Try || stmt.kind == ast::StmtKind::TryStar;
    return shared && !stmt.body.empty() && stmt.line >= stmt.body.front()->line ? 0 : stmt.line;
}

// In the order of the text.
void collect(const ast::Body& body, std::vector<Place>& places, bool strings_by_end) {
    places.push_back({&body, 0, nullptr});
    for (const ast::Stmt* stmt : body) {
        if (stmt->kind == ast::StmtKind::Match)
            places.push_back({stmt, stmt->line, &stmt->cases[0].body, 2});
        else
            places.push_back({stmt, own_line(*stmt, strings_by_end), &stmt->body});
        collect(stmt->body, places, strings_by_end);
        for (const ast::ExceptHandler& handler : stmt->handlers) {
            places.push_back({&handler, handler.line, &handler.body});
            collect(handler.body, places, strings_by_end);
        }
        for (const ast::MatchCase& c : stmt->cases) collect(c.body, places, strings_by_end);
        collect(stmt->orelse, places, strings_by_end);
        collect(stmt->finalbody, places, strings_by_end);
    }
}

// Indices of the longest chain of known lines that never goes up.
std::vector<std::size_t> longest_chain(const std::vector<Place>& places) {
    constexpr auto kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> ends;   // [n]: where the chain of n + 1 places with the smallest last line ends
    std::vector<std::size_t> before(places.size(), kNone);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].line <= 0) continue;
        const auto end = std::upper_bound(ends.begin(), ends.end(), places[i].line,
                                          [&](std::int32_t line, std::size_t k) { return line < places[k].line; });
        if (end != ends.begin()) before[i] = *(end - 1);
        if (end == ends.end()) {
            ends.push_back(i);
        } else {
            *end = i;
        }
    }
    std::vector<std::size_t> chain;
    for (std::size_t i = ends.empty() ? kNone : ends.back(); i != kNone; i = before[i]) chain.push_back(i);
    std::reverse(chain.begin(), chain.end());
    return chain;
}

bool is_compound(const ast::Stmt& stmt) {
    switch (stmt.kind) {
        case ast::StmtKind::FunctionDef:
        case ast::StmtKind::AsyncFunctionDef:
        case ast::StmtKind::ClassDef:
        case ast::StmtKind::For:
        case ast::StmtKind::AsyncFor:
        case ast::StmtKind::While:
        case ast::StmtKind::If:
        case ast::StmtKind::With:
        case ast::StmtKind::AsyncWith:
        case ast::StmtKind::Match:
        case ast::StmtKind::Try:
        case ast::StmtKind::TryStar: return true;
        default: return false;
    }
}

}  // namespace

Alignment::Alignment(const ast::Body& body, bool strings_by_end) {
    std::vector<Place> places;
    collect(body, places, strings_by_end);
    for (const std::size_t i : longest_chain(places)) lines_[places[i].node] = places[i].line;
    std::int32_t upcoming = 0;
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
        if (!place->body) {
            lines_[place->node] = upcoming;
            continue;
        }
        const std::int32_t first = place->body->empty() ? 0 : of(place->body->front());
        // A simple statement may share the line of a header that has one.
        const bool may_share =
            of(place->node) > 0 && place->lead == 1 && first > 0 && !is_compound(*place->body->front());
        const std::int32_t latest = first > place->lead && !may_share ? first - place->lead : 0;
        const std::int32_t own = of(place->node);
        if (latest > 0 && (own == 0 || own > latest)) lines_[place->node] = latest;
        if (const std::int32_t line = of(place->node); line > 0) upcoming = line;
    }
}

}  // namespace depyf
