#include "define/definer.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <set>

#include "base/error.h"
#include "bytecode/disassembler.h"
#include "define/require_finished.h"
#include "express/comprehension.h"
#include "express/express.h"
#include "lift/lift.h"
#include "match/match.h"
#include "normalise/normalise.h"
#include "structure/structure.h"

namespace depyf {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

std::string Definer::qualified(const CodeObject& code) const {
    if (!code.qualname.empty()) return code.qualname;
    std::string text;
    for (std::size_t i = 1; i < scopes_.size(); ++i) text += scopes_[i] + ".";
    return text + code.name;
}

std::uint32_t Definer::register_code(const CodeObject& code) {
    const auto index = static_cast<std::uint32_t>(result_.codes.size());
    result_.codes.push_back({qualified(code), Verdict::Unproved, &code});
    unbroken_.push_back(!features(code.version).has_localsplus && features(code.version).jump_unit == 1 &&
                        code.linetable.find('\xff') != std::string::npos);
    return index;
}

Body Definer::body(const CodeObject& code, ScopeKind scope, Traces* traces) {
    Traces own;
    if (!traces) traces = &own;
    const std::uint32_t index = register_code(code);
    Body statements;
    const std::size_t depth = scopes_.size();
    const Around around(around_, scope == ScopeKind::Function ? traces : nullptr);
    const std::size_t functions = functions_.size();
    if (scope == ScopeKind::Function) functions_.push_back(traces);
    try {
        check_limits(code);
        scopes_.push_back(code.name);
        ir::Function function;
        const FlowGraph graph = read_blocks(code, function, index, *traces);
        statements = structure(graph, tree_, index);
        Expr* annotate = function.features->deferred_annotations ? take_annotate(statements, scope) : nullptr;
        RefineContext refining{&tree_, &code, function.features, scope};
        refine(statements, refining);
        if (annotate) place_annotations(annotate, statements, scope);
        // what is in __annotate__ is written where the annotations stood (deferred_annotations.cpp)
        if (!function.features->deferred_annotations || code.name != "__annotate__") require_finished(statements);
        scopes_.pop_back();
    } catch (const Error& error) {
        scopes_.resize(depth);
        statements = stub(code, error.offset(), error.what());
        result_.codes[index].verdict = Verdict::Failed;
    } catch (const std::bad_alloc&) {   // an operand that asks for billions of something
        scopes_.resize(depth);
        statements = stub(code, -1, "the code object asks for more memory than there is");
        result_.codes[index].verdict = Verdict::Failed;
    } catch (const std::exception& error) {
        scopes_.resize(depth);
        statements = stub(code, -1, std::string("internal error: ") + error.what());
        result_.codes[index].verdict = Verdict::Failed;
    }
    functions_.resize(functions);
    declarations(*traces, scope, statements);
    return statements;
}

void Definer::check_limits(const CodeObject& code) const {
    if (scopes_.size() >= options_.max_depth) {
        throw Error(-1, "code objects are nested too deeply: the limit is " + std::to_string(options_.max_depth));
    }
    if (options_.max_size != 0 && code.code.size() > options_.max_size) {
        throw Error(-1, "the code object has " + std::to_string(code.code.size()) +
                            " bytes of instructions: the limit is " + std::to_string(options_.max_size));
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    if (options_.max_seconds > 0 && spent.count() > options_.max_seconds) throw Error(-1, "the time limit is reached");
}

Body Definer::stub(const CodeObject& code, std::int64_t offset, const std::string& message) {
    result_.diagnostics.push_back({qualified(code), offset, message});
    Stmt* note = tree_.stmt(StmtKind::Comment);
    note->name = "depyf could not decompile this code object: " + message +
                 (offset >= 0 ? " at offset " + std::to_string(offset) : "");
    Stmt* raise = tree_.stmt(StmtKind::Raise);
    Constant text;
    text.kind = Constant::Kind::Str;
    text.text = "not decompiled: " + message;
    raise->exprs = {tree_.expr(ExprKind::Call, {tree_.name("NotImplementedError"), tree_.constant(text)})};
    return {note, raise};
}

// A function around binds the name, so that a global of that name must be declared.
bool Definer::hidden_by_function(const std::string& global) const {
    for (std::size_t i = functions_.size(); i-- > 0;) {
        const Traces& outer = *functions_[i];
        if (std::find(outer.globals.begin(), outer.globals.end(), global) != outer.globals.end()) return false;
        if (outer.stored.count(global) || outer.loaded.count(global) || outer.arguments.count(global)) return true;
    }
    return false;
}

// `global` and `nonlocal` for what the instructions store to, and for what would be another variable.
void Definer::declarations(const Traces& traces, ScopeKind scope, Body& statements) {
    std::vector<std::string> globals = traces.stored_globals;
    // the loops of comprehensions inside a module load globals, whatever the module declares
    if (scope == ScopeKind::Class || (scope == ScopeKind::Module && !traces.inlined_comprehensions)) {
        globals = traces.globals;
    } else if (scope == ScopeKind::Function) {
        for (const std::string& name : traces.globals) {
            if (std::find(globals.begin(), globals.end(), name) == globals.end() && hidden_by_function(name))
                globals.push_back(name);
        }
    }
    std::size_t at = 0;
    const auto docstring = [](const Stmt* s) {
        return s->kind == StmtKind::Expr && s->exprs[0]->kind == ExprKind::Constant &&
               s->exprs[0]->value->kind == Constant::Kind::Str;
    };
    if (scope != ScopeKind::Function && !statements.empty() && docstring(statements[0])) at = 1;
    // nothing may stand in front of these
    auto future = [](const Stmt* s) {
        return s->kind == StmtKind::ImportFrom && s->number == 0 && s->name == "__future__";
    };
    while (scope == ScopeKind::Module && at < statements.size() && future(statements[at])) ++at;
    auto declare = [&](StmtKind kind, const std::vector<std::string>& names) {
        if (names.empty()) return;
        Stmt* stmt = tree_.stmt(kind);
        for (const std::string& name : names) stmt->aliases.push_back({name, ""});
        statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(at), stmt);
    };
    declare(StmtKind::Nonlocal, traces.nonlocals);
    declare(StmtKind::Global, globals);
}

Body Definer::module(const CodeObject& code) {
    if (code.flags & kOptimized) return lone(code);
    return body(code, ScopeKind::Module);
}

Body Definer::lone(const CodeObject& code) {
    if (!(code.flags & kOptimized)) return body(code, ScopeKind::Module);
    auto* value = tree_.function();
    value->code = &code;
    Expr* function = tree_.expr(ExprKind::Function);
    function->function = value;
    if (code.name == "<lambda>") {
        const auto codes = static_cast<std::ptrdiff_t>(result_.codes.size());
        const auto diagnostics = static_cast<std::ptrdiff_t>(result_.diagnostics.size());
        if (Expr* e = lambda(function);
            e && result_.codes[static_cast<std::size_t>(codes)].verdict != Verdict::Failed) {
            Stmt* stmt = tree_.stmt(StmtKind::Expr);
            stmt->exprs = {e};
            return {stmt};
        }
        result_.codes.erase(result_.codes.begin() + codes, result_.codes.end());
        result_.diagnostics.erase(result_.diagnostics.begin() + diagnostics, result_.diagnostics.end());
        unbroken_.resize(static_cast<std::size_t>(codes));
        return {define_function(function)};
    }
    if (Stmt* stmt = definition(function)) return {stmt};
    return {};
}

Body Definer::function_body(const CodeObject& code, Traces& traces) {
    Body statements = body(code, ScopeKind::Function, &traces);
    const Features& f = features(code.version);
    const bool docstring = !code.consts.empty() && code.consts[0].kind == Constant::Kind::Str &&
                           (!f.docstring_flag || (code.flags & kHasDocstring)) && code.name != "<lambda>";
    if (docstring) {
        Stmt* stmt = tree_.stmt(StmtKind::Expr);
        stmt->exprs = {tree_.constant(&code.consts[0])};
        statements.insert(statements.begin(), stmt);
    }
    return statements;
}

Stmt* Definer::definition(Expr* function) {
    const CodeObject& code = *function->function->code;
    if (code.name == "<lambda>") return nullptr;
    // a module's own annotations: see deferred_annotations.cpp
    const bool annotate = code.name == "__annotate__" && code.posonlyargcount == 1 && scopes_.size() == 1;
    return annotate && features(code.version).deferred_annotations ? nullptr : define_function(function);
}

namespace {

// Lambdas written as functions, and what torch.compile makes of their parts, have names that no `def` takes.
std::string printable_name(const std::string& name) {
    std::string text = name;
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x80 && !std::isalnum(static_cast<unsigned char>(c))) c = '_';
    }
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) text.insert(0, "_");
    return text;
}

}  // namespace

Stmt* Definer::define_function(Expr* function) {
    const CodeObject& code = *function->function->code;
    const bool async = code.flags & (kCoroutine | kAsyncGenerator);
    Stmt* stmt = tree_.stmt(async ? StmtKind::AsyncFunctionDef : StmtKind::FunctionDef);
    stmt->name = printable_name(code.name);
    stmt->line = code.firstlineno;
    if (!class_name_.empty() && code.name.rfind("_" + class_name_ + "__", 0) == 0)
        stmt->name = code.name.substr(class_name_.size() + 1);
    stmt->args = arguments(*function->function, &stmt->returns);
    Traces traces;
    stmt->body = function_body(code, traces);
    if (traces.read) keep_unreachable(code, traces, stmt->body);
    return stmt;
}

Expr* Definer::lambda(Expr* function) {
    const CodeObject& code = *function->function->code;
    if (code.name != "<lambda>") return nullptr;
    Expr* returns = nullptr;
    ast::Arguments* args = arguments(*function->function, &returns);
    const std::size_t index = result_.codes.size();
    const Body statements = body(code, ScopeKind::Function);
    Expr* value = as_expression(statements, 0);
    if (!value) {
        if (result_.codes[index].verdict != Verdict::Failed)
            result_.diagnostics.push_back({qualified(code), -1, "the lambda's body is no single expression"});
        result_.codes[index].verdict = Verdict::Failed;
        value = raising_expression();
    }
    Expr* e = tree_.expr(ExprKind::Lambda, {value});
    e->args = args;
    e->order = function->order;
    e->location = function->location;
    return e;
}

// (_ for _ in ()).throw(NotImplementedError(...)): an expression cannot hold the `raise` of a stub.
Expr* Definer::raising_expression() {
    Expr* generator = tree_.expr(ExprKind::GeneratorExp, {tree_.name("_")});
    generator->generators.push_back({tree_.name("_"), tree_.expr(ExprKind::Tuple), {}, false});
    Expr* raise = tree_.expr(ExprKind::Attribute, {generator});
    raise->name = "throw";
    Constant text;
    text.kind = Constant::Kind::Str;
    text.text = "not decompiled";
    return tree_.expr(ExprKind::Call,
                      {raise, tree_.expr(ExprKind::Call, {tree_.name("NotImplementedError"), tree_.constant(text)})});
}

// The value that statements return, as one expression: nested ifs become conditional expressions.
Expr* Definer::as_expression(const Body& statements, std::size_t from) {
    if (from >= statements.size()) {
        Constant none;
        return tree_.constant(none);
    }
    const Stmt* stmt = statements[from];
    if (stmt->kind == StmtKind::Return) {
        if (stmt->exprs.empty()) {
            Constant none;
            return tree_.constant(none);
        }
        return stmt->exprs[0];
    }
    if (stmt->kind == StmtKind::Expr && from + 1 == statements.size()) return stmt->exprs[0];
    if (stmt->kind != StmtKind::If) return nullptr;
    Expr* body = as_expression(stmt->body, 0);
    Expr* orelse = stmt->orelse.empty() ? as_expression(statements, from + 1) : as_expression(stmt->orelse, 0);
    if (!body || !orelse) return nullptr;
    return tree_.expr(ExprKind::IfExp, {stmt->exprs[0], body, orelse});
}

// `:=` in a comprehension stores to a variable of the function around it, which declares what is not its own.
void Definer::declare_walruses(const Traces& traces, Traces& around) {
    const auto add = [](std::vector<std::string>& names, const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const std::string& name : traces.stored_globals) add(around.stored_globals, name);
    for (const std::string& name : traces.nonlocals) {
        const auto& free = around.free;
        if (std::find(free.begin(), free.end(), name) != free.end()) add(around.nonlocals, name);
    }
}

Expr* Definer::comprehension(Expr* function, Expr* iterable) {
    const CodeObject& code = *function->function->code;
    const std::uint32_t index = register_code(code);
    const std::size_t depth = scopes_.size();
    try {
        scopes_.push_back(code.name);
        ir::Function lifted = lift(code);
        Traces traces = read_traces(lifted);
        mark_protected_entries(lifted);
        recognise_matches(lifted);
        normalise(lifted);
        ExpressContext context{&tree_, this, class_name_, index};
        FlowGraph graph;
        {
            const Around around(around_, &traces);
            graph = express(lifted, context);
        }
        if (around_) declare_walruses(traces, *around_);
        scopes_.resize(depth);
        Expr* result = nullptr;
        if (code.name == "<genexpr>") {
            std::int32_t b = graph.entry;
            while (b >= 0 && graph[b].exit == Exit::Fall && graph[b].pure()) b = graph[b].next;
            if (b < 0) throw Error(0, "a generator expression without a loop");
            auto parts = read_comprehension(graph, b, tree_);
            if (!parts) throw Error(0, "a generator expression that is no plain loop");
            result = tree_.expr(ExprKind::GeneratorExp, parts->elements);
            if (parts->unpacks) result->items[0] = tree_.expr(ExprKind::Starred, {result->items[0]});
            result->generators = parts->generators;
        } else {
            const Block& block = graph[graph.entry];
            if (block.exit != Exit::Return || !block.pure() || block.value->generators.empty())
                throw Error(0, "a comprehension that is no plain loop");
            result = block.value;
        }
        const bool iterator = iterable->kind == ExprKind::Iterator && !iterable->items.empty();
        result->generators[0].iter = iterator ? iterable->items[0] : iterable;
        result->order = function->order;
        return result;
    } catch (const Error& error) {
        scopes_.resize(depth);
        result_.codes[index].verdict = Verdict::Failed;
        result_.diagnostics.push_back({qualified(code), error.offset(), error.what()});
        return nullptr;
    }
}

Stmt* Definer::class_definition(Expr* call) {
    if (call->items.size() < 3 || call->items[1]->kind != ExprKind::Function ||
        call->items[2]->kind != ExprKind::Constant)
        return nullptr;
    const CodeObject& code = *call->items[1]->function->code;
    Stmt* stmt = tree_.stmt(StmtKind::ClassDef);
    stmt->name = call->items[2]->value->text;
    stmt->line = code.firstlineno;
    has_class_ = true;
    stmt->exprs.assign(call->items.begin() + 3, call->items.end());
    stmt->keywords = call->keywords;
    const std::string outer = class_name_;
    class_name_ = code.name;
    class_name_.erase(0, class_name_.find_first_not_of('_') == std::string::npos ? class_name_.size()
                                                                                 : class_name_.find_first_not_of('_'));
    stmt->body = body(code, ScopeKind::Class);
    class_name_ = outer;
    return stmt;
}

}  // namespace depyf
