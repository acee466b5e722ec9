// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy_inverse_table.hpp"
#include "kernels/ntt/lazy_ranges.hpp"
#include "kernels/ntt/radix2_table.hpp"

namespace ringlet::kernels {

/// Constants of a modulus and of the reductions of a transform.
struct LazyConstants {
  std::uint64_t q = 0;
  std::uint64_t quotient = 0;       ///< floor(2^52 / q).
  std::uint64_t bias = 0;           ///< What a reduction in the forward transform adds.
  std::uint64_t forward_bound = 0;  ///< Words of a forward transform are below it at the end.
  TwiddlePair one;                  ///< The factor 1.
  ForwardStages forward;
};

/// Head of a lazy table. The twiddles of the forward transform, as any table of the same Schedule
/// and lane layout has them, follow it in memory, and then those of the inverse one.
struct alignas(64) LazyTable {
  LazyConstants constants;
  LazyInverse inverse;
  std::size_t inverse_offset = 0;  ///< Words from the end of this head to the inverse stream.

  const Radix2Table& twiddles() const { return *reinterpret_cast<const Radix2Table*>(this + 1); }
  const std::uint64_t* inverse_stream() const {
    return reinterpret_cast<const std::uint64_t*>(this + 1) + inverse_offset;
  }
};

/// Size of a table in bytes, a multiple of 64.
std::size_t lazy_table_bytes(int log_degree, const Radix2Shape& shape);

/// Fills `memory` (64-byte aligned, lazy_table_bytes long).
void build_lazy_table(void* memory, const NttRequest& request, const Radix2Shape& shape);

}  // namespace ringlet::kernels
