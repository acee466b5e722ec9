// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "ringlet/ring/rns_poly.hpp"
#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/plaintext.hpp"

// Plaintexts in coefficient form, those of BFV and BGV: polynomials modulo t. Constant time in the
// coefficients, apart from the verdict of a check.

namespace ringlet::schemes {

/// Checks for coefficient form, at most N coefficients, all below t, and scale 1.
/// @throws InvalidArgument otherwise, or if the scheme has no plain modulus.
void check_coefficients(const Context& context, const Plaintext& plain);

/// result = the integers m or, from (t+1)/2 on, m - t, modulo each prime of `level`; zeros follow
/// the coefficients of the message.
void lift_centred(const Context& context, const ContextData& level, const Plaintext& plain,
                  CoeffView result);
/// Returns them in NTT form, where the backend of `context` computes.
NttPoly lift_centred_to_ntt(const Context& context, const ContextData& level,
                            const Plaintext& plain);

/// Returns coefficients modulo t without trailing zeros, at least one, in memory of the context.
/// Their number is no secret.
Plaintext trimmed(const Context& context, std::span<const std::uint64_t> coefficients);

/// destination = a * plain. Both are in either form, fit the context and are at one level where the
/// plaintext has one. The result has the form of a.
/// @throws LogicError if the result is transparent.
void multiply_plain(const Context& context, const ContextData& level, const Ciphertext& a,
                    const Plaintext& plain, double scale, Ciphertext& destination);

/// destination = sum over k of *a[k] * *plains[k], with the bits of products and sums one after the
/// other. There is at least one term. The ciphertexts have one level, form, size, secret key and
/// correction factor; the plaintexts are in NTT form at that level; products have one scale.
/// @throws LogicError if the result is transparent.
void inner_product_plain(const Context& context, const ContextData& level,
                         std::span<const Ciphertext* const> a,
                         std::span<const Plaintext* const> plains, double scale,
                         Ciphertext& destination);

}  // namespace ringlet::schemes
