// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/ring_search.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/cyclotomic/index_arithmetic.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/ring/cyclotomic.hpp"
#include "ringlet/rlwe/security.hpp"

namespace ringlet {
namespace {

constexpr std::uint64_t kMinIndex = 3;
constexpr std::size_t kMaxSearchDegree = 32768;

void check_prime(std::uint64_t p) {
  if (is_prime(p)) return;
  refuse(concat("prime = ", p), "a prime",
         "pass a prime, such as 2 for bits: batching works modulo primes");
}

[[noreturn]] void refuse_index(std::uint64_t index, std::uint64_t p) {
  const bool is_index = index >= kMinIndex && index <= kMaxCyclotomicIndex;
  const bool is_double = p == 2 && index % 4 == 2 && index / 2 >= kMinIndex;
  refuse(concat("index = ", index),
         is_index
             ? concat("an index that ", p,
                      " does not divide: Phi_m has repeated factors modulo a prime divisor of m")
             : concat(kMinIndex, " to ", kMaxCyclotomicIndex),
         is_index && is_double ? concat("pass ", index / 2, ", which is the same ring")
                               : "choose another index, or find one with search_rings");
}

struct Shape {
  std::size_t weight;
  std::int32_t max_coefficient;
};

// Phi_m has the coefficients of Phi_r, r the product of the odd primes of m, up to signs.
class Shapes {
 public:
  Shape of(std::uint64_t odd_radical) {
    if (odd_radical == 1) return {.weight = 2, .max_coefficient = 1};
    const auto [entry, is_new] = shapes_.try_emplace(odd_radical);
    if (is_new) {
      const CyclotomicPolynomial polynomial(odd_radical);
      entry->second = {.weight = polynomial.weight(),
                       .max_coefficient = polynomial.max_coefficient()};
    }
    return entry->second;
  }

 private:
  std::map<std::uint64_t, Shape> shapes_;
};

// phi(m) and rad(m) of all m up to the largest index.
struct Sieve {
  Sieve() : phi(kMaxCyclotomicIndex + 1), radical(kMaxCyclotomicIndex + 1, 1) {
    std::iota(phi.begin(), phi.end(), 0u);
    for (std::uint32_t p = 2; p <= kMaxCyclotomicIndex; ++p) {
      if (phi[p] != p) continue;
      for (std::size_t m = p; m <= kMaxCyclotomicIndex; m += p) {
        phi[m] -= phi[m] / p;
        radical[m] *= p;
      }
    }
  }

  std::vector<std::uint32_t> phi;
  std::vector<std::uint32_t> radical;
};

void check_search(const RingSearch& search) {
  check_prime(search.prime);
  if (search.max_degree >= 1 && search.max_degree <= kMaxSearchDegree) return;
  refuse(concat("max_degree = ", search.max_degree), concat("1 to ", kMaxSearchDegree),
         "choose a degree in this range");
}

bool has_degree(const RingSearch& search, std::size_t degree) {
  return degree >= search.min_degree && degree <= search.max_degree &&
         max_modulus_bits(degree) >= search.min_modulus_bits;
}

}  // namespace

RingProfile profile_ring(std::uint64_t index, std::uint64_t p) {
  public_entry("profile_ring", [&] {
    check_prime(p);
    if (index < kMinIndex || index > kMaxCyclotomicIndex || index % p == 0) refuse_index(index, p);
  });
  const CyclotomicPolynomial polynomial(index);
  const std::size_t slot_degree = multiplicative_order(p % index, index);
  return {.index = index,
          .degree = polynomial.degree(),
          .slot_count = polynomial.degree() / slot_degree,
          .slot_degree = slot_degree,
          .stride = polynomial.stride(),
          .weight = polynomial.weight(),
          .max_coefficient = polynomial.max_coefficient()};
}

// A degree up to 32768 has indices up to 170,170 only: m / phi(m) is at most that of 30030 there.
std::vector<RingProfile> search_rings(const RingSearch& search) {
  public_entry("search_rings", [&] { check_search(search); });
  const Sieve sieve;
  Shapes shapes;
  std::vector<RingProfile> found;
  for (std::uint64_t m = kMinIndex; m <= kMaxCyclotomicIndex; ++m) {
    const std::size_t degree = sieve.phi[m];
    const std::size_t stride = m / sieve.radical[m];
    if (m % 4 == 2 || m % search.prime == 0 || !has_degree(search, degree)) continue;
    if (stride < search.min_stride || search.min_slots > degree) continue;
    const std::size_t slot_degree = multiplicative_order(search.prime % m, m);
    if (degree / slot_degree < search.min_slots) continue;
    const std::uint64_t radical = sieve.radical[m];
    const Shape shape = shapes.of(radical % 2 == 0 ? radical / 2 : radical);
    if (search.max_weight != 0 && shape.weight > search.max_weight) continue;
    found.push_back({.index = m,
                     .degree = degree,
                     .slot_count = degree / slot_degree,
                     .slot_degree = slot_degree,
                     .stride = stride,
                     .weight = shape.weight,
                     .max_coefficient = shape.max_coefficient});
  }
  std::ranges::sort(found, {}, [](const RingProfile& ring) {
    return std::tuple(ring.degree, ring.weight, ring.index);
  });
  return found;
}

}  // namespace ringlet
