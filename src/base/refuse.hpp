// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ringlet/base/error.hpp"

namespace ringlet {

/// Throws an error without a name: public_entry adds the name of the call.
template <typename Error = InvalidArgument>
[[noreturn, gnu::cold, gnu::noinline]] void refuse(const std::string& offending,
                                                   const std::string& limit,
                                                   const std::string& remedy) {
  throw Error({.offending = offending, .limit = limit, .remedy = remedy});
}
/// Throws the error again, with `place` before its offending value: "element 3 of 8: ...".
[[noreturn]] RINGLET_API void refuse_at(const std::string& place, const ErrorInfo& error);

}  // namespace ringlet
