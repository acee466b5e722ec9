// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/cyclotomic_slots.hpp"
#include "support/memcheck.hpp"
#include "support/reference/flint_integer_poly.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;

/// Compares reductions modulo Phi_m and q with FLINT's remainders of integer polynomials by FLINT's
/// Phi_m; q = 0 means 2^64.
class Remainders {
 public:
  Remainders(std::uint64_t index, ReductionMethod method)
      : polynomial(index),
        reduction(polynomial, method),
        phi_(FlintIntegerPoly::cyclotomic(index)) {
    EXPECT_EQ(reduction.method(), method);
  }

  const CyclotomicPolynomial polynomial;
  const CyclotomicReduction reduction;

  void check(Words a, std::uint64_t q) const {
    const Words expected = by_flint(a, q);
    q == 0 ? reduction.reduce_words(a) : reduction.reduce_residues(a, q);
    a.resize(expected.size());
    ASSERT_EQ(a, expected) << "m = " << polynomial.index() << ", q = " << q;
  }

 private:
  Words by_flint(const Words& a, std::uint64_t q) const {
    const FlintIntegerPoly remainder = FlintIntegerPoly(std::span<const std::uint64_t>(a)) % phi_;
    Words result(phi_.degree());
    for (std::size_t i = 0; i < result.size(); ++i) {
      const Integer value = remainder[i];
      result[i] = q != 0 ? value.residue(q) : mpz_get_ui((value % (Integer(1) << 64)).get());
    }
    return result;
  }

  const FlintIntegerPoly phi_;
};

std::set<std::size_t> edge_lengths(const CyclotomicPolynomial& polynomial) {
  const std::size_t n = polynomial.degree(), m = polynomial.index();
  std::set<std::size_t> lengths = {n, n + 1, 2 * n - 1, m - 1, m, m + 1, 2 * m - 1, 2 * m};
  std::erase_if(lengths, [=](std::size_t length) { return length < n || length > 2 * m; });
  return lengths;
}

Words extreme_words(std::size_t length, std::mt19937_64& rng) {
  constexpr std::array<std::uint64_t, 5> kExtremes = {0, 1, kAllOnes, kTopBit, kTopBit - 1};
  Words words(length);
  for (auto& word : words) word = kExtremes[rng() % kExtremes.size()];
  return words;
}

// Compares random and extreme coefficients of every edge length with FLINT.
void expect_remainders(std::uint64_t index, ReductionMethod method, std::mt19937_64& rng) {
  const Remainders remainders(index, method);
  for (const std::size_t length : edge_lengths(remainders.polynomial)) {
    SCOPED_TRACE("length = " + std::to_string(length));
    Words random(length);
    for (auto& word : random) word = rng();
    for (const Words& a : {random, extreme_words(length, rng), Words(length, kAllOnes)}) {
      remainders.check(a, 0);
    }
    for (const std::uint64_t q :
         Words{2, 3, 65537, (std::uint64_t{1} << 61) - 1, kTopBit - 25, kTopBit - 1}) {
      remainders.check(mixed_values(length, q, 1, rng), q);
      remainders.check(Words(length, q - 1), q);
    }
  }
}

// Compares large rings with FLINT: one product, extreme words, residues of a modulus that lets
// integers add up and of one that does not.
void expect_large_remainders(std::uint64_t index, ReductionMethod method, std::mt19937_64& rng) {
  const Remainders remainders(index, method);
  const std::size_t length = 2 * remainders.polynomial.degree() - 1;
  Words random(length);
  for (auto& word : random) word = rng();
  remainders.check(random, 0);
  remainders.check(extreme_words(2 * index, rng), 0);
  for (const std::uint64_t q : {(std::uint64_t{1} << 50) - 27, kTopBit - 25}) {
    remainders.check(mixed_values(length, q, 1, rng), q);
  }
}

bool takes(ReductionMethod method, std::uint64_t index) {
  return method != ReductionMethod::block_system ||
         CyclotomicPolynomial(index).max_coefficient() == 1;
}

class CyclotomicReductions : public ::testing::TestWithParam<ReductionMethod> {};

TEST_P(CyclotomicReductions, RemaindersOfSmallRingsAreThoseOfFlint) {
  auto rng = make_rng();
  const std::uint64_t last = test_scale() > 1 ? 210 : 110;
  for (std::uint64_t index = 1; index <= last; ++index) {
    if (!takes(GetParam(), index)) continue;
    expect_remainders(index, GetParam(), rng);
  }
}

TEST_P(CyclotomicReductions, RefuseLengthsOutOfRange) {
  const CyclotomicReduction reduction(CyclotomicPolynomial(15), GetParam());
  for (const std::size_t length : {0, 7, 31}) {
    Words a(length, 5);
    expect_refusal("a has " + std::to_string(length), [&] { reduction.reduce_words(a); });
    expect_refusal("a has " + std::to_string(length), [&] { reduction.reduce_residues(a, 17); });
    EXPECT_EQ(a, Words(length, 5));
  }
}

TEST_P(CyclotomicReductions, RemaindersOfLargeRingsAreThoseOfFlint) {
  auto rng = make_rng();
  Words indices = {1155, 2783, 3875, 4096};
  if (GetParam() == ReductionMethod::sparse_divisors) {
    for (const std::uint64_t index :
         {2827, 3205, 3485, 5461, 5913, 6223, 8191, 9225, 10773, 13797}) {
      indices.push_back(index);
    }
  }
  for (std::size_t i = 0; i < scaled(1); ++i) {
    for (const std::uint64_t index : indices) {
      if (takes(GetParam(), index)) expect_large_remainders(index, GetParam(), rng);
    }
  }
}

TEST(CyclotomicReduction, BlocksNeedCoefficientsOfOneAndFewOfThem) {
  constexpr auto kMethod = ReductionMethod::block_system;
  expect_refusal("Phi_105 has a coefficient of 2",
                 [&] { CyclotomicReduction(CyclotomicPolynomial(105), kMethod); });
  expect_refusal("Phi_4099 has 4099 coefficients",
                 [&] { CyclotomicReduction(CyclotomicPolynomial(4099), kMethod); });
  EXPECT_NO_THROW(CyclotomicReduction(CyclotomicPolynomial(4093), kMethod));
  expect_refusal("method = 7", [] {
    CyclotomicReduction(CyclotomicPolynomial(15), static_cast<ReductionMethod>(7));
  });
}

// Operations on words for Phi_15 = X^8 - X^7 + X^5 - X^4 + X^3 - X + 1, counted by hand.
TEST(CyclotomicReduction, OperationsOfOneProductAreCounted) {
  const CyclotomicPolynomial polynomial(15);
  const auto count = [&](ReductionMethod method) {
    return CyclotomicReduction(polynomial, method).operation_count();
  };
  // Seven coefficients of the quotient have six terms each.
  EXPECT_EQ(count(ReductionMethod::block_system), 42u);
  // 7 by 7 products, of which 28 matter, and 7 by 8, of which 56 - 21 do: each multiplies and adds.
  EXPECT_EQ(count(ReductionMethod::barrett), 2u * (28 + 35));
  // 10 differences leave the remainder modulo X^10 + X^5 + 1. Its quotient of 2 coefficients is one
  // sum (1 - X), times 1 - X in 3 coefficients two differences, over 1 - X^5 nothing more to add,
  // over 1 - X^3 five sums, and 8 differences.
  EXPECT_EQ(count(ReductionMethod::sparse_divisors), 10u + 1 + 2 + 5 + 8);
}

constexpr const char* kMethodNames[] = {"SparseDivisors", "BlockSystem", "Barrett"};

INSTANTIATE_TEST_SUITE_P(Methods, CyclotomicReductions,
                         ::testing::Values(ReductionMethod::sparse_divisors,
                                           ReductionMethod::block_system, ReductionMethod::barrett),
                         [](const auto& method) { return kMethodNames[method.index]; });

// Coefficients decide no branch and no address of a reduction modulo Phi_m, by each method, for
// words and for residues summed as integers or one by one. Bits and elements decide none in
// encoding and decoding slots, except for the verdict whether they are in range.

constexpr const char* kVerdict = R"({
declassified-branch
Memcheck:Cond
fun:*ringlet*declassify*
}
)";

template <typename Word>
std::vector<Word> secret(std::size_t count, Word bound) {
  std::vector<Word> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = static_cast<Word>(i % bound);
  make_secret(words.data(), count * sizeof(Word));
  return words;
}

// The bodies are disabled because they test nothing outside of valgrind.
TEST(DISABLED_CyclotomicConstantTimeBody, ReducesWordsAndResidues) {
  ASSERT_TRUE(under_valgrind()) << "the test of CyclotomicConstantTime runs this";
  for (const std::uint64_t m : {17u, 45u, 253u, 273u, 2783u}) {
    const CyclotomicPolynomial polynomial(m);
    for (const auto method : {ReductionMethod::sparse_divisors, ReductionMethod::block_system,
                              ReductionMethod::barrett}) {
      if (method == ReductionMethod::barrett && m == 2783) continue;
      if (method == ReductionMethod::block_system && polynomial.max_coefficient() > 1) continue;
      const CyclotomicReduction reduction(polynomial, method);
      auto words = secret<std::uint64_t>(2 * m, 17);
      reduction.reduce_words(words);
      ASSERT_TRUE(is_secret(words.data(), sizeof(std::uint64_t))) << "words are not followed";
      for (const std::uint64_t q : {std::uint64_t{65537}, (std::uint64_t{1} << 63) - 25}) {
        auto residues = secret<std::uint64_t>(2 * polynomial.degree() - 1, 17);
        reduction.reduce_residues(residues, q);
        ASSERT_TRUE(is_secret(residues.data(), sizeof(std::uint64_t))) << "not followed";
      }
    }
  }
}

// Slots of one word and of two words, and a single slot.
TEST(DISABLED_CyclotomicConstantTimeBody, EncodesAndDecodesSlots) {
  ASSERT_TRUE(under_valgrind()) << "the test of CyclotomicConstantTime runs this";
  for (const std::uint64_t m : {25u, 255u, 315u, 2783u, 3205u}) {
    const CyclotomicSlots slots(m);
    std::vector<std::uint64_t> polynomial(slots.degree());
    slots.encode(polynomial, secret<std::uint8_t>(slots.slot_count(), 2));
    ASSERT_TRUE(std::ranges::any_of(polynomial, [](const auto& word) {
      return is_secret(&word, 1);
    })) << "an encoded message is not followed";
    std::vector<std::uint8_t> bits(slots.slot_count());
    slots.decode(bits, polynomial);
    ASSERT_TRUE(is_secret(bits.data(), bits.size())) << "a decoded message is not followed";
    slots.encode_elements(polynomial, secret<std::uint8_t>(slots.degree(), 2));
    std::vector<std::uint8_t> elements(slots.degree());
    slots.decode_elements(elements, polynomial);
    ASSERT_TRUE(is_secret(elements.data(), elements.size())) << "elements are not followed";
  }
}

TEST(DISABLED_CyclotomicConstantTimeControl, ABranchOnAResidueIsFound) {
  ASSERT_TRUE(under_valgrind()) << "the test of CyclotomicConstantTime runs this";
  auto residues = secret<std::uint64_t>(15, 17);
  CyclotomicReduction(CyclotomicPolynomial(15)).reduce_residues(residues, 65537);
  volatile int count = 0;
  if (residues[0] != 0) count = count + 1;
}

TEST(DISABLED_CyclotomicSlotsConstantTimeControl, ABranchOnADecodedBitIsFound) {
  ASSERT_TRUE(under_valgrind()) << "the test of CyclotomicConstantTime runs this";
  const CyclotomicSlots slots(31);
  std::vector<std::uint64_t> polynomial(slots.degree());
  slots.encode(polynomial, secret<std::uint8_t>(slots.slot_count(), 2));
  std::vector<std::uint8_t> bits(slots.slot_count());
  slots.decode(bits, polynomial);
  volatile int count = 0;
  for (const std::uint8_t bit : bits) {
    if (bit != 0) count = count + 1;
  }
}

TEST(CyclotomicConstantTime, NoBranchOrAddressDependsOnValues) {
  expect_nothing_found("DISABLED_CyclotomicConstantTimeBody", {"2 tests from 1 test suite ran"},
                       kVerdict);
  expect_found("DISABLED_CyclotomicConstantTimeControl", kVerdict);
  expect_found("DISABLED_CyclotomicSlotsConstantTimeControl", kVerdict);
}

}  // namespace
}  // namespace ringlet::test
