// The extension module depyf._engine: values in, values out. Every long step runs without the GIL.
// Its Python signatures stand in python/depyf/_engine.pyi; the public API is python/depyf/__init__.py.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "bytecode/code_object.h"
#include "bytecode/disassembler.h"
#include "bytecode/pyc_reader.h"
#include "depyf/decompile.h"
#include "live_code.h"

namespace py = pybind11;
using CodePointer = std::shared_ptr<const depyf::CodeObject>;

namespace {

// Text of the engine is UTF-8 in which a lone surrogate stands as its three bytes.
py::str to_str(const std::string& text) {
    PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass");
    if (decoded == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::str>(decoded);
}

const char* verdict_name(depyf::Verdict verdict) {
    switch (verdict) {
        case depyf::Verdict::Exact: return "exact";
        case depyf::Verdict::Equivalent: return "equivalent";
        case depyf::Verdict::Unproved: return "unproved";
        case depyf::Verdict::Failed: return "failed";
    }
    return "failed";
}

py::list line_map(const depyf::Decompilation& self) {
    py::list result;
    for (const auto& entry : self.line_map) {
        result.append(py::make_tuple(entry.code_index, entry.offset, entry.output_line));
    }
    return result;
}

py::list codes(const depyf::Decompilation& self) {
    py::list result;
    for (const auto& entry : self.codes)
        result.append(py::make_tuple(to_str(entry.qualname), verdict_name(entry.verdict)));
    return result;
}

py::list diagnostics(const depyf::Decompilation& self) {
    py::list result;
    for (const auto& entry : self.diagnostics) {
        result.append(py::make_tuple(to_str(entry.qualname), entry.offset, to_str(entry.message)));
    }
    return result;
}

depyf::Decompilation decompile(const CodePointer& code, bool as_module, bool verify, bool readable) {
    depyf::Options options;
    options.as_module = as_module;
    options.verify = verify;
    options.readable = readable;
    py::gil_scoped_release unlocked;
    return depyf::decompile(*code, options);
}

// A .pyc file, or a code object marshalled by an interpreter like the host (type byte 'c', perhaps with FLAG_REF).
std::shared_ptr<depyf::CodeObject> from_bytes(const std::string& data) {
    py::gil_scoped_release unlocked;
    const auto bytes = depyf::as_bytes(data);
    const bool marshalled = !data.empty() && (static_cast<unsigned char>(data[0]) & 0x7F) == 'c';
    if (marshalled) {
        const depyf::Version host{PY_MAJOR_VERSION, PY_MINOR_VERSION};
        return std::const_pointer_cast<depyf::CodeObject>(depyf::read_marshal(bytes, host));
    }
    return std::const_pointer_cast<depyf::CodeObject>(depyf::read_pyc(bytes).code);
}

std::string disassemble(const CodePointer& code) {
    py::gil_scoped_release unlocked;
    return depyf::disassemble(*code);
}

}  // namespace

PYBIND11_MODULE(_engine, m) {
    py::register_exception_translator([](std::exception_ptr pending) {
        try {
            if (pending) std::rethrow_exception(pending);
        } catch (const depyf::Error& error) {
            const std::string where = error.offset() < 0 ? "" : " (at byte " + std::to_string(error.offset()) + ")";
            PyErr_SetString(PyExc_ValueError, (error.what() + where).c_str());
        }
    });
    m.doc() = "The decompiler engine.";
    py::class_<depyf::CodeObject, std::shared_ptr<depyf::CodeObject>>(m, "Code", "A code object of any version.")
        .def_property_readonly("name", [](const depyf::CodeObject& self) { return to_str(self.name); })
        .def("__repr__",
             [](const depyf::CodeObject& self) {
                 return to_str("<Code " + self.name + ", Python " + self.version.text() + ">");
             })
        .def_property_readonly("version", [](const depyf::CodeObject& self) {
            return py::make_tuple(self.version.major, self.version.minor);
        });
    py::class_<depyf::Decompilation>(m, "Decompilation", "Source text and what is known about it.")
        .def_property_readonly("source", [](const depyf::Decompilation& self) { return to_str(self.source); })
        .def_property_readonly("line_map", &line_map)
        .def_property_readonly("codes", &codes)
        .def_property_readonly("diagnostics", &diagnostics);
    m.def(
        "from_live",
        [](py::handle code, const py::function& describe) {
            return std::const_pointer_cast<depyf::CodeObject>(depyf::from_live_code(code, describe));
        },
        py::arg("code"), py::arg("describe"));
    m.def("from_bytes", &from_bytes, py::arg("data"));
    m.def(
        "decompile",
        [](const std::shared_ptr<depyf::CodeObject>& code, bool as_module, bool verify, bool readable) {
            return decompile(code, as_module, verify, readable);
        },
        py::arg("code"), py::arg("as_module") = true, py::arg("verify") = true, py::arg("readable") = false);
    m.def(
        "disassemble", [](const std::shared_ptr<depyf::CodeObject>& code) { return to_str(disassemble(code)); },
        py::arg("code"));
}
