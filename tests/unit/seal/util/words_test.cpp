// SPDX-License-Identifier: Apache-2.0
#include "seal/util/polycore.h"
#include "seal/util/uintarith.h"
#include "seal/util/uintarithmod.h"
#include "support/reference/big_integer.hpp"
#include "support/values.hpp"
#include "unit/seal/thrown.hpp"

namespace ringlet::test {
namespace {

namespace words_util = ::seal::util;
using WordList = std::vector<std::uint64_t>;

Integer number_of(const WordList& words) {
  Integer number;
  mpz_import(number.get(), words.size(), -1, 8, 0, 0, words.data());
  return number;
}

/// Returns number modulo 2^(64*count), for negative numbers too.
WordList words_of(const Integer& number, std::size_t count) {
  Integer rest;
  mpz_fdiv_r_2exp(rest.get(), number.get(), 64 * count);
  WordList words(count);
  mpz_export(words.data(), nullptr, -1, 8, 0, 0, rest.get());
  return words;
}

/// Returns random words, often with zeros or ones above.
template <class Rng>
WordList some_words(std::size_t count, Rng& rng) {
  WordList words(count);
  for (auto& word : words) word = rng() % 4 == 0 ? 0 - (rng() & 1) : rng();
  return words;
}

template <class Operation>
WordList by_gmp(const WordList& a, const WordList& b, std::size_t count, Operation operation) {
  Integer result;
  operation(result.get(), number_of(a).get(), number_of(b).get());
  return words_of(result, count);
}

TEST(SealWords, arithmetic_by_gmp) {
  auto rng = make_rng();
  auto pool = ::seal::MemoryManager::GetPool();
  for (std::size_t n = 1; n <= 4; ++n) {
    for (int repeat = 0; repeat < 60; ++repeat) {
      const WordList a = some_words(n, rng), b = some_words(n, rng), one{1};
      WordList result(n), wide(2 * n), rest(n);
      WordList sum = result;
      sum.push_back(words_util::add_uint(a.data(), b.data(), n, sum.data()));
      EXPECT_EQ(sum, by_gmp(a, b, n + 1, mpz_add));
      const int borrow = words_util::sub_uint(a.data(), b.data(), n, result.data());
      EXPECT_EQ(result, by_gmp(a, b, n, mpz_sub));
      EXPECT_EQ(borrow, words_util::compare_uint(a.data(), b.data(), n) < 0);
      EXPECT_EQ(words_util::compare_uint(a.data(), n, b.data(), n - 1),
                mpz_cmp(number_of(a).get(), number_of({b.begin(), b.end() - 1}).get()));
      words_util::multiply_uint(a.data(), b.data(), n, wide.data());
      EXPECT_EQ(wide, by_gmp(a, b, 2 * n, mpz_mul));
      words_util::multiply_uint(a.data(), n, b[0], n + 1, sum.data());
      EXPECT_EQ(sum, by_gmp(a, {b[0]}, n + 1, mpz_mul));
      words_util::increment_uint(a.data(), n, result.data());
      EXPECT_EQ(result, by_gmp(a, one, n, mpz_add));
      words_util::decrement_uint(a.data(), n, result.data());
      EXPECT_EQ(result, by_gmp(a, one, n, mpz_sub));
      words_util::negate_uint(a.data(), n, result.data());
      EXPECT_EQ(result, by_gmp({}, a, n, mpz_sub));
      words_util::half_round_up_uint(a.data(), n, result.data());
      EXPECT_EQ(result, by_gmp(a, {2}, n, mpz_cdiv_q));
      if (words_util::is_zero_uint(b.data(), n)) continue;
      words_util::divide_uint(a.data(), b.data(), n, result.data(), rest.data(), pool);
      EXPECT_EQ(result, by_gmp(a, b, n, mpz_fdiv_q));
      EXPECT_EQ(rest, by_gmp(a, b, n, mpz_fdiv_r));
      if (b[0] == 0 || n < 2 || n > 3) continue;
      rest = a;
      (n == 2 ? words_util::divide_uint128_inplace : words_util::divide_uint192_inplace)(
          rest.data(), b[0], result.data());
      EXPECT_EQ(result, by_gmp(a, {b[0]}, n, mpz_fdiv_q));
      EXPECT_EQ(rest, by_gmp(a, {b[0]}, n, mpz_fdiv_r));
    }
  }
}

TEST(SealWords, shifts_by_gmp_in_place) {
  auto rng = make_rng();
  for (std::size_t n = 1; n <= 3; ++n) {
    for (int bits = 0; bits < static_cast<int>(64 * n); ++bits) {
      const WordList a = some_words(n, rng);
      Integer left, right;
      mpz_mul_2exp(left.get(), number_of(a).get(), bits);
      mpz_fdiv_q_2exp(right.get(), number_of(a).get(), bits);
      WordList result = a;
      words_util::left_shift_uint(result.data(), bits, n, result.data());
      EXPECT_EQ(result, words_of(left, n)) << bits;
      result = a;
      words_util::right_shift_uint(result.data(), bits, n, result.data());
      EXPECT_EQ(result, words_of(right, n)) << bits;
      EXPECT_EQ(words_util::is_bit_set_uint(a.data(), n, bits), (words_of(right, 1)[0] & 1) != 0);
      result = a;
      words_util::filter_highbits_uint(result.data(), n, bits);
      mpz_fdiv_r_2exp(right.get(), number_of(a).get(), bits);
      EXPECT_EQ(result, words_of(right, n)) << bits;
    }
    WordList word(n);
    EXPECT_INVALID_ARGUMENT(words_util::left_shift_uint(word.data(), -1, n, word.data()));
    EXPECT_INVALID_ARGUMENT(words_util::right_shift_uint(word.data(), 64 * n, n, word.data()));
  }
}

TEST(SealWords, arithmetic_modulo_several_words_by_gmp) {
  auto rng = make_rng();
  auto pool = ::seal::MemoryManager::GetPool();
  for (std::size_t n = 1; n <= 3; ++n) {
    for (int repeat = 0; repeat < 60; ++repeat) {
      WordList modulus = some_words(n, rng), result(n);
      modulus[0] |= 3;
      const WordList zero(n), top = by_gmp(modulus, {1}, n, mpz_sub);
      const WordList a = repeat < 2 ? zero : by_gmp(some_words(n, rng), modulus, n, mpz_fdiv_r);
      const WordList b = repeat < 4 ? top : by_gmp(some_words(n, rng), modulus, n, mpz_fdiv_r);
      const auto check = [&](const Integer& expected, const char* what) {
        Integer reduced;
        mpz_fdiv_r(reduced.get(), expected.get(), number_of(modulus).get());
        EXPECT_EQ(result, words_of(reduced, n)) << what;
      };
      const auto value = [&](auto operation, const WordList& x, const WordList& y) {
        Integer z;
        operation(z.get(), number_of(x).get(), number_of(y).get());
        return z;
      };
      words_util::add_uint_uint_mod(a.data(), b.data(), modulus.data(), n, result.data());
      check(value(mpz_add, a, b), "add");
      words_util::sub_uint_uint_mod(a.data(), b.data(), modulus.data(), n, result.data());
      check(value(mpz_sub, a, b), "sub");
      words_util::negate_uint_mod(a.data(), modulus.data(), n, result.data());
      check(value(mpz_sub, {}, a), "negate");
      words_util::increment_uint_mod(b.data(), modulus.data(), n, result.data());
      check(value(mpz_add, b, {1}), "increment");
      words_util::decrement_uint_mod(a.data(), modulus.data(), n, result.data());
      check(value(mpz_sub, a, {1}), "decrement");
      words_util::div2_uint_mod(b.data(), modulus.data(), n, result.data());
      words_util::add_uint_uint_mod(result.data(), result.data(), modulus.data(), n, result.data());
      EXPECT_EQ(result, b) << "half";
      Integer inverse;
      const bool exists =
          mpz_invert(inverse.get(), number_of(b).get(), number_of(modulus).get()) != 0;
      EXPECT_EQ(words_util::try_invert_uint_mod(b.data(), modulus.data(), n, result.data(), pool),
                exists);
      if (exists) check(inverse, "inverse");
    }
  }
}

TEST(SealWords, single_words) {
  auto rng = make_rng();
  for (int repeat = 0; repeat < 50; ++repeat) {
    const WordList a = some_words(2, rng), b = some_words(2, rng);
    unsigned long long pair[2], high;
    std::uint64_t low;
    words_util::multiply_uint64(a[0], b[0], pair);
    EXPECT_EQ((WordList{pair[0], pair[1]}), by_gmp({a[0]}, {b[0]}, 2, mpz_mul));
    words_util::multiply_uint64_hw64(a[0], b[0], &high);
    EXPECT_EQ(high, pair[1]);
    EXPECT_EQ(words_util::add_uint128(a.data(), b.data(), pair), by_gmp(a, b, 3, mpz_add)[2]);
    EXPECT_EQ((WordList{pair[0], pair[1]}), by_gmp(a, b, 2, mpz_add));
    EXPECT_EQ(words_util::add_uint64(a[0], b[0], &low), by_gmp({a[0]}, {b[0]}, 2, mpz_add)[1]);
    EXPECT_EQ(words_util::sub_uint64(a[0], b[0], 1, &high), a[0] <= b[0]);
    EXPECT_EQ(high, a[0] - b[0] - 1);
    unsigned long long total[2] = {0, 0};
    words_util::multiply_accumulate_uint64<2>(a.data(), b.data(), total);
    Integer products = number_of({});
    for (int i : {0, 1}) {
      mpz_addmul(products.get(), number_of({a[i]}).get(), number_of({b[i]}).get());
    }
    EXPECT_EQ((WordList{total[0], total[1]}), words_of(products, 2));
  }
  EXPECT_EQ(words_util::exponentiate_uint(3, 41), 18026252303461234787u);
  EXPECT_EQ(words_util::exponentiate_uint_safe(3, 40), 12157665459056928801u);
  EXPECT_LOGIC_ERROR(words_util::exponentiate_uint_safe(3, 41));
  EXPECT_EQ(words_util::exponentiate_uint_safe(0, 0), 1u);
}

TEST(SealWords, memory_and_text) {
  auto pool = ::seal::MemoryManager::GetPool();
  const WordList factors{3, ~std::uint64_t{0}, 5};
  WordList product(3), copy(2);
  words_util::multiply_many_uint64(factors.data(), 3, product.data(), pool);
  EXPECT_EQ(product, (WordList{std::uint64_t{0} - 15, 14, 0}));
  words_util::multiply_many_uint64_except(factors.data(), 3, 1, product.data(), pool);
  EXPECT_EQ(product, (WordList{15, 0, 0}));
  EXPECT_EQ(words_util::get_significant_uint64_count_uint(product.data(), 3), 1u);
  EXPECT_EQ(words_util::get_nonzero_uint64_count_uint(factors.data(), 3), 3u);
  words_util::set_uint(factors.data(), 3, 2, copy.data());
  EXPECT_EQ(copy, (WordList{3, ~std::uint64_t{0}}));
  words_util::set_uint(factors.data(), 1, 2, copy.data());
  EXPECT_TRUE(words_util::is_equal_uint(copy.data(), 2, 3));
  const auto zeros = words_util::allocate_zero_poly_array(2, 3, 4, pool);
  EXPECT_TRUE(words_util::is_zero_uint(zeros.get(), 24));
  EXPECT_EQ(words_util::poly_to_hex_string(WordList{10, 0, 0, 1, 31, 0}.data(), 3, 2),
            "1Fx^2 + 10000000000000000x^1 + A");
  EXPECT_EQ(words_util::poly_to_dec_string(WordList{0, 0, 31}.data(), 3, 1, pool), "31x^2");
  EXPECT_EQ(words_util::poly_to_hex_string(zeros.get(), 3, 4), "0");
  EXPECT_INVALID_ARGUMENT(words_util::set_poly(nullptr, 1, 1, copy.data()));
  EXPECT_INVALID_ARGUMENT(words_util::set_uint(1, 0, copy.data()));
  EXPECT_INVALID_ARGUMENT(
      words_util::divide_uint(copy.data(), zeros.get(), 2, copy.data(), product.data(), pool));
  EXPECT_LOGIC_ERROR(words_util::allocate_poly(~std::size_t{0}, 2, pool));
}

TEST(SealWords, checked_arithmetic_of_numbers) {
  constexpr std::uint64_t kMax = ~std::uint64_t{0};
  constexpr int kInt = std::numeric_limits<int>::max();
  EXPECT_EQ(words_util::mul_safe(std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 1),
            kMax - 0xFFFFFFFF);
  EXPECT_EQ(words_util::add_safe(kMax - 2, std::uint64_t{1}, std::uint64_t{1}), kMax);
  EXPECT_EQ(words_util::sub_safe(-1, kInt), -kInt - 1);
  EXPECT_LOGIC_ERROR(words_util::mul_safe(kMax, std::uint64_t{2}));
  EXPECT_LOGIC_ERROR(words_util::mul_safe(-kInt - 1, -1));
  EXPECT_LOGIC_ERROR(words_util::add_safe(kInt, 1));
  EXPECT_LOGIC_ERROR(words_util::sub_safe(0u, 1u));
  EXPECT_LOGIC_ERROR(words_util::safe_cast<int>(kMax));
  EXPECT_LOGIC_ERROR(words_util::safe_cast<unsigned>(-1));
  EXPECT_EQ(words_util::safe_cast<int>(std::size_t{7}), 7);
  EXPECT_TRUE(words_util::fits_in<std::uint64_t>(kInt));
  EXPECT_FALSE(words_util::fits_in<std::int64_t>(kMax));
  EXPECT_FALSE(words_util::fits_in<float>(1e300));
  EXPECT_TRUE(words_util::product_fits_in(std::uint64_t{kInt}, std::uint64_t{2}));
  EXPECT_FALSE(words_util::product_fits_in<int>(std::uint64_t{kInt}, std::uint64_t{2}));
  EXPECT_FALSE(words_util::sum_fits_in(kInt, 1));
  EXPECT_TRUE(words_util::unsigned_gt(-1, kMax - 1));
  EXPECT_TRUE(words_util::unsigned_leq(3, std::size_t{3}));
  EXPECT_EQ(words_util::divide_round_up(9, 4), 3);
  EXPECT_EQ(words_util::hamming_weight(0xF1), 5);
  EXPECT_TRUE(words_util::are_close(1e9, 1e9 + 1e-7));
  EXPECT_FALSE(words_util::are_close(1.0, 1.0 + 1e-15));
  std::uint64_t secret[2] = {1, 2};
  words_util::seal_memzero(secret, sizeof(secret));
  EXPECT_EQ(secret[0] | secret[1], 0u);
}

}  // namespace
}  // namespace ringlet::test
