// 3.14+: what the compiler does for annotations of modules and classes, in the words of an assignment.
// Source: codegen_process_deferred_annotations, codegen_annassign in CPython Python/codegen.c.
#include "lift/lift.h"

namespace depyf::lifting {

using ir::Inst;
using ir::Op;

namespace {

const std::string kConditional = "__conditional_annotations__";

class Annotations {
  public:
    explicit Annotations(ir::Function& function) : function_(function) {}

    void run() {
        mark_executed();
        const std::int32_t map = annotate_map();
        if (map < 0) return;
        at(map).op = Op::Nop;   // the dict itself is never looked at
        at(map).flag = false;
        return_nothing();
        for (Inst& inst : function_.insts) {
            if (inst.op == Op::Copy && inst.count == 2) name_annotation(inst);
        }
    }

  private:
    Inst& at(std::int32_t i) { return function_.insts[static_cast<std::size_t>(i)]; }
    bool is(std::int32_t i, Op op) { return i >= 0 && at(i).op == op; }

    // LOAD __conditional_annotations__; n; SET_ADD 1; POP_TOP  =>  __conditional_annotations__ = n
    void mark_executed() {
        for (Inst& load : function_.insts) {
            if ((load.op != Op::LoadName && load.op != Op::LoadDeref && load.op != Op::LoadGlobal) ||
                *load.name != kConditional)
                continue;
            if (!is(load.next, Op::Const)) continue;
            const std::int32_t add = at(load.next).next;
            if (!is(add, Op::SetAdd) || at(add).count != 1 || !is(at(add).next, Op::Pop)) continue;
            load.op = Op::Nop;
            load.flag = false;
            at(at(add).next).op = Op::Nop;
            at(add).op = Op::StoreName;
            at(add).name = &kConditional;
        }
    }

    // def __annotate__(format, /): if format > 2: raise NotImplementedError; BUILD_MAP 0 ... : the BUILD_MAP, else -1
    std::int32_t annotate_map() {
        const CodeObject& code = *function_.code;
        if (code.name != "__annotate__" || code.argcount != 1 || code.posonlyargcount != 1) return -1;
        std::int32_t i = function_.entry;
        for (Op op : {Op::LoadFast, Op::Const, Op::Compare}) {
            if (!is(i, op)) return -1;
            i = at(i).next;
        }
        if (!is(i, Op::Branch) || !is(at(i).next, Op::CommonConst) || !is(at(i).target, Op::BuildMap)) return -1;
        return at(at(i).target).count == 0 ? at(i).target : -1;
    }

    // RETURN_VALUE of the dict  =>  LOAD_CONST None; RETURN_VALUE
    void return_nothing() {
        static const Constant kNone;
        const auto size = static_cast<std::int32_t>(function_.insts.size());
        for (std::int32_t i = 0; i < size; ++i) {
            if (at(i).op != Op::Return) continue;
            function_.insts.push_back(at(i));
            at(i).op = Op::Const;
            at(i).value = &kNone;
            at(i).next = static_cast<std::int32_t>(function_.insts.size()) - 1;
        }
    }

    // COPY 2; LOAD_CONST 'x'; STORE_SUBSCR  =>  x = ...
    void name_annotation(Inst& copy) {
        if (!is(copy.next, Op::Const) || at(copy.next).value->kind != Constant::Kind::Str) return;
        Inst& key = at(copy.next);
        if (!is(key.next, Op::StoreSubscr)) return;
        Inst& store = at(key.next);
        store.op = Op::StoreName;
        store.name = &key.value->text;
        store.location = copy.location;
        copy.op = Op::Nop;
        copy.flag = false;
        key.op = Op::Nop;
    }

    ir::Function& function_;
};

}  // namespace

void name_deferred_annotations(ir::Function& function) {
    Annotations(function).run();
}

}  // namespace depyf::lifting
