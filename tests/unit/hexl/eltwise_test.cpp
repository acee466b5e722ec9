// SPDX-License-Identifier: Apache-2.0
#include "hexl/hexl.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"
#include "unit/hexl/reference.hpp"

namespace ringlet::test {
namespace {

using namespace intel::hexl;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kAnyWord = 0;

constexpr std::array<std::size_t, 8> kLengths = {0, 1, 3, 7, 8, 9, 64, 100};

/// Elements of [0, factor*q), or any words for the factor kAnyWord.
Words elements(std::size_t n, std::uint64_t q, std::uint64_t factor, std::mt19937_64& rng) {
  if (factor != kAnyWord) return mixed_values(n, q, factor, rng);
  return words(n, [&](std::size_t i) { return i % 5 == 0 ? ~std::uint64_t{0} - i / 5 : rng(); });
}

/// Calls `compute(result, operand)` out of place and in place, on and off the boundary of a vector:
/// element i of the result is expected(i).
template <typename Compute, typename Expected>
void expect_everywhere(const Words& operand, const Compute& compute, const Expected& expected) {
  const std::size_t n = operand.size();
  Words framed = words(n, expected);
  framed.push_back(77);  // a word after the result
  for (const std::ptrdiff_t offset : {0, 1}) {
    AlignedVector64<std::uint64_t> result(n + offset + 1, 77);
    AlignedVector64<std::uint64_t> source(n + offset + 1, 77);
    std::copy(operand.begin(), operand.end(), source.begin() + offset);
    compute(result.data() + offset, source.data() + offset);
    compute(source.data() + offset, source.data() + offset);
    EXPECT_EQ(Words(result.begin() + offset, result.end()), framed) << "offset " << offset;
    EXPECT_EQ(Words(source.begin() + offset, source.end()), framed) << "in place, " << offset;
  }
}

/// check(q, n) for moduli below `limit`, even and composite ones too, and every length.
template <typename Check>
void for_moduli_and_lengths(const Check& check, std::uint64_t limit = std::uint64_t{1} << 62) {
  for (const std::uint64_t q : chosen_moduli(limit)) {
    for (const std::size_t n : kLengths) {
      SCOPED_TRACE(testing::Message() << "q = " << q << ", n = " << n);
      check(q, n);
    }
  }
}

TEST(HexlEltwise, sums_and_differences) {
  auto rng = make_rng();
  for_moduli_and_lengths(
      [&](std::uint64_t q, std::size_t n) {
        const Words a = elements(n, q, 1, rng);
        const Words b = elements(n, q, 1, rng);
        const std::uint64_t s = rng() % q;
        expect_everywhere(
            a, [&](auto* r, auto* x) { EltwiseAddMod(r, x, b.data(), n, q); },
            [&](auto i) { return plus(a[i], b[i], q); });
        expect_everywhere(
            a, [&](auto* r, auto* x) { EltwiseAddMod(r, x, s, n, q); },
            [&](auto i) { return plus(a[i], s, q); });
        expect_everywhere(
            a, [&](auto* r, auto* x) { EltwiseSubMod(r, x, b.data(), n, q); },
            [&](auto i) { return minus(a[i], b[i], q); });
        expect_everywhere(
            a, [&](auto* r, auto* x) { EltwiseSubMod(r, x, s, n, q); },
            [&](auto i) { return minus(a[i], s, q); });
      },
      std::uint64_t{1} << 63);
}

TEST(HexlEltwise, products_and_multiply_add) {
  auto rng = make_rng();
  for_moduli_and_lengths([&](std::uint64_t q, std::size_t n) {
    for (const std::uint64_t factor : {1, 2, 4, 8}) {
      if (q > std::numeric_limits<std::uint64_t>::max() / factor) continue;
      SCOPED_TRACE(testing::Message() << "factor " << factor);
      const Words a = elements(n, q, factor, rng);
      const Words b = elements(n, q, factor, rng);
      if (factor < 8) {
        expect_everywhere(
            a, [&](auto* r, auto* x) { EltwiseMultMod(r, x, b.data(), n, q, factor); },
            [&](auto i) { return times(a[i], b[i], q); });
      }
      for (const std::uint64_t s : {rng() % q, q - 1, factor * q - 1}) {
        expect_everywhere(
            a, [&](auto* r, auto* x) { EltwiseFMAMod(r, x, s, nullptr, n, q, factor); },
            [&](auto i) { return times(a[i], s, q); });
        expect_everywhere(
            a, [&](auto* r, auto* x) { EltwiseFMAMod(r, x, s, b.data(), n, q, factor); },
            [&](auto i) { return plus(times(a[i], s, q), b[i], q); });
      }
    }
  });
}

TEST(HexlEltwise, reductions) {
  auto rng = make_rng();
  for_moduli_and_lengths([&](std::uint64_t q, std::size_t n) {
    // A modulus of 2 or 4 that is the factor too reduces all the way.
    const std::uint64_t twice = 2 * q;
    const std::uint64_t any = kAnyWord;
    const struct {
      std::uint64_t range, input, output, expected;
    } cases[] = {{any, q, 1, q}, {any, q, 2, q},
                 {any, 1, 1, q}, {any, 1, 2, q},
                 {2, 2, 1, q},   {2, 2, 2, q == 2 ? q : twice},
                 {4, 4, 1, q},   {4, 4, 2, q == 4 ? q : twice}};
    for (const auto& [range, input, output, modulus] : cases) {
      SCOPED_TRACE(testing::Message() << input << " -> " << output);
      const Words a = elements(n, q, range, rng);
      expect_everywhere(
          a, [&](auto* r, auto* x) { EltwiseReduceMod(r, x, n, q, input, output); },
          [&](auto i) { return a[i] % modulus; });
    }
  });
}

bool holds(CMPINT comparison, std::uint64_t x, std::uint64_t bound) {
  switch (comparison) {
    case CMPINT::EQ:
      return x == bound;
    case CMPINT::LT:
      return x < bound;
    case CMPINT::LE:
      return x <= bound;
    case CMPINT::FALSE:
      return false;
    case CMPINT::NE:
      return x != bound;
    case CMPINT::NLT:
      return x >= bound;
    case CMPINT::NLE:
      return x > bound;
    default:
      return true;
  }
}

constexpr std::array<CMPINT, 8> kComparisons = {CMPINT::EQ, CMPINT::LT,  CMPINT::LE,  CMPINT::FALSE,
                                                CMPINT::NE, CMPINT::NLT, CMPINT::NLE, CMPINT::TRUE};

TEST(HexlEltwise, comparisons) {
  auto rng = make_rng();
  for_moduli_and_lengths([&](std::uint64_t q, std::size_t n) {
    const Words a = elements(n, q, kAnyWord, rng);
    for (const CMPINT comparison : kComparisons) {
      for (const std::uint64_t bound : Words{0, q / 2, ~std::uint64_t{0}, n == 0 ? q : a[n / 2]}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(comparison) << ", bound " << bound);
        const auto is_met = [&](std::size_t i) { return holds(comparison, a[i], bound); };
        const std::uint64_t summand = rng();
        expect_everywhere(
            a, [&](auto* r, auto* x) { EltwiseCmpAdd(r, x, n, comparison, bound, summand); },
            [&](auto i) { return is_met(i) ? a[i] + summand : a[i]; });
        for (const std::uint64_t difference : {std::uint64_t{0}, q - 1}) {
          expect_everywhere(
              a,
              [&](auto* r, auto* x) {
                EltwiseCmpSubMod(r, x, n, q, comparison, bound, difference);
              },
              [&](auto i) { return is_met(i) ? minus(a[i] % q, difference, q) : a[i] % q; });
        }
      }
    }
  });
}

TEST(HexlEltwise, comparisons_have_the_values_of_the_old_library_and_negate) {
  for (std::size_t i = 0; i < kComparisons.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kComparisons[i]), i);
    for (const std::uint64_t x : {4, 5, 6}) {
      EXPECT_NE(holds(Not(kComparisons[i]), x, 5), holds(kComparisons[i], x, 5)) << i;
    }
  }
}

/// More moduli than plans are kept for: those without a place compute all the same.
TEST(HexlEltwise, takes_more_moduli_than_it_remembers) {
  for (std::uint64_t q = 1'000'000; q < 1'003'000; ++q) {
    std::array<std::uint64_t, 3> a = {q - 1, 1, q / 2};
    EltwiseAddMod(a.data(), a.data(), a.data(), a.size(), q);
    ASSERT_EQ(a, (std::array<std::uint64_t, 3>{q - 2, 2, q / 2 * 2 % q})) << q;
  }
}

TEST(HexlEltwise, threads_may_start_on_the_same_moduli) {
  constexpr std::uint64_t kFirst = (1ull << 40) + 1;
  in_threads([](std::size_t) {
    for (std::uint64_t q = kFirst; q < kFirst + 200; ++q) {
      std::uint64_t x = q - 1;
      EltwiseMultMod(&x, &x, &x, 1, q, 1);
      ASSERT_EQ(x, 1u) << q;
    }
  });
}

/// The call is refused in the name of its function.
#define EXPECT_REFUSED(function, ...)            \
  expect_error<InvalidArgument>(                 \
      #function, [&] { function(__VA_ARGS__); }, \
      [](const InvalidArgument& error) { EXPECT_EQ(error.operation(), #function); })

TEST(HexlEltwise, refuses_null_and_overlap) {
  std::array<std::uint64_t, 16> a{};
  std::uint64_t* const none = nullptr;
  const auto q = std::uint64_t{17};
  EXPECT_REFUSED(EltwiseAddMod, none, a.data(), a.data(), 8, q);
  EXPECT_REFUSED(EltwiseAddMod, a.data(), none, a.data(), 8, q);
  EXPECT_REFUSED(EltwiseAddMod, a.data(), a.data(), none, 8, q);
  EXPECT_REFUSED(EltwiseSubMod, a.data(), none, 3, 8, q);
  EXPECT_REFUSED(EltwiseMultMod, a.data(), a.data(), none, 8, q, 1);
  EXPECT_REFUSED(EltwiseFMAMod, none, a.data(), 1, nullptr, 8, q, 1);
  EXPECT_REFUSED(EltwiseReduceMod, a.data(), none, 8, q, q, 1);
  EXPECT_REFUSED(EltwiseCmpAdd, none, a.data(), 8, CMPINT::LT, 1, 1);
  EXPECT_REFUSED(EltwiseCmpSubMod, a.data(), none, 8, q, CMPINT::LT, 1, 1);
  EXPECT_REFUSED(EltwiseAddMod, a.data() + 1, a.data(), 1, 8, q);
}

TEST(HexlEltwise, refuses_moduli) {
  std::array<std::uint64_t, 8> a{};
  auto* const p = a.data();
  for (const std::uint64_t q : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63}) {
    EXPECT_REFUSED(EltwiseAddMod, p, p, p, 8, q);
    EXPECT_REFUSED(EltwiseSubMod, p, p, p, 8, q);
  }
  for (const std::uint64_t q : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 62}) {
    EXPECT_REFUSED(EltwiseMultMod, p, p, p, 8, q, 1);
    EXPECT_REFUSED(EltwiseFMAMod, p, p, 0, p, 8, q, 1);
    EXPECT_REFUSED(EltwiseReduceMod, p, p, 8, q, q, 1);
    EXPECT_REFUSED(EltwiseCmpSubMod, p, p, 8, q, CMPINT::EQ, 0, 0);
  }
}

TEST(HexlEltwise, refuses_factors_and_scalars) {
  std::array<std::uint64_t, 8> a{};
  auto* const p = a.data();
  const std::uint64_t q = 17;
  const std::uint64_t large = (std::uint64_t{1} << 61) + 1;  // 8 * large does not fit a word
  for (const std::uint64_t factor : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{8},
                                     std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    EXPECT_REFUSED(EltwiseMultMod, p, p, p, 8, q, factor);
    EXPECT_REFUSED(EltwiseReduceMod, p, p, 8, q, factor, 1);
    EXPECT_REFUSED(EltwiseReduceMod, p, p, 8, q, q, factor);
  }
  for (const std::uint64_t factor : {0, 3, 16}) {
    EXPECT_REFUSED(EltwiseFMAMod, p, p, 1, p, 8, q, factor);
  }
  EXPECT_REFUSED(EltwiseFMAMod, p, p, 1, nullptr, 8, large, 8);
  EXPECT_REFUSED(EltwiseFMAMod, p, p, 4 * q, p, 8, q, 4);
  EXPECT_REFUSED(EltwiseAddMod, p, p, q, 8, q);
  EXPECT_REFUSED(EltwiseSubMod, p, p, q, 8, q);
  EXPECT_REFUSED(EltwiseCmpSubMod, p, p, 8, q, CMPINT::EQ, 0, q);
  EXPECT_REFUSED(EltwiseCmpAdd, p, p, 8, static_cast<CMPINT>(8), 0, 1);
  EXPECT_REFUSED(EltwiseReduceMod, p, p, 8, q, 2, 4);
}

TEST(HexlEltwise, a_refusal_leaves_the_result) {
  std::array<std::uint64_t, 3> a = {1, 2, 3};
  const auto before = a;
  EXPECT_REFUSED(EltwiseMultMod, a.data(), a.data(), a.data(), 3, 17, 3);
  EXPECT_REFUSED(EltwiseAddMod, a.data(), a.data(), 17, 3, 17);
  EXPECT_EQ(a, before);
}

TEST(HexlEltwise, nothing_happens_to_empty_vectors) {
  std::uint64_t* const none = nullptr;
  EXPECT_NO_THROW(EltwiseAddMod(none, none, none, 0, 17));
  EXPECT_NO_THROW(EltwiseFMAMod(none, none, 3, none, 0, 17, 8));
  EXPECT_NO_THROW(EltwiseReduceMod(none, none, 0, 17, 17, 1));
}

}  // namespace
}  // namespace ringlet::test
