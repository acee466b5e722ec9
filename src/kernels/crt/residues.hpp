// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/crt/residue_kernel.hpp"
#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// What a policy offers besides VectorPolicy:
///   load_small(p):  signed bytes as words of 64 bits
///   where_negative(x, y): y in the lanes where x, a signed word, is negative, 0 in the others
///   halve(x, m):    x/2 modulo p for x in [0, p), m = (p + 1)/2
template <typename A>
concept ResiduePolicy = VectorPolicy<A> && requires(Vec<A> x, const std::int8_t* small) {
  { A::load_small(small) } -> std::same_as<Vec<A>>;
  { A::where_negative(x, x) } -> std::same_as<Vec<A>>;
  { A::halve(x, x) } -> std::same_as<Vec<A>>;
};

template <ResiduePolicy A>
struct Residues {
  static void spread(std::uint64_t* result, const std::int8_t* small, std::size_t count,
                     std::uint64_t p) {
    const Vec<A> modulus = A::broadcast(p);
    for (std::size_t i = 0; i < count; i += kLanes<A>) {
      const Vec<A> value = A::load_small(small + i);
      A::store(result + i, A::add(value, A::where_negative(value, modulus)));
    }
  }

  /// X^A is -1 modulo the first polynomial and 1 modulo the second. Half of the difference of the
  /// two remainders, both modulo X^B + 1, is the part at X^A. The part at 1 needs it as a summand.
  static void join(const JoinArguments& a) {
    const Vec<A> p = A::broadcast(a.p);
    const Vec<A> half = A::broadcast(a.p / 2 + 1);
    for (std::size_t j = 0; j < a.top; j += kLanes<A>) {
      Vec<A> difference = A::load(a.words + a.first + j);
      // A/B is even: blocks come in pairs of both signs.
      for (std::size_t i = j; i < a.first; i += 2 * a.second) {
        difference = A::add(difference, A::sub(p, A::load(a.words + i)));
        difference = A::reduce_once(difference, p);
        difference = A::reduce_once(A::add(difference, A::load(a.words + i + a.second)), p);
      }
      difference = A::halve(difference, half);
      A::store(a.words + a.first + j, difference);
      A::store(a.words + j, A::reduce_once(A::add(A::load(a.words + j), difference), p));
    }
  }
};

}  // namespace ringlet::kernels
