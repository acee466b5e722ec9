// SPDX-License-Identifier: Apache-2.0
#include <flint/ulong_extras.h>

#include "hexl/hexl.hpp"
#include "support/reference/gmp.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"
#include "unit/hexl/support.hpp"

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

/// Calls `compute(result, operand)` out of place and in place, on and off the boundary of a vector,
/// and expects expected(i) as element i of the result.
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

/// Calls check(q, n) for every length and for moduli below `limit`, even and composite ones too.
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
    // A modulus of 2 or 4 that equals the input factor reduces all the way.
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
  if (comparison == CMPINT::EQ) return x == bound;
  if (comparison == CMPINT::LT) return x < bound;
  if (comparison == CMPINT::LE) return x <= bound;
  if (comparison == CMPINT::FALSE) return false;
  if (comparison == CMPINT::NE) return x != bound;
  if (comparison == CMPINT::NLT) return x >= bound;
  if (comparison == CMPINT::NLE) return x > bound;
  return true;
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

/// Uses more moduli than plans are kept for: those without a kept plan compute all the same.
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

/// Expects a refusal of the call in the name of its function.
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

constexpr std::uint64_t kAllOnes = std::numeric_limits<std::uint64_t>::max();
const Words kModuli = chosen_moduli(std::uint64_t{1} << 63);

TEST(HexlNumberTheory, modular_arithmetic_by_division) {
  auto rng = make_rng();
  for (const std::uint64_t q : kModuli) {
    for (const std::uint64_t x : mixed_values(50, q, 1, rng)) {
      const std::uint64_t y = rng() % q;
      SCOPED_TRACE(testing::Message() << x << ", " << y << " mod " << q);
      EXPECT_EQ(AddUIntMod(x, y, q), plus(x, y, q));
      EXPECT_EQ(SubUIntMod(x, y, q), minus(x, y, q));
      EXPECT_EQ(MultiplyMod(x, y, q), times(x, y, q));
      const std::uint64_t quotient = MultiplyFactor(y, 64, q).BarrettFactor();
      EXPECT_EQ(MultiplyMod(x, y, quotient, q), times(x, y, q));
      EXPECT_EQ(PowMod(x, y, q), n_powmod2_ui_preinv(x, y, q, n_preinvert_limb(q)));
      const std::uint64_t lazy = MultiplyModLazy<64>(x, y, q);
      EXPECT_LT(lazy, 2 * q);
      EXPECT_EQ(lazy % q, times(x, y, q));
      EXPECT_EQ(MultiplyModLazy<64>(x, y, quotient, q), lazy);
      const std::uint64_t any = rng();
      const std::uint64_t barrett = DivideUInt128UInt64Lo(1, 0, q);
      EXPECT_EQ(BarrettReduce64(any, q, barrett), any % q);
      EXPECT_LT(BarrettReduce64<2>(any, q, barrett), 2 * q);
      EXPECT_EQ(BarrettReduce64<2>(any, q, barrett) % q, any % q);
    }
  }
}

TEST(HexlNumberTheory, reduces_double_words_by_every_modulus) {
  auto rng = make_rng();
  Words moduli = kModuli;
  moduli.insert(moduli.end(), {1, 2, std::uint64_t{1} << 63, kAllOnes - 58, kAllOnes});
  for (const std::uint64_t q : moduli) {
    for (const std::uint64_t high : {std::uint64_t{0}, q - 1, q, kAllOnes, rng()}) {
      for (const std::uint64_t low : {std::uint64_t{0}, q - 1, q, kAllOnes, rng()}) {
        const mpz_class rest = modulo(to_mpz(std::array{low, high}), to_mpz(std::array{q}));
        EXPECT_EQ(BarrettReduce128(high, low, q), to_words<1>(rest)[0])
            << high << " * 2^64 + " << low << " mod " << q;
      }
    }
  }
}

TEST(HexlNumberTheory, sums_reach_the_largest_modulus) {
  const std::uint64_t q = kAllOnes;
  EXPECT_EQ(AddUIntMod(q - 1, q - 1, q), q - 2);
  EXPECT_EQ(AddUIntMod(q - 1, 1, q), 0u);
  EXPECT_EQ(AddUIntMod(0, 0, q), 0u);
  EXPECT_EQ(SubUIntMod(0, q - 1, q), 1u);
  EXPECT_EQ(SubUIntMod(q - 1, 0, q), q - 1);
}

TEST(HexlNumberTheory, lazy_products_of_52_bits) {
  const std::uint64_t q = (1ull << 50) - 27;
  auto rng = make_rng();
  for (const std::uint64_t x : mixed_values(50, q, 4, rng)) {
    const std::uint64_t y = rng() % q;
    const std::uint64_t lazy = MultiplyModLazy<52>(x, y, q);
    EXPECT_LT(lazy, 2 * q);
    EXPECT_EQ(lazy % q, times(x % q, y, q));
  }
}

TEST(HexlNumberTheory, reduces_by_steps) {
  const std::uint64_t q = 101;
  const std::uint64_t twice = 2 * q;
  const std::uint64_t four_times = 4 * q;
  for (std::uint64_t x = 0; x < 8 * q; ++x) {
    if (x < q) {
      EXPECT_EQ(ReduceMod<1>(x, q), x % q);
    }
    if (x < 2 * q) {
      EXPECT_EQ(ReduceMod<2>(x, q), x % q);
    }
    if (x < 4 * q) {
      EXPECT_EQ(ReduceMod<4>(x, q, &twice), x % q);
    }
    EXPECT_EQ((ReduceMod<8>(x, q, &twice, &four_times)), x % q);
  }
  EXPECT_THROW(ReduceMod<4>(5, q), std::invalid_argument);
  EXPECT_THROW((ReduceMod<8>(5, q, &twice)), std::invalid_argument);
}

TEST(HexlNumberTheory, inverses) {
  for (const std::uint64_t q : kModuli) {
    for (const std::uint64_t x : {std::uint64_t{1}, q - 1, q + 1, kAllOnes}) {
      if (n_gcd(x % q, q) != 1) continue;
      EXPECT_EQ(times(InverseMod(x, q), x % q, q), 1 % q) << x << " mod " << q;
    }
  }
  EXPECT_EQ(InverseMod(5, 1), 0u);
  EXPECT_THROW(InverseMod(0, 7), std::invalid_argument);
  EXPECT_THROW(InverseMod(4, 12), std::invalid_argument);
  EXPECT_THROW(InverseMod(4, 0), std::invalid_argument);
}

TEST(HexlNumberTheory, refuses_division_by_zero_and_shifts_out_of_range) {
  EXPECT_THROW(MultiplyMod(3, 4, 0), std::invalid_argument);
  EXPECT_THROW(PowMod(3, 4, 0), std::invalid_argument);
  EXPECT_THROW(DivideUInt128UInt64Lo(1, 2, 0), std::invalid_argument);
  EXPECT_THROW(BarrettReduce128(1, 2, 0), std::invalid_argument);
  EXPECT_THROW(MaximumValue(65), std::invalid_argument);
  EXPECT_THROW(ReverseBits(1, 65), std::invalid_argument);
  EXPECT_THROW(MultiplyFactor(8, 64, 7), std::invalid_argument);
  EXPECT_THROW(MultiplyFactor(3, 48, 7), std::invalid_argument);
  EXPECT_THROW(MultiplyFactor(0, 64, 0), std::invalid_argument);
}

TEST(HexlNumberTheory, words_and_bits) {
  EXPECT_EQ(ReverseBits(0, 0), 0u);
  EXPECT_EQ(ReverseBits(1, 1), 1u);
  EXPECT_EQ(ReverseBits(0b001011, 6), 0b110100u);
  EXPECT_EQ(ReverseBits(1, 64), std::uint64_t{1} << 63);
  EXPECT_EQ(ReverseBits(ReverseBits(0x123456789abcdef0, 64), 64), 0x123456789abcdef0u);
  EXPECT_EQ(MSB(1), 0u);
  EXPECT_EQ(MSB(kAllOnes), 63u);
  EXPECT_EQ(Log2((1ull << 53) - 1), 52u) << "a double would round this up";
  EXPECT_TRUE(IsPowerOfTwo(1) && IsPowerOfTwo(1ull << 63) && !IsPowerOfTwo(0) && !IsPowerOfTwo(6));
  EXPECT_TRUE(IsPowerOfFour(1) && IsPowerOfFour(64) && !IsPowerOfFour(8) && !IsPowerOfFour(0));
  EXPECT_EQ(MaximumValue(0), 0u);
  EXPECT_EQ(MaximumValue(7), 127u);
  EXPECT_EQ(MaximumValue(64), kAllOnes);
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  MultiplyUInt64(kAllOnes, kAllOnes, &high, &low);
  EXPECT_EQ(high, kAllOnes - 1);
  EXPECT_EQ(low, 1u);
  EXPECT_EQ(MultiplyUInt64Hi<52>(1ull << 40, 1ull << 20), 1u << 8);
  EXPECT_EQ(AddUInt64(kAllOnes, 2, &low), 1);
  EXPECT_EQ(low, 1u);
  EXPECT_EQ(AddUInt64(1, 2, &low), 0);
}

TEST(HexlNumberTheory, montgomery) {
  auto rng = make_rng();
  for (const std::uint64_t q : {3ull, (1ull << 45) + 59, (1ull << 50) - 27}) {
    const int r = 51;
    const std::uint64_t mask = MaximumValue(r);
    const std::uint64_t inverse = HenselLemma2adicRoot(r, q);
    EXPECT_EQ((q * inverse + 1) & mask, 0u);
    for (const std::uint64_t x : mixed_values(50, q, 1, rng)) {
      const std::uint64_t y = rng() % q;
      const DoubleWord product = static_cast<DoubleWord>(x) * y;
      const auto wide =
          MontgomeryReduce<64>(static_cast<std::uint64_t>(product >> 64),
                               static_cast<std::uint64_t>(product), q, r, mask, inverse);
      const auto narrow = MontgomeryReduce<52>(
          static_cast<std::uint64_t>(product >> 52),
          static_cast<std::uint64_t>(product) & MaximumValue(52), q, r, mask, inverse);
      EXPECT_EQ(times(wide, (1ull << r) % q, q), times(x, y, q));
      EXPECT_EQ(wide, narrow);
    }
  }
  EXPECT_EQ(HenselLemma2adicRoot(64, 12345) * 12345 + 1, 0u);
  EXPECT_THROW(HenselLemma2adicRoot(10, 4), std::invalid_argument);
  EXPECT_THROW(HenselLemma2adicRoot(65, 5), std::invalid_argument);
}

TEST(HexlNumberTheory, primes) {
  for (const std::uint64_t n : {0ull, 1ull, 2ull, 3ull, 4ull, 3215031751ull, (1ull << 61) - 1,
                                (1ull << 62) - 57, ~0ull - 58, ~0ull}) {
    EXPECT_EQ(IsPrime(n), n >= 2 && n_is_prime(n) == 1) << n;
  }
}

TEST(HexlNumberTheory, generates_primes_from_both_ends) {
  const std::size_t degree = 1024;
  for (const bool small : {true, false}) {
    for (const std::size_t bits : {20, 49, 60}) {
      const std::vector<std::uint64_t> primes = GeneratePrimes(5, bits, small, degree);
      ASSERT_EQ(primes.size(), 5u);
      std::uint64_t candidate = small ? (1ull << bits) + 1 : (2ull << bits) + 1 - 2 * degree;
      for (const std::uint64_t q : primes) {
        // No candidate before q is prime.
        while (candidate != q && n_is_prime(candidate) == 0) {
          candidate = small ? candidate + 2 * degree : candidate - 2 * degree;
        }
        EXPECT_EQ(candidate, q);
        EXPECT_EQ(q % (2 * degree), 1u);
        candidate = small ? q + 2 * degree : q - 2 * degree;
      }
    }
  }
  EXPECT_TRUE(GeneratePrimes(0, 30, true).empty());
}

TEST(HexlNumberTheory, refuses_primes_that_do_not_exist) {
  EXPECT_EQ(GeneratePrimes(2, 3, true), (std::vector<std::uint64_t>{11, 13}));
  EXPECT_EQ(GeneratePrimes(2, 3, false), (std::vector<std::uint64_t>{13, 11}));
  EXPECT_THROW(GeneratePrimes(3, 3, true), std::invalid_argument);
  EXPECT_THROW(GeneratePrimes(1, 0, true), std::invalid_argument);
  EXPECT_THROW(GeneratePrimes(1, 63, true), std::invalid_argument);
  EXPECT_THROW(GeneratePrimes(1, 20, true, 3), std::invalid_argument);
  EXPECT_THROW(GeneratePrimes(1, 20, true, 0), std::invalid_argument);
  EXPECT_THROW(GeneratePrimes(1, 10, true, 1024), std::invalid_argument);
  EXPECT_EQ(GeneratePrimes(1, 62, false)[0], (1ull << 63) - 25);
}

TEST(HexlNumberTheory, roots_of_unity) {
  for (const std::uint64_t degree : {2, 4, 64}) {
    const std::uint64_t q = GeneratePrimes(1, 20, true, degree)[0];
    const std::uint64_t root = GeneratePrimitiveRoot(degree, q);
    EXPECT_TRUE(IsPrimitiveRoot(root, degree, q));
    EXPECT_TRUE(IsPrimitiveRoot(root + q, degree, q)) << "any word stands for its residue";
    EXPECT_EQ(PowMod(root, degree / 2, q), q - 1);
    std::uint64_t least = 1;
    while (PowMod(least, degree / 2, q) != q - 1) ++least;
    EXPECT_EQ(MinimalPrimitiveRoot(degree, q), least);
    EXPECT_FALSE(IsPrimitiveRoot(1, degree, q));
    EXPECT_FALSE(IsPrimitiveRoot(0, degree, q));
  }
  EXPECT_EQ(GeneratePrimitiveRoot(2, 3), 2u);
  EXPECT_EQ(GeneratePrimitiveRoot(8, 7), 0u) << "8 does not divide 6";
  EXPECT_THROW(IsPrimitiveRoot(3, 3, 7), std::invalid_argument);
  EXPECT_THROW(MinimalPrimitiveRoot(8, 7), std::invalid_argument);
  EXPECT_THROW(MinimalPrimitiveRoot(2, 15), std::invalid_argument);
  EXPECT_THROW(GeneratePrimitiveRoot(2, 0), std::invalid_argument);
}

}  // namespace
}  // namespace ringlet::test
