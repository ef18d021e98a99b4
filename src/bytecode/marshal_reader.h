// Reads marshal data with an explicit stack, so that the input's nesting costs no machine stack.
// Source: CPython Python/marshal.c, r_object().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/byte_reader.h"
#include "bytecode/code_builder.h"
#include "bytecode/code_object.h"
#include "bytecode/pyc_reader.h"

namespace depyf {

class MarshalReader {
  public:
    MarshalReader(std::span<const std::byte> bytes, std::size_t offset, Version version, const ReadOptions& options);

    // The object at the current offset. Throws Error.
    Constant read();

    // After read() has thrown: the code objects that were complete by then, without those inside of another one of them.
    std::vector<std::shared_ptr<const CodeObject>> complete_code() const;

  private:
    struct Object {  // a finished object on its way to its parent
        Constant value;
        std::int64_t offset = 0;  // where it began
        std::uint64_t cost = 1;  // see ReadOptions::max_objects
        std::uint32_t depth = 1;  // levels of containers in it, itself included
    };
    struct Frame {  // a container whose items are being read
        Object object;
        std::int64_t missing = 0;  // items still to come; -1: until a NULL (dict)
        std::int64_t reference = -1;
        std::optional<CodeBuilder> code;
    };
    struct Reference {
        Object object;
        bool complete = false;
    };

    std::optional<Object> begin_object();
    std::optional<Object> begin_container(Constant::Kind kind, std::int64_t count, std::int64_t reference);
    std::optional<Object> end_of_dict();
    void begin_code(std::int64_t reference);
    Object simple_object(char type, std::int64_t reference);
    bool read_singleton(char type, Constant& value) const;
    bool read_number(char type, Constant& value);
    bool read_text(char type, Constant& value);
    Object referenced_object();
    bool add_to_parent(Object&& object);  // true: the parent is complete now
    Object finish_parent();

    std::uint32_t read_size();
    std::string read_long();
    double read_text_float();
    std::int64_t reserve_reference(bool flagged);
    void remember(std::int64_t reference, const Object& object);
    void charge(std::uint64_t cost);
    void flaw(std::int64_t offset, const std::string& message);
    void check_depth(std::size_t depth) const;

    ByteReader reader_;
    Version version_;
    std::uint32_t max_depth_;
    std::uint64_t budget_;
    std::int64_t offset_ = 0;  // of the object that is being begun
    std::vector<Frame> stack_;
    std::vector<Reference> references_;
};

}  // namespace depyf
