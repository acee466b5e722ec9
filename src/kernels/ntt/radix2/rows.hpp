// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/radix2/table.hpp"
#include "kernels/ntt/rows.hpp"
#include "kernels/policy/policy.hpp"
#include "kernels/policy/range_check.hpp"

// What the passes of the radix-2 negacyclic transform are made of, with Harvey's butterflies, over
// any policy. Several stages share one trip through the registers (see schedule.hpp); the
// arithmetic is that of one stage at a time.

namespace ringlet::kernels {

/// Whether products are in [0, q), not in [0, 2q). ExactRadix2 then has q for the 2q of this file.
template <typename A>
inline constexpr bool kProductsAreResidues = requires { requires A::kProductsAreResidues; };

/// Forward butterfly (Cooley-Tukey; Boemer et al., "Intel HEXL", Algorithms 4 and 6):
/// (u, v) <- (u + w*v, u - w*v), u, v in [0, 4q) -> [0, 4q). With kReduced, u is in [0, 2q)
/// already.
template <ArithmeticPolicy A, bool kReduced>
RINGLET_INLINE void forward_butterfly(Vec<A>& u, Vec<A>& v, const Twiddle<A>& w, const Mod<A>& m) {
  const Vec<A> a = kReduced ? u : A::reduce_once(u, m.two_q);
  expect_below<A>(a, m.two_q);
  const Vec<A> b = A::mul_lazy(v, w, m);
  expect_below<A>(b, m.two_q);
  u = A::add(a, b);
  v = A::sub(A::add(a, m.two_q), b);
}

/// Inverse butterfly (Gentleman-Sande; "Intel HEXL", Algorithms 5 and 7):
/// (u, v) <- (u + v, w*(u - v)), u, v in [0, 2q) -> [0, 2q). With kReduced, u and v are in [0, q).
template <ArithmeticPolicy A, bool kReduced>
RINGLET_INLINE void inverse_butterfly(Vec<A>& u, Vec<A>& v, const Twiddle<A>& w, const Mod<A>& m) {
  expect_below<A>(u, m.two_q);
  expect_below<A>(v, m.two_q);
  const Vec<A> sum = A::add(u, v);
  const Vec<A> difference = A::add(A::sub(u, v), m.two_q);
  u = kReduced ? sum : A::reduce_once(sum, m.two_q);
  v = A::mul_lazy(difference, w, m);
}

/// The inverse butterfly of stage 0, which also divides by N: w carries 1/N, `scale` is 1/N.
template <ArithmeticPolicy A>
RINGLET_INLINE void last_inverse_butterfly(Vec<A>& u, Vec<A>& v, const Twiddle<A>& w,
                                           const Twiddle<A>& scale, const Mod<A>& m) {
  const Vec<A> sum = A::add(u, v);
  const Vec<A> difference = A::add(A::sub(u, v), m.two_q);
  u = A::mul_lazy(sum, scale, m);
  v = A::mul_lazy(difference, w, m);
}

template <ArithmeticPolicy A, int K>
RINGLET_INLINE void load_tree(Twiddle<A> (&tree)[(1 << K) - 1], const std::uint64_t* words) {
  unroll<(1 << K) - 1>([&](auto i) __attribute__((always_inline)) {
    tree[i] = broadcast_twiddle<A>(words + 2 * decltype(i)::value);
  });
}

/// Copies values between bit-reversed order and the order in which the last stage of a transform by
/// pairs of vectors leaves them.
template <ArithmeticPolicy A>
void reorder_lanes(std::uint64_t* result, const std::uint64_t* operand, int log_degree,
                   bool to_bit_reversed) {
  const std::size_t degree = std::size_t{1} << log_degree;
  for (std::size_t i = 0; i < degree; i += 2 * kLanes<A>) {
    Vec<A> a = A::load(operand + i);
    Vec<A> b = A::load(operand + i + kLanes<A>);
    to_bit_reversed ? A::template to_lane_stage<A::kLogLanes>(a, b)
                    : A::template from_lane_stage<A::kLogLanes>(a, b);
    A::store(result + i, a);
    A::store(result + i + kLanes<A>, b);
  }
}

/// The state of a transform: its buffers and its place in the stream of twiddles. The first pass
/// over a block reads the operand; all later ones work in place on the result.
template <ArithmeticPolicy A>
struct Radix2Cursor {
  const Radix2Table& table;
  std::uint64_t* result;
  const std::uint64_t* operand;
  const std::uint64_t* stream;
  Mod<A> modulus;
  RangeFactors factors;
};

}  // namespace ringlet::kernels
