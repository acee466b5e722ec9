// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/declare/without_zeros.hpp"
#include "circuits/plan/known_estimate.hpp"
#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/tracing/tracing_evaluator.hpp"
#include "tracing/traced_operations.hpp"

// The part of TracingEvaluator that runs declared circuits.

namespace ringlet {
namespace {

using circuits::ClearMessage;
using circuits::KnownOperand;
using circuits::TracedOperations;
using circuits::TracedResult;

// Repeats each row of a circuit until a row of the ring is full. Values for one row fill both rows.
template <typename T>
KnownVector spread_rows(const std::vector<T>& values, std::size_t row_length, std::size_t rows,
                        std::size_t slots) {
  std::vector<T> result(slots);
  for (std::size_t i = 0; i < slots; ++i) {
    const std::size_t row = values.size() > row_length ? i / (slots / rows) : 0;
    const std::size_t place = row * row_length + i % (slots / rows) % row_length;
    if (place < values.size()) result[i] = values[place];
  }
  return KnownVector(std::move(result));
}

bool takes_two(PlanOperation operation) {
  return operation == PlanOperation::add || operation == PlanOperation::subtract ||
         operation == PlanOperation::multiply;
}

}  // namespace

/// One run: registers, and a step of the log for each step of the plan.
class TracingEvaluator::CircuitTrace {
 public:
  CircuitTrace(TracingEvaluator& tracer, const Circuit& circuit, const CircuitPlan& plan,
               const CircuitKeys& keys)
      : tracer_(tracer),
        operations_(*tracer.operations_),
        circuit_(circuit),
        plan_(plan),
        keys_(keys),
        last_use_(plan.register_count()) {
    const auto steps = plan.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      last_use_[steps[i].a] = i;
      if (takes_two(steps[i].operation)) last_use_[steps[i].b] = i;
    }
    for (const std::size_t output : plan.outputs()) last_use_[output] = steps.size();
  }

  std::vector<TracedCiphertext> operator()(std::span<const KnownVector> inputs) {
    check(inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) encrypt(inputs[i], i);
    const auto steps = plan_.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const PlanStep& step = steps[i];
      registers_.emplace(step.result, tracer_.record(adjusted(step, result(step)), label(step)));
      release(step.a, i);
      if (takes_two(step.operation)) release(step.b, i);
    }
    std::vector<TracedCiphertext> results;
    for (const std::size_t output : plan_.outputs()) results.push_back(registers_.at(output));
    return results;
  }

 private:
  void check(std::span<const KnownVector> inputs) const {
    if (inputs.size() != plan_.input_count()) {
      refuse(concat(inputs.size(), " inputs"),
             concat("the ", plan_.input_count(), " inputs of the circuit"),
             "pass one vector for each declared input");
    }
    const std::size_t limit = rows() * circuit_.row_length();
    for (const KnownVector& input : inputs) {
      if (input.size() > limit) {
        refuse(concat("an input of ", input.size(), " values"),
               concat("at most ", limit, ", in ", rows(), " rows of ", circuit_.row_length()),
               "pass the values of one row, or declare a circuit with longer rows");
      }
    }
  }

  void encrypt(const KnownVector& input, std::size_t index) {
    const double magnitude = circuit_.nodes()[circuit_.inputs()[index]].magnitude;
    const double scale = plan_.scale_at(plan_.input_prime_count());
    TracedResult result =
        operations_.encrypt(operations_.message_of(spread(input)), scale, magnitude);
    registers_.emplace(index, tracer_.record(std::move(result), concat("in", index)));
  }

  TracedResult result(const PlanStep& step) const {
    const TracedCiphertext& a = registers_.at(step.a);
    switch (step.operation) {
      case PlanOperation::negate:
        return operations_.negate(a);
      case PlanOperation::add:
        return operations_.add(a, registers_.at(step.b));
      case PlanOperation::subtract:
        return operations_.sub(a, registers_.at(step.b));
      case PlanOperation::multiply:
        return step.a == step.b ? operations_.square(a)
                                : operations_.multiply(a, registers_.at(step.b));
      case PlanOperation::add_known:
        return operations_.add_plain(a, known(step, a, step.scale));
      case PlanOperation::multiply_known:
        return operations_.multiply_plain(a, factor(step, a));
      case PlanOperation::match_scale:
        return operations_.multiply_plain(
            a, operations_.known(1.0, a.ciphertext().parms_id(), step.known_scale));
      case PlanOperation::relinearize:
        return operations_.relinearize(a, keys_.relin_keys);
      case PlanOperation::rescale:
        return operations_.rescale_to_next(a);
      case PlanOperation::relinearize_and_rescale:
        return a.ciphertext().size() == 2
                   ? operations_.rescale_to_next(a)
                   : operations_.relinearize_and_rescale_to_next(a, keys_.relin_keys);
      case PlanOperation::switch_level:
        return operations_.mod_switch_to(a, parms_id_of(step.prime_count));
      case PlanOperation::rotate:
        return operations_.has_scale() ? operations_.rotate_vector(a, step.steps, keys_.galois_keys)
                                       : operations_.rotate_rows(a, step.steps, keys_.galois_keys);
      case PlanOperation::conjugate:
        break;
    }
    return operations_.has_scale() ? operations_.complex_conjugate(a, keys_.galois_keys)
                                   : operations_.rotate_columns(a, keys_.galois_keys);
  }

  // Uses the estimate of estimate_noise, which depends only on sizes.
  KnownOperand known(const PlanStep& step, const TracedCiphertext& a, double scale) const {
    const KnownVector& vector = circuit_.known_vectors()[step.b];
    KnownOperand operand = operations_.known(vector.is_constant() ? vector : spread(vector),
                                             a.ciphertext().parms_id(), scale);
    operand.text = concat("known ", step.b);
    if (operations_.has_scale()) return operand;
    operand.estimate = circuits::known_estimate(operations_.estimator(), vector,
                                                operations_.context().plain_modulus().value());
    return operand;
  }

  // Encodes a factor as CircuitRunner does.
  KnownOperand factor(const PlanStep& step, const TracedCiphertext& a) const {
    KnownOperand operand = known(step, a, step.known_scale);
    const Context& context = operations_.context();
    if (operations_.has_scale()) circuits::avoid_zero_factor(context.on_host(), operand.plain);
    return operand;
  }

  // Sets the exact scale of the plan and limits the message to what the circuit declares.
  TracedResult adjusted(const PlanStep& step, TracedResult result) const {
    if (!operations_.has_scale()) return result;
    const NoiseEstimator& estimator = operations_.estimator();
    TracedCiphertext& traced = result.ciphertext;
    const double magnitude = circuit_.nodes()[step.node].magnitude;
    traced.ciphertext_.scale() = step.scale;
    traced.estimate_ = estimator.with_scale(traced.estimate_, step.scale);
    if (magnitude > 0 && magnitude < traced.estimate_.magnitude()) {
      traced.estimate_ = estimator.with_magnitude(traced.estimate_, magnitude);
    }
    return result;
  }

  std::string label(const PlanStep& step) {
    const std::size_t form = ++forms_[step.node];
    return form == 1 ? concat("v", step.node) : concat("v", step.node, ".", form);
  }

  void release(std::size_t index, std::size_t step) {
    if (last_use_[index] == step) registers_.erase(index);
  }

  std::size_t rows() const { return operations_.has_scale() ? 1 : 2; }

  KnownVector spread(const KnownVector& values) const {
    if (values.is_constant()) return values;
    const std::size_t slots = operations_.slot_count();
    return values.is_integer()
               ? spread_rows(values.integers(), circuit_.row_length(), rows(), slots)
               : spread_rows(values.numbers(), circuit_.row_length(), rows(), slots);
  }

  // Such a level exists: the plan has checked it.
  const ParmsId& parms_id_of(std::size_t prime_count) const {
    const ContextData* level = operations_.context().first_context_data();
    while (level->prime_count() > prime_count && level->next_context_data() != nullptr) {
      level = level->next_context_data();
    }
    return level->parms_id();
  }

  TracingEvaluator& tracer_;
  const TracedOperations& operations_;
  const Circuit& circuit_;
  const CircuitPlan& plan_;
  const CircuitKeys& keys_;
  std::vector<std::size_t> last_use_;  // the step that uses each register last
  std::map<std::size_t, TracedCiphertext> registers_;
  std::map<std::size_t, std::size_t> forms_;  // how many values of each node have been made
};

std::vector<TracedCiphertext> TracingEvaluator::trace(const Circuit& circuit,
                                                      std::span<const KnownVector> inputs,
                                                      const CircuitKeys& keys, double scale) {
  const auto has_key = [&](std::uint64_t element) { return keys.galois_keys.has_key(element); };
  const CircuitPlan plan(circuit, operations_->context().parms(), scale, has_key);
  const std::size_t steps_before = log_.size();
  const std::size_t count_before = step_count_;
  try {
    return public_entry("TracingEvaluator::trace",
                        [&] { return CircuitTrace(*this, circuit, plan, keys)(inputs); });
  } catch (...) {
    log_.resize(steps_before);
    step_count_ = count_before;
    throw;
  }
}

std::vector<TracedCiphertext> TracingEvaluator::trace(const Circuit& circuit,
                                                      std::span<const KnownVector> inputs,
                                                      double scale) {
  const CircuitPlan plan(circuit, operations_->context().parms(), scale);
  const KeyGenerator& generator = operations_->key_generator();
  CircuitKeys keys;
  if (plan.needs_relinearization()) keys.relin_keys = generator.create_relin_keys();
  const auto elements = plan.galois_elements();
  if (!elements.empty()) {
    keys.galois_keys =
        generator.create_galois_keys_for_elements({elements.begin(), elements.end()});
  }
  return trace(circuit, inputs, keys, scale);
}

}  // namespace ringlet
