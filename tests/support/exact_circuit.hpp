// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/circuit_operations.hpp"
#include "support/exact_model.hpp"
#include "support/noise_meter.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// A ciphertext of BFV or BGV, what it should hold, and a bound of its noise.
struct ExactValue {
  Ciphertext ciphertext;
  Message message;
  Load load;
  NoiseEstimate estimate;
  int depth = 0;
};

/// A plaintext and its message.
struct ExactPlain {
  Plaintext plain;
  Message message;
  PlainEstimate estimate;
};

/// A random circuit of BFV or BGV.
class ExactCircuit : public RandomCircuit<ExactValue, ExactNoise> {
 public:
  ExactCircuit(const CircuitBench& bench, std::uint64_t seed, CircuitStatistics& statistics,
               bool checks_each)
      : RandomCircuit(bench, seed, statistics, checks_each),
        t_(bench.context.plain_modulus().value()),
        degree_(bench.context.ring().degree()),
        is_bgv_(bench.context.scheme() == SchemeType::bgv) {
    if (bench.context.using_batching()) batch_.emplace(bench.context);
  }

 private:
  using Operation = bool (ExactCircuit::*)();

  // Inputs.
  std::vector<std::uint64_t> random_words();
  ExactPlain random_plain();
  bool encrypt() override;
  bool encrypt_message(bool is_symmetric) override;
  bool encrypt_zero(bool is_symmetric);
  // Operations on one value.
  bool add_or_sub_plain();
  bool multiply_plain();
  bool mod_switch() { return go_down(false); }
  bool mod_reduce() { return go_down(true); }
  bool go_down(bool reduces);
  bool rotate();
  bool change_form();
  bool exponentiate();
  // On several.
  bool multiply_many();

  void random_operation() override;
  void random_step() override;
  void step_up() override;
  bool can_go_on() override;
  void choose_start() override;
  std::optional<ExactValue> independent_product(const ExactValue& a, const ExactValue& b) override;

  void check(const ExactValue& value) override;
  void complete(ExactValue& value) override;
  std::optional<ExactValue> lowered(const ExactValue& value, const ContextData& target) override;
  Load sum_load(const ExactValue& a, const ExactValue& b, const Message& sum) const override;
  Load product_load(const ExactValue& a, const ExactValue& b, const Message&) const override {
    return model_.multiply(a.load, b.load);
  }
  const char* sum_kind(const ExactValue& a, const ExactValue& b) const override {
    const bool is_balanced = a.ciphertext.correction_factor() == b.ciphertext.correction_factor();
    return is_balanced ? "" : " with unequal factors";
  }
  void become_sum(ExactValue& a, const ExactValue& b) const override;
  long double norm_of(const PlainPoly& poly) const;

  std::uint64_t t_;
  std::size_t degree_;
  bool is_bgv_;
  std::optional<BatchEncoder> batch_;
};

// All kinds of polynomials, none of them zero. With batching these are slots.
inline std::vector<std::uint64_t> ExactCircuit::random_words() {
  std::vector<std::uint64_t> words(degree_);
  switch (any(6)) {
    case 0:
      words[any(degree_)] = 1 + rng_() % (t_ - 1);
      break;
    case 1:
      std::ranges::fill(words, t_ - 1);
      break;
    case 2:
      for (int k = 0; k < 3; ++k) words[any(degree_)] = t_ / 2;
      if (t_ < 4) words[0] = 1;
      break;
    case 3:
      std::ranges::fill(words, 1 + rng_() % (t_ - 1));
      break;
    default:
      for (std::uint64_t& word : words) word = rng_() % t_;
      words[any(degree_)] = t_ - 1;
  }
  return words;
}

inline ExactPlain ExactCircuit::random_plain() {
  const std::vector<std::uint64_t> words = random_words();
  if (batch_) {
    Plaintext plain;
    batch_->encode(words, plain);
    const auto coefficients = plain.coefficients();
    return {
        plain,
        {PlainPoly(degree_, t_, {coefficients.begin(), coefficients.end()}), SlotMatrix(t_, words)},
        estimator_.known_plain(coefficients)};
  }
  std::size_t count = degree_;
  while (count > 1 && words[count - 1] == 0) --count;
  Plaintext plain(percent(50) ? count : degree_);
  std::ranges::copy(std::span(words).first(plain.coeff_count()),
                    plain.coefficients_for_writing().begin());
  return {plain,
          {PlainPoly(degree_, t_, words), std::nullopt},
          estimator_.known_plain(plain.coefficients())};
}

// The norm of the lift to (-t/2, t/2].
inline long double ExactCircuit::norm_of(const PlainPoly& poly) const {
  std::vector<double> lifted;
  for (const std::uint64_t m : poly.coefficients()) {
    lifted.push_back(m >= (t_ + 1) / 2 ? -static_cast<double>(t_ - m) : static_cast<double>(m));
  }
  return canonical_norm(lifted) * (1 + 1e-9);
}

inline void ExactCircuit::complete(ExactValue& value) {
  EXPECT_EQ(value.ciphertext.is_ntt_form(), is_bgv_) << trace_;
  EXPECT_EQ(value.estimate.correction_factor(), value.ciphertext.correction_factor()) << trace_;
}

inline void ExactCircuit::check(const ExactValue& value) {
  const Plaintext plain = bench_.decryptor.decrypt(value.ciphertext);
  const auto coefficients = plain.coefficients();
  const PlainPoly decrypted(degree_, t_, {coefficients.begin(), coefficients.end()});
  const bool is_right = decrypted == value.message.poly;
  EXPECT_TRUE(is_right) << "decrypted to another polynomial, depth " << value.depth
                        << ", after:" << trace_;
  if (batch_) {
    std::vector<std::uint64_t> slots;
    batch_->decode(plain, slots);
    const bool slots_are_right = slots == value.message.slots->values();
    EXPECT_TRUE(slots_are_right) << "decrypted to other slots, after:" << trace_;
  }
  const MeasuredNoise noise = measure_noise(bench_, value.ciphertext);
  EXPECT_LE(noise.norm, value.load.noise) << "noise above its bound, after:" << trace_;
  statistics_.ratios.push_back(static_cast<double>(std::log2(value.load.noise / noise.norm)));
  check_estimate(value, value.estimate.noise_bits(), std::log2(noise.largest));
  const int bits = value.load.level->total_coeff_modulus_bit_count();
  EXPECT_EQ(bench_.decryptor.invariant_noise_budget(value.ciphertext),
            std::max(0, bits - noise.bits - 1))
      << trace_;
}

inline bool ExactCircuit::encrypt_message(bool is_symmetric) {
  ExactPlain input = random_plain();
  const Load load = model_.fresh(first_level(), is_symmetric);
  if (!model_.is_sound(load)) return false;
  record(is_symmetric ? "encrypt_symmetric" : "encrypt");
  pool_.push_back(
      {is_symmetric ? encryptor_.encrypt_symmetric(input.plain) : encryptor_.encrypt(input.plain),
       std::move(input.message), load,
       is_symmetric ? estimator_.encrypt_symmetric(input.estimate)
                    : estimator_.encrypt(input.estimate)});
  return true;
}

inline bool ExactCircuit::encrypt_zero(bool is_symmetric) {
  const ContextData& level = random_level(first_level());
  const Load load = model_.fresh(level, is_symmetric);
  if (!model_.is_sound(load)) return false;
  record(is_symmetric ? "encrypt_zero_symmetric" : "encrypt_zero");
  Message zero{PlainPoly(degree_, t_), std::nullopt};
  if (batch_) zero.slots.emplace(t_, std::vector<std::uint64_t>(degree_));
  pool_.push_back({is_symmetric ? encryptor_.encrypt_zero_symmetric(level.parms_id())
                                : encryptor_.encrypt_zero(level.parms_id()),
                   std::move(zero), load,
                   is_symmetric ? estimator_.encrypt_zero_symmetric(level.prime_count())
                                : estimator_.encrypt_zero(level.prime_count())});
  return true;
}

inline bool ExactCircuit::encrypt() {
  if (pool_.size() >= kMostValues) return false;
  const bool is_symmetric = percent(50);
  return percent(15) ? encrypt_zero(is_symmetric) : encrypt_message(is_symmetric);
}

inline bool ExactCircuit::add_or_sub_plain() {
  const ExactValue a = operand();
  const Load load = model_.add_plain(a.load);
  if (!accepts(load, a.depth)) return false;
  const ExactPlain b = random_plain();
  const bool is_sum = percent(50);
  record(is_sum ? "add_plain" : "sub_plain");
  Ciphertext result = into(a.ciphertext, [&](const auto& x, auto& destination) {
    is_sum ? evaluator_.add_plain(x, b.plain, destination)
           : evaluator_.sub_plain(x, b.plain, destination);
  });
  return accept({std::move(result), is_sum ? a.message + b.message : a.message - b.message, load,
                 is_sum ? estimator_.add_plain(a.estimate, b.estimate)
                        : estimator_.sub_plain(a.estimate, b.estimate),
                 a.depth});
}

inline bool ExactCircuit::multiply_plain() {
  const ExactValue a = operand();
  const ExactPlain b = random_plain();
  const Load load = model_.multiply_plain(a.load, norm_of(b.message.poly));
  if (!accepts(load, a.depth)) return false;
  Plaintext factor = b.plain;
  if (percent(50)) {
    record("multiply_plain");
  } else if (percent(50)) {
    record("multiply_plain by NTT form");
    evaluator_.transform_to_ntt_inplace(factor, a.ciphertext.parms_id());
  } else {
    record("multiply_plain by NTT form, mod_switch");
    evaluator_.transform_to_ntt(b.plain, bench_.context.first_parms_id(), factor);
    evaluator_.mod_switch_to_inplace(factor, a.ciphertext.parms_id());
  }
  Ciphertext result = into(a.ciphertext, [&](const auto& x, auto& destination) {
    evaluator_.multiply_plain(x, factor, destination);
  });
  return accept({std::move(result), a.message * b.message, load,
                 estimator_.multiply_plain(a.estimate, b.estimate), a.depth});
}

// For BFV, mod_reduce loses the message.
inline bool ExactCircuit::go_down(bool reduces) {
  const ExactValue a = operand();
  if ((reduces && !is_bgv_) || a.load.level->next_context_data() == nullptr) return false;
  const bool to_next = percent(60);
  const ContextData& target =
      to_next ? *a.load.level->next_context_data() : random_level(*a.load.level);
  const Load load =
      reduces ? Load{&target, a.load.size, a.load.noise} : model_.mod_switch(a.load, target);
  if (!accepts(load, a.depth)) return false;
  record(std::string(reduces ? "mod_reduce_to" : "mod_switch_to") + (to_next ? "_next" : ""));
  const std::size_t count = target.prime_count();
  const auto f = [&](const auto& x, auto& destination) {
    if (to_next) {
      reduces ? evaluator_.mod_reduce_to_next(x, destination)
              : evaluator_.mod_switch_to_next(x, destination);
    } else {
      reduces ? evaluator_.mod_reduce_to(x, target.parms_id(), destination)
              : evaluator_.mod_switch_to(x, target.parms_id(), destination);
    }
  };
  const NoiseEstimate estimate = to_next ? (reduces ? estimator_.mod_reduce_to_next(a.estimate)
                                                    : estimator_.mod_switch_to_next(a.estimate))
                                         : (reduces ? estimator_.mod_reduce_to(a.estimate, count)
                                                    : estimator_.mod_switch_to(a.estimate, count));
  return accept_into(a.ciphertext, f, {{}, a.message, load, estimate, a.depth});
}

}  // namespace ringlet::test
