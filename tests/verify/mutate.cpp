// Near misses: changes one thing in the tree of a decompiled file and proves it again. Every change must cost a proof.
//
//   mutate a.pyc
//
// Prints a line for every change that nobody noticed, and at the end how many there were: "N changes, M survived". Exits
// with 1 where the unchanged tree is not proved or a change survives.
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "bytecode/pyc_reader.h"
#include "define/definer.h"
#include "print/printer.h"
#include "verify/verify.h"

namespace {

using depyf::Constant;
using depyf::ast::Body;
using depyf::ast::Expr;
using depyf::ast::ExprKind;
using depyf::ast::Stmt;
using depyf::ast::StmtKind;

class Mutator {
  public:
    explicit Mutator(const depyf::CodeObject& code)
        : code_(code), definer_(tree_, options_, result_), body_(definer_.module(code)) {
        printed_ = depyf::print_module(body_, code.version, {true, &definer_.unbroken(), true});
    }

    bool proved() {
        depyf::Decompilation result = result_;
        const auto to_join = depyf::prove({&body_, &code_, true, &printed_}, result);
        for (const depyf::CodeVerdict& code : result.codes) {
            if (code.verdict != depyf::Verdict::Exact && code.verdict != depyf::Verdict::Equivalent) {
                if (verbose_) {
                    for (const depyf::Diagnostic& d : result.diagnostics)
                        std::printf("%s @%lld: %s\n", d.qualname.c_str(), static_cast<long long>(d.offset),
                                    d.message.c_str());
                }
                return false;
            }
        }
        return true;
    }

    int run() {
        verbose_ = true;
        if (!proved()) {
            std::printf("the tree is not proved as it is\n");
            return 1;
        }
        verbose_ = false;
        body(body_);
        std::printf("%d changes, %d survived\n", changes_, survivors_);
        return survivors_ == 0 && changes_ > 0 ? 0 : 1;
    }

  private:
    // Changes, proves, changes back.
    template <typename T>
    void change(const char* what, std::int32_t line, T& place, T value) {
        std::swap(place, value);
        ++changes_;
        if (proved()) {
            ++survivors_;
            std::printf("line %d: %s\n", line, what);
        }
        std::swap(place, value);
    }

    void body(Body& statements) {
        for (std::size_t i = 0; i < statements.size(); ++i) {
            Stmt* stmt = statements[i];
            line_ = stmt->line > 0 ? stmt->line : line_;
            if (stmt->kind != StmtKind::Pass && stmt->kind != StmtKind::Comment) {
                Body shorter = statements;
                shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
                change("a statement dropped", line_, statements, shorter);
            }
            if (i + 1 < statements.size() && may_swap(stmt, statements[i + 1])) {
                Body other = statements;
                std::swap(other[i], other[i + 1]);
                change("two statements exchanged", line_, statements, other);
            }
            statement(stmt);
        }
    }

    // What stands behind a jump never runs, and declarations may stand anywhere.
    static bool may_swap(const Stmt* a, const Stmt* b) {
        for (const Stmt* stmt : {a, b}) {
            switch (stmt->kind) {
                case StmtKind::Assign:
                case StmtKind::Expr:
                case StmtKind::AugAssign:
                case StmtKind::If:
                case StmtKind::For:
                case StmtKind::Try: break;
                default: return false;
            }
        }
        return true;
    }

    void statement(Stmt* stmt) {
        const std::int32_t line = line_;
        if (!stmt->orelse.empty()) {
            change("else dropped", line, stmt->orelse, Body{});
            if (stmt->kind == StmtKind::If) {
                std::swap(stmt->body, stmt->orelse);
                change("branches exchanged", line, changed_, true);
                std::swap(stmt->body, stmt->orelse);
            }
        }
        switch (stmt->kind) {
            case StmtKind::Try: try_statement(stmt); break;
            case StmtKind::AugAssign:
                change(
                    "another operator", line, stmt->binary,
                    stmt->binary == depyf::ast::Operator::Add ? depyf::ast::Operator::Sub : depyf::ast::Operator::Add);
                break;
            case StmtKind::Return:
                if (!stmt->exprs.empty()) change("a value that is not returned", line, stmt->exprs, {});
                break;
            case StmtKind::Raise:
                if (stmt->exprs.size() == 2) change("no cause", line, stmt->exprs, {stmt->exprs[0]});
                break;
            case StmtKind::FunctionDef:
            case StmtKind::AsyncFunctionDef: function(stmt); break;
            case StmtKind::With:
                if (stmt->with_items[0].target)
                    change("as dropped", line, stmt->with_items[0].target, static_cast<Expr*>(nullptr));
                break;
            default: break;
        }
        for (depyf::ast::Alias& alias : stmt->aliases) change("another name", line, alias.name, alias.name + "_");
        for (Expr* e : stmt->exprs) expression(e);
        for (depyf::ast::WithItem& item : stmt->with_items) expression(item.context);
        for (Expr* e : stmt->decorators) expression(e);
        body(stmt->body);
        for (depyf::ast::ExceptHandler& handler : stmt->handlers) body(handler.body);
        for (depyf::ast::MatchCase& c : stmt->cases) body(c.body);
        body(stmt->orelse);
        body(stmt->finalbody);
    }

    void try_statement(Stmt* stmt) {
        const std::int32_t line = line_;
        for (depyf::ast::ExceptHandler& handler : stmt->handlers) {
            if (handler.type) change("another exception", line, handler.type, tree_.name("Other"));
            if (!handler.name.empty()) change("the exception has no name", line, handler.name, std::string());
        }
        if (stmt->handlers.size() > 1) {
            auto fewer = stmt->handlers;
            fewer.pop_back();
            change("a clause dropped", line, stmt->handlers, fewer);
        }
        if (stmt->body.size() > 1 && stmt->body.back()->kind == StmtKind::Expr && !stmt->handlers.empty()) {
            const Body whole = stmt->body, otherwise = stmt->orelse;
            stmt->orelse.insert(stmt->orelse.begin(), stmt->body.back());
            stmt->body.pop_back();
            change("a statement moved out of try", line, changed_, true);
            stmt->body = whole;
            stmt->orelse = otherwise;
        }
        if (!stmt->finalbody.empty() && !stmt->handlers.empty())
            change("finally dropped", line, stmt->finalbody, Body{});
    }

    void function(Stmt* stmt) {
        depyf::ast::Arguments& args = *stmt->args;
        if (!args.args.empty()) {
            change("another argument", line_, args.args[0].name, args.args[0].name + "_");
            if (args.args.back().default_value)
                change("no default", line_, args.args.back().default_value, static_cast<Expr*>(nullptr));
        }
        if (!args.kwonly.empty()) {
            auto plain = args.kwonly;
            plain.pop_back();
            change("an argument dropped", line_, args.kwonly, plain);
        }
        if (!stmt->decorators.empty()) change("no decorator", line_, stmt->decorators, {});
        change("another name", line_, stmt->name, stmt->name + "_");
    }

    void expression(Expr* e) {
        if (!e) return;
        const std::int32_t line = line_;
        switch (e->kind) {
            case ExprKind::Constant: constant(e); return;
            case ExprKind::Name: change("another name", line, e->name, e->name + "_"); return;
            case ExprKind::Attribute: change("another attribute", line, e->name, e->name + "_"); break;
            case ExprKind::BoolOp: change("and for or", line, e->is_and, !e->is_and); break;
            case ExprKind::BinOp: {
                const bool is_add = e->binary == depyf::ast::Operator::Add;
                change("another operator", line, e->binary,
                       is_add ? depyf::ast::Operator::Sub : depyf::ast::Operator::Add);
                change("operands exchanged", line, e->items, {e->items[1], e->items[0]});
                break;
            }
            case ExprKind::Compare: {
                auto ops = e->compare_ops;
                ops[0] = static_cast<depyf::ast::CompareOperator>(static_cast<int>(ops[0]) ^ 1);
                change("the opposite comparison", line, e->compare_ops, ops);
                const bool is_less = e->compare_ops[0] == depyf::ast::CompareOperator::Lt;
                ops[0] = is_less ? depyf::ast::CompareOperator::Gt : depyf::ast::CompareOperator::Lt;
                change("another comparison", line, e->compare_ops, ops);
                break;
            }
            case ExprKind::IfExp:
                change("branches exchanged", line, e->items, {e->items[0], e->items[2], e->items[1]});
                break;
            case ExprKind::Call:
                if (e->items.size() > 1) {
                    auto fewer = e->items;
                    fewer.pop_back();
                    change("an argument dropped", line, e->items, fewer);
                }
                break;
            default: break;
        }
        for (depyf::ast::Keyword& keyword : e->keywords) {
            if (!keyword.name.empty()) change("another keyword", line, keyword.name, keyword.name + "_");
        }
        for (depyf::ast::Comprehension& clause : e->generators) {
            if (!clause.ifs.empty()) change("no filter", line, clause.ifs, {});
            expression(clause.iter);
        }
        for (Expr* item : e->items) expression(item);
    }

    void constant(Expr* e) {
        Constant other = *e->value;
        switch (other.kind) {
            case Constant::Kind::Int: other.text = other.text == "1" ? "2" : "1"; break;
            case Constant::Kind::Float:
                if (other.real == 0) {
                    other.real = -other.real;
                    break;
                }
                other.kind = Constant::Kind::Int;
                other.text = "1";
                other.real = 0;
                break;
            case Constant::Kind::Str:
            case Constant::Kind::Bytes: other.text += "x"; break;
            case Constant::Kind::True: other.kind = Constant::Kind::False; break;
            case Constant::Kind::Tuple: other.items.push_back(Constant{}); break;
            default: other.kind = Constant::Kind::True; break;
        }
        const Constant* kept = tree_.constant(other)->value;
        change("another constant", line_, e->value, kept);
    }

    const depyf::CodeObject& code_;
    depyf::Options options_;
    depyf::ast::Tree tree_;
    depyf::Decompilation result_;
    depyf::Definer definer_;
    Body body_;
    depyf::PrintedText printed_;
    std::int32_t line_ = 0;
    int changes_ = 0, survivors_ = 0;
    bool changed_ = false;  // for changes of several places
    bool verbose_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        std::ifstream stream(argv[1], std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
        const depyf::PycFile file = depyf::read_pyc(depyf::as_bytes(bytes));
        return Mutator(*file.code).run();
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 2;
    }
}
