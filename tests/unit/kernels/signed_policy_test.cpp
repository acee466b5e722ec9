// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_features.hpp"
#include "signed_policy_calls.hpp"
#include "support/ntt_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// What every policy of signed arithmetic promises about single values, at the ends of the ranges
// that it promises it for, against integers of 128 bits.

namespace ringlet::kernels {
namespace {

using test::ntt_prime_next_to;
using Wide = __int128;

std::vector<SignedCalls> policies() {
  std::vector<SignedCalls> found;
  const CpuFeatureMask avx2 = feature_mask(CpuFeature::avx2, CpuFeature::fma);
  const CpuFeatureMask avx512 = avx2 | feature_mask(CpuFeature::avx512f, CpuFeature::avx512dq);
  const auto add = [&](const SignedCallList& list, CpuFeatureMask needs) {
    if ((needs & ~detected_cpu_features()) != 0) return;
    found.insert(found.end(), list.calls, list.calls + list.count);
  };
  add(avx2_signed_calls(), avx2);
  add(avx512_signed_calls(), avx512);
  return found;
}

/// Primes that the policy takes: next to powers of two, to its limit, and with lower halves at the
/// ends of their ranges.
std::vector<std::uint64_t> primes_of(const SignedCalls& policy) {
  std::set<std::uint64_t> found{17, 257, 65537, ntt_prime_next_to(policy.modulus_limit, 8, true)};
  for (const int bits : {20, 26, 28, 30, 42, 48, 50, 51, 53, 54, 56, 58, 60, 61}) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    found.insert(ntt_prime_next_to(power, 8, true));
    found.insert(ntt_prime_next_to(power, 8, false));
    if (bits < 40) continue;
    found.insert(ntt_prime_next_to(power, std::size_t{1} << 31, true));
    for (const std::uint64_t low : {0x7fffffffU, 0x80000000U, 0x40000000U, 0xc0000000U}) {
      found.insert(ntt_prime_next_to((power / 4 * 3) | low, 8, true));
      found.insert(ntt_prime_next_to((power / 4 * 3) | low, 8, false));
    }
  }
  std::erase_if(found, [&](std::uint64_t q) {
    return q >= policy.modulus_limit ||
           (policy.arithmetic == SignedArithmetic::mont64 && mont64_form(q) != policy.form);
  });
  return {found.begin(), found.end()};
}

/// Integers up to `most` in size: the ends, 0, the neighbours of powers of two, of multiples of q
/// and of halves of it, those whose half words are at their ends, and others.
std::vector<std::int64_t> values_up_to(std::int64_t most, std::uint64_t q, std::mt19937_64& rng) {
  std::set<std::int64_t> found{0};
  const auto add = [&](Wide x) {
    for (const Wide y : {x - 1, x, x + 1}) {
      if (y > most || -y > most) continue;
      found.insert(static_cast<std::int64_t>(y));
      found.insert(static_cast<std::int64_t>(-y));
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

std::vector<std::uint64_t> factors_of(std::uint64_t q, std::mt19937_64& rng) {
  std::vector<std::uint64_t> found{0, 1, q - 1, q / 2, q / 2 + 1, q / 2 - 1, q / 2 + 2, 2 % q};
  const Modulus modulus(q);
  const std::uint64_t inverse = pow_mod((std::uint64_t{1} << 32) % q, q - 2, modulus);
  for (const std::uint64_t a : {std::uint64_t{0x7fffffff}, std::uint64_t{0x80000000}, q / 2,
                                (q / 2 >> 32 << 32) | 0x80000000U}) {
    found.push_back(modulus.multiply(a % q, inverse));
    found.push_back(modulus.multiply(modulus.multiply(a % q, inverse), inverse));
  }
  for (int i = 0; i < 4; ++i) found.push_back(rng() % q);
  for (int i = 0; i < 4; ++i) found.push_back((q / 2 + (rng() % 16)) % q);
  return found;
}

Wide size_of(Wide x) { return x < 0 ? -x : x; }
bool is_congruent(Wide x, Wide y, std::uint64_t q) { return (x - y) % Wide{q} == 0; }

std::int64_t as_integer(double units, std::uint64_t q) {
  const double most = units * static_cast<double>(q);
  return most >= 0x1p63 ? INT64_MAX : static_cast<std::int64_t>(most);
}

/// What may be multiplied, if the product is to fit too, and what may be stored, modulo q; no more
/// than an unreduced transform makes of small moduli.
struct Limits {
  std::int64_t factor;
  std::int64_t value;
};
Limits limits_of(const SignedCalls& policy, std::uint64_t q) {
  constexpr double kMostUnreduced = 1000;
  const SignedRanges ranges = signed_ranges(policy.arithmetic, q);
  double factor = ranges.factor_limit;
  while (ranges.product(factor) > ranges.value_limit) factor *= 0.99;
  return {as_integer(factor, q),
          as_integer(std::min({ranges.value_limit, ranges.factor_limit, kMostUnreduced}), q) - 1};
}

class SignedPolicyTest : public testing::TestWithParam<SignedCalls> {
 protected:
  /// Calls body(q) for all primes.
  template <typename Body>
  static void for_each_prime(Body body) {
    const std::vector<std::uint64_t> primes = primes_of(GetParam());
    EXPECT_FALSE(primes.empty());
    for (const std::uint64_t q : primes) {
      SCOPED_TRACE("q = " + std::to_string(q));
      body(q);
      if (HasFailure()) return;
    }
  }
};

TEST_P(SignedPolicyTest, ProductsAreProductsAndWithinTheirBound) {
  auto rng = test::make_rng();
  for_each_prime([&](std::uint64_t q) {
    const SignedRanges ranges = signed_ranges(GetParam().arithmetic, q);
    const auto real_q = static_cast<double>(q);
    for (const std::uint64_t w : factors_of(q, rng)) {
      for (const std::int64_t y : values_up_to(limits_of(GetParam(), q).factor, q, rng)) {
        const std::int64_t t = GetParam().product(y, w, q);
        const Wide expected = static_cast<Wide>(y % static_cast<std::int64_t>(q)) * Wide{w};
        ASSERT_NE(t, kLanesDiffer);
        ASSERT_TRUE(is_congruent(t, expected, q)) << y << " * " << w << " -> " << t;
        const double bound = ranges.product(static_cast<double>(size_of(y)) / real_q) * real_q;
        ASSERT_LE(static_cast<double>(size_of(t)), bound * (1 + 0x1p-50)) << y << " * " << w;
      }
    }
  });
}

TEST_P(SignedPolicyTest, ReductionsAreWithinTheirBound) {
  auto rng = test::make_rng();
  for_each_prime([&](std::uint64_t q) {
    const SignedRanges ranges = signed_ranges(GetParam().arithmetic, q);
    const auto real_q = static_cast<double>(q);
    const std::int64_t most = limits_of(GetParam(), q).value;
    const double units = static_cast<double>(most) / real_q;
    for (int k = 1; k <= std::max(1, std::min(4, static_cast<int>(units / 2))); ++k) {
      for (const std::int64_t x : values_up_to(most, q, rng)) {
        const std::int64_t r = GetParam().reduce(x, static_cast<std::uint64_t>(k) * q, q);
        ASSERT_TRUE(is_congruent(r, x, q)) << x << " -> " << r;
        double bound = ranges.reduced(static_cast<double>(size_of(x)) / real_q, k) * real_q;
        if (ranges.residue > 0) bound += 1;  // Of moduli of a few bits, which are never reduced.
        ASSERT_LE(static_cast<double>(size_of(r)), bound * (1 + 0x1p-50)) << x << ", " << k;
      }
    }
  });
}

TEST_P(SignedPolicyTest, ResultsAreResidues) {
  auto rng = test::make_rng();
  for_each_prime([&](std::uint64_t q) {
    for (const std::int64_t x : values_up_to(limits_of(GetParam(), q).value, q, rng)) {
      const std::int64_t r = GetParam().store_result(x, q);
      ASSERT_TRUE(r >= 0 && static_cast<std::uint64_t>(r) < q) << x << " -> " << r;
      ASSERT_TRUE(is_congruent(r, x, q)) << x << " -> " << r;
    }
  });
}

TEST_P(SignedPolicyTest, ProductsAreStoredAsResidues) {
  auto rng = test::make_rng();
  for_each_prime([&](std::uint64_t q) {
    for (const std::uint64_t w : factors_of(q, rng)) {
      for (const std::int64_t y : values_up_to(limits_of(GetParam(), q).factor, q, rng)) {
        const std::int64_t r = GetParam().store_product(GetParam().product(y, w, q), q);
        const Wide expected = static_cast<Wide>(y % static_cast<std::int64_t>(q)) * Wide{w};
        ASSERT_TRUE(r >= 0 && static_cast<std::uint64_t>(r) < q) << y << " * " << w << " -> " << r;
        ASSERT_TRUE(is_congruent(r, expected, q)) << y << " * " << w << " -> " << r;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Policies, SignedPolicyTest, testing::ValuesIn(policies()),
                         [](const auto& policy) { return std::string(policy.param.name); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SignedPolicyTest);

}  // namespace
}  // namespace ringlet::kernels
