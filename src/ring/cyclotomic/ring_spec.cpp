// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/ring_spec.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <span>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/cyclotomic/index_arithmetic.hpp"
#include "ring/cyclotomic/ring_degree.hpp"
#include "ringlet/ring/cyclotomic.hpp"

namespace ringlet {
namespace {

std::uint64_t power(std::uint64_t base, std::uint64_t exponent, std::uint64_t m) noexcept {
  std::uint64_t result = 1;  // m is below 2^32: products fit
  for (; exponent != 0; exponent >>= 1) {
    if (exponent % 2 == 1) result = result * base % m;
    base = base * base % m;
  }
  return result;
}

/// A prime power that divides a number exactly.
struct PrimePower {
  std::uint64_t prime;
  std::uint64_t value;
};

std::vector<PrimePower> prime_powers(std::uint64_t number) {
  std::vector<PrimePower> result;
  for (const std::uint64_t p : prime_divisors(number)) {
    std::uint64_t value = p;
    while (number / value % p == 0) value *= p;
    result.push_back({p, value});
  }
  return result;
}

/// A generator of a cyclic group of units, and its order.
struct UnitGenerator {
  std::uint64_t element;
  std::uint64_t order;
};

UnitGenerator generator_modulo(const PrimePower& factor) {
  const auto [prime, value] = factor;
  if (prime == 2) return {3 % value, std::max<std::uint64_t>(value / 4, 2)};
  const std::uint64_t order = value / prime * (prime - 1);
  const std::vector<std::uint32_t> divisors = prime_divisors(order);
  for (std::uint64_t g = 2;; ++g) {
    if (g % prime == 0) continue;
    if (std::ranges::all_of(divisors, [&](std::uint32_t divisor) {
          return power(g, order / divisor, value) != 1;
        })) {
      return {g, order};
    }
  }
}

// Returns the residue that is `element` modulo `value` and 1 modulo the rest of m.
std::uint64_t lift(std::uint64_t element, std::uint64_t value, std::uint64_t m) noexcept {
  const std::uint64_t rest = m / value;
  while (element % rest != 1 % rest) element += value;
  return element;
}

void refuse_index(std::uint64_t index) {
  throw_invalid_argument(
      {.operation = "RingSpec::cyclotomic",
       .offending = concat("index = ", index),
       .limit =
           concat("from 3 to ", kMaxGeneralRingIndex, ", twice an odd number of this range, or ",
                  "a power of two from 4 to ", 2 * kMaxPolyModulusDegree),
       .remedy = "find a ring with search_rings, or take X^N + 1 with a power of two"});
}

void sort_without_repetition(std::vector<std::uint64_t>& elements) {
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
}

}  // namespace

void check_power_of_two_degree(std::size_t degree) {
  if (std::has_single_bit(degree) && degree >= 2 && degree <= kMaxPolyModulusDegree) return;
  refuse(concat("degree = ", degree), concat("powers of two from 2 to ", kMaxPolyModulusDegree),
         "choose a power of two such as 8192");
}

RingSpec RingSpec::power_of_two(std::size_t degree) {
  public_entry("RingSpec::power_of_two", [&] { check_power_of_two_degree(degree); });
  return RingSpec(RingKind::power_of_two_cyclotomic, degree, 2 * std::uint64_t{degree}, degree);
}

RingSpec RingSpec::cyclotomic(std::uint64_t index) {
  if (std::has_single_bit(index)) {
    if (index < 4 || index > 2 * kMaxPolyModulusDegree) refuse_index(index);
    return power_of_two(static_cast<std::size_t>(index / 2));
  }
  const std::uint64_t m = index % 4 == 2 ? index / 2 : index;
  if (m < 3 || m > kMaxGeneralRingIndex) refuse_index(index);
  return RingSpec(RingKind::cyclotomic, euler_phi(m), m,
                  ringlet::expansion_factor(CyclotomicPolynomial(m)));
}

std::uint64_t RingSpec::galois_element_from_step(int step) const {
  return public_entry("RingSpec::galois_element_from_step", [&] {
    if (!is_power_of_two()) {
      refuse(concat("a ring Z[X]/Phi_m with m = ", index_),
             "rings X^N + 1: slots of others form a hypercube",
             "pass the Galois element of a rotation of the slots");
    }
    const auto distance = static_cast<std::uint64_t>(std::abs(std::int64_t{step}));
    const std::uint64_t count = rotation_count();
    if (step == 0) return conjugation_element();
    if (distance >= count) {
      refuse(concat("step = ", step), concat("|step| < N/2 = ", count),
             concat("reduce the step modulo ", count));
    }
    return power(3, step > 0 ? distance : count - distance, index_);
  });
}

std::vector<std::uint64_t> RingSpec::default_galois_elements() const {
  std::vector<std::uint64_t> elements{conjugation_element()};
  if (is_power_of_two()) {
    for (std::uint64_t step = 1; step < rotation_count(); step *= 2) {
      elements.push_back(power(3, step, index_));
      elements.push_back(power(3, rotation_count() - step, index_));
    }
  } else {
    for (const PrimePower& factor : prime_powers(index_)) {
      const UnitGenerator generator = generator_modulo(factor);
      const std::uint64_t g = lift(generator.element, factor.value, index_);
      for (std::uint64_t step = 1; step < generator.order; step *= 2) {
        elements.push_back(power(g, step, index_));
      }
      if (factor.prime == 2) elements.push_back(lift(factor.value - 1, factor.value, index_));
    }
  }
  sort_without_repetition(elements);
  return elements;
}

}  // namespace ringlet
