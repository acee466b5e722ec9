// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/estimates/noise_estimator.hpp"
#include "support/calls/operations.hpp"
#include "support/slots.hpp"

// What each call does to slots in the clear and to noise.

namespace ringlet::test {

/// Slots in rows: one of numbers for CKKS, or two of integers modulo t, which a double holds with
/// their products.
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

/// All rows `steps` to the left, and the conjugates of CKKS or the other row.
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

/// What a ciphertext should hold, and how exactly.
struct Expected {
  Clear clear;
  NoiseEstimate estimate;
};

struct PlainValue {
  Clear clear;
  std::optional<PlainEstimate> estimate;
  std::optional<std::size_t> primes;  ///< Of CKKS.
};

using Oracle = std::function<Expected(const NoiseEstimator& n, const Expected& a, const Expected& b,
                                      const PlainValue& p, const Choices& w)>;

inline std::map<std::string, Oracle> arithmetic_oracles() {
  return {
      {"Evaluator::negate",
       [](auto& n, auto& a, auto&, auto&, auto&) -> Expected {
         return {-a.clear, n.negate(a.estimate)};
       }},
      {"Evaluator::add",
       [](auto& n, auto& a, auto& b, auto&, auto&) -> Expected {
         return {a.clear + b.clear, n.add(a.estimate, b.estimate)};
       }},
      {"Evaluator::sub",
       [](auto& n, auto& a, auto& b, auto&, auto&) -> Expected {
         return {a.clear - b.clear, n.sub(a.estimate, b.estimate)};
       }},
      {"Evaluator::add_many",
       [](auto& n, auto& a, auto& b, auto&, auto&) -> Expected {
         return {a.clear + b.clear + a.clear,
                 n.add_many(std::vector{a.estimate, b.estimate, a.estimate})};
       }},
      {"Evaluator::multiply",
       [](auto& n, auto& a, auto& b, auto&, auto&) -> Expected {
         return {a.clear * b.clear, n.multiply(a.estimate, b.estimate)};
       }},
      {"Evaluator::square",
       [](auto& n, auto& a, auto&, auto&, auto&) -> Expected {
         return {a.clear * a.clear, n.square(a.estimate)};
       }},
      {"Evaluator::multiply_many",
       [](auto& n, auto& a, auto& b, auto&, auto&) -> Expected {
         return {a.clear * b.clear * a.clear,
                 n.multiply_many(std::vector{a.estimate, b.estimate, a.estimate})};
       }},
      {"Evaluator::exponentiate",
       [](auto& n, auto& a, auto&, auto&, auto& w) -> Expected {
         Clear power = a.clear;
         for (std::uint64_t k = 1; k < w.exponent; ++k) power = power * a.clear;
         return {power, n.exponentiate(a.estimate, w.exponent)};
       }},
      {"Evaluator::add_plain",
       [](auto& n, auto& a, auto&, auto& p, auto&) -> Expected {
         return {a.clear + p.clear, n.add_plain(a.estimate, *p.estimate)};
       }},
      {"Evaluator::sub_plain",
       [](auto& n, auto& a, auto&, auto& p, auto&) -> Expected {
         return {a.clear - p.clear, n.sub_plain(a.estimate, *p.estimate)};
       }},
      {"Evaluator::multiply_plain",
       [](auto& n, auto& a, auto&, auto& p, auto&) -> Expected {
         return {a.clear * p.clear, n.multiply_plain(a.estimate, *p.estimate)};
       }},
  };
}

inline std::map<std::string, Oracle> other_oracles() {
  return {
      {"encrypt",
       [](auto& n, auto&, auto&, auto& p, auto&) -> Expected {
         return {p.clear, n.encrypt(*p.estimate, p.primes)};
       }},
      {"encrypt_symmetric",
       [](auto& n, auto&, auto&, auto& p, auto&) -> Expected {
         return {p.clear, n.encrypt_symmetric(*p.estimate, p.primes)};
       }},
      {"multiply_relinearize",
       [](auto& n, auto& a, auto& b, auto&, auto&) -> Expected {
         return {a.clear * b.clear, n.relinearize(n.multiply(a.estimate, b.estimate))};
       }},
      {"multiply_relinearize_rescale",
       [](auto& n, auto& a, auto& b, auto&, auto&) -> Expected {
         return {a.clear * b.clear,
                 n.relinearize_and_rescale_to_next(n.multiply(a.estimate, b.estimate))};
       }},
      {"multiply_relinearize_rescale_add",
       [](auto& n, auto& a, auto& b, auto&, auto&) -> Expected {
         const NoiseEstimate product =
             n.relinearize_and_rescale_to_next(n.multiply(a.estimate, b.estimate));
         const double factor = b.estimate.scale() / product.scale();
         const Clear addend = zip(b.clear, b.clear, [=](Complex x, Complex) { return factor * x; });
         const NoiseEstimate rescaled = n.with_scale(b.estimate, product.scale());
         return {a.clear * b.clear + addend,
                 n.add(product, n.mod_switch_to(rescaled, product.prime_count()))};
       }},
      {"square_relinearize_rescale",
       [](auto& n, auto& a, auto&, auto&, auto&) -> Expected {
         return {a.clear * a.clear, n.relinearize_and_rescale_to_next(n.square(a.estimate))};
       }},
  };
}

/// The slots and the noise after each operation, by its name.
inline std::map<std::string, Oracle> oracles(std::size_t degree) {
  const auto conjugate = [](auto& n, auto& a, auto&, auto&, auto&) -> Expected {
    return {turned(a.clear, 0, true), n.apply_galois(a.estimate)};
  };
  // A digit of the non-adjacent form is a key switch.
  const auto rotation = [](auto& n, auto& a, auto&, auto&, auto& w) -> Expected {
    const auto s = static_cast<std::uint64_t>(std::abs(w.steps));
    return {turned(a.clear, w.steps),
            n.apply_galois(a.estimate, static_cast<std::size_t>(std::popcount(s ^ (3 * s))))};
  };
  const auto galois = [degree](auto& n, auto& a, auto&, auto&, auto& w) -> Expected {
    return {automorphism(a.clear, w.galois_element % (2 * degree)), n.apply_galois(a.estimate)};
  };
  const auto next = [](auto operation) -> Oracle {
    return [operation](auto& n, auto& a, auto&, auto&, auto&) -> Expected {
      return {a.clear, (n.*operation)(a.estimate)};
    };
  };
  const auto to_level = [](auto operation) -> Oracle {
    return [operation](auto& n, auto& a, auto&, auto&, auto& w) -> Expected {
      return {a.clear, (n.*operation)(a.estimate, w.target_primes)};
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
