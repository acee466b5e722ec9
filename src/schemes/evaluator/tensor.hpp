// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"

// Products of ciphertexts as polynomials in the secret key.

namespace ringlet::schemes {

/// product[k] = sum over i + j = k of a[i] * b[j], for k < a.size() + b.size() - 1. Results overlap
/// no operand.
void tensor(const Backend& backend, PrimeIndices primes, std::span<const ConstNttView> a,
            std::span<const ConstNttView> b, std::span<const NttView> product);
/// Does the same for b = a: computes each mixed product once, and doubles it.
void tensor_square(const Backend& backend, PrimeIndices primes, std::span<const ConstNttView> a,
                   std::span<const NttView> product);

/// @throws InvalidArgument if `size` passes kMaxCiphertextSize.
void check_product_size(std::size_t size);

/// Compute a * b and a * a of ciphertexts in NTT form at one level, where schemes multiply so.
/// @throws InvalidArgument if the size is too large; LogicError if the result is transparent.
void multiply_in_ntt_form(const Context& context, const Ciphertext& a, const Ciphertext& b,
                          double scale, std::uint64_t correction_factor, Ciphertext& destination);
void square_in_ntt_form(const Context& context, const Ciphertext& a, double scale,
                        std::uint64_t correction_factor, Ciphertext& destination);

}  // namespace ringlet::schemes
