// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace ringlet::python {

/// Lets exceptions of the library arrive in Python as the classes of ringlet.errors.
void register_errors();

}  // namespace ringlet::python
