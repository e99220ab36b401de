#include <nanobind/nanobind.h>

#include "bindings.h"
#include "hasa/base/cpu_features.h"
#include "hasa/base/error.h"
#include "hasa/base/version.h"

NB_MODULE(hasa, module) {
  hasa::limit_onednn_to_this_cpu();  // before anything multiplies
  module.doc() = "Knowledge-graph completion from text: the library behind the hasa program.";
  module.attr("__version__") = hasa::version();
  const nanobind::exception<hasa::Error> error(module, "Error", PyExc_ValueError);
  hasa::python::bind_tokenizer(module);
}
