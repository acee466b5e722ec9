// SPDX-License-Identifier: Apache-2.0
#include "ringlet/arith/modulus.hpp"
#include "ringlet/arith/primes.hpp"
#include "support/reference/ntt_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// What Bradbury et al. print and what holds instead, on direct models of their algorithms in the
// field or on small words. docs/notes/extended_harvey.md lists the misprints; the numbers of
// algorithms and lines are theirs.

namespace ringlet::test {
namespace {

using Quad = std::array<std::uint64_t, 4>;
using Factors = std::array<std::uint64_t, 5>;

/// The field and the factors of a transform of a degree.
struct Field {
  Modulus q;
  std::size_t degree;
  std::uint64_t psi;
  Words omega;  ///< Powers of psi in bit-reversed order.

  explicit Field(std::size_t n, bool is_inverse = false)
      : q(ntt_prime_next_to(8 * n, n, false)),
        degree(n),
        psi(minimal_primitive_root(2 * n, q)),
        omega(n) {
    const std::uint64_t root = is_inverse ? pow_mod(psi, 2 * n - 1, q) : psi;
    for (std::size_t i = 0; i < n; ++i) {
      omega[i] = pow_mod(root, bit_reverse(i, std::countr_zero(n)), q);
    }
  }

  std::uint64_t add(std::uint64_t x, std::uint64_t y) const { return (x + y) % q.value(); }
  std::uint64_t sub(std::uint64_t x, std::uint64_t y) const { return add(x, q.value() - y); }
  std::uint64_t mul(std::uint64_t x, std::uint64_t y) const { return q.multiply(x, y); }
  Words transform(const Words& a) const {
    Words values(degree);
    for (std::size_t i = 0; i < degree; ++i) values[i] = ntt_value(a, i, psi, q);
    return values;
  }
  Words random() const {
    auto rng = make_rng(degree);
    return random_residues(degree, q.value(), rng);
  }
  /// The five factors from the three of a table in bit-reversed order.
  Factors factors(const Words& table, std::size_t m1) const {
    const std::uint64_t w1 = table.at(m1);
    const std::uint64_t w2 = table.at(2 * m1);
    const std::uint64_t w3 = table.at(2 * m1 + 1);
    return {w1, w2, w3, mul(w1, w2), sub(0, mul(w1, w3))};
  }
  Factors factors(std::size_t m1) const { return factors(omega, m1); }

  /// Algorithm 4, first procedure, which is right.
  Quad forward(const Quad& v, const Factors& w) const {
    const auto [x, y, z, t] = v;
    const std::uint64_t upper = add(x, mul(z, w[0]));
    const std::uint64_t lower = sub(x, mul(z, w[0]));
    const std::uint64_t a = add(mul(y, w[1]), mul(t, w[3]));
    const std::uint64_t b = add(mul(y, w[2]), mul(t, w[4]));
    return {add(upper, a), sub(upper, a), add(lower, b), sub(lower, b)};
  }
  /// Algorithm 4, second procedure: as printed, and as lemma 2 gives it.
  Quad printed_inverse(const Quad& v, const Factors& w) const {
    const auto [x, y, z, t] = v;
    const std::uint64_t c = sub(x, y);
    const std::uint64_t d = sub(z, t);
    return {add(add(x, y), add(z, t)), mul(sub(add(x, y), add(z, t)), w[0]),
            add(mul(c, w[1]), mul(d, w[2])), sub(mul(c, w[3]), mul(d, w[4]))};
  }
  Quad inverse(const Quad& v, const Factors& w) const {
    const Quad printed = printed_inverse(v, w);
    return {printed[0], printed[2], printed[1],
            add(mul(sub(v[0], v[1]), w[3]), mul(sub(v[2], v[3]), w[4]))};
  }
};

TEST(ExtendedMisprints, Algorithm4ExchangesTwoResultsOfTheInverseAndHasAWrongSign) {
  const Field f(16);
  const Quad v{3, 58, 17, 101};
  const Factors backward = Field(16, true).factors(2);
  const Quad values = f.forward(v, f.factors(2));
  Quad four_times;
  for (std::size_t i = 0; i < 4; ++i) four_times[i] = f.mul(4, v[i]);
  EXPECT_EQ(f.inverse(values, backward), four_times);
  const Quad printed = f.printed_inverse(values, backward);
  EXPECT_EQ(printed[0], four_times[0]);
  EXPECT_NE(four_times[1], four_times[2]);
  EXPECT_EQ(printed[1], four_times[2]);
  EXPECT_EQ(printed[2], four_times[1]);
  EXPECT_NE(printed[3], four_times[3]);
}

/// Words of kBits bits in which sums and products are rounded as theorems 1 and 2 have them.
template <int kBits>
struct SmallWords {
  std::uint64_t q;

  std::uint64_t quotient(std::uint64_t w) const { return (w << kBits) / q; }
  std::uint64_t shoup(std::uint64_t t, std::uint64_t w) const {
    return w * t - q * ((quotient(w) * t) >> kBits);
  }
  std::uint64_t extended(std::uint64_t s, std::uint64_t t, std::uint64_t v, std::uint64_t w) const {
    return v * s + w * t - q * ((quotient(v) * s + quotient(w) * t) >> kBits);
  }
  /// Conditional subtraction of a multiple: "if x > bound" as printed, or from the bound on.
  static std::uint64_t reduce(std::uint64_t x, std::uint64_t bound, bool is_printed) {
    return x > bound || (x == bound && !is_printed) ? x - bound : x;
  }
  /// Algorithm 5.
  Quad forward(const Quad& v, const Factors& w, bool is_printed = false) const {
    const std::uint64_t x = reduce(v[0], 4 * q, is_printed);
    const std::uint64_t z = shoup(v[2], w[0]);
    const std::uint64_t a = extended(v[1], v[3], w[1], w[3]);
    const std::uint64_t b = extended(v[1], v[3], w[2], w[4]);
    return {x + z + a, 2 * q + x + z - a, 2 * q + x - z + b, 4 * q + x - z - b};
  }
  /// Algorithm 6.
  Quad inverse(const Quad& v, const Factors& w, bool is_printed = false) const {
    const auto [x, y, z, t] = v;
    const std::uint64_t c = 2 * q + x - y;
    const std::uint64_t d = 2 * q + z - t;
    const std::uint64_t sum = reduce(x + y + z + t, 4 * q, is_printed);
    return {reduce(sum, 2 * q, is_printed), extended(c, d, w[1], w[2]),
            shoup(4 * q + x + y - z - t, w[0]), extended(c, d, w[3], w[4])};
  }
};

/// Line 2 of algorithm 5 and lines 10 and 11 of algorithm 6 subtract where x > 4q or 2q. A value
/// equal to the bound stays, and the result is not below 8q or 2q.
TEST(ExtendedMisprints, ConditionalSubtractionsStartAtTheBoundItself) {
  const SmallWords<12> words{193};
  const Factors w{5, 7, 11, 35, 193 - 55};
  const std::uint64_t q = words.q;
  for (const bool is_printed : {true, false}) {
    EXPECT_EQ(std::ranges::max(words.forward({4 * q, 0, 0, 0}, w, is_printed)),
              (is_printed ? 8 : 4) * q);
    EXPECT_EQ(words.inverse({q, q, q, q}, w, is_printed)[0], is_printed ? 2 * q : 0);
  }
}

/// The head of algorithm 6 says [0, 8q) of its results; theorem 4 proves [0, 2q), which the next
/// round needs: with operands up to 8q its differences are below zero.
TEST(ExtendedMisprints, ResultsOfAlgorithm6AreBelow2q) {
  const SmallWords<8> words{13};
  const std::uint64_t q = words.q;
  const std::uint64_t end = 2 * q;
  for (std::uint64_t i = 0; i < end * end * end * end; ++i) {
    const Quad v{i % end, i / end % end, i / (end * end) % end, i / (end * end * end)};
    const std::uint64_t w1 = 1 + i % 12;
    const std::uint64_t w2 = 1 + i % 11;
    const std::uint64_t w3 = 1 + i % 7;
    ASSERT_LT(std::ranges::max(words.inverse(v, {w1, w2, w3, w1 * w2 % q, q - w1 * w3 % q})), end);
  }
  EXPECT_GE(std::ranges::max(words.inverse({0, 8 * q - 1, 0, 8 * q - 1}, {1, 1, 1, 1, q - 1})),
            8 * q);
}

/// Calls butterfly(quad, m1) for the radix-4 butterflies of one round of m blocks.
template <typename Butterfly>
void radix4_round(Words& a, std::size_t m, const Butterfly& butterfly) {
  const std::size_t t = a.size() / (4 * m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 4 * i * t; j < (4 * i + 1) * t; ++j) {
      const Quad v = butterfly(Quad{a[j], a[j + t], a[j + 2 * t], a[j + 3 * t]}, m + i);
      for (std::size_t k = 0; k < 4; ++k) a[j + k * t] = v[k];
    }
  }
}

/// The rounds of algorithm 7 for m < limit, with the factors by index.
template <typename FactorsOf>
Words radix4_rounds(const Field& f, Words a, std::size_t limit, const FactorsOf& factors_of) {
  for (std::size_t m = 1; m < limit; m *= 4) {
    radix4_round(a, m, [&](const Quad& v, std::size_t m1) { return f.forward(v, factors_of(m1)); });
  }
  return a;
}

/// Line 4 says m <= bound: a round more, at a distance below one word. Line 11 asks for the parity
/// of m, which by then is the counter of the loop, a power of four; line 3 of algorithm 8 after
/// "m = N". The radix-2 round would never run.
TEST(ExtendedMisprints, Algorithm7RunsOneRoundTooManyAndLosesTheParityOfLogN) {
  for (const std::size_t degree : {16, 32, 64, 128}) {
    const Field f(degree);
    const bool is_odd = std::countr_zero(degree) % 2 != 0;
    const std::size_t bound = is_odd ? degree / 2 : degree;
    const Words a = f.random();
    Words values = radix4_rounds(f, a, bound, [&](std::size_t m1) { return f.factors(m1); });
    EXPECT_EQ(values == f.transform(a), !is_odd);
    for (std::size_t i = 0; is_odd && i < degree; i += 2) {
      const std::uint64_t product = f.mul(values[i + 1], f.omega[(degree + i) / 2]);
      values[i + 1] = f.sub(values[i], product);
      values[i] = f.add(values[i], product);
    }
    EXPECT_EQ(values, f.transform(a));
    EXPECT_EQ(degree / (4 * bound), 0U) << "the distance of the round with m = bound";
    EXPECT_THROW(f.factors(bound), std::out_of_range) << "and where its factors are";
  }
}

/// The table of extended-reverse order: as printed, or with the bar on the other factor where i is
/// odd. Entries that do not exist are zero.
Words extended_reverse(const Field& f, bool is_printed) {
  const Words& omega = f.omega;
  Words bar(2 * f.degree, 0);
  bar[0] = omega[0];
  bar[2] = omega[1];
  for (std::size_t i = 2; i < f.degree; ++i) {
    bar[2 * i] = omega[i];
    if (i % 2 == 0) {
      bar[2 * i + 1] = f.mul(omega[i], bar[i]);
    } else {
      bar[2 * i + 1] =
          f.sub(0, is_printed ? f.mul(omega[i - 1], bar[i]) : f.mul(omega[i], bar[i - 1]));
    }
  }
  return bar;
}

/// The factors of algorithm 7 in that table: twice the index, and the products behind w2 and w3.
Factors reverse_factors(const Words& bar, std::size_t m1) {
  return {bar.at(2 * m1), bar.at(4 * m1), bar.at(4 * m1 + 2), bar.at(4 * m1 + 1),
          bar.at(4 * m1 + 3)};
}

TEST(ExtendedMisprints, ExtendedReverseOrderHasItsBarOnTheOtherFactor) {
  const Field f(64);
  const Words printed = extended_reverse(f, true);
  const Words ours = extended_reverse(f, false);
  std::size_t wrong = 0;
  for (std::size_t m1 = 1; m1 < f.degree / 2; ++m1) {
    EXPECT_EQ(reverse_factors(ours, m1), f.factors(m1)) << m1;
    const Factors found = reverse_factors(printed, m1);
    wrong += found[4] != f.factors(m1)[4] ? 1 : 0;
    EXPECT_EQ(found[3], f.factors(m1)[3]) << "even i are right: " << m1;
  }
  EXPECT_GT(wrong, f.degree / 4);
  // Lines 8 of algorithm 7 and 15 of algorithm 8 index this table as if it were in bit-reversed
  // order.
  const Words a = f.random();
  EXPECT_NE(radix4_rounds(f, a, f.degree, [&](std::size_t m1) { return f.factors(ours, m1); }),
            f.transform(a));
  EXPECT_EQ(
      radix4_rounds(f, a, f.degree, [&](std::size_t m1) { return reverse_factors(ours, m1); }),
      f.transform(a));
}

/// Algorithm 7 on words. Its results are those of algorithm 5, below 8q: residues take a reduction
/// more, which it lacks.
TEST(ExtendedMisprints, Algorithm7LeavesUpTo8q) {
  const Field f(64);
  const std::uint64_t q = f.q.value();
  const SmallWords<20> words{q};
  auto rng = make_rng();
  std::uint64_t top = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Words a = random_residues(f.degree, q, rng);
    Words values = a;
    for (std::size_t m = 1; m < f.degree; m *= 4) {
      radix4_round(values, m,
                   [&](const Quad& v, std::size_t m1) { return words.forward(v, f.factors(m1)); });
    }
    top = std::max(top, std::ranges::max(values));
    for (std::uint64_t& value : values) value %= q;
    ASSERT_EQ(values, f.transform(a));
  }
  EXPECT_LT(top, 8 * q);
  EXPECT_GE(top, 7 * q);
}

/// Algorithms 8 (its rounds, with the corrected butterfly) and 10: natural order, and N times the
/// polynomial where nothing divides by N.
TEST(ExtendedMisprints, Algorithm8LacksTheDivisionByNAndLeavesNaturalOrder) {
  const Field f(64, true);
  const Words a = f.random();
  Words values = f.transform(a);
  for (std::size_t m = f.degree / 4; m > 0; m /= 4) {
    radix4_round(values, m,
                 [&](const Quad& v, std::size_t m1) { return f.inverse(v, f.factors(m1)); });
  }
  Words multiples = a;
  for (std::uint64_t& value : multiples) value = f.mul(value, f.degree);
  EXPECT_EQ(values, multiples);
  EXPECT_NE(values, a);
}

/// "for (m = 0; m < N; m = 2m)" never ends, and the butterfly has no factor.
TEST(ExtendedMisprints, Algorithm9StartsAtZeroAndDropsItsFactor) {
  const Field f(32);
  const Words a = f.random();
  for (const bool has_factor : {true, false}) {
    Words values = a;
    for (std::size_t m = 1; m < f.degree; m *= 2) {
      const std::size_t t = f.degree / (2 * m);
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 2 * i * t; j < (2 * i + 1) * t; ++j) {
          const std::uint64_t product = f.mul(values[j + t], has_factor ? f.omega[m + i] : 1);
          values[j + t] = f.sub(values[j], product);
          values[j] = f.add(values[j], product);
        }
      }
    }
    EXPECT_EQ(values == f.transform(a), has_factor);
  }
}

}  // namespace
}  // namespace ringlet::test
