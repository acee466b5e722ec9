// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ringlet/schemes/ciphertext_matrix.hpp"

// Products of matrices of ciphertexts over a backend.

namespace ringlet::schemes {

/// Returns "a of 2 x 3 ciphertexts of size 2 at chain index 1, scale 2^40" for messages.
std::string describe(const Context& context, const char* name, const CiphertextMatrix& matrix);

/// @throws InvalidArgument if the matrix has no entries; `name` is what the message calls it.
void check_not_empty(const CiphertextMatrix& matrix, const char* name);

/// Returns the key identifier of the product of two matrices that check_factors has passed.
KeyId key_of(const CiphertextMatrix& a, const CiphertextMatrix& b);

/// Checks both factors and returns their level.
/// @throws as multiply_accumulate, for what does not concern the sum.
const ContextData& check_factors(const Context& context, const CiphertextMatrix& a,
                                 const CiphertextMatrix& b);
/// Checks that `c` fits the product of checked factors.
/// @throws as multiply_accumulate.
void check_sum(const Context& context, const CiphertextMatrix& c, const CiphertextMatrix& a,
               const CiphertextMatrix& b);

struct ProductOptions {
  MatrixProduct form = MatrixProduct::fused;
  /// The number of polynomials of each entry that hold a summand; the others are overwritten.
  std::size_t held = 0;
};

/// Adds the product of checked factors to `entries` or writes it over them. They have the size and
/// the number of the result's. Memory is allocated before the first write.
void add_matrix_product(const Context& context, const CiphertextMatrix& a,
                        const CiphertextMatrix& b, std::span<Ciphertext> entries,
                        const ProductOptions& options);

}  // namespace ringlet::schemes
