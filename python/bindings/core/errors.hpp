// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {

/// The error for an object that is used with a context of other parameters.
class ContextMismatch : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
  [[noreturn]] void throw_with(const ErrorDetails& details) const override {
    throw ContextMismatch(details);
  }
};

/// Translates exceptions of the library to the classes of ringlet.errors.
void register_errors();

}  // namespace ringlet::python
