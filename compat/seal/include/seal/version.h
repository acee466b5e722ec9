// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "seal/util/config.h"

namespace ringlet::seal4 {

/// A version of SEAL's interface and files.
struct SEALVersion {
  std::uint8_t major = SEAL_VERSION_MAJOR;
  std::uint8_t minor = SEAL_VERSION_MINOR;
  std::uint8_t patch = SEAL_VERSION_PATCH;
  std::uint8_t tweak = 0;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
