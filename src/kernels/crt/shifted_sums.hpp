// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/crt/residue_kernel.hpp"
#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// Multiplies a polynomial by one with coefficients in {-1, 0, 1} by additions: each coefficient
/// adds the other polynomial, its complement, or zero, at its place. Tiles of the sums stay in
/// registers: a vector of p costs a load, two logical operations and an addition.
template <VectorPolicy A>
struct ShiftedSums {
  static constexpr std::size_t kVectors = kLanes<A> == 1 ? 16 : 8;
  static constexpr std::size_t kTile = kVectors * kLanes<A>;
  static_assert(kShiftPadding % kTile == 0);

  static void add(const ShiftArguments& a) {
    for (std::size_t t = 0; t < a.count; t += kTile) {
      const std::size_t from = t < a.degree ? 0 : t - a.degree + 1;
      const std::size_t to = t + kTile < a.degree ? t + kTile : a.degree;
      add_tile(a, t, from, to);
    }
  }

 private:
  RINGLET_INLINE static void add_tile(const ShiftArguments& a, std::size_t t, std::size_t from,
                                      std::size_t to) {
    Vec<A> tile[kVectors];
    Vec<A> negatives = A::broadcast(0);
    for (Vec<A>& sum : tile) sum = negatives;
    for (std::size_t j = from; j < to; ++j) {
      const Vec<A> used = A::broadcast(a.used[j]);
      const Vec<A> negative = A::broadcast(a.negative[j]);
      negatives = A::add(negatives, negative);
      const std::uint64_t* const shifted = a.p + t - j;
      for (std::size_t v = 0; v < kVectors; ++v) {
        tile[v] = A::add(tile[v], (A::load(shifted + v * kLanes<A>) & used) ^ negative);
      }
    }
    // The complement of x is -x - 1: `negatives` corrects the ones, for all lanes together.
    for (std::size_t v = 0; v < kVectors; ++v) {
      A::store(a.sums + t + v * kLanes<A>, A::sub(tile[v], negatives));
    }
  }
};

}  // namespace ringlet::kernels
