#include "verify/scope_reader.h"

#include "base/error.h"

namespace depyf::verify {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

Symbol& Scope::add(Name name, std::uint16_t flags) {
    const auto [found, added] = index.try_emplace(name, static_cast<std::uint32_t>(symbols.size()));
    if (added) symbols.push_back({name, 0, Binding::Unknown});
    symbols[found->second].flags |= flags;
    return symbols[found->second];
}

std::int32_t ScopeReader::enter(ScopeType type, const void* node) {
    const auto id = static_cast<std::int32_t>(table_.scopes.size());
    const std::int32_t outer = current_;
    Scope& made = table_.scopes.emplace_back();
    made.type = type;
    made.parent = outer;
    if (outer >= 0) {
        const Scope& around = table_.scopes[static_cast<std::size_t>(outer)];
        made.nested = around.nested || around.is_function();
        made.class_name = around.class_name;
    }
    table_.by_node[node] = id;
    current_ = id;
    return outer;
}

template <typename Read>
void ScopeReader::in_annotation_scope(ScopeType type, const void* node, Read read) {
    const bool text_only = type == ScopeType::Annotation && table_.future_annotations && features_.deferred_annotations;
    const bool sees = (scope().type == ScopeType::Class || scope().sees_class) && !text_only;
    const std::int32_t outer = enter(type, node);
    if (sees) {
        scope().sees_class = true;
        scope().add(names_.intern("__classdict__"), kUse);
    }
    read();
    leave(outer);
}

void ScopeReader::read(const ast::Body& statements, const Surroundings* around) {
    enter(around ? ScopeType::Function : ScopeType::Module, &statements);
    if (around) {
        for (const std::string& name : around->free) scope().add(names_.intern(name), kBound);
        scope().nested = around->nested;
        if (!around->nested && around->free.empty()) scope().type = ScopeType::Module;
        table_.future_annotations = around->future_annotations;
    } else {
        for (const Stmt* stmt : statements) {
            if (stmt->kind != StmtKind::ImportFrom || stmt->number != 0 || stmt->name != "__future__") continue;
            for (const ast::Alias& alias : stmt->aliases) {
                if (alias.name == "annotations") table_.future_annotations = true;
            }
        }
    }
    own_body_ = &statements;
    body(statements);
}

void ScopeReader::body(const ast::Body& statements) {
    for (const Stmt* stmt : statements) statement(stmt);
}

void ScopeReader::statement(const Stmt* stmt) {
    if (++depth_ > kMaxDepth) throw Error(-1, "the tree is nested too deeply");
    switch (stmt->kind) {
        case StmtKind::FunctionDef:
        case StmtKind::AsyncFunctionDef: function(stmt); break;
        case StmtKind::ClassDef: class_def(stmt); break;
        case StmtKind::TypeAlias: type_alias(stmt); break;
        case StmtKind::For:
        case StmtKind::AsyncFor:
            ++conditional_;
            targets(stmt->exprs[0]);
            expression(stmt->exprs[1]);
            body(stmt->body);
            body(stmt->orelse);
            --conditional_;
            break;
        case StmtKind::While:
        case StmtKind::If:
            expression(stmt->exprs[0]);
            ++conditional_;
            body(stmt->body);
            body(stmt->orelse);
            --conditional_;
            break;
        case StmtKind::With:
        case StmtKind::AsyncWith:
            ++conditional_;
            for (const ast::WithItem& item : stmt->with_items) {
                expression(item.context);
                if (item.target) targets(item.target);
            }
            body(stmt->body);
            --conditional_;
            break;
        case StmtKind::Match:
            ++conditional_;
            expression(stmt->exprs[0]);
            for (const ast::MatchCase& c : stmt->cases) {
                pattern(c.pattern);
                if (c.guard) expression(c.guard);
                body(c.body);
            }
            --conditional_;
            break;
        case StmtKind::Try:
        case StmtKind::TryStar:
            ++conditional_;
            body(stmt->body);
            for (const ast::ExceptHandler& handler : stmt->handlers) {
                if (handler.type) expression(handler.type);
                if (!handler.name.empty()) add(handler.name, kBound);
                body(handler.body);
            }
            body(stmt->orelse);
            body(stmt->finalbody);
            --conditional_;
            break;
        default: simple_statement(stmt); break;
    }
    --depth_;
}

void ScopeReader::simple_statement(const Stmt* stmt) {
    switch (stmt->kind) {
        case StmtKind::Delete:
            for (const Expr* e : stmt->exprs) targets(e);
            return;
        case StmtKind::Assign:
            for (std::size_t i = 0; i + 1 < stmt->exprs.size(); ++i) targets(stmt->exprs[i]);
            expression(stmt->exprs.back());
            return;
        case StmtKind::AugAssign:
            targets(stmt->exprs[0]);
            expression(stmt->exprs[1]);
            return;
        case StmtKind::AnnAssign: annotated(stmt); return;
        case StmtKind::Import:
        case StmtKind::ImportFrom: imports(stmt); return;
        case StmtKind::Global:
            for (const ast::Alias& alias : stmt->aliases) declare_global(own(alias.name));
            return;
        case StmtKind::Nonlocal:
            for (const ast::Alias& alias : stmt->aliases) add(alias.name, kNonlocal);
            return;
        case StmtKind::Return:
        case StmtKind::Raise:
        case StmtKind::Assert:
        case StmtKind::Expr: expressions(stmt->exprs); return;
        case StmtKind::Pass:
        case StmtKind::Break:
        case StmtKind::Continue:
        case StmtKind::Comment: return;
        default: throw Error(-1, "a statement that the proof does not know");
    }
}

// The module takes notice too: what it stores to the name is stored to a global.
void ScopeReader::declare_global(Name name) {
    scope().add(name, kGlobal);
    Scope& module = table_.scopes[0];
    if (module.type == ScopeType::Module) module.add(name, kGlobal);
}

void ScopeReader::imports(const Stmt* stmt) {
    for (const ast::Alias& alias : stmt->aliases) {
        if (alias.name == "*") continue;
        const std::string& bound = alias.asname.empty() ? alias.name : alias.asname;
        add(alias.asname.empty() ? bound.substr(0, bound.find('.')) : bound, kBound | kImported);
    }
}

void ScopeReader::function(const Stmt* stmt) {
    add(stmt->name, kBound);
    expressions(stmt->decorators);
    if (!stmt->type_params.empty()) {
        defaults(*stmt->args);
        in_annotation_scope(ScopeType::TypeParams, type_parameters_key(stmt), [&] {
            bool positional = false, keyword = false;
            for (const auto& arg : stmt->args->posonly) positional = positional || arg.default_value;
            for (const auto& arg : stmt->args->args) positional = positional || arg.default_value;
            for (const auto& arg : stmt->args->kwonly) keyword = keyword || arg.default_value;
            if (positional || keyword) scope().add(names_.intern(".defaults"), kParameter | kBound);
            if (keyword) scope().add(names_.intern(".kwdefaults"), kParameter | kBound);
            type_parameters(stmt);
            function_itself(stmt);
        });
    } else {
        defaults(*stmt->args);
        function_itself(stmt);
    }
}

void ScopeReader::function_itself(const Stmt* stmt) {
    function_annotations(stmt);
    const std::int32_t outer = enter(ScopeType::Function, stmt);
    const int conditional = std::exchange(conditional_, 0);
    scope().is_async = stmt->kind == StmtKind::AsyncFunctionDef;
    scope().coroutine = scope().is_async;
    parameters(*stmt->args);
    body(stmt->body);
    conditional_ = conditional;
    leave(outer);
}

void ScopeReader::function_annotations(const Stmt* stmt) {
    auto all = [&] {
        const ast::Arguments& args = *stmt->args;
        auto one = [&](const ast::Arguments::Arg& arg) {
            if (arg.annotation) annotation(arg.annotation);
        };
        for (const auto& arg : args.posonly) one(arg);
        for (const auto& arg : args.args) one(arg);
        if (args.has_vararg) one(args.vararg);
        if (args.has_kwarg) one(args.kwarg);
        for (const auto& arg : args.kwonly) one(arg);
        if (stmt->returns) annotation(stmt->returns);
    };
    if (!features_.deferred_annotations) {
        all();
        return;
    }
    in_annotation_scope(ScopeType::Annotation, annotations_key(stmt), [&] { all(); });
}

// An annotation that stays text (`from __future__ import annotations`) is a name for nobody.
void ScopeReader::annotation(const Expr* e) {
    if (e->kind == ExprKind::Constant && e->value->kind == Constant::Kind::Opaque) {
        if (!features_.annotations_as_tuple && !features_.deferred_annotations) {
            // up to 3.9 the names in it count all the same
            const std::string& text = e->value->text;
            for (std::size_t i = 0; i < text.size();) {
                std::size_t end = i;
                auto word = [&](char c) {
                    return c == '_' || (c & 0x80) || std::isalnum(static_cast<unsigned char>(c));
                };
                while (end < text.size() && word(text[end])) ++end;
                if (end > i && !std::isdigit(static_cast<unsigned char>(text[i])) && (i == 0 || text[i - 1] != '.'))
                    add(text.substr(i, end - i), kUse);
                i = end + (end == i);
            }
        }
        return;
    }
    expression(e);
}

void ScopeReader::annotated(const Stmt* stmt) {
    const Expr* target = stmt->exprs[0];
    if (target->kind == ExprKind::Name) {
        std::uint16_t flags = kAnnotated;
        if (!stmt->flag || stmt->exprs.size() > 2) flags |= kBound;
        add(target->name, flags);
    } else {
        targets(target);
    }
    scope().has_annotations = true;
    if (features_.deferred_annotations)
        deferred_annotation(stmt);
    else
        annotation(stmt->exprs[1]);
    if (stmt->exprs.size() > 2) expression(stmt->exprs[2]);
}

void ScopeReader::deferred_annotation(const Stmt* stmt) {
    if (scope().is_function()) return;   // never evaluated
    const Name conditional = names_.intern("__conditional_annotations__");
    if (scope().type == ScopeType::Module || conditional_ > 0) {
        scope().has_conditional_annotations = true;
        scope().add(conditional, kUse);
    }
    if (table_.future_annotations) return;
    const bool is_conditional = scope().has_conditional_annotations && scope().type == ScopeType::Class;
    const std::int32_t known = table_.of(deferred_key(own_body_));
    auto read = [&] {
        if (is_conditional) scope().add(conditional, kUse);
        expression(stmt->exprs[1]);
    };
    if (known < 0) {
        in_annotation_scope(ScopeType::Annotation, deferred_key(own_body_), read);
        return;
    }
    const std::int32_t outer = std::exchange(current_, known);
    read();
    current_ = outer;
}

void ScopeReader::class_def(const Stmt* stmt) {
    add(stmt->name, kBound);
    expressions(stmt->decorators);
    auto arguments = [&] {
        expressions(stmt->exprs);
        for (const ast::Keyword& keyword : stmt->keywords) expression(keyword.value);
    };
    if (!stmt->type_params.empty()) {
        in_annotation_scope(ScopeType::TypeParams, type_parameters_key(stmt), [&] {
            scope().class_name = stmt->name;
            scope().add(names_.intern(".type_params"), kBound | kUse);
            scope().add(names_.intern(".generic_base"), kBound | kUse);
            type_parameters(stmt);
            arguments();
            class_itself(stmt);
        });
    } else {
        arguments();
        class_itself(stmt);
    }
}

void ScopeReader::class_itself(const Stmt* stmt) {
    const std::int32_t outer = enter(ScopeType::Class, stmt);
    const int conditional = std::exchange(conditional_, 0);
    const ast::Body* around = std::exchange(own_body_, &stmt->body);
    scope().class_name = stmt->name;
    if (!stmt->type_params.empty()) {
        scope().add(names_.intern("__type_params__"), kBound);
        scope().add(names_.intern(".type_params"), kUse);
    }
    body(stmt->body);
    conditional_ = conditional;
    own_body_ = around;
    leave(outer);
}

void ScopeReader::type_parameters(const Stmt* stmt) {
    for (const ast::TypeParam& param : stmt->type_params) {
        add(param.name, kBound | kTypeParameter);
        if (param.bound) in_annotation_scope(ScopeType::Annotation, &param.bound, [&] { expression(param.bound); });
        if (param.default_value)
            in_annotation_scope(ScopeType::Annotation, &param.default_value, [&] { expression(param.default_value); });
    }
}

void ScopeReader::type_alias(const Stmt* stmt) {
    add(stmt->exprs[0]->name, kBound);
    auto value = [&] { in_annotation_scope(ScopeType::Annotation, stmt, [&] { expression(stmt->exprs[1]); }); };
    if (stmt->type_params.empty()) {
        value();
        return;
    }
    in_annotation_scope(ScopeType::TypeParams, type_parameters_key(stmt), [&] {
        type_parameters(stmt);
        value();
    });
}

void ScopeReader::parameters(const ast::Arguments& args) {
    auto one = [&](const ast::Arguments::Arg& arg) { add(arg.name, kParameter | kBound); };
    for (const auto& arg : args.posonly) one(arg);
    for (const auto& arg : args.args) one(arg);
    for (const auto& arg : args.kwonly) one(arg);
    if (args.has_vararg) one(args.vararg);
    if (args.has_kwarg) one(args.kwarg);
}

void ScopeReader::defaults(const ast::Arguments& args) {
    auto one = [&](const ast::Arguments::Arg& arg) {
        if (arg.default_value) expression(arg.default_value);
    };
    for (const auto& arg : args.posonly) one(arg);
    for (const auto& arg : args.args) one(arg);
    for (const auto& arg : args.kwonly) one(arg);
}

}  // namespace depyf::verify
