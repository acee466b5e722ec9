// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>

#include "ringlet/base/wipe.hpp"
#include "seal/util/common.h"

namespace ringlet::seal4_util {

namespace detail {

void throw_does_not_fit(const char* operation) {
  throw std::logic_error(std::string(operation) + ": the result does not fit in its type");
}

}  // namespace detail

void seal_memzero(void* data, std::size_t size) { secure_wipe(data, size); }

}  // namespace ringlet::seal4_util
