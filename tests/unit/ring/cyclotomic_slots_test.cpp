// SPDX-License-Identifier: Apache-2.0
// Factors of Phi_m modulo small primes, idempotents, bits, elements and rotations of the slots,
// compared with FLINT and with values found by hand.
#include "ringlet/ring/cyclotomic_slots.hpp"

#include "support/reference/flint_poly.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

using Bits = std::vector<std::uint8_t>;

// Primes, powers of primes, products of two and three primes; one slot and many; slots of 60, 64
// and more bits; groups of one, two and three cyclic factors.
const std::vector<std::uint64_t> kIndices{3,   5,   7,   9,    15,   17,   21,   25,   31,  45,
                                          51,  63,  73,  85,   89,   105,  117,  127,  151, 195,
                                          255, 257, 315, 1023, 1365, 2783, 3205, 3485, 9225};

Bits random_bits(std::size_t count, std::mt19937_64& rng) {
  Bits bits(count);
  for (auto& bit : bits) bit = static_cast<std::uint8_t>(rng() & 1);
  return bits;
}

Words encoded(const CyclotomicSlots& slots, const Bits& bits) {
  Words result(slots.degree(), ~std::uint64_t{0});
  slots.encode(result, bits);
  return result;
}

Bits decoded(const CyclotomicSlots& slots, const Words& coefficients) {
  Bits bits(slots.slot_count(), 7);
  slots.decode(bits, coefficients);
  return bits;
}

TEST(CyclotomicSlots, SeventhByHand) {
  const CyclotomicSlots slots(7);
  EXPECT_EQ(slots.index(), 7u);
  EXPECT_EQ(slots.degree(), 6u);
  EXPECT_EQ(slots.slot_count(), 2u);
  EXPECT_EQ(slots.slot_degree(), 3u);
  // Phi_7 = (X^3 + X + 1)(X^3 + X^2 + 1) modulo 2, and 3 generates the units modulo 2.
  EXPECT_EQ(slots.factor(0), (Bits{1, 1, 0, 1}));
  EXPECT_EQ(slots.factor(1), (Bits{1, 0, 1, 1}));
  // X + X^2 + X^4 is the trace of X: 0 for a root of the first factor, 1 for one of the second.
  EXPECT_EQ(slots.idempotent(0), (Bits{1, 1, 1, 0, 1, 0}));
  EXPECT_EQ(slots.idempotent(1), (Bits{0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(encoded(slots, {1, 0}), (Words{1, 1, 1, 0, 1, 0}));
  EXPECT_EQ(encoded(slots, {1}), (Words{1, 1, 1, 0, 1, 0}));
  EXPECT_EQ(encoded(slots, {1, 1}), (Words{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(encoded(slots, {}), (Words(6)));
  EXPECT_EQ(decoded(slots, {0, 1, 1, 0, 1, 0}), (Bits{0, 1}));
  EXPECT_EQ(slots.galois_element(0, 1), 3u);
  EXPECT_EQ(slots.image(0, 3), 1u);
  EXPECT_EQ(slots.image(0, 2), 0u);
}

TEST(CyclotomicSlots, TheSmallestFactorIsThatOfZeta) {
  // All irreducible polynomials of these prime degrees divide Phi of 2^degree - 1; the smallest are
  // in every table: X^5 + X^2 + 1, X^7 + X + 1, X^13 + X^4 + X^3 + X + 1.
  EXPECT_EQ(CyclotomicSlots(31).factor(0), (Bits{1, 0, 1, 0, 0, 1}));
  EXPECT_EQ(CyclotomicSlots(127).factor(0), (Bits{1, 1, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(CyclotomicSlots(8191).factor(0), (Bits{1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(CyclotomicSlots, FactorsAreIrreducibleAndMultiplyToPhi) {
  for (const std::uint64_t m : kIndices) {
    const CyclotomicSlots slots(m);
    FlintPoly product = FlintPoly::power_of_x(0);
    for (std::size_t i = 0; i < slots.slot_count(); ++i) {
      const Bits bits = slots.factor(i);
      ASSERT_EQ(bits.size(), slots.slot_degree() + 1) << m;
      const FlintPoly factor = FlintPoly::from(bits);
      ASSERT_EQ(factor.degree(), static_cast<long>(slots.slot_degree())) << m;
      ASSERT_TRUE(factor.is_irreducible()) << m << " slot " << i;
      product = product * factor;
      Bits reversed(bits.rbegin(), bits.rend());
      const Bits first = slots.factor(0);
      ASSERT_LE(Bits(first.rbegin(), first.rend()), reversed) << m << " slot " << i;
    }
    ASSERT_EQ(product, FlintPoly::cyclotomic(m)) << m;
    ASSERT_EQ(slots.degree(), slots.slot_count() * slots.slot_degree()) << m;
  }
}

TEST(CyclotomicSlots, SlotsAreOrderedAlongTheHypercube) {
  for (const std::uint64_t m : kIndices) {
    const CyclotomicSlots slots(m);
    const auto sizes = slots.dimensions();
    ASSERT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>()),
              slots.slot_count())
        << m;
    std::size_t stride = slots.slot_count();
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      ASSERT_GT(sizes[j], 1u) << m;
      if (j > 0) {
        ASSERT_EQ(sizes[j - 1] % sizes[j], 0u) << m;
      }
      stride /= sizes[j];
      const std::uint64_t g = slots.galois_element(j, 1);
      // zeta^(h*g) is the g-th power of zeta^h: a root of the next factor along the dimension.
      for (std::size_t i = 0; i < slots.slot_count(); ++i) {
        const std::size_t place = i / stride % sizes[j];
        const std::size_t next = i + stride * ((place + 1) % sizes[j]) - stride * place;
        const FlintPoly here = FlintPoly::from(slots.factor(i));
        const FlintPoly there = FlintPoly::from(slots.factor(next));
        ASSERT_TRUE(there.substitute_power(g, m, here).is_zero()) << m << " slot " << i;
      }
    }
  }
}

TEST(CyclotomicSlots, HypercubesHaveFewDimensions) {
  const std::map<std::uint64_t, std::vector<std::size_t>> expected{
      {3, {}}, {63, {6}}, {255, {8, 2}}, {2783, {22}}, {8191, {630}}, {10773, {18, 6}}};
  for (const auto& [m, sizes] : expected) {
    EXPECT_TRUE(std::ranges::equal(CyclotomicSlots(m).dimensions(), sizes)) << m;
  }
}

TEST(CyclotomicSlots, IdempotentsAreOneInOneSlot) {
  for (const std::uint64_t m : kIndices) {
    const CyclotomicSlots slots(m);
    for (std::size_t i = 0; i < slots.slot_count(); ++i) {
      const FlintPoly idempotent = FlintPoly::from(slots.idempotent(i));
      ASSERT_LT(idempotent.degree(), static_cast<long>(slots.degree()));
      // Checks all other slots, of large rings some.
      for (std::size_t t = 0; t < slots.slot_count(); t += 1 + m / 1000) {
        const std::size_t j = (i + t) % slots.slot_count();
        const FlintPoly expected = i == j ? FlintPoly::power_of_x(0) : FlintPoly();
        ASSERT_EQ(idempotent % FlintPoly::from(slots.factor(j)), expected) << m;
      }
    }
  }
}

TEST(CyclotomicSlots, BitsComeBack) {
  auto rng = make_rng();
  for (const std::uint64_t m : kIndices) {
    const CyclotomicSlots slots(m);
    const std::size_t count = slots.slot_count();
    for (Bits bits : {Bits(count, 0), Bits(count, 1), random_bits(count, rng)}) {
      const Words polynomial = encoded(slots, bits);
      ASSERT_LE(std::ranges::max(polynomial), 1u);
      ASSERT_EQ(decoded(slots, polynomial), bits) << m;
      bits.resize(count / 2);
      const Words half = encoded(slots, bits);
      bits.resize(count, 0);
      ASSERT_EQ(decoded(slots, half), bits) << m;
    }
  }
}

TEST(CyclotomicSlots, ElementsAreResidues) {
  auto rng = make_rng();
  for (const std::uint64_t m : kIndices) {
    const CyclotomicSlots slots(m);
    const std::size_t n = slots.degree();
    const std::size_t d = slots.slot_degree();
    // Missing elements are 0.
    for (Bits elements : {random_bits(n, rng), Bits(n, 1), Bits(n, 0), random_bits(d, rng), {}}) {
      Words polynomial(n, 9);
      slots.encode_elements(polynomial, elements);
      elements.resize(n, 0);
      const FlintPoly encoded_elements = FlintPoly::from(polynomial);
      for (std::size_t i = 0; i < slots.slot_count(); ++i) {
        const Bits residue =
            (encoded_elements % FlintPoly::from(slots.factor(i))).coefficients<std::uint8_t>(d);
        ASSERT_TRUE(std::ranges::equal(residue, std::span(elements).subspan(i * d, d))) << m;
      }
      Bits back(n, 3);
      slots.decode_elements(back, polynomial);
      ASSERT_EQ(back, elements) << m;
    }
  }
}

TEST(CyclotomicSlots, EveryAutomorphismPermutesBits) {
  auto rng = make_rng();
  for (const std::uint64_t m : kIndices) {
    if (m > 400) continue;
    const CyclotomicSlots slots(m);
    const FlintPoly phi = FlintPoly::cyclotomic(m);
    const Bits bits = random_bits(slots.slot_count(), rng);
    const FlintPoly polynomial = FlintPoly::from(encoded(slots, bits));
    for (std::uint64_t g = 1; g < m; ++g) {
      if (std::gcd(g, m) != 1) continue;
      const FlintPoly image = polynomial.substitute_power(g, m, phi);
      const Bits moved = decoded(slots, image.coefficients(slots.degree()));
      for (std::size_t i = 0; i < bits.size(); ++i) {
        ASSERT_EQ(moved[slots.image(i, g)], bits[i]) << m << " g = " << g << " slot " << i;
      }
      ASSERT_EQ(slots.image(0, g), slots.image(0, g + m));
    }
  }
}

TEST(CyclotomicSlots, RotationsAroundEachDimension) {
  auto rng = make_rng();
  for (const std::uint64_t m : {21u, 73u, 255u, 315u, 1023u, 1365u, 3485u}) {
    const CyclotomicSlots slots(m);
    const FlintPoly phi = FlintPoly::cyclotomic(m);
    const Bits bits = random_bits(slots.slot_count(), rng);
    const FlintPoly polynomial = FlintPoly::from(encoded(slots, bits));
    const auto sizes = slots.dimensions();
    std::size_t stride = slots.slot_count();
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      stride /= sizes[j];
      const auto size = static_cast<std::int64_t>(sizes[j]);
      for (std::int64_t step : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, size - 1, size,
                                3 * size + 2, INT64_MIN, INT64_MAX}) {
        const std::uint64_t g = slots.galois_element(j, step);
        const FlintPoly image = polynomial.substitute_power(g, m, phi);
        const Bits moved = decoded(slots, image.coefficients(slots.degree()));
        for (std::size_t i = 0; i < bits.size(); ++i) {
          const auto place = static_cast<std::int64_t>(i / stride % sizes[j]);
          const std::int64_t source = ((place + step % size) % size + size) % size;
          const std::size_t from = i + stride * static_cast<std::size_t>(source) -
                                   stride * static_cast<std::size_t>(place);
          ASSERT_EQ(moved[i], bits[from]) << m << " dimension " << j << " step " << step;
        }
      }
    }
  }
}

TEST(CyclotomicSlots, LargestIndex) {
  auto rng = make_rng();
  const CyclotomicSlots slots(65535);
  EXPECT_EQ(slots.degree(), 32768u);
  EXPECT_EQ(slots.slot_count(), 2048u);
  const Bits bits = random_bits(slots.slot_count(), rng);
  const Words polynomial = encoded(slots, bits);
  EXPECT_EQ(decoded(slots, polynomial), bits);
  for (const std::size_t i : {0, 1, 1000, 2047}) {
    const FlintPoly residue = FlintPoly::from(polynomial) % FlintPoly::from(slots.factor(i));
    EXPECT_EQ(residue, FlintPoly::from(Bits{bits[i]}));
  }
}

TEST(CyclotomicSlots, IndicesWithoutDifferentFactorsAreRefused) {
  for (const std::uint64_t m : Words{0, 1, 2, 4, 12, 65536, 65537, 131074, ~std::uint64_t{0}}) {
    EXPECT_THROW(CyclotomicSlots{m}, InvalidArgument) << m;
  }
  expect_refusal_says("2783", [] { CyclotomicSlots slots(5566); });
  expect_refusal_says("repeat", [] { CyclotomicSlots slots(4096); });
}

TEST(CyclotomicSlots, BadBitsAndElementsAreRefused) {
  const CyclotomicSlots slots(31);
  Words result(30, 5);
  expect_refusal_says("7 bits", [&] { slots.encode(result, Bits(7)); });
  expect_refusal_says("bit 2 is out of range", [&] { slots.encode(result, Bits{0, 1, 2}); });
  expect_refusal_says("29", [&] { slots.encode(std::span(result).first(29), Bits(6)); });
  expect_refusal_says("31 bits", [&] { slots.encode_elements(result, Bits(31)); });
  expect_refusal_says("35 bits", [&] { slots.encode_elements(result, Bits(35)); });
  expect_refusal_says("bit 0 is out of range",
                      [&] { slots.encode_elements(result, Bits(5, 255)); });
  expect_refusal_says("3", [&] { slots.encode_elements(std::span(result).first(3), Bits(5)); });
  EXPECT_EQ(result, Words(30, 5));
}

TEST(CyclotomicSlots, BadPolynomialsAreRefused) {
  const CyclotomicSlots slots(31);
  Bits bits(6, 9);
  Words polynomial(30);
  expect_refusal_says("5 bits", [&] { slots.decode(std::span(bits).first(5), polynomial); });
  expect_refusal_says("31 coefficients", [&] { slots.decode(bits, Words(31)); });
  polynomial[17] = std::uint64_t{1} << 63;
  expect_refusal_says("coefficient 17", [&] { slots.decode(bits, polynomial); });
  Bits elements(30, 9);
  expect_refusal_says("coefficient 17", [&] { slots.decode_elements(elements, polynomial); });
  expect_refusal_says("6 bits", [&] { slots.decode_elements(bits, polynomial); });
  // This encodes X^3 times the idempotent of slot 4.
  Bits one(25);
  one[23] = 1;
  slots.encode_elements(polynomial, one);
  expect_refusal_says("slot 4 ", [&] { slots.decode(bits, polynomial); });
  EXPECT_EQ(bits, Bits(6, 9));
  EXPECT_EQ(elements, Bits(30, 9));
}

TEST(CyclotomicSlots, SlotsAndDimensionsThatAreNotThere) {
  const CyclotomicSlots slots(31);
  EXPECT_THROW(slots.factor(6), OutOfRange);
  EXPECT_THROW(slots.idempotent(6), OutOfRange);
  EXPECT_THROW(slots.galois_element(1, 1), OutOfRange);
  EXPECT_THROW(slots.image(6, 1), OutOfRange);
  EXPECT_THROW(slots.image(0, 62), InvalidArgument);
  EXPECT_THROW(slots.image(0, 0), InvalidArgument);
  EXPECT_THROW(CyclotomicSlots(9).galois_element(0, 0), OutOfRange);
}

using Factors = std::vector<std::vector<std::uint8_t>>;

void expect_factors(std::uint64_t m, std::uint64_t p) {
  if (m % p == 0) return;
  Factors expected;
  for (const FlintPoly& factor : FlintPoly::cyclotomic(m, p).factors()) {
    expected.push_back(
        factor.coefficients<std::uint8_t>(static_cast<std::size_t>(factor.degree()) + 1));
  }
  std::ranges::sort(expected, [](const auto& a, const auto& b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  });
  EXPECT_EQ(factor_cyclotomic(m, p), expected) << "m = " << m << " p = " << p;
}

TEST(FactorCyclotomic, IsTheFactorisationOfFlint) {
  for (std::uint64_t m = 3; m <= 64; ++m) {
    for (const std::uint64_t p : {2, 3, 5, 7, 13, 17, 127, 251}) expect_factors(m, p);
  }
  for (const std::uint64_t m : {121, 500, 512, 1023, 1155}) {
    for (const std::uint64_t p : {2, 3, 7, 241}) expect_factors(m, p);
  }
  for (const std::uint64_t m : {255, 3485}) expect_factors(m, 2);
}

TEST(FactorCyclotomic, BadArgumentsAreRefused) {
  using Numbers = std::vector<std::uint64_t>;
  for (const std::uint64_t m : Numbers{0, 2, 16384, ~std::uint64_t{0}}) {
    EXPECT_THROW(factor_cyclotomic(m, 5), InvalidArgument) << m;
  }
  for (const std::uint64_t p : Numbers{0, 1, 4, 3, 257, ~std::uint64_t{0}}) {
    EXPECT_THROW(factor_cyclotomic(15, p), InvalidArgument) << p;
  }
}

}  // namespace
}  // namespace ringlet::test
