// Which line each statement of a text that keeps the original's lines shall go on.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ast/node.h"

namespace depyf {

// Lines of a tree may be unknown, or wrong where the compiler gave a copied instruction another place. Trusted are those of
// the longest chain that never goes up in the order of the text; a header without a line of its own (`try:`,
// `while True:`, `else:`) stands right above what is in it.
class Alignment {
  public:
    // `strings_by_end`: Features::strings_located_by_end
    Alignment(const ast::Body& body, bool strings_by_end);

    std::int32_t line(const ast::Stmt* stmt) const { return of(stmt); }  // 0: anywhere
    std::int32_t line(const ast::ExceptHandler& handler) const { return of(&handler); }
    // Of a header in front of these statements.
    std::int32_t header(const ast::Body& body) const {
        const std::int32_t first = body.empty() ? 0 : line(body.front());
        return first > 1 ? first - 1 : 0;
    }

    // The first line that is known at or behind the beginning of these statements.
    std::int32_t upcoming(const ast::Body& body) const { return of(&body); }

  private:
    std::int32_t of(const void* node) const {
        const auto found = lines_.find(node);
        return found == lines_.end() ? 0 : found->second;
    }

    std::unordered_map<const void*, std::int32_t> lines_;
};

}  // namespace depyf
