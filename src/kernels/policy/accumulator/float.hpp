// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/accumulator/policy.hpp"
#include "kernels/policy/float/float_quotient.hpp"

namespace ringlet::kernels {

/// Sums of products modulo q < 2^50 in pairs of doubles (see float_quotient.hpp): a product is
/// split at bit 50, exactly, and the parts have sums of their own. Needs rounding to nearest.
/// docs/notes/accumulators.md
template <typename L, int kVectorsAtOnce>
struct FloatSums {
  using Arithmetic = FloatQuotient<L>;
  using V = typename L::Vec;
  using Real = typename L::Real;
  using Reduction = FloatModulus<L>;

  struct Sum {
    Real high;  ///< A multiple of 2^50 up to 2^103.
    Real low;   ///< An integer below 2^53, of either sign.
  };

  static constexpr std::uint64_t kModulusLimit = std::uint64_t{1} << 50;
  static constexpr std::uint64_t kDotModulusLimit = kModulusLimit;
  static constexpr int kOperandBits = 50;
  static constexpr int kRange = 1;
  static constexpr int kVectors = kVectorsAtOnce;

  RINGLET_INLINE static std::size_t max_terms(std::uint64_t q) {
    return power_of_terms(103 - 2 * bit_count(q), 3);
  }
  RINGLET_INLINE static Sum start(V x) { return {L::broadcast_real(0), L::to_real(x)}; }
  RINGLET_INLINE static Sum accumulate(const Sum& sum, V x, V y) {
    const Real real_x = L::to_real(x);
    const Real real_y = L::to_real(y);
    const Real shift = L::broadcast_real(0x1.8p102);  // its last bit is bit 50
    const Real high = L::sub_real(L::mul_add(real_x, real_y, shift), shift);
    return {L::add_real(sum.high, high), L::add_real(sum.low, L::mul_sub(real_x, real_y, high))};
  }
  RINGLET_INLINE static Reduction make_reduction(const EltwiseArguments& e) {
    return Arithmetic::make_barrett(e);
  }
  RINGLET_INLINE static V reduce(const Sum& sum, const Reduction& r) {
    const Real first = Arithmetic::rounded_product(sum.high, r.inverse, 0x1p53);
    const Real rest = L::add_real(L::sub_mul(sum.high, first, r.real_q), sum.low);
    const Real second = Arithmetic::rounded_product(rest, r.inverse, 0x1.8p52);
    return Arithmetic::residue(L::sub_mul(rest, second, r.real_q), r);
  }
};

}  // namespace ringlet::kernels
