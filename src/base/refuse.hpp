// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ringlet/base/error.hpp"

namespace ringlet {

/// Throws an InvalidArgument without a name: public_entry adds that of the call.
[[noreturn]] RINGLET_API void refuse(const std::string& offending, const std::string& limit,
                                     const std::string& remedy);
/// Throws the error again, with `place` before its offending value: "element 3 of 8: ...".
[[noreturn]] RINGLET_API void refuse_at(const std::string& place, const ErrorInfo& error);

}  // namespace ringlet
