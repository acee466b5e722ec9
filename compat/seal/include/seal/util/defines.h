// SPDX-License-Identifier: Apache-2.0
#pragma once

// Macros and limits with the names that programs for SEAL use.

#include <cstddef>

#include "seal/util/config.h"

/// Exports a class or function from the shared library.
#define RINGLET_SEAL_API __attribute__((visibility("default")))

#define SEAL_NODISCARD [[nodiscard]]
#define SEAL_MAYBE_UNUSED [[maybe_unused]]

// Limits of parameters and ciphertexts, both ends included.
#define SEAL_POLY_MOD_DEGREE_MIN 2
#define SEAL_POLY_MOD_DEGREE_MAX 131072
#define SEAL_COEFF_MOD_COUNT_MIN 1
#define SEAL_COEFF_MOD_COUNT_MAX 256
#define SEAL_MOD_BIT_COUNT_MIN 2
#define SEAL_MOD_BIT_COUNT_MAX 61
#define SEAL_USER_MOD_BIT_COUNT_MIN 2
#define SEAL_USER_MOD_BIT_COUNT_MAX 60
#define SEAL_PLAIN_MOD_BIT_COUNT_MIN SEAL_USER_MOD_BIT_COUNT_MIN
#define SEAL_PLAIN_MOD_BIT_COUNT_MAX SEAL_USER_MOD_BIT_COUNT_MAX
#define SEAL_CIPHERTEXT_SIZE_MIN 2
#define SEAL_CIPHERTEXT_SIZE_MAX 16
#define SEAL_INTERNAL_MOD_BIT_COUNT 61

// How many products of two numbers below a modulus of the greatest size fit in 128 bits together.
#define SEAL_MULTIPLY_ACCUMULATE_MOD_MAX (1 << (128 - 2 * SEAL_MOD_BIT_COUNT_MAX))
#define SEAL_MULTIPLY_ACCUMULATE_INTERNAL_MOD_MAX (1 << (128 - 2 * SEAL_INTERNAL_MOD_BIT_COUNT))
#define SEAL_MULTIPLY_ACCUMULATE_USER_MOD_MAX (1 << (128 - 2 * SEAL_USER_MOD_BIT_COUNT_MAX))

/// Names the function that samples the noise of encryptions.
#define SEAL_NOISE_SAMPLER sample_poly_cbd

/// Calls a function for each of a number of values of an iterator: SEAL_ITERATE(iter, count, f).
#define SEAL_ITERATE seal::util::seal_for_each_n

#define SEAL_FORCE_INLINE inline
#define SEAL_IF_CONSTEXPR if constexpr

#define RINGLET_SEAL_JOIN_EXPANDED(a, b) a##b
#define SEAL_JOIN(a, b) RINGLET_SEAL_JOIN_EXPANDED(a, b)
#define SEAL_STRINGIZE_EXPANDED(text) #text
#define SEAL_STRINGIZE(text) SEAL_STRINGIZE_EXPANDED(text)

// Each macro below defines an iterator `name` over new memory of a pool, which lives until the end
// of the scope. The names with ZERO fill it with zeros.
#define RINGLET_SEAL_MEMORY SEAL_JOIN(ringlet_seal_memory_, __LINE__)
#define SEAL_ALLOCATE_GET_PTR_ITER(name, type, size, pool)          \
  auto RINGLET_SEAL_MEMORY(seal::util::allocate<type>(size, pool)); \
  seal::util::PtrIter<type*> name(RINGLET_SEAL_MEMORY.get());
#define SEAL_ALLOCATE_GET_STRIDE_ITER(name, type, size, stride, pool)                             \
  auto RINGLET_SEAL_MEMORY(seal::util::allocate<type>(seal::util::mul_safe(size, stride), pool)); \
  seal::util::StrideIter<type*> name(RINGLET_SEAL_MEMORY.get(), stride);
#define SEAL_ALLOCATE_GET_COEFF_ITER(name, poly_modulus_degree, pool)             \
  auto RINGLET_SEAL_MEMORY(seal::util::allocate_uint(poly_modulus_degree, pool)); \
  seal::util::CoeffIter name(RINGLET_SEAL_MEMORY.get());
#define SEAL_ALLOCATE_GET_RNS_ITER(name, poly_modulus_degree, coeff_modulus_size, pool) \
  auto RINGLET_SEAL_MEMORY(                                                             \
      seal::util::allocate_poly(poly_modulus_degree, coeff_modulus_size, pool));        \
  seal::util::RNSIter name(RINGLET_SEAL_MEMORY.get(), poly_modulus_degree);
#define SEAL_ALLOCATE_GET_POLY_ITER(name, poly_count, poly_modulus_degree, coeff_modulus_size,     \
                                    pool)                                                          \
  auto RINGLET_SEAL_MEMORY(                                                                        \
      seal::util::allocate_poly_array(poly_count, poly_modulus_degree, coeff_modulus_size, pool)); \
  seal::util::PolyIter name(RINGLET_SEAL_MEMORY.get(), poly_modulus_degree, coeff_modulus_size);
#define SEAL_ALLOCATE_ZERO_GET_COEFF_ITER(name, poly_modulus_degree, pool)             \
  auto RINGLET_SEAL_MEMORY(seal::util::allocate_zero_uint(poly_modulus_degree, pool)); \
  seal::util::CoeffIter name(RINGLET_SEAL_MEMORY.get());
#define SEAL_ALLOCATE_ZERO_GET_RNS_ITER(name, poly_modulus_degree, coeff_modulus_size, pool) \
  auto RINGLET_SEAL_MEMORY(                                                                  \
      seal::util::allocate_zero_poly(poly_modulus_degree, coeff_modulus_size, pool));        \
  seal::util::RNSIter name(RINGLET_SEAL_MEMORY.get(), poly_modulus_degree);
#define SEAL_ALLOCATE_ZERO_GET_POLY_ITER(name, poly_count, poly_modulus_degree,                  \
                                         coeff_modulus_size, pool)                               \
  auto RINGLET_SEAL_MEMORY(seal::util::allocate_zero_poly_array(poly_count, poly_modulus_degree, \
                                                                coeff_modulus_size, pool));      \
  seal::util::PolyIter name(RINGLET_SEAL_MEMORY.get(), poly_modulus_degree, coeff_modulus_size);

namespace ringlet::seal4 {

/// A byte of a buffer for saving and loading.
using seal_byte = std::byte;
using SEAL_BYTE RINGLET_SEAL_GONE("write seal::seal_byte") = seal_byte;

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
