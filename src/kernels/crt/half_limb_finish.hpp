// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/crt/half_limbs.hpp"

namespace ringlet::kernels {

/// ResidueKernel::finish over a policy of 32-bit halves.
template <typename A>
struct HalfLimbFinish {
  using V = Vec<A>;

  static void finish(const FinishArguments& f) { with_half_limbs<Kernel>(f); }

 private:
  template <int kLimbs>
  struct Kernel {
    using Reduction = HalfLimbReduction<A, kLimbs>;

    static void run(const FinishArguments& f) {
      const MixedRadixDigits d = *f.digits;
      const auto constants = Reduction::constants(d);
      std::uint64_t offset[kLimbs + 2];
      for (int k = 0; k < kLimbs + 2; ++k) offset[k] = half_limb(d.offset, k);
      for_each_sum<A>(f.count, f.e,
                      [&](std::size_t i, V summand, const auto& memory)
                          __attribute__((always_inline)) {
                            auto s = gather(f, i, offset, memory);
                            s.limb[0] = A::add(s.limb[0], summand);
                            Reduction::reduce(s, constants);
                            Reduction::store(s, f.results, i, constants, memory);
                          });
    }

   private:
    /// Sums the pieces of the planes in their limbs, modulo 2^(28 * (limbs + 2)).
    template <typename Memory>
    RINGLET_INLINE static typename Reduction::Limbs gather(
        const FinishArguments& f, std::size_t i, const std::uint64_t (&offset)[kLimbs + 2],
        const Memory& memory) {
      V sums[kLimbs + 3];
      unroll<kLimbs + 2>([&](auto k)
                             __attribute__((always_inline)) { sums[k] = A::broadcast(offset[k]); });
      sums[kLimbs + 2] = A::broadcast(0);
      for (std::size_t plane = 0; plane < f.limb_count; ++plane) {
        const V x = memory.load(f.planes + plane * f.stride + i);
        const int bit = f.limb_bits * static_cast<int>(plane);
        const int shift = bit % kHalfLimbBits;
        V* const to = sums + bit / kHalfLimbBits;
        to[0] = A::add(to[0], Reduction::low_limb(A::left(x, shift)));
        to[1] = A::add(to[1], Reduction::low_limb(A::right(x, kHalfLimbBits - shift)));
        // The upper pieces reach beyond the word, where its sign is extended.
        const V third = A::right_signed(x, 2 * kHalfLimbBits - shift);
        const int last = 3 * kHalfLimbBits - shift;
        to[2] = A::add(to[2], Reduction::low_limb(third));
        to[3] = A::add(to[3], A::right_signed(x, last < 63 ? last : 63));
      }
      typename Reduction::Limbs s;
      unroll<kLimbs + 2>([&](auto k) __attribute__((always_inline)) { s.limb[k] = sums[k]; });
      return s;
    }
  };
};

}  // namespace ringlet::kernels
