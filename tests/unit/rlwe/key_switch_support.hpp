// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rlwe_support.hpp"
#include "support/kernels/available_tables.hpp"
#include "support/reference/flint_integer_poly.hpp"

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

/// One to three special primes below and above the digits; digits of one to three primes, with a
/// shorter last digit or not; and `more`.
inline std::vector<KeyShape> key_shapes_and(const std::vector<KeyShape>& more) {
  std::vector<KeyShape> shapes{
      {2, {20, 30, 25}, {31}, 1},
      {4, {40, 41, 20}, {42, 43}, 2},
      {64, {30, 30, 30, 30, 30}, {31, 31, 31}, 3},
      {64, {49, 48, 47, 49, 48}, {49, 49, 49}, 2},
      {64, {60, 61, 60}, {61}, 1},
      {64, {20, 61, 21}, {61, 60}, 3},
      {1024, {40, 41, 22}, {50, 35}, 2},
      {1024, {30, 50, 61, 40}, {61}, 1},
  };
  shapes.insert(shapes.end(), more.begin(), more.end());
  return shapes;
}

inline constexpr std::uint64_t kPlainModulus = 1000003;

inline Context context_of(SchemeType scheme, const KeyShape& shape,
                          const KernelSelection& kernels = KernelSelection::from_environment()) {
  const std::uint64_t t = scheme == SchemeType::ckks ? 0 : kPlainModulus;
  return Context(parameters_of(scheme, RingSpec::power_of_two(shape.degree), shape.data,
                               shape.special, t, shape.digit_size),
                 SecurityLevel::none, SecurityTable::classical_2024, kernels);
}

/// The context of one kernel table, and keys that are the same for all tables.
struct KeySide {
  explicit KeySide(const Context& with) : context(with) {
    const KeyGenerator keys(context, RandomSource::for_testing(test_seed()));
    secret = keys.secret_key();
    relin = keys.create_relin_keys();
    const std::uint64_t degree = context.ring().degree();
    galois = keys.create_galois_keys_for_elements({3, degree > 4 ? 9U : 3U});
  }

  Context context;
  SecretKey secret;
  RelinKeys relin;
  GaloisKeys galois;
};
inline std::vector<KeySide> sides_of(SchemeType scheme, const KeyShape& shape) {
  std::vector<KeySide> sides;
  for (const KernelSelection& table : available_tables()) {
    sides.emplace_back(context_of(scheme, shape, table));
  }
  return sides;
}

/// Uniform coefficients and edges, from random_integers.
inline CoeffPoly random_poly(const Context& context, const ContextData& level,
                             std::mt19937_64& rng) {
  const RnsBasis& basis = context.backend().basis();
  const Integer q = product_of(basis, level.primes());
  return residues_of(random_integers(level.degree(), q, rng), basis, level.primes());
}

inline NttPoly to_ntt(const Context& context, const ContextData& level, const CoeffPoly& poly) {
  NttPoly result(level.prime_count(), level.degree());
  context.backend().forward_ntt(result.view_for_writing(), poly.view(), level.primes());
  return result;
}

/// s or s^2 over the integers.
inline Integers secret_power(const Context& context, const SecretKey& key, std::size_t power) {
  Integers secret;
  for (const std::int64_t value :
       small_coefficients(context, key.view(), context.key_context_data()->primes())) {
    secret.push_back(Integer::of(value));
  }
  return power == 1 ? secret : negacyclic_product(secret, secret);
}

/// The formulas of rlwe/keys/key_switch.hpp in big integers.
class SwitchReference {
 public:
  SwitchReference(const Context& context, const ContextData& level)
      : context_(context), level_(level), basis_(context.backend().basis()) {}

  /// The coefficients of these limbs, in [0, Q) over the given primes.
  Integers integers(ConstCoeffView view, PrimeIndices primes) const {
    Integers result;
    for (std::size_t n = 0; n < view.degree; ++n) {
      result.push_back(reconstruct(view, n, basis_, primes));
    }
    return result;
  }
  Integers integers(const CoeffPoly& poly) const { return integers(poly.view(), level_.primes()); }

  /// The sum of digits times the first (is_b) or second polynomials of the key, modulo all targets.
  Integers sum(const Integers& source, const KSwitchKey& key, bool is_b) const {
    const PrimeIndices primes = level_.primes();
    const std::size_t size = context_.parms().digit_size();
    Integers result(level_.degree());
    for (std::size_t first = 0, j = 0; first < primes.size(); first += size, ++j) {
      const ConversionReference lift(basis_,
                                     primes.subspan(first, std::min(size, primes.size() - first)));
      Integers digit;
      for (const Integer& value : source) digit.push_back(lift.representative(value));
      result = sum_of(result, negacyclic_product(digit, key_part(is_b ? key.b(j) : key.a(j))));
    }
    const Integer whole = product_of(basis_, level_.key_switch_primes());
    for (Integer& value : result) value = value % whole;
    return result;
  }
  /// The summand of c_0 (is_b) or c_1.
  Integers switched(const Integers& source, const KSwitchKey& key, bool is_b) const {
    return divided(sum(source, key, is_b));
  }
  /// The quotients of sums by the special primes.
  Integers divided(Integers sums) const {
    const ConversionReference special(basis_, context_.special_primes());
    const Integer whole = product_of(basis_, level_.key_switch_primes());
    for (Integer& value : sums) {
      value =
          special.quotient(value % whole, context_.scheme() == SchemeType::bgv ? kPlainModulus : 1);
    }
    return sums;
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

  const Context& context_;
  const ContextData& level_;
  const RnsBasis& basis_;
};

}  // namespace ringlet::test
