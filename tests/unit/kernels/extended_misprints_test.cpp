// SPDX-License-Identifier: Apache-2.0
#include "ringlet/modulus.hpp"
#include "ringlet/primes.hpp"
#include "support/ntt_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// What Bradbury et al. print and what holds instead, on direct models of their algorithms in the
// field or on small words. docs/notes/extended_harvey.md lists the misprints; the numbers of
// algorithms and lines are theirs.

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;
using Quad = std::array<std::uint64_t, 4>;
using Factors = std::array<std::uint64_t, 5>;

/// The field and the factors of a transform of a degree.
struct Field {
  Modulus q;
  std::size_t degree;
  std::uint64_t psi;
  std::uint64_t inverse_psi;

  explicit Field(std::size_t n)
      : q(ntt_prime_next_to(8 * n, n, false)),
        degree(n),
        psi(minimal_primitive_root(2 * n, q)),
        inverse_psi(pow_mod(psi, 2 * n - 1, q)) {}

  std::uint64_t add(std::uint64_t x, std::uint64_t y) const { return (x + y) % q.value(); }
  std::uint64_t sub(std::uint64_t x, std::uint64_t y) const { return add(x, q.value() - y); }
  std::uint64_t mul(std::uint64_t x, std::uint64_t y) const { return q.multiply(x, y); }
  std::uint64_t negated(std::uint64_t x) const { return sub(0, x); }

  /// Powers of psi or of its inverse in bit-reversed order.
  Words omega(std::uint64_t root) const {
    Words powers(degree);
    const int bits = std::countr_zero(degree);
    for (std::size_t i = 0; i < degree; ++i) powers[i] = pow_mod(root, bit_reverse(i, bits), q);
    return powers;
  }
  Words transform(const Words& a) const {
    Words values(degree);
    for (std::size_t i = 0; i < degree; ++i) values[i] = ntt_value(a, i, psi, q);
    return values;
  }
  Words random() const {
    auto rng = make_rng(degree);
    return random_residues(degree, q.value(), rng);
  }
};

/// The five factors from the three of a table in bit-reversed order.
Factors factors_at(const Field& f, const Words& omega, std::size_t m1) {
  const std::uint64_t w1 = omega.at(m1);
  const std::uint64_t w2 = omega.at(2 * m1);
  const std::uint64_t w3 = omega.at(2 * m1 + 1);
  return {w1, w2, w3, f.mul(w1, w2), f.negated(f.mul(w1, w3))};
}

/// Algorithm 4, first procedure, which is right.
Quad forward_quad(const Field& f, const Quad& v, const Factors& w) {
  const auto [x, y, z, t] = v;
  const std::uint64_t upper = f.add(x, f.mul(z, w[0]));
  const std::uint64_t lower = f.sub(x, f.mul(z, w[0]));
  const std::uint64_t a = f.add(f.mul(y, w[1]), f.mul(t, w[3]));
  const std::uint64_t b = f.add(f.mul(y, w[2]), f.mul(t, w[4]));
  return {f.add(upper, a), f.sub(upper, a), f.add(lower, b), f.sub(lower, b)};
}

/// Algorithm 4, second procedure: as printed, and as lemma 2 gives it.
Quad printed_inverse_quad(const Field& f, const Quad& v, const Factors& w) {
  const auto [x, y, z, t] = v;
  const std::uint64_t c = f.sub(x, y);
  const std::uint64_t d = f.sub(z, t);
  return {f.add(f.add(x, y), f.add(z, t)), f.mul(f.sub(f.add(x, y), f.add(z, t)), w[0]),
          f.add(f.mul(c, w[1]), f.mul(d, w[2])), f.sub(f.mul(c, w[3]), f.mul(d, w[4]))};
}
Quad inverse_quad(const Field& f, const Quad& v, const Factors& w) {
  Quad result = printed_inverse_quad(f, v, w);
  std::swap(result[1], result[2]);
  result[3] = f.add(f.mul(f.sub(v[0], v[1]), w[3]), f.mul(f.sub(v[2], v[3]), w[4]));
  return result;
}

TEST(ExtendedMisprints, Algorithm4ExchangesTwoResultsOfTheInverseAndHasAWrongSign) {
  const Field f(16);
  const Quad v{3, 58, 17, 101};
  const Factors forward = factors_at(f, f.omega(f.psi), 2);
  const Factors backward = factors_at(f, f.omega(f.inverse_psi), 2);
  const Quad values = forward_quad(f, v, forward);
  Quad four_times;
  for (std::size_t i = 0; i < 4; ++i) four_times[i] = f.mul(4, v[i]);

  EXPECT_EQ(inverse_quad(f, values, backward), four_times);
  const Quad printed = printed_inverse_quad(f, values, backward);
  EXPECT_EQ(printed[0], four_times[0]);
  EXPECT_NE(printed[1], four_times[1]);
  EXPECT_NE(printed[2], four_times[2]);
  EXPECT_EQ(printed[1], four_times[2]);
  EXPECT_EQ(printed[2], four_times[1]);
  EXPECT_NE(printed[3], four_times[3]);
}

/// The last but two line of the proof of lemma 1 adds t*w4 to y'.
TEST(ExtendedMisprints, TheProofOfLemma1HasAWrongSign) {
  const Field f(16);
  const auto [x, y, z, t] = Quad{3, 58, 17, 101};
  const Factors w = factors_at(f, f.omega(f.psi), 2);
  const std::uint64_t rest = f.sub(f.add(x, f.mul(z, w[0])), f.mul(y, w[1]));
  EXPECT_EQ(forward_quad(f, {x, y, z, t}, w)[1], f.sub(rest, f.mul(t, w[3])));
  EXPECT_NE(forward_quad(f, {x, y, z, t}, w)[1], f.add(rest, f.mul(t, w[3])));
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
  Quad forward(const Quad& v, const Factors& w, bool is_printed) const {
    const std::uint64_t x = reduce(v[0], 4 * q, is_printed);
    const std::uint64_t z = shoup(v[2], w[0]);
    const std::uint64_t a = extended(v[1], v[3], w[1], w[3]);
    const std::uint64_t b = extended(v[1], v[3], w[2], w[4]);
    return {x + z + a, 2 * q + x + z - a, 2 * q + x - z + b, 4 * q + x - z - b};
  }
  /// Algorithm 6.
  Quad inverse(const Quad& v, const Factors& w, bool is_printed) const {
    const auto [x, y, z, t] = v;
    const std::uint64_t c = 2 * q + x - y;
    const std::uint64_t d = 2 * q + z - t;
    const std::uint64_t sum = reduce(x + y + z + t, 4 * q, is_printed);
    return {reduce(sum, 2 * q, is_printed), extended(c, d, w[1], w[2]),
            shoup(4 * q + x + y - z - t, w[0]), extended(c, d, w[3], w[4])};
  }
};

std::uint64_t largest(const Quad& v) { return *std::ranges::max_element(v); }

/// Line 2 of algorithm 5 and lines 10 and 11 of algorithm 6 subtract where x > 4q or 2q. A value
/// equal to the bound stays, and the result is not below 8q or 2q.
TEST(ExtendedMisprints, ConditionalSubtractionsStartAtTheBoundItself) {
  const SmallWords<12> words{193};
  const Factors w{5, 7, 11, 35, 193 - 55};
  const std::uint64_t q = words.q;
  EXPECT_EQ(largest(words.forward({4 * q, 0, 0, 0}, w, true)), 8 * q);
  EXPECT_EQ(largest(words.forward({4 * q, 0, 0, 0}, w, false)), 4 * q);
  EXPECT_EQ(words.inverse({q, q, q, q}, w, true)[0], 2 * q);
  EXPECT_EQ(words.inverse({q, q, q, q}, w, false)[0], 0U);
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
    const Quad result = words.inverse(v, {w1, w2, w3, w1 * w2 % q, q - w1 * w3 % q}, false);
    ASSERT_LT(largest(result), end);
  }
  const Quad wrapped = words.inverse({0, 8 * q - 1, 0, 8 * q - 1}, {1, 1, 1, 1, q - 1}, false);
  EXPECT_GE(largest(wrapped), 8 * q);
}

/// Theorem 2 sums over 0 < i < k, which are k - 1 products; the limit beta / (k alpha) and
/// ExtendedModMul, k = 2, have k of them.
TEST(ExtendedMisprints, Theorem2HasKSummands) {
  constexpr std::uint64_t kAlpha = 8;
  const SmallWords<8> words{13};
  const std::uint64_t q = words.q;
  ASSERT_LT(q, 256 / (2 * kAlpha));
  std::uint64_t top_of_two = 0;
  for (std::uint64_t i = 0; i < q * q; ++i) {
    for (std::uint64_t s = 0; s < kAlpha * q; ++s) {
      for (std::uint64_t t = 0; t < kAlpha * q; t += 3) {
        top_of_two = std::max(top_of_two, words.extended(s, t, i / q, i % q));
      }
    }
  }
  EXPECT_LT(top_of_two, 2 * q);
  // If two summands were k = 3, there would be no proof for q >= beta / 24.
  EXPECT_GE(q, 256 / (3 * kAlpha));
}

/// Algorithm 7 with the factors of a round by index. `round_limit` is the bound of its loop,
/// "m <= round_limit" if `is_printed`. Returns the rounds, of which the printed one has too many.
template <typename FactorsAt>
int radix4_rounds(const Field& f, Words& a, std::size_t round_limit, bool is_printed,
                  const FactorsAt& factors_of) {
  std::size_t t = f.degree;
  int rounds = 0;
  for (std::size_t m = 1; m < round_limit || (is_printed && m == round_limit); m *= 4) {
    t /= 4;
    ++rounds;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 4 * i * t; j < (4 * i + 1) * t; ++j) {
        const Quad v =
            forward_quad(f, {a[j], a[j + t], a[j + 2 * t], a[j + 3 * t]}, factors_of(m + i));
        for (std::size_t k = 0; k < 4; ++k) a[j + k * t] = v[k];
      }
    }
  }
  return rounds;
}

/// The radix-2 round at its end, with the factors in bit-reversed order.
void last_round(const Field& f, Words& a, const Words& omega) {
  for (std::size_t i = 0; i < f.degree; i += 2) {
    const std::uint64_t product = f.mul(a[i + 1], omega[(f.degree + i) / 2]);
    a[i + 1] = f.sub(a[i], product);
    a[i] = f.add(a[i], product);
  }
}

TEST(ExtendedMisprints, Algorithm7RunsOneRoundTooMany) {
  for (const std::size_t degree : {16, 32, 64, 128}) {
    const Field f(degree);
    const Words omega = f.omega(f.psi);
    const bool is_odd = std::countr_zero(degree) % 2 != 0;
    const std::size_t bound = is_odd ? degree / 2 : degree;
    const auto factors_of = [&](std::size_t m1) { return factors_at(f, omega, m1); };
    const Words a = f.random();
    Words values = a;
    const int rounds = std::countr_zero(degree) / 2;
    EXPECT_EQ(radix4_rounds(f, values, bound, false, factors_of), rounds);
    if (is_odd) last_round(f, values, omega);
    EXPECT_EQ(values, f.transform(a));
    // As printed there is a round at distance N / 4^(rounds + 1) < 1, whose first factors already
    // lie behind the table.
    values = a;
    EXPECT_EQ(radix4_rounds(f, values, bound, true, factors_of), rounds + 1);
    EXPECT_GE(2 * bound, degree);
  }
}

/// Line 11 asks for the parity of m, which by then is the counter of the loop, a power of four;
/// line 3 of algorithm 8 after "m = N". The radix-2 round would never run.
TEST(ExtendedMisprints, TheParityOfLogNIsLostInM) {
  for (const std::size_t degree : {32, 128}) {
    const Field f(degree);
    const Words omega = f.omega(f.psi);
    const Words a = f.random();
    Words values = a;
    std::size_t m = 1;
    while (m < degree / 2) m *= 4;
    EXPECT_EQ(m % 2, 0U);
    EXPECT_EQ(degree % 2, 0U);
    radix4_rounds(f, values, degree / 2, false,
                  [&](std::size_t m1) { return factors_at(f, omega, m1); });
    EXPECT_NE(values, f.transform(a));
    last_round(f, values, omega);
    EXPECT_EQ(values, f.transform(a));
  }
}

/// The table of extended-reverse order: as printed, or with the bar on the other factor where i is
/// odd. Entries that do not exist are zero.
Words extended_reverse(const Field& f, const Words& omega, bool is_printed) {
  Words bar(2 * f.degree, 0);
  bar[0] = omega[0];
  bar[2] = omega[1];
  for (std::size_t i = 2; i < f.degree; ++i) {
    bar[2 * i] = omega[i];
    if (i % 2 == 0) {
      bar[2 * i + 1] = f.mul(omega[i], bar[i]);
    } else {
      bar[2 * i + 1] =
          f.negated(is_printed ? f.mul(omega[i - 1], bar[i]) : f.mul(omega[i], bar[i - 1]));
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
  const Words omega = f.omega(f.psi);
  const Words printed = extended_reverse(f, omega, true);
  const Words ours = extended_reverse(f, omega, false);
  std::size_t wrong = 0;
  for (std::size_t m1 = 1; m1 < f.degree / 2; ++m1) {
    EXPECT_EQ(reverse_factors(ours, m1), factors_at(f, omega, m1)) << m1;
    const Factors found = reverse_factors(printed, m1);
    wrong += found[4] != factors_at(f, omega, m1)[4] ? 1 : 0;
    EXPECT_EQ(found[3], factors_at(f, omega, m1)[3]) << "even i are right: " << m1;
  }
  EXPECT_GT(wrong, f.degree / 4);
  // "i in [2, ..., N]" would read and write one entry behind both tables.
  EXPECT_EQ(omega.size(), f.degree);
  EXPECT_EQ(ours.size(), 2 * f.degree);
}

/// Lines 8 of algorithm 7 and 15 of algorithm 8 index the extended-reverse table as if it were in
/// bit-reversed order.
TEST(ExtendedMisprints, Algorithm7IndexesAnotherTable) {
  const Field f(64);
  const Words omega = f.omega(f.psi);
  const Words bar = extended_reverse(f, omega, false);
  const Words a = f.random();
  const Words expected = f.transform(a);
  Words printed = a;
  radix4_rounds(f, printed, f.degree, false,
                [&](std::size_t m1) { return factors_at(f, bar, m1); });
  EXPECT_NE(printed, expected);
  Words ours = a;
  radix4_rounds(f, ours, f.degree, false, [&](std::size_t m1) { return reverse_factors(bar, m1); });
  EXPECT_EQ(ours, expected);
}

/// Algorithm 7 on words, rounds only. Its results are those of algorithm 5, below 8q, and those of
/// the radix-2 round below 4q: residues take a reduction more, which it lacks.
TEST(ExtendedMisprints, Algorithm7LeavesUpTo8q) {
  const Field f(64);
  const SmallWords<20> words{f.q.value()};
  const Words omega = f.omega(f.psi);
  auto rng = make_rng();
  std::uint64_t top = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Words a = random_residues(f.degree, f.q.value(), rng);
    Words values = a;
    std::size_t t = f.degree;
    for (std::size_t m = 1; m < f.degree; m *= 4) {
      t /= 4;
      for (std::size_t i = 0; i < m; ++i) {
        const Factors w = factors_at(f, omega, m + i);
        for (std::size_t j = 4 * i * t; j < (4 * i + 1) * t; ++j) {
          const Quad v = words.forward(
              {values[j], values[j + t], values[j + 2 * t], values[j + 3 * t]}, w, false);
          for (std::size_t k = 0; k < 4; ++k) values[j + k * t] = v[k];
        }
      }
    }
    for (std::uint64_t& value : values) {
      top = std::max(top, value);
      ASSERT_LT(value, 8 * f.q.value());
      value %= f.q.value();
    }
    ASSERT_EQ(values, f.transform(a));
  }
  EXPECT_GE(top, 7 * f.q.value());
}

/// Algorithms 8 (its rounds, with the corrected butterfly) and 10: natural order, and N times the
/// polynomial where nothing divides by N.
TEST(ExtendedMisprints, Algorithm8LacksTheDivisionByNAndLeavesNaturalOrder) {
  const Field f(64);
  const Words omega = f.omega(f.inverse_psi);
  const Words a = f.random();
  Words values = f.transform(a);
  std::size_t t = 1;
  for (std::size_t m = f.degree / 4; m > 0; m /= 4) {
    for (std::size_t i = 0; i < m; ++i) {
      const Factors w = factors_at(f, omega, m + i);
      for (std::size_t j = 4 * i * t; j < (4 * i + 1) * t; ++j) {
        const Quad v =
            inverse_quad(f, {values[j], values[j + t], values[j + 2 * t], values[j + 3 * t]}, w);
        for (std::size_t k = 0; k < 4; ++k) values[j + k * t] = v[k];
      }
    }
    t *= 4;
  }
  EXPECT_NE(values, a);
  const std::uint64_t scale = pow_mod(f.degree, f.q.value() - 2, f.q);
  for (std::uint64_t& value : values) value = f.mul(value, scale);
  EXPECT_EQ(values, a);
  Words reversed(f.degree);
  for (std::size_t i = 0; i < f.degree; ++i) reversed[bit_reverse(i, 6)] = a[i];
  EXPECT_NE(values, reversed);
}

/// Algorithm 9 from m = `first` on, with its factor or, as printed, without.
Words algorithm9(const Field& f, Words a, const Words& omega, bool has_factor) {
  std::size_t t = f.degree;
  for (std::size_t m = 1; m < f.degree; m *= 2) {
    t /= 2;
    for (std::size_t i = 0; i < m; ++i) {
      const std::uint64_t w = has_factor ? omega[m + i] : 1;
      for (std::size_t j = 2 * i * t; j < (2 * i + 1) * t; ++j) {
        const std::uint64_t product = f.mul(a[j + t], w);
        a[j + t] = f.sub(a[j], product);
        a[j] = f.add(a[j], product);
      }
    }
  }
  return a;
}

TEST(ExtendedMisprints, Algorithm9StartsAtZeroAndDropsItsFactor) {
  const Field f(32);
  const Words omega = f.omega(f.psi);
  const Words a = f.random();
  EXPECT_EQ(algorithm9(f, a, omega, true), f.transform(a));
  EXPECT_NE(algorithm9(f, a, omega, false), f.transform(a));
  // "for (m = 0; m < N; m = 2m)" does nothing and never ends.
  std::size_t m = 0;
  for (int step = 0; step < 100; ++step) m = 2 * m;
  EXPECT_LT(m, f.degree);
}

}  // namespace
}  // namespace ringlet::test
