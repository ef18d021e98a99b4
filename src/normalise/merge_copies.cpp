// The coarsest partition of instructions that came from the same place in the source, do the same and go on alike
// (bisimulation by partition refinement, Kanellakis and Smolka 1990); one instruction of each class remains. Undoes the
// copies of small exit blocks (3.10, 3.12+) and of loop tests (3.10 - 3.13).
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "lift/lift.h"
#include "normalise/normalise.h"

namespace depyf::normalising {

using ir::Inst;
using ir::Op;

namespace {

std::size_t mix(std::size_t seed, std::size_t value) {
    return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

class Partition {
  public:
    explicit Partition(ir::Function& function) : function_(function), class_(function.insts.size(), -1) {
        if (!function.handlers.empty()) depth_ = lifting::stack_depths(function);
    }

    void run() {
        mark_reachable();
        find_closing();
        split_by_operation();
        while (refine()) {}
        for (int round = 0; round < 8 && join_placeless(); ++round) {}
        merge();
    }

  private:
    void mark_reachable() {
        reachable_.assign(function_.insts.size(), false);
        std::vector<std::int32_t> todo;
        auto reach = [&](std::int32_t i) {
            if (i < 0 || reachable_[static_cast<std::size_t>(i)]) return;
            reachable_[static_cast<std::size_t>(i)] = true;
            todo.push_back(i);
        };
        reach(function_.entry);
        while (!todo.empty()) {
            const Inst& inst = function_.insts[static_cast<std::size_t>(todo.back())];
            todo.pop_back();
            reach(inst.next);
            reach(inst.target);
            if (inst.handler >= 0) reach(function_.handlers[static_cast<std::size_t>(inst.handler)].target);
            if (inst.op == Op::SetupFinally) reach(function_.handlers[inst.count].target);
        }
    }

    // A conditional jump and its opposite with exchanged edges are the same.
    static bool inverted(const Inst& inst) {
        return inst.op == Op::Branch && (inst.count == static_cast<std::uint32_t>(ir::Condition::True) ||
                                         inst.count == static_cast<std::uint32_t>(ir::Condition::NotNone));
    }
    static std::int32_t first(const Inst& inst) { return inverted(inst) ? inst.target : inst.next; }
    static std::int32_t second(const Inst& inst) { return inverted(inst) ? inst.next : inst.target; }

    // What the compiler writes behind the statements of a class body has no place of its own: each copy shows that of the
    // statement in front.
    void find_closing() {
        closing_.assign(function_.insts.size(), false);
        if (function_.code->flags & kOptimized) return;
        const auto closes = [](const Inst& inst) {
            if (inst.op == Op::StoreName)
                return *inst.name == "__classcell__" || *inst.name == "__classdictcell__" ||
                       *inst.name == "__static_attributes__";
            return inst.op == Op::Const || inst.op == Op::LoadClosure || inst.op == Op::LoadFast || inst.op == Op::Copy;
        };
        for (std::size_t i = function_.insts.size(); i-- > 0;) {
            const Inst& inst = function_.insts[i];
            const bool leads_there = inst.next >= 0 && closing_[static_cast<std::size_t>(inst.next)];
            closing_[i] = inst.op == Op::Return || (leads_there && closes(inst));
        }
    }

    std::size_t operation_hash(std::size_t i) const {
        const Inst& inst = function_.insts[i];
        std::size_t h = static_cast<std::size_t>(inst.op);
        std::uint32_t count = inst.count;
        if (inst.op == Op::Branch) count = count >= static_cast<std::uint32_t>(ir::Condition::None) ? 2 : 0;
        h = mix(h, count * 2 + (inst.flag ? 1 : 0));
        h = mix(h, reinterpret_cast<std::size_t>(inst.name));
        h = mix(h, reinterpret_cast<std::size_t>(inst.value));
        h = mix(h, static_cast<std::size_t>(inst.handler + 1));
        if (closing_[i]) return h;
        h = mix(h, static_cast<std::size_t>(inst.location.line));
        if (inst.op == Op::Pop || inst.op == Op::PopExcept)
            return h;  // has no place of its own: it shows that of what stands in front
        h = mix(h, static_cast<std::size_t>(inst.location.column + 1) * 65536 +
                       static_cast<std::size_t>(inst.location.end_column + 1));
        return mix(h, static_cast<std::size_t>(inst.location.end_line));
    }

    // The calls of an exit function all carry the place of their `with`, whatever statement they belong to.
    std::vector<bool> kept_apart() const {
        std::vector<bool> found(function_.insts.size(), false);
        auto is_none = [&](std::int32_t i) {
            const Inst& inst = function_.insts[static_cast<std::size_t>(i)];
            return (inst.op == Op::Const && inst.value && inst.value->kind == Constant::Kind::None) ||
                   (inst.op == Op::Copy && inst.count == 1);
        };
        for (std::size_t first = 0; first < function_.insts.size(); ++first) {
            std::int32_t i = static_cast<std::int32_t>(first);
            if (function_.insts[first].op != Op::Const) continue;
            int nones = 0;
            while (nones < 3 && i >= 0 && is_none(i)) ++nones, i = function_.insts[static_cast<std::size_t>(i)].next;
            if (nones < 3 || i < 0 || function_.insts[static_cast<std::size_t>(i)].op != Op::Call) continue;
            const Location& place = function_.insts[static_cast<std::size_t>(i)].location;
            bool behind = false;
            std::size_t steps = 0;  // the way may lead round a loop
            for (std::int32_t k = static_cast<std::int32_t>(first); k >= 0 && steps++ < function_.insts.size();
                 k = function_.insts[static_cast<std::size_t>(k)].next) {
                const Inst& inst = function_.insts[static_cast<std::size_t>(k)];
                if (behind && (inst.location.line != place.line || inst.location.column != place.column)) break;
                behind = behind || k == i;
                found[static_cast<std::size_t>(k)] = true;
                if (inst.op == Op::Return) break;
            }
        }
        return found;
    }

    void split_by_operation() {
        const std::vector<bool> alone = kept_apart();
        std::unordered_map<std::size_t, std::int32_t> ids;  // a collision only costs: refine() compares successors
        for (std::size_t i = 0; i < function_.insts.size(); ++i) {
            if (!reachable_[i]) continue;
            const Inst& inst = function_.insts[i];
            const bool placeless =
                function_.features->has_super_instructions && inst.location.line == 0 && !closing_[i];
            std::size_t hash = alone[i] || placeless ? mix(operation_hash(i), i + 1) : operation_hash(i);
            if (!depth_.empty()) hash = mix(hash, static_cast<std::size_t>(depth_[i] + 1));  // handles what is below
            auto [found, added] = ids.try_emplace(hash, static_cast<std::int32_t>(members_.size()));
            if (added) members_.emplace_back();
            class_[i] = found->second;
            members_[static_cast<std::size_t>(found->second)].push_back(static_cast<std::int32_t>(i));
        }
        for (std::size_t c = 0; c < members_.size(); ++c) {
            if (members_[c].size() > 1) open_.push_back(static_cast<std::int32_t>(c));
        }
    }

    std::size_t class_of(std::int32_t i) const {
        return i < 0 ? 0 : static_cast<std::size_t>(class_[static_cast<std::size_t>(i)]) + 1;
    }

    bool refine() {
        bool changed = false;
        std::vector<std::int32_t> still_open;
        for (std::int32_t c : open_) {
            std::unordered_map<std::size_t, std::vector<std::int32_t>> parts;
            std::vector<std::size_t> order;
            for (std::int32_t i : members_[static_cast<std::size_t>(c)]) {
                const Inst& inst = function_.insts[static_cast<std::size_t>(i)];
                const std::size_t key = class_of(first(inst)) * 0x100000001ULL + class_of(second(inst));
                auto [found, added] = parts.try_emplace(key);
                if (added) order.push_back(key);
                found->second.push_back(i);
            }
            if (order.size() == 1) {
                still_open.push_back(c);
                continue;
            }
            changed = true;
            for (std::size_t k = 0; k < order.size(); ++k) {
                std::vector<std::int32_t>& part = parts[order[k]];
                std::int32_t id = c;
                if (k > 0) {
                    id = static_cast<std::int32_t>(members_.size());
                    members_.emplace_back();
                }
                for (std::int32_t i : part) class_[static_cast<std::size_t>(i)] = id;
                if (part.size() > 1) still_open.push_back(id);
                members_[static_cast<std::size_t>(id)] = std::move(part);
            }
        }
        open_ = std::move(still_open);
        return changed;
    }

    // The second half of a superinstruction has no place of its own: it joins any instruction that does the same and
    // goes on alike.
    bool join_placeless() {
        if (!function_.features->has_super_instructions) return false;
        bool changed = false;
        std::map<std::tuple<Op, const std::string*, std::int32_t, std::size_t>, std::int32_t> placed;
        auto key = [&](const Inst& inst) {
            return std::make_tuple(inst.op, inst.name, inst.handler, class_of(inst.next));
        };
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t i = 0; i < function_.insts.size(); ++i) {
                const Inst& inst = function_.insts[i];
                if (!reachable_[i] || inst.op != Op::LoadFast || (inst.location.line == 0) != (pass == 1)) continue;
                if (pass == 0) {
                    placed.emplace(key(inst), class_[i]);
                } else {
                    // without a placed one to join, two of them join where what follows was joined
                    const bool joined =
                        inst.next >= 0 &&
                        members_[static_cast<std::size_t>(class_[static_cast<std::size_t>(inst.next)])].size() > 1;
                    auto found = placed.find(key(inst));
                    if (found != placed.end() && class_[i] != found->second) {
                        members_[static_cast<std::size_t>(found->second)].push_back(static_cast<std::int32_t>(i));
                        class_[i] = found->second;
                        changed = true;
                    } else if (found == placed.end() && joined) {
                        placed.emplace(key(inst), class_[i]);
                    }
                }
            }
        }
        // what differed only in where it went on to may be the same now
        std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::int32_t> same;
        for (std::size_t i = 0; changed && i < function_.insts.size(); ++i) {
            const Inst& inst = function_.insts[i];
            if (!reachable_[i] || inst.location.line == 0) continue;
            auto [found, added] =
                same.try_emplace({operation_hash(i), class_of(first(inst)), class_of(second(inst))}, class_[i]);
            if (added || found->second == class_[i]) continue;
            members_[static_cast<std::size_t>(found->second)].push_back(static_cast<std::int32_t>(i));
            class_[i] = found->second;
        }
        return changed;
    }

    std::int32_t representative(std::int32_t i) const {
        return i < 0 ? i : members_[static_cast<std::size_t>(class_[static_cast<std::size_t>(i)])].front();
    }

    // The two ways of a branch bring the same value to where they meet: `a if c else a`, both were written.
    bool are_equal_arms(const Inst& inst) const {
        if ((inst.op != Op::Branch && inst.op != Op::KeepBranch) || inst.next == inst.target) return false;
        std::int32_t a = inst.next, b = inst.target;
        std::int32_t values = 0;
        for (int steps = 0; steps < 64 && representative(a) == representative(b); ++steps) {
            values += lifting::stack_effect(function_, function_.insts[static_cast<std::size_t>(a)], false);
            a = function_.insts[static_cast<std::size_t>(a)].next;
            b = function_.insts[static_cast<std::size_t>(b)].next;
            if (a < 0 || b < 0) return false;
            if (a == b) return values == 1;
        }
        return false;
    }

    void merge() {
        std::vector<bool> apart;
        for (std::size_t i = 0; i < function_.insts.size(); ++i)
            apart.push_back(reachable_[i] && are_equal_arms(function_.insts[i]));
        for (std::size_t i = 0; i < function_.insts.size(); ++i) {
            if (!reachable_[i]) continue;
            Inst& inst = function_.insts[i];
            inst.next = representative(inst.next);
            if (!apart[i]) inst.target = representative(inst.target);
        }
        for (ir::Handler& handler : function_.handlers) {
            if (handler.target >= 0 && reachable_[static_cast<std::size_t>(handler.target)])
                handler.target = representative(handler.target);
        }
        function_.entry = representative(function_.entry);
    }

    ir::Function& function_;
    std::vector<std::int32_t> depth_;  // of the stack, by instruction; empty where no handler makes a difference
    std::vector<std::int32_t> class_;
    std::vector<std::vector<std::int32_t>> members_;
    std::vector<std::int32_t> open_;  // classes of more than one instruction
    std::vector<bool> reachable_, closing_;
};

}  // namespace

void merge_copies(ir::Function& function) {
    Partition(function).run();
}

}  // namespace depyf::normalising
