// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/signed_factor.hpp"

#include <gmp.h>

#include "ringlet/modulus.hpp"
#include "support/ntt_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// The words that stand for a factor of a signed transform, as the numbers that they are.

namespace ringlet::kernels {
namespace {

using test::ntt_prime_next_to;
using Wide = __int128;

std::vector<std::uint64_t> primes_below(int limit_bits) {
  std::vector<std::uint64_t> found{17, 257, 65537};
  for (const int bits : {20, 29, 30, 31, 32, 33, 36, 45, 50, 51, 53, 54, 55, 58, 60, 61}) {
    if (bits > limit_bits) break;
    const std::uint64_t power = std::uint64_t{1} << bits;
    found.push_back(ntt_prime_next_to(power, 8, true));
    if (bits < limit_bits) found.push_back(ntt_prime_next_to(power, 8, false));
    if (bits < 40) continue;
    found.push_back(ntt_prime_next_to(power, std::size_t{1} << 31, true));  // 1 mod 2^32
    const std::uint64_t middle = power / 4 * 3 + (std::uint64_t{1} << 31);
    found.push_back(ntt_prime_next_to(middle, 8, true));
    found.push_back(ntt_prime_next_to(middle, 8, false));
  }
  return found;
}

/// Residues next to 0, q/2 and q, those that 2^32 makes ends of half words, and others.
std::vector<std::uint64_t> factors_of(std::uint64_t q, std::mt19937_64& rng) {
  std::vector<std::uint64_t> found = test::mixed_values(200, q, 1, rng);
  for (std::uint64_t i = 0; i < 6 && i < q / 2; ++i) {
    found.insert(found.end(), {i, q - 1 - i, q / 2 - i, q / 2 + i});
  }
  const Modulus modulus(q);
  const std::uint64_t half_word = (std::uint64_t{1} << 32) % q;
  const std::uint64_t inverse = pow_mod(half_word, q - 2, modulus);
  for (const std::uint64_t high : {std::uint64_t{0}, q >> 34, q >> 33}) {
    for (const std::uint64_t low : {0x7fffffffU, 0x80000000U, 0x80000001U, 0xffffffffU, 0U}) {
      const std::uint64_t a = ((high << 32) | low) % q;
      found.push_back(modulus.multiply(a, inverse));
      found.push_back(modulus.multiply(q - a, inverse));
    }
  }
  for (std::uint64_t& w : found) w %= q;
  return found;
}

/// What two signed halves are worth.
Wide value_of_halves(std::uint64_t word) {
  const auto low = static_cast<std::int32_t>(word);
  const auto high = static_cast<std::int32_t>(word >> 32);
  return (Wide{high} << 32) + low;
}

Wide centred(Wide x, std::uint64_t q) {
  const Wide r = ((x % q) + q) % q;
  return r > q / 2 ? r - q : r;
}

/// |x*q - c| <= q * 2^-bits, exactly.
bool is_ratio(double x, std::int64_t c, std::uint64_t q, unsigned bits) {
  mpq_t error;
  mpq_t modulus;
  mpq_t bound;
  mpq_inits(error, modulus, bound, nullptr);
  mpq_set_d(error, x);
  mpq_set_ui(modulus, q, 1);
  mpq_mul(error, error, modulus);
  mpq_set_si(bound, c, 1);
  mpq_sub(error, error, bound);
  mpq_abs(error, error);
  mpq_div_2exp(bound, modulus, bits);
  const bool is_near = mpq_cmp(error, bound) <= 0;
  mpq_clears(error, modulus, bound, nullptr);
  return is_near;
}

/// |x*q - c| <= q * (2^-55 + 2^-64).
bool is_long_ratio(double x, std::int64_t c, std::uint64_t q) {
  mpq_t error;
  mpq_t modulus;
  mpq_t bound;
  mpq_inits(error, modulus, bound, nullptr);
  mpq_set_d(error, x);
  mpq_set_ui(modulus, q, 1);
  mpq_mul(error, error, modulus);
  mpq_set_si(bound, c, 1);
  mpq_sub(error, error, bound);
  mpq_abs(error, error);
  mpq_set_ui(bound, (1U << 9) + 1, 1);
  mpq_mul(bound, bound, modulus);
  mpq_div_2exp(bound, bound, 64);
  const bool is_near = mpq_cmp(error, bound) <= 0;
  mpq_clears(error, modulus, bound, nullptr);
  return is_near;
}

template <typename Body>
void for_each_factor(int limit_bits, Body body) {
  auto rng = test::make_rng();
  for (const std::uint64_t q : primes_below(limit_bits)) {
    for (const std::uint64_t w : factors_of(q, rng)) {
      SCOPED_TRACE(testing::Message() << "q = " << q << ", w = " << w);
      body(q, w);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(SignedFactor, InverseOfAnOddHalfWord) {
  for (const std::uint64_t q : primes_below(61)) {
    EXPECT_EQ(static_cast<std::uint32_t>(q * half_word_inverse(q)), 1U) << q;
  }
  for (std::uint64_t q = 1; q < 100'000; q += 2) {
    ASSERT_EQ(static_cast<std::uint32_t>(q * half_word_inverse(q)), 1U) << q;
  }
}

TEST(SignedFactor, DoublesAreTheCentredFactorAndItsRatio) {
  for_each_factor(51, [](std::uint64_t q, std::uint64_t w) {
    const TwiddlePair pair = make_signed_pair(w, q, TwiddleForm::real);
    const auto c = static_cast<std::int64_t>(centred(w, q));
    EXPECT_EQ(std::bit_cast<double>(pair.operand), static_cast<double>(c));
    EXPECT_TRUE(is_ratio(std::bit_cast<double>(pair.quotient), c, q, 55));
  });
}

TEST(SignedFactor, LongDoublesAreTheCentredFactorAndItsRatio) {
  for_each_factor(54, [](std::uint64_t q, std::uint64_t w) {
    const TwiddlePair pair = make_signed_pair(w, q, TwiddleForm::long_real);
    const auto c = static_cast<std::int64_t>(centred(w, q));
    EXPECT_EQ(static_cast<std::int64_t>(pair.operand), c);
    EXPECT_TRUE(is_long_ratio(std::bit_cast<double>(pair.quotient), c, q));
  });
}

TEST(SignedFactor, HalvesOfMont64AreTheFactorTimesPowersOfTwo) {
  for_each_factor(61, [](std::uint64_t q, std::uint64_t w) {
    const TwiddlePair pair = make_signed_pair(w, q, TwiddleForm::mont64);
    EXPECT_TRUE(value_of_halves(pair.operand) == centred(Wide{w} << 32, q));
    EXPECT_TRUE(value_of_halves(pair.quotient) ==
                centred(static_cast<Wide>((static_cast<unsigned __int128>(w) << 64) % q), q));
  });
}

TEST(SignedFactor, Mont32IsTheFactorTimesAPowerOfTwoAndThatOverQ) {
  for_each_factor(30, [](std::uint64_t q, std::uint64_t w) {
    const TwiddlePair pair = make_signed_pair(w, q, TwiddleForm::mont32);
    EXPECT_EQ(static_cast<std::int64_t>(pair.operand),
              static_cast<std::int64_t>(centred(Wide{w} << 32, q)));
    EXPECT_EQ(static_cast<std::uint32_t>(pair.quotient * q),
              static_cast<std::uint32_t>(pair.operand));
  });
}

TEST(SignedFactor, HalvesOfShoup64AreTheFactorOverQ) {
  int rare = 0;
  for_each_factor(61, [&](std::uint64_t q, std::uint64_t w) {
    const TwiddlePair pair = make_signed_pair(w, q, TwiddleForm::shoup64);
    const Wide operand = static_cast<std::int64_t>(pair.operand);
    EXPECT_TRUE(centred(operand, q) == centred(w, q));
    EXPECT_TRUE(operand > -Wide{q} && operand < Wide{q});
    const Wide error = value_of_halves(pair.quotient) * Wide{q} - (operand << 64);
    EXPECT_TRUE(error <= Wide{q / 2} && -error <= Wide{q / 2});
    // Only next to q/2 is it the other representative.
    if (operand == centred(w, q)) return;
    ++rare;
    EXPECT_EQ(static_cast<std::int32_t>(pair.quotient >> 32), INT32_MIN);
    EXPECT_LE((Wide{q / 2} - Wide{w}) >> 30, Wide{q >> 61});
  });
  EXPECT_GT(rare, 10);
}

}  // namespace
}  // namespace ringlet::kernels
