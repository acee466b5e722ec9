// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>

#include "ringlet/base/error.hpp"
#include "seal/util/common.h"
#include "seal/util/galois.h"

namespace ringlet::seal4_util {

GaloisTool::GaloisTool(int coeff_count_power) {
  if (coeff_count_power < get_power_of_two(SEAL_POLY_MOD_DEGREE_MIN) ||
      coeff_count_power > get_power_of_two(SEAL_POLY_MOD_DEGREE_MAX)) {
    throw_invalid_argument({.operation = "GaloisTool",
                            .offending = "coeff_count_power = " + std::to_string(coeff_count_power),
                            .limit = "1 to 17",
                            .remedy = "pass the logarithm of the degree"});
  }
  coeff_count_ = std::uint32_t{1} << coeff_count_power;
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
