// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include "ringlet/device.hpp"
#include "ringlet/error.hpp"

namespace ringlet::python {
namespace {

void raise_as(const char* class_name, const ErrorInfo& error) {
  try {
    // Imported at the first error and not before, so that the extension loads without its package
    // (which is how the type stubs are made).
    nb::object type = nb::module_::import_("ringlet.errors").attr(class_name);
    nb::object exception =
        type(error.operation(), error.offending(), error.limit(), error.remedy());
    PyErr_SetObject(type.ptr(), exception.ptr());
  } catch (nb::python_error& failure) {
    failure.restore();
  }
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
