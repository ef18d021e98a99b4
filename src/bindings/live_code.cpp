// Fields as CPython Objects/codeobject.c shows them to Python code, 3.7 - 3.15.
#include "live_code.h"

#include <algorithm>
#include <string>
#include <vector>

namespace py = pybind11;

namespace depyf {
namespace {

std::string utf8(py::handle text) {
    return py::bytes(text.attr("encode")("utf-8", "surrogatepass")).cast<std::string>();
}

std::vector<std::string> names(py::handle tuple) {
    std::vector<std::string> result;
    for (py::handle item : tuple) result.push_back(utf8(item));
    return result;
}

std::string bytes_field(py::handle code, const char* field) {
    return py::bytes(code.attr(field)).cast<std::string>();
}

// str() of a huge int is refused since 3.11 (sys.set_int_max_str_digits), so it is done in pieces below any limit.
std::string decimal(py::object number) {
    constexpr int kDigits = 500;
    const py::object zero = py::int_(0);
    const bool negative = number.attr("__lt__")(zero).cast<bool>();
    if (negative) number = number.attr("__neg__")();
    const py::object base = py::int_(10).attr("__pow__")(kDigits);
    std::string text;
    while (true) {
        const py::tuple parts = number.attr("__divmod__")(base);
        std::string low = py::str(parts[1]).cast<std::string>();
        number = parts[0];
        const bool last = number.equal(zero);
        if (!last) low.insert(0, kDigits - low.size(), '0');
        text.insert(0, low);
        if (last) break;
    }
    return negative ? "-" + text : text;
}

class Converter {
  public:
    explicit Converter(const py::function& describe)
        : describe_(describe),
          code_type_(py::module_::import("types").attr("CodeType")),
          frozen_dict_(py::getattr(py::module_::import("builtins"), "frozendict", py::none())) {}

    std::shared_ptr<const CodeObject> code(py::handle live) const {
        if (!py::type::handle_of(live).is(code_type_)) throw py::type_error("a code object is needed");
        auto result = std::make_shared<CodeObject>();
        result->version = {PY_MAJOR_VERSION, PY_MINOR_VERSION};
        fill_names(live, *result);
        fill_numbers(live, *result);
        result->code = bytes_field(live, "co_code");
        for (py::handle item : live.attr("co_consts")) result->consts.push_back(constant(item));
#if PY_VERSION_HEX >= 0x030B0000
        result->qualname = utf8(live.attr("co_qualname"));
        result->exceptiontable = bytes_field(live, "co_exceptiontable");
#endif
#if PY_VERSION_HEX >= 0x030A0000
        result->linetable = bytes_field(live, "co_linetable");
#else
        result->linetable = bytes_field(live, "co_lnotab");
#endif
        return result;
    }

  private:
    static void fill_numbers(py::handle live, CodeObject& out) {
        out.argcount = live.attr("co_argcount").cast<std::uint32_t>();
#if PY_VERSION_HEX >= 0x03080000
        out.posonlyargcount = live.attr("co_posonlyargcount").cast<std::uint32_t>();
#endif
        out.kwonlyargcount = live.attr("co_kwonlyargcount").cast<std::uint32_t>();
        out.flags = live.attr("co_flags").cast<std::uint32_t>();
        out.stacksize = live.attr("co_stacksize").cast<std::uint32_t>();
        out.firstlineno = live.attr("co_firstlineno").cast<std::int32_t>();
    }

    static void fill_names(py::handle live, CodeObject& out) {
        out.name = utf8(live.attr("co_name"));
        out.filename = utf8(live.attr("co_filename"));
        out.names = names(live.attr("co_names"));
        out.varnames = names(live.attr("co_varnames"));
        out.cellvars = names(live.attr("co_cellvars"));
        out.freevars = names(live.attr("co_freevars"));
        // _PyCode_New (3.11+): a cell that is also a local shares the local's slot; before, the three just follow.
        out.localsplus = out.varnames;
        for (const std::string& cell : out.cellvars) {
#if PY_VERSION_HEX >= 0x030B0000
            if (std::find(out.varnames.begin(), out.varnames.end(), cell) != out.varnames.end()) continue;
#endif
            out.localsplus.push_back(cell);
        }
        out.localsplus.insert(out.localsplus.end(), out.freevars.begin(), out.freevars.end());
    }

    Constant opaque(py::handle live) const {
        Constant result;
        result.kind = Constant::Kind::Opaque;
        result.text = utf8(py::str(describe_(live)));
        return result;
    }

    Constant sequence(Constant::Kind kind, py::handle items) const {
        Constant result;
        result.kind = kind;
        for (py::handle item : items) result.items.push_back(constant(item));
        return result;
    }

    Constant mapping(Constant::Kind kind, py::handle live) const {
        Constant result;
        result.kind = kind;
        for (py::handle pair : live.attr("items")()) {
            result.items.push_back(constant(pair[py::int_(0)]));
            result.items.push_back(constant(pair[py::int_(1)]));
        }
        return result;
    }

    Constant slice(py::handle live) const {
        Constant result;
        result.kind = Constant::Kind::Slice;
        for (const char* field : {"start", "stop", "step"}) result.items.push_back(constant(live.attr(field)));
        return result;
    }

    // Exact types only: a subclass (an IntEnum, a torch.Size) is more than its value.
    Constant constant(py::handle live) const {
        Constant result;
        PyTypeObject* type = Py_TYPE(live.ptr());
        const auto is = [&](const PyTypeObject& wanted) { return type == &wanted; };
        if (live.is_none()) {
            result.kind = Constant::Kind::None;
        } else if (is(PyBool_Type)) {
            result.kind = live.ptr() == Py_True ? Constant::Kind::True : Constant::Kind::False;
        } else if (live.ptr() == Py_Ellipsis) {
            result.kind = Constant::Kind::Ellipsis;
        } else if (is(PyLong_Type)) {
            result.kind = Constant::Kind::Int;
            result.text = decimal(py::reinterpret_borrow<py::object>(live));
        } else if (is(PyFloat_Type)) {
            result.kind = Constant::Kind::Float;
            result.real = PyFloat_AS_DOUBLE(live.ptr());
        } else if (is(PyComplex_Type)) {
            result.kind = Constant::Kind::Complex;
            result.real = PyComplex_RealAsDouble(live.ptr());
            result.imag = PyComplex_ImagAsDouble(live.ptr());
        } else if (is(PyUnicode_Type)) {
            result.kind = Constant::Kind::Str;
            result.text = utf8(live);
        } else if (is(PyBytes_Type)) {
            result.kind = Constant::Kind::Bytes;
            result.text = py::reinterpret_borrow<py::bytes>(live).cast<std::string>();
        } else if (py::type::handle_of(live).is(code_type_)) {
            result.kind = Constant::Kind::Code;
            result.code = code(live);
            result.text = utf8(py::str(describe_(live)));  // where it is passed on as it is
        } else {
            return container(live);
        }
        return result;
    }

    // A list, set or dict can change: it is that very object, not its value.
    Constant container(py::handle live) const {
        PyTypeObject* type = Py_TYPE(live.ptr());
        if (type == &PyTuple_Type) return sequence(Constant::Kind::Tuple, live);
        if (type == &PyFrozenSet_Type) return sequence(Constant::Kind::FrozenSet, live);
        if (type == &PySlice_Type) return slice(live);
        if (!frozen_dict_.is_none() && py::type::handle_of(live).is(frozen_dict_))
            return mapping(Constant::Kind::FrozenDict, live);
        return opaque(live);
    }

    const py::function& describe_;
    py::object code_type_;
    py::object frozen_dict_;
};

}  // namespace

std::shared_ptr<const CodeObject> from_live_code(py::handle code, const py::function& describe) {
    return Converter(describe).code(code);
}

}  // namespace depyf
