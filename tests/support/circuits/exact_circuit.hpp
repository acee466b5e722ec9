// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "support/circuits/noise_meter.hpp"
#include "support/circuits/random_circuit.hpp"
#include "support/reference/exact_model.hpp"

namespace ringlet::test {

/// A random circuit of BFV or BGV, with polynomials and slots and a bound of the noise. The load of
/// a factor is its norm.
class ExactCircuit : public RandomCircuit<Message, Load, long double, ExactNoise> {
 public:
  ExactCircuit(const CircuitBench& bench, std::uint64_t seed, CircuitStatistics& statistics,
               bool checks_each)
      : RandomCircuit(bench, seed, statistics, checks_each),
        t_(bench.context.plain_modulus().value()),
        degree_(bench.context.ring().degree()) {
    if (bench.context.using_batching()) batch_.emplace(bench.context);
    operations_.push_back({[this] { return exponentiate(); }, 3, 0});
    operations_.push_back({[this] { return multiply_many(); }, 3, 0});
  }

 private:
  // Polynomials of all kinds, none of them zero. With batching the words are slots.
  std::vector<std::uint64_t> random_words() {
    std::vector<std::uint64_t> words(degree_);
    const std::size_t kind = any(6);
    if (kind == 0) words[any(degree_)] = 1 + rng_() % (t_ - 1);
    if (kind == 1) std::ranges::fill(words, t_ - 1);
    if (kind == 2) {
      for (int k = 0; k < 3; ++k) words[any(degree_)] = t_ / 2;
      if (t_ < 4) words[0] = 1;
    }
    if (kind == 3) std::ranges::fill(words, 1 + rng_() % (t_ - 1));
    if (kind > 3) {
      for (std::uint64_t& word : words) word = rng_() % t_;
      words[any(degree_)] = t_ - 1;
    }
    return words;
  }

  Plain random_plain() {
    const std::vector<std::uint64_t> words = random_words();
    Plaintext plain;
    Message message{PlainPoly(degree_, t_), std::nullopt};
    if (batch_) {
      batch_->encode(words, plain);
      const auto coefficients = plain.coefficients();
      message = {PlainPoly(degree_, t_, {coefficients.begin(), coefficients.end()}),
                 SlotMatrix(t_, words)};
    } else {
      std::size_t count = degree_;
      while (count > 1 && words[count - 1] == 0) --count;
      plain = Plaintext(percent(50) ? count : degree_);
      std::ranges::copy(std::span(words).first(plain.coeff_count()),
                        plain.coefficients_for_writing().begin());
      message.poly = PlainPoly(degree_, t_, words);
    }
    const PlainEstimate estimate = estimator_.known_plain(plain.coefficients());
    return {std::move(plain), std::move(message), 0, estimate};
  }

  std::optional<Plain> message_for(const ContextData& /*level*/) override { return random_plain(); }
  std::optional<Plain> addend_for(const Value& /*a*/) override { return random_plain(); }
  // The factor's load is the norm of its lift to (-t/2, t/2].
  std::optional<Plain> factor_for(const Value& /*a*/) override {
    Plain factor = random_plain();
    std::vector<double> lifted;
    for (const std::uint64_t m : factor.message.poly.coefficients()) {
      lifted.push_back(m >= (t_ + 1) / 2 ? -static_cast<double>(t_ - m) : static_cast<double>(m));
    }
    factor.load = canonical_norm(lifted) * (1 + 1e-9);
    return factor;
  }
  std::pair<Message, long double> zero() const override {
    Message zero{PlainPoly(degree_, t_), std::nullopt};
    if (batch_) zero.slots.emplace(t_, std::vector<std::uint64_t>(degree_));
    return {std::move(zero), 0};
  }

  void complete(Value& value) override {
    EXPECT_EQ(value.ciphertext.is_ntt_form(), !is_bfv_) << trace_;
    EXPECT_EQ(value.estimate.correction_factor(), value.ciphertext.correction_factor()) << trace_;
  }

  void check(const Value& value) override {
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
    check_estimate(value.estimate, value.depth, value.estimate.noise_bits(),
                   std::log2(noise.largest));
    const int bits = value.load.level->total_coeff_modulus_bit_count();
    EXPECT_EQ(bench_.decryptor.invariant_noise_budget(value.ciphertext),
              std::max(0, bits - noise.bits - 1))
        << trace_;
  }

  Load sum_load(const Value& a, const Value& b) const override {
    return model_.add(a.load, b.load, a.estimate.correction_factor(),
                      b.estimate.correction_factor());
  }

  bool exponentiate() {
    const Value a = operand();
    if (!bench_.has_keys() || a.load.size != 2) return false;
    const std::uint64_t exponent = 1 + any(5);
    Load load = a.load;
    Load power = a.load;
    int gained = 0;
    bool has_product = exponent % 2 == 1;
    for (int k = 1; exponent >> k != 0; ++k) {
      power = model_.relinearize(model_.multiply(power, power));
      gained = k;
      if ((exponent >> k) % 2 == 0) continue;
      if (has_product) ++gained;
      load = has_product ? model_.relinearize(model_.multiply(load, power)) : power;
      has_product = true;
    }
    Message message = a.message;
    for (std::uint64_t k = 1; k < exponent; ++k) message = message * a.message;
    return apply("exponentiate",
                 made(std::move(message), load, estimator_.exponentiate(a.estimate, exponent),
                      a.depth + gained),
                 a.ciphertext, [&](const auto& x, auto& to) {
                   evaluator_.exponentiate(x, exponent, bench_.relin_keys, to);
                 });
  }

  bool multiply_many() {
    if (!bench_.has_keys()) return false;
    const std::vector<Value> values = operands_at_one_level(1 + any(4), false);
    if (values.empty()) return false;
    // The front of the queue gives two factors; their product goes to the end.
    std::deque<std::pair<Load, int>> factors;
    std::vector<Ciphertext> operands;
    std::vector<NoiseEstimate> estimates;
    Message message = values[0].message;
    for (const Value& value : values) {
      if (value.load.size != 2) return false;
      if (!operands.empty()) message = message * value.message;
      factors.emplace_back(value.load, value.depth);
      operands.push_back(value.ciphertext);
      estimates.push_back(value.estimate);
    }
    while (factors.size() > 1) {
      const auto [a, b] = std::pair(factors[0], factors[1]);
      factors.erase(factors.begin(), factors.begin() + 2);
      factors.emplace_back(model_.relinearize(model_.multiply(a.first, b.first)),
                           std::max(a.second, b.second) + 1);
    }
    const auto& [load, depth] = factors.front();
    return apply(
        "multiply_many", made(std::move(message), load, estimator_.multiply_many(estimates), depth),
        operands[0],
        [&](const auto&, auto& to) { evaluator_.multiply_many(operands, bench_.relin_keys, to); });
  }

  // Bounds of many operations add up: where the bound allows no product, the measured noise
  // decides.
  bool can_go_on() override {
    if (model_.remaining_depth(operand().load) > 0) return true;
    Value& value = pool_[focus_];
    const long double noise = measure_noise(bench_, value.ciphertext).norm * (1 + 0x1p-20L);
    EXPECT_LE(noise, value.load.noise * (1 + 0x1p-20L))
        << "noise above its bound, after:" << trace_;
    record("(noise measured)");
    value.load.noise = noise;
    const int more = model_.remaining_depth(value.load);
    depth_to_reach_ = value.depth + more;
    return more > 0;
  }

  // Switches to any level that allows for the products that must follow.
  Value before_square(const Value& value) override {
    std::vector<const ContextData*> levels;
    for (const ContextData* level = value.load.level; level != nullptr;
         level = level->next_context_data()) {
      const Load low = model_.mod_switch(value.load, *level);
      if (model_.is_sound(low) && allows(model_.square(low), value.depth + 1)) {
        levels.push_back(level);
      }
    }
    return levels.empty() ? value : *lowered(value, *levels[any(levels.size())], false);
  }

  // Returns one of the levels that leave room, mostly the one with the most room.
  const ContextData* level_of_product(Value& a, Value& b) override {
    const Load* best = nullptr;
    const std::vector<Load> products = model_.products(a.load, b.load);
    for (const Load& product : products) {
      if (best == nullptr || ExactNoise::room(product) >= ExactNoise::room(*best) || percent(15)) {
        best = &product;
      }
    }
    return best == nullptr ? nullptr : best->level;
  }

  std::uint64_t t_;
  std::size_t degree_;
  std::optional<BatchEncoder> batch_;
};

}  // namespace ringlet::test
