// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/schemes/evaluator.hpp"

namespace ringlet {

// Five routines by which implementations of CKKS are compared (Zhai et al., "Accelerating Encrypted
// Computing on Intel GPUs", IPDPS 2022, section IV-C; the table gives the names in this paper).
// Each computes exactly the named operations of Evaluator, one after the other, with the same bits,
// on the device of the Evaluator's context. The paper relinearizes and rescales in two steps; these
// routines use one division. Evaluator::relinearize_and_rescale_to_next states the effect on the
// bits.
//
// With L the number of primes of the factors' level, q_L the last of them and s_x the scale of x:
//
//   routine                              name in paper     polynomials  primes  scale
//   multiply_relinearize                 MulLin            2            L       s_a * s_b
//   multiply_relinearize_rescale         MulLinRS          2            L - 1   s_a * s_b / q_L
//   square_relinearize_rescale           SqrLinRS          2            L - 1   s_a * s_a / q_L
//   multiply_relinearize_rescale_add     MulLinRSModSwAdd  2            L - 1   s_a * s_b / q_L
//   rotate                               Rotate            2            L       s_a
//
// The destination may be one of the operands. On every error all operands and the destination keep
// their values; the exception names the routine and the level and scale of its operands.
//
// The functions on spans compute result i from the elements i of the spans. All destinations are
// written or, on an error, none; the exception names the element. Destinations may be operands in
// any order. Results need memory besides the destinations until the last element is complete.
// @throws InvalidArgument if the spans are empty or of different lengths.

/// Computes a * b, reduced to two polynomials: multiply, relinearize. For every scheme.
/// @throws as Evaluator::multiply and Evaluator::relinearize.
RINGLET_API void multiply_relinearize(const Evaluator& evaluator, const Ciphertext& a,
                                      const Ciphertext& b, const RelinKeys& keys,
                                      Ciphertext& destination);
RINGLET_API void multiply_relinearize(const Evaluator& evaluator, std::span<const Ciphertext> a,
                                      std::span<const Ciphertext> b, const RelinKeys& keys,
                                      std::span<Ciphertext> destinations);

/// Computes a * b one level lower: multiply, relinearize_and_rescale_to_next. CKKS.
/// @throws as Evaluator::multiply and Evaluator::relinearize_and_rescale_to_next.
RINGLET_API void multiply_relinearize_rescale(const Evaluator& evaluator, const Ciphertext& a,
                                              const Ciphertext& b, const RelinKeys& keys,
                                              Ciphertext& destination);
RINGLET_API void multiply_relinearize_rescale(const Evaluator& evaluator,
                                              std::span<const Ciphertext> a,
                                              std::span<const Ciphertext> b, const RelinKeys& keys,
                                              std::span<Ciphertext> destinations);

/// Computes a * a one level lower: square, relinearize_and_rescale_to_next. CKKS.
/// @throws as Evaluator::square and Evaluator::relinearize_and_rescale_to_next.
RINGLET_API void square_relinearize_rescale(const Evaluator& evaluator, const Ciphertext& a,
                                            const RelinKeys& keys, Ciphertext& destination);
RINGLET_API void square_relinearize_rescale(const Evaluator& evaluator,
                                            std::span<const Ciphertext> a, const RelinKeys& keys,
                                            std::span<Ciphertext> destinations);

/// Computes a * b + addend one level lower: multiply, relinearize_and_rescale_to_next;
/// mod_switch_to of the addend to the level of that product; add. The addend is at the level of the
/// rescaled product or above it. Encode the addend with the scale product_scale_after_rescale():
/// scales are never adjusted silently. CKKS.
/// @throws as multiply_relinearize_rescale, Evaluator::mod_switch_to and Evaluator::add.
RINGLET_API void multiply_relinearize_rescale_add(const Evaluator& evaluator, const Ciphertext& a,
                                                  const Ciphertext& b, const Ciphertext& addend,
                                                  const RelinKeys& keys, Ciphertext& destination);
RINGLET_API void multiply_relinearize_rescale_add(
    const Evaluator& evaluator, std::span<const Ciphertext> a, std::span<const Ciphertext> b,
    std::span<const Ciphertext> addends, const RelinKeys& keys, std::span<Ciphertext> destinations);

/// Returns s_a * s_b / q_L, the scale of a * b after one rescaling, to the last bit.
/// @throws InvalidArgument if an operand does not fit the context, levels differ, or there is no
///         lower level.
RINGLET_API double product_scale_after_rescale(const Evaluator& evaluator, const Ciphertext& a,
                                               const Ciphertext& b);

/// Computes Evaluator::rotate_vector: slot i of the result is slot i + steps of a, cyclically.
/// CKKS.
/// @throws as Evaluator::rotate_vector.
RINGLET_API void rotate(const Evaluator& evaluator, const Ciphertext& a, int steps,
                        const GaloisKeys& keys, Ciphertext& destination);
RINGLET_API void rotate(const Evaluator& evaluator, std::span<const Ciphertext> a, int steps,
                        const GaloisKeys& keys, std::span<Ciphertext> destinations);

}  // namespace ringlet
