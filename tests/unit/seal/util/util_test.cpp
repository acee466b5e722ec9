// SPDX-License-Identifier: Apache-2.0
#include <flint/ulong_extras.h>

#include "seal/util/common.h"
#include "seal/util/galois.h"
#include "seal/util/ntt.h"
#include "seal/util/numth.h"
#include "seal/util/polyarithsmallmod.h"
#include "seal/util/uintarithsmallmod.h"
#include "seal/util/uintcore.h"
#include "support/reference/big_integer.hpp"
#include "support/reference/ntt_reference.hpp"
#include "unit/seal/thrown.hpp"

namespace ringlet::test {
namespace {

namespace util = ::seal::util;
using Factor = ::seal::Modulus;

std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return n_mulmod2(a % q, b % q, q);
}

const std::uint64_t kModuli[] = {
    2, 3, 12, 17, 65537, 1032193, (std::uint64_t{1} << 50) - 27, (std::uint64_t{1} << 61) - 1};

TEST(SealUtil, hexadecimal_text) {
  const std::uint64_t words[] = {0xfedcba9876543210, 0xa, 0, 0};
  EXPECT_EQ(util::uint_to_hex_string(words, 1), "FEDCBA9876543210");
  EXPECT_EQ(util::uint_to_hex_string(words, 4), "AFEDCBA9876543210");
  EXPECT_EQ(util::uint_to_hex_string(words + 2, 2), "0");
  EXPECT_EQ(util::uint_to_hex_string(nullptr, 0), "0");
  EXPECT_INVALID_ARGUMENT(util::uint_to_hex_string(nullptr, 1));
  const std::uint64_t round[] = {0, 0x10};
  EXPECT_EQ(util::uint_to_hex_string(round, 2), "100000000000000000");
}

TEST(SealUtil, decimal_text_by_gmp) {
  auto rng = make_rng();
  for (std::size_t count = 1; count <= 5; ++count) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<std::uint64_t> words(count);
      for (auto& word : words) word = repeat == 0 ? ~std::uint64_t{0} : rng() >> rng() % 64;
      Integer number;
      mpz_import(number.get(), count, -1, 8, 0, 0, words.data());
      std::string text(mpz_sizeinbase(number.get(), 10) + 2, 0);
      mpz_get_str(text.data(), 10, number.get());
      EXPECT_EQ(util::uint_to_dec_string(words.data(), count), text.c_str());
      EXPECT_EQ(util::get_significant_bit_count_uint(words.data(), count),
                mpz_sgn(number.get()) == 0 ? 0 : static_cast<int>(mpz_sizeinbase(number.get(), 2)));
    }
  }
  const std::uint64_t power[] = {10'000'000'000'000'000'000u};
  EXPECT_EQ(util::uint_to_dec_string(power, 1), "10000000000000000000");
  EXPECT_EQ(util::uint_to_dec_string(nullptr, 0), "0");
  EXPECT_INVALID_ARGUMENT(util::uint_to_dec_string(nullptr, 1));
}

TEST(SealUtil, bits) {
  EXPECT_EQ(util::get_power_of_two(0), -1);
  EXPECT_EQ(util::get_power_of_two(3), -1);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(util::get_power_of_two(std::uint64_t{1} << i), i);
  EXPECT_EQ(util::get_significant_bit_count(0), 0);
  EXPECT_EQ(util::get_significant_bit_count(~std::uint64_t{0}), 64);
  EXPECT_EQ(util::reverse_bits(std::uint32_t{1}), std::uint32_t{1} << 31);
  EXPECT_EQ(util::reverse_bits(std::uint64_t{0b0011}, 4), 0b1100u);
  EXPECT_EQ(util::reverse_bits(std::uint64_t{0b1011}, 3), 0b110u) << "higher bits do not enter";
  EXPECT_EQ(util::reverse_bits(std::uint64_t{7}, 0), 0u);
}

TEST(SealUtil, arithmetic_by_flint) {
  auto rng = make_rng();
  for (const std::uint64_t q : kModuli) {
    const Factor modulus = q;
    for (const std::uint64_t a : mixed_values(30, q, 1, rng)) {
      const std::uint64_t b = rng() % q, any = rng(), words[] = {rng(), rng()};
      SCOPED_TRACE(testing::Message() << a << ", " << b << ", " << any << " mod " << q);
      EXPECT_EQ(util::add_uint_mod(a, b, modulus), n_addmod(a, b, q));
      EXPECT_EQ(util::sub_uint_mod(a, b, modulus), n_submod(a, b, q));
      EXPECT_EQ(util::negate_uint_mod(a, modulus), n_negmod(a, q));
      EXPECT_EQ(util::multiply_uint_mod(a, b, modulus), times(a, b, q));
      EXPECT_EQ(util::multiply_uint_mod(any, ~any, modulus), times(any, ~any, q));
      EXPECT_EQ(util::exponentiate_uint_mod(any, b, modulus),
                n_powmod2_ui_preinv(any % q, b, q, n_preinvert_limb(q)));
      EXPECT_EQ(util::barrett_reduce_64(any, modulus), any % q);
      EXPECT_EQ(util::barrett_reduce_128(words, modulus),
                n_ll_mod_preinv(words[1], words[0], q, n_preinvert_limb(q)));
      util::MultiplyUIntModOperand factor;
      factor.set(b, modulus);
      EXPECT_EQ(util::multiply_uint_mod(any, factor, modulus), times(any, b, q));
      EXPECT_INVALID_ARGUMENT(factor.set(q, modulus));
      EXPECT_EQ(factor.operand, b);
    }
    const std::uint64_t ones[] = {~std::uint64_t{0}, ~std::uint64_t{0}};
    EXPECT_EQ(util::barrett_reduce_128(ones, modulus),
              n_ll_mod_preinv(ones[1], ones[0], q, n_preinvert_limb(q)));
  }
}

TEST(SealUtil, inverses_by_flint) {
  auto rng = make_rng();
  for (std::uint64_t q : {std::uint64_t{2}, std::uint64_t{12}, std::uint64_t{65537},
                          (std::uint64_t{1} << 61) - 1, ~std::uint64_t{0}}) {
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, q - 1, q, q / 2, rng(),
                                      rng() % 12, std::uint64_t{3}}) {
      std::uint64_t inverse = 99;
      const bool found = util::try_invert_uint_mod(value, q, inverse);
      EXPECT_EQ(found, n_gcd(value, q) == 1) << value << " mod " << q;
      EXPECT_EQ(inverse, found ? n_invmod(value % q, q) : 99) << value << " mod " << q;
    }
  }
  std::uint64_t inverse = 0;
  EXPECT_TRUE(util::try_invert_uint_mod(5, Factor(17), inverse));
  EXPECT_EQ(inverse, 7u);
  EXPECT_INVALID_ARGUMENT(util::try_invert_uint_mod(1, 1, inverse));
  EXPECT_INVALID_ARGUMENT(util::try_invert_uint_mod(1, 0, inverse));
}

TEST(SealUtil, divisors) {
  auto rng = make_rng();
  for (int repeat = 0; repeat < 100; ++repeat) {
    const std::uint64_t x = 1 + (rng() >> (1 + rng() % 63)), y = 1 + (rng() >> (1 + rng() % 63));
    EXPECT_EQ(util::gcd(x, y), std::gcd(x, y));
    EXPECT_EQ(util::are_coprime(x, y), std::gcd(x, y) == 1);
    const auto [divisor, a, b] = util::xgcd(x, y);
    EXPECT_EQ(divisor, std::gcd(x, y));
    EXPECT_EQ(static_cast<std::uint64_t>(a) * x + static_cast<std::uint64_t>(b) * y, divisor);
  }
  EXPECT_INVALID_ARGUMENT(util::gcd(0, 1));
  EXPECT_INVALID_ARGUMENT(util::xgcd(1, 0));
}

TEST(SealUtil, non_adjacent_forms) {
  for (const int value : {0, 1, -1, 2, 3, -3, 7, 123, -1024, 4095, 123456789, 2147483647 / 2}) {
    const std::vector<int> digits = util::naf(value);
    EXPECT_EQ(std::accumulate(digits.begin(), digits.end(), 0), value);
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const auto size = [&](std::size_t k) {
        return static_cast<std::uint64_t>(std::abs(digits[k]));
      };
      EXPECT_GE(util::get_power_of_two(size(i)), 0) << value;
      if (i > 0) {
        EXPECT_GE(size(i), 4 * size(i - 1)) << value;
      }
    }
  }
}

TEST(SealUtil, roots_of_unity_by_trial) {
  for (const std::uint64_t q : {5u, 13u, 17u, 97u, 193u, 257u}) {
    for (std::uint64_t degree = 2; degree <= 64; degree *= 2) {
      std::uint64_t expected = 0;
      for (std::uint64_t root = q - 1; root > 0; --root) {
        std::uint64_t order = 1;
        for (std::uint64_t power = root; power != 1; power = power * root % q) ++order;
        EXPECT_EQ(util::is_primitive_root(root, degree, q), order == degree)
            << root << " mod " << q;
        if (order == degree) expected = root;
      }
      std::uint64_t found = 0;
      EXPECT_EQ(util::try_minimal_primitive_root(degree, q, found), expected != 0);
      EXPECT_EQ(found, expected) << degree << " mod " << q;
      EXPECT_EQ(util::try_primitive_root(degree, q, found), expected != 0);
    }
  }
  std::uint64_t root = 42;
  EXPECT_FALSE(util::try_minimal_primitive_root(4, 15, root)) << "15 is composite";
  EXPECT_FALSE(util::try_minimal_primitive_root(3, 7, root)) << "3 is no power of two";
  EXPECT_FALSE(util::try_minimal_primitive_root(4, 0, root));
  EXPECT_EQ(root, 42u);
}

TEST(SealUtil, requests_for_primes) {
  EXPECT_EQ(util::get_prime(1, 2), 3u);
  EXPECT_EQ(util::get_primes(1, 2, 2), (std::vector<Factor>{3, 2}));
  EXPECT_EQ(util::get_prime(16384, 20), 1032193u);
  EXPECT_LOGIC_ERROR(util::get_primes(1, 2, 3));
  EXPECT_INVALID_ARGUMENT(util::get_primes(0, 20, 1));
  EXPECT_INVALID_ARGUMENT(util::get_primes(16, 20, 0));
  EXPECT_INVALID_ARGUMENT(util::get_primes(16, 1, 1));
  EXPECT_INVALID_ARGUMENT(util::get_primes(16, 62, 1));
  EXPECT_LOGIC_ERROR(util::get_primes(~std::uint64_t{0}, 61, 1));
  EXPECT_TRUE(util::is_prime(Factor(17)));
}

TEST(SealUtil, galois_elements) {
  const util::GaloisTool tool(3);
  EXPECT_EQ(tool.get_elts_all(), (std::vector<std::uint32_t>{15, 3, 11, 9, 9}));
  EXPECT_EQ(tool.get_elts_from_steps({0, 1, 2, 3, -1, -2, -3}),
            (std::vector<std::uint32_t>{15, 3, 9, 11, 11, 9, 3}));
  for (const int step : {4, -4, 2147483647, -2147483647 - 1}) {
    EXPECT_INVALID_ARGUMENT(tool.get_elt_from_step(step)) << step;
  }
  EXPECT_EQ(util::GaloisTool(1).get_elts_all(), std::vector<std::uint32_t>{3});
  EXPECT_INVALID_ARGUMENT(util::GaloisTool(1).get_elt_from_step(1));
  EXPECT_INVALID_ARGUMENT(util::GaloisTool(0));
  EXPECT_INVALID_ARGUMENT(util::GaloisTool(18));
  EXPECT_EQ(util::GaloisTool::GetIndexFromElt(15), 7u);
  EXPECT_EQ(util::GaloisTool::GetIndexFromElt(1), 0u);
  EXPECT_INVALID_ARGUMENT(util::GaloisTool::GetIndexFromElt(2));
}

TEST(SealUtil, galois_elements_of_every_rotation_are_powers_of_3) {
  for (const int power : {2, 5, 12, 17}) {
    const util::GaloisTool tool(power);
    const int row = 1 << (power - 1);
    const std::uint64_t mask = (std::uint64_t{2} << power) - 1;
    std::uint64_t expected = 1;
    const int stride = power > 12 ? 4099 : 1;
    for (int step = 1; step < row; ++step) {
      expected = expected * 3 & mask;
      if (step % stride != 0) continue;
      EXPECT_EQ(tool.get_elt_from_step(step), expected);
      EXPECT_EQ(tool.get_elt_from_step(step - row), expected);
    }
  }
}

TEST(SealUtil, transforms_evaluate_at_odd_powers_of_the_smallest_root) {
  auto rng = make_rng();
  for (const int power : {1, 2, 5}) {
    const std::size_t n = std::size_t{1} << power;
    for (const int bits : {20, 49, 60}) {
      const Factor modulus = util::get_prime(2 * n, bits);
      const std::uint64_t q = modulus.value();
      const util::NTTTables tables(power, modulus);
      EXPECT_EQ(tables.coeff_count(), n);
      EXPECT_EQ(tables.coeff_count_power(), power);
      EXPECT_EQ(tables.modulus(), modulus);
      std::uint64_t root = 0;
      ASSERT_TRUE(util::try_minimal_primitive_root(2 * n, modulus, root));
      EXPECT_EQ(tables.get_root(), root);

      const std::vector<std::uint64_t> operand = random_values(n, 4 * q, rng);
      std::vector<std::uint64_t> reduced = operand;
      for (std::uint64_t& value : reduced) value %= q;
      std::vector<std::uint64_t> values = operand;
      util::ntt_negacyclic_harvey(values.data(), tables);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(values[i], ntt_value(reduced, i, root, q)) << n << ", " << q;
      }
      for (std::uint64_t& value : values) value += rng() % 2 * q;
      util::inverse_ntt_negacyclic_harvey(values.data(), tables);
      EXPECT_EQ(values, reduced);
    }
  }
}

TEST(SealUtil, tables_for_transforms_that_do_not_exist) {
  EXPECT_INVALID_ARGUMENT(util::NTTTables(0, 17));
  EXPECT_INVALID_ARGUMENT(util::NTTTables(18, 17));
  EXPECT_INVALID_ARGUMENT(util::NTTTables(4, 17)) << "17 is not 1 modulo 32";
  EXPECT_INVALID_ARGUMENT(util::NTTTables(3, 0));
  EXPECT_INVALID_ARGUMENT(util::NTTTables(2, 33));
}

TEST(SealUtil, polynomials_word_by_word) {
  auto rng = make_rng();
  const std::uint64_t q = (std::uint64_t{1} << 61) - 1;
  const std::vector<std::uint64_t> a = random_residues(50, q, rng), b = random_residues(50, q, rng);
  std::vector<std::uint64_t> sum(50), difference(50), negated(50), product(50), scaled(50);
  util::add_poly_coeffmod(a.data(), b.data(), 50, q, sum.data());
  util::sub_poly_coeffmod(a.data(), b.data(), 50, q, difference.data());
  util::negate_poly_coeffmod(a.data(), 50, q, negated.data());
  util::dyadic_product_coeffmod(a.data(), b.data(), 50, q, product.data());
  util::multiply_poly_scalar_coeffmod(a.data(), 50, q + 5, q, scaled.data());
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(sum[i], n_addmod(a[i], b[i], q));
    EXPECT_EQ(difference[i], n_submod(a[i], b[i], q));
    EXPECT_EQ(negated[i], n_negmod(a[i], q));
    EXPECT_EQ(product[i], times(a[i], b[i], q));
    EXPECT_EQ(scaled[i], times(a[i], 5, q));
  }
  std::vector<std::uint64_t> any{0, q, ~std::uint64_t{0}};
  util::modulo_poly_coeffs(any.data(), 3, q, any.data());
  EXPECT_EQ(any, (std::vector<std::uint64_t>{0, 0, ~std::uint64_t{0} % q}));
}

}  // namespace
}  // namespace ringlet::test
