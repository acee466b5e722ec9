// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/predict_times.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "ringlet/estimates/object_sizes.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/key_generator.hpp"
#include "ringlet/schemes/batch_encoder.hpp"
#include "ringlet/schemes/ckks_encoder.hpp"
#include "ringlet/schemes/decryptor.hpp"
#include "ringlet/schemes/encryptor.hpp"
#include "ringlet/schemes/evaluator.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {
namespace {

// A step is repeated for kSecondsPerStep on average, and at least kLeastRounds times.
constexpr double kSecondsPerStep = 8e-3;
constexpr int kLeastRounds = 4;
// Rotations of one value that are timed together. Each further one takes the average time of all
// of these but the first.
constexpr std::size_t kMostTogether = 4;

template <typename Call>
double seconds_of(const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  call();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the least time of `call` in seconds.
template <typename Call>
double least_time(const Call& call) {
  double least = std::numeric_limits<double>::infinity();
  double spent = 0;
  for (int round = 0; round < kLeastRounds || spent < kSecondsPerStep; ++round) {
    const double seconds = seconds_of(call);
    least = std::min(least, seconds);
    spent += seconds;
  }
  return least;
}

/// Writes reduced residues without meaning, the same in every run, and advances `state`.
void fill(ResidueView poly, std::span<const Modulus> primes, std::uint64_t& state) {
  for (std::size_t i = 0; i < poly.limb_count; ++i) {
    for (std::uint64_t& word : poly.limb(i)) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      word = (state >> 3) % primes[i].value();
    }
  }
}

// Different seeds give results whose differences are not zero.
Ciphertext stand_in(const ContextData& level, std::size_t size, Form form, std::uint64_t seed) {
  Ciphertext result(level, size, form, Contents::unspecified);
  for (std::size_t k = 0; k < size; ++k) {
    fill(result.view_for_writing(k), level.coeff_modulus(), seed);
  }
  return result;
}

// Copies the limbs of `top` for which the level has primes.
Ciphertext lowered(const Ciphertext& top, const ContextData& level, std::size_t size) {
  const Form form = top.is_ntt_form() ? Form::ntt : Form::coefficient;
  Ciphertext result(level, size, form, Contents::unspecified);
  for (std::size_t k = 0; k < size; ++k) {
    const ResidueView to = result.view_for_writing(k);
    for (std::size_t i = 0; i < to.limb_count; ++i) {
      std::ranges::copy(top.view(k).limb(i), to.limb(i).begin());
    }
  }
  return result;
}

/// The properties that decide the time of a step.
struct Kind {
  PlanOperation operation;
  std::size_t prime_count;
  std::size_t size;
  std::size_t target;  // data primes of the result
  bool is_square;
  auto operator<=>(const Kind&) const = default;
};

/// Holds ciphertexts and keys without meaning and runs steps on them.
class StandIns {
 public:
  StandIns(const EncryptionParameters& parms, const CircuitPlan& plan, std::size_t key_bytes)
      : context_(parms, SecurityLevel::none),
        evaluator_(context_),
        has_scale_(rlwe::traits_of(parms.scheme()).has_scale),
        first_(stand_in(*context_.first_context_data(), 3, context_.ciphertext_form(), 1)),
        second_(stand_in(*context_.first_context_data(), 2, context_.ciphertext_form(), 2)) {
    const std::size_t relin_count = plan.needs_relinearization() ? 1 : 0;
    if (relin_count + plan.galois_elements().size() == 0) return;
    const std::size_t one = relin_keys_size(parms).payload;
    const std::size_t most = std::max<std::size_t>(1, key_bytes / one);
    if (relin_count != 0) relin_keys_ = RelinKeys(context_, {{2, key()}});
    KSwitchKeyMap galois;
    for (const std::uint64_t element : plan.galois_elements()) {
      if (galois.size() < most) elements_.push_back(element);
      galois.emplace(element, galois.size() < most ? key() : galois.begin()->second);
    }
    if (!galois.empty()) galois_keys_ = GaloisKeys(context_, std::move(galois));
  }

  const Context& context() const noexcept { return context_; }

  /// Times one step. Its operands were just written, so caches hold them like results of a run.
  double seconds(const Kind& kind) {
    const ContextData& level = level_of(kind.prime_count);
    const Ciphertext a = lowered(first_, level, kind.size);
    const Ciphertext b = lowered(second_, level, 2);
    return seconds_of([&] {
      Ciphertext result;
      run(kind, a, b, result);
    });
  }

  /// Times `count` rotations of one ciphertext, by different keys from call to call.
  double rotations(std::size_t prime_count, std::size_t count) {
    const Ciphertext a = lowered(first_, level_of(prime_count), 2);
    std::vector<Ciphertext> results(count);
    std::vector<std::uint64_t> elements(count);
    for (std::uint64_t& element : elements) element = elements_[next_++ % elements_.size()];
    return seconds_of([&] { evaluator_.apply_galois_many(a, elements, galois_keys_, results); });
  }

  /// Returns a result of a circuit. Results of BGV have a correction factor other than 1.
  Ciphertext result(std::size_t prime_count) const {
    Ciphertext value = lowered(first_, level_of(prime_count), 2);
    if (context_.scheme() == SchemeType::bgv && context_.plain_modulus().value() > 2) {
      value.correction_factor() = context_.plain_modulus().value() - 1;
    }
    return value;
  }

  const ContextData& level_of(std::size_t prime_count) const {
    const ContextData* level = context_.first_context_data();
    while (level->prime_count() != prime_count) level = level->next_context_data();
    return *level;
  }

 private:
  std::shared_ptr<const KSwitchKey> key() const {
    std::vector<Ciphertext> pairs;
    for (std::size_t digit = 0; digit < context_.parms().digit_count(); ++digit) {
      pairs.push_back(stand_in(*context_.key_context_data(), 2, Form::ntt, 1));
    }
    return std::make_shared<const KSwitchKey>(context_, std::move(pairs));
  }

  Plaintext known(const ContextData& level) const {
    Plaintext plain(level, Contents::unspecified);
    const NttView view = plain.ntt_view_for_writing();
    std::uint64_t seed = 3;
    fill({view.data, view.degree, view.limb_count, view.limb_stride}, level.coeff_modulus(), seed);
    return plain;
  }

  void run(const Kind& kind, const Ciphertext& a, const Ciphertext& b, Ciphertext& result) {
    switch (kind.operation) {
      case PlanOperation::negate:
        return evaluator_.negate(a, result);
      case PlanOperation::add:
        return evaluator_.add(a, b, result);
      case PlanOperation::subtract:
        return evaluator_.sub(a, b, result);
      case PlanOperation::multiply:
        return kind.is_square ? evaluator_.square(a, result) : evaluator_.multiply(a, b, result);
      case PlanOperation::add_known:
        return evaluator_.add_plain(a, has_scale_ ? encoded(kind.prime_count) : addend(), result);
      case PlanOperation::multiply_known:
      case PlanOperation::match_scale:
        return evaluator_.multiply_plain(a, encoded(kind.prime_count), result);
      case PlanOperation::relinearize:
        return evaluator_.relinearize(a, relin_keys_, result);
      case PlanOperation::rescale:
        return evaluator_.rescale_to_next(a, result);
      case PlanOperation::relinearize_and_rescale:
        return evaluator_.relinearize_and_rescale_to_next(a, relin_keys_, result);
      case PlanOperation::switch_level:
        return evaluator_.mod_switch_to(a, level_of(kind.target).parms_id(), result);
      case PlanOperation::rotate:
      case PlanOperation::conjugate:
        return evaluator_.apply_galois(a, elements_.front(), galois_keys_, result);
    }
  }

  const Plaintext& encoded(std::size_t prime_count) {
    const auto [place, is_new] = encoded_.try_emplace(prime_count);
    if (is_new) place->second = known(level_of(prime_count));
    return place->second;
  }

  const Plaintext& addend() {
    if (addend_.empty()) {
      addend_ = Plaintext(context_.ring().degree());
      for (std::uint64_t& word : addend_.coefficients_for_writing()) word = 1;
    }
    return addend_;
  }

  Context context_;
  Evaluator evaluator_;
  bool has_scale_;
  Ciphertext first_;
  Ciphertext second_;
  RelinKeys relin_keys_;
  GaloisKeys galois_keys_;
  std::vector<std::uint64_t> elements_;  // with a key of their own
  std::size_t next_ = 0;
  std::map<std::size_t, Plaintext> encoded_;
  Plaintext addend_;
};

/// Times of all steps of a plan.
class Prediction {
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

 public:
  Prediction(const CircuitPlan& plan, const EncryptionParameters& parms, std::size_t key_bytes)
      : plan_(plan),
        stand_ins_(parms, plan, key_bytes),
        shapes_(plan.register_count(), {plan.input_prime_count(), 2}) {}

  PredictedTimes operator()() {
    add_all();  // finds all kinds
    measure();
    steps_.clear();
    add_all();
    PredictedTimes times;
    for (const auto& [kind, step] : steps_) {
      times.steps.push_back(step);
      times.circuit += step.seconds;
    }
    return times;
  }

  StandIns& stand_ins() noexcept { return stand_ins_; }

 private:
  struct Shape {
    std::size_t prime_count;
    std::size_t size;
  };

  void add_all() {
    const auto steps = plan_.steps();
    for (std::size_t i = 0; i < steps.size();) {
      i += steps[i].operation == PlanOperation::rotate ? add_rotations(steps.subspan(i))
                                                       : add(steps[i]);
    }
  }

  // Times all kinds in turn, as in a run: repeated at once, a kind would find its key in the cache.
  void measure() {
    const double enough = kSecondsPerStep * static_cast<double>(seconds_.size() + groups_.size());
    double spent = 0;
    const auto keep_least = [&spent](double& least, double seconds) {
      least = std::min(least, seconds);
      spent += seconds;
    };
    for (int round = 0; round < kLeastRounds || spent < enough; ++round) {
      for (auto& [kind, least] : seconds_) keep_least(least, stand_ins_.seconds(kind));
      for (auto& [group, least] : groups_) {
        keep_least(least, stand_ins_.rotations(group.first, group.second));
      }
      if (seconds_.empty() && groups_.empty()) return;
    }
  }

  Kind kind_of(const PlanStep& step) const {
    const Shape& a = shapes_[step.a];
    Kind kind{step.operation, a.prime_count, a.size, step.prime_count, false};
    kind.is_square = step.operation == PlanOperation::multiply && step.a == step.b;
    // Size 2 has nothing to relinearize.
    if (kind.operation == PlanOperation::relinearize_and_rescale && a.size == 2) {
      kind.operation = PlanOperation::rescale;
    }
    return kind;
  }

  void record(const Kind& kind, std::size_t count, double seconds) {
    PredictedStep& step = steps_[kind];
    step.operation = kind.operation;
    step.prime_count = kind.prime_count;
    step.size = kind.size;
    step.count += count;
    step.seconds += seconds;
  }

  std::size_t add(const PlanStep& step) {
    const Kind kind = kind_of(step);
    shapes_[step.result] = {step.prime_count, step.size};
    record(kind, 1, seconds_.try_emplace(kind, kUnknown).first->second);
    return 1;
  }

  // Rotations of one value share their beginning: the first of them takes longer than the others.
  std::size_t add_rotations(std::span<const PlanStep> steps) {
    std::size_t count = 0;
    while (count < steps.size() && steps[count].operation == PlanOperation::rotate &&
           steps[count].a == steps.front().a) {
      shapes_[steps[count].result] = {steps[count].prime_count, steps[count].size};
      ++count;
    }
    const Kind kind = kind_of(steps.front());
    const double one = group(kind, 1);
    const std::size_t together = std::min(count, kMostTogether);
    double seconds = together == 1 ? one : group(kind, together);
    if (count > together) {
      seconds += static_cast<double>(count - together) * (seconds - one) /
                 static_cast<double>(together - 1);
    }
    record(kind, count, seconds);
    return count;
  }

  double group(const Kind& kind, std::size_t count) {
    return groups_.try_emplace({kind.prime_count, count}, kUnknown).first->second;
  }

  const CircuitPlan& plan_;
  StandIns stand_ins_;
  std::vector<Shape> shapes_;  // of each register
  std::map<Kind, double> seconds_;
  std::map<std::pair<std::size_t, std::size_t>, double> groups_;
  std::map<Kind, PredictedStep> steps_;
};

// Returns the fewest data primes of a result.
std::size_t result_primes(const CircuitPlan& plan) {
  std::size_t primes = plan.input_prime_count();
  for (const PlanStep& step : plan.steps()) {
    for (const std::size_t output : plan.outputs()) {
      if (step.result == output) primes = std::min(primes, step.prime_count);
    }
  }
  return primes;
}

/// The encoder that the scheme has, if messages have slots.
class Encoders {
 public:
  explicit Encoders(const Context& context) {
    if (rlwe::traits_of(context.scheme()).has_scale) numbers_.emplace(context);
    if (context.using_batching()) integers_.emplace(context);
  }

  /// Encodes a message whose only known property is that it is not 0.
  void encode(double scale, Plaintext& message) const {
    if (numbers_) numbers_->encode(std::vector(numbers_->slot_count(), 0.5), scale, message);
    if (integers_) integers_->encode(std::vector(integers_->slot_count(), 1L), message);
  }
  void decode(const Plaintext& message) const {
    std::vector<double> numbers;
    std::vector<std::int64_t> integers;
    if (numbers_) numbers_->decode(message, numbers);
    if (integers_) integers_->decode(message, integers);
  }

 private:
  std::optional<CKKSEncoder> numbers_;
  std::optional<BatchEncoder> integers_;
};

// Times real encryption, decryption and key generation, with keys that are thrown away.
void add_secret_side(const CircuitPlan& plan, const StandIns& stand_ins, PredictedTimes& times) {
  const Context& context = stand_ins.context();
  times.context = least_time([&] {
    const Context again(context.parms(), SecurityLevel::none);
    const Evaluator evaluator(again);
    const Encoders encoders(again);
  });
  const KeyGenerator generator(context);
  PublicKey public_key;
  const double pair = least_time([&] { public_key = generator.create_public_key(); });
  const std::size_t keys = plan.galois_elements().size() + (plan.needs_relinearization() ? 1 : 0);
  times.keys = pair * static_cast<double>(1 + keys * context.parms().digit_count());

  const Encoders encoders(context);
  const double scale = plan.scale_at(plan.input_prime_count());
  Plaintext message(context.ring().degree());
  times.encode = least_time([&] { encoders.encode(scale, message); });
  const Encryptor encryptor(context, public_key);
  Ciphertext encrypted;
  times.encrypt = least_time([&] { encryptor.encrypt(message, encrypted); });

  const Decryptor decryptor(context, generator.secret_key());
  const Ciphertext result = stand_ins.result(result_primes(plan));
  Plaintext plain;
  times.decrypt = least_time([&] { decryptor.decrypt(result, plain); });
  times.decode = least_time([&] { encoders.decode(plain); });
}

}  // namespace

PredictedTimes predict_times(const Circuit& circuit, const EncryptionParameters& parms,
                             double scale, std::size_t key_bytes) {
  const CircuitPlan plan(circuit, parms, scale);
  Prediction prediction(plan, parms, key_bytes);
  PredictedTimes times = prediction();
  add_secret_side(plan, prediction.stand_ins(), times);
  return times;
}

}  // namespace ringlet
