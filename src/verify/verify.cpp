#include "verify/verify.h"

#include <deque>
#include <unordered_map>

#include "base/error.h"
#include "lift/lift.h"
#include "verify/bisimulation.h"
#include "verify/lowerer.h"

namespace depyf {

namespace {

using ast::Stmt;
using ast::StmtKind;
using verify::Unit;
using verify::UnitKind;

class Prover {
  public:
    Prover(const Claim& claim, Decompilation& result)
        : body_(*claim.body), printed_(*claim.printed), result_(result), state_(result.codes.size()) {
        for (std::size_t i = 0; i < result.codes.size(); ++i) index_.try_emplace(result.codes[i].code, i);
    }

    std::vector<std::size_t> run(const CodeObject& code, bool as_module) {
        program_.features = &features(code.version);
        long_lines_.assign(result_.codes.size(), false);
        if (program_.features->jump_unit == 1) find_long_lines();
        try {
            start(code, as_module);
            while (!todo_.empty()) {
                const auto [next, unit] = todo_.front();
                todo_.pop_front();
                pair(*next, *unit);
            }
        } catch (const Error& error) {
            note(0, error.offset(), error.what());
        }
        settle();
        return std::move(to_join_);
    }

  private:
    struct State {
        bool seen = false, equal = true, exact = true;
        std::int64_t offset = -1;
        std::string message;
    };

    void start(const CodeObject& code, bool as_module) {
        const bool lone = !as_module || (code.flags & kOptimized);
        verify::Surroundings around;
        if (lone) {
            around.free = code.freevars;
            around.nested = (code.flags & kNested) != 0;
            around.future_annotations = (code.flags & program_.features->future_annotations_flag) != 0;
        }
        if (program_.features->class_firstlineno) find_class_lines();
        program_.scopes = verify::read_scopes(body_, *program_.features, program_.names, lone ? &around : nullptr);
        Unit& unit = units_.emplace_back();
        unit.kind = UnitKind::Module;
        unit.body = &body_;
        unit.name = program_.names.intern("<module>");
        if (!lone) {
            todo_.emplace_back(&code, &unit);
            return;
        }
        if (body_.size() != 1 ||
            (body_[0]->kind != StmtKind::FunctionDef && body_[0]->kind != StmtKind::AsyncFunctionDef))
            throw Error(-1, "a lone code object that is no function");
        unit.kind = UnitKind::Function;
        unit.stmt = body_[0];
        unit.body = &body_[0]->body;
        unit.scope = program_.scopes.of(body_[0]);
        unit.name = program_.names.intern(body_[0]->name);
        unit.qualname = code.qualname.empty() ? code.name : code.qualname;
        todo_.emplace_back(&code, &unit);
    }

    void note(std::size_t index, std::int64_t offset, const std::string& message) {
        State& state = state_[index];
        state.equal = false;
        if (!state.message.empty()) return;
        state.offset = offset;
        state.message = message;
    }

    void pair(const CodeObject& code, const Unit& unit) {
        const auto found = index_.find(&code);
        if (found == index_.end()) return;   // a copy that no statement came from
        const std::size_t index = found->second;
        State& state = state_[index];
        if (result_.codes[index].verdict == Verdict::Failed) return;
        state.seen = true;
        try {
            const verify::Lowered lowered = verify::Lowerer(program_, unit).lower();
            const std::string header = compare_headers(code, lowered, unit, *program_.features);
            if (!header.empty()) note(index, -1, header);
            const ir::Function input = lift(code);
            const verify::Comparison comparison = compare(input, lowered);
            if (!comparison.difference.message.empty())
                note(index, comparison.difference.offset, comparison.difference.message);
            else if (lowered.line_sensitive && long_lines_[index])
                note(index, -1, "what the optimizer does depends on how the text is broken into lines");
            else if (lowered.line_sensitive && is_broken(index))
                to_join_.push_back(index);
            state.exact = state.exact && comparison.one_to_one;
            // the compiler may make another graph of the text: what it would load where, no one knows
            if (lowered.line_sensitive && long_lines_[index]) return;
            for (const auto& [nested, child] : comparison.nested) {
                units_.push_back(lowered.children[child]);
                todo_.emplace_back(nested, &units_.back());
            }
        } catch (const Error& error) {
            note(index, error.offset(), error.what());
        }
    }

    // A line of the text with more than 254 bytes of code keeps the optimizer away (up to 3.9), and so may a statement on
    // several lines. Source: the look at lnotab in PyCode_Optimize.
    void find_long_lines() {
        constexpr std::size_t kLongest = 110;  // instructions
        for (const PrintedLine& line : printed_.lines) {
            const std::size_t index = line.stmt->code_index;
            if (line.stmt->offsets.size() >= kLongest && index < long_lines_.size()) long_lines_[index] = true;
        }
    }

    void find_class_lines() {
        for (const PrintedLine& line : printed_.lines) {
            if (line.stmt->kind != StmtKind::ClassDef) continue;
            const auto above = static_cast<std::uint32_t>(line.stmt->decorators.size());
            if (above > 0 && printed_.broken_anywhere) continue;  // a decorator may stand on several lines
            program_.class_lines[line.stmt] = line.line - above;
        }
    }

    bool is_broken(std::size_t index) const {
        return printed_.broken_anywhere || (index < printed_.broken.size() && printed_.broken[index]);
    }

    void settle() {
        for (std::size_t i = 0; i < result_.codes.size(); ++i) {
            CodeVerdict& code = result_.codes[i];
            if (code.verdict == Verdict::Failed) continue;
            State& state = state_[index_.at(result_.codes[i].code)];  // the same code object may have been read twice
            if (!state.seen && state.equal)
                note(index_.at(result_.codes[i].code), -1, "what surrounds it is not proved");
            code.verdict = !state.equal ? Verdict::Unproved : state.exact ? Verdict::Exact : Verdict::Equivalent;
            if (!state.equal) result_.diagnostics.push_back({code.qualname, state.offset, state.message});
        }
    }

    const ast::Body& body_;
    const PrintedText& printed_;
    Decompilation& result_;
    verify::Program program_;
    std::unordered_map<const CodeObject*, std::size_t> index_;
    std::vector<State> state_;
    std::vector<bool> long_lines_;  // by code index
    std::vector<std::size_t> to_join_;
    std::deque<Unit> units_;
    std::deque<std::pair<const CodeObject*, const Unit*>> todo_;
};

}  // namespace

std::vector<std::size_t> prove(const Claim& claim, Decompilation& result) {
    if (result.codes.empty()) return {};
    return Prover(claim, result).run(*claim.code, claim.as_module);
}

}  // namespace depyf
