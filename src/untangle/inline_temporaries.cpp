#include <algorithm>

#include "lift/lift.h"
#include "untangle/state.h"

namespace depyf::untangling {

using ir::Inst;
using ir::Op;

namespace {

class Inliner {
  public:
    Inliner(Graph& graph, const ir::Function& function, const std::set<std::string>& pinned, bool readable)
        : graph_(graph), function_(function), pinned_(pinned), readable_(readable) {
        for (const Block& block : graph.blocks) {
            for (const Inst& inst : block.code) {
                if (inst.op == Op::LoadFast) ++loads_[*inst.name];
                if (inst.op == Op::StoreFast) ++stores_[*inst.name];
            }
        }
    }

    void run() {
        for (Block& block : graph_.blocks) {
            Code& code = block.code;
            for (std::size_t i = code.size(); i-- > 0;) {
                if (i >= code.size() || code[i].op != Op::StoreFast || !is_temporary(*code[i].name)) continue;
                const int loads = loads_[*code[i].name];
                if (loads == 0)
                    drop(code, i);
                else if (loads == 1)
                    move(code, i);
            }
        }
    }

  private:
    bool is_temporary(const std::string& name) {
        const bool ours = name.rfind("_stack_", 0) == 0 || (readable_ && name.rfind("tmp_", 0) == 0);
        return ours && stores_[name] == 1 && !pinned_.count(name);
    }

    // Where the expression begins whose value the instruction at `end` takes; `end` where it cannot be told.
    std::size_t begin_of(const Code& code, std::size_t end) const {
        std::int32_t wanted = 1;
        for (std::size_t i = end; i-- > 0;) {
            wanted -= lifting::stack_effect(function_, code[i], false);
            if (code[i].op == Op::StoreFast || code[i].op == Op::Pop) return end;
            if (wanted == 0) return i;
        }
        return end;
    }

    bool is_load(const Inst& inst) const {
        switch (inst.op) {
            case Op::LoadFast:
            case Op::Const:
            case Op::CommonConst:
            case Op::PushNull:
            case Op::LoadClosure:
            case Op::LoadAssertionError: return true;
            case Op::LoadGlobal: return readable_;
            case Op::LoadAttr:
            case Op::LoadSubscr: return readable_;
            default: return false;
        }
    }

    // Nobody can tell whether it has run.
    bool has_no_effect(const Inst& inst) const {
        switch (inst.op) {
            case Op::LoadGlobal:
            case Op::LoadAttr:
            case Op::LoadSubscr: return false;
            case Op::BuildList:
            case Op::BuildTuple:
            case Op::BuildMap: return readable_;
            default: return is_load(inst);
        }
    }

    // Drops the expression whose value the instruction at `end` takes, and that instruction.
    bool erase_without_effect(Code& code, std::size_t end) const {
        const std::size_t begin = begin_of(code, end);
        if (begin == end) return false;
        for (std::size_t i = begin; i < end; ++i) {
            if (!has_no_effect(code[i])) return false;
        }
        code.erase(code.begin() + static_cast<std::ptrdiff_t>(begin),
                   code.begin() + static_cast<std::ptrdiff_t>(end) + 1);
        return true;
    }

    // Nothing reads it: only the effects count.
    void drop(Code& code, std::size_t store) const {
        if (erase_without_effect(code, store)) return;
        code[store].op = Op::Pop;
        code[store].name = nullptr;
    }

    void move(Code& code, std::size_t store) {
        const std::string name = *code[store].name;
        std::size_t use = store + 1;
        while (use < code.size() && is_load(code[use]) && !(code[use].op == Op::LoadFast && *code[use].name == name))
            ++use;
        if (use >= code.size() || code[use].op != Op::LoadFast || *code[use].name != name) return;
        const std::size_t begin = begin_of(code, store);
        if (begin == store) return;
        for (std::size_t i = begin; i < store; ++i) {
            if (code[i].op == Op::BuildSlice) return;
        }
        code.erase(code.begin() + static_cast<std::ptrdiff_t>(use));
        const auto first = code.begin() + static_cast<std::ptrdiff_t>(begin);
        std::rotate(first, code.begin() + static_cast<std::ptrdiff_t>(store),
                    code.begin() + static_cast<std::ptrdiff_t>(use));
        code.erase(first);   // the store came to stand first
    }

    Graph& graph_;
    const ir::Function& function_;
    const std::set<std::string>& pinned_;
    bool readable_;
    std::map<std::string, int> loads_, stores_;
};

}  // namespace

void inline_temporaries(Graph& graph, const ir::Function& function, const std::set<std::string>& pinned,
                        bool readable) {
    Inliner(graph, function, pinned, readable).run();
}

}  // namespace depyf::untangling
