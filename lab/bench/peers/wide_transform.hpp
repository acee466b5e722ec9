// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

// The negacyclic transform that Ringlet computes, radix 2, over any integers.

namespace ringlet::peers {

/// The powers of a root w of order 2n in bit-reversed order, w^bit_reverse(i): the factors of the
/// butterflies in both directions. Arithmetic has the type Integer, and on integers in [0, q)
///   set_one(x), multiply(x, a, b), add(x, a, b), subtract(x, a, b), swap(a, b)
/// where x may be an operand.
template <typename Arithmetic>
class WideTransform {
 public:
  using Integers = std::vector<typename Arithmetic::Integer>;

  /// inverse_root * root = 1 and inverse_degree * n = 1 modulo q.
  WideTransform(Arithmetic& q, std::size_t n, const typename Arithmetic::Integer& root,
                const typename Arithmetic::Integer& inverse_root,
                const typename Arithmetic::Integer& inverse_degree)
      : q_(q),
        powers_(bit_reversed_powers(n, root)),
        inverse_powers_(bit_reversed_powers(n, inverse_root)),
        inverse_degree_(inverse_degree) {}

  /// Maps coefficients in natural order to values at odd powers of the root, bit-reversed.
  void forward(Integers& x) {
    const std::size_t n = x.size();
    for (std::size_t groups = 1; groups < n; groups *= 2) {
      const std::size_t half = n / (2 * groups);
      for (std::size_t group = 0; group < groups; ++group) {
        const auto& w = powers_[groups + group];
        for (std::size_t i = 2 * group * half; i < (2 * group + 1) * half; ++i) {
          q_.multiply(product_, x[i + half], w);
          q_.subtract(x[i + half], x[i], product_);
          q_.add(x[i], x[i], product_);
        }
      }
    }
  }

  /// Inverts forward(), including the factor 1/n.
  void inverse(Integers& x) {
    const std::size_t n = x.size();
    for (std::size_t groups = n / 2; groups >= 1; groups /= 2) {
      const std::size_t half = n / (2 * groups);
      for (std::size_t group = 0; group < groups; ++group) {
        const auto& w = inverse_powers_[groups + group];
        for (std::size_t i = 2 * group * half; i < (2 * group + 1) * half; ++i) {
          q_.subtract(product_, x[i], x[i + half]);
          q_.add(x[i], x[i], x[i + half]);
          q_.multiply(x[i + half], product_, w);
        }
      }
    }
    for (auto& value : x) q_.multiply(value, value, inverse_degree_);
  }

 private:
  Integers bit_reversed_powers(std::size_t n, const typename Arithmetic::Integer& root) {
    Integers powers(n);
    q_.set_one(powers[0]);
    for (std::size_t i = 1; i < n; ++i) q_.multiply(powers[i], powers[i - 1], root);
    const int bits = std::countr_zero(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t reversed = 0;
      for (int bit = 0; bit < bits; ++bit) reversed |= ((i >> bit) & 1) << (bits - 1 - bit);
      if (i < reversed) q_.swap(powers[i], powers[reversed]);
    }
    return powers;
  }

  Arithmetic& q_;
  Integers powers_, inverse_powers_;
  typename Arithmetic::Integer inverse_degree_, product_;
};

}  // namespace ringlet::peers
