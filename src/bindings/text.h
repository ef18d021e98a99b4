// Text of the engine for Python: UTF-8 in which a lone surrogate stands as its three bytes.
#pragma once

#include <pybind11/pybind11.h>

#include <string_view>

namespace depyf {

inline pybind11::str to_str(std::string_view text) {
    PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass");
    if (decoded == nullptr) throw pybind11::error_already_set();
    return pybind11::reinterpret_steal<pybind11::str>(decoded);
}

}  // namespace depyf
