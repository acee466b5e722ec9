// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "ringlet/base/error.hpp"

namespace intel::hexl {

/// Returns the factor as a plan takes it; the plan checks the limits of each operation.
inline int narrow_factor(const char* name, std::uint64_t factor) {
  if (factor <= std::numeric_limits<int>::max()) return static_cast<int>(factor);
  ringlet::throw_invalid_argument({.operation = name,
                                   .offending = std::string(name) + " = " + std::to_string(factor),
                                   .limit = "powers of two up to 8",
                                   .remedy = "use a smaller factor; 1 means reduced values"});
}

/// Runs `call`. Errors of `call` name `function`, which the caller knows.
template <typename Call>
auto call_named(const char* function, Call call) {
  try {
    return call();
  } catch (const ringlet::InvalidArgument& error) {
    ringlet::throw_invalid_argument({function, error.offending(), error.limit(), error.remedy()});
  }
}

}  // namespace intel::hexl
