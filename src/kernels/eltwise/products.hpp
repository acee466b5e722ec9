// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/barrett.hpp"
#include "kernels/eltwise/map.hpp"

// Products, written once over any policy. Operands in [0, f*q) are reduced only as far as the
// policy's multiplication asks for with this q: docs/notes/barrett.md. Branch-free in the data.

namespace ringlet::kernels {

/// Which of a policy's multiplications a product is made of.
enum class ProductKind { plain, unreduced, longest };

/// x, y in [0, kInput*q) -> x*y mod q in [0, kRange*q), by a policy's mul, mul_unreduced or
/// mul_long for x in [0, kX*q) and y in [0, kY*q).
template <ElementwisePolicy A, ProductKind kKind, int kInput, int kX, int kY>
struct Product {
  static constexpr int kRange = [] {
    if constexpr (kKind == ProductKind::plain) {
      return A::kProductRange;
    } else {
      return A::kUnreducedProductRange;
    }
  }();
  typename A::Barrett barrett;
  Multiples<A> multiples;

  RINGLET_INLINE Vec<A> operator()(Vec<A> x, Vec<A> y) const {
    expect_in_range<A, kInput>(x, multiples);
    expect_in_range<A, kInput>(y, multiples);
    x = narrow<A, kInput, kX>(x, multiples);
    y = narrow<A, kInput, kY>(y, multiples);
    if constexpr (kKind == ProductKind::longest) {
      return A::mul_long(x, y, barrett);
    } else if constexpr (kKind == ProductKind::unreduced) {
      return A::template mul_unreduced<kX, kY>(x, y, barrett);
    } else if constexpr (kX == 1 && kY == 1) {
      return A::mul(x, y, barrett);
    } else {
      return A::template mul_ranges<kX, kY>(x, y, barrett);
    }
  }
};

/// Calls body(Constant<kX>, Constant<kY>) with the largest ranges [0, kX*q) and [0, kY*q) of two
/// operands in [0, kInput*q) for which kX*kY is at most 2^slack, or with 1 and 1.
template <int kInput, typename Body>
RINGLET_INLINE void with_operand_ranges(int slack, Body body) {
  constexpr int kDoublings = log2_of(kInput);
  if constexpr (kInput == 1) {
    body(Constant<1>{}, Constant<1>{});
  } else {
    if (slack >= 2 * kDoublings) return body(Constant<kInput>{}, Constant<kInput>{});
    if (slack == 2 * kDoublings - 1) return body(Constant<kInput>{}, Constant<kInput / 2>{});
    if constexpr (kInput == 4) {
      if (slack == 2) return body(Constant<4>{}, Constant<1>{});
    }
    with_operand_ranges<kInput / 2>(slack, body);
  }
}

/// A policy that chooses between its products itself. Others use the unreduced product where the
/// plain product would need a reduction of its operands.
template <typename A>
concept ProductChoosingPolicy = UnreducedProductPolicy<A> && requires {
  { A::Barrett::prefers_unreduced(60, 2) } -> std::same_as<bool>;
};

/// Calls body(product) with the product that costs least for this q and kInput.
template <ElementwisePolicy A, int kInput, typename Body>
RINGLET_INLINE void with_product_from(const EltwiseArguments& e, Body body) {
  constexpr int kDoublings = log2_of(kInput);
  const auto barrett = A::make_barrett(e);
  const auto multiples = multiples_of<A>(e.q);
  [[maybe_unused]] const int bits = 64 - __builtin_clzll(e.q);
  const auto reduced = [&](auto x, auto y) __attribute__((always_inline)) {
    body(Product<A, ProductKind::plain, kInput, x(), y()>{barrett, multiples});
  };
  if constexpr (requires { A::kReducedOperandBits; }) {
    constexpr std::uint64_t kSmallest = std::uint64_t{1} << (A::kReducedOperandBits - 1);
    if constexpr (A::kMultiplyModulusLimit > kSmallest) {
      if (e.q >= kSmallest) {
        return body(Product<A, ProductKind::unreduced, kInput, 1, 1>{barrett, multiples});
      }
    }
  }
  if constexpr (kInput == 1 || !RangeProductPolicy<A>) {
    reduced(Constant<1>{}, Constant<1>{});
  } else if constexpr (!UnreducedProductPolicy<A>) {
    with_operand_ranges<kInput>(A::kProductBits - bits, reduced);
  } else {
    const auto unreduced = [&](auto x, auto y) __attribute__((always_inline)) {
      body(Product<A, ProductKind::unreduced, kInput, x(), y()>{barrett, multiples});
    };
    if constexpr (ProductChoosingPolicy<A>) {
      if (!A::Barrett::prefers_unreduced(bits, kDoublings)) {
        return with_operand_ranges<kInput>(A::kProductBits - bits, reduced);
      }
    } else if (bits + 2 * kDoublings <= A::kProductBits) {
      return reduced(Constant<kInput>{}, Constant<kInput>{});
    }
    if constexpr (LongProductPolicy<A>) {
      static_assert(A::kMultiplyModulusLimit <= std::uint64_t{1}
                                                    << (A::kLongOperandBits - kDoublings));
      if (bits + 2 * kDoublings > A::kUnreducedProductBits) {
        return body(Product<A, ProductKind::longest, kInput, kInput, kInput>{barrett, multiples});
      }
      unreduced(Constant<kInput>{}, Constant<kInput>{});
    } else {
      with_operand_ranges<kInput>(A::kUnreducedProductBits - bits, unreduced);
    }
  }
}

/// Calls body(product) likewise for the input factor of the call.
template <ElementwisePolicy A, typename Body>
RINGLET_INLINE void with_product(const EltwiseArguments& e, Body body) {
  with_factor<4>(e.factors.input, [&](auto input) __attribute__((always_inline)) {
    with_product_from<A, input()>(e, body);
  });
}

/// Which of a policy's multiplications by a factor a product is made of.
enum class FactorKind { plain, lazy, word };

/// x in [0, kInput*q) -> x*w mod q in [0, kRange*q) for the factor w of a call, by a policy's
/// mul_factor, mul_factor_lazy or mul_factor_word for x in [0, kX*q).
template <ElementwisePolicy A, FactorKind kKind, int kInput, int kX>
struct ScalarProduct {
  static constexpr int kRange = [] {
    if constexpr (kKind == FactorKind::word) {
      return A::kFactorWordRange;
    } else if constexpr (kKind == FactorKind::lazy) {
      return A::kLazyFactorRange;
    } else {
      return A::kProductRange;
    }
  }();
  /// The range of an addend before it is added, for the fewest subtractions: the sum is below
  /// (kRange + kAddend)*q <= 2^64. Where kRange is 3, kX > 1 implies q < 2^61.
  static constexpr int kAddend = kRange == 1             ? 1
                                 : kRange == 2           ? (kInput < 2 ? kInput : 2)
                                 : kInput >= 4 && kX > 1 ? 4
                                                         : 1;
  typename A::Barrett barrett;
  Multiples<A> multiples;
  Factor<A> factor;

  RINGLET_INLINE Vec<A> operator()(Vec<A> x) const {
    expect_in_range<A, kInput>(x, multiples);
    x = narrow<A, kInput, kX>(x, multiples);
    if constexpr (kKind == FactorKind::word) {
      return A::mul_factor_word(x, factor, barrett);
    } else if constexpr (kKind == FactorKind::lazy) {
      return A::mul_factor_lazy(x, factor, barrett);
    } else if constexpr (kX == 1) {
      return A::mul_factor(x, factor, barrett);
    } else {
      return A::mul_factor_range(x, factor, barrett);
    }
  }
};

/// Calls body(Constant<kInput>, Constant<kX>) with the largest kX for which the policy's mul_factor
/// takes operands in [0, kX*q).
template <ElementwisePolicy A, int kInput, int kX, typename Body>
RINGLET_INLINE void with_factor_range(std::uint64_t q, Body body) {
  if constexpr (kX == 1 || !RangeFactorPolicy<A>) {
    body(Constant<kInput>{}, Constant<1>{});
  } else {
    constexpr int kBits = A::kFactorOperandBits;
    if constexpr (kBits == 64 || A::kMultiplyModulusLimit <= std::uint64_t{1}
                                                                 << (kBits - log2_of(kX))) {
      body(Constant<kInput>{}, Constant<kX>{});
    } else {
      const int bits = 64 - __builtin_clzll(q);
      if (bits + log2_of(kX) <= kBits) return body(Constant<kInput>{}, Constant<kX>{});
      with_factor_range<A, kInput, kX / 2>(q, body);
    }
  }
}

/// The use of a product by the scalar: it is reduced alone, or an addend is added first.
enum class ScalarProductUse { alone, with_addend };

/// Calls body(product, Constant<input factor>) with the cheapest product by the scalar for this q,
/// input factor and use.
template <ElementwisePolicy A, ScalarProductUse kUse, typename Body>
RINGLET_INLINE void with_scalar_product(const EltwiseArguments& e, Body body) {
  const auto barrett = A::make_barrett(e);
  const auto multiples = multiples_of<A>(e.q);
  const Factor<A> factor = A::make_factor(e.scalar, factor_quotient(e.scalar, e.q, e.ratio));
  with_factor<8>(e.factors.input, [&](auto input) __attribute__((always_inline)) {
    constexpr int kInput = input();
    if constexpr (WordFactorPolicy<A> && kUse == ScalarProductUse::alone) {
      using Product = ScalarProduct<A, FactorKind::word, kInput, kInput>;
      return body(Product{barrett, multiples, factor}, input);
    } else {
      if constexpr (LazyFactorPolicy<A> && kUse == ScalarProductUse::with_addend) {
        if (kInput > 1 && e.q >> A::kLazyFactorBits == 0) {
          return with_factor_range<A, kInput, kInput>(
              e.q, [&](auto, auto x) __attribute__((always_inline)) {
                using Product = ScalarProduct<A, FactorKind::lazy, kInput, x()>;
                body(Product{barrett, multiples, factor}, input);
              });
        }
      }
      with_factor_range<A, kInput, kInput>(e.q, [&](auto, auto x) __attribute__((always_inline)) {
        using Product = ScalarProduct<A, FactorKind::plain, kInput, x()>;
        body(Product{barrett, multiples, factor}, input);
      });
    }
  });
}

/// The operations as functions of an EltwiseArguments.
template <ElementwisePolicy A>
struct Products {
  using V = Vec<A>;
  static constexpr auto kAlone = ScalarProductUse::alone;
  static constexpr auto kWithAddend = ScalarProductUse::with_addend;

  static void multiply(const EltwiseArguments& e) {
    with_product<A>(e, [&](auto product) __attribute__((always_inline)) {
      const auto operation = [=](V a, V b) __attribute__((always_inline)) {
        return narrow<A, product.kRange>(product(a, b), product.multiples);
      };
      map<A>(e.result, e.count, operation, e.a, e.b);
    });
  }

  /// The addend is added before the reduction: kProductRange*q + q is at most 4q and fits a word.
  static void multiply_add(const EltwiseArguments& e) {
    with_product_from<A, 1>(e, [&](auto product) __attribute__((always_inline)) {
      const auto operation = [=](V a, V b, V c) __attribute__((always_inline)) {
        expect_in_range<A, 1>(c, product.multiples);
        return narrow<A, product.kRange + 1>(A::add(product(a, b), c), product.multiples);
      };
      map<A>(e.result, e.count, operation, e.a, e.b, e.c);
    });
  }

  /// All four vectors of a step are read before the three of its results are stored.
  static void multiply_pairs(const EltwiseArguments& e) {
    with_product_from<A, 1>(e, [&](auto product) __attribute__((always_inline)) {
      constexpr int kRange = product.kRange;
      const auto operation = [=](V(&x)[4]) __attribute__((always_inline)) {
        const auto reduce = [&](V y) __attribute__((always_inline)) {
          return narrow<A, kRange>(y, product.multiples);
        };
        const V mixed = A::add(product(x[0], x[3]), reduce(product(x[1], x[2])));
        x[0] = reduce(product(x[0], x[2]));
        x[2] = reduce(product(x[1], x[3]));
        x[1] = narrow<A, kRange + 1>(mixed, product.multiples);
      };
      const std::uint64_t* const operands[] = {e.a_terms[0], e.a_terms[1], e.b_terms[0],
                                               e.b_terms[1]};
      map_to_many<A, 3>(e.results, e.count, operation, operands);
    });
  }

  static void multiply_scalar(const EltwiseArguments& e) {
    with_scalar_product<A, kAlone>(e, [&](auto product, auto) __attribute__((always_inline)) {
      const auto operation = [=](V a) __attribute__((always_inline)) {
        return narrow<A, product.kRange>(product(a), product.multiples);
      };
      map<A>(e.result, e.count, operation, e.a);
    });
  }

  /// Boemer et al., "Intel HEXL", Algorithm 10, with one reduction for product and sum.
  static void multiply_scalar_add(const EltwiseArguments& e) {
    with_scalar_product<A, kWithAddend>(
        e, [&](auto product, auto input) __attribute__((always_inline)) {
          const auto operation = [=](V a, V c) __attribute__((always_inline)) {
            expect_in_range<A, input()>(c, product.multiples);
            const V addend = narrow<A, input(), product.kAddend>(c, product.multiples);
            return narrow<A, product.kRange + product.kAddend>(A::add(product(a), addend),
                                                               product.multiples);
          };
          map<A>(e.result, e.count, operation, e.a, e.c);
        });
  }
};

}  // namespace ringlet::kernels
