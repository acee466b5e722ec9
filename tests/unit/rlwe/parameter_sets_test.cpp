// SPDX-License-Identifier: Apache-2.0
#include "ringlet/parameter_sets.hpp"

#include "ringlet/context.hpp"
#include "ringlet/error.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

constexpr SecurityLevel kLevels[] = {SecurityLevel::tc128, SecurityLevel::tc192,
                                     SecurityLevel::tc256};

int total_bits(const EncryptionParameters& parms) {
  const RnsBasis basis(parms.poly_modulus_degree(), parms.coeff_modulus());
  return basis.product_bit_count(basis.size());
}

TEST(ParameterSets, EveryEntryOfTheTablesOf2024GivesAContext) {
  int count = 0;
  for (const SecurityTable table : {SecurityTable::classical_2024, SecurityTable::quantum_2024}) {
    for (const SecurityLevel level : kLevels) {
      for (std::size_t degree = 1024; degree <= 131072; degree *= 2) {
        const int limit = max_modulus_bits(degree, level, table);
        for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv, SchemeType::ckks}) {
          if (limit == 0) {
            EXPECT_THROW((void)default_parameters(scheme, degree, level, table), InvalidArgument);
            continue;
          }
          const EncryptionParameters parms = default_parameters(scheme, degree, level, table);
          const int bits = total_bits(parms);
          EXPECT_LE(bits, limit);
          EXPECT_GE(bits, limit < 60 ? std::min(limit, 49) : limit - 49) << degree;
          for (const Modulus& q : parms.coeff_modulus()) EXPECT_LE(q.bit_count(), 49);
          if (degree > 16384) continue;  // tables of transforms take their time
          const Context context(parms, level, table);
          EXPECT_EQ(context.using_keyswitching(), limit >= 60);
          EXPECT_EQ(context.using_batching(), scheme != SchemeType::ckks && limit >= 60);
          ++count;
        }
      }
    }
  }
  EXPECT_EQ(count, 3 * (13 + 13));
}

TEST(ParameterSets, LargeOnesHaveFewDigits) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv, SchemeType::ckks}) {
    for (const std::size_t degree : {16384u, 32768u, 65536u}) {
      const EncryptionParameters parms = default_parameters(scheme, degree);
      EXPECT_GE(parms.digit_count(), 3u);
      EXPECT_LE(parms.digit_count(), 5u);
      EXPECT_GT(parms.special_primes().size(), 1u);
    }
  }
}

TEST(ParameterSets, SealsDefaultsNeedTheTableOf2018) {
  for (const SecurityLevel level : kLevels) {
    for (std::size_t degree = 1024; degree <= 32768; degree *= 2) {
      EncryptionParameters parms(SchemeType::bfv);
      parms.set_poly_modulus_degree(degree);
      parms.set_coeff_modulus(seal_default_primes(degree, level));
      parms.set_plain_modulus(Modulus(257));
      EXPECT_LE(total_bits(parms),
                max_modulus_bits(degree, level, SecurityTable::he_standard_2018));
      EXPECT_GT(total_bits(parms), max_modulus_bits(degree, level)) << degree;
      if (degree > 8192) continue;
      EXPECT_THROW(Context(parms, level), InvalidArgument) << degree;
      EXPECT_NO_THROW(Context(parms, level, SecurityTable::he_standard_2018)) << degree;
    }
  }
  EXPECT_EQ(seal_default_primes(4096).back().value(), 0x1ffffe0001u);
  EXPECT_THROW((void)seal_default_primes(512), InvalidArgument);
  EXPECT_THROW((void)seal_default_primes(65536), InvalidArgument);
  EXPECT_THROW((void)seal_default_primes(4096, SecurityLevel::none), InvalidArgument);
  EXPECT_THROW((void)default_parameters(SchemeType::none, 4096), InvalidArgument);
  EXPECT_THROW((void)default_parameters(SchemeType::bfv, 4096, SecurityLevel::none),
               InvalidArgument);
}

}  // namespace
}  // namespace ringlet::test
