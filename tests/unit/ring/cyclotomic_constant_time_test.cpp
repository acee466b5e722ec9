// SPDX-License-Identifier: Apache-2.0
// Coefficients decide no branch and no address of a reduction modulo Phi_m, by each method, for
// words and for residues that are summed as integers or one by one; nor do bits and elements in
// encoding and decoding slots, but for the verdict whether they are in range.

#include "ringlet/ring/cyclotomic_slots.hpp"
#include "support/memcheck.hpp"

namespace ringlet::test {
namespace {

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

// The bodies are disabled: outside of valgrind they test nothing.
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

// One word of a slot, two, and one slot alone.
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
