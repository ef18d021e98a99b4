// Symbolic values on the stack while a pattern is being read.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ir/pattern.h"

namespace depyf::matching {

struct Node {
    enum class Kind : std::uint8_t {
        Held,        // the subject of a `match` with more cases to come
        Subject,     // a value that some pattern is matched against
        Parts,       // what MATCH_CLASS or MATCH_KEYS pushed; owner: the subject
        Keys,        // the keys of a mapping pattern; values
        Key,         // one of them
        Flag,        // the outcome of `test` on owner
        Length,      // len(owner)
        FromEnd,     // len(owner) - number
        Value,       // a literal or dotted name; values[0]
        Namespace,   // locals(), about to be looked up in
        Rest,        // the dict for `**rest` of owner
        Either,      // an element that alternatives of an or-pattern bring from different places; parts
    };
    enum class Test : std::uint8_t { None, Sequence, Mapping, Class, Equal, Identical, Length, MinLength, Parts };

    Kind kind = Kind::Subject;
    Test test = Test::None;
    std::int32_t owner = -1;
    std::int32_t number = 0;                   // FromEnd, Length tests
    std::vector<ir::PatternValue> values;      // Value, Keys; of a Flag: what it was compared with
    std::vector<std::int32_t> parts;           // Either

    // Subject: what is known about it on the successful path
    bool tested = false;
    ast::PatternKind pattern = ast::PatternKind::As;
    std::int32_t length = -1;                  // of a sequence; -1: not asked for
    bool at_least = false;
    std::map<std::int32_t, std::int32_t> items;   // index (negative: from the end), or number of the part -> node
    std::int32_t star = -1;                    // node
    std::int32_t star_index = -1;
    std::uint32_t positional = 0;              // of a class pattern
    const Constant* keyword_names = nullptr;   // of a class pattern
    std::vector<std::int32_t> alternatives;    // nodes
    std::vector<const std::string*> captures;
    const std::string* rest = nullptr;         // name for the rest of a mapping
    std::int32_t copies = 0;                   // how often it was copied on the stack

    // Renames the nodes `from` and above: `by` is added to their ids.
    void shift(std::int32_t from, std::int32_t by) {
        auto move = [&](std::int32_t& id) {
            if (id >= from) id += by;
        };
        move(owner);
        move(star);
        for (std::int32_t& id : parts) move(id);
        for (std::int32_t& id : alternatives) move(id);
        for (auto& [index, id] : items) move(id);
    }
};

}  // namespace depyf::matching
