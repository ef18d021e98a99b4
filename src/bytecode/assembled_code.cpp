#include "bytecode/assembled_code.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/error.h"
#include "bytecode/features.h"

namespace depyf {

namespace {

[[noreturn]] void fail(const std::string& expected, std::string_view found) {
    throw Error(-1, "expected " + expected + ", found '" + std::string(found) + "'");
}

bool parse_number(std::string_view text, std::uint32_t& value) {
    const bool hexadecimal = text.starts_with("0x");
    const std::string_view digits = text.substr(hexadecimal ? 2 : 0);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
    return !digits.empty() && result.ec == std::errc{} && result.ptr == digits.data() + digits.size();
}

std::uint32_t number_of(std::string_view text) {
    std::uint32_t value = 0;
    if (!parse_number(text, value)) fail("a number", text);
    return value;
}

std::uint32_t index_in(std::span<const std::string_view> names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fail("an operand that `dis` would print", name);
    return static_cast<std::uint32_t>(found - names.begin());
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end != 0) words.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

}  // namespace

AssembledCode::AssembledCode(Version version, std::string name) : code_(std::make_shared<CodeObject>()) {
    code_->version = version;
    code_->name = std::move(name);
    code_->filename = "<assembled>";
    code_->firstlineno = 1;
    code_->stacksize = 16;
}

void AssembledCode::directive(std::string_view word, std::string_view rest) {
    if (word == ".const") {
        code_->consts.push_back(literal(rest));
    } else if (word == ".except") {
        add_exception(rest);
    } else if (!add_text(word, rest) && !add_variable(word, rest) && !add_number(word, rest)) {
        fail("a directive", word);
    }
}

bool AssembledCode::add_text(std::string_view word, std::string_view rest) {
    std::string* text = word == ".name"       ? &code_->name
                        : word == ".qualname" ? &code_->qualname
                        : word == ".filename" ? &code_->filename
                                              : nullptr;
    if (text == nullptr) return false;
    *text = rest;
    return true;
}

bool AssembledCode::add_number(std::string_view word, std::string_view rest) {
    if (word == ".flags") {
        code_->flags = number_of(rest);
        flags_given_ = true;
    } else if (word == ".stacksize") {
        code_->stacksize = number_of(rest);
    } else if (word == ".posonly") {
        code_->posonlyargcount = number_of(rest);
    } else if (word == ".line") {
        line_ = static_cast<std::int32_t>(number_of(rest));
    } else if (word == ".firstlineno") {
        code_->firstlineno = line_ = static_cast<std::int32_t>(number_of(rest));
    } else {
        return false;
    }
    return true;
}

bool AssembledCode::add_variable(std::string_view word, std::string_view rest) {
    const std::string name(rest);
    if (word == ".arg" || word == ".kwonly") {
        if (word == ".arg" && code_->kwonlyargcount != 0) fail(".arg before .kwonly", rest);
        (word == ".arg" ? code_->argcount : code_->kwonlyargcount) += 1;
        code_->varnames.push_back(name);
    } else if (word == ".vararg") {
        vararg_ = name;
    } else if (word == ".varkw") {
        varkw_ = name;
    } else if (word == ".local") {
        locals_.push_back(name);
    } else if (word == ".cell") {
        code_->cellvars.push_back(name);
    } else if (word == ".free") {
        code_->freevars.push_back(name);
    } else {
        return false;
    }
    if (!instructions_.empty()) fail("variables before the instructions", word);
    fill_localsplus();
    return true;
}

// Parameters as CPython orders them, then the other variables; a cell that is a parameter stands once (3.11+).
void AssembledCode::fill_localsplus() {
    CodeObject& code = *code_;
    code.varnames.resize(code.argcount + code.kwonlyargcount);
    for (const std::string* name : {&vararg_, &varkw_}) {
        if (!name->empty()) code.varnames.push_back(*name);
    }
    code.varnames.insert(code.varnames.end(), locals_.begin(), locals_.end());
    code.localsplus = code.varnames;
    for (const std::string& cell : code.cellvars) {
        const bool twice = !features(code.version).has_localsplus;
        if (twice || std::find(code.varnames.begin(), code.varnames.end(), cell) == code.varnames.end()) {
            code.localsplus.push_back(cell);
        }
    }
    code.localsplus.insert(code.localsplus.end(), code.freevars.begin(), code.freevars.end());
}

void AssembledCode::add_exception(std::string_view rest) {
    const std::vector<std::string> words = split(rest);
    const bool lasti = words.size() == 5 && words[4] == "lasti";
    if (words.size() != 4 && !lasti) fail(".except START END TARGET DEPTH [lasti]", rest);
    if (!features(code_->version).has_exception_table) fail("a version with an exception table", ".except");
    exceptions_.push_back({words[0], words[1], words[2], number_of(words[3]), lasti});
}

void AssembledCode::label(std::string_view name) {
    if (!labels_.emplace(std::string(name), instructions_.size()).second) fail("a new label", name);
}

void AssembledCode::instruction(std::string_view opname, std::string_view operand) {
    const Op op = op_from_name(opname);
    if (op == Op::UNKNOWN) fail("an opcode", opname);
    UnplacedInstruction instruction;
    instruction.op = op;
    instruction.line = line_;
    const Operand kind = opcode_meaning(code_->version, op).operand;
    if (operand.starts_with('#')) {
        instruction.arg = number_of(operand.substr(1));
    } else if (is_jump(kind) || kind == Operand::SourceBackward) {
        jumps_.push_back({instructions_.size(), std::string(operand)});
    } else if (!operand.empty()) {
        instruction.arg = resolve(op, operand);
    }
    instructions_.push_back(instruction);
}

std::uint32_t AssembledCode::resolve(Op op, std::string_view operand) {
    const Features& f = features(code_->version);
    switch (opcode_meaning(code_->version, op).operand) {
        case Operand::Const: return const_index(operand);
        case Operand::Name: return name_index(operand);
        case Operand::NameFlag1: return name_operand(operand, 1);
        case Operand::NameFlag2: return name_operand(operand, 2);
        case Operand::Local:
        case Operand::Free:
        case Operand::LocalsPlus: return variable_index(operand, op);
        case Operand::LocalsPlusPair: {
            const std::size_t comma = operand.find(", ");
            if (comma == std::string_view::npos) fail("two variables", operand);
            return variable_index(operand.substr(0, comma), op) << 4 | variable_index(operand.substr(comma + 2), op);
        }
        case Operand::Compare: return compare_operand(operand);
        case Operand::BinaryOp: return index_in(f.binary_names, operand);
        case Operand::Intrinsic1: return index_in(f.intrinsic_1_names, operand);
        case Operand::Intrinsic2: return index_in(f.intrinsic_2_names, operand);
        case Operand::CommonConstant: return index_in(f.common_constants, operand);
        case Operand::SpecialMethod: return index_in(f.special_methods, operand);
        default: return number_of(operand);
    }
}

std::uint32_t AssembledCode::name_operand(std::string_view operand, unsigned shift) {
    std::uint32_t flags = 0;
    for (std::size_t plus; (plus = operand.rfind(" + ")) != std::string_view::npos; operand = operand.substr(0, plus)) {
        const std::string_view flag = operand.substr(plus + 3);
        const bool high = flag == "eager" || flag == "super";
        if (!high && flag != "NULL" && flag != "NULL|self" && flag != "lazy") fail("a flag", flag);
        flags |= high ? 2 : 1;
    }
    return name_index(operand) << shift | flags;
}

std::uint32_t AssembledCode::variable_index(std::string_view name, Op op) const {
    const Operand operand = opcode_meaning(code_->version, op).operand;
    std::vector<std::string> names = code_->localsplus;
    if (operand == Operand::Local) names = code_->varnames;
    if (operand == Operand::Free) {
        names = code_->cellvars;
        names.insert(names.end(), code_->freevars.begin(), code_->freevars.end());
    }
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fail("a variable that .arg, .local, .cell or .free declares", name);
    return static_cast<std::uint32_t>(found - names.begin());
}

std::uint32_t AssembledCode::compare_operand(std::string_view operand) const {
    const Features& f = features(code_->version);
    const bool as_bool = operand.starts_with("bool(") && operand.ends_with(")");
    const std::string_view name = as_bool ? operand.substr(5, operand.size() - 6) : operand;
    return index_in(f.compare_names, name) << f.compare_shift | (as_bool ? f.compare_bool_bit : 0);
}

Constant AssembledCode::literal(std::string_view text) const {
    return parse_literal(text, [this](std::string_view name) -> std::shared_ptr<const CodeObject> {
        for (const auto& code : nested_) {
            if (code->name == name) return code;
        }
        return nullptr;
    });
}

std::uint32_t AssembledCode::const_index(std::string_view text) {
    const Constant constant = literal(text);
    auto found = std::find(code_->consts.begin(), code_->consts.end(), constant);
    if (found == code_->consts.end()) found = code_->consts.insert(found, constant);
    return static_cast<std::uint32_t>(found - code_->consts.begin());
}

std::uint32_t AssembledCode::name_index(std::string_view name) {
    auto found = std::find(code_->names.begin(), code_->names.end(), name);
    if (found == code_->names.end()) found = code_->names.insert(found, std::string(name));
    return static_cast<std::uint32_t>(found - code_->names.begin());
}

std::size_t AssembledCode::label_position(const std::string& name) const {
    const auto found = labels_.find(name);
    if (found == labels_.end()) fail("a label", name);
    return found->second;
}

std::shared_ptr<const CodeObject> AssembledCode::finish() {
    CodeObject& code = *code_;
    if (!flags_given_ && code.name != "<module>") code.flags = kOptimized | kNewLocals;
    code.flags |= (vararg_.empty() ? 0 : kVarArgs) | (varkw_.empty() ? 0 : kVarKeywords);
    if (code.qualname.empty() && features(code.version).has_qualname) code.qualname = code.name;
    if (code.posonlyargcount > code.argcount) fail("at most as many .posonly as .arg", code.name);
    for (const PendingJump& jump : jumps_) {
        instructions_[jump.instruction].target = static_cast<std::int64_t>(label_position(jump.label));
    }
    std::vector<UnplacedException> exceptions;
    for (const PendingException& entry : exceptions_) {
        exceptions.push_back({label_position(entry.start), label_position(entry.end), label_position(entry.target),
                              entry.depth, entry.lasti});
        if (exceptions.back().start >= exceptions.back().end) fail("a range that is not empty", entry.start);
    }
    encode(instructions_, exceptions, code);
    return code_;
}

}  // namespace depyf
