// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuit_noise.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/text.hpp"
#include "circuits/known_estimate.hpp"
#include "ringlet/error.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {
namespace {

/// Steps of a plan on estimates instead of ciphertexts.
class EstimatedRun {
 public:
  EstimatedRun(const Circuit& circuit, const CircuitPlan& plan, const EncryptionParameters& parms,
               double failure_bits, CircuitInputs inputs)
      : circuit_(circuit),
        plan_(plan),
        estimator_(parms, failure_bits),
        inputs_(inputs),
        plain_modulus_(parms.plain_modulus()),
        has_scale_(rlwe::traits_of(parms.scheme()).has_scale) {}

  std::vector<NoiseEstimate> operator()() {
    for (const std::size_t input : circuit_.inputs()) {
      const double scale = plan_.scale_at(plan_.input_prime_count());
      const double magnitude = circuit_.nodes()[input].magnitude;
      const NoiseEstimate fresh = estimator_.encrypt(
          has_scale_ ? estimator_.encode(scale, magnitude) : estimator_.uniform_plain());
      const bool depends = inputs_ == CircuitInputs::any && !registers_.empty();
      registers_.push_back(depends ? estimator_.depending_on(fresh, registers_.front()) : fresh);
    }
    for (const PlanStep& step : plan_.steps()) registers_.push_back(bounded(step, result(step)));
    return registers_;
  }

 private:
  NoiseEstimate result(const PlanStep& step) const {
    const NoiseEstimate& a = registers_[step.a];
    switch (step.operation) {
      case PlanOperation::negate:
        return estimator_.negate(a);
      case PlanOperation::add:
        return estimator_.add(a, registers_[step.b]);
      case PlanOperation::subtract:
        return estimator_.sub(a, registers_[step.b]);
      case PlanOperation::multiply:
        return step.a == step.b ? estimator_.square(a) : estimator_.multiply(a, registers_[step.b]);
      case PlanOperation::add_known:
        return estimator_.add_plain(a, known(step, step.scale));
      case PlanOperation::multiply_known:
        return estimator_.multiply_plain(a, known(step, step.known_scale));
      case PlanOperation::match_scale:
        return estimator_.multiply_plain(a, estimator_.encode(step.known_scale, 1));
      case PlanOperation::relinearize:
        return estimator_.relinearize(a);
      case PlanOperation::rescale:
        return estimator_.rescale_to_next(a);
      case PlanOperation::relinearize_and_rescale:
        return estimator_.relinearize_and_rescale_to_next(a);
      case PlanOperation::switch_level:
        return estimator_.mod_switch_to(a, step.prime_count);
      case PlanOperation::rotate:
      case PlanOperation::conjugate:
        return estimator_.apply_galois(a);
    }
    return a;
  }

  PlainEstimate known(const PlanStep& step, double scale) const {
    const KnownVector& vector = circuit_.known_vectors()[step.b];
    const double magnitude = vector.magnitude();
    if (has_scale_) {
      return vector.is_small_integer() && scale == 1 ? estimator_.encode_integer(magnitude)
                                                     : estimator_.encode(scale, magnitude);
    }
    return circuits::known_estimate(estimator_, vector, plain_modulus_);
  }

  // Scales are as the plan says, to the last bit, and messages as the circuit declares them.
  NoiseEstimate bounded(const PlanStep& step, const NoiseEstimate& estimate) const {
    if (!has_scale_) return estimate;
    const double magnitude = circuit_.nodes()[step.node].magnitude;
    if (!std::isfinite(estimate.magnitude())) {
      throw_invalid_argument({"Circuit", concat("value ", step.node, ": slots up to infinity"),
                              "bounds of slots that a double holds",
                              "declare tighter ones with Circuit::input(magnitude) or "
                              "Circuit::bound, of this value's operands too"});
    }
    const NoiseEstimate scaled = estimator_.with_scale(estimate, step.scale);
    return magnitude > 0 && magnitude < scaled.magnitude()
               ? estimator_.with_magnitude(scaled, magnitude)
               : scaled;
  }

  const Circuit& circuit_;
  const CircuitPlan& plan_;
  NoiseEstimator estimator_;
  CircuitInputs inputs_;
  std::uint64_t plain_modulus_;
  bool has_scale_;
  std::vector<NoiseEstimate> registers_;
};

}  // namespace

std::vector<NoiseEstimate> estimate_noise(const Circuit& circuit, const CircuitPlan& plan,
                                          const EncryptionParameters& parms, double failure_bits,
                                          CircuitInputs inputs) {
  const std::size_t primes = parms.data_primes().size();
  if (plan.input_count() != circuit.inputs().size() || plan.input_prime_count() != primes) {
    throw_invalid_argument({"estimate_noise",
                            concat("a plan of ", plan.input_count(), " inputs for ",
                                   plan.input_prime_count(), " data primes"),
                            concat(circuit.inputs().size(), " inputs, ", primes, " data primes"),
                            "pass the plan of this circuit for these parameters"});
  }
  return EstimatedRun(circuit, plan, parms, failure_bits, inputs)();
}

std::vector<NoiseEstimate> estimate_results(const Circuit& circuit, const CircuitPlan& plan,
                                            const EncryptionParameters& parms, double failure_bits,
                                            CircuitInputs inputs) {
  const std::vector<NoiseEstimate> all = estimate_noise(circuit, plan, parms, failure_bits, inputs);
  std::vector<NoiseEstimate> results;
  for (const std::size_t output : plan.outputs()) results.push_back(all[output]);
  return results;
}

void check_results_decrypt(const Circuit& circuit, const CircuitPlan& plan,
                           const EncryptionParameters& parms) {
  const bool has_scale = rlwe::traits_of(parms.scheme()).has_scale;
  const double failure_bits = has_scale ? kApproximateFailureBits : kExactFailureBits;
  const std::vector<NoiseEstimate> results = estimate_results(circuit, plan, parms, failure_bits);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].fits()) continue;
    throw_invalid_argument(
        {"Circuit",
         has_scale ? concat("result ", i, ": slots up to ", results[i].magnitude(), " at scale 2^",
                            std::log2(results[i].scale()), " in ", results[i].prime_count(),
                            " data primes")
                   : concat("result ", i, ": noise ", -results[i].budget_bits(),
                            " bits above what the modulus holds"),
         concat("decryption that fails with probability 2^-", failure_bits, " at most"),
         has_scale ? "declare tighter bounds with Circuit::input(magnitude) or Circuit::bound, or "
                     "use a larger first prime"
                   : "use more data primes, or the parameters of suggest_parameters"});
  }
}

}  // namespace ringlet
