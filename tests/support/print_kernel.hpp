// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "ringlet/kernel_selection.hpp"

namespace ringlet {

/// What GoogleTest shows of a kernel that is the parameter of a test.
inline void PrintTo(const KernelInfo& kernel, std::ostream* stream) { *stream << kernel.name; }

}  // namespace ringlet
