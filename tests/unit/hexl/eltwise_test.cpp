// SPDX-License-Identifier: Apache-2.0
#include "hexl/hexl.hpp"
#include "ringlet/error.hpp"
#include "support/test.hpp"
#include "support/values.hpp"
#include "unit/hexl/reference.hpp"

namespace ringlet::test {
namespace {

using namespace intel::hexl;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kAnyWord = 0;

/// Small, even, composite, next to powers of two, and on both sides of the limits of the kernels.
constexpr std::array<std::uint64_t, 16> kModuli = {2,
                                                   3,
                                                   4,
                                                   7,
                                                   1024,
                                                   65537,
                                                   (1u << 30) + 3,
                                                   (1ull << 49) - 113,
                                                   562949953443841,
                                                   (1ull << 50) - 27,
                                                   (1ull << 50) + 4,
                                                   (1ull << 52) - 47,
                                                   (1ull << 52) + 21,
                                                   (1ull << 60) - 93,
                                                   (1ull << 61) - 1,
                                                   (1ull << 62) - 57};

constexpr std::array<std::size_t, 8> kLengths = {0, 1, 3, 7, 8, 9, 64, 100};

/// Elements of [0, factor*q), or any words for the factor kAnyWord.
Words elements(std::size_t n, std::uint64_t q, std::uint64_t factor, std::mt19937_64& rng) {
  if (factor != kAnyWord) return mixed_values(n, q, factor, rng);
  return words(n, [&](std::size_t i) { return i % 5 == 0 ? ~std::uint64_t{0} - i / 5 : rng(); });
}

/// Calls `compute(result, operand)` out of place and in place, on and off the boundary of a vector,
/// and compares with `expected`.
template <typename Compute>
void expect_everywhere(const Words& operand, const Words& expected, Compute compute) {
  const std::size_t n = operand.size();
  for (const std::size_t offset : {0, 1}) {
    AlignedVector64<std::uint64_t> result(n + offset + 1, 77);
    AlignedVector64<std::uint64_t> source(n + offset + 1, 78);
    std::copy(operand.begin(), operand.end(), source.begin() + static_cast<std::ptrdiff_t>(offset));
    compute(result.data() + offset, source.data() + offset);
    compute(source.data() + offset, source.data() + offset);
    EXPECT_EQ(Words(result.begin() + static_cast<std::ptrdiff_t>(offset), result.end() - 1),
              expected)
        << "offset " << offset;
    EXPECT_EQ(Words(source.begin() + static_cast<std::ptrdiff_t>(offset), source.end() - 1),
              expected)
        << "in place, offset " << offset;
    EXPECT_EQ(result.back(), 77u) << "a word after the result was written";
  }
}

TEST(HexlEltwise, sums_and_differences) {
  auto rng = make_rng();
  std::vector<std::uint64_t> moduli(kModuli.begin(), kModuli.end());
  moduli.push_back((1ull << 63) - 25);
  moduli.push_back((1ull << 63) - 1);
  for (const std::uint64_t q : moduli) {
    for (const std::size_t n : kLengths) {
      SCOPED_TRACE(testing::Message() << "q = " << q << ", n = " << n);
      const Words a = elements(n, q, 1, rng);
      const Words b = elements(n, q, 1, rng);
      const std::uint64_t s = rng() % q;
      expect_everywhere(a, words(n, [&](auto i) { return plus(a[i], b[i], q); }),
                        [&](auto* r, auto* x) { EltwiseAddMod(r, x, b.data(), n, q); });
      expect_everywhere(a, words(n, [&](auto i) { return plus(a[i], s, q); }),
                        [&](auto* r, auto* x) { EltwiseAddMod(r, x, s, n, q); });
      expect_everywhere(a, words(n, [&](auto i) { return minus(a[i], b[i], q); }),
                        [&](auto* r, auto* x) { EltwiseSubMod(r, x, b.data(), n, q); });
      expect_everywhere(a, words(n, [&](auto i) { return minus(a[i], s, q); }),
                        [&](auto* r, auto* x) { EltwiseSubMod(r, x, s, n, q); });
    }
  }
}

TEST(HexlEltwise, products) {
  auto rng = make_rng();
  for (const std::uint64_t q : kModuli) {
    for (const std::uint64_t factor : {1, 2, 4}) {
      for (const std::size_t n : kLengths) {
        SCOPED_TRACE(testing::Message() << "q = " << q << ", factor " << factor << ", n = " << n);
        const Words a = elements(n, q, factor, rng);
        const Words b = elements(n, q, factor, rng);
        expect_everywhere(a, words(n, [&](auto i) { return times(a[i], b[i], q); }),
                          [&](auto* r, auto* x) { EltwiseMultMod(r, x, b.data(), n, q, factor); });
      }
    }
  }
}

TEST(HexlEltwise, multiply_add) {
  auto rng = make_rng();
  for (const std::uint64_t q : kModuli) {
    for (const std::uint64_t factor : {1, 2, 4, 8}) {
      if (q > std::numeric_limits<std::uint64_t>::max() / factor) continue;
      for (const std::size_t n : kLengths) {
        SCOPED_TRACE(testing::Message() << "q = " << q << ", factor " << factor << ", n = " << n);
        const Words a = elements(n, q, factor, rng);
        const Words c = elements(n, q, factor, rng);
        for (const std::uint64_t s : {rng() % q, q - 1, factor * q - 1}) {
          expect_everywhere(
              a, words(n, [&](auto i) { return times(a[i], s, q); }),
              [&](auto* r, auto* x) { EltwiseFMAMod(r, x, s, nullptr, n, q, factor); });
          expect_everywhere(
              a, words(n, [&](auto i) { return plus(times(a[i], s, q), c[i], q); }),
              [&](auto* r, auto* x) { EltwiseFMAMod(r, x, s, c.data(), n, q, factor); });
        }
      }
    }
  }
}

TEST(HexlEltwise, reduces_any_words) {
  auto rng = make_rng();
  for (const std::uint64_t q : kModuli) {
    for (const std::size_t n : kLengths) {
      const Words a = elements(n, q, kAnyWord, rng);
      for (const std::uint64_t input : {q, std::uint64_t{1}}) {
        for (const std::uint64_t output : {1, 2}) {
          SCOPED_TRACE(testing::Message() << q << ": " << input << " -> " << output << ", n " << n);
          expect_everywhere(a, words(n, [&](auto i) { return a[i] % q; }),
                            [&](auto* r, auto* x) { EltwiseReduceMod(r, x, n, q, input, output); });
        }
      }
    }
  }
}

TEST(HexlEltwise, reduces_from_small_ranges) {
  auto rng = make_rng();
  for (const std::uint64_t q : kModuli) {
    for (const std::size_t n : kLengths) {
      SCOPED_TRACE(testing::Message() << "q = " << q << ", n = " << n);
      const Words twice = elements(n, q, 2, rng);
      const Words four_times = elements(n, q, 4, rng);
      expect_everywhere(twice, words(n, [&](auto i) { return twice[i] % q; }),
                        [&](auto* r, auto* x) { EltwiseReduceMod(r, x, n, q, 2, 1); });
      expect_everywhere(four_times, words(n, [&](auto i) { return four_times[i] % q; }),
                        [&](auto* r, auto* x) { EltwiseReduceMod(r, x, n, q, 4, 1); });
      // A modulus of 2 or 4 that is the factor too reduces all the way.
      expect_everywhere(four_times,
                        words(n, [&](auto i) { return four_times[i] % (q == 4 ? q : 2 * q); }),
                        [&](auto* r, auto* x) { EltwiseReduceMod(r, x, n, q, 4, 2); });
      expect_everywhere(twice, q == 2 ? words(n, [&](auto i) { return twice[i] % q; }) : twice,
                        [&](auto* r, auto* x) { EltwiseReduceMod(r, x, n, q, 2, 2); });
    }
  }
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
  for (const std::uint64_t q : kModuli) {
    for (const std::size_t n : kLengths) {
      const Words a = elements(n, q, kAnyWord, rng);
      for (const CMPINT comparison : kComparisons) {
        const Words bounds = {0, q / 2, ~std::uint64_t{0}, n == 0 ? q : a[n / 2]};
        for (const std::uint64_t bound : bounds) {
          SCOPED_TRACE(testing::Message() << "q = " << q << ", n = " << n << ", comparison "
                                          << static_cast<int>(comparison) << ", bound " << bound);
          const std::uint64_t summand = rng();
          expect_everywhere(
              a,
              words(n,
                    [&](auto i) { return holds(comparison, a[i], bound) ? a[i] + summand : a[i]; }),
              [&](auto* r, auto* x) { EltwiseCmpAdd(r, x, n, comparison, bound, summand); });
          for (const std::uint64_t difference : {std::uint64_t{0}, q - 1}) {
            expect_everywhere(a,
                              words(n,
                                    [&](auto i) {
                                      return holds(comparison, a[i], bound)
                                                 ? minus(a[i] % q, difference, q)
                                                 : a[i] % q;
                                    }),
                              [&](auto* r, auto* x) {
                                EltwiseCmpSubMod(r, x, n, q, comparison, bound, difference);
                              });
          }
        }
      }
    }
  }
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
  std::vector<std::thread> threads;
  std::array<std::uint64_t, 4> wrong{};
  for (std::uint64_t& count : wrong) {
    threads.emplace_back([&count] {
      for (std::uint64_t q = kFirst; q < kFirst + 200; ++q) {
        std::uint64_t x = q - 1;
        EltwiseMultMod(&x, &x, &x, 1, q, 1);
        count += x == 1 ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<std::uint64_t, 4>{}));
}

/// `call` is refused in the name of `function`; both the exception of the C++ library that callers
/// know and Ringlet's own catch it.
template <typename Call>
void expect_refusal(const char* function, Call call) {
  EXPECT_THROW(call(), std::invalid_argument) << function;
  try {
    call();
    ADD_FAILURE() << function << " accepted it";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.operation(), function);
    EXPECT_NE(error.offending(), "");
  }
}

TEST(HexlEltwise, refuses_null_and_overlap) {
  std::array<std::uint64_t, 16> a{};
  std::uint64_t* const none = nullptr;
  const auto q = std::uint64_t{17};
  expect_refusal("EltwiseAddMod", [&] { EltwiseAddMod(none, a.data(), a.data(), 8, q); });
  expect_refusal("EltwiseAddMod", [&] { EltwiseAddMod(a.data(), none, a.data(), 8, q); });
  expect_refusal("EltwiseAddMod", [&] { EltwiseAddMod(a.data(), a.data(), none, 8, q); });
  expect_refusal("EltwiseSubMod", [&] { EltwiseSubMod(a.data(), none, 3, 8, q); });
  expect_refusal("EltwiseMultMod", [&] { EltwiseMultMod(a.data(), a.data(), none, 8, q, 1); });
  expect_refusal("EltwiseFMAMod", [&] { EltwiseFMAMod(none, a.data(), 1, nullptr, 8, q, 1); });
  expect_refusal("EltwiseReduceMod", [&] { EltwiseReduceMod(a.data(), none, 8, q, q, 1); });
  expect_refusal("EltwiseCmpAdd", [&] { EltwiseCmpAdd(none, a.data(), 8, CMPINT::LT, 1, 1); });
  expect_refusal("EltwiseCmpSubMod",
                 [&] { EltwiseCmpSubMod(a.data(), none, 8, q, CMPINT::LT, 1, 1); });
  expect_refusal("EltwiseAddMod", [&] { EltwiseAddMod(a.data() + 1, a.data(), 1, 8, q); });
}

TEST(HexlEltwise, refuses_moduli) {
  std::array<std::uint64_t, 8> a{};
  auto* const p = a.data();
  for (const std::uint64_t q : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63}) {
    expect_refusal("EltwiseAddMod", [&] { EltwiseAddMod(p, p, p, 8, q); });
    expect_refusal("EltwiseSubMod", [&] { EltwiseSubMod(p, p, p, 8, q); });
  }
  for (const std::uint64_t q : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 62}) {
    expect_refusal("EltwiseMultMod", [&] { EltwiseMultMod(p, p, p, 8, q, 1); });
    expect_refusal("EltwiseFMAMod", [&] { EltwiseFMAMod(p, p, 0, p, 8, q, 1); });
    expect_refusal("EltwiseReduceMod", [&] { EltwiseReduceMod(p, p, 8, q, q, 1); });
    expect_refusal("EltwiseCmpSubMod", [&] { EltwiseCmpSubMod(p, p, 8, q, CMPINT::EQ, 0, 0); });
  }
}

TEST(HexlEltwise, refuses_factors_and_scalars) {
  std::array<std::uint64_t, 8> a{};
  auto* const p = a.data();
  const std::uint64_t q = 17;
  const std::uint64_t large = (std::uint64_t{1} << 61) + 1;  // 8 * large does not fit a word
  for (const std::uint64_t factor : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{8},
                                     std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    expect_refusal("EltwiseMultMod", [&] { EltwiseMultMod(p, p, p, 8, q, factor); });
    expect_refusal("EltwiseReduceMod", [&] { EltwiseReduceMod(p, p, 8, q, factor, 1); });
    expect_refusal("EltwiseReduceMod", [&] { EltwiseReduceMod(p, p, 8, q, q, factor); });
  }
  for (const std::uint64_t factor : {0, 3, 16}) {
    expect_refusal("EltwiseFMAMod", [&] { EltwiseFMAMod(p, p, 1, p, 8, q, factor); });
  }
  expect_refusal("EltwiseFMAMod", [&] { EltwiseFMAMod(p, p, 1, nullptr, 8, large, 8); });
  expect_refusal("EltwiseFMAMod", [&] { EltwiseFMAMod(p, p, 4 * q, p, 8, q, 4); });
  expect_refusal("EltwiseAddMod", [&] { EltwiseAddMod(p, p, q, 8, q); });
  expect_refusal("EltwiseSubMod", [&] { EltwiseSubMod(p, p, q, 8, q); });
  expect_refusal("EltwiseCmpSubMod", [&] { EltwiseCmpSubMod(p, p, 8, q, CMPINT::EQ, 0, q); });
  expect_refusal("EltwiseCmpAdd", [&] { EltwiseCmpAdd(p, p, 8, static_cast<CMPINT>(8), 0, 1); });
  expect_refusal("EltwiseReduceMod", [&] { EltwiseReduceMod(p, p, 8, q, 2, 4); });
}

TEST(HexlEltwise, a_refusal_leaves_the_result) {
  std::array<std::uint64_t, 3> a = {1, 2, 3};
  const auto before = a;
  EXPECT_THROW(EltwiseMultMod(a.data(), a.data(), a.data(), 3, 17, 3), std::invalid_argument);
  EXPECT_THROW(EltwiseAddMod(a.data(), a.data(), 17, 3, 17), std::invalid_argument);
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
