// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/cyclotomic/index_arithmetic.hpp"
#include "ring/cyclotomic/slots/small_field_polynomial.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/ring/cyclotomic_slots.hpp"

namespace ringlet {
namespace {

using small_field::Field;
using small_field::Poly;

constexpr std::uint64_t kMaxFactoredIndex = 16383;
constexpr std::uint64_t kMaxPrime = 255;

void check_arguments(std::uint64_t index, std::uint64_t p) {
  if (index < 3 || index > kMaxFactoredIndex) {
    refuse(concat("index m = ", index), concat("from 3 to ", kMaxFactoredIndex),
           "choose a smaller ring");
  }
  if (p > kMaxPrime || !is_prime(p) || index % p == 0) {
    refuse(concat("p = ", p, ", m = ", index),
           concat("a prime of at most ", kMaxPrime, " that does not divide m"),
           "divide m by the powers of p: modulo a divisor of m, factors repeat");
  }
}

// Finds one factor of degree d of Phi_m.
class FactorSplitter {
 public:
  FactorSplitter(const Field& field, const CyclotomicPolynomial& polynomial, std::size_t degree)
      : field_(field),
        index_(polynomial.index()),
        degree_(degree),
        was_seen_(polynomial.index(), false) {
    const auto p = static_cast<std::int32_t>(field.p());
    for (const std::int32_t c : polynomial.coefficients()) {
      factor_.push_back(static_cast<std::uint32_t>((c % p + p) % p));
    }
  }

  bool is_done() const { return factor_.size() == degree_ + 1; }
  const Poly& factor() const { return factor_; }

  /// Splits by the sum of X^i over i = p^e * j modulo m, in every slot an element of GF(p). Slots
  /// whose sum + c is a square part from the others; any two elements are parted by some c.
  void split(std::uint64_t j) {
    if (was_seen_[j]) return;
    Poly sum = field_.remainder(class_sum(j), factor_);
    for (std::uint32_t c = 0; c < field_.p() && sum.size() > 1 && !is_done(); ++c) {
      const Poly shifted = field_.add_constant(sum, c);
      // Modulo 2, the elements are 0 and 1 themselves.
      const Poly power =
          field_.p() == 2 ? shifted : field_.power_modulo(shifted, (field_.p() - 1) / 2, factor_);
      Poly common = field_.gcd(factor_, field_.add_constant(power, field_.p() - 1));
      if (common.size() < 2 || common.size() == factor_.size()) continue;
      Poly other = field_.quotient(factor_, common);
      factor_ = common.size() <= other.size() ? std::move(common) : std::move(other);
      sum = field_.remainder(std::move(sum), factor_);
    }
  }

 private:
  Poly class_sum(std::uint64_t j) {
    Poly sum(index_);
    for (; !was_seen_[j]; j = field_.p() * j % index_) {
      sum[j] = 1;
      was_seen_[j] = true;
    }
    field_.normalise(sum);
    return sum;
  }

  const Field& field_;
  std::uint64_t index_;
  std::size_t degree_;
  std::vector<bool> was_seen_;
  Poly factor_;
};

Poly some_factor(const Field& field, const CyclotomicPolynomial& polynomial, std::size_t degree) {
  const std::uint64_t m = polynomial.index();
  const std::uint64_t stride = polynomial.stride();
  FactorSplitter splitter(field, polynomial, degree);
  for (std::uint64_t j = stride; j < m && !splitter.is_done(); j += stride) splitter.split(j);
  for (std::uint64_t j = 1; j < m && !splitter.is_done(); ++j) splitter.split(j);
  return splitter.factor();
}

// Returns one unit of each class modulo the powers of p.
std::vector<std::uint64_t> representatives(std::uint64_t m, std::uint64_t p) {
  std::vector<std::uint64_t> result;
  std::vector<bool> was_seen(m, false);
  for (std::uint64_t a = 1; a < m; ++a) {
    if (was_seen[a] || std::gcd(a, m) != 1) continue;
    result.push_back(a);
    for (std::uint64_t b = a; !was_seen[b]; b = p * b % m) was_seen[b] = true;
  }
  return result;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> factor_cyclotomic(std::uint64_t index, std::uint64_t p) {
  public_entry("factor_cyclotomic", [&] { check_arguments(index, p); });
  const Field field(static_cast<std::uint32_t>(p));
  const CyclotomicPolynomial polynomial(index);
  const auto degree = static_cast<std::size_t>(multiplicative_order(p, index));
  const Poly first = some_factor(field, polynomial, degree);
  if (degree == polynomial.degree()) return {{first.begin(), first.end()}};
  const auto sums = field.power_sums(first, index);
  std::vector<Poly> factors;
  std::vector<std::uint32_t> sequence(2 * degree);
  for (const std::uint64_t g : representatives(index, p)) {
    for (std::size_t j = 0; j < sequence.size(); ++j) sequence[j] = sums[g * j % index];
    factors.push_back(field.minimal_relation(sequence));
  }
  std::ranges::sort(factors, [](const Poly& a, const Poly& b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  });
  std::vector<std::vector<std::uint8_t>> result;
  for (const Poly& factor : factors) result.emplace_back(factor.begin(), factor.end());
  return result;
}

}  // namespace ringlet
