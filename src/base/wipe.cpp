// SPDX-License-Identifier: Apache-2.0
#include "ringlet/base/wipe.hpp"

#include <cstring>

namespace ringlet {

void secure_wipe(void* data, std::size_t bytes) noexcept {
  if (bytes != 0) explicit_bzero(data, bytes);
}

}  // namespace ringlet
