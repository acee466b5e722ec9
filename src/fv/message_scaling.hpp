// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/fv/wide_poly.hpp"

namespace ringlet::fv {

/// Largest modulus of messages.
inline constexpr std::uint64_t kMaxPlainModulus = std::uint64_t{1} << 32;

/// Scales messages modulo t to their places modulo q, and back. Exact, and constant time in
/// messages and coefficients: divisions by t and q are products with constants, derived in
/// docs/notes/fv_noise.md.
class MessageScaling {
 public:
  /// Takes t from 2 to 2^32 and at most q.
  MessageScaling(const WideModulus& q, std::uint64_t t) noexcept;

  /// Returns round(q*m/t), below q, for m below t. A half is rounded up.
  WideInteger scale(std::uint64_t m) const noexcept;
  /// Returns round(t*w/q) mod t for w below q. A half is rounded up.
  std::uint64_t unscale(const WideInteger& w) const noexcept;

  /// poly[i] = poly[i] + scale(message[i]) modulo q; coefficients below q, messages below t.
  void add_scaled(WidePoly& poly, std::span<const std::uint64_t> message) const noexcept;
  /// message[i] = unscale(poly[i]).
  void unscale(std::span<std::uint64_t> message, const WidePoly& poly) const noexcept;
  /// Returns the largest |poly[i] - scale(message[i])| modulo q, centred.
  WideInteger largest_noise(const WidePoly& poly,
                            std::span<const std::uint64_t> message) const noexcept;

 private:
  WideInteger q_;
  WideInteger half_q_;          // floor(q / 2)
  std::uint64_t q_reciprocal_;  // floor(2^(b + 62) / q) for q of b bits
  int head_shift_;              // max(0, b - 30): N >> head_shift_ is below 2^63
  int quotient_shift_;          // b + 62 - head_shift_, from 64 to 92
  std::uint64_t t_;
  std::uint64_t t_reciprocal_;  // floor((2^64 - 1) / t)
  WideInteger delta_;           // floor(q / t)
  std::uint64_t q_modulo_t_;
};

}  // namespace ringlet::fv
