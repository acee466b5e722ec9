// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <string>
#include <vector>

#include "ringlet/base/error.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "seal/util/common.h"
#include "seal/util/ntt.h"

namespace ringlet::seal4_util {
namespace {

using Powers = std::vector<MultiplyUIntModOperand>;

void check_tables(int power, const seal4::MemoryPoolHandle& pool) {
  if (power < get_power_of_two(SEAL_POLY_MOD_DEGREE_MIN) ||
      power > get_power_of_two(SEAL_POLY_MOD_DEGREE_MAX)) {
    throw_invalid_argument({.operation = "NTTTables",
                            .offending = "coeff_count_power = " + std::to_string(power),
                            .limit = "1 to 17",
                            .remedy = "pass the logarithm of the degree"});
  }
  if (!pool) {
    throw_invalid_argument({.operation = "NTTTables",
                            .offending = "a handle without a pool",
                            .limit = "a pool",
                            .remedy = "pass MemoryManager::GetPool()"});
  }
}

Ntt make_plan(int power, const Modulus& modulus, const seal4::MemoryPoolHandle& pool) {
  check_tables(power, pool);
  return {std::size_t{1} << power, ringlet::Modulus(modulus.value())};
}

MultiplyUIntModOperand inverse_of(std::uint64_t value, const Modulus& prime) {
  MultiplyUIntModOperand result;
  if (try_invert_uint_mod(value, prime, result.operand)) result.set_quotient(prime);
  return result;
}

/// Returns 2^power entries: entry 0 is 1, and entry place(i) is base^i for the other i.
template <class Place>
Powers powers_of(std::uint64_t base, int power, const Modulus& prime, Place place) {
  Powers powers(std::size_t{1} << power);
  powers[0].set(1, prime);
  std::uint64_t next = base;
  for (std::size_t i = 1; i < powers.size(); ++i, next = multiply_uint_mod(next, base, prime)) {
    powers[place(i)].set(next, prime);
  }
  return powers;
}

const MultiplyUIntModOperand& entry(const MultiplyUIntModOperand* powers, std::size_t index,
                                    std::size_t count) {
  if (index < count) return powers[index];
  throw_out_of_range({.operation = "NTTTables::get_from_root_powers",
                      .offending = "index = " + std::to_string(index),
                      .limit = "below coeff_count = " + std::to_string(count),
                      .remedy = "pass the place of a power"});
}

}  // namespace

struct NTTTables::Plan {
  Ntt ntt;
  std::once_flag made{};
  Powers powers{};
  Powers inverse_powers{};

  /// Makes the powers, of which transforms have their own, at the first request.
  const Plan& with_powers(int power, const Modulus& prime) {
    std::call_once(made, [&] {
      const std::uint64_t root = ntt.root_of_unity();
      Powers forward =
          powers_of(root, power, prime, [power](std::size_t i) { return reverse_bits(i, power); });
      inverse_powers = powers_of(inverse_of(root, prime).operand, power, prime,
                                 [power](std::size_t i) { return reverse_bits(i - 1, power) + 1; });
      powers = std::move(forward);
    });
    return *this;
  }
};

NTTTables::NTTTables(int coeff_count_power, const Modulus& modulus, seal4::MemoryPoolHandle pool)
    : power_(coeff_count_power),
      modulus_(modulus),
      plan_(new Plan{make_plan(coeff_count_power, modulus, pool)}) {
  inv_degree_modulo_ = inverse_of(coeff_count(), modulus_);
}

NTTTables::NTTTables(const NTTTables&) noexcept = default;
NTTTables& NTTTables::operator=(const NTTTables&) noexcept = default;
NTTTables::~NTTTables() = default;

std::uint64_t NTTTables::get_root() const noexcept { return plan_->ntt.root_of_unity(); }

const MultiplyUIntModOperand* NTTTables::get_from_root_powers() const {
  return plan_->with_powers(power_, modulus_).powers.data();
}

const MultiplyUIntModOperand* NTTTables::get_from_inv_root_powers() const {
  return plan_->with_powers(power_, modulus_).inverse_powers.data();
}

MultiplyUIntModOperand NTTTables::get_from_root_powers(std::size_t index) const {
  return entry(get_from_root_powers(), index, coeff_count());
}

MultiplyUIntModOperand NTTTables::get_from_inv_root_powers(std::size_t index) const {
  return entry(get_from_inv_root_powers(), index, coeff_count());
}

void CreateNTTTables(int coeff_count_power, const std::vector<Modulus>& modulus,
                     Pointer<NTTTables>& tables, seal4::MemoryPoolHandle pool) {
  check_tables(coeff_count_power, pool);
  if (modulus.empty()) {
    throw_invalid_argument({.operation = "CreateNTTTables",
                            .offending = "no moduli",
                            .limit = "at least 1 prime",
                            .remedy = "pass the primes"});
  }
  std::vector<NTTTables> made;
  for (const Modulus& prime : modulus) made.emplace_back(coeff_count_power, prime, pool);
  tables = allocate<NTTTables>(made.begin(), made.size(), pool);
}

void detail::check_transform(bool set, bool same_degree) {
  if (set && same_degree) return;
  throw_invalid_argument({.operation = "ntt_negacyclic_harvey or its inverse",
                          .offending = set ? "tables of another degree" : "a null iterator",
                          .limit = "a buffer of coeff_count words for each prime, and its tables",
                          .remedy = "pass polynomials and the tables of their parameters"});
}

/// Runs the plan of tables on words in place.
struct Transform {
  static void forward(CoeffIter operand, const NTTTables& tables, int output_factor) {
    detail::check_transform(static_cast<bool>(operand), true);
    const std::span<std::uint64_t> words(operand.ptr(), tables.coeff_count());
    tables.plan_->ntt.forward(words, words, 4, output_factor);
  }
  static void inverse(CoeffIter operand, const NTTTables& tables, int output_factor) {
    detail::check_transform(static_cast<bool>(operand), true);
    const std::span<std::uint64_t> words(operand.ptr(), tables.coeff_count());
    tables.plan_->ntt.inverse(words, words, 2, output_factor);
  }
};

void ntt_negacyclic_harvey_lazy(CoeffIter operand, const NTTTables& tables) {
  Transform::forward(operand, tables, 4);
}
void ntt_negacyclic_harvey(CoeffIter operand, const NTTTables& tables) {
  Transform::forward(operand, tables, 1);
}
void inverse_ntt_negacyclic_harvey_lazy(CoeffIter operand, const NTTTables& tables) {
  Transform::inverse(operand, tables, 2);
}
void inverse_ntt_negacyclic_harvey(CoeffIter operand, const NTTTables& tables) {
  Transform::inverse(operand, tables, 1);
}

}  // namespace ringlet::seal4_util
