// The syntax tree, named as in CPython's `ast` (Parser/Python.asdl of 3.15). Nodes live in a Tree and are never freed
// one by one; a node may be shared only while the tree is being built.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/operators.h"
#include "base/pattern_kind.h"
#include "bytecode/code_object.h"
#include "bytecode/instruction.h"

namespace depyf::ast {

struct Expr;
struct Stmt;
struct Pattern;
using Body = std::vector<Stmt*>;

enum class ExprKind : std::uint8_t {
    BoolOp,          // is_and; items: values (two or more); flag: a value of its own, not the start of a longer one
    NamedExpr,       // items: target, value
    BinOp,           // binary; items: left, right
    UnaryOp,         // unary; items: operand
    Lambda,          // args; items: body
    IfExp,           // items: test, body, orelse
    Dict,            // items: key, value, key, value ...; key null: ** unpacking
    Set,
    List,
    Tuple,  // items
    ListComp,
    SetComp,
    GeneratorExp,  // items: elt; generators
    DictComp,        // items: key, value; generators (3.15: value null means `**key`)
    Await,
    YieldFrom,  // items: value
    Yield,           // items: value or null
    Compare,         // items: left, comparators ...; compare_ops: one less
    Call,            // items: func, arguments (Starred among them) ...; keywords
    FormattedValue,  // items: value, format_spec (a JoinedStr) or null; conversion
    JoinedStr,       // items: Constant (Str) and FormattedValue
    Interpolation,   // as FormattedValue; name: the expression's text (3.14)
    TemplateStr,     // items: Constant (Str) and Interpolation (3.14)
    Constant,        // value
    Attribute,       // items: value; name
    Subscript,       // items: value, slice
    Starred,         // items: value
    Name,            // name
    Slice,           // items: lower, upper, step, each or null
    // Only while the tree is being built; the printer never sees these.
    StackIn,  // the value that lay at depth `number` of the stack when the block was entered; items: its resolution
    Null,  // PUSH_NULL
    Iterator,  // GET_ITER's result; items: iterable; flag: async
    WithExit,  // the exit function that `with` keeps on the stack
    WithEnter,  // the result of __enter__; flag: async
    Exception,  // a value that entering a handler pushed
    ForItem,  // the value that FOR_ITER pushed
    UnpackItem,  // element `number` of an unpacking; items: the Unpack node
    Unpack,  // UNPACK_SEQUENCE / UNPACK_EX; items: value, then the targets (null until stored); number: the
    // starred one + 1, or 0
    Function,  // MAKE_FUNCTION's result; function
    BuildClass,  // LOAD_BUILD_CLASS
    AssignChain,  // value already stored in the targets items[1..], still on the stack; items[0]: value
    ImportModule,  // IMPORT_NAME's result; name, number: level; flag: has a `from` list; is_and: lazy; keywords: what
    // was stored so far, name and (as a Name) the local name
    ImportMember,  // IMPORT_FROM's result; items: ImportModule; name
    ExceptionMatch,  // items: exception type; flag: except*
    Accumulator,  // the list, set or dict that a comprehension fills
    MatchSubject,  // the value that `match` keeps on the stack; items: value
    Opaque,  // some other artefact; name says which
};

struct Arguments {  // of a def or lambda; order as in the signature
    struct Arg {
        std::string name;
        Expr* annotation = nullptr;
        Expr* default_value = nullptr;
    };
    std::vector<Arg> posonly, args, kwonly;
    bool has_vararg = false, has_kwarg = false;
    Arg vararg, kwarg;
};

struct Keyword {
    std::string name;
    Expr* value = nullptr;
};  // empty name: **value

struct Comprehension {
    Expr* target = nullptr;
    Expr* iter = nullptr;
    std::vector<Expr*> ifs;
    bool is_async = false;
};

struct FunctionValue;  // payload of ExprKind::Function: ast/function_value.h

struct Expr {
    ExprKind kind = ExprKind::Constant;
    bool is_and = false;  // BoolOp
    bool flag = false;  // see the kinds
    Operator binary = Operator::Add;
    UnaryOperator unary = UnaryOperator::Not;
    char conversion = 0;  // FormattedValue, Interpolation: 0, 'r', 's', 'a'
    std::uint32_t number = 0;  // see the kinds
    std::uint32_t order = 0;  // evaluation order: smaller was pushed earlier
    std::uint32_t copies = 0;  // how many times more than once it lies on the stack
    Location location;
    std::string name;
    const Constant* value = nullptr;
    std::vector<Expr*> items;
    std::vector<CompareOperator> compare_ops;
    std::vector<Keyword> keywords;
    std::vector<Comprehension> generators;
    Arguments* args = nullptr;
    FunctionValue* function = nullptr;
};

struct Pattern {
    PatternKind kind = PatternKind::As;
    Expr* value = nullptr;
    std::string name;
    std::vector<Expr*> keys;
    std::vector<Pattern*> patterns;
    std::vector<std::string> keyword_names;
};

enum class StmtKind : std::uint8_t {
    FunctionDef,
    AsyncFunctionDef,  // name, args, body, decorators, returns, type_params
    ClassDef,  // name, exprs: bases (Starred among them), keywords, body, decorators, type_params
    Return,  // exprs: none or one
    Delete,  // exprs: targets
    Assign,  // exprs: targets ..., value last
    TypeAlias,  // exprs: name, value; type_params
    AugAssign,  // exprs: target, value; binary
    AnnAssign,  // exprs: target, annotation, value or none; flag: target in parentheses
    For,
    AsyncFor,  // exprs: target, iter; body, orelse
    While,  // exprs: test; body, orelse
    If,  // exprs: test; body, orelse
    With,
    AsyncWith,  // with_items; body
    Match,  // exprs: subject; cases
    Raise,  // exprs: none, exc, or exc and cause
    Try,
    TryStar,  // body, handlers, orelse, finalbody; flag: what stands behind has an edge from inside (up to 3.8)
    Assert,  // exprs: test, message or none
    Import,  // aliases; flag: lazy (3.15)
    ImportFrom,  // name: module; number: level; aliases; flag: lazy (3.15)
    Global,
    Nonlocal,  // aliases (names only)
    Expr,  // exprs: value
    Pass,
    Break,  // flag: what stands behind counts as reached (3.7)
    Continue,
    Comment,  // name: text, each line printed behind "# "
    // Only while the tree is being built.
    Append,  // into a comprehension's accumulator; exprs: elt, or key and value; number: depth; flag: unpacking
    Goto,  // an edge that has not become structure yet; number: block id
};

struct ExceptHandler {
    Expr* type = nullptr;
    std::string name;
    Body body;
    std::int32_t line = 0;
};
struct WithItem {
    Expr* context = nullptr;
    Expr* target = nullptr;
};
struct Alias {
    std::string name;
    std::string asname;
};
struct MatchCase {
    Pattern* pattern = nullptr;
    Expr* guard = nullptr;
    Body body;
};
struct TypeParam {  // PEP 695, 696
    enum class Kind : std::uint8_t { TypeVar, ParamSpec, TypeVarTuple } kind = Kind::TypeVar;
    std::string name;
    Expr* bound = nullptr;
    Expr* default_value = nullptr;
};

struct Stmt {
    StmtKind kind = StmtKind::Pass;
    bool flag = false;
    Operator binary = Operator::Add;
    std::uint32_t number = 0;
    std::int32_t line = 0;  // original line, 0 where unknown
    std::uint32_t code_index = 0;  // which code object its instructions belong to
    std::vector<std::uint32_t> offsets;  // byte offsets of the instructions that this statement (its header) stands for
    std::string name;
    std::vector<Expr*> exprs;
    Body body, orelse, finalbody;
    std::vector<ExceptHandler> handlers;
    std::vector<WithItem> with_items;
    std::vector<MatchCase> cases;
    std::vector<Alias> aliases;
    std::vector<Expr*> decorators;
    std::vector<Keyword> keywords;
    std::vector<TypeParam> type_params;
    Arguments* args = nullptr;
    Expr* returns = nullptr;
};

// Owns every node of one decompilation. Addresses stay valid as long as the tree lives.
class Tree {
  public:
    Tree();
    ~Tree();
    Expr* expr(ExprKind kind) {
        exprs_.emplace_back().kind = kind;
        return &exprs_.back();
    }
    Expr* expr(ExprKind kind, std::vector<Expr*> items) {
        Expr* e = expr(kind);
        e->items = std::move(items);
        return e;
    }
    Expr* name(std::string id) {
        Expr* e = expr(ExprKind::Name);
        e->name = std::move(id);
        return e;
    }
    Expr* constant(const Constant* value) {
        Expr* e = expr(ExprKind::Constant);
        e->value = value;
        return e;
    }
    Expr* constant(Constant value) {
        constants_.push_back(std::move(value));
        return constant(&constants_.back());
    }
    Stmt* stmt(StmtKind kind) {
        stmts_.emplace_back().kind = kind;
        return &stmts_.back();
    }
    Pattern* pattern(PatternKind kind) {
        patterns_.emplace_back().kind = kind;
        return &patterns_.back();
    }
    Arguments* arguments() { return &arguments_.emplace_back(); }
    FunctionValue* function();

  private:
    std::deque<Expr> exprs_;
    std::deque<Stmt> stmts_;
    std::deque<Pattern> patterns_;
    std::deque<Arguments> arguments_;
    std::deque<Constant> constants_;
    std::vector<std::unique_ptr<FunctionValue>> functions_;
};

}  // namespace depyf::ast
