// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/schemes/ckks_encoder.hpp"
#include "support/circuits/random_circuit.hpp"
#include "support/reference/ckks_model.hpp"

namespace ringlet::test {

/// A random circuit of CKKS: slots, and a bound of their error.
class CkksCircuit : public RandomCircuit<ModelSlots, CkksLoad, CkksLoad, CkksErrors> {
 public:
  CkksCircuit(const CircuitBench& bench, std::uint64_t seed, CircuitStatistics& statistics,
              bool checks_each)
      : RandomCircuit(bench, seed, statistics, checks_each), encoder_(bench.context) {
    operations_.push_back({[this] { return rescale(); }, 14, 1});
    operations_.push_back({[this] { return relinearize_and_rescale(); }, 6, 0});
  }

 private:
  // In the unit disc: complex, real, on the circle, small, or all the same.
  ModelSlots random_slots() {
    const auto unit = [this] { return static_cast<double>(rng_() >> 11) * 0x1p-53; };
    const std::size_t kind = any(6);
    const double radius = kind == 0 ? 1.0 : std::ldexp(1.0, -static_cast<int>(any(6)));
    ModelSlots slots(encoder_.slot_count());
    for (auto& z : slots) {
      const double angle = 6.283185307179586 * unit();
      z = kind == 1 ? radius * (2 * unit() - 1)
                    : std::polar(kind == 0 ? radius : radius * unit(), angle);
    }
    if (kind == 2) std::ranges::fill(slots, slots[0]);
    return slots;
  }

  // Returns nothing if the message does not fit the level.
  std::optional<Plain> encode(const ModelSlots& slots, const ContextData& level, double scale) {
    Plain result{{},
                 slots,
                 model_.encoded(scale, largest(slots)),
                 estimator_.encode(scale, largest(slots), rms(slots))};
    const long double most = modulus_of(level) / 4;
    if (scale * std::max(result.load.magnitude, 1.0L) + 1 > most) return std::nullopt;
    const bool is_constant = std::ranges::all_of(slots, [&](auto z) { return z == slots[0]; });
    const bool is_real = std::ranges::all_of(slots, [](auto z) { return z.imag() == 0; });
    record(std::string("encode ") + (is_constant
                                         ? (is_real ? "a real constant" : "a complex constant")
                                         : (is_real ? "real slots" : "complex slots")));
    const ParmsId& at = level.parms_id();
    if (is_constant) {
      result.estimate = estimator_.encode_constant(scale, largest(slots));
      is_real ? encoder_.encode(slots[0].real(), at, scale, result.plain)
              : encoder_.encode(slots[0], at, scale, result.plain);
    } else if (is_real) {
      std::vector<double> parts;
      for (const auto& z : slots) parts.push_back(z.real());
      encoder_.encode(std::span<const double>(parts), at, scale, result.plain);
    } else {
      encoder_.encode(std::span<const std::complex<double>>(slots), at, scale, result.plain);
    }
    return result;
  }

  // Random slots or one constant, encoded at the level or at a higher one and switched down.
  std::optional<Plain> encode_any(const ContextData& level, double scale) {
    ModelSlots slots = random_slots();
    if (percent(20)) std::ranges::fill(slots, std::complex<double>(slots[0].real(), 0));
    if (percent(10)) std::fill(slots.begin() + 1, slots.end(), 0);
    if (slots[0] == 0.0) slots[0] = 1;
    if (scale == 1) {
      // Integers are exact at scale 1.
      const int value = between(rng_, 1, 3) * (percent(50) ? 1 : -1);
      std::ranges::fill(slots, value);
      const long double magnitude = std::abs(value);
      Plain result{
          {}, slots, {nullptr, 1, 1, magnitude, 0}, estimator_.encode_integer(std::abs(value))};
      record("encode an integer");
      encoder_.encode(std::int64_t{value}, level.parms_id(), result.plain);
      return result;
    }
    if (!percent(30)) return encode(slots, level, scale);
    std::optional<Plain> result = encode(slots, first_level(), scale);
    if (!result || !encode(slots, level, scale)) return std::nullopt;
    record("mod_switch of a plaintext");
    evaluator_.mod_switch_to_inplace(result->plain, level.parms_id());
    return result;
  }

  std::optional<Plain> message_for(const ContextData& level) override {
    return encode(random_slots(), level, bench_.set.scale);
  }
  std::optional<Plain> addend_for(const Value& a) override {
    const double scale = a.ciphertext.scale();
    return scale == 1 ? std::nullopt : encode_any(*a.load.level, scale);
  }
  std::optional<Plain> factor_for(const Value& a) override {
    const ContextData& level = *a.load.level;
    const auto last = static_cast<double>(level.coeff_modulus().back().value());
    const double scales[] = {1, bench_.set.scale, last, last};
    return encode_any(level, scales[any(4)]);
  }
  std::pair<ModelSlots, CkksLoad> zero() const override {
    return {ModelSlots(encoder_.slot_count()), {nullptr, 1, bench_.set.scale, 0, 0}};
  }

  void complete(Value& value) override {
    EXPECT_TRUE(value.ciphertext.is_ntt_form()) << trace_;
    const long double scale = value.ciphertext.scale();
    // The model's scales are not rounded to doubles: scales of nested products drift apart.
    EXPECT_LE(std::abs(scale - value.load.scale), scale * 0x1p-40L) << trace_;
    value.load.scale = scale;
    EXPECT_EQ(value.estimate.scale(), value.ciphertext.scale()) << trace_;
    const auto magnitude = static_cast<double>(value.load.magnitude);
    EXPECT_LE(magnitude, value.estimate.magnitude() * (1 + 0x1p-40)) << trace_;
    value.estimate = estimator_.with_magnitude(value.estimate, magnitude, rms(value.message));
  }

  void check(const Value& value) override {
    ModelSlots slots;
    encoder_.decode(bench_.decryptor.decrypt(value.ciphertext), slots);
    const auto bound = static_cast<double>(CkksErrors::decoded(value.load));
    const double error = largest(slots - value.message);
    EXPECT_LE(error, bound) << "largest slot " << value.load.magnitude << ", depth " << value.depth
                            << ", after:" << trace_;
    statistics_.ratios.push_back(error / bound);
    check_estimate(value.estimate, value.depth, value.estimate.error_bits(), std::log2(error));
  }

  // A value with another scale is another message: the old message times scale/scale'.
  bool align(Value& value, const Value& first) override {
    const double scale = first.ciphertext.scale();
    if (value.ciphertext.scale() == scale) return true;
    const double ratio = value.ciphertext.scale() / scale;
    if (ratio > 4 || ratio < 0.25) return false;
    record("(another scale by hand)");
    value.ciphertext.scale() = scale;
    for (auto& z : value.message) z *= ratio;
    value.load.scale = scale;
    value.estimate = estimator_.with_scale(value.estimate, scale);
    value.load.magnitude = largest(value.message);
    value.load.error += value.load.scale * value.load.magnitude * 0x1p-50L;
    return true;
  }

  bool rescale() {
    const Value a = operand();
    const ContextData* const next = a.load.level->next_context_data();
    if (next == nullptr) return false;
    const bool to_next = percent(70);
    const ContextData& target = to_next ? *next : random_level(*a.load.level);
    return apply_to(to_next ? "rescale_to_next" : "rescale_to", a, a.message,
                    model_.rescale(a.load, target),
                    to_next ? estimator_.rescale_to_next(a.estimate)
                            : estimator_.rescale_to(a.estimate, target.prime_count()),
                    [&](const auto& x, auto& to) {
                      to_next ? evaluator_.rescale_to_next(x, to)
                              : evaluator_.rescale_to(x, target.parms_id(), to);
                    });
  }

  bool relinearize_and_rescale() {
    const Value a = operand();
    const ContextData* const next = a.load.level->next_context_data();
    if (!bench_.has_keys() || a.load.size > 3 || next == nullptr) return false;
    return apply_to("relinearize_and_rescale_to_next", a, a.message,
                    model_.rescale(model_.relinearize(a.load), *next),
                    estimator_.relinearize_and_rescale_to_next(a.estimate),
                    [&](const auto& x, auto& to) {
                      evaluator_.relinearize_and_rescale_to_next(x, bench_.relin_keys, to);
                    });
  }

  // Rescales first, as the bound of the depth assumes.
  Value before_square(const Value& given) override {
    Value value = given;
    const ContextData& level = model_.rescaled_level(value.load);
    if (&level == value.load.level) return value;
    record("rescale_to");
    value.load = model_.rescale(value.load, level);
    evaluator_.rescale_to_inplace(value.ciphertext, level.parms_id());
    value.load.scale = value.ciphertext.scale();
    value.estimate = estimator_.rescale_to(value.estimate, level.prime_count());
    return value;
  }

  const ContextData* level_of_product(Value& a, Value& b) override {
    a = before_square(a);
    b = before_square(b);
    const bool a_is_lower = a.load.level->chain_index() < b.load.level->chain_index();
    return a_is_lower ? a.load.level : b.load.level;
  }

  CKKSEncoder encoder_;
};

}  // namespace ringlet::test
