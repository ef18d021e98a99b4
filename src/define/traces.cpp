#include "define/traces.h"

#include <algorithm>

namespace depyf {

namespace {

void read_reachable(const ir::Function& function, Traces& traces) {
    std::vector<bool> seen(function.insts.size(), false);
    std::vector<std::int32_t> todo{function.entry};
    while (!todo.empty()) {
        const std::int32_t i = todo.back();
        todo.pop_back();
        if (i < 0 || seen[static_cast<std::size_t>(i)]) continue;
        seen[static_cast<std::size_t>(i)] = true;
        const ir::Inst& inst = function.insts[static_cast<std::size_t>(i)];
        if (inst.name) traces.used.insert(*inst.name);
        switch (inst.op) {
            case ir::Op::Yield:
            case ir::Op::YieldFrom: traces.yields = true; break;
            case ir::Op::StoreFast:
            case ir::Op::StoreDeref:
            case ir::Op::DeleteFast:
            case ir::Op::DeleteDeref:
            case ir::Op::LoadFastAndClear: traces.stored.insert(*inst.name); break;
            case ir::Op::LoadFast: traces.loaded.insert(*inst.name); break;
            case ir::Op::Const:
                if (inst.value && inst.value->code)
                    traces.captured.insert(inst.value->code->freevars.begin(), inst.value->code->freevars.end());
                break;
            default: break;
        }
        todo.push_back(inst.next);
        todo.push_back(inst.target);
        const bool raises = inst.op != ir::Op::Nop && inst.op != ir::Op::Jump && inst.op != ir::Op::PopBlock;
        if (inst.handler >= 0 && raises)
            todo.push_back(function.handlers[static_cast<std::size_t>(inst.handler)].target);
        if (inst.op == ir::Op::SetupFinally && !function.features->has_exception_table)
            todo.push_back(function.handlers[inst.count].target);
    }
}

void read_declared(const ir::Function& function, Traces& traces) {
    auto add = [](std::vector<std::string>& names, const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    const std::vector<std::string>& free = function.code->freevars;
    for (const ir::Inst& inst : function.insts) {
        switch (inst.op) {
            case ir::Op::StoreGlobal:
            case ir::Op::DeleteGlobal:
                add(traces.stored_globals, *inst.name);
                add(traces.globals, *inst.name);
                break;
            case ir::Op::LoadGlobal:
                // up to 3.8 `assert` loads AssertionError as a global
                if (*inst.name != "AssertionError") add(traces.globals, *inst.name);
                break;
            case ir::Op::StoreDeref:
            case ir::Op::DeleteDeref:
                if (std::find(free.begin(), free.end(), *inst.name) != free.end()) add(traces.nonlocals, *inst.name);
                break;
            default: break;
        }
    }
}

}  // namespace

Traces read_traces(const ir::Function& function) {
    Traces traces;
    traces.read = true;
    traces.inlined_comprehensions = function.features->inlined_comprehensions;
    read_reachable(function, traces);
    read_declared(function, traces);
    return traces;
}

}  // namespace depyf
