// SPDX-License-Identifier: Apache-2.0
#include <gmpxx.h>

#include <flint/ulong_extras.h>

#include "signed_policy_calls.hpp"
#include "support/reference/ntt_reference.hpp"

// The promises of signed arithmetic about single values, against exact numbers: the words that
// represent a factor, and every policy at the ends of its ranges.

namespace ringlet::kernels {
namespace {

using test::ntt_prime_next_to;
using Wide = __int128;

/// The smallest primes, primes next to powers of two and to the limit, and primes between powers of
/// two with lower halves at the ends of their ranges; odd numbers next to powers of two.
std::vector<std::uint64_t> moduli_below(std::uint64_t limit) {
  std::set<std::uint64_t> found{17, 257, 65537, ntt_prime_next_to(limit, 8, true)};
  auto rng = test::make_rng(limit);
  for (const std::uint64_t q : test::neighbours_of_powers(7, 62, rng)) {
    if (q % 2 != 0) found.insert(q);
  }
  for (const int bits :
       {20, 26, 28, 29, 30, 31, 32, 33, 36, 42, 45, 48, 50, 51, 53, 54, 55, 56, 58, 60, 61, 62}) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    std::vector<std::uint64_t> ends{power};
    if (bits >= 40) {
      found.insert(ntt_prime_next_to(power, std::size_t{1} << 31, true));  // 1 mod 2^32
      for (const std::uint64_t low : {0x7fffffffU, 0x80000000U, 0x40000000U, 0xc0000000U}) {
        ends.push_back((power / 4 * 3) | low);
      }
    }
    for (const std::uint64_t end : ends) {
      for (const bool below : {true, false}) found.insert(ntt_prime_next_to(end, 8, below));
    }
  }
  std::erase_if(found, [limit](std::uint64_t q) { return q >= limit; });
  return {found.begin(), found.end()};
}

/// Residues next to 0, q/2 and q; residues whose product with 2^32 or 2^64 has half words at their
/// ends; and `count` others.
std::vector<std::uint64_t> factors_of(std::uint64_t q, std::size_t count, std::mt19937_64& rng) {
  std::vector<std::uint64_t> found = test::mixed_values(count, q, 1, rng);
  for (std::uint64_t i = 0; i < 3; ++i) {
    found.insert(found.end(), {i, q - 1 - i, q / 2 - i, q / 2 + i, q / 2 + rng() % 16});
  }
  const Modulus modulus(q);
  const std::uint64_t inverse = n_invmod((std::uint64_t{1} << 32) % q, q);
  for (const std::uint64_t high : {std::uint64_t{0}, q >> 34, q >> 33}) {
    for (const std::uint64_t low : {0x7fffffffU, 0x80000000U, 0x80000001U, 0xffffffffU, 0U}) {
      const std::uint64_t a = modulus.multiply(((high << 32) | low) % q, inverse);
      found.insert(found.end(), {a, q - a, modulus.multiply(a, inverse)});
    }
  }
  for (std::uint64_t& w : found) w %= q;
  return found;
}

Wide centred(Wide x, std::uint64_t q) {
  const Wide r = ((x % q) + q) % q;
  return r > q / 2 ? r - q : r;
}

/// The integer that two signed half words represent.
Wide value_of_halves(std::uint64_t word) {
  const auto low = static_cast<std::int32_t>(word);
  const auto high = static_cast<std::int32_t>(word >> 32);
  return (Wide{high} << 32) + low;
}

/// |x - c/q| <= units * 2^-64, exactly.
bool is_ratio(double x, std::int64_t c, std::uint64_t q, int units) {
  const mpq_class error = abs(mpq_class(x) * q - c);
  return (error << 64) <= mpq_class(q) * units;
}

template <typename Body>
void for_each_factor(TwiddleForm form, int limit_bits, Body body) {
  auto rng = test::make_rng();
  for (const std::uint64_t q : moduli_below(std::uint64_t{1} << limit_bits)) {
    for (const std::uint64_t w : factors_of(q, 200, rng)) {
      SCOPED_TRACE(testing::Message() << "q = " << q << ", w = " << w);
      body(make_signed_pair(w, q, form), w, q);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(SignedFactor, InverseOfAnOddHalfWord) {
  std::vector<std::uint64_t> odd = moduli_below(std::uint64_t{1} << 61);
  for (std::uint64_t q = 1; q < 100'000; q += 2) odd.push_back(q);
  for (const std::uint64_t q : odd) {
    ASSERT_EQ(static_cast<std::uint32_t>(q * half_word_inverse(q)), 1U) << q;
  }
}

TEST(SignedFactor, DoublesAreTheCentredFactorAndItsRatio) {
  for_each_factor(TwiddleForm::real, 51, [](TwiddlePair pair, std::uint64_t w, std::uint64_t q) {
    const auto c = static_cast<std::int64_t>(centred(w, q));
    EXPECT_EQ(std::bit_cast<double>(pair.operand), static_cast<double>(c));
    EXPECT_TRUE(is_ratio(std::bit_cast<double>(pair.quotient), c, q, 1 << 9));
  });
  for_each_factor(TwiddleForm::long_real, 54,
                  [](TwiddlePair pair, std::uint64_t w, std::uint64_t q) {
                    const auto c = static_cast<std::int64_t>(centred(w, q));
                    EXPECT_EQ(static_cast<std::int64_t>(pair.operand), c);
                    EXPECT_TRUE(is_ratio(std::bit_cast<double>(pair.quotient), c, q, (1 << 9) + 1));
                  });
}

TEST(SignedFactor, HalvesOfMont64AreTheFactorTimesPowersOfTwo) {
  for_each_factor(TwiddleForm::mont64, 62, [](TwiddlePair pair, std::uint64_t w, std::uint64_t q) {
    EXPECT_TRUE(value_of_halves(pair.operand) == centred(Wide{w} << 32, q));
    EXPECT_TRUE(value_of_halves(pair.quotient) ==
                centred(static_cast<Wide>((static_cast<unsigned __int128>(w) << 64) % q), q));
  });
}

TEST(SignedFactor, Mont32IsTheFactorTimesAPowerOfTwoAndThatOverQ) {
  for_each_factor(TwiddleForm::mont32, 30, [](TwiddlePair pair, std::uint64_t w, std::uint64_t q) {
    EXPECT_TRUE(static_cast<std::int64_t>(pair.operand) == centred(Wide{w} << 32, q));
    EXPECT_EQ(static_cast<std::uint32_t>(pair.quotient * q),
              static_cast<std::uint32_t>(pair.operand));
  });
}

TEST(SignedFactor, HalvesOfShoup64AreTheFactorOverQ) {
  int rare = 0;
  for_each_factor(TwiddleForm::shoup64, 61,
                  [&](TwiddlePair pair, std::uint64_t w, std::uint64_t q) {
                    const Wide operand = static_cast<std::int64_t>(pair.operand);
                    EXPECT_TRUE(centred(operand, q) == centred(w, q));
                    EXPECT_TRUE(operand > -Wide{q} && operand < Wide{q});
                    const Wide error = value_of_halves(pair.quotient) * Wide{q} - (operand << 64);
                    EXPECT_TRUE(error <= Wide{q / 2} && -error <= Wide{q / 2});
                    // The operand is the other representative only if w is next to q/2.
                    if (operand == centred(w, q)) return;
                    ++rare;
                    EXPECT_EQ(static_cast<std::int32_t>(pair.quotient >> 32), INT32_MIN);
                    EXPECT_LE((Wide{q / 2} - Wide{w}) >> 30, Wide{q >> 61});
                  });
  EXPECT_GT(rare, 10);
}

std::vector<SignedCalls> policies() {
  std::vector<SignedCalls> found;
  const CpuFeatureMask avx2 = feature_mask(CpuFeature::avx2, CpuFeature::fma);
  const CpuFeatureMask avx512 = avx2 | feature_mask(CpuFeature::avx512f, CpuFeature::avx512dq);
  for (const auto& [list, needs] :
       {std::pair{avx2_signed_calls(), avx2}, std::pair{avx512_signed_calls(), avx512}}) {
    if ((needs & ~detected_cpu_features()) != 0) continue;
    found.insert(found.end(), list.begin(), list.end());
  }
  return found;
}

/// Integers up to `most` in size: the ends, 0, neighbours of powers of two and of multiples of q/2,
/// integers with half words at their ends, and others.
std::vector<std::int64_t> values_up_to(std::int64_t most, std::uint64_t q, std::mt19937_64& rng) {
  std::set<std::int64_t> found{0};
  const auto add = [&](Wide x) {
    for (const Wide y : {x - 1, x, x + 1}) {
      if (y > most || -y > most) continue;
      found.insert({static_cast<std::int64_t>(y), static_cast<std::int64_t>(-y)});
    }
  };
  add(most);
  for (int bits = 1; bits < 63; bits += 6) add(Wide{1} << bits);
  for (int halves = 1; halves <= 4; ++halves) add(Wide{q} * halves / 2);
  for (const Wide high : {Wide{1}, Wide{most >> 33}, Wide{most >> 32}}) {
    for (const Wide low : {Wide{0x7fffffff}, Wide{0x80000000}}) add((high << 32) + low);
  }
  for (int i = 0; i < 6; ++i) {
    add(static_cast<Wide>(rng() % (static_cast<std::uint64_t>(most) + 1)));
    add(static_cast<Wide>(rng() % q));
  }
  return {found.begin(), found.end()};
}

Wide size_of(Wide x) { return x < 0 ? -x : x; }
bool is_residue_of(std::int64_t r, Wide x, std::uint64_t q) {
  return r >= 0 && static_cast<std::uint64_t>(r) < q && (r - x) % Wide{q} == 0;
}

struct SignedPolicyTest : testing::TestWithParam<SignedCalls> {
  /// Calls body(q, largest, ranges, rng) for all moduli; `largest` is limit(ranges) times q.
  template <typename Limit, typename Body>
  static void for_each_modulus(Limit limit, Body body) {
    auto rng = test::make_rng();
    const SignedCalls& policy = GetParam();
    int moduli = 0;
    for (const std::uint64_t q : moduli_below(policy.modulus_limit)) {
      const bool is_mont64 = twiddle_form(policy.arithmetic) == TwiddleForm::mont64;
      if (is_mont64 && mont64_variant(policy.arithmetic, q) != policy.form) continue;
      SCOPED_TRACE("q = " + std::to_string(q));
      const SignedRanges ranges = signed_ranges(policy.arithmetic, q);
      const double most = limit(ranges) * static_cast<double>(q);
      const std::int64_t largest = most >= 0x1p63 ? INT64_MAX : static_cast<std::int64_t>(most);
      body(q, largest, ranges, rng);
      if (HasFailure()) return;
      ++moduli;
    }
    EXPECT_GT(moduli, 0);
  }
  /// The largest operand of a product that also fits, in units of q.
  static double factor_limit(const SignedRanges& ranges) {
    double factor = ranges.factor_limit;
    while (ranges.product(factor) > ranges.value_limit) factor *= 0.99;
    return factor;
  }
  /// The largest value to store, in units of q, at most that of an unreduced small transform.
  static double value_limit(const SignedRanges& ranges) {
    return std::min({ranges.value_limit, ranges.factor_limit, 1000.0});
  }
};

TEST_P(SignedPolicyTest, ProductsAreProductsWithinTheirBoundAndStoredAsResidues) {
  for_each_modulus(factor_limit, [](std::uint64_t q, std::int64_t most, const SignedRanges& ranges,
                                    std::mt19937_64& rng) {
    const auto real_q = static_cast<double>(q);
    for (const std::uint64_t w : factors_of(q, 4, rng)) {
      for (const std::int64_t y : values_up_to(most, q, rng)) {
        const auto what = [&] { return testing::Message() << y << " * " << w << ": "; };
        const Wide expected = static_cast<Wide>(y % static_cast<std::int64_t>(q)) * Wide{w};
        const std::int64_t t = GetParam().product(y, w, q);
        ASSERT_NE(t, kLanesDiffer) << what();
        ASSERT_EQ((t - expected) % Wide{q}, 0) << what() << t;
        const double bound = ranges.product(static_cast<double>(size_of(y)) / real_q) * real_q;
        ASSERT_LE(static_cast<double>(size_of(t)), bound * (1 + 0x1p-50)) << what();
        const std::int64_t r = GetParam().store_product(t, q);
        ASSERT_TRUE(is_residue_of(r, expected, q)) << what() << r;
      }
    }
  });
}

TEST_P(SignedPolicyTest, ReductionsAreWithinTheirBoundAndResultsAreResidues) {
  for_each_modulus(value_limit, [](std::uint64_t q, std::int64_t most, const SignedRanges& ranges,
                                   std::mt19937_64& rng) {
    const auto real_q = static_cast<double>(q);
    --most;
    const double units = static_cast<double>(most) / real_q;
    for (const std::int64_t x : values_up_to(most, q, rng)) {
      for (int k = 1; k <= std::max(1, std::min(4, static_cast<int>(units / 2))); ++k) {
        const std::int64_t r = GetParam().reduce(x, static_cast<std::uint64_t>(k) * q, q);
        ASSERT_EQ((Wide{r} - x) % Wide{q}, 0) << x << " -> " << r;
        double bound = ranges.reduced(static_cast<double>(size_of(x)) / real_q, k) * real_q;
        if (ranges.residue > 0) bound += 1;  // for moduli of a few bits, which are never reduced
        ASSERT_LE(static_cast<double>(size_of(r)), bound * (1 + 0x1p-50)) << x << ", " << k;
      }
      const std::int64_t r = GetParam().store_result(x, q);
      ASSERT_TRUE(is_residue_of(r, x, q)) << x << " -> " << r;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Policies, SignedPolicyTest, testing::ValuesIn(policies()),
                         [](const auto& policy) { return std::string(policy.param.name); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SignedPolicyTest);

}  // namespace
}  // namespace ringlet::kernels
