// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {

/// An object that was made with other parameters than the context that it meets.
class ContextMismatch : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
  [[noreturn]] void throw_with(const ErrorDetails& details) const override {
    throw ContextMismatch(details);
  }
};

/// Lets exceptions of the library arrive in Python as the classes of ringlet.errors.
void register_errors();

}  // namespace ringlet::python
