#include "bytecode/code_builder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "bytecode/features.h"

namespace depyf {

namespace {

// Include/internal/pycore_code.h: what a name in localsplus is; an argument can be a cell too.
constexpr unsigned char kKindLocal = 0x20, kKindCell = 0x40, kKindFree = 0x80;

std::uint32_t read_count(ByteReader& reader, const char* field) {
    const auto offset = static_cast<std::int64_t>(reader.offset());
    const std::int32_t value = reader.i32();
    if (value < 0) {
        throw Error(offset, std::string("expected ") + field + " >= 0, found " + std::to_string(value));
    }
    return static_cast<std::uint32_t>(value);
}

}  // namespace

std::span<const CodeBuilder::Field> CodeBuilder::fields_of(Version version) {
    using enum Field;
    static constexpr Field kPlain[] = {Code, Consts, Names, Varnames, Freevars, Cellvars, Filename, Name, LineTable};
    static constexpr Field kLocalsPlus[] = {Code,     Consts, Names,    LocalsPlusNames, LocalsPlusKinds,
                                            Filename, Name,   Qualname, LineTable,       ExceptionTable};
    return features(version).has_localsplus ? std::span<const Field>(kLocalsPlus) : std::span<const Field>(kPlain);
}

CodeBuilder::CodeBuilder(ByteReader& reader, Version version)
    : code_(std::make_shared<CodeObject>()), fields_(fields_of(version)) {
    const Features& f = features(version);
    code_->version = version;
    code_->argcount = read_count(reader, "co_argcount");
    if (f.has_posonlyargcount) {
        code_->posonlyargcount = read_count(reader, "co_posonlyargcount");
    }
    code_->kwonlyargcount = read_count(reader, "co_kwonlyargcount");
    if (!f.has_localsplus) {
        read_count(reader, "co_nlocals");  // the number of varnames, which follow
    }
    code_->stacksize = read_count(reader, "co_stacksize");
    code_->flags = reader.u32();
}

std::string* CodeBuilder::bytes_field(Field field) {
    switch (field) {
        case Field::Code: return &code_->code;
        case Field::LocalsPlusKinds: return &kinds_;
        case Field::LineTable: return &code_->linetable;
        case Field::ExceptionTable: return &code_->exceptiontable;
        default: return nullptr;
    }
}

std::string* CodeBuilder::text_field(Field field) {
    switch (field) {
        case Field::Filename: return &code_->filename;
        case Field::Name: return &code_->name;
        case Field::Qualname: return &code_->qualname;
        default: return nullptr;
    }
}

std::vector<std::string>* CodeBuilder::names_field(Field field) {
    switch (field) {
        case Field::Names: return &code_->names;
        case Field::Varnames: return &code_->varnames;
        case Field::Freevars: return &code_->freevars;
        case Field::Cellvars: return &code_->cellvars;
        case Field::LocalsPlusNames: return &code_->localsplus;
        default: return nullptr;
    }
}

void CodeBuilder::damage(std::int64_t offset, const std::string& message) {
    if (!code_->damage.empty()) return;
    code_->damage = message;
    code_->damage_offset = offset;
}

void CodeBuilder::check(bool condition, std::int64_t offset, const char* message) {
    if (!condition) damage(offset, message);
}

void CodeBuilder::add(Constant&& value, std::int64_t offset, ByteReader& reader) {
    take(fields_[next_], std::move(value), offset);
    ++next_;
    if (!complete() && fields_[next_] == Field::LineTable) {
        code_->firstlineno = reader.i32();
    }
}

void CodeBuilder::take(Field field, Constant&& value, std::int64_t offset) {
    using Kind = Constant::Kind;
    const auto wrong_type = [&](const char* expected) {
        damage(offset, std::string("expected ") + expected + " as a field of a code object, found another type");
    };
    if (std::string* bytes = bytes_field(field)) {
        if (value.kind != Kind::Bytes) return wrong_type("bytes");
        *bytes = std::move(value.text);
    } else if (std::string* text = text_field(field)) {
        if (value.kind != Kind::Str) return wrong_type("a str");
        *text = std::move(value.text);
    } else if (value.kind != Kind::Tuple) {
        wrong_type("a tuple");
    } else if (field == Field::Consts) {
        code_->consts = std::move(value.items);
    } else {
        std::vector<std::string>* names = names_field(field);
        names->reserve(value.items.size());
        for (Constant& item : value.items) {
            if (item.kind != Kind::Str) wrong_type("a tuple of str");
            names->push_back(std::move(item.text));
        }
    }
}

void CodeBuilder::split_localsplus(std::int64_t offset) {
    check(kinds_.size() == code_->localsplus.size(), offset,
          "expected as many local variable kinds as names in a code object, found another number");
    for (std::size_t i = 0; i < std::min(kinds_.size(), code_->localsplus.size()); ++i) {
        const auto kind = static_cast<unsigned char>(kinds_[i]);
        if (kind & kKindLocal) code_->varnames.push_back(code_->localsplus[i]);
        if (kind & kKindCell) code_->cellvars.push_back(code_->localsplus[i]);
        if (kind & kKindFree) code_->freevars.push_back(code_->localsplus[i]);
    }
}

std::shared_ptr<const CodeObject> CodeBuilder::finish(std::int64_t offset) {
    CodeObject& code = *code_;
    if (features(code.version).has_localsplus) {
        split_localsplus(offset);
    } else {
        for (const auto* names : {&code.varnames, &code.cellvars, &code.freevars}) {
            code.localsplus.insert(code.localsplus.end(), names->begin(), names->end());
        }
    }
    const std::uint64_t arguments = std::uint64_t{code.argcount} + code.kwonlyargcount +
                                    ((code.flags & kVarArgs) != 0) + ((code.flags & kVarKeywords) != 0);
    check(arguments <= code.varnames.size(), offset,
          "expected at least as many local variables as parameters in a code object, found fewer");
    check(code.posonlyargcount <= code.argcount, offset,
          "expected positional-only parameters to be among the positional ones, found more");
    check(code.code.size() % 2 == 0, offset,
          "expected co_code to be a whole number of 2-byte units, found an odd size");
    if (!code.damage.empty()) {  // nobody shall look for parameters that are not there
        code.argcount = code.posonlyargcount = code.kwonlyargcount = 0;
        code.flags &= ~(kVarArgs | kVarKeywords);
    }
    return code_;
}

}  // namespace depyf
