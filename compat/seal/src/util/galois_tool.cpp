// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>

#include "native/bridge.hpp"
#include "ringlet/base/error.hpp"
#include "seal/util/common.h"
#include "seal/util/galois.h"
#include "seal/util/uintarithsmallmod.h"

namespace ringlet::seal4_util {
namespace {

/// The word of the operand for each word of the result in NTT form. Word i of a polynomial is its
/// value at w^(2*bit_reverse(i) + 1), so word i of the result is the value at that power to `elt`.
std::vector<std::uint32_t> ntt_permutation(std::uint32_t elt, int power) {
  std::vector<std::uint32_t> table(std::size_t{1} << power);
  const std::uint32_t mask = (std::uint32_t{2} << power) - 1;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const std::uint32_t exponent = elt * (2 * reverse_bits(i, power) + 1) & mask;
    table[i] = reverse_bits(exponent >> 1, power);
  }
  return table;
}

void permute(const std::uint64_t* operand, const std::vector<std::uint32_t>& table,
             std::uint64_t* result) {
  for (std::size_t i = 0; i < table.size(); ++i) result[i] = operand[table[i]];
}

}  // namespace

GaloisTool::GaloisTool(int coeff_count_power, seal4::MemoryPoolHandle pool)
    : coeff_count_power_(coeff_count_power) {
  seal4::detail::check_pool(pool, "GaloisTool");
  if (coeff_count_power < get_power_of_two(SEAL_POLY_MOD_DEGREE_MIN) ||
      coeff_count_power > get_power_of_two(SEAL_POLY_MOD_DEGREE_MAX)) {
    throw_invalid_argument({.operation = "GaloisTool",
                            .offending = "coeff_count_power = " + std::to_string(coeff_count_power),
                            .limit = "1 to 17",
                            .remedy = "pass the logarithm of the degree"});
  }
  coeff_count_ = std::uint32_t{1} << coeff_count_power;
}

void GaloisTool::check(const std::uint64_t* operand, const std::uint64_t* result,
                       std::uint32_t galois_elt) const {
  if (operand != nullptr && result != nullptr && operand != result && galois_elt % 2 == 1 &&
      galois_elt < 2 * coeff_count_) {
    return;
  }
  throw_invalid_argument(
      {.operation = "GaloisTool::apply_galois",
       .offending = "galois_elt = " + std::to_string(galois_elt) +
                    ", or an operand and result that are null or the same",
       .limit = "odd elements below " + std::to_string(2 * coeff_count_) + ", and two buffers",
       .remedy = "take elements from get_elt_from_step, and another result"});
}

void GaloisTool::check_degree(std::size_t operand, std::size_t result) const {
  if (operand == coeff_count_ && result == coeff_count_) return;
  throw_invalid_argument(
      {.operation = "GaloisTool::apply_galois",
       .offending = "degrees " + std::to_string(operand) + " and " + std::to_string(result),
       .limit = "degree " + std::to_string(coeff_count_),
       .remedy = "pass polynomials of the degree of the tool"});
}

void GaloisTool::apply_galois(ConstCoeffIter operand, std::uint32_t galois_elt,
                              const Modulus& modulus, CoeffIter result) const {
  check(operand, result, galois_elt);
  // X^i becomes X^(i * elt), and X^N = -1.
  std::uint32_t exponent = 0;
  for (std::uint32_t i = 0; i < coeff_count_; ++i, exponent += galois_elt) {
    const bool is_negated = (exponent & coeff_count_) != 0;
    const std::uint64_t word = operand[i];
    result[exponent & (coeff_count_ - 1)] = is_negated ? negate_uint_mod(word, modulus) : word;
  }
}

void GaloisTool::apply_galois(ConstRNSIter operand, std::size_t coeff_modulus_size,
                              std::uint32_t galois_elt, ConstModulusIter modulus,
                              RNSIter result) const {
  check_degree(operand.poly_modulus_degree(), result.poly_modulus_degree());
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    apply_galois(operand[i], galois_elt, modulus[i], result[i]);
  }
}

void GaloisTool::apply_galois(ConstPolyIter operand, std::size_t size, std::uint32_t galois_elt,
                              ConstModulusIter modulus, PolyIter result) const {
  for (std::size_t i = 0; i < size; ++i) {
    apply_galois(operand[i], result.coeff_modulus_size(), galois_elt, modulus, result[i]);
  }
}

void GaloisTool::apply_galois_ntt(ConstCoeffIter operand, std::uint32_t galois_elt,
                                  CoeffIter result) const {
  apply_galois_ntt(ConstRNSIter(operand, coeff_count_), 1, galois_elt,
                   RNSIter(result, coeff_count_));
}

void GaloisTool::apply_galois_ntt(ConstRNSIter operand, std::size_t coeff_modulus_size,
                                  std::uint32_t galois_elt, RNSIter result) const {
  apply_galois_ntt(ConstPolyIter(*operand, operand.poly_modulus_degree(), coeff_modulus_size), 1,
                   galois_elt, PolyIter(*result, result.poly_modulus_degree(), coeff_modulus_size));
}

void GaloisTool::apply_galois_ntt(ConstPolyIter operand, std::size_t size, std::uint32_t galois_elt,
                                  PolyIter result) const {
  check(operand, result, galois_elt);
  check_degree(operand.poly_modulus_degree(), result.poly_modulus_degree());
  const std::vector<std::uint32_t> table = ntt_permutation(galois_elt, coeff_count_power_);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < result.coeff_modulus_size(); ++j) {
      permute(operand[i][j], table, result[i][j]);
    }
  }
}

std::uint32_t GaloisTool::get_elt_from_step(int step) const {
  const std::uint32_t mask = 2 * coeff_count_ - 1;
  if (step == 0) return mask;
  const std::int64_t row_size = coeff_count_ / 2;
  if (std::abs(std::int64_t{step}) >= row_size) {
    throw_invalid_argument({.operation = "GaloisTool::get_elt_from_step",
                            .offending = "step = " + std::to_string(step),
                            .limit = "|step| < N/2 = " + std::to_string(row_size),
                            .remedy = "reduce the step modulo the number of slots in a row"});
  }
  // 3 has order N/2 modulo 2N.
  const std::int64_t exponent = step < 0 ? row_size + step : step;
  std::uint32_t result = 1;
  for (std::int64_t i = 0; i < exponent; ++i) result = 3 * result & mask;
  return result;
}

std::vector<std::uint32_t> GaloisTool::get_elts_from_steps(const std::vector<int>& steps) const {
  std::vector<std::uint32_t> elements;
  elements.reserve(steps.size());
  for (const int step : steps) elements.push_back(get_elt_from_step(step));
  return elements;
}

std::vector<std::uint32_t> GaloisTool::get_elts_all() const {
  std::vector<std::uint32_t> elements{get_elt_from_step(0)};
  for (int step = 1; step < static_cast<int>(coeff_count_ / 2); step *= 2) {
    elements.push_back(get_elt_from_step(step));
    elements.push_back(get_elt_from_step(-step));
  }
  return elements;
}

std::size_t GaloisTool::GetIndexFromElt(std::uint32_t galois_elt) {
  if (galois_elt % 2 == 0) {
    throw_invalid_argument({.operation = "GaloisTool::GetIndexFromElt",
                            .offending = "galois_elt = " + std::to_string(galois_elt),
                            .limit = "odd elements",
                            .remedy = "take elements from get_elt_from_step"});
  }
  return galois_elt / 2;
}

}  // namespace ringlet::seal4_util
