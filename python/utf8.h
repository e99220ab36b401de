#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace hasa::python {

/// Bytes that are no UTF-8 come as U+FFFD: a damaged name must not keep its graph from being read.
inline nanobind::str utf8_text(std::string_view text) {
  PyObject* const decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) nanobind::raise_python_error();
  return nanobind::steal<nanobind::str>(decoded);
}

}  // namespace hasa::python
