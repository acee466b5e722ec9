// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/extended/table.hpp"
#include "kernels/select.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/aligned.hpp"
#include "support/test.hpp"

// Sizes of the tables of section 4.1 and 6.1 of Bradbury et al., by formulas and by counting what
// is in them. A factor is a pair of words: w and its quotient.

namespace ringlet::kernels {
namespace {

constexpr int kLargest = 16;

constexpr std::size_t round_up(std::size_t value) { return (value + 7) / 8 * 8; }

/// Radix-4 butterflies with different factors in `stages` stages from the first one on, an even
/// number: 1 + 4 + 16 + ...
constexpr std::size_t quads(int stages) { return ((std::size_t{1} << stages) - 1) / 3; }

/// Words of the row passes and of the tail of one stream.
struct Words {
  std::size_t rows = 0;
  std::size_t tail = 0;
};

std::size_t table_bytes(const Words& words) {
  return sizeof(ExtendedTable) + 2 * sizeof(std::uint64_t) * (words.rows + words.tail);
}

/// The kernel of a name on any processor; null if this build does not have it.
const NttKernel* kernel_named(std::string_view table, std::string_view algorithm) {
  for (const KernelTable* candidate : kernel_table_list()) {
    for (const NttKernel& kernel : candidate->ntt) {
      if (table == kernel.table && algorithm == kernel.algorithm) return &kernel;
    }
  }
  return nullptr;
}

/// The factors of the forward rows of a portable table, pair after pair.
std::vector<TwiddlePair> forward_rows(int log_degree, TwiddleOrder order) {
  const std::size_t degree = std::size_t{1} << log_degree;
  const Modulus q = generate_ntt_primes(50, degree, 1).front();
  const ExtendedShape shape{LaneLayout{}, 64, {.order = order}};
  AlignedVector<std::uint64_t> memory(extended_table_bytes(log_degree, shape) / 8);
  build_extended_table(memory.data(),
                       {log_degree, q.value(), minimal_primitive_root(2 * degree, q)}, shape);
  const auto& table = *reinterpret_cast<const ExtendedTable*>(memory.data());
  std::vector<TwiddlePair> pairs;
  for (std::size_t i = 0; i < table.row_words; i += 2) {
    pairs.push_back({table.forward_rows()[i], table.forward_rows()[i + 1]});
  }
  return pairs;
}

/// Factors that are there: none of them is zero, and what fills up to whole vectors is.
std::size_t count_factors(const std::vector<TwiddlePair>& pairs, std::size_t first,
                          std::size_t step) {
  std::size_t count = 0;
  for (std::size_t i = first; i < pairs.size(); i += step) count += pairs[i].operand != 0 ? 1 : 0;
  return count;
}

TEST(ExtendedTable, CompressedOrderHasFiveThirdsOfTheDegree) {
  for (int log_degree = 2; log_degree <= kLargest; ++log_degree) {
    const std::size_t degree = std::size_t{1} << log_degree;
    const auto pairs = forward_rows(log_degree, TwiddleOrder::compressed);
    // Where log2 N is odd, radix-2 butterflies of the last stage add one factor each.
    const std::size_t expected =
        log_degree % 2 == 0 ? 5 * (degree - 1) / 3 : 5 * (degree / 2 - 1) / 3 + degree / 2;
    EXPECT_EQ(count_factors(pairs, 0, 1), expected) << degree;
    EXPECT_LT(expected, 2 * degree);
    const std::size_t bytes = table_bytes({round_up(2 * expected), 0});
    for (const char* algorithm : {"radix4", "radix4x4"}) {
      EXPECT_EQ(kernel_named("scalar64", algorithm)->table_bytes(log_degree), bytes) << degree;
    }
  }
}

TEST(ExtendedTable, ExtendedReverseOrderHasTwoThirdsOfTheDegreeMoreThanBitReversedOrder) {
  for (int log_degree = 2; log_degree <= kLargest; ++log_degree) {
    const std::size_t degree = std::size_t{1} << log_degree;
    const auto pairs = forward_rows(log_degree, TwiddleOrder::extended_reverse);
    ASSERT_EQ(pairs.size(), 2 * degree);
    EXPECT_EQ(count_factors(pairs, 0, 2), degree - 1) << degree;
    const std::size_t extra = log_degree % 2 == 0 ? 2 * (degree - 1) / 3 : 2 * (degree / 2 - 1) / 3;
    EXPECT_EQ(count_factors(pairs, 1, 2), extra) << degree;
    EXPECT_EQ(kernel_named("scalar64", "radix4-reverse")->table_bytes(log_degree),
              table_bytes({4 * degree, 0}));
  }
}

/// Both orders hold the same factors: w1 to w5 of a butterfly.
TEST(ExtendedTable, OrdersHoldTheSameFactors) {
  constexpr int kLogDegree = 6;
  const auto compressed = forward_rows(kLogDegree, TwiddleOrder::compressed);
  const auto reverse = forward_rows(kLogDegree, TwiddleOrder::extended_reverse);
  std::size_t place = 0;
  for (int stage = 0; stage < kLogDegree; stage += 2) {
    for (std::size_t i = std::size_t{1} << stage; i < std::size_t{2} << stage; ++i) {
      for (const std::size_t index : {2 * i, 4 * i, 4 * i + 2, 4 * i + 1, 4 * i + 3}) {
        EXPECT_EQ(compressed[place].operand, reverse[index].operand) << index;
        EXPECT_EQ(compressed[place].quotient, reverse[index].quotient) << index;
        ++place;
      }
    }
  }
}

/// Words of one stream of the vector variants on eight lanes, in pairs of w and quotient.
Words words_of_radix4(int log_degree) {
  const std::size_t degree = std::size_t{1} << log_degree;
  const std::size_t groups = degree < 32 ? 1 : degree / 32;
  // The four lanes of a stage share the words of two blocks, or of four: 24, 40 and 80 words.
  if (log_degree % 2 == 0) return {round_up(10 * quads(log_degree - 4)), groups * (24 + 80)};
  return {round_up(10 * quads(log_degree - 3)), groups * (40 + 32)};
}
Words words_of_r4r2(int log_degree) {
  const std::size_t degree = std::size_t{1} << log_degree;
  const int tail = log_degree % 2 == 0 ? 4 : 3;
  // 15 factors for 16 words and one that fills up; three stages do not read the first.
  return {round_up(10 * quads(log_degree - tail)), 2 * degree};
}

TEST(ExtendedTable, VectorTablesStayWithinWhatThePaperNeeds) {
  const NttKernel* const radix4 = kernel_named("ifma52", "radix4");
  const NttKernel* const r4r2 = kernel_named("ifma52", "r4r2");
  if (radix4 == nullptr || r4r2 == nullptr) GTEST_SKIP() << "this build has no table ifma52";
  for (int log_degree = 4; log_degree <= kLargest; ++log_degree) {
    const std::size_t degree = std::size_t{1} << log_degree;
    const Words quad = words_of_radix4(log_degree);
    const Words pair = words_of_r4r2(log_degree);
    EXPECT_EQ(radix4->table_bytes(log_degree), table_bytes(quad)) << degree;
    EXPECT_EQ(r4r2->table_bytes(log_degree), table_bytes(pair)) << degree;
    EXPECT_LE((pair.rows + pair.tail) / 2, 29 * degree / 16);
    // The two vectors of N = 16 stand twice in a group of four.
    if (log_degree == 4) continue;
    EXPECT_LE((quad.rows + quad.tail) / 2, 65 * degree / 32);
  }
}

}  // namespace
}  // namespace ringlet::kernels
