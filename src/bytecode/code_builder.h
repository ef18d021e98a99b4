// Collects the fields of a marshalled code object in the order in which each version writes them.
// Source: CPython Python/marshal.c w_object() / r_object(), TYPE_CODE.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/byte_reader.h"
#include "bytecode/code_object.h"

namespace depyf {

class CodeBuilder {
  public:
    // Reads the integers at the front. Throws Error.
    CodeBuilder(ByteReader& reader, Version version);

    bool complete() const { return next_ == fields_.size(); }

    // Takes the next field, which began at `offset`, then reads the integers that stand behind it. A field of the wrong
    // type damages the code object and is left empty. Throws Error where the integers are cut off.
    void add(Constant&& value, std::int64_t offset, ByteReader& reader);

    // Checks that the fields agree and hands the code object over; `offset`: where it began.
    std::shared_ptr<const CodeObject> finish(std::int64_t offset);

    // Notes that the code object cannot be used, and why; the first reason counts. What can be read past costs only it.
    void damage(std::int64_t offset, const std::string& message);

    const CodeObject& so_far() const { return *code_; }

  private:
    enum class Field : std::uint8_t {
        Code,
        Consts,
        Names,
        Varnames,
        Freevars,
        Cellvars,
        LocalsPlusNames,
        LocalsPlusKinds,
        Filename,
        Name,
        Qualname,
        LineTable,
        ExceptionTable,
    };
    static std::span<const Field> fields_of(Version version);
    std::string* bytes_field(Field field);
    std::string* text_field(Field field);
    std::vector<std::string>* names_field(Field field);
    void take(Field field, Constant&& value, std::int64_t offset);
    void split_localsplus(std::int64_t offset);
    void check(bool condition, std::int64_t offset, const char* message);

    std::shared_ptr<CodeObject> code_;
    std::string kinds_;  // co_localspluskinds, a byte for each name
    std::span<const Field> fields_;
    std::size_t next_ = 0;
};

}  // namespace depyf
