// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "ringlet/base/error.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "seal/util/common.h"
#include "seal/util/ntt.h"

namespace ringlet::seal4_util {
namespace {

Ntt make_plan(int power, const Modulus& modulus) {
  if (power < get_power_of_two(SEAL_POLY_MOD_DEGREE_MIN) ||
      power > get_power_of_two(SEAL_POLY_MOD_DEGREE_MAX)) {
    throw_invalid_argument({.operation = "NTTTables",
                            .offending = "coeff_count_power = " + std::to_string(power),
                            .limit = "1 to 17",
                            .remedy = "pass the logarithm of the degree"});
  }
  return {std::size_t{1} << power, ringlet::Modulus(modulus.value())};
}

void check_operand(const char* operation, const std::uint64_t* operand) {
  if (operand != nullptr) return;
  throw_invalid_argument({.operation = operation,
                          .offending = "operand is null",
                          .limit = "a buffer of coeff_count words",
                          .remedy = "pass a polynomial"});
}

}  // namespace

struct NTTTables::Plan {
  Ntt ntt;
};

NTTTables::NTTTables(int coeff_count_power, const Modulus& modulus)
    : power_(coeff_count_power),
      modulus_(modulus),
      plan_(std::make_shared<const Plan>(Plan{make_plan(coeff_count_power, modulus)})) {}

NTTTables::NTTTables(const NTTTables&) noexcept = default;
NTTTables& NTTTables::operator=(const NTTTables&) noexcept = default;
NTTTables::~NTTTables() = default;

std::uint64_t NTTTables::get_root() const noexcept { return plan_->ntt.root_of_unity(); }

void ntt_negacyclic_harvey(std::uint64_t* operand, const NTTTables& tables) {
  check_operand("ntt_negacyclic_harvey", operand);
  const std::span<std::uint64_t> words(operand, tables.coeff_count());
  tables.plan_->ntt.forward(words, words, 4, 1);
}

void inverse_ntt_negacyclic_harvey(std::uint64_t* operand, const NTTTables& tables) {
  check_operand("inverse_ntt_negacyclic_harvey", operand);
  const std::span<std::uint64_t> words(operand, tables.coeff_count());
  tables.plan_->ntt.inverse(words, words, 2, 1);
}

}  // namespace ringlet::seal4_util
