// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuit_plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "circuits/planner.hpp"
#include "ringlet/error.hpp"
#include "ringlet/primes.hpp"
#include "ringlet/ring_spec.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {
namespace {

constexpr const char* kOperation = "CircuitPlan";

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
        {kOperation,
         concat("a known vector of real or complex numbers, scheme ", to_string(parms.scheme())),
         "integers for bfv and bgv", "declare it with integers, or use ckks"});
  }
  if (!has_slots || is_batching(parms)) return;
  throw_invalid_argument({kOperation,
                          concat(moves_slots ? "rotations" : "a known vector of many slots",
                                 " with plain modulus ", parms.plain_modulus()),
                          "a prime = 1 modulo 2N where slots are used",
                          "take the plain modulus from PlainModulus::batching"});
}

void check_ring(const Circuit& circuit, const EncryptionParameters& parms) {
  if (parms.has_general_ring()) {
    throw_invalid_argument({kOperation, "another ring than X^N + 1", "rings X^N + 1",
                            "use Evaluator and CyclotomicSlots for rings Z[X]/Phi_m"});
  }
  const std::size_t slots = parms.ring().rotation_count();
  if (circuit.row_length() <= slots) return;
  throw_invalid_argument({kOperation, concat("row_length = ", circuit.row_length()),
                          concat("N/2 = ", slots, " slots a row"),
                          concat("use N = ", 2 * circuit.row_length(), " or shorter rows")});
}

void check_depth(const Circuit& circuit, const EncryptionParameters& parms) {
  if (rlwe::traits_of(parms.scheme()).multiplies_over_larger_modulus) return;
  const std::size_t primes = parms.data_primes().size();
  const std::size_t depth = circuit.depth();
  if (depth < primes) return;
  throw_invalid_argument(
      {kOperation, concat("a circuit of depth ", depth),
       concat("the ", primes, " data primes allow a depth of ", primes == 0 ? 0 : primes - 1),
       concat("use parameters with ", depth + 1, " data primes")});
}

// D_l for each l from 1 to the number of data primes.
std::vector<double> level_scales(const EncryptionParameters& parms, double scale,
                                 std::size_t lowest) {
  const auto primes = parms.data_primes();
  std::vector<double> scales(primes.size() + 1, 1.0);
  if (!rlwe::traits_of(parms.scheme()).has_scale) return scales;
  if (!std::isnormal(scale) || scale <= 0) {
    throw_invalid_argument({kOperation, concat("scale = ", scale), "a positive normal number",
                            "use a power of two near to the primes"});
  }
  scales[primes.size()] = scale;
  for (std::size_t l = primes.size(); l-- > lowest;) {
    scales[l] = scales[l + 1] * (scales[l + 1] / static_cast<double>(primes[l].value()));
    if (scales[l] <= 2 * scale && 2 * scales[l] >= scale) continue;
    throw_invalid_argument(
        {kOperation, concat("scale 2^", std::log2(scales[l]), " at the level of ", l, " primes"),
         concat("within a factor of two of the first level's 2^", std::log2(scale)),
         "use data primes near to the scale, as suggest_parameters gives them"});
  }
  return scales;
}

}  // namespace

CircuitPlan::CircuitPlan(const Circuit& circuit, const EncryptionParameters& parms, double scale)
    : input_count_(circuit.inputs().size()), input_prime_count_(parms.data_primes().size()) {
  if (circuit.outputs().empty()) {
    throw_invalid_argument({kOperation, "a circuit without a result", "at least one result",
                            "declare results with Circuit::output"});
  }
  const rlwe::SchemeTraits traits = rlwe::traits_of(parms.scheme());
  check_ring(circuit, parms);
  if (traits.has_plain_modulus) check_exact(circuit, parms);
  check_depth(circuit, parms);
  scales_ = level_scales(parms, scale, input_prime_count_ - circuit.depth());
  Planner(circuit, parms, *this).run();

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
      {kOperation, concat("a circuit with ", counts_.key_switches(), " key switches"),
       "no special prime, no key switching", "use parameters with a special prime"});
}

}  // namespace ringlet
