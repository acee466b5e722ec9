// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet {

/// The operation of one step of a plan; each is an operation of Evaluator.
enum class PlanOperation : std::uint8_t {
  negate,
  add,
  subtract,
  multiply,        ///< without relinearization
  add_known,       ///< adds a known vector at the scale of `a`
  multiply_known,  ///< multiplies by a known vector at scale `known_scale`
  match_scale,     ///< multiplies by 1 at scale `known_scale`
  relinearize,
  rescale,
  relinearize_and_rescale,
  switch_level,  ///< mod_switch_to the level of `prime_count` data primes
  rotate,
  conjugate,
};

/// One step of a plan: computes register `result` from registers `a` and `b`. Each register is
/// written once.
struct PlanStep {
  PlanOperation operation = PlanOperation::negate;
  std::size_t node = 0;  ///< the value of the circuit that the result is a version of
  std::size_t result = 0;
  std::size_t a = 0;
  std::size_t b = 0;  ///< the second register; add_known, multiply_known: the known vector
  int steps = 0;      ///< rotate: steps to the left
  std::size_t prime_count = 0;  ///< data primes of the result
  std::size_t size = 2;         ///< polynomials of the result
  double scale = 1;             ///< scale of the result
  double known_scale = 1;       ///< multiply_known, match_scale: scale of the factor

  /// Returns whether `b` is a register.
  bool reads_two() const noexcept {
    return operation == PlanOperation::add || operation == PlanOperation::subtract ||
           operation == PlanOperation::multiply;
  }
};

/// How many expensive operations a plan has, by kind.
struct PlanCounts {
  std::size_t multiplications = 0;
  std::size_t known_multiplications = 0;
  std::size_t relinearizations = 0;
  std::size_t automorphisms = 0;
  /// Rotations of a value that an earlier step rotates too. If a digit is one prime, such rotations
  /// share the part of key switching before the product by the key.
  std::size_t hoisted = 0;
  std::size_t rescalings = 0;
  /// Returns the number of key switches; each uses one key.
  std::size_t key_switches() const noexcept { return relinearizations + automorphisms; }
};

/// A function that returns whether there is a key for a Galois element.
using HasGaloisKey = std::function<bool(std::uint64_t galois_element)>;
/// Returns one for keys that are made after the plan: each key is there.
RINGLET_API HasGaloisKey any_galois_key();

/// The steps that evaluate a circuit for given parameters: operations, relinearizations, rescalings
/// and changes of level, in order. Planning needs no keys and no transforms and takes microseconds.
///
/// CKKS: a level with l data primes q_1, ..., q_l has one scale D_l. At the first level it is the
/// scale of the inputs; below, D_(l-1) = D_l^2 / q_l. So all values of a level have exactly the
/// same scale, however they were computed. A product at level l has scale D_l^2. The plan rescales
/// the product to D_(l-1) only if it is a result or the operand of another product. So a sum of
/// products is rescaled once. Likewise, the plan relinearizes size 3 to size 2 only where a
/// product, an automorphism or a result needs size 2. If two values of different levels meet, the
/// plan brings the higher one down by a product with 1 at the scale that makes up the difference
/// (Kim, Papadimitriou and Polyakov, "Approximate homomorphic encryption with reduced approximation
/// error", IACR ePrint 2020/1118).
///
/// If an operation is possible at several levels, the plan computes it late:
/// - If only one sum uses a product, the product is computed at the level of that sum. All products
///   of the sum are then relinearized and rescaled together.
/// - If the result of a product by a known vector is needed at a lower level, the product is
///   computed there, without a division: the known vector is encoded at the missing scale.
/// - All rotations of a value are computed together, at the level where they are needed. If only
///   products use the rotations, the value is rescaled before it is rotated.
///
/// If the last data prime is below half of the scale, a level has the fewest primes whose product
/// is not below half of the scale. A rescaling drops all primes of a level, and l above then counts
/// such levels. For example, with scales of 2^80 a level has two primes.
///
/// BGV: the plan chooses levels in the same way, with modulus switching and without scales. BFV:
/// all values stay at the first level.
///
/// The plan leaves out addends that do not change the sum. Such addends are products by known
/// vectors that are 0 (modulo t) and, for CKKS, values below 2^-10 of the last place of the scale
/// whose factors round to 0. It also leaves out the keys and levels that only these addends need.
class RINGLET_API CircuitPlan {
 public:
  /// Plans a circuit. CKKS: `scale` is D of the first level. With `has_key`, a rotation without a
  /// key of its own is composed, as Evaluator does it, of the rotations of its non-adjacent form if
  /// all of these have keys. And at levels of few primes, y = x + rotate(x, s) followed by
  /// y + rotate(y, t) takes rotations of x by s, t and s + t if these have keys: one key switch
  /// more, but CircuitRunner computes all three with one set of digits and one division. Without
  /// `has_key`, every rotation uses its own key.
  /// @throws InvalidArgument if the circuit has no result; its rows are longer than N/2; it is
  ///         deeper than the parameters have levels (the message says how many data primes
  ///         suffice); known vectors are not integers for BFV and BGV, or longer than a row for
  ///         CKKS; a result is 0 modulo t or at the scale, or does not depend on the inputs; it
  ///         relinearizes or rotates and there is no special prime; the ring is not X^N + 1; for
  ///         BFV and BGV, t is not a prime = 1 mod 2N and the circuit has operations other than
  ///         sums, differences and products by constants (with rows of one slot, whose values are
  ///         constant polynomials, also products and added constants are allowed); `scale` is not a
  ///         positive normal number, or the scale of a level is more than twice or less than half
  ///         of it (the primes are too far from the scale).
  CircuitPlan(const Circuit& circuit, const EncryptionParameters& parms, double scale = 1,
              const HasGaloisKey& has_key = {});

  std::span<const PlanStep> steps() const noexcept { return steps_; }
  /// Returns the number of registers: registers 0, 1, ... hold the inputs; the registers after them
  /// hold the results of the steps.
  std::size_t register_count() const noexcept { return input_count_ + steps_.size(); }
  std::size_t input_count() const noexcept { return input_count_; }
  /// Returns the registers of the circuit's results.
  std::span<const std::size_t> outputs() const noexcept { return outputs_; }
  /// Returns the number of data primes of the inputs, those of the first level.
  std::size_t input_prime_count() const noexcept { return input_prime_count_; }
  /// Returns D for the level of `prime_count` data primes, if there is such a level; 1 for BFV and
  /// BGV.
  double scale_at(std::size_t prime_count) const noexcept { return scales_[prime_count]; }
  const PlanCounts& counts() const noexcept { return counts_; }
  bool needs_relinearization() const noexcept { return counts_.relinearizations != 0; }
  /// Returns the Galois elements of exactly the keys that the plan needs, in ascending order.
  std::span<const std::uint64_t> galois_elements() const noexcept { return galois_elements_; }

 private:
  class Planner;

  std::vector<PlanStep> steps_;
  std::vector<std::size_t> outputs_;
  std::vector<std::uint64_t> galois_elements_;
  std::vector<double> scales_;
  PlanCounts counts_;
  std::size_t input_count_ = 0;
  std::size_t input_prime_count_ = 0;
};

}  // namespace ringlet
