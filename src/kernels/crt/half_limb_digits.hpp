// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/crt/half_limbs.hpp"

namespace ringlet::kernels {

/// ResidueKernel::reconstruct over a policy of 32-bit halves.
template <typename A>
struct HalfLimbDigits {
  using V = Vec<A>;

  static void reconstruct(const ReconstructArguments& r) { with_half_limbs<Kernel>(r); }

 private:
  /// Constants of the digits, with weights in limbs.
  template <int kLimbs>
  struct Digits {
    explicit Digits(const MixedRadixDigits& d) : count(d.count) {
      for (int k = 0; k < kLimbs; ++k) offset[k] = half_limb(d.offset, k);
      offset[kLimbs] = half_limb(d.offset, kLimbs);
      for (std::size_t j = 0; j < d.count; ++j) {
        for (int k = 0; k < kLimbs; ++k) weight[j][k] = half_limb(d.digit[j].weight, k);
      }
    }
    std::size_t count;
    std::uint64_t offset[kLimbs + 1];
    std::uint64_t weight[kMaxResiduePrimes][kLimbs];
  };

  /// Returns digit j, canonical, from x, its positive residue.
  RINGLET_INLINE static V digit(V x, const MixedRadixDigit& m, const V* before, std::size_t j) {
    EltwiseArguments arguments;
    arguments.q = m.p;
    arguments.ratio = m.ratio;
    const typename A::Barrett barrett = A::make_barrett(arguments);
    V y = A::reduce_word_short(x, barrett);
    for (std::size_t i = 0; i < j; ++i) {
      // In (0, 5p), as the primes are of one size.
      const V z = A::add(y, A::sub(barrett.two_q, before[i]));
      y = A::mul_factor_range(z, A::make_factor(m.inverse[i], m.inverse_quotient[i]), barrett);
    }
    return A::reduce_once(A::reduce_once(y, barrett.two_q), barrett.q);
  }

  template <int kLimbs>
  struct Kernel {
    using Reduction = HalfLimbReduction<A, kLimbs>;

    static void run(const ReconstructArguments& r) {
      with_count<kMaxResiduePrimes>(r.digits->count,
                                    [&](auto count)
                                        __attribute__((always_inline)) { with_digits<count>(r); });
    }

   private:
    template <int kDigits>
    static void with_digits(const ReconstructArguments& r) {
      const MixedRadixDigits d = *r.digits;
      const Digits<kLimbs> digits(d);
      const auto constants = Reduction::constants(d);
      for_each_sum<A>(r.count, r.e,
                      [&](std::size_t i, V summand, const auto& memory)
                          __attribute__((always_inline)) {
                            V v[kDigits];
                            unroll<kDigits>([&](auto j) __attribute__((always_inline)) {
                              constexpr std::size_t kDigit = j;
                              const V x = memory.load(r.residues + kDigit * r.stride + i);
                              const V shifted = A::add(x, A::broadcast(d.digit[kDigit].shift));
                              v[j] = digit(shifted, d.digit[kDigit], v, kDigit);
                            });
                            auto s = sum<kDigits>(v, summand, digits);
                            Reduction::reduce(s, constants);
                            Reduction::store(s, r.results, i, constants, memory);
                          });
    }

    /// Sums the digits times their weights. Digits are multiplied in two parts, of 28 and 22 bits.
    template <int kDigits>
    RINGLET_INLINE static typename Reduction::Limbs sum(const V (&v)[kDigits], V summand,
                                                        const Digits<kLimbs>& d) {
      typename Reduction::Limbs s;
      unroll<kLimbs + 1>(
          [&](auto k) __attribute__((always_inline)) { s.limb[k] = A::broadcast(d.offset[k]); });
      s.limb[kLimbs + 1] = A::broadcast(0);
      s.limb[0] = A::add(s.limb[0], A::add(summand, v[0]));
      unroll<kDigits - 1>([&](auto i) __attribute__((always_inline)) {
        constexpr int j = i + 1;
        const V low = Reduction::low_limb(v[j]);
        const V high = A::right(v[j], kHalfLimbBits);
        unroll<kLimbs>([&](auto k) __attribute__((always_inline)) {
          const V weight = A::broadcast(d.weight[j][k]);
          s.limb[k] = A::add(s.limb[k], A::mul_half(low, weight));
          s.limb[k + 1] = A::add(s.limb[k + 1], A::mul_half(high, weight));
        });
      });
      return s;
    }
  };
};

}  // namespace ringlet::kernels
