// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/kernel_selection.hpp"
#include "rlwe_support.hpp"
#include "support/integer_poly.hpp"
#include "support/shape_parameters.hpp"
#include "support/test.hpp"

// Key switching by its formula, in big integers.

namespace ringlet::test {

struct KeyShape {
  std::size_t degree;
  std::vector<int> data;
  std::vector<int> special;
  std::size_t digit_size;
};

inline void PrintTo(const KeyShape& shape, std::ostream* stream) {
  *stream << "N = " << shape.degree << ", " << shape.data.size() << " + " << shape.special.size()
          << " primes, digits of " << shape.digit_size;
}

/// One to three special primes below and above the digits; digits of one to three primes, the last
/// one shorter or not; and `more`.
inline std::vector<KeyShape> key_shapes_and(const std::vector<KeyShape>& more) {
  std::vector<KeyShape> shapes{
      {2, {20, 30, 25}, {31}, 1},
      {4, {40, 41, 20}, {42, 43}, 2},
      {64, {30, 30, 30, 30, 30}, {31, 31, 31}, 3},
      {64, {49, 48, 47, 49, 48}, {49, 49, 49}, 2},
      {64, {60, 61, 60}, {61}, 1},
      {64, {20, 61, 21}, {61, 60}, 3},
      {1024, {40, 41, 22}, {50, 35}, 2},
  };
  shapes.insert(shapes.end(), more.begin(), more.end());
  return shapes;
}

inline constexpr std::uint64_t kPlainModulus = 1000003;

inline Context context_of(SchemeType scheme, const KeyShape& shape,
                          const KernelSelection& kernels = KernelSelection::from_environment()) {
  EncryptionParameters parms = parameters_of(scheme, shape.degree, shape.data, shape.special);
  parms.set_digit_size(shape.digit_size);
  if (scheme != SchemeType::ckks) parms.set_plain_modulus(Modulus(kPlainModulus));
  return Context(parms, SecurityLevel::none, SecurityTable::classical_2024, kernels);
}

/// The data levels, from the first down.
inline std::vector<const ContextData*> levels_of(const Context& context) {
  std::vector<const ContextData*> all;
  for (const ContextData* level = context.first_context_data(); level != nullptr;
       level = level->next_context_data()) {
    all.push_back(level);
  }
  return all;
}

/// Uniform coefficients and edges, as random_integers.
inline CoeffPoly random_poly(const Context& context, const ContextData& level,
                             std::mt19937_64& rng) {
  CoeffPoly poly(level.prime_count(), level.degree());
  const Integer q = product_of(context.backend().basis(), level.primes());
  const Integers values = random_integers(level.degree(), q, rng);
  for (std::size_t i = 0; i < level.prime_count(); ++i) {
    for (std::size_t n = 0; n < level.degree(); ++n) {
      poly.view_for_writing().limb(i)[n] = values[n].residue(level.coeff_modulus()[i].value());
    }
  }
  return poly;
}

inline NttPoly to_ntt(const Context& context, const ContextData& level, const CoeffPoly& poly) {
  NttPoly result(level.prime_count(), level.degree());
  context.backend().forward_ntt(result.view_for_writing(), poly.view(), level.primes());
  return result;
}

/// s or s^2 over the integers.
inline Integers secret_power(const Context& context, const SecretKey& key, std::size_t power) {
  const auto small = small_coefficients(context, key.view(), context.key_context_data()->primes());
  Integers secret(small.size());
  for (std::size_t n = 0; n < small.size(); ++n) mpz_set_si(secret[n].get(), small[n]);
  return power == 1 ? secret : negacyclic_product(secret, secret);
}

/// The formulas of rlwe/key_switch.hpp in big integers.
class SwitchReference {
 public:
  SwitchReference(const Context& context, const ContextData& level)
      : context_(context), level_(level), basis_(context.backend().basis()) {}

  /// Coefficients, in [0, Q) over the given primes, of limbs in coefficient form.
  Integers integers(ConstCoeffView view, PrimeIndices primes) const {
    Integers result(level_.degree());
    for (std::size_t n = 0; n < result.size(); ++n) {
      reconstruct(result[n], view, n, basis_, primes);
    }
    return result;
  }

  /// The sum of digits times the first (is_b) or the second polynomials of the key, of any size.
  Integers sum(const Integers& source, const KSwitchKey& key, bool is_b) const {
    const PrimeIndices primes = level_.primes();
    const std::size_t size = context_.parms().digit_size();
    Integers result(level_.degree());
    for (std::size_t first = 0, j = 0; first < primes.size(); first += size, ++j) {
      const PrimeIndices own = primes.subspan(first, std::min(size, primes.size() - first));
      const ConversionReference lift(basis_, own);
      Integers digit(level_.degree());
      for (std::size_t n = 0; n < digit.size(); ++n) digit[n] = lift.representative(source[n]);
      result = sum_of(result, negacyclic_product(digit, key_part(is_b ? key.b(j) : key.a(j))));
    }
    return result;
  }
  /// What is added to c_0 (is_b) or c_1.
  Integers switched(const Integers& source, const KSwitchKey& key, bool is_b) const {
    Integers result = sum(source, key, is_b);
    for (Integer& value : result) value = divided(value);
    return result;
  }

 private:
  // A polynomial of a key over the targets of this level.
  Integers key_part(ConstNttView part) const {
    const PrimeIndices all = context_.key_context_data()->primes();
    const PrimeIndices targets = level_.key_switch_primes();
    CoeffPoly coefficients(all.size(), level_.degree());
    context_.backend().inverse_ntt(coefficients.view_for_writing(), part, all);
    CoeffPoly chosen(targets.size(), level_.degree());
    for (std::size_t i = 0; i < targets.size(); ++i) {
      std::ranges::copy(coefficients.view().limb(targets[i]),
                        chosen.view_for_writing().limb(i).begin());
    }
    return integers(chosen.view(), targets);
  }

  // (x - t*r) / P for the representative r of x/t modulo P.
  Integer divided(const Integer& x) const {
    const std::uint64_t t = context_.scheme() == SchemeType::bgv ? kPlainModulus : 1;
    const ConversionReference special(basis_, context_.special_primes());
    Integer whole = product_of(basis_, level_.key_switch_primes());
    Integer reduced;
    mpz_fdiv_r(reduced.get(), x.get(), whole.get());
    Integer quotient(t);
    mpz_invert(quotient.get(), quotient.get(), special.product().get());
    mpz_mul(quotient.get(), quotient.get(), reduced.get());
    mpz_fdiv_r(quotient.get(), quotient.get(), special.product().get());
    const Integer r = special.representative(quotient);
    mpz_submul_ui(reduced.get(), r.get(), t);
    EXPECT_NE(mpz_divisible_p(reduced.get(), special.product().get()), 0);
    mpz_divexact(reduced.get(), reduced.get(), special.product().get());
    return reduced;
  }

  const Context& context_;
  const ContextData& level_;
  const RnsBasis& basis_;
};

}  // namespace ringlet::test
