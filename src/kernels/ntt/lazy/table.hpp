// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy/forward_table.hpp"
#include "kernels/ntt/lazy/inverse_table.hpp"
#include "kernels/ntt/radix2/table.hpp"

namespace ringlet::kernels {

/// Constants of a modulus.
struct LazyConstants {
  std::uint64_t q = 0;
  std::uint64_t quotient = 0;  ///< floor(2^52 / q).
  TwiddlePair one;             ///< The factor 1.
  TwiddlePair word;            ///< The factor 2^52 mod q.
};

/// Head of a lazy table. The streams of twiddles follow it in memory, first the forward one.
struct alignas(64) LazyTable {
  LazyConstants constants;
  LazyForward forward;
  LazyInverse inverse;
  std::size_t inverse_offset = 0;  ///< Words from the end of this head to the inverse stream.

  const std::uint64_t* forward_stream() const {
    return reinterpret_cast<const std::uint64_t*>(this + 1);
  }
  const std::uint64_t* inverse_stream() const { return forward_stream() + inverse_offset; }
};

/// Size of a table in bytes, a multiple of 64.
std::size_t lazy_table_bytes(int log_degree);

/// Fills `memory` (64-byte aligned, lazy_table_bytes long).
void build_lazy_table(void* memory, const NttRequest& request, const Radix2Shape& shape);

}  // namespace ringlet::kernels
