// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuit_plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "circuits/level_ladder.hpp"
#include "circuits/planner.hpp"
#include "ringlet/error.hpp"
#include "ringlet/primes.hpp"
#include "ringlet/ring_spec.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {
namespace {

constexpr const char* kPlanOperation = "CircuitPlan";

bool is_batching(const EncryptionParameters& parms) {
  const std::uint64_t t = parms.plain_modulus();
  return t > 1 && t % parms.ring().modulus_step() == 1 && is_prime(t);
}

// Integers, and slots where they are used.
void check_exact(const Circuit& circuit, const EncryptionParameters& parms) {
  const bool moves_slots = !circuit.rotations().empty() || circuit.uses_conjugation();
  bool has_slots = moves_slots;
  for (const KnownVector& vector : circuit.known_vectors()) {
    has_slots = has_slots || !vector.is_constant();
    if (vector.is_integer()) continue;
    throw_invalid_argument(
        {kPlanOperation,
         concat("a known vector of real or complex numbers, scheme ", to_string(parms.scheme())),
         "integers for bfv and bgv", "declare it with integers, or use ckks"});
  }
  if (!has_slots || is_batching(parms)) return;
  throw_invalid_argument({kPlanOperation,
                          concat(moves_slots ? "rotations" : "a known vector of many slots",
                                 " with plain modulus ", parms.plain_modulus()),
                          "a prime = 1 modulo 2N where slots are used",
                          "take the plain modulus from PlainModulus::batching"});
}

void check_ring(const Circuit& circuit, const EncryptionParameters& parms) {
  if (parms.has_general_ring()) {
    throw_invalid_argument({kPlanOperation, "another ring than X^N + 1", "rings X^N + 1",
                            "use Evaluator and CyclotomicSlots for rings Z[X]/Phi_m"});
  }
  const std::size_t slots = parms.ring().rotation_count();
  if (circuit.row_length() <= slots) return;
  throw_invalid_argument({kPlanOperation, concat("row_length = ", circuit.row_length()),
                          concat("N/2 = ", slots, " slots a row"),
                          concat("use N = ", 2 * circuit.row_length(), " or shorter rows")});
}

void check_depth(const Circuit& circuit, const EncryptionParameters& parms,
                 const LevelLadder& ladder) {
  if (rlwe::traits_of(parms.scheme()).multiplies_over_larger_modulus) return;
  const std::size_t primes = parms.data_primes().size();
  const std::size_t depth = circuit.depth();
  if (depth < ladder.rungs()) return;
  const std::size_t per_level = ladder.primes_per_level();
  throw_invalid_argument({kPlanOperation, concat("a circuit of depth ", depth),
                          concat("the ", primes, " data primes allow a depth of ",
                                 ladder.rungs() == 0 ? 0 : ladder.rungs() - 1,
                                 per_level > 1 ? concat(" at ", per_level, " primes a level") : ""),
                          concat("use parameters with ", depth * per_level + 1, " data primes")});
}

void check_scale(double scale) {
  if (std::isnormal(scale) && scale > 0) return;
  throw_invalid_argument({kPlanOperation, concat("scale = ", scale), "a positive normal number",
                          "use a power of two near to the primes"});
}

// D of each rung from the last one that the circuit comes to.
std::vector<double> rung_scales(const LevelLadder& ladder, double scale, std::size_t lowest) {
  std::vector<double> scales(ladder.rungs() + 1, 1.0);
  scales[ladder.rungs()] = scale;
  for (std::size_t rung = ladder.rungs(); rung > lowest; --rung) {
    const double below = scale_below(scales[rung], ladder.divisor(rung));
    scales[rung - 1] = below;
    if (below <= 2 * scale && 2 * below >= scale) continue;
    throw_invalid_argument(
        {kPlanOperation,
         concat("scale 2^", std::log2(below), " at the level of ", ladder.prime_count(rung - 1),
                " primes"),
         concat("within a factor of two of the first level's 2^", std::log2(scale)),
         "use data primes near to the scale, as suggest_parameters gives them"});
  }
  return scales;
}

}  // namespace

CircuitPlan::CircuitPlan(const Circuit& circuit, const EncryptionParameters& parms, double scale)
    : input_count_(circuit.inputs().size()) {
  if (circuit.outputs().empty()) {
    throw_invalid_argument({kPlanOperation, "a circuit without a result", "at least one result",
                            "declare results with Circuit::output"});
  }
  const rlwe::SchemeTraits traits = rlwe::traits_of(parms.scheme());
  check_ring(circuit, parms);
  if (traits.has_plain_modulus) check_exact(circuit, parms);
  if (traits.has_scale) check_scale(scale);
  const LevelLadder ladder(parms, scale);
  check_depth(circuit, parms, ladder);
  std::vector<double> scales(ladder.rungs() + 1, 1.0);
  if (traits.has_scale) scales = rung_scales(ladder, scale, ladder.rungs() - circuit.depth());

  scales_ = scales;
  input_prime_count_ = ladder.rungs();
  Planner(circuit, parms, *this).run();
  // From rungs to primes.
  steps_ = expand_steps(steps_, input_count_, ladder, outputs_, parms);
  counts_.rescalings *= ladder.primes_per_level();
  input_prime_count_ = parms.data_primes().size();
  scales_.assign(input_prime_count_ + 1, 1.0);
  for (std::size_t rung = 1; rung <= ladder.rungs(); ++rung) {
    scales_[ladder.prime_count(rung)] = scales[rung];
  }

  const RingSpec ring = parms.ring();
  std::set<std::uint64_t> elements;
  for (const PlanStep& step : steps_) {
    if (step.operation == PlanOperation::rotate) {
      elements.insert(ring.galois_element_from_step(step.steps));
    } else if (step.operation == PlanOperation::conjugate) {
      elements.insert(ring.conjugation_element());
    }
  }
  galois_elements_.assign(elements.begin(), elements.end());
  if (counts_.key_switches() == 0 || !parms.special_primes().empty()) return;
  throw_invalid_argument(
      {kPlanOperation, concat("a circuit with ", counts_.key_switches(), " key switches"),
       "no special prime, no key switching", "use parameters with a special prime"});
}

}  // namespace ringlet
