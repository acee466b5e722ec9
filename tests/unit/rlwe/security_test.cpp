// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/security.hpp"

#include "ringlet/rlwe/parameter_sets.hpp"
#include "rlwe/validation.hpp"
#include "rlwe_support.hpp"

namespace ringlet::test {
namespace {

using enum SecurityLevel;
using enum SecurityTable;

constexpr std::array kLevels = {tc128, tc192, tc256};
constexpr std::array kTables = {classical_2024, quantum_2024, he_standard_2018,
                                he_standard_2018_quantum};

/// Bits for 128, 192 and 256 bits of security, in the order of kTables; 0 means no entry.
struct Row {
  std::size_t degree;
  std::array<std::array<int, 3>, 4> bits;
};

// Bossuat et al., IACR ePrint 2024/463; Albrecht et al., 2018, both tables for ternary secrets.
constexpr Row kPublished[] = {
    {1024, {{{26, 0, 0}, {20, 0, 0}, {27, 19, 14}, {25, 17, 13}}}},
    {2048, {{{53, 36, 27}, {40, 29, 22}, {54, 37, 29}, {51, 35, 27}}}},
    {4096, {{{106, 73, 56}, {80, 59, 47}, {109, 75, 58}, {101, 70, 54}}}},
    {8192, {{{214, 147, 114}, {161, 119, 95}, {218, 152, 118}, {202, 141, 109}}}},
    {16384, {{{430, 297, 230}, {322, 239, 192}, {438, 305, 237}, {411, 284, 220}}}},
    {32768, {{{868, 597, 462}, {644, 479, 385}, {881, 611, 476}, {827, 571, 443}}}},
    {65536, {{{1747, 1199, 929}, {1289, 959, 773}, {0, 0, 0}, {0, 0, 0}}}},
    {131072, {{{3523, 2411, 1866}, {2578, 1920, 0}, {0, 0, 0}, {0, 0, 0}}}},
};

/// Calls f(degree, level, table, bits) for every cell.
template <typename Call>
void for_each_cell(const Call& f) {
  for (const Row& row : kPublished) {
    for (std::size_t t = 0; t < kTables.size(); ++t) {
      for (std::size_t i = 0; i < kLevels.size(); ++i) {
        f(row.degree, kLevels[i], kTables[t], row.bits[t][i]);
      }
    }
  }
}

// Distinct primes whose product has exactly `bits` bits; empty if no such primes exist.
std::vector<Modulus> primes_of_product(std::size_t degree, int bits) {
  const int count = (bits + 59) / 60;
  std::vector<int> sizes(static_cast<std::size_t>(count), bits / count);
  for (int i = 0; i < bits % count; ++i) ++sizes[static_cast<std::size_t>(i)];
  // The largest primes of a size have products that fill the sum of their sizes.
  try {
    std::vector<Modulus> primes = CoeffModulus::create(degree, sizes);
    const RnsBasis basis(degree, primes);
    EXPECT_EQ(basis.product_bit_count(basis.size()), bits) << "degree " << degree;
    return primes;
  } catch (const InvalidArgument&) {
    return {};
  }
}

// The last primes are special if there are several primes.
EncryptionParameters keyed_parameters(SchemeType scheme, std::size_t degree,
                                      const std::vector<Modulus>& primes,
                                      std::size_t special_count) {
  EncryptionParameters parms =
      parameters_of(scheme, degree, primes, std::min(special_count, primes.size() - 1));
  parms.set_digit_size(1);
  if (scheme != SchemeType::ckks) parms.set_plain_modulus(Modulus(257));
  return parms;
}

// Validates parameters as a Context does, without its tables.
void validate(const EncryptionParameters& parms, SecurityLevel level, SecurityTable table) {
  public_entry("Context", [&] { rlwe::validate_parameters(parms, level, table); });
}

void expect_too_large(const EncryptionParameters& parms, SecurityLevel level, SecurityTable table,
                      int bits) {
  expect_refusal(
      [&] { validate(parms, level, table); }, "Context",
      {std::to_string(bits + 1) + " bits", "degree " + std::to_string(parms.poly_modulus_degree()),
       "at most " + std::to_string(bits) + " bits", to_string(level), to_string(table),
       "fewer or smaller primes"});
}

TEST(Security, TablesHoldThePublishedNumbers) {
  int count = 0;
  for_each_cell([&](std::size_t degree, SecurityLevel level, SecurityTable table, int bits) {
    EXPECT_EQ(max_modulus_bits(degree, level, table), bits)
        << degree << " " << to_string(level) << " " << to_string(table);
    EXPECT_EQ(CoeffModulus::max_bit_count(degree, level, table), bits);
    ++count;
  });
  EXPECT_EQ(count, 8 * 4 * 3);
  EXPECT_EQ(max_modulus_bits(16384), 430) << "by default 128 bits of the classical table of 2024";
}

TEST(Security, BetweenEntriesTheLineThroughThemIsRoundedDown) {
  int between = 0;
  for (std::size_t t = 0; t < kTables.size(); ++t) {
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
      std::vector<std::pair<std::size_t, int>> rows;
      for (const Row& row : kPublished) {
        if (row.bits[t][i] != 0) rows.emplace_back(row.degree, row.bits[t][i]);
      }
      ASSERT_GE(rows.size(), 2u);
      for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
        const auto [degree, bits] = rows[r];
        const std::size_t width = rows[r + 1].first - degree;
        const double slope =
            static_cast<double>(rows[r + 1].second - bits) / static_cast<double>(width);
        for (const std::size_t step : {std::size_t{1}, width / 3, width / 2 + 1, width - 1}) {
          EXPECT_EQ(max_modulus_bits(degree + step, kLevels[i], kTables[t]),
                    static_cast<int>(std::floor(bits + slope * static_cast<double>(step) + 1e-9)))
              << degree + step << " " << to_string(kTables[t]);
          ++between;
        }
      }
      EXPECT_EQ(max_modulus_bits(rows.front().first - 1, kLevels[i], kTables[t]), 0);
      EXPECT_EQ(max_modulus_bits(rows.back().first + 1, kLevels[i], kTables[t]), 0);
    }
  }
  EXPECT_GT(between, 200);
  EXPECT_EQ(max_modulus_bits(4800), 124) << "m = 9225";
  EXPECT_EQ(max_modulus_bits(5832), 151) << "m = 10773";
  EXPECT_EQ(max_modulus_bits(8190), 213) << "m = 8191";
}

TEST(Security, WhatIsOutsideTheTableIsZero) {
  for (const SecurityTable table : kTables) {
    for (const SecurityLevel level : kLevels) {
      for (const std::size_t degree : {0u, 2u, 512u, 1023u, 262144u}) {
        EXPECT_EQ(max_modulus_bits(degree, level, table), 0);
      }
    }
    EXPECT_EQ(max_modulus_bits(8192, none, table), kUnlimitedModulusBits);
    EXPECT_EQ(max_modulus_bits(8192, static_cast<SecurityLevel>(100), table), 0);
  }
  EXPECT_EQ(max_modulus_bits(8192, tc128, static_cast<SecurityTable>(4)), 0);
}

TEST(Security, ReproductionTakes125BitsFromTheDegreeOfThePaperOn) {
  for (const SecurityTable table : kTables) {
    for (const std::size_t degree : {0u, 1024u, 2048u, 2419u}) {
      EXPECT_EQ(max_modulus_bits(degree, reproduction, table), 0) << degree;
    }
    for (const std::size_t degree : {2420u, 2560u, 4096u, 8190u, 131072u}) {
      EXPECT_EQ(max_modulus_bits(degree, reproduction, table), 125) << degree;
    }
  }
  EXPECT_EQ(static_cast<int>(reproduction), 64);
  EXPECT_STREQ(to_string(reproduction), "reproduction, about 64 bits");
}

TEST(Security, NamesOfTablesAreDistinct) {
  std::vector<std::string> names;
  for (const SecurityTable table : kTables) names.emplace_back(to_string(table));
  EXPECT_EQ(names, (std::vector<std::string>{"classical_2024", "quantum_2024", "he_standard_2018",
                                             "he_standard_2018_quantum"}));
}

TEST(Security, EveryCellAcceptsItsLimitAndRefusesOneBitMore) {
  int accepted = 0;
  int without_primes = 0;
  for_each_cell([&](std::size_t degree, SecurityLevel level, SecurityTable table, int bits) {
    if (bits == 0) return;
    SCOPED_TRACE(testing::Message()
                 << degree << " " << to_string(level) << " " << to_string(table) << " " << bits);
    const auto at = primes_of_product(degree, bits);
    const auto past = primes_of_product(degree, bits + 1);
    without_primes += at.empty() ? 1 : 0;
    for (const SchemeType scheme : {SchemeType::bfv, SchemeType::ckks, SchemeType::bgv}) {
      for (const std::size_t special : {0u, 1u, 3u}) {
        if (!at.empty()) {
          EXPECT_NO_THROW(rlwe::validate_parameters(keyed_parameters(scheme, degree, at, special),
                                                    level, table));
        }
        ASSERT_FALSE(past.empty());
        expect_too_large(keyed_parameters(scheme, degree, past, special), level, table, bits);
      }
    }
    ++accepted;
  });
  EXPECT_EQ(accepted, 79);
  EXPECT_EQ(without_primes, 1) << "no prime of 13 bits is 1 modulo 2048";
}

TEST(Security, ContextsAskTheTable) {
  int count = 0;
  for_each_cell([&](std::size_t degree, SecurityLevel level, SecurityTable table, int bits) {
    if (bits == 0 || degree > 4096) return;  // transforms of larger degrees are slow
    const auto at = primes_of_product(degree, bits);
    if (at.empty()) return;
    const Context context(keyed_parameters(SchemeType::bgv, degree, at, 1), level, table);
    EXPECT_EQ(context.key_context_data()->total_coeff_modulus_bit_count(), bits);
    EXPECT_EQ(context.security_level(), level);
    EXPECT_EQ(context.security_table(), table);
    const auto past =
        keyed_parameters(SchemeType::bgv, degree, primes_of_product(degree, bits + 1), 1);
    EXPECT_THROW(Context(past, level, table), InvalidArgument);
    EXPECT_NO_THROW(Context(past, none, table));
    ++count;
  });
  EXPECT_GE(count, 25);
}

TEST(Security, KeysOverTooLargeAModulusAreRefused) {
  // The data primes are far below the limit for degree 8192; the modulus of the keys is not.
  const auto primes = CoeffModulus::create(8192, {60, 50, 50, 60});
  const auto data = ckks_of(8192, {primes[0], primes[1], primes[2]});
  EXPECT_NO_THROW(rlwe::validate_parameters(data, tc128, classical_2024));
  EXPECT_NO_THROW(rlwe::validate_parameters(
      keyed_parameters(SchemeType::ckks, 8192, data.coeff_modulus(), 0), tc128, classical_2024));
  expect_refusal([&] { const Context context(ckks_of(8192, primes)); }, "Context",
                 {"220 bits", "all 4 primes together", "214"});
  // Two special primes count as well.
  const auto hybrid = CoeffModulus::create(8192, {43, 43, 43, 43, 43});
  expect_refusal([&] { const Context context(keyed_parameters(SchemeType::bfv, 8192, hybrid, 2)); },
                 "Context", {"215 bits", "214"});
  const auto fitting = CoeffModulus::create(8192, {42, 43, 43, 43, 43});
  const Context context(keyed_parameters(SchemeType::bfv, 8192, fitting, 2));
  EXPECT_EQ(context.key_context_data()->total_coeff_modulus_bit_count(), 214);
  // Keys of an unchecked context do not fit one that passed the check.
  const Context unchecked(keyed_parameters(SchemeType::bfv, 8192, hybrid, 2), none);
  const KeyGenerator keys(unchecked);
  expect_refusal([&] { KeyGenerator(context, keys.secret_key()); }, "KeyGenerator",
                 {"secret key", to_string(context.key_parms_id()).substr(0, 16)});
}

TEST(Security, DegreesOutsideTheTableNeedNone) {
  for (const SecurityTable table : kTables) {
    for (const SecurityLevel level : kLevels) {
      for (const std::size_t degree : {2u, 512u}) {
        const auto parms = ckks(degree, {20});
        expect_refusal(
            [&] { Context(parms, level, table); }, "Context",
            {"degree = " + std::to_string(degree), to_string(level), to_string(table), "none"});
      }
    }
    EXPECT_EQ(Context(ckks(512, {20}), none, table).ring().degree(), 512u);
  }
  int empty = 0;
  for_each_cell([&](std::size_t degree, SecurityLevel level, SecurityTable table, int bits) {
    if (bits != 0) return;
    const auto parms = ckks(degree, {20});
    expect_refusal([&] { validate(parms, level, table); }, "Context",
                   {"degree = " + std::to_string(degree), to_string(table)});
    ++empty;
  });
  EXPECT_EQ(empty, 17);
}

int total_bits(const EncryptionParameters& parms) {
  const RnsBasis basis(parms.poly_modulus_degree(), parms.coeff_modulus());
  return basis.product_bit_count(basis.size());
}

TEST(ParameterSets, EveryEntryOfTheTablesOf2024GivesAContext) {
  int count = 0;
  for (const SecurityTable table : {classical_2024, quantum_2024}) {
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
          if (degree > 16384) continue;  // tables of transforms are slow to make
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
      const EncryptionParameters parms =
          keyed_parameters(SchemeType::bfv, degree, seal_default_primes(degree, level), 1);
      EXPECT_LE(total_bits(parms), max_modulus_bits(degree, level, he_standard_2018));
      EXPECT_GT(total_bits(parms), max_modulus_bits(degree, level)) << degree;
      if (degree > 8192) continue;
      EXPECT_THROW(Context(parms, level), InvalidArgument) << degree;
      EXPECT_NO_THROW(Context(parms, level, he_standard_2018)) << degree;
    }
  }
  EXPECT_EQ(seal_default_primes(4096).back().value(), 0x1ffffe0001u);
  EXPECT_THROW((void)seal_default_primes(512), InvalidArgument);
  EXPECT_THROW((void)seal_default_primes(65536), InvalidArgument);
  EXPECT_THROW((void)seal_default_primes(4096, none), InvalidArgument);
  EXPECT_THROW((void)default_parameters(SchemeType::none, 4096), InvalidArgument);
  EXPECT_THROW((void)default_parameters(SchemeType::bfv, 4096, none), InvalidArgument);
}

}  // namespace
}  // namespace ringlet::test
