// SPDX-License-Identifier: Apache-2.0
#include "seal/util/common.h"
#include "seal/util/ntt.h"
#include "seal/util/numth.h"
#include "support/reference/ntt_reference.hpp"
#include "unit/seal/thrown.hpp"

namespace ringlet::test {
namespace {

namespace transforms = ::seal::util;
using transforms::NTTTables;

TEST(SealTransforms, powers_of_the_root_in_their_order) {
  for (const int power : {1, 2, 3, 6, 10}) {
    const std::size_t n = std::size_t{1} << power;
    const ::seal::Modulus prime = transforms::get_prime(2 * n, 30);
    const NTTTables tables(power, prime);
    const NTTTables copy = tables;
    const transforms::MultiplyUIntModOperand* powers = copy.get_from_root_powers();
    EXPECT_EQ(tables.get_from_root_powers(), powers) << "copies share the powers";
    const std::uint64_t q = prime.value(), root = tables.get_root();
    EXPECT_EQ(tables.inv_degree_modulo().operand * n % q, 1u);
    EXPECT_EQ(tables.inv_degree_modulo().quotient,
              shoup_quotient(tables.inv_degree_modulo().operand, q));
    const auto expect_power = [&](const transforms::MultiplyUIntModOperand& entry,
                                  std::uint64_t exponent) {
      const std::uint64_t expected = pow_mod(root, exponent, q);
      EXPECT_EQ(entry.operand, expected) << exponent;
      EXPECT_EQ(entry.quotient, shoup_quotient(expected, q));
    };
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t place = bit_reverse(i, power);
      expect_power(powers[place], i);
      expect_power(tables.get_from_root_powers(place), i);
      const std::size_t inverse_place = i == 0 ? 0 : bit_reverse(i - 1, power) + 1;
      expect_power(tables.get_from_inv_root_powers()[inverse_place], (2 * n - i) % (2 * n));
      expect_power(tables.get_from_inv_root_powers(inverse_place), (2 * n - i) % (2 * n));
    }
    EXPECT_OUT_OF_RANGE(tables.get_from_root_powers(n));
    EXPECT_OUT_OF_RANGE(tables.get_from_inv_root_powers(n));
  }
}

TEST(SealTransforms, butterflies_with_the_powers_agree) {
  // The transforms as programs write them by hand, with the powers in the order of the tables.
  auto rng = make_rng();
  const int power = 5;
  const std::size_t n = std::size_t{1} << power;
  const ::seal::Modulus q = transforms::get_prime(2 * n, 61);
  const NTTTables tables(power, q);
  const Words coefficients = random_residues(n, q.value(), rng);
  Words values = coefficients, expected = coefficients;
  const transforms::MultiplyUIntModOperand* w = tables.get_from_root_powers();
  for (std::size_t gap = n / 2; gap > 0; gap /= 2) {
    for (std::size_t first = 0; first < n; first += 2 * gap) {
      ++w;
      for (std::size_t i = first; i < first + gap; ++i) {
        const std::uint64_t right = transforms::multiply_uint_mod(values[i + gap], *w, q);
        values[i + gap] = transforms::sub_uint_mod(values[i], right, q);
        values[i] = transforms::add_uint_mod(values[i], right, q);
      }
    }
  }
  transforms::ntt_negacyclic_harvey(expected.data(), tables);
  EXPECT_EQ(values, expected);

  w = tables.get_from_inv_root_powers();
  for (std::size_t gap = 1; gap < n; gap *= 2) {
    for (std::size_t first = 0; first < n; first += 2 * gap) {
      ++w;
      for (std::size_t i = first; i < first + gap; ++i) {
        const std::uint64_t difference = transforms::sub_uint_mod(values[i], values[i + gap], q);
        values[i] = transforms::add_uint_mod(values[i], values[i + gap], q);
        values[i + gap] = transforms::multiply_uint_mod(difference, *w, q);
      }
    }
  }
  for (std::uint64_t& value : values) {
    value = transforms::multiply_uint_mod(value, tables.inv_degree_modulo(), q);
  }
  EXPECT_EQ(values, coefficients);
}

TEST(SealTransforms, lazy_transforms_keep_their_ranges) {
  auto rng = make_rng();
  for (const int power : {1, 4, 12}) {
    const std::size_t n = std::size_t{1} << power;
    for (const int bits : {20, 49, 61}) {
      const ::seal::Modulus prime = transforms::get_prime(2 * n, bits);
      const std::uint64_t q = prime.value();
      const NTTTables tables(power, prime);
      for (const Words& operand : transform_operands(n, q, 4, rng)) {
        Words exact = reduced(operand, q), lazy = operand;
        transforms::ntt_negacyclic_harvey(exact.data(), tables);
        transforms::ntt_negacyclic_harvey_lazy(lazy.data(), tables);
        EXPECT_LT(*std::ranges::max_element(lazy), 4 * q);
        EXPECT_EQ(reduced(lazy, q), exact);
        const std::size_t i = rng() % n;
        EXPECT_EQ(exact[i], ntt_value(reduced(operand, q), i, tables.get_root(), q));
      }
      for (const Words& operand : transform_operands(n, q, 2, rng)) {
        Words exact = operand, lazy = operand;
        transforms::inverse_ntt_negacyclic_harvey(exact.data(), tables);
        transforms::inverse_ntt_negacyclic_harvey_lazy(lazy.data(), tables);
        EXPECT_LT(*std::ranges::max_element(lazy), 2 * q);
        EXPECT_EQ(reduced(lazy, q), exact);
        transforms::ntt_negacyclic_harvey(exact.data(), tables);
        EXPECT_EQ(exact, reduced(operand, q));
      }
    }
  }
}

/// The overloads of one transform.
struct Levels {
  void (*one)(transforms::CoeffIter, const NTTTables&);
  void (*primes)(transforms::RNSIter, std::size_t, transforms::ConstNTTTablesIter);
  void (*polys)(transforms::PolyIter, std::size_t, transforms::ConstNTTTablesIter);
};

TEST(SealTransforms, primes_and_polynomials_one_by_one) {
  using namespace ::seal::util;
  const Levels levels[] = {
      {ntt_negacyclic_harvey, ntt_negacyclic_harvey, ntt_negacyclic_harvey},
      {ntt_negacyclic_harvey_lazy, ntt_negacyclic_harvey_lazy, ntt_negacyclic_harvey_lazy},
      {inverse_ntt_negacyclic_harvey, inverse_ntt_negacyclic_harvey, inverse_ntt_negacyclic_harvey},
      {inverse_ntt_negacyclic_harvey_lazy, inverse_ntt_negacyclic_harvey_lazy,
       inverse_ntt_negacyclic_harvey_lazy},
  };
  constexpr std::size_t kN = 16, kCount = 3, kSize = 2;
  const std::vector<::seal::Modulus> primes = get_primes(2 * kN, 40, kCount);
  Pointer<NTTTables> tables;
  CreateNTTTables(4, primes, tables, ::seal::MemoryManager::GetPool());
  auto rng = make_rng();
  for (const Levels& level : levels) {
    const Words words = random_residues(kN * kCount * kSize, primes.back().value(), rng);
    Words expected = words, by_primes = words, by_polys = words;
    for (std::size_t i = 0; i < kCount * kSize; ++i) {
      EXPECT_EQ(tables[i % kCount].modulus(), primes[i % kCount]);
      level.one(expected.data() + i * kN, NTTTables(4, primes[i % kCount]));
    }
    for (std::size_t i = 0; i < kSize; ++i) {
      level.primes(RNSIter(by_primes.data() + i * kCount * kN, kN), kCount, tables);
    }
    level.polys(PolyIter(by_polys.data(), kN, kCount), kSize, tables);
    EXPECT_EQ(by_primes, expected);
    EXPECT_EQ(by_polys, expected);
    EXPECT_INVALID_ARGUMENT(level.one(CoeffIter(), tables[0]));
    EXPECT_INVALID_ARGUMENT(level.primes(RNSIter(), 1, tables));
    EXPECT_INVALID_ARGUMENT(level.primes(RNSIter(by_primes.data(), kN), 1, ConstNTTTablesIter()));
    EXPECT_INVALID_ARGUMENT(level.primes(RNSIter(by_primes.data(), 2 * kN), 1, tables));
    EXPECT_INVALID_ARGUMENT(level.polys(PolyIter(), 1, tables));
  }
}

TEST(SealTransforms, tables_that_cannot_be_made) {
  const ::seal::MemoryPoolHandle pool = ::seal::MemoryManager::GetPool(), none;
  transforms::Pointer<NTTTables> tables;
  EXPECT_INVALID_ARGUMENT(NTTTables(3, 17, none));
  EXPECT_INVALID_ARGUMENT(transforms::CreateNTTTables(3, {}, tables, pool));
  EXPECT_INVALID_ARGUMENT(transforms::CreateNTTTables(3, {17}, tables, none));
  EXPECT_INVALID_ARGUMENT(transforms::CreateNTTTables(3, {17, 19}, tables, pool));
  EXPECT_FALSE(tables);
}

}  // namespace
}  // namespace ringlet::test
