#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <torch/headeronly/version.h>

#include <string>

#include "bindings.h"
#include "hasa/base/cpu_features.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/base/version.h"
#include "hasa/model/language_model.h"
#include "hasa/ops/core/default_threads.h"

namespace nb = nanobind;

namespace hasa::python {

namespace {

LogLevel log_level_of(const std::string& word) {
  if (word == "debug") return LogLevel::debug;
  if (word == "info") return LogLevel::info;
  if (word == "warning") return LogLevel::warning;
  if (word == "off") return LogLevel::off;
  fail(ErrorKind::config, "unknown log level \"{}\"; expected debug, info, warning or off", word);
}

/// A library is silent unless it is asked: progress is shown where one line of news is wanted as well.
void set_verbosity(const std::string& word) {
  const LogLevel level = log_level_of(word);
  set_log_level(level);
  set_progress_enabled(level <= LogLevel::info);
}

}  // namespace
}  // namespace hasa::python

NB_MODULE(_hasa, module) {
  hasa::limit_onednn_to_this_cpu();  // before anything multiplies
  hasa::use_as_many_threads_as_cores();
  hasa::python::set_verbosity("warning");
  module.doc() = "What the package hasa is made of: the library behind the hasa program.";
  module.attr("version") = hasa::version();
  module.attr("libtorch_version") = TORCH_VERSION;
  module.def("set_verbosity", &hasa::python::set_verbosity, nb::arg("level"));
  module.def("add_model_folder", &hasa::add_model_folder, nb::arg("folder"));
  hasa::python::bind_errors();
  hasa::python::bind_tokenizer(module);
  hasa::python::bind_graph(module);
  hasa::python::bind_training(module);
  hasa::python::bind_run(module);
}
