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

/// Computes result = poly mod modulus, for any words.
RINGLET_SEAL_API void modulo_poly_coeffs(ConstCoeffIter poly, std::size_t coeff_count,
                                         const Modulus& modulus, CoeffIter result);
inline void modulo_poly_coeffs(ConstRNSIter poly, std::size_t coeff_modulus_size,
                               ConstModulusIter modulus, RNSIter result) {
  detail::check_iterators(coeff_modulus_size, modulus, result, poly);
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    modulo_poly_coeffs(poly[i], result.poly_modulus_degree(), modulus[i], result[i]);
  }
}
inline void modulo_poly_coeffs(ConstPolyIter polys, std::size_t size, ConstModulusIter modulus,
                               PolyIter result) {
  detail::check_iterators(size, modulus, result, polys);
  for (std::size_t i = 0; i < size; ++i) {
    modulo_poly_coeffs(polys[i], result.coeff_modulus_size(), modulus, result[i]);
  }
}

/// Computes result = -poly, for reduced words.
RINGLET_SEAL_API void negate_poly_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                           const Modulus& modulus, CoeffIter result);
inline void negate_poly_coeffmod(ConstRNSIter poly, std::size_t coeff_modulus_size,
                                 ConstModulusIter modulus, RNSIter result) {
  detail::check_iterators(coeff_modulus_size, modulus, result, poly);
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    negate_poly_coeffmod(poly[i], result.poly_modulus_degree(), modulus[i], result[i]);
  }
}
inline void negate_poly_coeffmod(ConstPolyIter polys, std::size_t size, ConstModulusIter modulus,
                                 PolyIter result) {
  detail::check_iterators(size, modulus, result, polys);
  for (std::size_t i = 0; i < size; ++i) {
    negate_poly_coeffmod(polys[i], result.coeff_modulus_size(), modulus, result[i]);
  }
}

/// Computes result = a + b, for reduced words.
RINGLET_SEAL_API void add_poly_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count,
                                        const Modulus& modulus, CoeffIter result);
inline void add_poly_coeffmod(ConstRNSIter a, ConstRNSIter b, std::size_t coeff_modulus_size,
                              ConstModulusIter modulus, RNSIter result) {
  detail::check_iterators(coeff_modulus_size, modulus, result, a, b);
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    add_poly_coeffmod(a[i], b[i], result.poly_modulus_degree(), modulus[i], result[i]);
  }
}
inline void add_poly_coeffmod(ConstPolyIter a, ConstPolyIter b, std::size_t size,
                              ConstModulusIter modulus, PolyIter result) {
  detail::check_iterators(size, modulus, result, a, b);
  for (std::size_t i = 0; i < size; ++i) {
    add_poly_coeffmod(a[i], b[i], result.coeff_modulus_size(), modulus, result[i]);
  }
}

/// Computes result = a - b, for reduced words.
RINGLET_SEAL_API void sub_poly_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count,
                                        const Modulus& modulus, CoeffIter result);
inline void sub_poly_coeffmod(ConstRNSIter a, ConstRNSIter b, std::size_t coeff_modulus_size,
                              ConstModulusIter modulus, RNSIter result) {
  detail::check_iterators(coeff_modulus_size, modulus, result, a, b);
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    sub_poly_coeffmod(a[i], b[i], result.poly_modulus_degree(), modulus[i], result[i]);
  }
}
inline void sub_poly_coeffmod(ConstPolyIter a, ConstPolyIter b, std::size_t size,
                              ConstModulusIter modulus, PolyIter result) {
  detail::check_iterators(size, modulus, result, a, b);
  for (std::size_t i = 0; i < size; ++i) {
    sub_poly_coeffmod(a[i], b[i], result.coeff_modulus_size(), modulus, result[i]);
  }
}

/// Computes result[i] = poly[i] + scalar, for reduced words.
/// @throws std::invalid_argument also if the scalar is not reduced.
RINGLET_SEAL_API void add_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                               std::uint64_t scalar, const Modulus& modulus,
                                               CoeffIter result);
inline void add_poly_scalar_coeffmod(ConstRNSIter poly, std::size_t coeff_modulus_size,
                                     std::uint64_t scalar, ConstModulusIter modulus,
                                     RNSIter result) {
  detail::check_iterators(coeff_modulus_size, modulus, result, poly);
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    add_poly_scalar_coeffmod(poly[i], result.poly_modulus_degree(), scalar, modulus[i], result[i]);
  }
}
inline void add_poly_scalar_coeffmod(ConstPolyIter polys, std::size_t size, std::uint64_t scalar,
                                     ConstModulusIter modulus, PolyIter result) {
  detail::check_iterators(size, modulus, result, polys);
  for (std::size_t i = 0; i < size; ++i) {
    add_poly_scalar_coeffmod(polys[i], result.coeff_modulus_size(), scalar, modulus, result[i]);
  }
}

/// Computes result[i] = poly[i] - scalar, for reduced words; errors as add_poly_scalar_coeffmod.
RINGLET_SEAL_API void sub_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                               std::uint64_t scalar, const Modulus& modulus,
                                               CoeffIter result);
inline void sub_poly_scalar_coeffmod(ConstRNSIter poly, std::size_t coeff_modulus_size,
                                     std::uint64_t scalar, ConstModulusIter modulus,
                                     RNSIter result) {
  detail::check_iterators(coeff_modulus_size, modulus, result, poly);
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    sub_poly_scalar_coeffmod(poly[i], result.poly_modulus_degree(), scalar, modulus[i], result[i]);
  }
}
inline void sub_poly_scalar_coeffmod(ConstPolyIter polys, std::size_t size, std::uint64_t scalar,
                                     ConstModulusIter modulus, PolyIter result) {
  detail::check_iterators(size, modulus, result, polys);
  for (std::size_t i = 0; i < size; ++i) {
    sub_poly_scalar_coeffmod(polys[i], result.coeff_modulus_size(), scalar, modulus, result[i]);
  }
}

/// Computes result = poly * scalar, for any words; faster where words are below 4*modulus.
RINGLET_SEAL_API void multiply_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                                    MultiplyUIntModOperand scalar,
                                                    const Modulus& modulus, CoeffIter result);
RINGLET_SEAL_API void multiply_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                                    std::uint64_t scalar, const Modulus& modulus,
                                                    CoeffIter result);
inline void multiply_poly_scalar_coeffmod(ConstRNSIter poly, std::size_t coeff_modulus_size,
                                          std::uint64_t scalar, ConstModulusIter modulus,
                                          RNSIter result) {
  detail::check_iterators(coeff_modulus_size, modulus, result, poly);
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    multiply_poly_scalar_coeffmod(poly[i], result.poly_modulus_degree(), scalar, modulus[i],
                                  result[i]);
  }
}
inline void multiply_poly_scalar_coeffmod(ConstPolyIter polys, std::size_t size,
                                          std::uint64_t scalar, ConstModulusIter modulus,
                                          PolyIter result) {
  detail::check_iterators(size, modulus, result, polys);
  for (std::size_t i = 0; i < size; ++i) {
    multiply_poly_scalar_coeffmod(polys[i], result.coeff_modulus_size(), scalar, modulus,
                                  result[i]);
  }
}

/// Computes result[i] = a[i] * b[i], for any words: the product of polynomials in NTT form. Faster
/// where words are below 4*modulus.
RINGLET_SEAL_API void dyadic_product_coeffmod(ConstCoeffIter a, ConstCoeffIter b,
                                              std::size_t coeff_count, const Modulus& modulus,
                                              CoeffIter result);
inline void dyadic_product_coeffmod(ConstRNSIter a, ConstRNSIter b, std::size_t coeff_modulus_size,
                                    ConstModulusIter modulus, RNSIter result) {
  detail::check_iterators(coeff_modulus_size, modulus, result, a, b);
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    dyadic_product_coeffmod(a[i], b[i], result.poly_modulus_degree(), modulus[i], result[i]);
  }
}
inline void dyadic_product_coeffmod(ConstPolyIter a, ConstPolyIter b, std::size_t size,
                                    ConstModulusIter modulus, PolyIter result) {
  detail::check_iterators(size, modulus, result, a, b);
  for (std::size_t i = 0; i < size; ++i) {
    dyadic_product_coeffmod(a[i], b[i], result.coeff_modulus_size(), modulus, result[i]);
  }
}

/// Returns the largest absolute value of the words, where each word stands for the number nearest
/// to zero that is equal to it modulo the modulus.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t poly_infty_norm_coeffmod(ConstCoeffIter operand,
                                                                       std::size_t coeff_count,
                                                                       const Modulus& modulus);

/// Computes result = poly * X^shift modulo X^coeff_count + 1, for reduced words and any shift.
RINGLET_SEAL_API void negacyclic_shift_poly_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                                     std::size_t shift, const Modulus& modulus,
                                                     CoeffIter result);
inline void negacyclic_shift_poly_coeffmod(ConstRNSIter poly, std::size_t coeff_modulus_size,
                                           std::size_t shift, ConstModulusIter modulus,
                                           RNSIter result) {
  detail::check_iterators(coeff_modulus_size, modulus, result, poly);
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    negacyclic_shift_poly_coeffmod(poly[i], result.poly_modulus_degree(), shift, modulus[i],
                                   result[i]);
  }
}
inline void negacyclic_shift_poly_coeffmod(ConstPolyIter polys, std::size_t size, std::size_t shift,
                                           ConstModulusIter modulus, PolyIter result) {
  detail::check_iterators(size, modulus, result, polys);
  for (std::size_t i = 0; i < size; ++i) {
    negacyclic_shift_poly_coeffmod(polys[i], result.coeff_modulus_size(), shift, modulus,
                                   result[i]);
  }
}

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

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
