// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gpu/limbs.hpp"
#include "ringlet/device.hpp"
#include "ringlet/rns_basis.hpp"

namespace ringlet::gpu {

/// Negacyclic transforms of limbs on a device, in the variant that its options name. Tables and
/// kernels of a basis are made once. Words are of 64 bits everywhere; those of narrow primes, below
/// 2^30, have 32 bits in registers, and in the high radices in local memory. Results are reduced
/// and equal those of the host bit for bit. Immutable; launches go to the queue that is handed in.
class DeviceNtt {
 public:
  /// @throws as make_backend.
  DeviceNtt(std::shared_ptr<DeviceMemory> memory, const RnsBasis& basis);
  ~DeviceNtt();
  DeviceNtt(const DeviceNtt&) = delete;
  DeviceNtt& operator=(const DeviceNtt&) = delete;

  /// For people: the variant and the arithmetic of a prime of the basis, such as "radix8/lazy" or
  /// "radix8/narrow"; also whether shuffles are emulated.
  std::string name(std::size_t prime) const;

  /// Coefficients to values, and back; limb i modulo the i-th prime of the list. Results may be the
  /// operands themselves. Operands are reduced; forward also takes operands below 4q.
  void forward(Queue& queue, const Limbs& result, const Limbs& a, const PrimeList& primes) const;
  void inverse(Queue& queue, const Limbs& result, const Limbs& a, const PrimeList& primes) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringlet::gpu
