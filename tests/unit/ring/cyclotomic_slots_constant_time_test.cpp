// SPDX-License-Identifier: Apache-2.0
// Nothing that follows from bits and elements decides a branch or an address in encoding and
// decoding slots, but the verdict whether they are in range.

#include "ringlet/cyclotomic_slots.hpp"
#include "support/memcheck.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

const std::string kVerdict = R"({
declassified-branch
Memcheck:Cond
fun:*ringlet*declassify*
}
)";

std::vector<std::uint8_t> secret_bits(std::size_t count) {
  std::vector<std::uint8_t> bits(count);
  for (std::size_t i = 0; i < count; ++i) bits[i] = i % 3 == 0 ? 1 : 0;
  make_secret(bits.data(), bits.size());
  return bits;
}

// The bodies are disabled: outside of valgrind they test nothing. One word of a slot, two, and one
// slot alone.
TEST(DISABLED_CyclotomicSlotsConstantTimeBody, EncodesAndDecodes) {
  ASSERT_TRUE(under_valgrind()) << "the tests of CyclotomicSlotsConstantTime run this";
  for (const std::uint64_t m : {25u, 255u, 315u, 2783u, 3205u}) {
    const CyclotomicSlots slots(m);
    std::vector<std::uint64_t> polynomial(slots.degree());
    slots.encode(polynomial, secret_bits(slots.slot_count()));
    ASSERT_TRUE(std::ranges::any_of(polynomial, [](const auto& word) {
      return is_secret(&word, 1);
    })) << "an encoded message is not followed";
    std::vector<std::uint8_t> bits(slots.slot_count());
    slots.decode(bits, polynomial);
    ASSERT_TRUE(is_secret(bits.data(), bits.size())) << "a decoded message is not followed";
    slots.encode_elements(polynomial, secret_bits(slots.degree()));
    std::vector<std::uint8_t> elements(slots.degree());
    slots.decode_elements(elements, polynomial);
    ASSERT_TRUE(is_secret(elements.data(), elements.size())) << "elements are not followed";
  }
}

TEST(DISABLED_CyclotomicSlotsConstantTimeControl, ABranchOnADecodedBitIsFound) {
  ASSERT_TRUE(under_valgrind()) << "the tests of CyclotomicSlotsConstantTime run this";
  const CyclotomicSlots slots(31);
  std::vector<std::uint64_t> polynomial(slots.degree());
  slots.encode(polynomial, secret_bits(slots.slot_count()));
  std::vector<std::uint8_t> bits(slots.slot_count());
  slots.decode(bits, polynomial);
  volatile int count = 0;
  for (const std::uint8_t bit : bits) {
    if (bit != 0) count = count + 1;
  }
}

TEST(CyclotomicSlotsConstantTime, NoBranchOrAddressDependsOnValues) {
  expect_nothing_found("DISABLED_CyclotomicSlotsConstantTimeBody", {"1 test from 1 test suite ran"},
                       kVerdict);
  expect_found("DISABLED_CyclotomicSlotsConstantTimeControl", kVerdict);
}

}  // namespace
}  // namespace ringlet::test
