// SPDX-License-Identifier: Apache-2.0
#include "ringlet/security.hpp"

#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ringlet/primes.hpp"
#include "rlwe_support.hpp"

namespace ringlet::test {
namespace {

using enum SecurityLevel;
using enum SecurityTable;

TEST(Security, TablesHoldThePublishedNumbers) {
  EXPECT_EQ(max_modulus_bits(1024), 26);
  EXPECT_EQ(max_modulus_bits(8192), 214);
  EXPECT_EQ(max_modulus_bits(131072), 3523);
  EXPECT_EQ(max_modulus_bits(2048, tc192), 36);
  EXPECT_EQ(max_modulus_bits(131072, tc256), 1866);
  EXPECT_EQ(max_modulus_bits(1024, tc128, quantum_2024), 20);
  EXPECT_EQ(max_modulus_bits(8192, tc128, quantum_2024), 161);
  EXPECT_EQ(max_modulus_bits(131072, tc192, quantum_2024), 1920);
  EXPECT_EQ(max_modulus_bits(8192, tc128, he_standard_2018), 218);
  EXPECT_EQ(max_modulus_bits(32768, tc256, he_standard_2018), 476);
  EXPECT_EQ(CoeffModulus::max_bit_count(16384, tc192), 297);
}

TEST(Security, WhatIsNotTabulatedIsZero) {
  EXPECT_EQ(max_modulus_bits(512), 0);
  EXPECT_EQ(max_modulus_bits(0), 0);
  EXPECT_EQ(max_modulus_bits(3000), 0);
  EXPECT_EQ(max_modulus_bits(262144), 0);
  EXPECT_EQ(max_modulus_bits(1024, tc192), 0);
  EXPECT_EQ(max_modulus_bits(131072, tc256, quantum_2024), 0);
  EXPECT_EQ(max_modulus_bits(65536, tc128, he_standard_2018), 0);
  EXPECT_EQ(max_modulus_bits(8192, none), kUnlimitedModulusBits);
}

// Two primes whose product has exactly `bits` bits.
std::vector<Modulus> primes_of_product(std::size_t degree, int bits) {
  const int high = bits / 2 + bits % 2;
  const int low = bits - high;
  // The largest primes of a size have products that fill the sum of their sizes.
  Modulus first = generate_ntt_primes(high, degree, 1)[0];
  Modulus second = generate_ntt_primes(low, degree, low == high ? 2 : 1).back();
  return {first, second};
}

struct Limit {
  std::size_t degree;
  SecurityLevel level;
  SecurityTable table;
  int bits;
};

std::ostream& operator<<(std::ostream& stream, const Limit& limit) {
  return stream << limit.degree << " " << to_string(limit.level) << " " << to_string(limit.table)
                << " " << limit.bits;
}

class SecurityLimit : public ::testing::TestWithParam<Limit> {};

TEST_P(SecurityLimit, IsAcceptedAndOneBitMoreIsRefused) {
  const Limit& limit = GetParam();
  const auto at = primes_of_product(limit.degree, limit.bits);
  const Context context(ckks_of(limit.degree, at), limit.level, limit.table);
  EXPECT_EQ(context.key_context_data()->total_coeff_modulus_bit_count(), limit.bits);
  EXPECT_EQ(context.security_level(), limit.level);
  EXPECT_EQ(context.security_table(), limit.table);

  const auto past = primes_of_product(limit.degree, limit.bits + 1);
  expect_refusal<InvalidArgument>(
      [&] { Context(ckks_of(limit.degree, past), limit.level, limit.table); }, "Context",
      {std::to_string(limit.bits + 1) + " bits", "at most " + std::to_string(limit.bits) + " bits",
       to_string(limit.level), to_string(limit.table)});
}

INSTANTIATE_TEST_SUITE_P(Tables, SecurityLimit,
                         ::testing::Values(Limit{2048, tc128, classical_2024, 53},
                                           Limit{4096, tc128, classical_2024, 106},
                                           Limit{4096, tc192, classical_2024, 73},
                                           Limit{4096, tc256, classical_2024, 56},
                                           Limit{4096, tc128, quantum_2024, 80},
                                           Limit{4096, tc128, he_standard_2018, 109},
                                           Limit{8192, tc256, quantum_2024, 95}));

TEST(Security, TheSpecialPrimeCounts) {
  // 160 data bits fit 8192 by far; with the special prime they do not.
  expect_refusal<InvalidArgument>([] { Context(ckks(8192, {60, 50, 50, 60})); }, "Context",
                                  {"220 bits", "214"});
  const Context context(ckks(8192, {60, 47, 47, 60}));
  EXPECT_EQ(context.key_context_data()->total_coeff_modulus_bit_count(), 214);
}

TEST(Security, DegreesOutsideTheTableNeedNone) {
  const auto parms = ckks(512, {25});
  expect_refusal<InvalidArgument>([&] { const Context context(parms); }, "Context",
                                  {"degree = 512", "tc128", "classical_2024", "none"});
  expect_refusal<InvalidArgument>([] { const Context context(ckks(1024, {20}), tc192); }, "Context",
                                  {"degree = 1024"});
  EXPECT_EQ(Context(parms, none).ring().degree(), 512u);
}

}  // namespace
}  // namespace ringlet::test
