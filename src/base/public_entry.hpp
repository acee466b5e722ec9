// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ringlet/base/error.hpp"

namespace ringlet {

/// Throws the exception that is being handled: in the name of `operation`, and with `operands`
/// behind the offending value, if it has no name yet.
[[noreturn]] RINGLET_API void refuse_in_name_of(const ErrorInfo& error, const char* operation,
                                                const std::string& operands = {});

/// Runs `call`, the work of the public call `operation`. Layers below refuse without a name, and
/// this names them; what has a name, as a public call inside has, keeps it.
template <typename Call>
decltype(auto) public_entry(const char* operation, const Call& call) {
  try {
    return call();
  } catch (const ErrorInfo& error) {
    refuse_in_name_of(error, operation);
  }
}

/// The same, where `describe()` tells the operands: text to stand behind the offending value.
template <typename Describe, typename Call>
decltype(auto) public_entry(const char* operation, const Describe& describe, const Call& call) {
  try {
    return call();
  } catch (const ErrorInfo& error) {
    refuse_in_name_of(error, operation, describe());
  }
}

}  // namespace ringlet
