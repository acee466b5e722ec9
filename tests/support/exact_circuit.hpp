// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/circuit.hpp"
#include "support/exact_model.hpp"
#include "support/noise_meter.hpp"

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

/// A random circuit of BFV or BGV: operations on a few values, then a climb to the largest depth
/// that the parameters allow, with operations between the products that do not lower it.
class ExactCircuit : public CircuitPool<ExactValue> {
 public:
  ExactCircuit(const CircuitBench& bench, std::uint64_t seed, CircuitStatistics& statistics,
               bool checks_each)
      : CircuitPool(bench, seed, statistics),
        noise_(bench),
        evaluator_(bench.evaluator),
        estimator_(bench.estimator),
        t_(bench.context.plain_modulus().value()),
        degree_(bench.context.ring().degree()),
        is_bgv_(bench.context.scheme() == SchemeType::bgv),
        checks_each_(checks_each) {
    if (bench.context.using_batching()) batch_.emplace(bench.context);
  }

  void run(std::size_t operations) {
    guarded([&] {
      encrypt_message(false);
      for (int k = 0; k < 3; ++k) encrypt();
      for (std::size_t k = 0; k < operations; ++k) random_operation();
      climb();
      for (const ExactValue& value : pool_) check(value);
      pool_.clear();
      climb_independently();
    });
  }

 private:
  using Operation = bool (ExactCircuit::*)();

  // Inputs.
  std::vector<std::uint64_t> random_words();
  ExactPlain random_plain();
  bool encrypt();
  bool encrypt_message(bool is_symmetric);
  bool encrypt_zero(bool is_symmetric);
  bool copy();
  // Operations on one value.
  bool negate();
  bool add_or_sub_plain();
  bool multiply_plain();
  bool relinearize();
  bool mod_switch();
  bool mod_reduce();
  bool rotate();
  bool apply_galois();
  bool change_form();
  bool square();
  bool exponentiate();
  // On several.
  bool add_or_sub();
  bool add_many();
  bool multiply();
  bool multiply_many();

  void random_operation();
  void climb();
  void step_up();
  /// A climb where no two operands have an encryption in common; checks the value at each depth.
  void climb_independently();
  bool step_up_independently();
  ExactValue independent_value(std::size_t depth);
  void take(ExactValue value);
  std::optional<ExactValue> independent_product(const ExactValue& a, const ExactValue& b);
  bool can_go_on();
  void choose_start();

  // A result counts only if its noise leaves what is asked for.
  bool accepts(const Load& load, int depth) const {
    return noise_.is_sound(load) &&
           (focus_ == kNone || depth + noise_.remaining_depth(load) >= depth_to_reach_);
  }
  bool accept(ExactValue value);
  void check(const ExactValue& value);
  std::optional<ExactValue> lowered(const ExactValue& value, const ContextData& target);
  /// Values of the pool at the level of the lowest of them; empty if their noise does not allow it.
  std::vector<ExactValue> operands_at_one_level(std::size_t count);
  long double norm_of(const PlainPoly& poly) const;
  static constexpr std::size_t kLargestSize = 5;

  ExactNoise noise_;
  const Evaluator& evaluator_;
  const NoiseEstimator& estimator_;
  std::uint64_t t_;
  std::size_t degree_;
  bool is_bgv_;
  bool checks_each_;
  int depth_to_reach_ = 0;
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

inline bool ExactCircuit::accept(ExactValue value) {
  EXPECT_EQ(value.load.level, &level_of(value.ciphertext)) << trace_;
  EXPECT_EQ(value.ciphertext.size(), value.load.size) << trace_;
  EXPECT_EQ(value.ciphertext.is_ntt_form(), is_bgv_) << trace_;
  EXPECT_EQ(value.estimate.prime_count(), value.load.level->prime_count()) << trace_;
  EXPECT_EQ(value.estimate.size(), value.load.size) << trace_;
  EXPECT_EQ(value.estimate.correction_factor(), value.ciphertext.correction_factor()) << trace_;
  if (checks_each_) check(value);
  keep(std::move(value));
  return true;
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
  const Load load = noise_.fresh(first_level(), is_symmetric);
  if (!noise_.is_sound(load)) return false;
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
  const Load load = noise_.fresh(level, is_symmetric);
  if (!noise_.is_sound(load)) return false;
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

inline bool ExactCircuit::copy() {
  if (focus_ != kNone) return false;
  record("copy");
  keep(operand());
  return true;
}

inline bool ExactCircuit::negate() {
  const ExactValue a = operand();
  record("negate");
  Ciphertext result = into(a.ciphertext, [&](const Ciphertext& x, Ciphertext& destination) {
    evaluator_.negate(x, destination);
  });
  return accept({std::move(result), -a.message, a.load, estimator_.negate(a.estimate), a.depth});
}

inline bool ExactCircuit::add_or_sub_plain() {
  const ExactValue a = operand();
  const Load load = noise_.add_plain(a.load);
  if (!accepts(load, a.depth)) return false;
  const ExactPlain b = random_plain();
  const bool is_sum = percent(50);
  record(is_sum ? "add_plain" : "sub_plain");
  Ciphertext result = into(a.ciphertext, [&](const Ciphertext& x, Ciphertext& destination) {
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
  const Load load = noise_.multiply_plain(a.load, norm_of(b.message.poly));
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
  Ciphertext result = into(a.ciphertext, [&](const Ciphertext& x, Ciphertext& destination) {
    evaluator_.multiply_plain(x, factor, destination);
  });
  return accept({std::move(result), a.message * b.message, load,
                 estimator_.multiply_plain(a.estimate, b.estimate), a.depth});
}

inline bool ExactCircuit::relinearize() {
  const ExactValue a = operand();
  if (!bench_.has_keys() || a.ciphertext.size() > 3) return false;
  const Load load = noise_.relinearize(a.load);
  if (!accepts(load, a.depth)) return false;
  record(a.ciphertext.size() == 2 ? "relinearize of size 2" : "relinearize");
  Ciphertext result = into(a.ciphertext, [&](const Ciphertext& x, Ciphertext& destination) {
    evaluator_.relinearize(x, bench_.relin_keys, destination);
  });
  return accept({std::move(result), a.message, load, estimator_.relinearize(a.estimate), a.depth});
}

inline bool ExactCircuit::mod_switch() {
  const ExactValue a = operand();
  if (a.load.level->next_context_data() == nullptr) return false;
  const bool to_next = percent(60);
  const ContextData& target =
      to_next ? *a.load.level->next_context_data() : random_level(*a.load.level);
  const Load load = noise_.mod_switch(a.load, target);
  if (!accepts(load, a.depth)) return false;
  record(to_next ? "mod_switch_to_next" : "mod_switch_to");
  Ciphertext result = into(a.ciphertext, [&](const Ciphertext& x, Ciphertext& destination) {
    to_next ? evaluator_.mod_switch_to_next(x, destination)
            : evaluator_.mod_switch_to(x, target.parms_id(), destination);
  });
  return accept({std::move(result), a.message, load,
                 to_next ? estimator_.mod_switch_to_next(a.estimate)
                         : estimator_.mod_switch_to(a.estimate, target.prime_count()),
                 a.depth});
}

// For BFV it loses the message.
inline bool ExactCircuit::mod_reduce() {
  const ExactValue a = operand();
  if (!is_bgv_ || a.load.level->next_context_data() == nullptr) return false;
  const bool to_next = percent(60);
  const ContextData& target =
      to_next ? *a.load.level->next_context_data() : random_level(*a.load.level);
  const Load load{&target, a.load.size, a.load.noise};
  if (!accepts(load, a.depth)) return false;
  record(to_next ? "mod_reduce_to_next" : "mod_reduce_to");
  Ciphertext result = into(a.ciphertext, [&](const Ciphertext& x, Ciphertext& destination) {
    to_next ? evaluator_.mod_reduce_to_next(x, destination)
            : evaluator_.mod_reduce_to(x, target.parms_id(), destination);
  });
  return accept({std::move(result), a.message, load,
                 to_next ? estimator_.mod_reduce_to_next(a.estimate)
                         : estimator_.mod_reduce_to(a.estimate, target.prime_count()),
                 a.depth});
}

}  // namespace ringlet::test
