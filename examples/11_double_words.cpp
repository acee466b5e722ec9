// SPDX-License-Identifier: Apache-2.0
//
// Lesson 11: numbers of two words, and polynomials of them.
//
// Residues modulo one q of up to 124 bits replace residues modulo several smaller primes: a sum is
// a sum, the order of numbers is visible, and no reconstruction is necessary. A number is a low
// word and a high word. A vector of numbers is two planes, all low words and all high words, or
// pairs, as a file or an array of another program may have them; a call accepts both, mixed.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "lesson.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ntt/wide.hpp"

namespace {

using ringlet::DoubleWord;
using ringlet::WideEltwise;
using ringlet::WideModulus;
using ringlet::WideNtt;
using ringlet::WideOperand;
using ringlet::WideResult;
using ringlet::WideRing;

using Words = std::vector<std::uint64_t>;

constexpr std::size_t kDegree = 1024;

/// Elements 0, 1, 2, ... times 2^64 + 3, as pairs.
Words multiples(std::size_t count) {
  Words pairs;
  for (std::uint64_t i = 0; i < count; ++i) pairs.insert(pairs.end(), {3 * i, i});
  return pairs;
}

/// A vector in two planes.
struct Planes {
  explicit Planes(std::size_t count) : low(count), high(count) {}
  WideResult view() { return {low, high}; }

  Words low;
  Words high;
};

/// scalar * a + b, with a = b and scalar = q - 1, is 0.
void sums_and_products(const WideModulus& q, lesson::Checks& checks) {
  const WideEltwise eltwise(q);
  const Words pairs = multiples(100);
  const WideOperand a{std::span(pairs)};
  eltwise.check(a);  // all are below q

  Planes sum(100);
  eltwise.add(sum.view(), a, a);
  checks.expect(sum.low[7] == 42 && sum.high[7] == 14, "twice 7 * (2^64 + 3)");

  const DoubleWord minus_one{q.value()[0] - 1, q.value()[1]};  // q is odd
  Planes nothing(100);
  eltwise.multiply_scalar_add(nothing.view(), minus_one, a, a);
  checks.expect(nothing.low == Words(100) && nothing.high == Words(100), "(q - 1) * a + a is 0");

  eltwise.multiply(sum.view(), sum.view(), a);  // in place
  const DoubleWord squares = eltwise.dot(a, a);
  Planes ones(100);
  for (std::uint64_t& low : ones.low) low = 1;
  const DoubleWord total = eltwise.dot(sum.view(), ones.view());
  Words twice(2);
  const Words once{squares[0], squares[1]};
  eltwise.add(WideResult{std::span(twice)}, WideOperand{std::span(once)},
              WideOperand{std::span(once)});
  checks.expect(twice[0] == total[0] && twice[1] == total[1], "the sum of 2a * a is 2 * (a . a)");
}

/// (1 + 2X + 3X^2) * X^(N-1) modulo X^N + 1 or X^N - 1: terms beyond X^N wrap around, with or
/// without a change of sign.
void product(const WideModulus& q, WideRing ring, lesson::Checks& checks) {
  const WideNtt ntt(kDegree, q, ring);
  const WideEltwise eltwise(q);
  Planes a(kDegree), b(kDegree);
  a.low[0] = 1;
  a.low[1] = 2;
  a.low[2] = 3;
  b.low[kDegree - 1] = 1;

  ntt.forward(a.view(), a.view());
  ntt.forward(b.view(), b.view());
  eltwise.multiply(a.view(), a.view(), b.view());
  ntt.inverse(a.view(), a.view());

  const bool negacyclic = ring == WideRing::negacyclic;
  const auto is = [&](std::size_t i, std::uint64_t value) {
    if (!negacyclic) return a.low[i] == value && a.high[i] == 0;
    const std::uint64_t borrow = q.value()[0] < value ? 1 : 0;
    return a.low[i] == q.value()[0] - value && a.high[i] == q.value()[1] - borrow;
  };
  const bool holds = is(0, 2) && is(1, 3) && a.low[kDegree - 1] == 1 && a.low[2] == 0;
  checks.expect(holds, negacyclic ? "modulo X^1024 + 1: X^1023 - 2 - 3X"
                                  : "modulo X^1024 - 1: X^1023 + 2 + 3X");
}

}  // namespace

int main() {
  return lesson::run([](lesson::Checks& checks) {
    // Primes k * 2^104 + 1 have faster products; the other primes may be needed for other reasons.
    const WideModulus special = ringlet::generate_special_wide_primes(124, 1).front();
    const WideModulus general = ringlet::generate_wide_ntt_primes(124, kDegree, 1).front();
    for (const WideModulus& q : {special, general}) {
      std::printf("modulo %s, by %s\n", q.to_string().c_str(),
                  WideEltwise(q).kernel_name().c_str());
      sums_and_products(q, checks);
      product(q, WideRing::negacyclic, checks);
      product(q, WideRing::cyclic, checks);
    }
    // 2^124 - 59 is the largest prime of 124 bits, but q - 1 is four times an odd number.
    checks.expect_refused("a length that q does not allow is refused", [] {
      const WideNtt ntt(kDegree, WideModulus::largest_prime(124), WideRing::cyclic);
    });
  });
}
