// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring_spec.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/text.hpp"
#include "ringlet/error.hpp"
#include "rlwe/validation.hpp"

namespace ringlet {
namespace {

// 3^exponent mod m for m a power of two.
std::uint64_t power_of_three(std::uint64_t exponent, std::uint64_t m) noexcept {
  std::uint64_t result = 1;
  std::uint64_t base = 3;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result & (m - 1);
}

}  // namespace

RingSpec RingSpec::power_of_two(std::size_t degree) {
  rlwe::check_degree(degree, "RingSpec::power_of_two");
  return RingSpec(RingKind::power_of_two_cyclotomic, degree);
}

std::uint64_t RingSpec::galois_element_from_step(int step) const {
  const auto distance = static_cast<std::uint64_t>(std::abs(std::int64_t{step}));
  const std::uint64_t count = rotation_count();
  if (distance >= count && step != 0) {
    throw_invalid_argument({.operation = "RingSpec::galois_element_from_step",
                            .offending = concat("step = ", step),
                            .limit = concat("|step| < N/2 = ", count),
                            .remedy = concat("reduce the step modulo ", count)});
  }
  if (step == 0) return conjugation_element();
  return power_of_three(step > 0 ? distance : count - distance, cyclotomic_index());
}

std::vector<std::uint64_t> RingSpec::default_galois_elements() const {
  std::vector<std::uint64_t> elements{conjugation_element()};
  for (std::uint64_t step = 1; step < rotation_count(); step *= 2) {
    elements.push_back(power_of_three(step, cyclotomic_index()));
    elements.push_back(power_of_three(rotation_count() - step, cyclotomic_index()));
  }
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return elements;
}

}  // namespace ringlet
