#include "define/traces.h"

#include <algorithm>

namespace depyf {

namespace {

// Inlined comprehensions (3.12+) in the layout: from where a variable is put aside to where it is given back.
struct Comprehensions {
    explicit Comprehensions(const ir::Function& function)
        : inside(function.insts.size(), false), own_variable(function.insts.size(), false) {
        if (!function.features->inlined_comprehensions) return;
        for (std::size_t i = 0; i < function.insts.size(); ++i) {
            if (function.insts[i].op == ir::Op::LoadFastAndClear) mark(function, i);
        }
    }

    std::vector<bool> inside;         // by instruction
    std::vector<bool> own_variable;   // by instruction: it loads or stores the comprehension's own variable

  private:
    void mark(const ir::Function& function, std::size_t start) {
        const std::string& name = *function.insts[start].name;
        int stores = 2;  // the loop's target, and the old value; two more for each that puts the same name aside within
        for (std::size_t i = start; i < function.insts.size() && stores > 0; ++i) {
            const ir::Inst& inst = function.insts[i];
            inside[i] = true;
            if (!inst.name || *inst.name != name) continue;
            own_variable[i] = true;
            if (inst.op == ir::Op::StoreFast) --stores;
            if (inst.op == ir::Op::LoadFastAndClear && i > start) stores += 2;
        }
    }
};

// The name is that of an attribute or module, not of a variable.
bool names_member(ir::Op op) {
    switch (op) {
        case ir::Op::LoadAttr:
        case ir::Op::LoadMethod:
        case ir::Op::LoadSuperAttr:
        case ir::Op::LoadSuperMethod:
        case ir::Op::LoadSpecial:
        case ir::Op::StoreAttr:
        case ir::Op::DeleteAttr:
        case ir::Op::ImportName:
        case ir::Op::ImportFrom: return true;
        default: return false;
    }
}

void read_reachable(const ir::Function& function, const Comprehensions& comprehensions, Traces& traces) {
    std::vector<bool> seen(function.insts.size(), false);
    std::vector<std::int32_t> todo{function.entry};
    while (!todo.empty()) {
        const std::int32_t i = todo.back();
        todo.pop_back();
        if (i < 0 || seen[static_cast<std::size_t>(i)]) continue;
        seen[static_cast<std::size_t>(i)] = true;
        const ir::Inst& inst = function.insts[static_cast<std::size_t>(i)];
        if (inst.name && !names_member(inst.op)) traces.used.insert(*inst.name);
        if (inst.op == ir::Op::LoadFastAndClear) traces.put_aside.insert(*inst.name);
        const bool own = comprehensions.own_variable[static_cast<std::size_t>(i)];
        switch (own ? ir::Op::Nop : inst.op) {
            case ir::Op::Yield:
            case ir::Op::YieldFrom: traces.yields = true; break;
            case ir::Op::StoreFast:
            case ir::Op::StoreDeref:
            case ir::Op::DeleteFast:
            case ir::Op::DeleteDeref:
            case ir::Op::LoadFastAndClear: traces.stored.insert(*inst.name); break;
            case ir::Op::LoadFast: traces.loaded.insert(*inst.name); break;
            case ir::Op::Const:
                if (inst.value && inst.value->code) {
                    const auto& free = inst.value->code->freevars;
                    traces.captured.insert(free.begin(), free.end());
                    if (!comprehensions.inside[static_cast<std::size_t>(i)])
                        traces.captured_outside.insert(free.begin(), free.end());
                }
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

void read_declared(const ir::Function& function, const Comprehensions& comprehensions, Traces& traces) {
    auto add = [](std::vector<std::string>& names, const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    const std::vector<std::string>& free = function.code->freevars;
    for (std::size_t i = 0; i < function.insts.size(); ++i) {
        const ir::Inst& inst = function.insts[i];
        switch (inst.op) {
            case ir::Op::StoreGlobal:
            case ir::Op::DeleteGlobal:
                add(traces.stored_globals, *inst.name);
                add(traces.globals, *inst.name);
                break;
            case ir::Op::LoadGlobal:
                // up to 3.8 `assert` loads AssertionError as a global; a comprehension in a class does not see its names
                if (!comprehensions.inside[i] && *inst.name != "AssertionError") add(traces.globals, *inst.name);
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
    traces.free = function.code->freevars;
    const CodeObject& code = *function.code;
    std::size_t count =
        code.argcount + code.kwonlyargcount + (code.flags & kVarArgs ? 1 : 0) + (code.flags & kVarKeywords ? 1 : 0);
    count = std::min(count, code.varnames.size());
    traces.arguments.insert(code.varnames.begin(), code.varnames.begin() + static_cast<std::ptrdiff_t>(count));
    traces.inlined_comprehensions = function.features->inlined_comprehensions;
    const Comprehensions comprehensions(function);
    read_reachable(function, comprehensions, traces);
    read_declared(function, comprehensions, traces);
    return traces;
}

}  // namespace depyf
