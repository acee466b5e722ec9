// SPDX-License-Identifier: Apache-2.0
#include "ringlet/security.hpp"

#include "ringlet/primes.hpp"
#include "rlwe/validation.hpp"
#include "rlwe_support.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using enum SecurityLevel;
using enum SecurityTable;

constexpr std::array kLevels = {tc128, tc192, tc256};
constexpr std::array kTables = {classical_2024, quantum_2024, he_standard_2018,
                                he_standard_2018_quantum};

/// One row of a published table: 0 where it has no entry.
struct Row {
  std::size_t degree;
  SecurityTable table;
  std::array<int, 3> bits;  ///< 128, 192 and 256 bits of security.
};

// Albrecht et al., 2018, both tables for ternary secrets; Bossuat et al., IACR ePrint 2024/463.
constexpr Row kPublished[] = {
    {1024, he_standard_2018, {27, 19, 14}},
    {1024, he_standard_2018_quantum, {25, 17, 13}},
    {1024, classical_2024, {26, 0, 0}},
    {1024, quantum_2024, {20, 0, 0}},
    {2048, he_standard_2018, {54, 37, 29}},
    {2048, he_standard_2018_quantum, {51, 35, 27}},
    {2048, classical_2024, {53, 36, 27}},
    {2048, quantum_2024, {40, 29, 22}},
    {4096, he_standard_2018, {109, 75, 58}},
    {4096, he_standard_2018_quantum, {101, 70, 54}},
    {4096, classical_2024, {106, 73, 56}},
    {4096, quantum_2024, {80, 59, 47}},
    {8192, he_standard_2018, {218, 152, 118}},
    {8192, he_standard_2018_quantum, {202, 141, 109}},
    {8192, classical_2024, {214, 147, 114}},
    {8192, quantum_2024, {161, 119, 95}},
    {16384, he_standard_2018, {438, 305, 237}},
    {16384, he_standard_2018_quantum, {411, 284, 220}},
    {16384, classical_2024, {430, 297, 230}},
    {16384, quantum_2024, {322, 239, 192}},
    {32768, he_standard_2018, {881, 611, 476}},
    {32768, he_standard_2018_quantum, {827, 571, 443}},
    {32768, classical_2024, {868, 597, 462}},
    {32768, quantum_2024, {644, 479, 385}},
    {65536, he_standard_2018, {0, 0, 0}},
    {65536, he_standard_2018_quantum, {0, 0, 0}},
    {65536, classical_2024, {1747, 1199, 929}},
    {65536, quantum_2024, {1289, 959, 773}},
    {131072, he_standard_2018, {0, 0, 0}},
    {131072, he_standard_2018_quantum, {0, 0, 0}},
    {131072, classical_2024, {3523, 2411, 1866}},
    {131072, quantum_2024, {2578, 1920, 0}},
};

/// Calls f(degree, level, table, bits) for every cell.
template <typename Call>
void for_each_cell(Call&& f) {
  for (const Row& row : kPublished) {
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
      f(row.degree, kLevels[i], row.table, row.bits[i]);
    }
  }
}

// Distinct primes whose product has exactly `bits` bits; none where there are no such primes.
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

// The last primes are special ones, if there are several.
EncryptionParameters parameters_of(SchemeType scheme, std::size_t degree,
                                   std::vector<Modulus> primes, std::size_t special_count) {
  special_count = std::min(special_count, primes.size() - 1);
  std::vector<Modulus> special(primes.end() - static_cast<std::ptrdiff_t>(special_count),
                               primes.end());
  primes.erase(primes.end() - static_cast<std::ptrdiff_t>(special_count), primes.end());
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(degree);
  parms.set_coeff_modulus(std::move(primes), std::move(special));
  parms.set_digit_size(1);
  if (scheme != SchemeType::ckks) parms.set_plain_modulus(Modulus(257));
  return parms;
}

void expect_too_large(const EncryptionParameters& parms, SecurityLevel level, SecurityTable table,
                      int bits) {
  expect_refusal(
      [&] { rlwe::validate_parameters(parms, level, table); }, "Context",
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
  for (const SecurityTable table : kTables) {
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
      std::vector<Row> rows;
      for (const Row& row : kPublished) {
        if (row.table == table && row.bits[i] != 0) rows.push_back(row);
      }
      ASSERT_GE(rows.size(), 2u);
      for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
        const std::size_t width = rows[r + 1].degree - rows[r].degree;
        const int height = rows[r + 1].bits[i] - rows[r].bits[i];
        for (const std::size_t step : {std::size_t{1}, width / 3, width / 2 + 1, width - 1}) {
          const double exact = rows[r].bits[i] + static_cast<double>(height) *
                                                     static_cast<double>(step) /
                                                     static_cast<double>(width);
          EXPECT_EQ(max_modulus_bits(rows[r].degree + step, kLevels[i], table),
                    static_cast<int>(std::floor(exact + 1e-9)))
              << rows[r].degree + step << " " << to_string(table);
          ++between;
        }
      }
      EXPECT_EQ(max_modulus_bits(rows.front().degree - 1, kLevels[i], table), 0);
      EXPECT_EQ(max_modulus_bits(rows.back().degree + 1, kLevels[i], table), 0);
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
          EXPECT_NO_THROW(
              rlwe::validate_parameters(parameters_of(scheme, degree, at, special), level, table));
        }
        ASSERT_FALSE(past.empty());
        expect_too_large(parameters_of(scheme, degree, past, special), level, table, bits);
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
    if (bits == 0 || degree > 4096) return;  // transforms of larger ones take their time
    const auto at = primes_of_product(degree, bits);
    if (at.empty()) return;
    const Context context(parameters_of(SchemeType::bgv, degree, at, 1), level, table);
    EXPECT_EQ(context.key_context_data()->total_coeff_modulus_bit_count(), bits);
    EXPECT_EQ(context.security_level(), level);
    EXPECT_EQ(context.security_table(), table);
    const auto past =
        parameters_of(SchemeType::bgv, degree, primes_of_product(degree, bits + 1), 1);
    EXPECT_THROW(Context(past, level, table), InvalidArgument);
    EXPECT_NO_THROW(Context(past, none, table));
    ++count;
  });
  EXPECT_GE(count, 25);
}

TEST(Security, KeysOverTooLargeAModulusAreRefused) {
  // The data primes fit 8192 by far: it is the modulus of the keys that does not.
  const auto primes = CoeffModulus::create(8192, {60, 50, 50, 60});
  const auto data = ckks_of(8192, {primes[0], primes[1], primes[2]});
  EXPECT_NO_THROW(rlwe::validate_parameters(data, tc128, classical_2024));
  EXPECT_NO_THROW(rlwe::validate_parameters(
      parameters_of(SchemeType::ckks, 8192, data.coeff_modulus(), 0), tc128, classical_2024));
  expect_refusal([&] { const Context context(ckks_of(8192, primes)); }, "Context",
                 {"220 bits", "all 4 primes together", "214"});
  // Two special primes count as well.
  const auto hybrid = CoeffModulus::create(8192, {43, 43, 43, 43, 43});
  expect_refusal([&] { const Context context(parameters_of(SchemeType::bfv, 8192, hybrid, 2)); },
                 "Context", {"215 bits", "214"});
  const auto fitting = CoeffModulus::create(8192, {42, 43, 43, 43, 43});
  const Context context(parameters_of(SchemeType::bfv, 8192, fitting, 2));
  EXPECT_EQ(context.key_context_data()->total_coeff_modulus_bit_count(), 214);
  // What a context refuses gets no keys: those of one made without a check do not fit this one.
  const Context unchecked(parameters_of(SchemeType::bfv, 8192, hybrid, 2), none);
  const KeyGenerator keys(unchecked);
  expect_refusal([&] { KeyGenerator(context, keys.secret_key()); }, "KeyGenerator",
                 {"secret key", to_string(context.key_parms_id())});
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
    expect_refusal([&] { rlwe::validate_parameters(parms, level, table); }, "Context",
                   {"degree = " + std::to_string(degree), to_string(table)});
    ++empty;
  });
  EXPECT_EQ(empty, 17);
}

}  // namespace
}  // namespace ringlet::test
