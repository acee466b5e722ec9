// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/estimates/noise_estimator.hpp"
#include "support/calls/operations.hpp"
#include "support/slots.hpp"

// What each call does to slots in the clear and to noise.

namespace ringlet::test {

/// Slots in rows: for CKKS one row of numbers, else two of integers modulo t, small enough that a
/// double holds their products.
struct Clear {
  Slots slots;
  std::size_t row = 0;
  double t = 0;
};

template <typename F>
Clear zip(Clear a, const Clear& b, const F& f) {
  for (std::size_t j = 0; j < a.slots.size(); ++j) {
    a.slots[j] = f(a.slots[j], b.slots[j]);
    if (a.t != 0) a.slots[j] = std::fmod(a.slots[j].real() + a.t, a.t);
  }
  return a;
}
inline Clear operator+(const Clear& a, const Clear& b) { return zip(a, b, std::plus<>()); }
inline Clear operator-(const Clear& a, const Clear& b) { return zip(a, b, std::minus<>()); }
inline Clear operator*(const Clear& a, const Clear& b) { return zip(a, b, std::multiplies<>()); }
inline Clear operator-(const Clear& a) {
  return zip(a, a, [](Complex x, Complex) { return -x; });
}

/// Turns rows left by `steps`; conjugation conjugates slots of CKKS, or exchanges two rows.
inline Clear turned(const Clear& a, std::int64_t steps, bool is_conjugated = false) {
  Clear result = a;
  for (std::size_t j = 0; j < a.slots.size(); ++j) {
    const std::size_t in_row = static_cast<std::size_t>(static_cast<std::int64_t>(j) + steps +
                                                        static_cast<std::int64_t>(a.row)) %
                               a.row;
    const std::size_t row = a.t != 0 && is_conjugated ? 1 - j / a.row : j / a.row;
    const Complex from = a.slots[row * a.row + in_row];
    result.slots[j] = a.t == 0 && is_conjugated ? std::conj(from) : from;
  }
  return result;
}

/// m(X^element) for element = 3^k or -3^k modulo 4 * row.
inline Clear automorphism(const Clear& a, std::uint64_t element) {
  std::int64_t k = 0;
  for (std::uint64_t power = 1;; power = power * 3 % (4 * a.row), ++k) {
    if (power == element) return turned(a, k);
    if (4 * a.row - power == element) return turned(a, k, true);
  }
}

/// What a ciphertext should hold, and an estimate of its noise.
struct Expected {
  Clear clear;
  NoiseEstimate estimate;
};

struct PlainValue {
  Clear clear;
  std::optional<PlainEstimate> estimate;
  std::optional<std::size_t> primes;  ///< For CKKS.
};

/// A call and what its operands should hold.
struct OracleCall {
  const NoiseEstimator& n;
  const Expected& a;
  const Expected& b;
  const PlainValue& p;
  const Choices& w;
};
using Oracle = std::function<Expected(const OracleCall&)>;

inline std::map<std::string, Oracle> arithmetic_oracles() {
  const auto of_two = [](auto change, auto operation) -> Oracle {
    return [=](auto& x) {
      return Expected{change(x.a.clear, x.b.clear), (x.n.*operation)(x.a.estimate, x.b.estimate)};
    };
  };
  const auto with_plain = [](auto change, auto operation) -> Oracle {
    return [=](auto& x) {
      return Expected{change(x.a.clear, x.p.clear), (x.n.*operation)(x.a.estimate, *x.p.estimate)};
    };
  };
  return {
      {"Evaluator::negate", [](auto& x) { return Expected{-x.a.clear, x.n.negate(x.a.estimate)}; }},
      {"Evaluator::add", of_two(std::plus<>(), &NoiseEstimator::add)},
      {"Evaluator::sub", of_two(std::minus<>(), &NoiseEstimator::sub)},
      {"Evaluator::multiply", of_two(std::multiplies<>(), &NoiseEstimator::multiply)},
      {"Evaluator::add_plain", with_plain(std::plus<>(), &NoiseEstimator::add_plain)},
      {"Evaluator::sub_plain", with_plain(std::minus<>(), &NoiseEstimator::sub_plain)},
      {"Evaluator::multiply_plain",
       with_plain(std::multiplies<>(), &NoiseEstimator::multiply_plain)},
      {"Evaluator::square",
       [](auto& x) { return Expected{x.a.clear * x.a.clear, x.n.square(x.a.estimate)}; }},
      {"Evaluator::add_many",
       [](auto& x) {
         return Expected{x.a.clear + x.b.clear + x.a.clear,
                         x.n.add_many(std::vector{x.a.estimate, x.b.estimate, x.a.estimate})};
       }},
      {"Evaluator::multiply_many",
       [](auto& x) {
         return Expected{x.a.clear * x.b.clear * x.a.clear,
                         x.n.multiply_many(std::vector{x.a.estimate, x.b.estimate, x.a.estimate})};
       }},
      {"Evaluator::exponentiate",
       [](auto& x) {
         Clear power = x.a.clear;
         for (std::uint64_t k = 1; k < x.w.exponent; ++k) power = power * x.a.clear;
         return Expected{power, x.n.exponentiate(x.a.estimate, x.w.exponent)};
       }},
  };
}

inline std::map<std::string, Oracle> other_oracles() {
  return {
      {"encrypt",
       [](auto& x) { return Expected{x.p.clear, x.n.encrypt(*x.p.estimate, x.p.primes)}; }},
      {"encrypt_symmetric",
       [](auto& x) {
         return Expected{x.p.clear, x.n.encrypt_symmetric(*x.p.estimate, x.p.primes)};
       }},
      {"multiply_relinearize",
       [](auto& x) {
         return Expected{x.a.clear * x.b.clear,
                         x.n.relinearize(x.n.multiply(x.a.estimate, x.b.estimate))};
       }},
      {"multiply_relinearize_rescale",
       [](auto& x) {
         return Expected{x.a.clear * x.b.clear, x.n.relinearize_and_rescale_to_next(
                                                    x.n.multiply(x.a.estimate, x.b.estimate))};
       }},
      {"multiply_relinearize_rescale_add",
       [](auto& x) {
         const NoiseEstimate product =
             x.n.relinearize_and_rescale_to_next(x.n.multiply(x.a.estimate, x.b.estimate));
         const double factor = x.b.estimate.scale() / product.scale();
         const Clear addend =
             zip(x.b.clear, x.b.clear, [=](Complex z, Complex) { return factor * z; });
         const NoiseEstimate rescaled = x.n.with_scale(x.b.estimate, product.scale());
         return Expected{x.a.clear * x.b.clear + addend,
                         x.n.add(product, x.n.mod_switch_to(rescaled, product.prime_count()))};
       }},
      {"square_relinearize_rescale",
       [](auto& x) {
         return Expected{x.a.clear * x.a.clear,
                         x.n.relinearize_and_rescale_to_next(x.n.square(x.a.estimate))};
       }},
  };
}

/// The expected slots and noise of each operation, by its name.
inline std::map<std::string, Oracle> oracles(std::size_t degree) {
  const auto conjugate = [](auto& x) {
    return Expected{turned(x.a.clear, 0, true), x.n.apply_galois(x.a.estimate)};
  };
  // Each nonzero digit of the non-adjacent form costs a key switch.
  const auto rotation = [](auto& x) {
    const auto s = static_cast<std::uint64_t>(std::abs(x.w.steps));
    return Expected{
        turned(x.a.clear, x.w.steps),
        x.n.apply_galois(x.a.estimate, static_cast<std::size_t>(std::popcount(s ^ (3 * s))))};
  };
  const auto galois = [degree](auto& x) {
    return Expected{automorphism(x.a.clear, x.w.galois_element % (2 * degree)),
                    x.n.apply_galois(x.a.estimate)};
  };
  const auto next = [](auto operation) -> Oracle {
    return [operation](auto& x) { return Expected{x.a.clear, (x.n.*operation)(x.a.estimate)}; };
  };
  const auto to_level = [](auto operation) -> Oracle {
    return [operation](auto& x) {
      return Expected{x.a.clear, (x.n.*operation)(x.a.estimate, x.w.target_primes)};
    };
  };
  std::map<std::string, Oracle> all{
      {"Evaluator::relinearize", next(&NoiseEstimator::relinearize)},
      {"Evaluator::relinearize_and_rescale_to_next",
       next(&NoiseEstimator::relinearize_and_rescale_to_next)},
      {"Evaluator::rescale_to_next", next(&NoiseEstimator::rescale_to_next)},
      {"Evaluator::mod_switch_to_next", next(&NoiseEstimator::mod_switch_to_next)},
      {"Evaluator::mod_reduce_to_next", next(&NoiseEstimator::mod_reduce_to_next)},
      {"Evaluator::transform_to_ntt", next(&NoiseEstimator::transform)},
      {"Evaluator::transform_from_ntt", next(&NoiseEstimator::transform)},
      {"save and load", next(&NoiseEstimator::transform)},
      {"Evaluator::rescale_to", to_level(&NoiseEstimator::rescale_to)},
      {"Evaluator::mod_switch_to", to_level(&NoiseEstimator::mod_switch_to)},
      {"Evaluator::mod_reduce_to", to_level(&NoiseEstimator::mod_reduce_to)},
      {"Evaluator::complex_conjugate", conjugate},
      {"Evaluator::rotate_columns", conjugate},
      {"Evaluator::rotate_vector", rotation},
      {"Evaluator::rotate_rows", rotation},
      {"rotate many", rotation},
      {"rotate", rotation},
      {"Evaluator::apply_galois", galois},
      {"Evaluator::apply_galois_many", galois},
  };
  all.merge(arithmetic_oracles());
  all.merge(other_oracles());
  return all;
}

}  // namespace ringlet::test
