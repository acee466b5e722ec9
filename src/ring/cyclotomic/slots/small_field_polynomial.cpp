// SPDX-License-Identifier: Apache-2.0
#include "ring/cyclotomic/slots/small_field_polynomial.hpp"

#include <algorithm>
#include <utility>

namespace ringlet::small_field {

Field::Field(std::uint32_t p) : p_(p), inverses_(p) {
  inverses_[1] = 1;
  // p = (p/a)*a + p%a, divided by a and by p%a.
  for (std::uint32_t a = 2; a < p; ++a) inverses_[a] = (p - p / a) * inverses_[p % a] % p;
}

void Field::normalise(Poly& a) const {
  for (std::uint32_t& c : a) c %= p_;
  while (!a.empty() && a.back() == 0) a.pop_back();
}

Poly Field::make_monic(Poly a) const {
  const std::uint32_t factor = inverse(a.back());
  for (std::uint32_t& c : a) c = c * factor % p_;
  return a;
}

Poly Field::divide(Poly& a, const Poly& f) const {
  const std::size_t degree = f.size() - 1;
  if (a.size() <= degree) return {};
  Poly result(a.size() - degree);
  // Each step adds less than p^2 to a coefficient: at most kMaxLength times 2^16.
  for (std::size_t i = result.size(); i-- > 0;) {
    result[i] = a[i + degree] % p_;
    const std::uint32_t factor = p_ - result[i];
    for (std::size_t j = 0; j < degree; ++j) a[i + j] += factor * f[j];
  }
  a.resize(degree);
  normalise(a);
  return result;
}

Poly Field::multiply_modulo(const Poly& a, const Poly& b, const Poly& f) const {
  if (a.empty() || b.empty()) return {};
  Poly product(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  normalise(product);
  return remainder(std::move(product), f);
}

Poly Field::power_modulo(const Poly& a, std::uint32_t exponent, const Poly& f) const {
  Poly square = remainder(a, f);
  Poly result{1};
  for (; exponent != 0; exponent /= 2) {
    if (exponent % 2 != 0) result = multiply_modulo(result, square, f);
    if (exponent > 1) square = multiply_modulo(square, square, f);
  }
  return result;
}

Poly Field::gcd(Poly a, Poly b) const {
  while (!b.empty()) {
    b = make_monic(std::move(b));
    a = remainder(std::move(a), b);
    std::swap(a, b);
  }
  return a.empty() ? a : make_monic(std::move(a));
}

Poly Field::add_constant(Poly a, std::uint32_t c) const {
  if (a.empty()) a.push_back(0);
  a[0] += c;
  normalise(a);
  return a;
}

std::vector<std::uint32_t> Field::power_sums(const Poly& f, std::size_t count) const {
  const std::size_t degree = f.size() - 1;
  // The long division of f' by f gives the series term by term.
  Poly rest(degree + 1);
  for (std::size_t i = 0; i < degree; ++i) {
    rest[i] = static_cast<std::uint32_t>((i + 1) % p_) * f[i + 1] % p_;
  }
  std::vector<std::uint32_t> sums(count);
  for (std::uint32_t& sum : sums) {
    std::shift_right(rest.begin(), rest.end(), 1);
    rest[0] = 0;
    sum = rest[degree];
    const std::uint32_t factor = p_ - sum;
    for (std::size_t i = 0; i <= degree; ++i) rest[i] = (rest[i] + factor * f[i]) % p_;
  }
  return sums;
}

Poly Field::minimal_relation(std::span<const std::uint32_t> sequence) const {
  Poly relation{1};
  Poly former{1};
  std::size_t degree = 0;
  std::size_t since = 1;
  std::uint32_t former_discrepancy = 1;
  for (std::size_t i = 0; i < sequence.size(); ++i, ++since) {
    std::uint32_t discrepancy = 0;
    for (std::size_t j = 0; j < relation.size() && j <= i; ++j) {
      discrepancy = (discrepancy + relation[j] * sequence[i - j]) % p_;
    }
    if (discrepancy == 0) continue;
    Poly kept = relation;
    const std::uint32_t factor = discrepancy * inverse(former_discrepancy) % p_;
    relation.resize(std::max(relation.size(), former.size() + since));
    for (std::size_t j = 0; j < former.size(); ++j) {
      relation[since + j] = (relation[since + j] + (p_ - factor) * former[j]) % p_;
    }
    if (2 * degree > i) continue;
    former = std::move(kept);
    former_discrepancy = discrepancy;
    since = 0;
    degree = i + 1 - degree;
  }
  // The delay of j places turns into X^(d - j).
  relation.resize(degree + 1);
  std::ranges::reverse(relation);
  return relation;
}

}  // namespace ringlet::small_field
