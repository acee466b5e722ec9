// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "seal/modulus.h"
#include "seal/util/defines.h"
#include "seal/util/iterator.h"
#include "seal/util/mempool.h"
#include "seal/util/pointer.h"
#include "seal/util/polycore.h"
#include "seal/util/uintarithsmallmod.h"

// Operations of uintarithsmallmod.h, word by word, on polynomials. Each exists for the coeff_count
// words of one prime, for the primes of one polynomial (RNSIter), and for several polynomials
// (PolyIter). Results may be the same buffers as operands, but must not overlap them partly.
// Constant time in the words; moduli, scalars and exponents are public. Each function throws
// std::invalid_argument for a null iterator where there is work, for a modulus of zero, and for
// iterators of different degrees or numbers of primes.

namespace ringlet::seal4_util {

namespace detail {

[[noreturn]] RINGLET_SEAL_API void refuse_iterators();

inline std::size_t shape_of(const ConstRNSIter& it) noexcept { return it.poly_modulus_degree(); }
inline std::size_t shape_of(const ConstPolyIter& it) noexcept { return it.coeff_modulus_size(); }

/// Throws std::invalid_argument if an iterator is null or its shape is not that of the result.
template <class Result, class... Operands>
void check_iterators(std::size_t count, const ConstModulusIter& modulus, const Result& result,
                     const Operands&... operands) {
  const bool set = modulus && result && (static_cast<bool>(operands) && ...);
  const bool same = ((shape_of(operands) == shape_of(result)) && ...);
  if (count != 0 && !(set && same)) refuse_iterators();
}

}  // namespace detail

// Gives `name` its forms for the primes of a polynomial and for several polynomials, for functions
// of one operand, of two, and of one and a public number.
#define RINGLET_SEAL_UNARY(name)                                                                   \
  inline void name(ConstRNSIter a, std::size_t coeff_modulus_size, ConstModulusIter modulus,       \
                   RNSIter result) {                                                               \
    detail::check_iterators(coeff_modulus_size, modulus, result, a);                               \
    for (std::size_t i = 0; i < coeff_modulus_size; ++i) {                                         \
      name(a[i], result.poly_modulus_degree(), modulus[i], result[i]);                             \
    }                                                                                              \
  }                                                                                                \
  inline void name(ConstPolyIter a, std::size_t size, ConstModulusIter modulus, PolyIter result) { \
    detail::check_iterators(size, modulus, result, a);                                             \
    for (std::size_t i = 0; i < size; ++i) {                                                       \
      name(a[i], result.coeff_modulus_size(), modulus, result[i]);                                 \
    }                                                                                              \
  }
#define RINGLET_SEAL_BINARY(name)                                                                \
  inline void name(ConstRNSIter a, ConstRNSIter b, std::size_t coeff_modulus_size,               \
                   ConstModulusIter modulus, RNSIter result) {                                   \
    detail::check_iterators(coeff_modulus_size, modulus, result, a, b);                          \
    for (std::size_t i = 0; i < coeff_modulus_size; ++i) {                                       \
      name(a[i], b[i], result.poly_modulus_degree(), modulus[i], result[i]);                     \
    }                                                                                            \
  }                                                                                              \
  inline void name(ConstPolyIter a, ConstPolyIter b, std::size_t size, ConstModulusIter modulus, \
                   PolyIter result) {                                                            \
    detail::check_iterators(size, modulus, result, a, b);                                        \
    for (std::size_t i = 0; i < size; ++i) {                                                     \
      name(a[i], b[i], result.coeff_modulus_size(), modulus, result[i]);                         \
    }                                                                                            \
  }
#define RINGLET_SEAL_WITH_NUMBER(name, Number)                                                 \
  inline void name(ConstRNSIter a, std::size_t coeff_modulus_size, Number number,              \
                   ConstModulusIter modulus, RNSIter result) {                                 \
    detail::check_iterators(coeff_modulus_size, modulus, result, a);                           \
    for (std::size_t i = 0; i < coeff_modulus_size; ++i) {                                     \
      name(a[i], result.poly_modulus_degree(), number, modulus[i], result[i]);                 \
    }                                                                                          \
  }                                                                                            \
  inline void name(ConstPolyIter a, std::size_t size, Number number, ConstModulusIter modulus, \
                   PolyIter result) {                                                          \
    detail::check_iterators(size, modulus, result, a);                                         \
    for (std::size_t i = 0; i < size; ++i) {                                                   \
      name(a[i], result.coeff_modulus_size(), number, modulus, result[i]);                     \
    }                                                                                          \
  }

/// Computes result = poly mod modulus, for any words.
RINGLET_SEAL_API void modulo_poly_coeffs(ConstCoeffIter poly, std::size_t coeff_count,
                                         const Modulus& modulus, CoeffIter result);
RINGLET_SEAL_UNARY(modulo_poly_coeffs)

/// Computes result = -poly, for reduced words.
RINGLET_SEAL_API void negate_poly_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                           const Modulus& modulus, CoeffIter result);
RINGLET_SEAL_UNARY(negate_poly_coeffmod)

/// Computes result = a + b, for reduced words.
RINGLET_SEAL_API void add_poly_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count,
                                        const Modulus& modulus, CoeffIter result);
RINGLET_SEAL_BINARY(add_poly_coeffmod)

/// Computes result = a - b, for reduced words.
RINGLET_SEAL_API void sub_poly_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count,
                                        const Modulus& modulus, CoeffIter result);
RINGLET_SEAL_BINARY(sub_poly_coeffmod)

/// Computes result[i] = poly[i] + scalar, for reduced words.
/// @throws std::invalid_argument also if the scalar is not reduced.
RINGLET_SEAL_API void add_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                               std::uint64_t scalar, const Modulus& modulus,
                                               CoeffIter result);
RINGLET_SEAL_WITH_NUMBER(add_poly_scalar_coeffmod, std::uint64_t)

/// Computes result[i] = poly[i] - scalar, for reduced words; errors as add_poly_scalar_coeffmod.
RINGLET_SEAL_API void sub_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                               std::uint64_t scalar, const Modulus& modulus,
                                               CoeffIter result);
RINGLET_SEAL_WITH_NUMBER(sub_poly_scalar_coeffmod, std::uint64_t)

/// Computes result = poly * scalar, for any words; faster where words are below 4*modulus.
RINGLET_SEAL_API void multiply_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                                    MultiplyUIntModOperand scalar,
                                                    const Modulus& modulus, CoeffIter result);
RINGLET_SEAL_API void multiply_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                                    std::uint64_t scalar, const Modulus& modulus,
                                                    CoeffIter result);
RINGLET_SEAL_WITH_NUMBER(multiply_poly_scalar_coeffmod, std::uint64_t)

/// Computes result[i] = a[i] * b[i], for any words: the product of polynomials in NTT form. Faster
/// where words are below 4*modulus.
RINGLET_SEAL_API void dyadic_product_coeffmod(ConstCoeffIter a, ConstCoeffIter b,
                                              std::size_t coeff_count, const Modulus& modulus,
                                              CoeffIter result);
RINGLET_SEAL_BINARY(dyadic_product_coeffmod)

/// Returns the largest absolute value of the words, where each word stands for the number nearest
/// to zero that is equal to it modulo the modulus.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t poly_infty_norm_coeffmod(ConstCoeffIter operand,
                                                                       std::size_t coeff_count,
                                                                       const Modulus& modulus);

/// Computes result = poly * X^shift modulo X^coeff_count + 1, for reduced words and any shift.
RINGLET_SEAL_API void negacyclic_shift_poly_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                                     std::size_t shift, const Modulus& modulus,
                                                     CoeffIter result);
RINGLET_SEAL_WITH_NUMBER(negacyclic_shift_poly_coeffmod, std::size_t)

/// Computes result = poly * mono_coeff * X^mono_exponent modulo X^coeff_count + 1, for any words,
/// coefficient and exponent. The pool has no effect.
inline void negacyclic_multiply_poly_mono_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                                   std::uint64_t mono_coeff,
                                                   std::size_t mono_exponent,
                                                   const Modulus& modulus, CoeffIter result,
                                                   MemoryPool&) {
  multiply_poly_scalar_coeffmod(poly, coeff_count, mono_coeff, modulus, result);
  negacyclic_shift_poly_coeffmod(result, coeff_count, mono_exponent, modulus, result);
}
inline void negacyclic_multiply_poly_mono_coeffmod(
    ConstRNSIter poly, std::size_t coeff_modulus_size, std::uint64_t mono_coeff,
    std::size_t mono_exponent, ConstModulusIter modulus, RNSIter result, MemoryPool& pool) {
  detail::check_iterators(coeff_modulus_size, modulus, result, poly);
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    negacyclic_multiply_poly_mono_coeffmod(poly[i], result.poly_modulus_degree(), mono_coeff,
                                           mono_exponent, modulus[i], result[i], pool);
  }
}
inline void negacyclic_multiply_poly_mono_coeffmod(ConstPolyIter polys, std::size_t size,
                                                   std::uint64_t mono_coeff,
                                                   std::size_t mono_exponent,
                                                   ConstModulusIter modulus, PolyIter result,
                                                   MemoryPool& pool) {
  detail::check_iterators(size, modulus, result, polys);
  for (std::size_t i = 0; i < size; ++i) {
    negacyclic_multiply_poly_mono_coeffmod(polys[i], result.coeff_modulus_size(), mono_coeff,
                                           mono_exponent, modulus, result[i], pool);
  }
}
/// Takes a coefficient for each prime.
inline void negacyclic_multiply_poly_mono_coeffmod(
    ConstRNSIter poly, std::size_t coeff_modulus_size, ConstCoeffIter mono_coeff,
    std::size_t mono_exponent, ConstModulusIter modulus, RNSIter result, MemoryPool& pool) {
  detail::check_iterators(coeff_modulus_size, modulus, result, poly);
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    negacyclic_multiply_poly_mono_coeffmod(poly[i], result.poly_modulus_degree(), mono_coeff[i],
                                           mono_exponent, modulus[i], result[i], pool);
  }
}
inline void negacyclic_multiply_poly_mono_coeffmod(ConstPolyIter polys, std::size_t size,
                                                   ConstCoeffIter mono_coeff,
                                                   std::size_t mono_exponent,
                                                   ConstModulusIter modulus, PolyIter result,
                                                   MemoryPool& pool) {
  detail::check_iterators(size, modulus, result, polys);
  for (std::size_t i = 0; i < size; ++i) {
    negacyclic_multiply_poly_mono_coeffmod(polys[i], result.coeff_modulus_size(), mono_coeff,
                                           mono_exponent, modulus, result[i], pool);
  }
}

#undef RINGLET_SEAL_UNARY
#undef RINGLET_SEAL_BINARY
#undef RINGLET_SEAL_WITH_NUMBER

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
