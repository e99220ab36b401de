#include <c10/util/Exception.h>
#include <nanobind/nanobind.h>

#include <exception>
#include <filesystem>

#include "bindings.h"
#include "hasa/base/error.h"
#include "hasa/base/stop_signal.h"
#include "hasa/ops/core/out_of_memory.h"
#include "utf8.h"

namespace nb = nanobind;

namespace hasa::python {

namespace {

void set_error(PyObject* type, const Error& error) {
  const nb::object instance = nb::handle(type)(utf8_text(error.what()));
  instance.attr("kind") = to_string(error.kind());
  PyErr_SetObject(type, instance.ptr());
}

void translate(const std::exception_ptr& thrown, void* error_type) {
  auto* type = static_cast<PyObject*>(error_type);
  try {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& problem) {
      fail_if_out_of_memory(problem, "what was asked for", "fewer at a time, or a larger machine");
      throw;
    }
  } catch (const Stopped& stopped) {  // by Ctrl-C, or another signal to the same end
    PyErr_SetString(PyExc_KeyboardInterrupt, stopped.what());
  } catch (const Error& error) {
    set_error(type, error);
  } catch (const c10::Error& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what_without_backtrace());
  } catch (const std::filesystem::filesystem_error& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  }
}

}  // namespace

void bind_errors() {
  nb::object type = nb::module_::import_("hasa.error").attr("Error");
  nb::register_exception_translator(translate, type.release().ptr());  // for as long as the process lives
}

}  // namespace hasa::python
