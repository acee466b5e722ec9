// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/errors.hpp"

#include "ringlet/base/error.hpp"
#include "ringlet/gpu/device.hpp"

namespace ringlet::python {
namespace {

// Raises the exception that a function of ringlet.errors makes of the arguments. The first error
// imports that module, so that the extension loads without its package to make the type stubs.
template <typename... Arguments>
void raise_made_by(const char* function, const Arguments&... arguments) {
  try {
    const nb::object exception =
        nb::module_::import_("ringlet.errors").attr(function)(arguments...);
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
  } catch (nb::python_error& failure) {
    failure.restore();
  }
}

void raise_as(const char* class_name, const ErrorInfo& error) {
  raise_made_by("_of_library", class_name, error.operation(), error.offending(), error.limit(),
                error.remedy());
}

void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const ContextMismatch& error) {
    raise_as("ContextMismatch", error);
  } catch (const InvalidArgument& error) {
    raise_as("InvalidArgument", error);
  } catch (const OutOfRange& error) {
    raise_as("OutOfRange", error);
  } catch (const LogicError& error) {
    raise_as("LogicError", error);
  } catch (const OutOfDeviceMemory& error) {
    raise_as("OutOfDeviceMemory", error);
  } catch (const RuntimeError& error) {
    raise_as("RuntimeFailure", error);
  }
}

}  // namespace

void register_errors() { nb::register_exception_translator(translate); }

}  // namespace ringlet::python

// The linker redirects every call of PyErr_SetString in this extension to this function. nanobind
// has no hook for the error of a call that fits no signature, and prints all signatures.
extern "C" {
void __real_PyErr_SetString(PyObject* type, const char* message);

void __wrap_PyErr_SetString(PyObject* type, const char* message) {
  constexpr std::string_view kStart = "(): incompatible function arguments.";
  const bool is_call = std::string_view(message).find(kStart) != std::string_view::npos;
  if (!is_call) return __real_PyErr_SetString(type, message);
  ringlet::python::raise_made_by("_of_call", message);
}
}
