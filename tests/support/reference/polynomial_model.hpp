// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/circuits/declared_circuit.hpp"
#include "support/reference/flint_poly.hpp"

namespace ringlet::test {

/// Counts the operations of a polynomial from the indices of its nonzero coefficients, none a small
/// integer: docs/circuits.md as arithmetic on sets, without circuits and plans.
class PolynomialModel {
 public:
  using Places = std::vector<bool>;

  PolynomialModel(const Places& places, bool is_chebyshev, std::size_t baby_powers)
      : is_chebyshev_(is_chebyshev), babies_(baby_powers) {
    finish(sum(places, depth(places.size() - 1)));
    for (const auto& [i, power] : powers_) {
      relinearizations += i > 1 && (power.is_factor || power.uses > 1) ? 1 : 0;
    }
    // A power that only one term uses is relinearized with the sum of that term.
    for (const Sum& sum : sums_) {
      bool has_three = sum.has_product;
      for (const std::size_t i : sum.powers) {
        const Power& power = powers_.at(i);
        has_three = has_three || (i > 1 && !power.is_factor && power.uses == 1);
      }
      relinearizations += has_three ? 1 : 0;
    }
  }

  static std::size_t depth(std::size_t degree) {
    std::size_t levels = 0;
    while ((std::size_t{1} << levels) < degree + 1) ++levels;
    return levels;
  }

  std::size_t products = 0;
  std::size_t relinearizations = 0;

 private:
  struct Power {
    std::size_t uses = 0;
    bool is_factor = false;
  };
  struct Sum {
    bool has_product = false;
    std::vector<std::size_t> powers;
  };

  void use(std::size_t i, bool is_factor) {
    if (!powers_.contains(i)) {
      powers_[i] = {};
      make(i);
    }
    ++powers_[i].uses;
    powers_[i].is_factor |= is_factor;
  }

  void make(std::size_t i) {
    if (i == 1) return;
    ++products;
    std::size_t m = 1;
    while (2 * m < i) m *= 2;
    use(m, true);
    if (i != 2 * m) use(i - m, true);
    if (is_chebyshev_ && i != 2 * m) use(2 * m - i, false);
  }

  void finish(const Sum& sum) { sums_.push_back(sum); }

  Sum sum(Places p, std::size_t levels) {
    while (p.size() > 1 && !p.back()) p.pop_back();
    const std::size_t degree = p.size() - 1;
    Sum result;
    if (degree == 0) return result;
    bool fits = degree < babies_;
    for (std::size_t i = 1; i <= degree; ++i) fits = fits && (!p[i] || depth(i - 1) < levels);
    if (fits) {
      for (std::size_t i = 1; i <= degree; ++i) {
        if (p[i]) take(result, i);
      }
      return result;
    }
    std::size_t m = 1;
    while (2 * m <= degree) m *= 2;
    Places rest(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(m));
    const Places quotient(p.begin() + static_cast<std::ptrdiff_t>(m), p.end());
    for (std::size_t i = 1; is_chebyshev_ && i < quotient.size(); ++i) {
      if (quotient[i]) rest[m - i] = true;
    }
    result = sum(rest, levels);
    if (std::ranges::find(quotient.begin() + 1, quotient.end(), true) == quotient.end()) {
      take(result, m);
      return result;
    }
    finish(sum(quotient, levels - 1));
    use(m, true);
    ++products;
    result.has_product = true;
    return result;
  }

  void take(Sum& sum, std::size_t i) {
    use(i, false);
    sum.powers.push_back(i);
  }

  bool is_chebyshev_;
  std::size_t babies_;
  std::map<std::size_t, Power> powers_;
  std::vector<Sum> sums_;
};

/// The value by definition: a sum of powers, or of cos(i arccos u) for real u in [-1, 1].
inline Number definition(const Polynomial& p, Number x) {
  const auto coefficients = p.coefficients();
  Number result = 0;
  Number power = 1;
  const long double middle = (static_cast<long double>(p.upper()) + p.lower()) / 2;
  const long double half = (static_cast<long double>(p.upper()) - p.lower()) / 2;
  const long double u = std::clamp((x.real() - middle) / half, -1.0L, 1.0L);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const Number c(coefficients[i].real(), coefficients[i].imag());
    result += c * (p.basis() == PolynomialBasis::power
                       ? power
                       : Number(std::cos(static_cast<long double>(i) * std::acos(u))));
    power *= x;
  }
  return result;
}

/// p modulo t at each slot, by FLINT.
inline std::vector<std::uint64_t> flint_values(const Polynomial& p,
                                               const std::vector<std::uint64_t>& slots,
                                               std::uint64_t t) {
  std::vector<std::int64_t> residues;
  const auto modulus = static_cast<std::int64_t>(t);
  for (const auto c : p.integer_coefficients())
    residues.push_back(c % modulus + (c % modulus < 0 ? modulus : 0));  // no sum above 2^63
  const FlintPoly poly = FlintPoly::from(residues, t);
  std::vector<std::uint64_t> values;
  for (const std::uint64_t slot : slots) values.push_back(poly.evaluate(slot));
  return values;
}

/// A circuit with the one result p(x), rows of `row_length`.
inline Circuit polynomial_circuit(const Polynomial& p, std::size_t row_length,
                                  PolynomialArgument argument = PolynomialArgument::plain) {
  return circuit_of(
      row_length,
      [&](Circuit& circuit, CircuitValue x) { return polynomial(circuit, x, p, argument); },
      std::max(std::abs(p.lower()), std::abs(p.upper())));
}

}  // namespace ringlet::test
