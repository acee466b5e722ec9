// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "prelude.hpp"
#include "ringlet/error.hpp"

namespace ringlet::python {

/// An object that was made with other parameters than the context that it meets.
class ContextMismatch : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

/// Lets exceptions of the library arrive in Python as the classes of ringlet.errors.
void register_errors();

}  // namespace ringlet::python
