// Opcodes by name and by meaning, for every supported version at once.
//
// Op has one enumerator per opcode name that any of CPython 3.7 - 3.15 has, spelt as CPython spells it; specialised and
// instrumented forms do not occur: the decoder maps them to their base. What an opcode means in a version stands in
// opcode.def, its byte value and inline caches in generated/pyXY.def.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "bytecode/version.h"

namespace depyf {

enum class Op : std::uint16_t {
    UNKNOWN,
#define DEPYF_OPCODE_NAME(name) name,
#include "bytecode/generated/opcode_names.def"
};

// What oparg selects.
enum class Operand : std::uint8_t {
    None,  // nothing: oparg is ignored
    Number,  // a count, a depth or flags
    Const,  // co_consts[oparg]
    Name,  // co_names[oparg]
    NameFlag1,  // co_names[oparg >> 1], bit 0 is a flag
    NameFlag2,  // co_names[oparg >> 2], bits 0 and 1 are flags
    Local,  // co_varnames[oparg] (up to 3.10)
    Free,  // (co_cellvars + co_freevars)[oparg] (up to 3.10)
    LocalsPlus,  // localsplus[oparg] (3.11+)
    LocalsPlusPair,  // localsplus[oparg >> 4], localsplus[oparg & 15]
    JumpForward,  // distance to the target, forwards from the next instruction
    JumpBackward,  // the same, backwards
    JumpAbsolute,  // target from the start of the code
    SourceBackward,  // distance back to an instruction that belongs to this one, no jump (END_ASYNC_FOR, 3.14+)
    Compare,  // operator, see Features::compare_shift and compare_names
    BinaryOp,  // Features::binary_names
    Intrinsic1,  // Features::intrinsic_1_names
    Intrinsic2,  // Features::intrinsic_2_names
    CommonConstant,  // Features::common_constants
    SpecialMethod,  // Features::special_methods
    SmallInt,  // the int oparg itself
    IsInvert,  // 0 is, 1 is not
    ContainsInvert,  // 0 in, 1 not in
    FormatFlags,  // bits 0, 1: conversion (none, str, repr, ascii); bit 2: format spec on the stack
    Conversion,  // 1 str, 2 repr, 3 ascii
    MakeFunctionFlags,  // 1 defaults, 2 kwdefaults, 4 annotations, 8 closure
    FunctionAttribute,  // one of the same bits, 16 annotate (3.14+)
};

// Where control goes, exceptions aside.
enum class Flow : std::uint8_t {
    Next,  // to the next instruction
    Goto,  // to the target
    Branch,  // to the target or to the next instruction
    End,  // out of the code object or to the handler: RETURN_*, RAISE_VARARGS, RERAISE
    Setup,  // to the next instruction; the target becomes the handler of a new block
    Unwind,  // 3.7 BREAK_LOOP, CONTINUE_LOOP: through the enclosing blocks up to the loop
    Subroutine,  // 3.8 CALL_FINALLY: to the target, and later back to the next instruction
    EndFinally,  // 3.7, 3.8 END_FINALLY: on, back, or on with what was interrupted, as the stack says
};

// What the instruction does; opcodes that differ in the operator or in an optimisation only share a kind.
enum class LiftKind : std::uint8_t {
    Nop,
    Cache,
    ExtendedArg,
    Resume,
    PopTop,
    Rotate,
    Duplicate,
    Copy,
    Swap,
    PushNull,
    LoadConst,
    LoadSmallInt,
    LoadCommonConstant,
    LoadAssertionError,
    LoadBuildClass,
    LoadFast,
    LoadFastAndClear,
    StoreFast,
    DeleteFast,
    LoadFastLoadFast,
    StoreFastLoadFast,
    StoreFastStoreFast,
    MakeCell,
    CopyFreeVars,
    LoadClosure,
    LoadDeref,
    StoreDeref,
    DeleteDeref,
    LoadClassDeref,
    LoadFromDictOrDeref,
    LoadFromDictOrGlobals,
    LoadLocals,
    LoadName,
    StoreName,
    DeleteName,
    LoadGlobal,
    StoreGlobal,
    DeleteGlobal,
    SetupAnnotations,
    LoadAttr,
    LoadMethod,
    LoadSuperAttr,
    LoadSpecial,
    StoreAttr,
    DeleteAttr,
    Subscript,
    StoreSubscript,
    DeleteSubscript,
    BinarySlice,
    StoreSlice,
    Unary,
    Binary,
    Inplace,
    BinaryOp,
    Compare,
    Is,
    Contains,
    ToBool,
    CallIntrinsic1,
    CallIntrinsic2,
    BuildTuple,
    BuildList,
    BuildSet,
    BuildMap,
    BuildConstKeyMap,
    BuildString,
    BuildSlice,
    BuildInterpolation,
    BuildTemplate,
    BuildTupleUnpack,
    BuildTupleUnpackWithCall,
    BuildListUnpack,
    BuildSetUnpack,
    BuildMapUnpack,
    BuildMapUnpackWithCall,
    ListToTuple,
    ListExtend,
    SetUpdate,
    DictUpdate,
    DictMerge,
    ListAppend,
    SetAdd,
    MapAdd,
    UnpackSequence,
    UnpackEx,
    FormatValue,
    ConvertValue,
    FormatSimple,
    FormatWithSpec,
    CallFunction,
    CallFunctionKw,
    CallFunctionEx,
    CallMethod,
    KwNames,
    Call,
    CallKw,
    MakeFunction,
    SetFunctionAttribute,
    PrintExpr,
    ImportName,
    ImportFrom,
    ImportStar,
    Jump,
    PopJumpIf,
    JumpIfOrPop,
    JumpIfNotExcMatch,
    GetIter,
    GetYieldFromIter,
    ForIter,
    EndFor,
    PopIter,
    GetAiter,
    GetAnext,
    EndAsyncFor,
    GetAwaitable,
    Send,
    EndSend,
    CleanupThrow,
    YieldValue,
    YieldFrom,
    GenStart,
    ReturnGenerator,
    AsyncGenWrap,
    ReturnValue,
    ReturnConst,
    InterpreterExit,
    ExitInitCheck,
    RaiseVarargs,
    Reraise,
    SetupLoop,
    SetupExcept,
    SetupFinally,
    SetupWith,
    SetupAsyncWith,
    BreakLoop,
    ContinueLoop,
    PopBlock,
    PopExcept,
    BeginFinally,
    CallFinally,
    PopFinally,
    EndFinally,
    WithCleanupStart,
    WithCleanupFinish,
    WithExceptStart,
    BeforeWith,
    BeforeAsyncWith,
    PushExcInfo,
    CheckExcMatch,
    CheckEgMatch,
    PrepReraiseStar,
    GetLen,
    MatchMapping,
    MatchSequence,
    MatchKeys,
    MatchClass,
    CopyDictWithoutKeys,
};

struct OpcodeMeaning {
    Op op;
    std::uint8_t since, until;  // minor versions
    Operand operand;
    Flow flow;
    LiftKind lift;
    std::string_view detail;
};

// What a byte value of co_code stands for in one version.
struct OpcodeByte {
    Op op = Op::UNKNOWN;  // the base opcode; UNKNOWN where the version has none
    bool has_arg = false;  // false: oparg is ignored by the interpreter
    bool specialized = false;  // a specialised or instrumented form of `op`
    std::uint8_t caches = 0;  // inline cache units (2 bytes each) behind it
    bool operator==(const OpcodeByte&) const = default;
};

std::string_view op_name(Op op);
Op op_from_name(std::string_view name);  // UNKNOWN where no version has it

// Throws Error where the version is not supported or has no such opcode.
const OpcodeMeaning& opcode_meaning(Version version, Op op);
const std::array<OpcodeByte, 256>& opcode_bytes(Version version);
std::uint8_t opcode_value(Version version, Op op);

constexpr bool is_jump(Operand operand) {
    return operand == Operand::JumpForward || operand == Operand::JumpBackward || operand == Operand::JumpAbsolute;
}

}  // namespace depyf
