#pragma once

#include <nanobind/nanobind.h>

namespace hasa::python {

// One function for each part of the library, in a file of its name.
void bind_tokenizer(nanobind::module_& module);

}  // namespace hasa::python
