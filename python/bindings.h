#pragma once

#include <nanobind/nanobind.h>

namespace hasa::python {

/// What the library throws becomes hasa.Error of hasa/error.py, or what Python calls such a thing.
void bind_errors();

// One function for each part of the library, in a file of its name. What they bind is private to the package: the
// Python files beside the module give it its names, defaults and types.
void bind_tokenizer(nanobind::module_& module);
void bind_graph(nanobind::module_& module);
void bind_training(nanobind::module_& module);
void bind_run(nanobind::module_& module);

}  // namespace hasa::python
