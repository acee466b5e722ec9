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

/// One step of a plan: an operation of Evaluator.
enum class PlanOperation : std::uint8_t {
  negate,
  add,
  subtract,
  multiply,        ///< without relinearization
  add_known,       ///< a known vector at the scale of `a`
  multiply_known,  ///< by a known vector at scale `known_scale`
  match_scale,     ///< multiply by 1 at scale `known_scale`
  relinearize,
  rescale,
  relinearize_and_rescale,
  switch_level,  ///< mod_switch_to `prime_count` data primes
  rotate,
  conjugate,
};

/// Makes register `result` from registers `a` and `b`; each register is written once.
struct PlanStep {
  PlanOperation operation = PlanOperation::negate;
  std::size_t node = 0;  ///< of the circuit: what value the result is a form of
  std::size_t result = 0;
  std::size_t a = 0;
  std::size_t b = 0;            ///< the second register; add_known, multiply_known: the vector
  int steps = 0;                ///< rotate
  std::size_t prime_count = 0;  ///< data primes of the result
  std::size_t size = 2;         ///< polynomials of the result
  double scale = 1;             ///< of the result
  double known_scale = 1;       ///< multiply_known, match_scale
};

/// How often a plan does what costs time.
struct PlanCounts {
  std::size_t multiplications = 0;
  std::size_t known_multiplications = 0;
  std::size_t relinearizations = 0;
  std::size_t automorphisms = 0;
  /// Rotations of a value that has been rotated before: with digits of one prime they share what a
  /// key switch does before it meets the key.
  std::size_t hoisted = 0;
  std::size_t rescalings = 0;
  /// Each takes one key.
  std::size_t key_switches() const noexcept { return relinearizations + automorphisms; }
};

/// Whether there is a key for a Galois element.
using HasGaloisKey = std::function<bool(std::uint64_t galois_element)>;

/// A circuit for given parameters: every relinearization, rescaling and change of level, in order.
/// Pure arithmetic on the declaration: no keys, no transforms, microseconds.
///
/// The rule of CKKS. A level with l data primes q_1, ..., q_l has one scale D_l: that of the
/// inputs at the first level, and D_(l-1) = D_l^2 / q_l below. So whatever way a value has come, at
/// one level all scales agree, exactly. A product at level l has scale D_l^2; it is rescaled, to
/// D_(l-1), when a product takes it or it is a result, and not before: sums of products are
/// rescaled once. In the same way size 3 is brought back to 2 when a product, an automorphism or a
/// result asks for it. A value that meets one of a lower level is brought there by a product with 1
/// at the scale that makes up the difference (Kim, Papadimitriou and Polyakov, "Approximate
/// homomorphic encryption with reduced approximation error", IACR ePrint 2020/1118).
/// What need not happen at the first level that allows it happens later. A product that one sum
/// alone takes is computed at the level of that sum, so that all of its products are relinearized
/// and rescaled together. A product by a known vector whose result is wanted at a lower level is
/// computed there, without a division: the known vector is encoded at the scale that is missing.
/// A value is rotated at the level where its rotations are asked for, all of them together, and
/// rescaled before if all that they are taken for is products.
///
/// Where the last data prime is below half of the scale, a level takes as many primes as make up
/// for that, and a rescaling drops them all: l above then counts such levels. So scales of 2^80
/// have levels of two primes.
///
/// The rule of BGV: levels in the same way, by modulus switching, without scales. BFV stays at the
/// first level.
///
/// Products by known vectors that are 0 (modulo t), and for CKKS values below 2^-10 of the scale's
/// last place that are made of factors which round to 0, are left out where they are added to
/// something else, and so are the keys and levels that they alone take.
class RINGLET_API CircuitPlan {
 public:
  /// `scale` is D of the first level, for CKKS. With `has_key`, a rotation that has no key of its
  /// own is composed as Evaluator does it, of those of its non-adjacent form, where all of these
  /// have keys; without, every rotation takes its own.
  /// @throws InvalidArgument if the circuit has no result; its rows are longer than N/2; it is
  ///         deeper than the parameters have levels (the message says how many it takes); known
  ///         vectors are not integers for BFV and BGV, or longer than a row for CKKS; a result is 0
  ///         modulo t or at the scale, or known numbers alone; it relinearizes or rotates and there
  ///         is no special prime; the ring is not X^N + 1; for BFV and BGV t is no prime = 1 mod 2N
  ///         and the circuit has other operations than sums, differences and products by constants
  ///         (in rows of one slot, which are constant polynomials, products and constants too);
  ///         scale is not a positive normal number,
  ///         or the scale of a level is more than twice or less than half of it (primes too far
  ///         from the scale).
  CircuitPlan(const Circuit& circuit, const EncryptionParameters& parms, double scale = 1,
              const HasGaloisKey& has_key = {});

  std::span<const PlanStep> steps() const noexcept { return steps_; }
  /// Registers 0, 1, ... are the inputs, then come the results of the steps.
  std::size_t register_count() const noexcept { return input_count_ + steps_.size(); }
  std::size_t input_count() const noexcept { return input_count_; }
  /// The registers of the circuit's results.
  std::span<const std::size_t> outputs() const noexcept { return outputs_; }
  /// Data primes of the inputs: those of the first level.
  std::size_t input_prime_count() const noexcept { return input_prime_count_; }
  /// D for the level of so many data primes, if there is one; 1 for BFV and BGV.
  double scale_at(std::size_t prime_count) const noexcept { return scales_[prime_count]; }
  const PlanCounts& counts() const noexcept { return counts_; }
  bool needs_relinearization() const noexcept { return counts_.relinearizations != 0; }
  /// Ascending: exactly the keys to make.
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
