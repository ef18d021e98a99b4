// Signatures: names from the code object, defaults and annotations from what MAKE_FUNCTION was given.
#include "define/definer.h"

namespace depyf {

using ast::Arguments;
using ast::Expr;
using ast::ExprKind;

namespace {

std::vector<Expr*> tuple_items(ast::Tree& tree, Expr* e) {
    if (!e) return {};
    if (e->kind == ExprKind::Tuple) return e->items;
    std::vector<Expr*> items;
    if (e->kind == ExprKind::Constant) {
        for (const Constant& item : e->value->items) items.push_back(tree.constant(&item));
    }
    return items;
}

}  // namespace

Arguments* Definer::arguments(const ast::FunctionValue& function, Expr** returns) {
    const CodeObject& code = *function.code;
    Arguments* args = tree_.arguments();
    std::size_t i = 0;
    auto take = [&]() -> Arguments::Arg {
        Arguments::Arg arg;
        arg.name = i < code.varnames.size() ? code.varnames[i] : "_" + std::to_string(i);
        ++i;
        const std::string prefix = "_" + class_name_ + "__";
        if (!class_name_.empty() && arg.name.rfind(prefix, 0) == 0) arg.name = arg.name.substr(class_name_.size() + 1);
        return arg;
    };
    while (i < code.argcount) (i < code.posonlyargcount ? args->posonly : args->args).push_back(take());
    for (std::uint32_t k = 0; k < code.kwonlyargcount; ++k) args->kwonly.push_back(take());
    args->has_vararg = code.flags & kVarArgs;
    if (args->has_vararg) args->vararg = take();
    args->has_kwarg = code.flags & kVarKeywords;
    if (args->has_kwarg) args->kwarg = take();

    std::vector<Arguments::Arg*> positional;
    for (auto& arg : args->posonly) positional.push_back(&arg);
    for (auto& arg : args->args) positional.push_back(&arg);
    const std::vector<Expr*> defaults = tuple_items(tree_, function.defaults);
    for (std::size_t k = 0; k < defaults.size() && k < positional.size(); ++k) {
        positional[positional.size() - 1 - k]->default_value = defaults[defaults.size() - 1 - k];
    }
    if (function.kwdefaults && function.kwdefaults->kind == ExprKind::Dict) {
        const std::vector<Expr*>& items = function.kwdefaults->items;
        for (std::size_t k = 0; k + 1 < items.size(); k += 2) {
            if (!items[k] || items[k]->kind != ExprKind::Constant) continue;
            std::size_t position = code.argcount;
            for (auto& arg : args->kwonly) {
                if (code.varnames[position++] == items[k]->value->text) arg.default_value = items[k + 1];
            }
        }
    }
    annotations(function, *args, returns);
    return args;
}

Expr* Definer::annotation_value(Expr* value, const CodeObject& code) {
    if (!(code.flags & features(code.version).future_annotations_flag) || value->kind != ExprKind::Constant ||
        value->value->kind != Constant::Kind::Str)
        return value;
    Constant raw = *value->value;
    raw.kind = Constant::Kind::Opaque;   // the text of the annotation, printed as it is
    return tree_.constant(raw);
}

void Definer::annotations(const ast::FunctionValue& function, Arguments& args, Expr** returns) {
    const CodeObject& code = *function.code;
    std::vector<std::pair<std::string, Expr*>> pairs;
    if (Expr* e = function.annotations) {
        const std::vector<Expr*> items = e->kind == ExprKind::Dict ? e->items : tuple_items(tree_, e);
        for (std::size_t k = 0; k + 1 < items.size(); k += 2) {
            if (items[k] && items[k]->kind == ExprKind::Constant)
                pairs.emplace_back(items[k]->value->text, items[k + 1]);
        }
    } else if (function.annotate && function.annotate->kind == ExprKind::Function) {
        pairs = deferred_annotations(*function.annotate->function->code);
    }
    std::size_t position = 0;
    std::vector<std::pair<std::string, Arguments::Arg*>> all;
    auto add = [&](Arguments::Arg& arg) {
        all.emplace_back(position < code.varnames.size() ? code.varnames[position] : "", &arg);
        ++position;
    };
    for (auto& arg : args.posonly) add(arg);
    for (auto& arg : args.args) add(arg);
    for (auto& arg : args.kwonly) add(arg);
    if (args.has_vararg) add(args.vararg);
    if (args.has_kwarg) add(args.kwarg);
    for (auto& [name, value] : pairs) {
        value = annotation_value(value, code);
        if (name == "return") *returns = value;
        for (auto& [own, arg] : all) {
            if (own == name) arg->annotation = value;
        }
    }
}

// 3.14+: def __annotate__(format): if format > 2: raise NotImplementedError; return {name: annotation, ...}
std::vector<std::pair<std::string, Expr*>> Definer::deferred_annotations(const CodeObject& code) {
    std::vector<std::pair<std::string, Expr*>> pairs;
    for (const ast::Stmt* stmt : body(code, ScopeKind::Function)) {
        if (stmt->kind != ast::StmtKind::Return || stmt->exprs.empty() || stmt->exprs[0]->kind != ExprKind::Dict)
            continue;
        const std::vector<Expr*>& items = stmt->exprs[0]->items;
        for (std::size_t k = 0; k + 1 < items.size(); k += 2) {
            if (items[k] && items[k]->kind == ExprKind::Constant)
                pairs.emplace_back(items[k]->value->text, items[k + 1]);
        }
    }
    return pairs;
}

}  // namespace depyf
