#include "plain_values.h"

#include <string>

#include "bytecode/disassembler.h"
#include "bytecode/opcode.h"
#include "text.h"

namespace py = pybind11;

namespace depyf {

namespace {

const char* flow_name(Flow flow) {
    switch (flow) {
        case Flow::Next: return "next";
        case Flow::Goto: return "goto";
        case Flow::Branch: return "branch";
        case Flow::End: return "end";
        case Flow::Setup: return "setup";
        case Flow::Unwind: return "unwind";
        case Flow::Subroutine: return "subroutine";
        case Flow::EndFinally: return "end finally";
    }
    return "next";
}

py::object number_or_none(std::int64_t number, std::int64_t none) {
    return number == none ? py::object(py::none()) : py::object(py::int_(number));
}

py::tuple plain_instruction(const CodeObject& code, const ListedInstruction& listed) {
    const Instruction& i = listed.instruction;
    return py::make_tuple(i.start, i.end, listed.opname, listed.has_arg ? py::object(py::int_(i.arg)) : py::none(),
                          to_str(listed.operand), number_or_none(i.target, -1),
                          flow_name(opcode_meaning(code.version, i.op).flow), number_or_none(i.location.line, 0),
                          number_or_none(i.location.column, -1));
}

py::object number(const Constant& constant) {
    PyObject* value = PyLong_FromString(constant.text.c_str(), nullptr, 10);
    if (value == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(value);
}

template <typename Container>
py::object sequence(const Constant& constant) {
    py::list items;
    for (const Constant& item : constant.items) items.append(plain_value(item));
    return Container(items);
}

py::dict mapping(const Constant& constant) {
    py::dict result;
    for (std::size_t i = 0; i + 1 < constant.items.size(); i += 2) {
        result[plain_value(constant.items[i])] = plain_value(constant.items[i + 1]);
    }
    return result;
}

}  // namespace

py::dict plain_listing(const CodeObject& code) {
    const Listing listing = list_instructions(code);
    py::list instructions, exceptions;
    for (const ListedInstruction& listed : listing.instructions) instructions.append(plain_instruction(code, listed));
    for (const ExceptionEntry& entry : listing.exceptions) {
        exceptions.append(py::make_tuple(entry.start, entry.end, entry.target, entry.depth, entry.lasti));
    }
    py::dict result;
    result["qualname"] = to_str(listing.qualname);
    result["firstlineno"] = listing.firstlineno;
    result["instructions"] = instructions;
    result["exceptions"] = exceptions;
    return result;
}

// No deeper than ReadOptions::max_depth.
py::object plain_value(const Constant& constant) {
    switch (constant.kind) {
        case Constant::Kind::True: return py::bool_(true);
        case Constant::Kind::False: return py::bool_(false);
        case Constant::Kind::Int: return number(constant);
        case Constant::Kind::Float: return py::float_(constant.real);
        case Constant::Kind::Str: return to_str(constant.text);
        case Constant::Kind::Bytes: return py::bytes(constant.text);
        case Constant::Kind::Tuple: return sequence<py::tuple>(constant);
        case Constant::Kind::List: return sequence<py::list>(constant);
        case Constant::Kind::Set: return sequence<py::set>(constant);
        case Constant::Kind::FrozenSet: return sequence<py::frozenset>(constant);
        case Constant::Kind::Dict: return mapping(constant);
        default: return py::none();
    }
}

}  // namespace depyf
