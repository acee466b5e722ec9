// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/key_generator.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "ringlet/schemes/evaluator.hpp"

namespace ringlet {

/// The keys of a circuit.
struct CircuitKeys {
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
};

/// Told after each step how many of how many are done. What it throws ends the call, which changes
/// nothing.
using CircuitProgress = std::function<void(std::size_t done, std::size_t total)>;

/// A circuit with its plan and its known vectors encoded, ready to be computed as often as wanted.
/// Immutable; may be used by several threads at once.
class RINGLET_API CircuitRunner {
 public:
  /// Plans for the parameters of the context and encodes the known vectors, each at the levels
  /// where it is used: a polynomial per use, at most N words a prime. Inputs are at the level of so
  /// many data primes, and for CKKS of that scale: at the first level if the number is 0. The plan
  /// is that of parameters with these data primes alone. `progress` is told after each step of the
  /// plan once what it needs is encoded: planning comes before the first one. CKKS: a known factor
  /// that rounds to 0 is encoded as 1 in the last place of its scale. `has_key` is that of the
  /// plan.
  /// @throws as CircuitPlan, check_results_decrypt and the encoders; InvalidArgument if the context
  ///         has no such level; what `progress` throws.
  CircuitRunner(const Circuit& circuit, const Context& context, double scale = 1,
                std::size_t input_prime_count = 0, const CircuitProgress& progress = {},
                const HasGaloisKey& has_key = {});

  const CircuitPlan& plan() const noexcept { return plan_; }
  const Context& context() const noexcept { return context_; }
  /// Payload of the encoded known vectors: 8 bytes per word.
  std::size_t byte_count() const noexcept;

  /// Exactly the keys of the plan.
  /// @throws as KeyGenerator.
  CircuitKeys create_keys(const KeyGenerator& generator) const;

  /// The results, in the order in which they were declared. Inputs have size 2, lie at the level
  /// of the plan's inputs and, for CKKS, have the scale of the plan. `evaluator` may compute on a
  /// device.
  /// @throws InvalidArgument if there are not as many inputs as declared, one is not as described,
  ///         or keys are missing (which is found before anything is computed, and all of them are
  ///         named); as the operations of Evaluator; what `progress` throws.
  std::vector<Ciphertext> run(const Evaluator& evaluator, std::span<const Ciphertext> inputs,
                              const CircuitKeys& keys, const CircuitProgress& progress = {}) const;

 private:
  /// The place of the known vector, data primes, scale.
  struct Use {
    std::size_t vector;
    std::size_t prime_count;
    double scale;
    bool is_factor;
    auto operator<=>(const Use&) const = default;
  };
  class Run;

  void encode(const Circuit& circuit, const CircuitProgress& progress);
  void encode(const Circuit& circuit, const PlanStep& step, const Evaluator& evaluator);
  const Plaintext& encoded(const PlanStep& step) const;
  static Use use_of(const PlanStep& step);
  void check_inputs(std::span<const Ciphertext> inputs) const;
  void check_keys(const CircuitKeys& keys) const;

  Context context_;
  CircuitPlan plan_;
  std::map<Use, Plaintext> encoded_;
  std::vector<std::size_t> last_use_;  // of each register, as a step
};

}  // namespace ringlet
