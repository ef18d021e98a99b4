#include "lift/translate.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace depyf::lifting {

using ir::Inst;
using IrOp = ir::Op;

Translator::Translator(ir::Function& function, std::span<const Instruction> instructions)
    : function_(function), code_(*function.code), instructions_(instructions) {}

Inst& Translator::emit(IrOp op, std::uint32_t count) {
    Inst inst;
    inst.op = op;
    inst.count = count;
    inst.offset = current_->offset;
    inst.location = current_->location;
    function_.insts.push_back(inst);
    return function_.insts.back();
}

std::size_t Translator::translate(std::size_t index) {
    current_ = &instructions_[index];
    if (const std::size_t taken = fixed_sequence(index)) return taken;
    single(instructions_[index]);
    return 1;
}

bool Translator::matches(std::size_t index, std::initializer_list<Op> ops) const {
    for (Op op : ops) {
        if (index >= instructions_.size() || instructions_[index].op != op) return false;
        ++index;
    }
    return true;
}

// COPY 1; LOAD_SPECIAL __exit__; SWAP 2; SWAP 3; LOAD_SPECIAL __enter__; CALL 0  =>  SetupWith      (3.14+)
std::size_t Translator::fixed_sequence(std::size_t index) {
    if (current_->op == Op::RETURN_GENERATOR) return matches(index + 1, {Op::POP_TOP}) ? 2 : 1;
    if (current_->op != Op::COPY || current_->arg != 1) return 0;
    if (matches(index + 1, {Op::LOAD_SPECIAL, Op::SWAP, Op::SWAP, Op::LOAD_SPECIAL, Op::CALL})) {
        const bool async = instructions_[index + 1].arg == 3;   // __exit__ is 1, __aexit__ 3
        Inst& inst = emit(async ? IrOp::BeforeAsyncWith : IrOp::SetupWith, 2);
        (void)inst;
        return 6;
    }
    return 0;
}

void Translator::single(const Instruction& instruction) {
    if (names_and_constants(instruction) || operators(instruction) || displays(instruction) || calls(instruction) ||
        jumps(instruction) || exceptions(instruction)) {
        return;
    }
    throw Error(instruction.offset, "no translation for " + std::string(op_name(instruction.op)));
}

void Translator::load_local(std::uint32_t index, bool clear) {
    const std::string& name = code_.localsplus.at(index);
    const bool is_free = std::find(code_.freevars.begin(), code_.freevars.end(), name) != code_.freevars.end();
    const bool is_cell = std::find(code_.cellvars.begin(), code_.cellvars.end(), name) != code_.cellvars.end();
    IrOp op = clear ? IrOp::LoadFastAndClear : IrOp::LoadFast;
    // 3.13+: LOAD_FAST of a cell loads the cell itself, for a closure
    if (!clear && function_.features->unified_locals && (is_free || is_cell)) op = IrOp::LoadClosure;
    emit(op).name = &name;
}

bool Translator::names_and_constants(const Instruction& in) {
    const std::uint32_t arg = in.arg;
    const LiftKind kind = opcode_meaning(code_.version, in.op).lift;
    auto local = [&](std::uint32_t index) { return &code_.localsplus.at(index); };
    auto cell = [&]() {
        return &code_.localsplus.at(function_.features->has_localsplus ? arg : code_.varnames.size() + arg);
    };
    auto with_name = [&](IrOp op, const std::string* name, std::uint32_t count = 0) { emit(op, count).name = name; };
    // the line table knows where a superinstruction's first half comes from, not the second
    auto placeless = [&]() {
        function_.insts.back().location = {};
        return true;
    };
    switch (kind) {
        case LiftKind::LoadConst: emit(IrOp::Const).value = &code_.consts.at(arg); return true;
        case LiftKind::LoadSmallInt: {
            static const std::vector<Constant> kInts = [] {
                std::vector<Constant> ints(256);
                for (std::size_t i = 0; i < ints.size(); ++i) {
                    ints[i].kind = Constant::Kind::Int;
                    ints[i].text = std::to_string(i);
                }
                return ints;
            }();
            emit(IrOp::Const).value = &kInts.at(arg);
            return true;
        }
        case LiftKind::LoadCommonConstant: {
            static const std::vector<std::pair<std::string, Constant>> kValues = [] {
                std::vector<std::pair<std::string, Constant>> values;
                auto add = [&](const char* text, Constant::Kind k, const char* number) {
                    Constant c;
                    c.kind = k;
                    c.text = number;
                    values.emplace_back(text, c);
                };
                add("None", Constant::Kind::None, "");
                add("True", Constant::Kind::True, "");
                add("False", Constant::Kind::False, "");
                add("''", Constant::Kind::Str, "");
                add("\"\"", Constant::Kind::Str, "");
                add("-1", Constant::Kind::Int, "-1");
                add("()", Constant::Kind::Tuple, "");
                return values;
            }();
            const std::string name(function_.features->common_constants[arg]);
            for (const auto& [text, value] : kValues) {
                if (text == name) {
                    emit(IrOp::Const).value = &value;
                    return true;
                }
            }
            if (name == "AssertionError") {
                emit(IrOp::LoadAssertionError);
                return true;
            }
            static const std::vector<std::string> kNames = {
                "NotImplementedError", "tuple", "all", "any", "list", "set", "frozenset"};
            auto found = std::find(kNames.begin(), kNames.end(), name);
            if (found == kNames.end()) throw Error(in.offset, "unknown common constant " + name);
            with_name(IrOp::CommonConst, &*found);
            return true;
        }
        case LiftKind::LoadAssertionError: emit(IrOp::LoadAssertionError); return true;
        case LiftKind::LoadBuildClass: emit(IrOp::BuildClass); return true;
        case LiftKind::LoadFast: load_local(arg, false); return true;
        case LiftKind::LoadFastAndClear: load_local(arg, true); return true;
        case LiftKind::StoreFast: with_name(IrOp::StoreFast, local(arg)); return true;
        case LiftKind::DeleteFast: with_name(IrOp::DeleteFast, local(arg)); return true;
        case LiftKind::LoadFastLoadFast:
            load_local(arg >> 4, false);
            load_local(arg & 15, false);
            return placeless();
        case LiftKind::StoreFastLoadFast:
            with_name(IrOp::StoreFast, local(arg >> 4));
            load_local(arg & 15, false);
            return placeless();
        case LiftKind::StoreFastStoreFast:
            with_name(IrOp::StoreFast, local(arg >> 4));
            with_name(IrOp::StoreFast, local(arg & 15));
            return placeless();
        case LiftKind::MakeCell:
        case LiftKind::CopyFreeVars: return true;
        case LiftKind::LoadClosure: with_name(IrOp::LoadClosure, cell()); return true;
        case LiftKind::LoadDeref: with_name(IrOp::LoadDeref, cell()); return true;
        case LiftKind::StoreDeref: with_name(IrOp::StoreDeref, cell()); return true;
        case LiftKind::DeleteDeref: with_name(IrOp::DeleteDeref, cell()); return true;
        case LiftKind::LoadClassDeref: with_name(IrOp::LoadClassDeref, cell()); return true;
        case LiftKind::LoadFromDictOrDeref: with_name(IrOp::LoadClassDeref, cell(), 1); return true;
        case LiftKind::LoadFromDictOrGlobals: with_name(IrOp::LoadFromDictOrGlobals, &code_.names.at(arg)); return true;
        case LiftKind::LoadLocals: emit(IrOp::LoadLocals); return true;
        case LiftKind::LoadName: with_name(IrOp::LoadName, &code_.names.at(arg)); return true;
        case LiftKind::StoreName: with_name(IrOp::StoreName, &code_.names.at(arg)); return true;
        case LiftKind::DeleteName: with_name(IrOp::DeleteName, &code_.names.at(arg)); return true;
        case LiftKind::LoadGlobal: {
            const Features& f = *function_.features;
            const bool null = f.load_global_null_bit && (arg & 1);
            const std::string* name = &code_.names.at(f.load_global_null_bit ? arg >> 1 : arg);
            if (null && !f.load_global_null_above) emit(IrOp::PushNull);
            with_name(IrOp::LoadGlobal, name);
            if (null && f.load_global_null_above) emit(IrOp::PushNull);
            return true;
        }
        case LiftKind::StoreGlobal: with_name(IrOp::StoreGlobal, &code_.names.at(arg)); return true;
        case LiftKind::DeleteGlobal: with_name(IrOp::DeleteGlobal, &code_.names.at(arg)); return true;
        case LiftKind::SetupAnnotations: emit(IrOp::SetupAnnotations); return true;
        case LiftKind::LoadAttr: {
            const bool bit = function_.features->load_attr_method_bit;
            with_name(bit && (arg & 1) ? IrOp::LoadMethod : IrOp::LoadAttr, &code_.names.at(bit ? arg >> 1 : arg));
            return true;
        }
        case LiftKind::LoadMethod: with_name(IrOp::LoadMethod, &code_.names.at(arg)); return true;
        case LiftKind::LoadSuperAttr:
            with_name(arg & 1 ? IrOp::LoadSuperMethod : IrOp::LoadSuperAttr, &code_.names.at(arg >> 2), (arg >> 1) & 1);
            return true;
        case LiftKind::StoreAttr: with_name(IrOp::StoreAttr, &code_.names.at(arg)); return true;
        case LiftKind::DeleteAttr: with_name(IrOp::DeleteAttr, &code_.names.at(arg)); return true;
        case LiftKind::ImportName: {
            const bool flags = function_.features->import_name_flags;
            with_name(IrOp::ImportName, &code_.names.at(flags ? arg >> 2 : arg), flags ? arg & 3 : 0);
            return true;
        }
        case LiftKind::ImportFrom: with_name(IrOp::ImportFrom, &code_.names.at(arg)); return true;
        case LiftKind::ImportStar: emit(IrOp::ImportStar); return true;
        default: return false;
    }
}

void Translator::binary(std::string_view name, bool inplace) {
    static constexpr std::string_view kSpelling[] = {"+",  "-",  "*",  "@", "/", "//", "%",
                                                     "**", "<<", ">>", "|", "^", "&"};
    if (inplace) name.remove_suffix(1);
    const auto* found = std::find(std::begin(kSpelling), std::end(kSpelling), name);
    if (found == std::end(kSpelling)) throw Error(current_->offset, "unknown operator " + std::string(name));
    emit(inplace ? IrOp::Inplace : IrOp::Binary, static_cast<std::uint32_t>(found - std::begin(kSpelling)));
}

void Translator::compare(std::string_view name) {
    static constexpr std::string_view kSpelling[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};
    if (name == "exception match") {
        emit(IrOp::ExceptionMatch);
        return;
    }
    const auto* found = std::find(std::begin(kSpelling), std::end(kSpelling), name);
    if (found == std::end(kSpelling)) throw Error(current_->offset, "unknown comparison " + std::string(name));
    emit(IrOp::Compare, static_cast<std::uint32_t>(found - std::begin(kSpelling)));
}

// Whether the instruction behind the current one tests the value: a conditional jump or `not`.
bool Translator::is_tested() const {
    for (const Instruction* next = current_ + 1; next < instructions_.data() + instructions_.size(); ++next) {
        const LiftKind kind = opcode_meaning(code_.version, next->op).lift;
        if (kind == LiftKind::ExtendedArg || kind == LiftKind::Cache || kind == LiftKind::Nop) continue;
        return kind == LiftKind::PopJumpIf || kind == LiftKind::Unary;
    }
    return false;
}

bool Translator::operators(const Instruction& in) {
    const OpcodeMeaning& meaning = opcode_meaning(code_.version, in.op);
    const Features& f = *function_.features;
    using ast::CompareOperator;
    switch (meaning.lift) {
        case LiftKind::Unary: {
            const std::string_view d = meaning.detail;
            emit(IrOp::Unary, static_cast<std::uint32_t>(d == "~"     ? ast::UnaryOperator::Invert
                                                         : d == "not" ? ast::UnaryOperator::Not
                                                         : d == "+"   ? ast::UnaryOperator::UAdd
                                                                      : ast::UnaryOperator::USub));
            return true;
        }
        case LiftKind::Binary: binary(meaning.detail, false); return true;
        case LiftKind::Inplace: binary(meaning.detail, true); return true;
        case LiftKind::BinaryOp: {
            if (in.arg >= f.binary_names.size()) throw Error(in.offset, "BINARY_OP operand out of range");
            const std::string_view name = f.binary_names[in.arg];
            if (name == "[]")
                emit(IrOp::LoadSubscr);
            else
                binary(name, name.back() == '=');
            return true;
        }
        case LiftKind::Compare: {
            const std::uint32_t index = in.arg >> f.compare_shift;
            if (index >= f.compare_names.size()) throw Error(in.offset, "COMPARE_OP operand out of range");
            compare(f.compare_names[index]);
            if (f.compare_bool_bit && (in.arg & f.compare_bool_bit) && !is_tested()) emit(IrOp::ToBool);
            return true;
        }
        case LiftKind::Is:
            emit(IrOp::Compare, static_cast<std::uint32_t>(in.arg ? CompareOperator::IsNot : CompareOperator::Is));
            return true;
        case LiftKind::Contains:
            emit(IrOp::Compare, static_cast<std::uint32_t>(in.arg ? CompareOperator::NotIn : CompareOperator::In));
            return true;
        case LiftKind::ToBool:   // every condition tests truth anyway
            if (!is_tested()) emit(IrOp::ToBool);
            return true;
        case LiftKind::CallIntrinsic1:
        case LiftKind::CallIntrinsic2: {
            const bool one = meaning.lift == LiftKind::CallIntrinsic1;
            const auto names = one ? f.intrinsic_1_names : f.intrinsic_2_names;
            if (in.arg >= names.size()) throw Error(in.offset, "unknown intrinsic");
            static const std::vector<std::string> kNames = {"INTRINSIC_PRINT",
                                                            "INTRINSIC_IMPORT_STAR",
                                                            "INTRINSIC_STOPITERATION_ERROR",
                                                            "INTRINSIC_ASYNC_GEN_WRAP",
                                                            "INTRINSIC_UNARY_POSITIVE",
                                                            "INTRINSIC_LIST_TO_TUPLE",
                                                            "INTRINSIC_TYPEVAR",
                                                            "INTRINSIC_PARAMSPEC",
                                                            "INTRINSIC_TYPEVARTUPLE",
                                                            "INTRINSIC_SUBSCRIPT_GENERIC",
                                                            "INTRINSIC_TYPEALIAS",
                                                            "INTRINSIC_PREP_RERAISE_STAR",
                                                            "INTRINSIC_TYPEVAR_WITH_BOUND",
                                                            "INTRINSIC_TYPEVAR_WITH_CONSTRAINTS",
                                                            "INTRINSIC_SET_FUNCTION_TYPE_PARAMS",
                                                            "INTRINSIC_SET_TYPEPARAM_DEFAULT"};
            const std::string_view name = names[in.arg];
            if (name == "INTRINSIC_PRINT")
                emit(IrOp::PrintExpr), emit(IrOp::PushNull);
            else if (name == "INTRINSIC_IMPORT_STAR")
                emit(IrOp::ImportStar), emit(IrOp::PushNull);
            else if (name == "INTRINSIC_ASYNC_GEN_WRAP")
                emit(IrOp::AsyncGenWrap);
            else if (name == "INTRINSIC_UNARY_POSITIVE")
                emit(IrOp::Unary, static_cast<std::uint32_t>(ast::UnaryOperator::UAdd));
            else if (name == "INTRINSIC_LIST_TO_TUPLE")
                emit(IrOp::ListToTuple);
            else if (name == "INTRINSIC_PREP_RERAISE_STAR")
                emit(IrOp::PrepReraiseStar);
            else {
                auto found = std::find(kNames.begin(), kNames.end(), name);
                if (found == kNames.end()) throw Error(in.offset, "unknown intrinsic " + std::string(name));
                emit(one ? IrOp::Intrinsic1 : IrOp::Intrinsic2).name = &*found;
            }
            return true;
        }
        case LiftKind::Subscript: emit(IrOp::LoadSubscr); return true;
        case LiftKind::StoreSubscript: emit(IrOp::StoreSubscr); return true;
        case LiftKind::DeleteSubscript: emit(IrOp::DeleteSubscr); return true;
        case LiftKind::BinarySlice: emit(IrOp::LoadSlice); return true;
        case LiftKind::StoreSlice: emit(IrOp::StoreSlice); return true;
        default: return false;
    }
}

bool Translator::displays(const Instruction& in) {
    auto plain = [&](IrOp op) {
        emit(op, in.arg);
        return true;
    };
    switch (opcode_meaning(code_.version, in.op).lift) {
        case LiftKind::BuildTuple: return plain(IrOp::BuildTuple);
        case LiftKind::BuildList: return plain(IrOp::BuildList);
        case LiftKind::BuildSet: return plain(IrOp::BuildSet);
        case LiftKind::BuildMap: return plain(IrOp::BuildMap);
        case LiftKind::BuildConstKeyMap: return plain(IrOp::BuildConstKeyMap);
        case LiftKind::BuildString: return plain(IrOp::BuildString);
        case LiftKind::BuildSlice: return plain(IrOp::BuildSlice);
        case LiftKind::BuildInterpolation: return plain(IrOp::BuildInterpolation);
        case LiftKind::BuildTemplate: return plain(IrOp::BuildTemplate);
        case LiftKind::BuildTupleUnpack: return plain(IrOp::BuildTupleUnpack);
        case LiftKind::BuildTupleUnpackWithCall: return plain(IrOp::BuildTupleUnpackWithCall);
        case LiftKind::BuildListUnpack: return plain(IrOp::BuildListUnpack);
        case LiftKind::BuildSetUnpack: return plain(IrOp::BuildSetUnpack);
        case LiftKind::BuildMapUnpack: return plain(IrOp::BuildMapUnpack);
        case LiftKind::BuildMapUnpackWithCall: return plain(IrOp::BuildMapUnpackWithCall);
        case LiftKind::ListToTuple: return plain(IrOp::ListToTuple);
        case LiftKind::ListExtend: return plain(IrOp::ListExtend);
        case LiftKind::SetUpdate: return plain(IrOp::SetUpdate);
        case LiftKind::DictUpdate: return plain(IrOp::DictUpdate);
        case LiftKind::DictMerge: return plain(IrOp::DictMerge);
        case LiftKind::ListAppend: return plain(IrOp::ListAppend);
        case LiftKind::SetAdd: return plain(IrOp::SetAdd);
        case LiftKind::MapAdd: return plain(IrOp::MapAdd);
        case LiftKind::UnpackSequence: return plain(IrOp::UnpackSequence);
        case LiftKind::UnpackEx: return plain(IrOp::UnpackEx);
        case LiftKind::FormatValue: return plain(IrOp::FormatValue);
        case LiftKind::ConvertValue: return plain(IrOp::ConvertValue);
        case LiftKind::FormatSimple: return plain(IrOp::FormatSimple);
        case LiftKind::FormatWithSpec: return plain(IrOp::FormatWithSpec);
        case LiftKind::GetLen: return plain(IrOp::GetLen);
        case LiftKind::MatchMapping: return plain(IrOp::MatchMapping);
        case LiftKind::MatchSequence: return plain(IrOp::MatchSequence);
        case LiftKind::MatchKeys: return plain(IrOp::MatchKeys);
        case LiftKind::MatchClass: return plain(IrOp::MatchClass);
        case LiftKind::CopyDictWithoutKeys: return plain(IrOp::CopyDictWithoutKeys);
        default: return false;
    }
}

bool Translator::calls(const Instruction& in) {
    const Features& f = *function_.features;
    switch (opcode_meaning(code_.version, in.op).lift) {
        case LiftKind::Nop:
            if (in.op == Op::NOP && function_.features->has_match) emit(IrOp::Nop).flag = true;
            return true;
        case LiftKind::Cache:
        case LiftKind::ExtendedArg:
        case LiftKind::Resume:
        case LiftKind::GenStart:
        case LiftKind::ReturnGenerator:
        case LiftKind::ExitInitCheck: return true;
        case LiftKind::PopTop: emit(IrOp::Pop); return true;
        case LiftKind::Rotate:
            emit(IrOp::Rotate, in.op == Op::ROT_TWO     ? 2
                               : in.op == Op::ROT_THREE ? 3
                               : in.op == Op::ROT_FOUR  ? 4
                                                        : in.arg);
            if (function_.insts.back().count == 2) function_.insts.back().op = IrOp::Swap;
            return true;
        case LiftKind::Duplicate:
            if (in.op == Op::DUP_TOP)
                emit(IrOp::Copy, 1);
            else
                emit(IrOp::Copy, 2), emit(IrOp::Copy, 2);
            return true;
        case LiftKind::Copy: emit(IrOp::Copy, in.arg); return true;
        case LiftKind::Swap: emit(IrOp::Swap, in.arg); return true;
        case LiftKind::PushNull: emit(IrOp::PushNull); return true;
        case LiftKind::CallFunction: emit(IrOp::Call, in.arg); return true;
        case LiftKind::CallFunctionKw: emit(IrOp::CallKeywords, in.arg); return true;
        case LiftKind::CallMethod: emit(IrOp::Call, in.arg).flag = true; return true;
        case LiftKind::KwNames: keyword_names_ = &code_.consts.at(in.arg); return true;
        case LiftKind::Call: {
            Inst& inst = emit(IrOp::Call, in.arg);
            inst.flag = true;
            inst.value = std::exchange(keyword_names_, nullptr);
            return true;
        }
        case LiftKind::CallKw: emit(IrOp::CallKeywords, in.arg).flag = true; return true;
        case LiftKind::CallFunctionEx:
            emit(IrOp::CallEx, (f.call_ex_kwargs_slot ? 1 : in.arg & 1) | (f.call_ex_null_slot ? 2 : 0));
            return true;
        case LiftKind::MakeFunction: {
            Inst& inst = emit(IrOp::MakeFunction, f.make_function_flags_in_oparg ? in.arg : 0);
            inst.flag = f.make_function_qualname_on_stack;
            return true;
        }
        case LiftKind::SetFunctionAttribute: emit(IrOp::SetFunctionAttribute, in.arg); return true;
        case LiftKind::PrintExpr: emit(IrOp::PrintExpr); return true;
        default: return false;
    }
}

bool Translator::jumps(const Instruction& in) {
    auto jump = [&](IrOp op, std::uint32_t count = 0) {
        emit(op, count).target = in.target;
        return true;
    };
    const OpcodeMeaning& meaning = opcode_meaning(code_.version, in.op);
    const auto condition = static_cast<std::uint32_t>(meaning.detail == "true"       ? ir::Condition::True
                                                      : meaning.detail == "none"     ? ir::Condition::None
                                                      : meaning.detail == "not none" ? ir::Condition::NotNone
                                                                                     : ir::Condition::False);
    switch (meaning.lift) {
        case LiftKind::Jump: return jump(IrOp::Jump);
        case LiftKind::PopJumpIf: return jump(IrOp::Branch, condition);
        case LiftKind::JumpIfOrPop: return jump(IrOp::KeepBranch, condition);
        case LiftKind::JumpIfNotExcMatch:
            emit(IrOp::ExceptionMatch);
            return jump(IrOp::Branch, static_cast<std::uint32_t>(ir::Condition::False));
        case LiftKind::ForIter: return jump(IrOp::ForIter);
        case LiftKind::Send: return jump(IrOp::Send);
        case LiftKind::GetIter: emit(IrOp::GetIter, in.arg).flag = function_.features->iter_pushes_two; return true;
        case LiftKind::GetYieldFromIter: emit(IrOp::GetYieldFromIter); return true;
        case LiftKind::EndFor: emit(IrOp::EndFor); return true;
        case LiftKind::PopIter: emit(IrOp::PopIter); return true;
        case LiftKind::GetAiter: emit(IrOp::GetAsyncIter); return true;
        case LiftKind::GetAnext: emit(IrOp::GetAsyncNext); return true;
        case LiftKind::EndAsyncFor: emit(IrOp::EndAsyncFor); return true;
        case LiftKind::GetAwaitable: emit(IrOp::GetAwaitable); return true;
        case LiftKind::EndSend: emit(IrOp::EndSend); return true;
        case LiftKind::CleanupThrow: emit(IrOp::CleanupThrow); return true;
        case LiftKind::YieldValue: emit(IrOp::Yield); return true;
        case LiftKind::YieldFrom: emit(IrOp::YieldFrom).flag = true; return true;
        case LiftKind::AsyncGenWrap: emit(IrOp::AsyncGenWrap); return true;
        case LiftKind::ReturnValue:
        case LiftKind::InterpreterExit: emit(IrOp::Return); return true;
        case LiftKind::ReturnConst:
            emit(IrOp::Const).value = &code_.consts.at(in.arg);
            emit(IrOp::Return);
            return true;
        case LiftKind::RaiseVarargs: emit(IrOp::Raise, in.arg); return true;
        case LiftKind::Reraise: emit(IrOp::Reraise, in.arg); return true;
        default: return false;
    }
}

bool Translator::exceptions(const Instruction& in) {
    auto jump = [&](IrOp op, bool flag = false) {
        Inst& inst = emit(op, in.arg);
        inst.target = in.target;
        inst.flag = flag;
        return true;
    };
    switch (opcode_meaning(code_.version, in.op).lift) {
        case LiftKind::SetupLoop: return jump(IrOp::SetupLoop);
        case LiftKind::SetupExcept:
            jump(IrOp::SetupFinally, true);
            function_.insts.back().count = 0;
            return true;
        case LiftKind::SetupFinally:
            jump(IrOp::SetupFinally);
            function_.insts.back().count = 0;
            return true;
        // the protected block starts below the value that __enter__ returned: count 1
        case LiftKind::SetupWith:
            emit(IrOp::SetupWith, 1);
            jump(IrOp::SetupFinally);
            function_.insts.back().count = 1;
            return true;
        case LiftKind::SetupAsyncWith:
            jump(IrOp::SetupFinally);
            function_.insts.back().count = 1;
            return true;
        case LiftKind::BreakLoop: return jump(IrOp::BreakLoop);
        case LiftKind::ContinueLoop: return jump(IrOp::ContinueLoop);
        case LiftKind::PopBlock: return jump(IrOp::PopBlock);
        case LiftKind::PopExcept: return jump(IrOp::PopExcept);
        case LiftKind::BeginFinally: return jump(IrOp::BeginFinally);
        case LiftKind::CallFinally: return jump(IrOp::CallFinally);
        case LiftKind::PopFinally: return jump(IrOp::PopFinally);
        case LiftKind::EndFinally: return jump(IrOp::EndFinally);
        case LiftKind::WithCleanupStart: return jump(IrOp::WithCleanupStart);
        case LiftKind::WithCleanupFinish: return jump(IrOp::WithCleanupFinish);
        case LiftKind::WithExceptStart: return jump(IrOp::WithExceptStart);
        case LiftKind::BeforeWith: emit(IrOp::SetupWith, 1); return true;
        case LiftKind::BeforeAsyncWith: emit(IrOp::BeforeAsyncWith, 1); return true;
        case LiftKind::PushExcInfo: return jump(IrOp::PushException);
        case LiftKind::CheckExcMatch: return jump(IrOp::CheckExceptionMatch);
        case LiftKind::CheckEgMatch: return jump(IrOp::CheckGroupMatch);
        case LiftKind::PrepReraiseStar: return jump(IrOp::PrepReraiseStar);
        case LiftKind::LoadSpecial: {
            static const std::vector<std::string> kNames = {"__enter__", "__exit__", "__aenter__", "__aexit__"};
            if (in.arg >= kNames.size()) throw Error(in.offset, "unknown special method");
            emit(IrOp::LoadSpecial).name = &kNames[in.arg];
            return true;
        }
        default: return false;
    }
}

}  // namespace depyf::lifting
