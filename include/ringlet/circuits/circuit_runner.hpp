// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
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

namespace circuits {
struct Schedule;
}

/// The keys of a circuit.
struct CircuitKeys {
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
};

/// A function that receives the number of steps done and the number of all steps. It is called
/// after each step; several rotations of one value count as one step. An exception that it throws
/// ends the call without any effect.
using CircuitProgress = std::function<void(std::size_t done, std::size_t total)>;

/// Computes a circuit any number of times: holds its plan and its encoded known vectors. Immutable;
/// several threads may use it at once.
class RINGLET_API CircuitRunner {
 public:
  /// Plans the circuit for the parameters of `context` and encodes the known vectors, each at the
  /// levels where it is used. Each use has one polynomial, of at most N words per prime. Inputs
  /// have scale `scale` (CKKS) and the level of `input_prime_count` data primes; 0 means the first
  /// level. The plan is that of parameters with these data primes alone. The constructor calls
  /// `progress` after it has encoded the vectors of a step of the plan; planning comes before the
  /// first call. `has_key` is passed to CircuitPlan. CKKS: a known factor that rounds to 0 is
  /// encoded as 1 in the last place of its scale.
  /// @throws as CircuitPlan, check_results_decrypt and the encoders; InvalidArgument if the context
  ///         has no such level; what `progress` throws.
  CircuitRunner(const Circuit& circuit, const Context& context, double scale = 1,
                std::size_t input_prime_count = 0, const CircuitProgress& progress = {},
                const HasGaloisKey& has_key = {});

  const CircuitPlan& plan() const noexcept { return plan_; }
  const Context& context() const noexcept { return context_; }
  /// Returns the size of the encoded known vectors in bytes: 8 per word.
  std::size_t byte_count() const noexcept;

  /// Makes exactly the keys that the plan needs.
  /// @throws as KeyGenerator.
  CircuitKeys create_keys(const KeyGenerator& generator) const;

  /// Computes the circuit and returns the results in the order of their declaration. Inputs have
  /// size 2, the level of the plan's inputs and, for CKKS, the scale of the plan. `evaluator` may
  /// compute on a device.
  /// @throws InvalidArgument if the number of inputs is not that of the circuit, an input does not
  ///         fit the plan, or keys are missing (checked before anything is computed; the message
  ///         names all of them); as the operations of Evaluator; what `progress` throws.
  std::vector<Ciphertext> run(const Evaluator& evaluator, std::span<const Ciphertext> inputs,
                              const CircuitKeys& keys, const CircuitProgress& progress = {}) const;
  /// Does the same for inputs that are not side by side.
  std::vector<Ciphertext> run(const Evaluator& evaluator, std::span<const Ciphertext* const> inputs,
                              const CircuitKeys& keys, const CircuitProgress& progress = {}) const;

 private:
  /// A known vector as it is encoded: its index, data primes and scale.
  struct Use {
    std::size_t vector;
    std::size_t prime_count;
    double scale;
    bool is_factor;
    auto operator<=>(const Use&) const = default;
  };
  class Run;
  struct Encoders;

  void encode(const Circuit& circuit, const CircuitProgress& progress);
  void encode(const Circuit& circuit, const PlanStep& step, Encoders& encoders);
  const Plaintext& encoded(const PlanStep& step) const;
  static Use use_of(const PlanStep& step);
  void check_inputs(std::span<const Ciphertext* const> inputs) const;
  void check_keys(const CircuitKeys& keys) const;

  Context context_;
  CircuitPlan plan_;
  std::map<Use, Plaintext> encoded_;
  std::shared_ptr<const circuits::Schedule> schedule_;
};

}  // namespace ringlet
