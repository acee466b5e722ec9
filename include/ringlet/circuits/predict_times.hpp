// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet {

/// Steps of a plan that take the same time.
struct PredictedStep {
  PlanOperation operation = PlanOperation::negate;
  std::size_t prime_count = 0;  ///< data primes of the first operand
  std::size_t size = 2;         ///< its polynomials
  std::size_t count = 0;        ///< how many there are
  double seconds = 0;           ///< of all of them together
};

/// Least times in seconds on this machine, with its threads and kernels as they are now.
struct PredictedTimes {
  double circuit = 0;  ///< one run
  double encode = 0;   ///< one input of all slots; 0 where messages have no slots
  double encrypt = 0;  ///< one input, with the public key, from an encoded plaintext
  double decrypt = 0;  ///< one result, not decoded
  double decode = 0;   ///< one result
  double context = 0;  ///< Context, Evaluator and encoder for the parameters
  double keys = 0;     ///< public key and all keys of the plan, in a context that is there
  std::vector<PredictedStep> steps;
};

/// What a circuit will take, before any key or message is there: every kind of step of its plan is
/// timed on numbers that stand in for ciphertexts and keys, and multiplied by how often it occurs.
/// Kinds take turns, so that keys come from as far in the caches as in a run.
/// Of keys as many stand in as the plan has, but at most `key_bytes` together, so that they come
/// from memory where the real ones will. Takes about 10 ms a kind of step; a kind is an operation
/// at a level.
///
/// Times on a machine that does something else meanwhile are as long as they were then.
/// @throws as CircuitPlan and Context; std::bad_alloc.
RINGLET_API PredictedTimes predict_times(const Circuit& circuit, const EncryptionParameters& parms,
                                         double scale = 1,
                                         std::size_t key_bytes = std::size_t{256} << 20);

}  // namespace ringlet
