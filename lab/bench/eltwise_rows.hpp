// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/base/aligned.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "standard.hpp"

// Every element-wise operation with every input factor, and the vectors for its timing.

namespace ringlet::bench {

inline constexpr std::size_t kTerms = 4;

/// Vectors in one block of memory, at different offsets in a page. At equal offsets a store seems
/// to meet a load of another page, which slows down some kernels and not others.
struct Buffers {
  /// Fills the vectors with values below `range`, or with any words if it is 0.
  Buffers(std::size_t length_, std::uint64_t range)
      : length(length_), words((4 + 2 * kTerms) * (length + kGap)) {
    std::uint64_t state = 1;
    for (auto& value : words) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const std::uint64_t word = state ^ (state >> 29);
      value = range == 0 ? word : word % range;
    }
    for (std::size_t k = 0; k < kTerms; ++k) {
      a_terms.push_back(vector(4 + 2 * k));
      b_terms.push_back(vector(5 + 2 * k));
    }
  }

  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  static constexpr std::size_t kGap = 136;
  std::span<std::uint64_t> vector(std::size_t k) {
    return std::span(words).subspan(k * (length + kGap), length);
  }

  std::size_t length;
  AlignedVector<std::uint64_t> words;
  std::span<std::uint64_t> result = vector(0);
  Eltwise::Operand a = vector(1), b = vector(2), c = vector(3);
  std::vector<Eltwise::Operand> a_terms, b_terms;
};

/// An element-wise operation with one input factor.
struct Operation {
  const char* name;
  int factor;
  void (*call)(const Eltwise&, Buffers&, int factor);

  /// Names its row for moduli of a width: "multiply/q=49/factor=2".
  std::string row(int bits) const {
    return std::string(name) + "/q=" + std::to_string(bits) +
           (factor > 1 ? "/factor=" + std::to_string(factor) : std::string());
  }
};

using E = const Eltwise&;
using B = Buffers&;
inline constexpr auto kAbove = Comparison::not_less_equal;

inline std::uint64_t scalar(E e) { return e.modulus().value() - 1 - e.modulus().value() / 3; }
inline std::uint64_t half(E e) { return e.modulus().value() / 2; }

inline void multiply(E e, B x, int f) { e.multiply(x.result, x.a, x.b, f); }
inline void multiply_scalar(E e, B x, int f) { e.multiply_scalar(x.result, x.a, scalar(e), f); }
inline void multiply_scalar_add(E e, B x, int f) {
  e.multiply_scalar_add(x.result, x.a, scalar(e), x.c, f);
}
inline void reduce_range(E e, B x, int f) { e.reduce_range(x.result, x.a, f, 1); }

/// Factor 0 stands for operations that take any word.
inline constexpr Operation kOperations[] = {
    {"add", 1, [](E e, B x, int) { e.add(x.result, x.a, x.b); }},
    {"add_scalar", 1, [](E e, B x, int) { e.add_scalar(x.result, x.a, scalar(e)); }},
    {"subtract", 1, [](E e, B x, int) { e.subtract(x.result, x.a, x.b); }},
    {"subtract_scalar", 1, [](E e, B x, int) { e.subtract_scalar(x.result, x.a, scalar(e)); }},
    {"negate", 1, [](E e, B x, int) { e.negate(x.result, x.a); }},
    {"multiply", 1, multiply},
    {"multiply", 2, multiply},
    {"multiply", 4, multiply},
    {"multiply_add", 1, [](E e, B x, int) { e.multiply_add(x.result, x.a, x.b, x.c); }},
    {"multiply_scalar", 1, multiply_scalar},
    {"multiply_scalar", 2, multiply_scalar},
    {"multiply_scalar", 4, multiply_scalar},
    {"multiply_scalar", 8, multiply_scalar},
    {"multiply_scalar_add", 1, multiply_scalar_add},
    {"multiply_scalar_add", 2, multiply_scalar_add},
    {"multiply_scalar_add", 4, multiply_scalar_add},
    {"multiply_scalar_add", 8, multiply_scalar_add},
    {"multiply_accumulate", 1,
     [](E e, B x, int) { e.multiply_accumulate(x.result, x.a_terms, x.b_terms); }},
    {"dot", 1, [](E e, B x, int) { x.result[0] = e.dot(x.a, x.b); }},
    {"reduce", 0, [](E e, B x, int) { e.reduce(x.result, x.a); }},
    {"reduce_range", 2, reduce_range},
    {"reduce_range", 4, reduce_range},
    {"compare_add", 0,
     [](E e, B x, int) { e.compare_add(x.result, x.a, kAbove, half(e), scalar(e)); }},
    {"compare_subtract", 0,
     [](E e, B x, int) { e.compare_subtract(x.result, x.a, kAbove, half(e), scalar(e)); }},
};

}  // namespace ringlet::bench
