#include "match/case_reader.h"

#include <algorithm>

namespace depyf::matching {

using ast::PatternKind;

namespace {

class Builder {
  public:
    explicit Builder(const State& state) : state_(state) {}

    std::optional<ir::Pattern> pattern(std::int32_t id) {
        const Node& node = state_.node(id);
        if (node.kind != Node::Kind::Subject || !copies_explained(node)) return std::nullopt;
        std::optional<ir::Pattern> result = node.tested ? tested(node) : ir::Pattern{};
        if (!node.tested && (!node.items.empty() || node.star >= 0 || node.positional > 0)) return std::nullopt;
        if (!result) return std::nullopt;
        std::size_t named = 0;
        if (!node.tested && !node.captures.empty()) result->name = node.captures[named++];
        for (; named < node.captures.size(); ++named) {   // `pattern as name`
            ir::Pattern as;
            as.name = node.captures[named];
            as.patterns.push_back(std::move(*result));
            result = std::move(as);
        }
        return result;
    }

  private:
    // Each `as` takes a copy of the subject, nothing else does.
    static bool copies_explained(const Node& node) {
        const auto names = static_cast<std::int32_t>(node.captures.size());
        return node.copies == (node.tested || names == 0 ? names : names - 1);
    }

    std::optional<ir::Pattern> tested(const Node& node) {
        ir::Pattern result;
        result.kind = node.pattern;
        bool ok = true;
        switch (node.pattern) {
            case PatternKind::Value:
            case PatternKind::Singleton: result.value = node.values[0]; break;
            case PatternKind::Sequence: ok = sequence(node, result); break;
            case PatternKind::Mapping: ok = mapping(node, result); break;
            case PatternKind::Class: ok = class_pattern(node, result); break;
            case PatternKind::Or:
                for (std::int32_t id : node.alternatives) ok = ok && add(result, id);
                break;
            default: ok = false; break;
        }
        if (!ok) return std::nullopt;
        return result;
    }

    bool add(ir::Pattern& to, std::int32_t id) {
        auto part = pattern(id);
        if (part) to.patterns.push_back(std::move(*part));
        return part.has_value();
    }

    // What was never taken out of the value is `_`.
    bool add_item(ir::Pattern& to, const Node& node, std::int32_t index) {
        auto found = node.items.find(index);
        if (found != node.items.end()) return add(to, found->second);
        to.patterns.emplace_back();
        return true;
    }

    bool sequence(const Node& node, ir::Pattern& result) {
        if (node.length >= 0 && !node.at_least) {
            if (node.star >= 0) return false;
            for (const auto& [index, id] : node.items) {
                if (index < 0 || index >= node.length) return false;
            }
            for (std::int32_t i = 0; i < node.length; ++i) {
                if (!add_item(result, node, i)) return false;
            }
            return true;
        }
        const std::int32_t others = node.length < 0 ? 0 : node.length;
        std::int32_t before = node.star_index;
        if (node.star < 0) {   // `*_`: in front of the elements that are counted from the end
            before = others;
            for (const auto& [index, id] : node.items) before = std::min(before, index < 0 ? others + index : others);
            for (const auto& [index, id] : node.items) {
                if (index >= before || before < 0) return false;
            }
        }
        if (before > others) return false;
        for (std::int32_t i = 0; i < before; ++i) {
            if (!add_item(result, node, i)) return false;
        }
        ir::Pattern star;
        star.kind = PatternKind::Star;
        if (node.star >= 0) {
            const Node& rest = state_.node(node.star);
            if (rest.tested || rest.captures.size() != 1 || rest.copies != 0) return false;
            star.name = rest.captures[0];
        }
        result.patterns.push_back(star);
        for (std::int32_t i = before - others; i < 0; ++i) {
            if (!add_item(result, node, i)) return false;
        }
        return true;
    }

    bool mapping(const Node& node, ir::Pattern& result) {
        if (node.length > 0 && static_cast<std::size_t>(node.length) != node.values.size()) return false;
        result.keys = node.values;
        result.name = node.rest;
        for (std::size_t i = 0; i < node.values.size(); ++i) {
            if (!add_item(result, node, static_cast<std::int32_t>(i))) return false;
        }
        return true;
    }

    bool class_pattern(const Node& node, ir::Pattern& result) {
        result.value = node.values[0];
        for (const Constant& name : node.keyword_names->items) {
            if (name.kind != Constant::Kind::Str) return false;
            result.keyword_names.push_back(&name.text);
        }
        const std::size_t parts = node.positional + result.keyword_names.size();
        for (std::size_t i = 0; i < parts; ++i) {
            if (!add_item(result, node, static_cast<std::int32_t>(i))) return false;
        }
        return true;
    }

    const State& state_;
};

}  // namespace

std::optional<ir::Pattern> build_pattern(const State& state, std::int32_t subject) {
    return Builder(state).pattern(subject);
}

}  // namespace depyf::matching
