// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/circuit_plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/declare/without_zeros.hpp"
#include "circuits/plan/modulus_chain.hpp"
#include "circuits/plan/planner.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/ring/ring_spec.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {
namespace {

bool is_batching(const EncryptionParameters& parms) {
  const std::uint64_t t = parms.plain_modulus();
  return t > 1 && t % parms.ring().modulus_step() == 1 && is_prime(t);
}

void check_known_vectors(const Circuit& circuit, SchemeType scheme) {
  const bool is_exact = rlwe::traits_of(scheme).has_plain_modulus;
  for (const KnownVector& vector : circuit.known_vectors()) {
    if (is_exact && !vector.is_integer()) {
      refuse(concat("a known vector of real or complex numbers, scheme ", to_string(scheme)),
             "integers for bfv and bgv", "declare the vector with integers, or use ckks");
    }
    if (!is_exact && vector.size() > circuit.row_length()) {
      refuse(concat("a known vector of ", vector.size(), " slots, scheme ckks"),
             concat("row_length = ", circuit.row_length(), ": ckks has one row"),
             "split the vector, or use longer rows");
    }
  }
}

// Names what an operation needs slots for, or returns null. Without slots, messages are polynomials
// and constant messages are numbers, in rows of one slot.
const char* use_of_slots(const CircuitNode& node, const Circuit& circuit) {
  const bool has_one = circuit.row_length() == 1;
  switch (node.operation) {
    case CircuitOperation::rotate:
    case CircuitOperation::conjugate:
      return "rotations";
    case CircuitOperation::multiply:
      return has_one ? nullptr : "products slot by slot";
    case CircuitOperation::add_known:
    case CircuitOperation::multiply_known: {
      const bool is_constant = circuit.known_vectors()[node.b].is_constant();
      const bool multiplies = node.operation == CircuitOperation::multiply_known;
      return is_constant && (has_one || multiplies) ? nullptr : "known numbers in slots";
    }
    default:
      return nullptr;
  }
}

void check_slots(const Circuit& circuit, const EncryptionParameters& parms) {
  if (is_batching(parms)) return;
  const std::vector<bool> is_live = circuit.live_nodes();
  for (std::size_t i = 0; i < is_live.size(); ++i) {
    const char* const use = is_live[i] ? use_of_slots(circuit.nodes()[i], circuit) : nullptr;
    if (use == nullptr) continue;
    refuse(concat(use, " with plain modulus ", parms.plain_modulus()),
           concat("a prime = 1 modulo ", parms.ring().modulus_step(), ", which has slots"),
           "let suggest_parameters choose the plain modulus, or declare rows of one number");
  }
}

void check_ring(const Circuit& circuit, const EncryptionParameters& parms) {
  if (parms.has_general_ring()) {
    refuse("another ring than X^N + 1", "rings X^N + 1",
           "evaluate operations one by one over rings Z[X]/Phi_m");
  }
  const std::size_t slots = parms.ring().rotation_count();
  if (circuit.row_length() <= slots) return;
  refuse(concat("row_length = ", circuit.row_length()), concat("N/2 = ", slots, " slots a row"),
         concat("use N = ", 2 * circuit.row_length(), " or shorter rows"));
}

void check_depth(const Circuit& circuit, const EncryptionParameters& parms,
                 const ModulusChain& chain) {
  if (rlwe::traits_of(parms.scheme()).multiplies_over_larger_modulus) return;
  const std::size_t primes = parms.data_primes().size();
  const std::size_t depth = circuit.depth();
  if (depth < chain.levels()) return;
  const std::size_t per_level = chain.primes_per_level();
  refuse(concat("a circuit of depth ", depth),
         concat("the ", primes, " data primes allow a depth of ",
                chain.levels() == 0 ? 0 : chain.levels() - 1,
                per_level > 1 ? concat(" at ", per_level, " primes a level") : ""),
         concat("use parameters with ", depth * per_level + 1, " data primes"));
}

void check_scale(double scale) {
  if (std::isnormal(scale) && scale > 0) return;
  refuse(concat("scale = ", scale), "a positive normal number",
         "use a power of two close to the data primes");
}

// Returns the scale D of each level down to `lowest`, the last one that the circuit reaches.
std::vector<double> level_scales(const ModulusChain& chain, double scale, std::size_t lowest) {
  std::vector<double> scales(chain.levels() + 1, 1.0);
  scales[chain.levels()] = scale;
  for (std::size_t level = chain.levels(); level > lowest; --level) {
    const double below = scale_below(scales[level], chain.divisor(level));
    scales[level - 1] = below;
    if (below <= 2 * scale && 2 * below >= scale) continue;
    refuse(concat("scale 2^", std::round(100 * std::log2(below)) / 100, " at the level of ",
                  chain.prime_count(level - 1), " primes"),
           concat("within a factor of two of the first level's 2^",
                  std::round(100 * std::log2(scale)) / 100),
           "use data primes close to the scale, such as those of suggest_parameters");
  }
  return scales;
}

}  // namespace

HasGaloisKey any_galois_key() {
  return [](std::uint64_t) { return true; };
}

CircuitPlan::CircuitPlan(const Circuit& declared, const EncryptionParameters& parms, double scale,
                         const HasGaloisKey& has_key)
    : input_count_(declared.inputs().size()) {
  public_entry("CircuitPlan", [&] {
    if (declared.outputs().empty()) {
      refuse("a circuit without a result", "at least one result", "declare a value as output");
    }
    const rlwe::SchemeTraits traits = rlwe::traits_of(parms.scheme());
    check_ring(declared, parms);
    check_known_vectors(declared, parms.scheme());
    if (traits.has_scale) check_scale(scale);
    const Circuit circuit =
        circuits::without_zeros(declared, {parms.plain_modulus(), traits.has_scale ? scale : 0});
    if (traits.has_plain_modulus) check_slots(circuit, parms);
    const ModulusChain chain(parms, scale);
    check_depth(circuit, parms, chain);
    std::vector<double> scales(chain.levels() + 1, 1.0);
    if (traits.has_scale) scales = level_scales(chain, scale, chain.levels() - circuit.depth());

    scales_ = scales;
    input_prime_count_ = chain.levels();
    Planner(circuit, parms, chain, has_key, *this).run();
    // From levels to primes.
    steps_ = expand_steps(steps_, input_count_, chain, outputs_, parms);
    counts_.rescalings *= chain.primes_per_level();
    input_prime_count_ = parms.data_primes().size();
    scales_.assign(input_prime_count_ + 1, 1.0);
    for (std::size_t level = 1; level <= chain.levels(); ++level) {
      scales_[chain.prime_count(level)] = scales[level];
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
    refuse(concat("a circuit with ", counts_.key_switches(), " key switches"),
           "no key switches without a special prime", "use parameters with a special prime");
  });
}

}  // namespace ringlet
