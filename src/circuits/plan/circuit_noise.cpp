// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/circuit_noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "circuits/plan/known_estimate.hpp"
#include "circuits/plan/noise_share.hpp"
#include "ringlet/base/error.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {
namespace {

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
        slots_(parms.ring().rotation_count()),
        has_scale_(rlwe::traits_of(parms.scheme()).has_scale) {}

  std::vector<NoiseEstimate> operator()() {
    find_last_uses();
    for (const std::size_t input : circuit_.inputs()) {
      const NoiseEstimate one = given_.empty() ? fresh(input) : given_[registers_.size()];
      const bool depends = inputs_ == CircuitInputs::any && !registers_.empty();
      registers_.push_back(depends ? estimator_.depending_on(one, registers_.front()) : one);
    }
    lines_.resize(registers_.size());
    if (inputs_ != CircuitInputs::any) shifts_.assign(registers_.size(), 0);
    shifts_.resize(registers_.size());
    for (std::size_t i = 0; i < plan_.steps().size(); ++i) {
      const PlanStep& step = plan_.steps()[i];
      std::optional<Line> line = extended(step, i);
      const NoiseEstimate& b = registers_[step.reads_two() ? step.b : step.a];
      const NoiseEstimate estimate = bounded(step, result(step, registers_[step.a], b));
      registers_.push_back(line && step.reads_two() ? tighter(estimate, *line) : estimate);
      lines_.push_back(std::move(line));
      shifts_.push_back(shift_after(step));
      if (last_use_[step.a] == i) lines_[step.a].reset();
      if (step.reads_two() && last_use_[step.b] == i) lines_[step.b].reset();
    }
    return registers_;
  }

 private:
  /// The noise of a key switch of a sum, and how it enters a register.
  struct SwitchNoise {
    std::size_t step;
    NoiseEstimate noise;
    circuits::NoiseShare share;
  };

  /// A register as a sum of images of `source` under rotations, multiplied by known slots.
  struct Line {
    std::size_t source;
    std::size_t turns;  // key switches of the images, before any product or sum
    bool is_image;      // one image, not multiplied
    circuits::NoiseShare share;
    std::vector<SwitchNoise> switches;  // ascending by step
    NoiseEstimate rest;                 // as if images and key switches had no noise

    template <typename Change>
    void change(const Change& change) {
      change(share);
      for (SwitchNoise& one : switches) change(one.share);
    }
  };

  NoiseEstimate fresh(std::size_t input) const {
    const double scale = plan_.scale_at(plan_.input_prime_count());
    const double magnitude = circuit_.nodes()[input].magnitude;
    const PlainEstimate plain =
        has_scale_ ? estimator_.encode(scale, magnitude) : estimator_.uniform_plain();
    return inputs_ == CircuitInputs::symmetric ? estimator_.encrypt_symmetric(plain)
                                               : estimator_.encrypt(plain);
  }

  void find_last_uses() {
    last_use_.resize(plan_.register_count());
    for (std::size_t i = 0; i < plan_.steps().size(); ++i) {
      const PlanStep& step = plan_.steps()[i];
      last_use_[step.a] = i;
      if (step.reads_two()) last_use_[step.b] = i;
    }
  }

  // Moves the line at the last use of its register: factors of long rows are costly to copy.
  Line line_of(std::size_t place, std::size_t step) {
    std::optional<Line>& line = lines_[place];
    if (!line) {
      const circuits::NoiseShare share(slots_, shifts_[place].has_value());
      return {place, 0, true, share, {}, estimator_.without_noise(registers_[place])};
    }
    return last_use_[place] == step ? std::move(*line) : *line;
  }

  // Slot j of a register that has a shift depends on noises at slot j + shift alone, so that its
  // own noises at different slots are uncorrelated.
  std::optional<std::size_t> shift_after(const PlanStep& step) const {
    const std::optional<std::size_t> a = shifts_[step.a];
    if (!a || step.operation == PlanOperation::conjugate) return std::nullopt;
    if (step.reads_two()) return shifts_[step.b] == a ? a : std::nullopt;
    if (step.operation != PlanOperation::rotate) return a;
    const auto length = static_cast<std::ptrdiff_t>(slots_);
    const std::ptrdiff_t turn = (step.steps % length + length) % length;
    return (*a + static_cast<std::size_t>(turn)) % slots_;
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
        line.change([&](circuits::NoiseShare& share) { share.rotate(step.steps); });
        line.rest = bounded(step, rest);
        if (line.is_image) {
          ++line.turns;
        } else {
          line.switches.push_back({index,
                                   estimator_.apply_galois(estimator_.without_noise(rest)),
                                   {slots_, inputs_ != CircuitInputs::any}});
        }
        return line;
      case PlanOperation::multiply_known:
      case PlanOperation::match_scale:
        multiply(line, step);
        break;
      case PlanOperation::add:
      case PlanOperation::subtract: {
        const Line other = step.a == step.b ? line : line_of(step.b, index);
        if (other.source != line.source) return std::nullopt;
        rest = other.rest;
        add(line, other);
        break;
      }
      default:
        break;
    }
    line.is_image = line.is_image && step.operation == PlanOperation::negate;
    line.rest = bounded(step, result(step, line.rest, rest));
    return line;
  }

  void multiply(Line& line, const PlanStep& step) const {
    if (step.operation == PlanOperation::match_scale) {
      const double factor =
          step.known_scale + estimator_.rounding_bound(estimator_.encode(step.known_scale, 1));
      return line.change([&](circuits::NoiseShare& share) { share.multiply(factor); });
    }
    const KnownVector& vector = circuit_.known_vectors()[step.b];
    const double rounding = estimator_.rounding_bound(known(step, step.known_scale));
    const KnownVector::Numbers numbers = vector.numbers();
    if (vector.is_constant()) {
      const double factor = step.known_scale * std::abs(numbers[0]) + rounding;
      return line.change([&](circuits::NoiseShare& share) { share.multiply(factor); });
    }
    std::vector<double> factors(circuit_.row_length(), rounding);
    const std::size_t given = std::min(factors.size(), numbers.size());
    for (std::size_t i = 0; i < given; ++i) factors[i] += step.known_scale * std::abs(numbers[i]);
    line.change([&](circuits::NoiseShare& share) { share.multiply(factors); });
  }

  static void add(Line& line, const Line& other) {
    line.share.add(other.share);
    line.turns = std::max(line.turns, other.turns);
    for (const SwitchNoise& one : other.switches) {
      const auto place = std::ranges::lower_bound(line.switches, one.step, {}, &SwitchNoise::step);
      if (place != line.switches.end() && place->step == one.step) {
        place->share.add(one.share);
      } else {
        line.switches.insert(place, one);
      }
    }
  }

  NoiseEstimate tighter(const NoiseEstimate& estimate, const Line& line) const {
    std::vector<NoisePart> parts{
        {estimator_.apply_galois(registers_[line.source], line.turns), line.share.gain()}};
    for (const SwitchNoise& one : line.switches) parts.push_back({one.noise, one.share.gain()});
    const NoiseEstimate sum = estimator_.with_noise_of(line.rest, parts);
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
  std::size_t slots_;  // of a row of the ring
  bool has_scale_;
  std::vector<NoiseEstimate> registers_;
  std::vector<std::optional<std::size_t>> shifts_;
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
