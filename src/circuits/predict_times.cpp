// SPDX-License-Identifier: Apache-2.0
#include "ringlet/predict_times.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "ringlet/batch_encoder.hpp"
#include "ringlet/ckks_encoder.hpp"
#include "ringlet/context.hpp"
#include "ringlet/decryptor.hpp"
#include "ringlet/encryptor.hpp"
#include "ringlet/evaluator.hpp"
#include "ringlet/key_generator.hpp"
#include "ringlet/object_sizes.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {
namespace {

// A step is repeated for this long, and at least so often.
constexpr double kSecondsPerStep = 8e-3;
constexpr int kLeastRounds = 4;
// Rotations of one value that are timed together: more take as long each as the last of these.
constexpr std::size_t kMostTogether = 4;

/// The least time of `call` in seconds.
template <typename Call>
double least_time(const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0;; ++round) {
    const auto start = Clock::now();
    call();
    const auto stop = Clock::now();
    least = std::min(least, std::chrono::duration<double>(stop - start).count());
    if (round + 1 >= kLeastRounds &&
        std::chrono::duration<double>(stop - begin).count() > kSecondsPerStep) {
      return least;
    }
  }
}

/// Reduced residues without meaning, the same in every run; `state` goes on.
void fill(ResidueView poly, std::span<const Modulus> primes, std::uint64_t& state) {
  for (std::size_t i = 0; i < poly.limb_count; ++i) {
    for (std::uint64_t& word : poly.limb(i)) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      word = (state >> 3) % primes[i].value();
    }
  }
}

// Different seeds, so that differences of two are not zero.
Ciphertext stand_in(const ContextData& level, std::size_t size, Form form, std::uint64_t seed = 1) {
  Ciphertext result(level, size, form, Contents::unspecified);
  for (std::size_t k = 0; k < size; ++k) {
    fill(result.view_for_writing(k), level.coeff_modulus(), seed);
  }
  return result;
}

/// What steps of a kind have in common.
struct Kind {
  PlanOperation operation;
  std::size_t prime_count;
  std::size_t size;
  std::size_t target;  // data primes of the result
  bool is_square;
  auto operator<=>(const Kind&) const = default;
};

/// Ciphertexts and keys without meaning, and the steps on them.
class StandIns {
 public:
  StandIns(const EncryptionParameters& parms, const CircuitPlan& plan, std::size_t key_bytes)
      : context_(parms, SecurityLevel::none),
        evaluator_(context_),
        has_scale_(rlwe::traits_of(parms.scheme()).has_scale) {
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

  double seconds(const Kind& kind) {
    const ContextData& level = level_of(kind.prime_count);
    const Form form = context_.ciphertext_form();
    const Ciphertext a = stand_in(level, kind.size, form);
    const Ciphertext b = stand_in(level, 2, form, 2);
    return least_time([&] {
      Ciphertext result;
      run(kind, a, b, result);
    });
  }

  /// `count` rotations of one ciphertext, by different keys from call to call.
  double rotations(std::size_t prime_count, std::size_t count) {
    const Ciphertext a = stand_in(level_of(prime_count), 2, context_.ciphertext_form());
    std::vector<Ciphertext> results(count);
    std::vector<std::uint64_t> elements(count);
    std::size_t next = 0;
    return least_time([&] {
      for (std::uint64_t& element : elements) element = elements_[next++ % elements_.size()];
      evaluator_.apply_galois_many(a, elements, galois_keys_, results);
    });
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
      pairs.push_back(stand_in(*context_.key_context_data(), 2, Form::ntt));
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
  RelinKeys relin_keys_;
  GaloisKeys galois_keys_;
  std::vector<std::uint64_t> elements_;  // with a stand-in of their own
  std::map<std::size_t, Plaintext> encoded_;
  Plaintext addend_;
};

/// Times of all steps of a plan.
class Prediction {
 public:
  Prediction(const CircuitPlan& plan, const EncryptionParameters& parms, std::size_t key_bytes)
      : plan_(plan),
        stand_ins_(parms, plan, key_bytes),
        shapes_(plan.register_count(), {plan.input_prime_count(), 2}) {}

  PredictedTimes operator()() {
    const auto steps = plan_.steps();
    for (std::size_t i = 0; i < steps.size();) {
      i += steps[i].operation == PlanOperation::rotate ? add_rotations(steps.subspan(i))
                                                       : add(steps[i]);
    }
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

  Kind kind_of(const PlanStep& step) const {
    const Shape& a = shapes_[step.a];
    Kind kind{step.operation, a.prime_count, a.size, step.prime_count, false};
    kind.is_square = step.operation == PlanOperation::multiply && step.a == step.b;
    // Nothing to relinearize.
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
    const auto [place, is_new] = seconds_.try_emplace(kind, 0.0);
    if (is_new) place->second = stand_ins_.seconds(kind);
    record(kind, 1, place->second);
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
    const auto [place, is_new] = groups_.try_emplace({kind.prime_count, count}, 0.0);
    if (is_new) place->second = stand_ins_.rotations(kind.prime_count, count);
    return place->second;
  }

  const CircuitPlan& plan_;
  StandIns stand_ins_;
  std::vector<Shape> shapes_;  // of each register
  std::map<Kind, double> seconds_;
  std::map<std::pair<std::size_t, std::size_t>, double> groups_;
  std::map<Kind, PredictedStep> steps_;
};

// Encryption, decryption and key generation are timed as they are, with keys that are thrown away.
void add_secret_side(const CircuitPlan& plan, const Context& context, PredictedTimes& times) {
  const KeyGenerator generator(context);
  PublicKey public_key;
  const double pair = least_time([&] { public_key = generator.create_public_key(); });
  const std::size_t keys = plan.galois_elements().size() + (plan.needs_relinearization() ? 1 : 0);
  times.keys = pair * static_cast<double>(1 + keys * context.parms().digit_count());

  const Encryptor encryptor(context, public_key);
  Plaintext message(1);
  if (rlwe::traits_of(context.scheme()).has_scale) {
    CKKSEncoder(context).encode(0.5, plan.scale_at(plan.input_prime_count()), message);
  } else {
    message = Plaintext(context.ring().degree());
  }
  Ciphertext encrypted;
  times.encrypt = least_time([&] { encryptor.encrypt(message, encrypted); });

  std::size_t primes = plan.input_prime_count();
  for (const PlanStep& step : plan.steps()) {
    for (const std::size_t output : plan.outputs()) {
      if (step.result == output) primes = std::min(primes, step.prime_count);
    }
  }
  const Decryptor decryptor(context, generator.secret_key());
  const ContextData* level = context.first_context_data();
  while (level->prime_count() != primes) level = level->next_context_data();
  const Ciphertext result = stand_in(*level, 2, context.ciphertext_form());
  Plaintext plain;
  times.decrypt = least_time([&] { decryptor.decrypt(result, plain); });
}

}  // namespace

PredictedTimes predict_times(const Circuit& circuit, const EncryptionParameters& parms,
                             double scale, std::size_t key_bytes) {
  const CircuitPlan plan(circuit, parms, scale);
  Prediction prediction(plan, parms, key_bytes);
  PredictedTimes times = prediction();
  add_secret_side(plan, prediction.stand_ins().context(), times);
  return times;
}

}  // namespace ringlet
