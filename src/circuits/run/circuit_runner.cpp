// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/circuit_runner.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/declare/without_zeros.hpp"
#include "circuits/run/schedule.hpp"
#include "ringlet/circuits/circuit_noise.hpp"
#include "ringlet/schemes/batch_encoder.hpp"
#include "ringlet/schemes/ckks_encoder.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/scheme_traits.hpp"
#include "schemes/evaluator/key_switching.hpp"
#include "schemes/evaluator/plain_polynomials.hpp"
#include "schemes/operand_entry.hpp"

namespace ringlet {
namespace {

// match_scale multiplies by 1, which no circuit has to declare.
constexpr std::size_t kOne = ~std::size_t{0};

const ContextData& level_of(const Context& context, std::size_t prime_count) {
  const ContextData* level = context.first_context_data();
  while (level != nullptr && level->prime_count() != prime_count) {
    level = level->next_context_data();
  }
  if (level == nullptr) {
    refuse(concat("a level of ", prime_count, " data primes"),
           "levels whose modulus is above the plain modulus",
           "use parameters with more data primes");
  }
  return *level;
}

// Returns parameters whose first level is the one with so many data primes.
EncryptionParameters parms_at(const Context& context, std::size_t prime_count) {
  EncryptionParameters parms = context.parms();
  if (prime_count == 0) return parms;
  public_entry("CircuitRunner", [&] { level_of(context, prime_count); });
  const auto data = context.parms().data_primes();
  const auto special = context.parms().special_primes();
  parms.set_coeff_modulus({data.begin(), data.begin() + static_cast<std::ptrdiff_t>(prime_count)},
                          {special.begin(), special.end()});
  return parms;
}

// Repeats the row of a circuit until a row of the ring is full.
template <typename T>
std::vector<T> repeated(const std::vector<T>& values, std::size_t first, std::size_t row_length,
                        std::size_t slots) {
  std::vector<T> result(slots);
  for (std::size_t i = 0; i < slots; ++i) {
    const std::size_t place = first + i % row_length;
    if (place < values.size()) result[i] = values[place];
  }
  return result;
}

Plaintext encode_numbers(const CKKSEncoder& encoder, const KnownVector& vector,
                         std::size_t row_length, const ContextData& level, double scale) {
  Plaintext plain;
  if (vector.is_small_integer() && scale == 1) {
    encoder.encode(vector.integers().front(), level.parms_id(), plain);
  } else if (vector.is_constant()) {
    encoder.encode(vector.numbers().front(), level.parms_id(), scale, plain);
  } else {
    auto slots = vector.numbers();
    if (row_length < encoder.slot_count()) {
      slots = repeated(slots, 0, row_length, encoder.slot_count());
    }
    encoder.encode(std::span<const std::complex<double>>(slots), level.parms_id(), scale, plain);
  }
  return plain;
}

std::uint64_t residue_of(std::int64_t value, const Modulus& t) {
  const std::uint64_t size =
      t.reduce(value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                         : static_cast<std::uint64_t>(value));
  return value < 0 && size != 0 ? t.value() - size : size;
}

/// The encoder of BFV and BGV, which only known vectors that are not constant need.
using OptionalBatchEncoder = std::optional<BatchEncoder>;

Plaintext encode_integers(const Context& context, OptionalBatchEncoder& encoder,
                          const KnownVector& vector, std::size_t row_length) {
  const Modulus& t = context.plain_modulus();
  if (vector.is_constant()) {
    Plaintext plain(1);
    plain.coefficients_for_writing()[0] = residue_of(vector.integers().front(), t);
    return plain;
  }
  const std::size_t slots = context.ring().rotation_count();
  const bool has_two_rows = vector.size() > row_length;
  auto rows = repeated(vector.integers(), 0, row_length, slots);
  const auto second = repeated(vector.integers(), has_two_rows ? row_length : 0, row_length, slots);
  rows.insert(rows.end(), second.begin(), second.end());
  std::vector<std::uint64_t> residues;
  for (const std::int64_t value : rows) residues.push_back(residue_of(value, t));
  Plaintext plain;
  if (!encoder) encoder.emplace(context);
  encoder->encode(residues, plain);
  return plain;
}

}  // namespace

/// One run: the registers, and the steps one after the other.
class CircuitRunner::Run {
 public:
  Run(const CircuitRunner& runner, const Evaluator& evaluator,
      std::span<const Ciphertext* const> inputs, const CircuitKeys& keys)
      : runner_(runner),
        plan_(runner.plan_),
        schedule_(*runner.schedule_),
        evaluator_(evaluator),
        keys_(keys),
        has_scale_(rlwe::traits_of(runner.context_.scheme()).has_scale),
        inputs_(inputs),
        registers_(plan_.register_count()) {}

  std::vector<Ciphertext> operator()(const CircuitProgress& progress) {
    const auto steps = plan_.steps();
    for (std::size_t i = 0; i < steps.size();) {
      const std::size_t done = i + (schedule_.is_part[i] ? 1 : compute(steps.subspan(i), i));
      for (; i < done; ++i) release(steps[i], i);
      if (progress) progress(done, steps.size());
    }
    std::vector<Ciphertext> results;
    const auto outputs = plan_.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const bool is_last = std::ranges::count(outputs.subspan(i), outputs[i]) == 1;
      results.push_back(is_last && !is_input(outputs[i]) ? std::move(registers_[outputs[i]])
                                                         : operand(outputs[i]));
    }
    return results;
  }

 private:
  // The first registers are the inputs, which are read where they are.
  bool is_input(std::size_t place) const { return place < inputs_.size(); }
  const Ciphertext& operand(std::size_t place) const {
    return is_input(place) ? *inputs_[place] : registers_[place];
  }

  // Computes the first of the steps, number `index`, or several rotations of one value. Returns how
  // many.
  std::size_t compute(std::span<const PlanStep> steps, std::size_t index) {
    const PlanStep& first = steps.front();
    if (const auto sum = schedule_.sums.find(index); sum != schedule_.sums.end()) {
      add_rotated(sum->second);
      return 1;
    }
    if (first.operation == PlanOperation::rotate) return rotate(steps, index);
    if (first.operation == PlanOperation::multiply_known) {
      if (const std::size_t count = inner_product(steps, index)) return count;
    }
    Ciphertext& result = registers_[first.result];
    if (is_in_place(first) && !is_input(first.a) && schedule_.last_use[first.a] == index) {
      result = std::move(registers_[first.a]);
      compute(first, result, result);
    } else {
      compute(first, operand(first.a), result);
    }
    if (has_scale_) result.scale() = first.scale;
    return 1;
  }

  // Computes a sum of products by known vectors at once, if the steps begin with one: a product,
  // then pairs of a product and its sum with what came before, each read only there. Returns the
  // number of steps, or 0.
  std::size_t inner_product(std::span<const PlanStep> steps, std::size_t index) {
    const PlanStep& first = steps.front();
    std::vector<const Ciphertext*> factors{&operand(first.a)};
    std::vector<const Plaintext*> known{&runner_.encoded(first)};
    std::size_t sum = first.result;
    std::size_t count = 1;
    for (; count + 1 < steps.size(); count += 2) {
      const PlanStep& product = steps[count];
      const PlanStep& add = steps[count + 1];
      const auto is_last_use = [&](std::size_t place) {
        return schedule_.last_use[place] == index + count + 1;
      };
      const bool adds = add.operation == PlanOperation::add && sum != product.result &&
                        std::minmax(add.a, add.b) == std::minmax(sum, product.result);
      if (product.operation != PlanOperation::multiply_known || !adds || !is_last_use(sum) ||
          !is_last_use(product.result) || !fits(first, product)) {
        break;
      }
      factors.push_back(&operand(product.a));
      known.push_back(&runner_.encoded(product));
      sum = add.result;
    }
    if (count == 1) return 0;
    const Context& context = evaluator_.context();
    const double scale = has_scale_ ? steps[count - 1].scale : factors.front()->scale();
    Ciphertext& result = registers_[sum];
    schemes::evaluate("Evaluator::multiply_plain", context, result,
                      std::tie(*factors.front(), *known.front()), [&] {
                        const ContextData& level = level_of(context, first.prime_count);
                        schemes::inner_product_plain(context, level, factors, known, scale, result);
                      });
    return count;
  }

  // Whether the products of two steps have one secret key, level, scale, size and correction
  // factor. Other sums are refused or balanced one by one.
  bool fits(const PlanStep& step, const PlanStep& other) const {
    return step.prime_count == other.prime_count && step.scale == other.scale &&
           step.known_scale == other.known_scale &&
           may_be_summed(operand(step.a), operand(other.a));
  }
  static bool may_be_summed(const Ciphertext& a, const Ciphertext& b) {
    return a.key_id() == b.key_id() && a.parms_id() == b.parms_id() && a.form() == b.form() &&
           a.size() == b.size() && a.scale() == b.scale() &&
           a.correction_factor() == b.correction_factor();
  }

  // Operations that are faster in the memory of their operand.
  static bool is_in_place(const PlanStep& step) {
    switch (step.operation) {
      case PlanOperation::negate:
      case PlanOperation::add_known:
        return true;
      case PlanOperation::add:
      case PlanOperation::subtract:
        return step.a != step.b;
      default:
        return false;
    }
  }

  void compute(const PlanStep& step, const Ciphertext& a, Ciphertext& result) {
    switch (step.operation) {
      case PlanOperation::negate:
        return evaluator_.negate(a, result);
      case PlanOperation::add:
        return evaluator_.add(a, operand(step.b), result);
      case PlanOperation::subtract:
        return evaluator_.sub(a, operand(step.b), result);
      case PlanOperation::multiply:
        return step.a == step.b ? evaluator_.square(a, result)
                                : evaluator_.multiply(a, operand(step.b), result);
      case PlanOperation::add_known:
        return evaluator_.add_plain(a, runner_.encoded(step), result);
      case PlanOperation::multiply_known:
      case PlanOperation::match_scale:
        return evaluator_.multiply_plain(a, runner_.encoded(step), result);
      case PlanOperation::relinearize:
        return evaluator_.relinearize(a, keys_.relin_keys, result);
      case PlanOperation::rescale:
        return evaluator_.rescale_to_next(a, result);
      case PlanOperation::relinearize_and_rescale:
        return a.size() == 2
                   ? evaluator_.rescale_to_next(a, result)
                   : evaluator_.relinearize_and_rescale_to_next(a, keys_.relin_keys, result);
      case PlanOperation::switch_level:
        return evaluator_.mod_switch_to(a, level_of(runner_.context_, step.prime_count).parms_id(),
                                        result);
      case PlanOperation::rotate:
        break;
      case PlanOperation::conjugate:
        return has_scale_ ? evaluator_.complex_conjugate(a, keys_.galois_keys, result)
                          : evaluator_.rotate_columns(a, keys_.galois_keys, result);
    }
  }

  // Computes a sum with one division; parts that no sum may join are refused or balanced one by
  // one.
  void add_rotated(const circuits::RotationSum& sum) {
    const Context& context = evaluator_.context();
    const PlanStep& last = plan_.steps()[sum.parts.back()];
    const Ciphertext& first = operand(sum.rotated.begin()->first);
    std::vector<schemes::Images> images;
    std::vector<const Ciphertext*> addends;
    for (const auto& [source, rotations] : sum.rotated) {
      images.push_back({&operand(source), {}});
      for (const int steps : rotations) {
        images.back().galois_elements.push_back(context.ring().galois_element_from_step(steps));
      }
    }
    for (const std::size_t addend : sum.addends) addends.push_back(&operand(addend));
    const auto fits = [&](const Ciphertext& a) { return may_be_summed(first, a) && a.size() == 2; };
    if (!std::ranges::all_of(images, [&](const auto& image) { return fits(*image.source); }) ||
        !std::ranges::all_of(addends, [&](const Ciphertext* addend) { return fits(*addend); })) {
      return compute_each(sum.parts);
    }
    Ciphertext& result = registers_[last.result];
    schemes::evaluate(has_scale_ ? "Evaluator::rotate_vector" : "Evaluator::rotate_rows", context,
                      result, std::tie(first), [&] {
                        const ContextData& level = level_of(context, last.prime_count);
                        result = schemes::sum_of_images(context, level, images, addends,
                                                        keys_.galois_keys);
                      });
    if (has_scale_) result.scale() = last.scale;
    for (const std::size_t part : sum.parts) release(plan_.steps()[part], sum.parts.back());
  }

  void compute_each(std::span<const std::size_t> parts) {
    for (const std::size_t part : parts) {
      const PlanStep& step = plan_.steps()[part];
      if (step.operation == PlanOperation::rotate) {
        rotate(plan_.steps().subspan(part, 1), part);
      } else {
        compute(step, operand(step.a), registers_[step.result]);
        if (has_scale_) registers_[step.result].scale() = step.scale;
      }
    }
    for (const std::size_t part : parts) release(plan_.steps()[part], parts.back());
  }

  std::size_t rotate(std::span<const PlanStep> steps, std::size_t index) {
    const std::size_t source = steps.front().a;
    std::vector<int> rotations;
    for (const PlanStep& step : steps) {
      if (step.operation != PlanOperation::rotate || step.a != source) break;
      if (!rotations.empty() && schedule_.is_part[index + rotations.size()]) break;
      rotations.push_back(step.steps);
    }
    std::vector<Ciphertext> results(rotations.size());
    if (has_scale_) {
      evaluator_.rotate_vector_many(operand(source), rotations, keys_.galois_keys, results);
    } else {
      evaluator_.rotate_rows_many(operand(source), rotations, keys_.galois_keys, results);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      registers_[steps[i].result] = std::move(results[i]);
    }
    return rotations.size();
  }

  void release(const PlanStep& step, std::size_t index) {
    if (schedule_.last_use[step.a] == index) registers_[step.a] = Ciphertext();
    if (step.reads_two() && schedule_.last_use[step.b] == index) registers_[step.b] = Ciphertext();
  }

  const CircuitRunner& runner_;
  const CircuitPlan& plan_;
  const circuits::Schedule& schedule_;
  const Evaluator& evaluator_;
  const CircuitKeys& keys_;
  bool has_scale_;
  std::span<const Ciphertext* const> inputs_;
  std::vector<Ciphertext> registers_;
};

CircuitRunner::CircuitRunner(const Circuit& circuit, const Context& context, double scale,
                             std::size_t input_prime_count, const CircuitProgress& progress,
                             const HasGaloisKey& has_key)
    : context_(context.on_host()),
      plan_(circuit, parms_at(context, input_prime_count), scale, has_key),
      schedule_(std::make_shared<const circuits::Schedule>(plan_)) {
  check_results_decrypt(circuit, plan_, parms_at(context, input_prime_count));
  encode(circuit, progress);
}

CircuitRunner::Use CircuitRunner::use_of(const PlanStep& step) {
  if (step.operation == PlanOperation::match_scale) {
    return {kOne, step.prime_count, step.known_scale, true};
  }
  const bool is_product = step.operation == PlanOperation::multiply_known;
  return {step.b, step.prime_count, is_product ? step.known_scale : step.scale, is_product};
}

/// What encodes the known vectors of a circuit; the tables of encoders are made once for all.
struct CircuitRunner::Encoders {
  explicit Encoders(const Context& context) : evaluator(context) {
    if (rlwe::traits_of(context.scheme()).has_scale) numbers.emplace(context);
  }

  Evaluator evaluator;
  std::optional<CKKSEncoder> numbers;
  OptionalBatchEncoder integers;
};

void CircuitRunner::encode(const Circuit& circuit, const CircuitProgress& progress) {
  Encoders encoders(context_);
  const auto steps = plan_.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    encode(circuit, steps[i], encoders);
    if (progress) progress(i + 1, steps.size());
  }
}

// A factor of BFV and BGV is transformed once; an addend stays a plain polynomial, at no level.
void CircuitRunner::encode(const Circuit& circuit, const PlanStep& step, Encoders& encoders) {
  const bool is_product = step.operation == PlanOperation::multiply_known ||
                          step.operation == PlanOperation::match_scale;
  if (!is_product && step.operation != PlanOperation::add_known) return;
  const Use use = use_of(step);
  if (encoded_.contains(use)) return;
  const bool has_scale = encoders.numbers.has_value();
  const ContextData& level = level_of(context_, step.prime_count);
  const KnownVector vector =
      use.vector == kOne ? KnownVector(1.0) : circuit.known_vectors()[use.vector];
  const std::size_t length = circuit.row_length();
  Plaintext plain = has_scale ? encode_numbers(*encoders.numbers, vector, length, level, use.scale)
                              : encode_integers(context_, encoders.integers, vector, length);
  if (has_scale && is_product) circuits::avoid_zero_factor(context_, plain);
  if (!has_scale && is_product) {
    encoders.evaluator.transform_to_ntt_inplace(plain, level.parms_id());
  }
  encoded_.emplace(use, std::move(plain));
}

const Plaintext& CircuitRunner::encoded(const PlanStep& step) const {
  return encoded_.at(use_of(step));
}

std::size_t CircuitRunner::byte_count() const noexcept {
  std::size_t bytes = 0;
  for (const auto& [use, plain] : encoded_) bytes += plain.byte_count();
  return bytes;
}

CircuitKeys CircuitRunner::create_keys(const KeyGenerator& generator) const {
  CircuitKeys keys;
  if (plan_.needs_relinearization()) keys.relin_keys = generator.create_relin_keys();
  const auto elements = plan_.galois_elements();
  if (!elements.empty()) {
    keys.galois_keys =
        generator.create_galois_keys_for_elements({elements.begin(), elements.end()});
  }
  return keys;
}

void CircuitRunner::check_inputs(std::span<const Ciphertext* const> inputs) const {
  if (inputs.size() != plan_.input_count()) {
    refuse(concat(inputs.size(), " inputs"),
           concat("the ", plan_.input_count(), " inputs of the circuit"),
           "pass one ciphertext for each declared input");
  }
  const ContextData& level = level_of(context_, plan_.input_prime_count());
  const bool is_first = level.parms_id() == context_.first_parms_id();
  for (const Ciphertext* const pointer : inputs) {
    const Ciphertext& input = *pointer;
    rlwe::check_operand(context_, input, "input");
    const double scale = plan_.scale_at(plan_.input_prime_count());
    const bool fits = input.size() == 2 && input.parms_id() == level.parms_id() &&
                      rlwe::scales_match(input.scale(), scale);
    if (fits) continue;
    refuse(concat("an input of size ", input.size(), ", ", rlwe::describe(context_, input)),
           concat("size 2 at the ", is_first ? "first level" : "level", " of ",
                  plan_.input_prime_count(), " data primes, ", rlwe::describe_scale(scale)),
           "encrypt at the level and the scale of the plan, or switch the input to that level");
  }
}

void CircuitRunner::check_keys(const CircuitKeys& keys) const {
  std::string missing;
  if (plan_.needs_relinearization() && !keys.relin_keys.has_key(2)) missing = " relinearization";
  for (const std::uint64_t element : plan_.galois_elements()) {
    if (!keys.galois_keys.has_key(element)) missing += concat(" galois:", element);
  }
  if (missing.empty()) return;
  refuse(
      concat("missing keys:", missing),
      concat(plan_.needs_relinearization() ? "a relinearization key and " : "",
             plan_.galois_elements().size(), " Galois keys"),
      "create Galois keys for the elements of the plan, and a relinearization key if it is listed");
}

std::vector<Ciphertext> CircuitRunner::run(const Evaluator& evaluator,
                                           std::span<const Ciphertext> inputs,
                                           const CircuitKeys& keys,
                                           const CircuitProgress& progress) const {
  std::vector<const Ciphertext*> pointers;
  for (const Ciphertext& input : inputs) pointers.push_back(&input);
  return run(evaluator, pointers, keys, progress);
}

std::vector<Ciphertext> CircuitRunner::run(const Evaluator& evaluator,
                                           std::span<const Ciphertext* const> inputs,
                                           const CircuitKeys& keys,
                                           const CircuitProgress& progress) const {
  public_entry("CircuitRunner::run", [&] {
    check_inputs(inputs);
    check_keys(keys);
  });
  return Run(*this, evaluator, inputs, keys)(progress);
}

}  // namespace ringlet
