// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/memory/device_memory.hpp"

namespace ringlet::gpu {

/// Limbs in a device's memory: limb i starts at word `place.word + i * stride` of the buffer. To a
/// kernel these are three arguments, in this order.
struct Limbs {
  Place place;
  std::uint64_t stride = 0;
};

/// A list of indices of primes, 64-bit words in a device's memory: which prime each limb is modulo.
/// Primes may repeat, as in a launch over several polynomials.
struct PrimeList {
  Place place;
  std::size_t count = 0;
};

}  // namespace ringlet::gpu
