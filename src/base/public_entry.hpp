// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ringlet/base/error.hpp"

namespace ringlet {

/// Throws the exception that is being handled again. One without a name gets the name `operation`,
/// and `operands` after its offending value.
[[noreturn]] RINGLET_API void refuse_in_name_of(const ErrorInfo& error, const char* operation,
                                                const std::string& operands = {});

/// Runs `call`, the work of the public call `operation`. Layers below throw errors without a name,
/// which get this one. An error that has a name, from a public call inside, keeps it.
template <typename Call>
decltype(auto) public_entry(const char* operation, const Call& call) {
  try {
    return call();
  } catch (const ErrorInfo& error) {
    refuse_in_name_of(error, operation);
  }
}

/// Runs `call` likewise; `describe()` returns text on the operands to follow the offending value.
template <typename Describe, typename Call>
decltype(auto) public_entry(const char* operation, const Describe& describe, const Call& call) {
  try {
    return call();
  } catch (const ErrorInfo& error) {
    refuse_in_name_of(error, operation, describe());
  }
}

}  // namespace ringlet
