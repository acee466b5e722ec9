// SPDX-License-Identifier: Apache-2.0
#include "native.hpp"

#include "context_level.hpp"
#include "ringlet/error.hpp"

namespace ringlet::seal4 {
namespace detail {

struct NativeAccess {
  static const ContextLevel& level(const SEALContext::ContextData& data) {
    const ContextLevel& level = *data.level_;
    if (level.native_level == nullptr) {
      throw_invalid_argument({.operation = "SEALContext",
                              .offending = level.qualifiers.parameter_error_message(),
                              .limit = "valid encryption parameters",
                              .remedy = "ask parameters_set() before the context is used"});
    }
    return level;
  }
};

}  // namespace detail

const ringlet::Context& native_context(const SEALContext& context) {
  return *detail::NativeAccess::level(*context.key_context_data()).native;
}

const ringlet::ContextData& native_level(const SEALContext::ContextData& level) {
  return *detail::NativeAccess::level(level).native_level;
}

}  // namespace ringlet::seal4
