// The extension module depyf._engine: values in, values out. Every long step runs without the GIL.
// Its Python signatures stand in python/depyf/_engine.pyi; the public API is python/depyf/__init__.py.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "bytecode/code_object.h"
#include "bytecode/disassembler.h"
#include "bytecode/features.h"
#include "bytecode/pyc_reader.h"
#include "depyf/decompile.h"
#include "live_code.h"
#include "plain_values.h"
#include "text.h"

namespace py = pybind11;
using CodePointer = std::shared_ptr<const depyf::CodeObject>;

using depyf::to_str;
using VersionPair = std::pair<std::uint8_t, std::uint8_t>;

namespace {

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
    for (const auto& entry : depyf::full_line_map(self)) {
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

depyf::Decompilation decompile(const CodePointer& code, const depyf::Options& options) {
    py::gil_scoped_release unlocked;
    return depyf::decompile(*code, options);
}

std::shared_ptr<depyf::CodeObject> mutable_code(const CodePointer& code) {
    return std::const_pointer_cast<depyf::CodeObject>(code);
}

// A .pyc file, or a code object marshalled by an interpreter like the host (type byte 'c', perhaps with FLAG_REF).
std::shared_ptr<depyf::CodeObject> from_bytes(const std::string& data) {
    py::gil_scoped_release unlocked;
    const auto bytes = depyf::as_bytes(data);
    const bool marshalled = !data.empty() && (static_cast<unsigned char>(data[0]) & 0x7F) == 'c';
    if (marshalled) {
        const depyf::Version host{PY_MAJOR_VERSION, PY_MINOR_VERSION};
        return mutable_code(depyf::read_marshal(bytes, host));
    }
    return mutable_code(depyf::read_pyc(bytes).code);
}

depyf::ReadOptions read_options(std::uint32_t max_depth, std::uint64_t max_objects) {
    depyf::ReadOptions options;
    if (max_depth != 0) options.max_depth = max_depth;
    options.max_objects = max_objects;
    return options;
}

py::tuple salvage(const std::string& data, VersionPair version, std::size_t offset, std::uint32_t max_depth,
                  std::uint64_t max_objects) {
    depyf::Salvage found;
    {
        py::gil_scoped_release unlocked;
        found = depyf::salvage_code(depyf::as_bytes(data), {version.first, version.second},
                                    read_options(max_depth, max_objects), offset);
    }
    py::list codes;
    for (const CodePointer& code : found.codes) codes.append(mutable_code(code));
    return py::make_tuple(codes, found.offset, to_str(found.message));
}

py::object version_of_magic(std::uint16_t magic) {
    try {
        const depyf::Version version = depyf::version_of_magic(magic);
        return py::make_tuple(version.major, version.minor);
    } catch (const depyf::Error&) {
        return py::none();
    }
}

py::list nested(const depyf::CodeObject& self) {
    py::list result;
    for (const depyf::Constant& constant : self.consts) {
        if (constant.kind == depyf::Constant::Kind::Code) result.append(mutable_code(constant.code));
    }
    return result;
}

void define_code(py::module_& m) {
    using depyf::CodeObject;
    py::class_<CodeObject, std::shared_ptr<CodeObject>>(m, "Code", "A code object of any version.")
        .def_property_readonly("name", [](const CodeObject& self) { return to_str(self.name); })
        .def_property_readonly(
            "qualname",
            [](const CodeObject& self) { return to_str(self.qualname.empty() ? self.name : self.qualname); })
        .def_property_readonly("filename", [](const CodeObject& self) { return to_str(self.filename); })
        .def_readonly("firstlineno", &CodeObject::firstlineno)
        .def_readonly("flags", &CodeObject::flags)
        .def_property_readonly("size", [](const CodeObject& self) { return self.code.size(); })
        .def_property_readonly("nested", &nested)
        .def("listing", &depyf::plain_listing)
        .def("__repr__",
             [](const CodeObject& self) {
                 return to_str("<Code " + self.name + ", Python " + self.version.text() + ">");
             })
        .def_property_readonly(
            "version", [](const CodeObject& self) { return py::make_tuple(self.version.major, self.version.minor); });
}

// What stands at `index` in Decompilation::codes, instruction by instruction.
py::dict listing(const depyf::Decompilation& self, std::size_t index) {
    const depyf::CodeObject* code = self.codes.at(index).code;
    if (code == nullptr) throw depyf::Error(-1, "the code object is not known");
    return depyf::plain_listing(*code);
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
    define_code(m);
    py::class_<depyf::Decompilation>(m, "Decompilation", "Source text and what is known about it.")
        .def_property_readonly("source", [](const depyf::Decompilation& self) { return to_str(self.source); })
        .def_property_readonly("line_map", &line_map)
        .def_property_readonly("codes", &codes)
        .def("listing", &listing, py::arg("index"))
        .def_property_readonly("diagnostics", &diagnostics);
    m.def(
        "from_live",
        [](py::handle code, const py::function& describe) {
            return mutable_code(depyf::from_live_code(code, describe));
        },
        py::arg("code"), py::arg("describe"));
    m.def("from_bytes", &from_bytes, py::arg("data"));
    m.def("salvage", &salvage, py::arg("data"), py::arg("version"), py::arg("offset") = 0, py::arg("max_depth") = 0,
          py::arg("max_objects") = 0);
    m.def(
        "constant",
        [](const std::string& data, VersionPair version, std::size_t offset) {
            return depyf::plain_value(
                depyf::read_marshal_constant(depyf::as_bytes(data), {version.first, version.second}, {}, offset));
        },
        py::arg("data"), py::arg("version"), py::arg("offset") = 0);
    m.def("version_of_magic", &version_of_magic, py::arg("magic"));
    m.def(
        "decompile",
        [](const std::shared_ptr<depyf::CodeObject>& code, bool as_module, bool verify, bool readable, bool align_lines,
           std::uint32_t max_depth, std::uint32_t max_size, double max_seconds) {
            depyf::Options options;
            options.as_module = as_module;
            options.verify = verify;
            options.readable = readable;
            options.align_lines = align_lines;
            if (max_depth != 0) options.max_depth = max_depth;
            options.max_size = max_size;
            options.max_seconds = max_seconds;
            return decompile(code, options);
        },
        py::arg("code"), py::arg("as_module") = true, py::arg("verify") = true, py::arg("readable") = false,
        py::arg("align_lines") = false, py::arg("max_depth") = 0, py::arg("max_size") = 0, py::arg("max_seconds") = 0.0,
        py::keep_alive<0, 1>());
    m.def(
        "disassemble", [](const std::shared_ptr<depyf::CodeObject>& code) { return to_str(disassemble(code)); },
        py::arg("code"));
}
