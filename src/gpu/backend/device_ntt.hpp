// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gpu/backend/limbs.hpp"
#include "gpu/backend/ntt_plan.hpp"
#include "ringlet/gpu/device.hpp"
#include "ringlet/ring/rns_basis.hpp"

namespace ringlet::gpu {

/// Limbs in batches: limb i of batch b begins i * limbs.stride + b * batch_stride words after limb
/// 0 of batch 0. A limb that is read may serve all limbs (stride 0) or batches.
struct BatchLimbs {
  Limbs limbs;
  std::uint64_t batch_stride = 0;
};

/// A value of NttWork::left_out for which no limb is left out.
inline constexpr std::uint64_t kNoneLeftOut = ~std::uint64_t{0} / 2;

/// A transform of batches of limbs, with the further operands of a fusion.
struct NttWork {
  BatchLimbs result;
  BatchLimbs a;
  PrimeList primes;             ///< Limb i of every batch is modulo the i-th of them.
  std::size_t batch_count = 1;  ///< At most 65535.
  /// For all fusions but make_digits: the constants of src/gpu/kernels/division.inc. Those of limb
  /// i begin at index 8 * (i + 1), those of batch b are b * constants_stride words further on.
  Place constants{};
  std::uint64_t constants_stride = 0;
  /// For divisions: the dividend, and room in which passes exchange words. The room may be `a` if
  /// the limbs of `a` are all different. The result may begin where the dividend does, with the
  /// same strides.
  BatchLimbs dividend{};
  BatchLimbs between{};
  /// run_above_block() leaves limb left_out + b, modulo 2^64, of batch b as it is; only with passes
  /// that lift.
  std::uint64_t left_out = kNoneLeftOut;
};

/// Transforms limbs on a device (negacyclic NTT), in the variant that the device's options name.
/// Tables and kernels of a basis are made once. Words of operands and results have 64 bits.
/// Residues of narrow primes, below 2^30, have 32 bits in registers; for high radices also in local
/// memory and between passes.
/// Results are reduced and equal those of the host bit for bit. Immutable, thread-safe; launches
/// go to the queue of the call.
class DeviceNtt {
 public:
  /// The launches of a transform in their order.
  class Passes;

  /// @throws as make_backend.
  DeviceNtt(std::shared_ptr<DeviceMemory> memory, const RnsBasis& basis);
  ~DeviceNtt();
  DeviceNtt(const DeviceNtt&) = delete;
  DeviceNtt& operator=(const DeviceNtt&) = delete;

  /// Returns a name for people: the variant and the arithmetic of a prime of the basis, such as
  /// "radix8/lazy" or "radix8/narrow"; also whether shuffles are emulated.
  std::string name(std::size_t prime) const;

  /// Transform coefficients to values, and back; limb i is modulo the i-th prime of the list.
  /// Results may be the operands. Operands are reduced; forward also takes operands below 4q.
  void forward(Queue& queue, const Limbs& result, const Limbs& a, const PrimeList& primes) const;
  void inverse(Queue& queue, const Limbs& result, const Limbs& a, const PrimeList& primes) const;

  /// Return the passes of forward() and inverse().
  const Passes& forward_passes() const noexcept;
  const Passes& inverse_passes() const noexcept;
  /// Returns passes that also do the work of `fusion`; null where the variant has none, or the
  /// options want none. The first call compiles the kernels, before anything is launched. The
  /// passes live as long as this object.
  /// @throws as make_backend.
  const Passes* fused(NttFusion fusion) const;

  /// Transforms limbs [first, end) of every batch of `work`. Limbs of results are all different;
  /// without a fusion they may be the operands. Fused forward passes read operands that no result
  /// overlaps.
  void run(Queue& queue, const Passes& passes, const NttWork& work, std::size_t first,
           std::size_t end) const;

  /// Whether a high radix has passes through global memory before those of a block.
  bool has_passes_above_block() const noexcept;
  /// Runs only the passes above the block, at least one, of forward passes of a high radix without
  /// a division. forward_first of ntt_radix.inc reads the result: words of any value that the path
  /// allows, of narrow primes packed as ntt_sets.inc has it.
  void run_above_block(Queue& queue, const Passes& passes, const NttWork& work, std::size_t first,
                       std::size_t end) const;

  /// For other kernels that compute passes by ntt_radix.inc. plan() has their definitions
  /// (`program`, without the files of kernels) and the launch of a block (forward.back()). tables()
  /// has the records of all primes of the basis: the arguments `tables` and `tables_offset`.
  const NttPlan& plan() const noexcept;
  std::size_t degree() const noexcept;
  const Place& tables() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringlet::gpu
