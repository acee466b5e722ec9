// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/lazy_ranges.hpp"

#include "ringlet/modular.hpp"
#include "support/ntt_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// The products of the lazy transforms, from their arithmetic alone.

namespace ringlet::kernels {
namespace {

using test::make_rng;
using test::ntt_prime_next_to;
using Wide = __int128;

/// Primes next to fractions of a word, and some others.
std::vector<std::uint64_t> primes_for(std::size_t degree) {
  std::vector<std::uint64_t> primes;
  for (std::uint64_t half_units = 8; half_units < 60; ++half_units) {
    for (const bool below : {true, false}) {
      const std::uint64_t q = ntt_prime_next_to(2 * kLazyWord / half_units, degree, below);
      if (q < kLazyModulusLimit) primes.push_back(q);
    }
  }
  for (const int bits : {30, 40, 45}) {
    primes.push_back(ntt_prime_next_to(std::uint64_t{1} << bits, degree, true));
  }
  return primes;
}

/// y*w mod q as the kernels take it, in integers: centred with `rounding` and a half, else as it
/// is.
Wide product_by_fraction(std::uint64_t y, std::uint64_t w, std::uint64_t q, std::uint64_t rounding,
                         bool centred) {
  const auto shifted = static_cast<uint128_t>(w) << kLazyWordBits;
  const auto high = static_cast<std::uint64_t>(shifted / q);
  const auto low = static_cast<std::uint64_t>(((shifted % q) << kLazyWordBits) / q);
  const std::uint64_t start = rounding + (centred ? kLazyWord / 2 : 0);
  const auto y_low = static_cast<std::uint64_t>((static_cast<uint128_t>(y) * low) >> kLazyWordBits);
  const std::uint64_t fraction = (start + y_low + y * high) % kLazyWord;
  const auto product = static_cast<Wide>((static_cast<uint128_t>(fraction) * q) >> kLazyWordBits);
  return centred ? product - static_cast<Wide>(q / 2) : product;
}

/// How many of many products, those at the edges among them, are not the residue.
int wrong_products(std::uint64_t rounding) {
  int wrong = 0;
  auto rng = make_rng();
  for (const std::uint64_t q : primes_for(1024)) {
    const Modulus modulus(q);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t w = i % 4 == 0   ? q - 1 - rng() % 3
                              : i % 4 == 1 ? 1 + rng() % 3
                                           : rng() % q;
      const std::uint64_t y = i % 3 == 0   ? kLazyWord - 1 - rng() % 4
                              : i % 3 == 1 ? (rng() % (kLazyWord / q)) * q + rng() % 3
                                           : rng() % kLazyWord;
      const std::uint64_t residue = modulus.multiply(modulus.reduce(y), w);
      const Wide centred = residue > q / 2 ? Wide{residue} - Wide{q} : Wide{residue};
      wrong += product_by_fraction(y, w, q, rounding, false) != Wide{residue} ? 1 : 0;
      wrong += product_by_fraction(y, w, q, rounding, true) != centred ? 1 : 0;
    }
  }
  return wrong;
}

TEST(LazyRanges, ProductsByFractionsAreTheResiduesThemselves) {
  EXPECT_EQ(wrong_products(kFractionRounding), 0);
}

TEST(LazyRanges, ProductsByFractionsNeedTheirRounding) {
  EXPECT_GT(wrong_products(0), 0);
  EXPECT_GT(wrong_products(kFractionRounding - 1), 0);
}

}  // namespace
}  // namespace ringlet::kernels
