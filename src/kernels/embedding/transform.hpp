// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/embedding/embedding_kernel.hpp"
#include "ringlet/base/export.hpp"

// The complex transforms, written once over the lanes A of an instruction set:
//   Real, kLanes:           a vector of kLanes doubles, 1, 4 or 8
//   load_real, store_real, broadcast_real, add_real, sub_real, mul_real
// and, for more than one lane, on four vectors, which hold kLanes/4 blocks of 16 values:
//   to_quarters(x), from_quarters(x):  vector k is quarter k of each block, and back
//   transpose(x):                      element e of vector k to element k of vector e, per block
//   per_block(p):                      factors p[0] and, where there are two blocks, p[6]

namespace ringlet::kernels {

template <typename A>
struct EmbeddingTransform {
  using Real = typename A::Real;

  static void forward(const EmbeddingArguments& a) {
    const Tree tree(a);
    if (tree.has_root) forward_root(a);
    std::size_t length = tree.top;
    for (; length > kBlock; length /= 4) {
      for (std::size_t b = 0; b < tree.slots / length; ++b) {
        forward_block(a, b * length, length, tree.factors(length) + kEmbeddingFactors * b);
      }
    }
    for (std::size_t start = 0; start < tree.slots; start += length) {
      forward_subtree(a, tree, start, length);
    }
  }

  static void inverse(const EmbeddingArguments& a) {
    const Tree tree(a);
    std::size_t length = tree.top;
    while (length > kBlock) length /= 4;
    for (std::size_t start = 0; start < tree.slots; start += length) {
      inverse_subtree(a, tree, start, length);
    }
    for (length *= 4; length <= tree.top; length *= 4) {
      for (std::size_t b = 0; b < tree.slots / length; ++b) {
        inverse_block(a, b * length, length, tree.factors(length) + kEmbeddingFactors * b);
      }
    }
    if (tree.has_root) inverse_root(a);
  }

 private:
  static constexpr std::size_t kLanes = A::kLanes;
  /// Values of a block that goes through all its passes before the next block, so that it stays in
  /// the nearest cache with its factors.
  static constexpr std::size_t kBlock = 1024;
  /// Blocks of at most this length are transformed inside registers.
  static constexpr std::size_t kTail = kLanes == 1 ? 1 : 16;

  struct Tree {
    explicit Tree(const EmbeddingArguments& a)
        : slots(std::size_t{1} << a.log_slots),
          has_root(a.log_slots % 2 == 1),
          top(has_root ? slots / 2 : slots),
          all_factors(a.factors) {}
    /// Returns the factors of the level whose blocks have this length. The levels before it have a
    /// third of the blocks by which it exceeds the first level.
    const double* factors(std::size_t length) const {
      return all_factors + kEmbeddingFactors * ((slots / length - slots / top) / 3);
    }
    std::size_t slots;
    bool has_root;
    std::size_t top;  ///< Length of the blocks of the first radix-4 level.
    const double* all_factors;
  };

  struct Complex {
    Real re;
    Real im;
  };
  struct Factors {
    Complex first;
    Complex second;
    Complex third;
  };

  RINGLET_INLINE static Complex load(const EmbeddingArguments& a, std::size_t i) {
    return {A::load_real(a.re + i), A::load_real(a.im + i)};
  }
  RINGLET_INLINE static void store(const EmbeddingArguments& a, std::size_t i, const Complex& x) {
    A::store_real(a.re + i, x.re);
    A::store_real(a.im + i, x.im);
  }
  RINGLET_INLINE static Complex add(const Complex& x, const Complex& y) {
    return {A::add_real(x.re, y.re), A::add_real(x.im, y.im)};
  }
  RINGLET_INLINE static Complex sub(const Complex& x, const Complex& y) {
    return {A::sub_real(x.re, y.re), A::sub_real(x.im, y.im)};
  }
  /// x + i*y and x - i*y.
  RINGLET_INLINE static Complex add_turned(const Complex& x, const Complex& y) {
    return {A::sub_real(x.re, y.im), A::add_real(x.im, y.re)};
  }
  RINGLET_INLINE static Complex sub_turned(const Complex& x, const Complex& y) {
    return {A::add_real(x.re, y.im), A::sub_real(x.im, y.re)};
  }
  RINGLET_INLINE static Complex multiply(const Complex& x, const Complex& w) {
    return {A::sub_real(A::mul_real(x.re, w.re), A::mul_real(x.im, w.im)),
            A::add_real(A::mul_real(x.re, w.im), A::mul_real(x.im, w.re))};
  }
  /// x times the conjugate of w.
  RINGLET_INLINE static Complex multiply_back(const Complex& x, const Complex& w) {
    return {A::add_real(A::mul_real(x.re, w.re), A::mul_real(x.im, w.im)),
            A::sub_real(A::mul_real(x.im, w.re), A::mul_real(x.re, w.im))};
  }

  template <typename Load>
  RINGLET_INLINE static Factors factors(const double* w, std::size_t step, const Load& load_one) {
    const auto one = [&](std::size_t k)
                         __attribute__((always_inline)) { return load_one(w + k * step); };
    return {{one(0), one(1)}, {one(2), one(3)}, {one(4), one(5)}};
  }
  RINGLET_INLINE static Factors same_factors(const double* w) {
    return factors(
        w, 1, [](const double* p) __attribute__((always_inline)) { return A::broadcast_real(*p); });
  }

  /// Maps the quarters x_0..x_3 of a block to x_0 +- s*x_1 + s^2*x_2 +- s^3*x_3 and, with i*s for
  /// s, to the other two.
  RINGLET_INLINE static void forward_butterfly(Complex (&x)[4], const Factors& w) {
    const Complex t1 = multiply(x[1], w.first);
    const Complex t2 = multiply(x[2], w.second);
    const Complex t3 = multiply(x[3], w.third);
    const Complex even = add(x[0], t2);
    const Complex odd = sub(x[0], t2);
    const Complex sum = add(t1, t3);
    const Complex difference = sub(t1, t3);
    x[0] = add(even, sum);
    x[1] = sub(even, sum);
    x[2] = add_turned(odd, difference);
    x[3] = sub_turned(odd, difference);
  }
  /// The conjugate transpose of forward_butterfly: 4 times its inverse.
  RINGLET_INLINE static void inverse_butterfly(Complex (&x)[4], const Factors& w) {
    const Complex even = add(x[0], x[1]);
    const Complex sum = sub(x[0], x[1]);
    const Complex odd = add(x[2], x[3]);
    const Complex difference = sub(x[2], x[3]);
    x[0] = add(even, odd);
    x[1] = multiply_back(sub_turned(sum, difference), w.first);
    x[2] = multiply_back(sub(even, odd), w.second);
    x[3] = multiply_back(add_turned(sum, difference), w.third);
  }

  RINGLET_INLINE static void load_quarters(Complex (&x)[4], const EmbeddingArguments& a,
                                           std::size_t start, std::size_t stride) {
    for (std::size_t k = 0; k < 4; ++k) x[k] = load(a, start + k * stride);
  }
  RINGLET_INLINE static void store_quarters(const EmbeddingArguments& a, std::size_t start,
                                            std::size_t stride, const Complex (&x)[4]) {
    for (std::size_t k = 0; k < 4; ++k) store(a, start + k * stride, x[k]);
  }

  RINGLET_INLINE static void forward_block(const EmbeddingArguments& a, std::size_t start,
                                           std::size_t length, const double* w) {
    const Factors w4 = same_factors(w);
    for (std::size_t k = 0; k < length / 4; k += kLanes) {
      Complex x[4];
      load_quarters(x, a, start + k, length / 4);
      forward_butterfly(x, w4);
      store_quarters(a, start + k, length / 4, x);
    }
  }
  RINGLET_INLINE static void inverse_block(const EmbeddingArguments& a, std::size_t start,
                                           std::size_t length, const double* w) {
    const Factors w4 = same_factors(w);
    for (std::size_t k = 0; k < length / 4; k += kLanes) {
      Complex x[4];
      load_quarters(x, a, start + k, length / 4);
      inverse_butterfly(x, w4);
      store_quarters(a, start + k, length / 4, x);
    }
  }

  RINGLET_INLINE static void forward_subtree(const EmbeddingArguments& a, const Tree& tree,
                                             std::size_t start, std::size_t total) {
    std::size_t length = total;
    for (; length > kTail; length /= 4) {
      const double* w = tree.factors(length) + kEmbeddingFactors * (start / length);
      for (std::size_t i = 0; i < total; i += length, w += kEmbeddingFactors) {
        forward_block(a, start + i, length, w);
      }
    }
    if constexpr (kLanes > 1) {
      for (std::size_t i = start; i < start + total; i += 4 * kLanes) forward_tail(a, tree, i);
    }
  }
  RINGLET_INLINE static void inverse_subtree(const EmbeddingArguments& a, const Tree& tree,
                                             std::size_t start, std::size_t total) {
    if constexpr (kLanes > 1) {
      for (std::size_t i = start; i < start + total; i += 4 * kLanes) inverse_tail(a, tree, i);
    }
    for (std::size_t length = 4 * kTail; length <= total; length *= 4) {
      const double* w = tree.factors(length) + kEmbeddingFactors * (start / length);
      for (std::size_t i = 0; i < total; i += length, w += kEmbeddingFactors) {
        inverse_block(a, start + i, length, w);
      }
    }
  }

  /// Does the last two levels of kLanes/4 blocks of 16 values.
  RINGLET_INLINE static void forward_tail(const EmbeddingArguments& a, const Tree& tree,
                                          std::size_t start) {
    Complex x[4];
    load_quarters(x, a, start, kLanes);
    permute(x, &A::to_quarters);
    forward_butterfly(x, quarter_factors(tree, start));
    permute(x, &A::transpose);
    forward_butterfly(x, lane_factors(tree, start));
    store_quarters(a, start, kLanes, x);
  }
  RINGLET_INLINE static void inverse_tail(const EmbeddingArguments& a, const Tree& tree,
                                          std::size_t start) {
    Complex x[4];
    load_quarters(x, a, start, kLanes);
    inverse_butterfly(x, lane_factors(tree, start));
    permute(x, &A::transpose);
    inverse_butterfly(x, quarter_factors(tree, start));
    permute(x, &A::from_quarters);
    store_quarters(a, start, kLanes, x);
  }
  RINGLET_INLINE static void permute(Complex (&x)[4], void (*permutation)(Real (&)[4])) {
    Real re[4] = {x[0].re, x[1].re, x[2].re, x[3].re};
    Real im[4] = {x[0].im, x[1].im, x[2].im, x[3].im};
    permutation(re);
    permutation(im);
    for (int k = 0; k < 4; ++k) x[k] = {re[k], im[k]};
  }
  RINGLET_INLINE static Factors quarter_factors(const Tree& tree, std::size_t start) {
    return factors(tree.factors(16) + kEmbeddingFactors * (start / 16), 1, &A::per_block);
  }
  RINGLET_INLINE static Factors lane_factors(const Tree& tree, std::size_t start) {
    return factors(tree.factors(4) + kEmbeddingFactors * (start / 4), kLanes, &A::load_real);
  }

  static void forward_root(const EmbeddingArguments& a) {
    const Complex w{A::broadcast_real(a.root_re), A::broadcast_real(a.root_im)};
    const std::size_t half = (std::size_t{1} << a.log_slots) / 2;
    for (std::size_t k = 0; k < half; k += kLanes) {
      const Complex x = load(a, k);
      const Complex y = multiply(load(a, k + half), w);
      store(a, k, add(x, y));
      store(a, k + half, sub(x, y));
    }
  }
  static void inverse_root(const EmbeddingArguments& a) {
    const Complex w{A::broadcast_real(a.root_re), A::broadcast_real(a.root_im)};
    const std::size_t half = (std::size_t{1} << a.log_slots) / 2;
    for (std::size_t k = 0; k < half; k += kLanes) {
      const Complex x = load(a, k);
      const Complex y = load(a, k + half);
      store(a, k, add(x, y));
      store(a, k + half, multiply_back(sub(x, y), w));
    }
  }
};

}  // namespace ringlet::kernels
