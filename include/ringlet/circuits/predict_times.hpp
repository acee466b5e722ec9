// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet {

/// The steps of a plan with the same operation, level and operand size; each takes the same time.
struct PredictedStep {
  PlanOperation operation = PlanOperation::negate;
  std::size_t prime_count = 0;  ///< data primes of the first operand
  std::size_t size = 2;         ///< polynomials of the first operand
  std::size_t count = 0;        ///< the number of such steps
  double seconds = 0;           ///< the time of all of them together
};

/// Times in seconds on this machine, with its present threads and kernels; each time is the least
/// of several measurements.
struct PredictedTimes {
  double circuit = 0;  ///< one run of the circuit
  double encode = 0;   ///< one input of all slots; 0 where messages have no slots
  double encrypt = 0;  ///< one input, with the public key, from an encoded plaintext
  double decrypt = 0;  ///< one result, not decoded
  double decode = 0;   ///< one result, after decryption
  double context = 0;  ///< making Context, Evaluator and encoder for the parameters
  double keys = 0;     ///< making the public key and all keys of the plan, in an existing context
  std::vector<PredictedStep> steps;
};

/// Predicts the times of a circuit before any key or message exists. It measures every kind of step
/// of the plan on numbers that replace ciphertexts and keys, and multiplies the time by the number
/// of such steps. A kind of step is an operation at a level; each takes about 10 ms to measure.
/// Kinds take turns, so that keys come from the same level of the caches as in a run. The
/// measurement uses as many keys as the plan, but at most `key_bytes` bytes of keys. So it reads
/// keys from memory instead of a cache if a run does.
///
/// If the machine runs other work meanwhile, the times include the delay.
/// @throws as CircuitPlan and Context; std::bad_alloc.
RINGLET_API PredictedTimes predict_times(const Circuit& circuit, const EncryptionParameters& parms,
                                         double scale = 1,
                                         std::size_t key_bytes = std::size_t{256} << 20);

}  // namespace ringlet
