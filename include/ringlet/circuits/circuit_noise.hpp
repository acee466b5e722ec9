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

/// A plan of BFV or BGV whose results decrypt wrongly with a higher probability than 2^-this is
/// refused: an attacker who sees failures learns about the key (Checri et al., IACR ePrint
/// 2024/116; Cheon et al., IACR ePrint 2024/127).
inline constexpr double kExactFailureBits = 128;
/// The same of CKKS, where message and noise may leave the modulus, and of the precision that
/// suggest_parameters promises.
inline constexpr double kApproximateFailureBits = 40;

/// What may be given to a circuit as its inputs.
enum class CircuitInputs : std::uint8_t {
  /// Ciphertexts that were encrypted apart from each other.
  independent,
  /// Any, as others choose them: one ciphertext for several inputs too. What SharingDecryptor
  /// needs.
  any,
};

/// The noise of every register of a plan, in their order: inputs, encrypted with the public key,
/// then the result of each step. Each estimate holds but with probability 2^-failure_bits. Messages
/// of BFV and BGV are taken for uniform modulo t. CKKS: a sum of rotations of one value times known
/// slots is estimated as a whole, which is tighter than step by step, as TracingEvaluator does it.
/// @throws InvalidArgument if the plan is not that of this circuit for these parameters, and as
///         NoiseEstimator.
RINGLET_API std::vector<NoiseEstimate> estimate_noise(
    const Circuit& circuit, const CircuitPlan& plan, const EncryptionParameters& parms,
    double failure_bits = NoiseEstimator::kDefaultFailureBits,
    CircuitInputs inputs = CircuitInputs::independent);

/// The same for the results alone.
RINGLET_API std::vector<NoiseEstimate> estimate_results(
    const Circuit& circuit, const CircuitPlan& plan, const EncryptionParameters& parms,
    double failure_bits = NoiseEstimator::kDefaultFailureBits,
    CircuitInputs inputs = CircuitInputs::independent);

/// The same where the inputs have this noise already, at the level of the plan, as results of other
/// circuits have. `estimator` made these estimates, for `parms` or parameters with more data
/// primes.
RINGLET_API std::vector<NoiseEstimate> estimate_results(
    const Circuit& circuit, const CircuitPlan& plan, const EncryptionParameters& parms,
    const NoiseEstimator& estimator, std::span<const NoiseEstimate> inputs,
    CircuitInputs dependence = CircuitInputs::any);

/// Refuses a circuit that the parameters are too small for.
/// @throws InvalidArgument if a result may not decrypt: for BFV and BGV with a probability above
///         2^-kExactFailureBits, for CKKS if message and noise may reach half the modulus with a
///         probability above 2^-kApproximateFailureBits. It says how many bits are
///         missing.
RINGLET_API void check_results_decrypt(const Circuit& circuit, const CircuitPlan& plan,
                                       const EncryptionParameters& parms);

}  // namespace ringlet
