// SPDX-License-Identifier: Apache-2.0
// Slots of binary polynomials over many cyclotomic rings: random bits and elements come back, sums
// and products of polynomials by FLINT are those of the slots, automorphisms move slots.

#include "ringlet/ring/cyclotomic_slots.hpp"
#include "support/reference/flint_poly.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

using Bits = std::vector<std::uint8_t>;

// Per ring: 18 rings make 10,800 trials in the long run.
constexpr std::size_t kTrials = 3;

class CyclotomicBatching : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  CyclotomicBatching() : slots_(GetParam()), phi_(FlintPoly::cyclotomic(GetParam())) {}

  Bits random_bits(std::size_t count) {
    // Now and then few ones or few zeros.
    const std::uint64_t density = rng_() % 4;
    Bits bits(count);
    for (auto& bit : bits) {
      bit = static_cast<std::uint8_t>(density == 0   ? rng_() % 32 == 0
                                      : density == 1 ? rng_() % 32 != 0
                                                     : rng_() % 2);
    }
    return bits;
  }
  FlintPoly encoded(const Bits& bits, bool are_elements = false) const {
    Words words(slots_.degree());
    are_elements ? slots_.encode_elements(words, bits) : slots_.encode(words, bits);
    return FlintPoly::from(words);
  }
  Bits decoded(const FlintPoly& polynomial, bool are_elements = false) const {
    const auto words = polynomial.coefficients(slots_.degree());
    Bits bits(are_elements ? slots_.degree() : slots_.slot_count());
    are_elements ? slots_.decode_elements(bits, words) : slots_.decode(bits, words);
    return bits;
  }
  /// Element i of many, as a polynomial.
  FlintPoly element(const Bits& elements, std::size_t i) const {
    const auto d = static_cast<std::ptrdiff_t>(slots_.slot_degree());
    const auto first = elements.begin() + static_cast<std::ptrdiff_t>(i) * d;
    return FlintPoly::from(Bits(first, first + d));
  }
  std::uint64_t random_unit() {
    for (;;) {
      const std::uint64_t g = rng_() % slots_.index();
      if (std::gcd(g, slots_.index()) == 1) return g;
    }
  }

  void try_bits();
  void try_elements();

  CyclotomicSlots slots_;
  FlintPoly phi_;
  std::mt19937_64 rng_ = make_rng();
};

void CyclotomicBatching::try_bits() {
  const Bits a = random_bits(slots_.slot_count());
  const Bits b = random_bits(slots_.slot_count());
  const FlintPoly poly_a = encoded(a);
  const FlintPoly poly_b = encoded(b);
  ASSERT_EQ(decoded(poly_a), a);
  const Bits products = decoded(poly_a * poly_b % phi_);
  const Bits sums = decoded(poly_a + poly_b);
  const std::uint64_t g = random_unit();
  const Bits moved = decoded(poly_a.substitute_power(g, slots_.index(), phi_));
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(products[i], a[i] & b[i]) << "slot " << i;
    ASSERT_EQ(sums[i], a[i] ^ b[i]) << "slot " << i;
    ASSERT_EQ(moved[slots_.image(i, g)], a[i]) << "slot " << i << " g = " << g;
  }
}

void CyclotomicBatching::try_elements() {
  const Bits a = random_bits(slots_.degree());
  const Bits b = random_bits(slots_.degree());
  const FlintPoly poly_a = encoded(a, true);
  const FlintPoly poly_b = encoded(b, true);
  ASSERT_EQ(decoded(poly_a, true), a);
  const Bits products = decoded(poly_a * poly_b % phi_, true);
  const Bits sums = decoded(poly_a + poly_b, true);
  for (std::size_t i = 0; i < slots_.slot_count(); ++i) {
    const FlintPoly factor = FlintPoly::from(slots_.factor(i));
    ASSERT_EQ(element(products, i), element(a, i) * element(b, i) % factor) << "slot " << i;
    ASSERT_EQ(element(sums, i), element(a, i) + element(b, i)) << "slot " << i;
  }
}

TEST_P(CyclotomicBatching, SlotsComeBackAndComputeApart) {
  for (std::size_t trial = 0; trial < scaled(kTrials); ++trial) {
    SCOPED_TRACE(trial);
    try_bits();
    try_elements();
    if (HasFatalFailure()) return;
  }
  std::printf("  m = %llu: %zu trials on %zu slots of %zu bits\n",
              static_cast<unsigned long long>(slots_.index()), scaled(kTrials), slots_.slot_count(),
              slots_.slot_degree());
}

INSTANTIATE_TEST_SUITE_P(SmallRings, CyclotomicBatching,
                         ::testing::Values(7, 15, 21, 31, 63, 127, 255, 1023));
INSTANTIATE_TEST_SUITE_P(UsualRings, CyclotomicBatching,
                         ::testing::Values(2783, 2827, 3205, 3485, 3875, 5913, 8191, 9225, 10773,
                                           13797));

}  // namespace
}  // namespace ringlet::test
