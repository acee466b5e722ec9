// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/estimates/noise_estimator.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet {

/// The limit for BFV and BGV: a plan is refused if its results decrypt wrongly with a probability
/// above 2^-kExactFailureBits. An attacker who sees failures learns about the key (Checri et al.,
/// IACR ePrint 2024/116; Cheon et al., IACR ePrint 2024/127).
inline constexpr double kExactFailureBits = 128;
/// The limit for CKKS: a plan is refused if message and noise may reach half the modulus with a
/// probability above 2^-kApproximateFailureBits. The precision of suggest_parameters() holds except
/// with the same probability.
inline constexpr double kApproximateFailureBits = 40;

/// How the inputs of a circuit are encrypted, and how they may depend on each other.
enum class CircuitInputs : std::uint8_t {
  /// Each input is a separate encryption with the public key.
  independent,
  /// Each input is a separate encryption with the secret key, which has less noise.
  symmetric,
  /// Other parties may choose the inputs: for example, one ciphertext may serve as several inputs.
  /// SharingDecryptor needs estimates of this kind.
  any,
};

/// Estimates the noise of every register of a plan: first of the inputs, freshly encrypted, then of
/// the result of each step. Each estimate holds except with probability
/// 2^-failure_bits. BFV and BGV: messages are assumed to be uniform modulo t. CKKS: a sum of
/// rotations of one value times known slots is estimated as a whole. This estimate is tighter than
/// that of TracingEvaluator, which estimates each operation of Evaluator separately.
/// @throws InvalidArgument if the plan and the circuit have different numbers of inputs, if the
///         plan and the parameters have different numbers of data primes, or if a slot may exceed
///         the range of doubles; as NoiseEstimator.
RINGLET_API std::vector<NoiseEstimate> estimate_noise(
    const Circuit& circuit, const CircuitPlan& plan, const EncryptionParameters& parms,
    double failure_bits = NoiseEstimator::kDefaultFailureBits,
    CircuitInputs inputs = CircuitInputs::independent);

/// Estimates the noise of the results alone, as estimate_noise() does.
RINGLET_API std::vector<NoiseEstimate> estimate_results(
    const Circuit& circuit, const CircuitPlan& plan, const EncryptionParameters& parms,
    double failure_bits = NoiseEstimator::kDefaultFailureBits,
    CircuitInputs inputs = CircuitInputs::independent);

/// Estimates the noise of the results for inputs with the noise `inputs`, such as results of other
/// circuits. The inputs are at the input level of the plan. `estimator` made the estimates in
/// `inputs`, for `parms` or for parameters with more data primes.
RINGLET_API std::vector<NoiseEstimate> estimate_results(
    const Circuit& circuit, const CircuitPlan& plan, const EncryptionParameters& parms,
    const NoiseEstimator& estimator, std::span<const NoiseEstimate> inputs,
    CircuitInputs dependence = CircuitInputs::any);

/// Checks that the results of a circuit decrypt under these parameters.
/// @throws InvalidArgument if a result may not decrypt: for BFV and BGV with a probability above
///         2^-kExactFailureBits, for CKKS if message and noise reach half the modulus with a
///         probability above 2^-kApproximateFailureBits. For BFV and BGV the message says how many
///         bits are missing; for CKKS it gives the scale and the data primes of the result.
RINGLET_API void check_results_decrypt(const Circuit& circuit, const CircuitPlan& plan,
                                       const EncryptionParameters& parms);

}  // namespace ringlet
