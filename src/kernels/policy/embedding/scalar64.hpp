// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/embedding/words.hpp"

namespace ringlet::kernels {

/// One double or word at a time, for the embedding. EmbeddingIntegers itself reduces words one by
/// one.
struct EmbeddingScalar64 {
  using Real = double;
  using Vec = std::uint64_t;
  using Flags = std::uint64_t;  ///< 0 or 1.

  static constexpr std::size_t kLanes = 1;
  static constexpr std::uint64_t kMinReduced = 1;
  static constexpr std::uint64_t kMaxReduced = 0;

  RINGLET_INLINE static Real load_real(const double* p) { return *p; }
  RINGLET_INLINE static void store_real(double* p, Real x) { *p = x; }
  RINGLET_INLINE static Real broadcast_real(double x) { return x; }
  RINGLET_INLINE static Real add_real(Real x, Real y) { return x + y; }
  RINGLET_INLINE static Real sub_real(Real x, Real y) { return x - y; }
  RINGLET_INLINE static Real mul_real(Real x, Real y) { return x * y; }

  RINGLET_INLINE static Vec load(const std::uint64_t* p) { return *p; }
  RINGLET_INLINE static void store(std::uint64_t* p, Vec x) { *p = x; }
  RINGLET_INLINE static Vec broadcast(std::uint64_t x) { return x; }
  RINGLET_INLINE static Vec real_bits(Real x) { return bits_of(x); }
  RINGLET_INLINE static Vec magnitude(Vec x) { return x & kMagnitudeBits; }
  RINGLET_INLINE static Vec larger(Vec x, Vec y) { return larger_word(x, y); }
  RINGLET_INLINE static Vec round(Vec x, Vec offset) {
    return round_word(x, static_cast<std::int64_t>(offset));
  }
  RINGLET_INLINE static Vec make_divisor(std::uint64_t q) { return q; }
  RINGLET_INLINE static Vec reduce(Vec x, Vec) { return x; }

  RINGLET_INLINE static Flags no_flags() { return 0; }
  /// Opaque: a compiler that sees only the values 0 and 1 branches where the sign is used.
  RINGLET_INLINE static Flags above(Vec x, Vec half, Flags flags) {
    return opaque(static_cast<std::uint64_t>(x + flags > half));
  }
  RINGLET_INLINE static Vec complement_where(Vec x, Vec top, Flags flags) {
    return x ^ ((x ^ (top - x)) & (0 - flags));
  }
  RINGLET_INLINE static Real to_real(Vec x) {
    return static_cast<double>(static_cast<std::int64_t>(x));
  }
  RINGLET_INLINE static Real real_where(Flags flags, Real x) { return to_real(flags) * x; }
  RINGLET_INLINE static Real negate_where(Real x, Flags flags) {
    return x * (1.0 - 2.0 * to_real(flags));
  }

  RINGLET_INLINE static void scatter_pairs(double* re, double* im, const std::uint32_t* places,
                                           const double* slots, double factor) {
    for (std::size_t k = 0; k < 4; ++k) {
      re[places[k]] = flush_tiny(slots[2 * k]) * factor;
      im[places[k]] = flush_tiny(slots[2 * k + 1]) * (k % 2 == 0 ? factor : -factor);
    }
  }
  RINGLET_INLINE static void scatter_reals(double* re, const std::uint32_t* places,
                                           const double* slots, double factor) {
    for (std::size_t k = 0; k < 4; ++k) re[places[k]] = flush_tiny(slots[k]) * factor;
  }
  RINGLET_INLINE static void gather_pairs(double* slots, const std::uint32_t* places,
                                          const double* re, const double* im) {
    for (std::size_t k = 0; k < 4; ++k) {
      slots[2 * k] = re[places[k]];
      slots[2 * k + 1] = k % 2 == 0 ? im[places[k]] : -im[places[k]];
    }
  }
  RINGLET_INLINE static void gather_reals(double* slots, const std::uint32_t* places,
                                          const double* re) {
    for (std::size_t k = 0; k < 4; ++k) slots[k] = re[places[k]];
  }
};

}  // namespace ringlet::kernels
