// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/circuit_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "circuits/plan/known_estimate.hpp"
#include "ringlet/base/error.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {
namespace {

// Returns the largest of some gains, which are not negative, as the largest of eight maxima that do
// not wait for each other.
double largest(const std::vector<double>& gain) {
  std::array<double, 8> most{};
  for (std::size_t i = 0; i < gain.size(); ++i) most[i % 8] = std::max(most[i % 8], gain[i]);
  return std::ranges::max(most);
}

/// Runs the steps of a plan on estimates instead of ciphertexts.
class EstimatedRun {
 public:
  EstimatedRun(const Circuit& circuit, const CircuitPlan& plan, const EncryptionParameters& parms,
               const NoiseEstimator& estimator, CircuitInputs inputs,
               std::span<const NoiseEstimate> given = {})
      : circuit_(circuit),
        plan_(plan),
        estimator_(estimator),
        inputs_(inputs),
        given_(given),
        plain_modulus_(parms.plain_modulus()),
        has_scale_(rlwe::traits_of(parms.scheme()).has_scale) {}

  std::vector<NoiseEstimate> operator()() {
    find_last_uses();
    for (const std::size_t input : circuit_.inputs()) {
      const NoiseEstimate one = given_.empty() ? fresh(input) : given_[registers_.size()];
      const bool depends = inputs_ == CircuitInputs::any && !registers_.empty();
      registers_.push_back(depends ? estimator_.depending_on(one, registers_.front()) : one);
    }
    lines_.resize(registers_.size());
    for (std::size_t i = 0; i < plan_.steps().size(); ++i) {
      const PlanStep& step = plan_.steps()[i];
      std::optional<Line> line = extended(step, i);
      const NoiseEstimate& b = registers_[has_two(step) ? step.b : step.a];
      const NoiseEstimate estimate = bounded(step, result(step, registers_[step.a], b));
      registers_.push_back(line && has_two(step) ? tighter(estimate, *line) : estimate);
      lines_.push_back(std::move(line));
      if (last_use_[step.a] == i) lines_[step.a].reset();
      if (has_two(step) && last_use_[step.b] == i) lines_[step.b].reset();
    }
    return registers_;
  }

 private:
  /// A register as a sum of images of `source` under rotations, multiplied by known slots.
  struct Line {
    std::size_t source;
    std::size_t turns;         // key switches of the images, before any product
    bool is_image;             // one image, not multiplied
    std::vector<double> gain;  // absolute factors: one for each slot of a row, or one for all
    NoiseEstimate rest;        // as if the images had no noise
  };

  NoiseEstimate fresh(std::size_t input) const {
    const double scale = plan_.scale_at(plan_.input_prime_count());
    const double magnitude = circuit_.nodes()[input].magnitude;
    return estimator_.encrypt(has_scale_ ? estimator_.encode(scale, magnitude)
                                         : estimator_.uniform_plain());
  }

  static bool has_two(const PlanStep& step) {
    return step.operation == PlanOperation::add || step.operation == PlanOperation::subtract ||
           step.operation == PlanOperation::multiply;
  }

  void find_last_uses() {
    last_use_.resize(plan_.register_count());
    for (std::size_t i = 0; i < plan_.steps().size(); ++i) {
      const PlanStep& step = plan_.steps()[i];
      last_use_[step.a] = i;
      if (has_two(step)) last_use_[step.b] = i;
    }
  }

  // Moves the line at the last use of its register: gains of long rows are costly to copy.
  Line line_of(std::size_t place, std::size_t step) {
    std::optional<Line>& line = lines_[place];
    if (!line) return {place, 0, true, {1.0}, estimator_.without_noise(registers_[place])};
    return last_use_[place] == step ? std::move(*line) : *line;
  }

  static bool is_linear(PlanOperation operation) {
    switch (operation) {
      case PlanOperation::rotate:
      case PlanOperation::conjugate:
      case PlanOperation::negate:
      case PlanOperation::add_known:
      case PlanOperation::multiply_known:
      case PlanOperation::match_scale:
      case PlanOperation::add:
      case PlanOperation::subtract:
        return true;
      default:
        return false;  // a division adds noise of its own
    }
  }

  std::optional<Line> extended(const PlanStep& step, std::size_t index) {
    if (!has_scale_ || !is_linear(step.operation)) return std::nullopt;
    Line line = line_of(step.a, index);
    NoiseEstimate rest = line.rest;
    switch (step.operation) {
      case PlanOperation::rotate:
      case PlanOperation::conjugate:
        if (line.gain.size() > 1) {
          // Steps of composed rotations may be negative.
          const auto length = static_cast<std::ptrdiff_t>(line.gain.size());
          std::ranges::rotate(line.gain,
                              line.gain.begin() + (step.steps % length + length) % length);
        }
        if (!line.is_image) break;
        ++line.turns;
        line.rest = bounded(step, rest);
        return line;
      case PlanOperation::multiply_known:
      case PlanOperation::match_scale:
        multiply_gain(line.gain, step);
        break;
      case PlanOperation::add:
      case PlanOperation::subtract: {
        const Line other = step.a == step.b ? line : line_of(step.b, index);
        if (other.source != line.source) return std::nullopt;
        rest = other.rest;
        add_gain(line.gain, other.gain);
        line.turns = std::max(line.turns, other.turns);
        break;
      }
      default:
        break;
    }
    line.is_image = line.is_image && step.operation == PlanOperation::negate;
    line.rest = bounded(step, result(step, line.rest, rest));
    return line;
  }

  void multiply_gain(std::vector<double>& gain, const PlanStep& step) const {
    if (step.operation == PlanOperation::match_scale) {
      const double factor =
          step.known_scale + estimator_.rounding_bound(estimator_.encode(step.known_scale, 1));
      for (double& slot : gain) slot *= factor;
      return;
    }
    const KnownVector& vector = circuit_.known_vectors()[step.b];
    const double rounding = estimator_.rounding_bound(known(step, step.known_scale));
    const KnownVector::Numbers numbers = vector.numbers();
    if (vector.is_constant()) {
      for (double& slot : gain) slot *= step.known_scale * std::abs(numbers[0]) + rounding;
      return;
    }
    if (gain.size() == 1) gain.resize(circuit_.row_length(), gain[0]);
    const std::size_t given = std::min(gain.size(), numbers.size());
    for (std::size_t i = 0; i < given; ++i) {
      gain[i] *= step.known_scale * std::abs(numbers[i]) + rounding;
    }
    for (std::size_t i = given; i < gain.size(); ++i) gain[i] *= rounding;
  }

  void add_gain(std::vector<double>& gain, const std::vector<double>& other) const {
    if (gain.size() < other.size()) gain.resize(other.size(), gain[0]);
    if (other.size() == 1) {
      for (double& slot : gain) slot += other[0];
    } else {
      for (std::size_t i = 0; i < gain.size(); ++i) gain[i] += other[i];
    }
  }

  NoiseEstimate tighter(const NoiseEstimate& estimate, const Line& line) const {
    const NoiseEstimate part = estimator_.apply_galois(registers_[line.source], line.turns);
    const NoiseEstimate sum = estimator_.with_noise_of(line.rest, part, largest(line.gain));
    return sum.noise_bits() < estimate.noise_bits() ? sum : estimate;
  }

  NoiseEstimate result(const PlanStep& step, const NoiseEstimate& a, const NoiseEstimate& b) const {
    switch (step.operation) {
      case PlanOperation::negate:
        return estimator_.negate(a);
      case PlanOperation::add:
        return estimator_.add(a, b);
      case PlanOperation::subtract:
        return estimator_.sub(a, b);
      case PlanOperation::multiply:
        return step.a == step.b ? estimator_.square(a) : estimator_.multiply(a, b);
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

  // Sets the exact scale of the plan and limits the message to what the circuit declares.
  NoiseEstimate bounded(const PlanStep& step, const NoiseEstimate& estimate) const {
    if (!has_scale_) return estimate;
    const double magnitude = circuit_.nodes()[step.node].magnitude;
    if (!std::isfinite(estimate.magnitude())) {
      throw_invalid_argument(
          {"Circuit", concat("value ", step.node, ": slots up to infinity"),
           "slots within the range of double",
           "declare smaller magnitudes for the inputs, and bounds for the operands of this value"});
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
  std::span<const NoiseEstimate> given_;
  std::uint64_t plain_modulus_;
  bool has_scale_;
  std::vector<NoiseEstimate> registers_;
  std::vector<std::optional<Line>> lines_;  // of each register, until it is used the last time
  std::vector<std::size_t> last_use_;
};

std::vector<NoiseEstimate> results_of(const CircuitPlan& plan,
                                      const std::vector<NoiseEstimate>& registers) {
  std::vector<NoiseEstimate> results;
  for (const std::size_t output : plan.outputs()) results.push_back(registers[output]);
  return results;
}

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
  return EstimatedRun(circuit, plan, parms, NoiseEstimator(parms, failure_bits), inputs)();
}

std::vector<NoiseEstimate> estimate_results(const Circuit& circuit, const CircuitPlan& plan,
                                            const EncryptionParameters& parms, double failure_bits,
                                            CircuitInputs inputs) {
  return results_of(plan, estimate_noise(circuit, plan, parms, failure_bits, inputs));
}

std::vector<NoiseEstimate> estimate_results(const Circuit& circuit, const CircuitPlan& plan,
                                            const EncryptionParameters& parms,
                                            const NoiseEstimator& estimator,
                                            std::span<const NoiseEstimate> inputs,
                                            CircuitInputs dependence) {
  if (inputs.size() != plan.input_count()) {
    throw_invalid_argument({"estimate_results", concat(inputs.size(), " inputs"),
                            concat("the ", plan.input_count(), " inputs of the plan"),
                            "pass one estimate for each input"});
  }
  return results_of(plan, EstimatedRun(circuit, plan, parms, estimator, dependence, inputs)());
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
         has_scale
             ? concat("result ", i, ": slots up to ", results[i].magnitude(), " at scale 2^",
                      std::round(100 * std::log2(results[i].scale())) / 100, " in ",
                      results[i].prime_count(), " data primes")
             : concat("result ", i, ": noise ", std::round(-10 * results[i].budget_bits()) / 10,
                      " bits too large to decrypt"),
         concat("decryption that fails with probability 2^-", failure_bits, " at most"),
         has_scale ? "declare tighter bounds of inputs and values, or use a larger first prime"
                   : "use more data primes, or the parameters of suggest_parameters"});
  }
}

}  // namespace ringlet
