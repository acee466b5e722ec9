// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ckks_encoder.hpp"
#include "support/circuit_operations.hpp"
#include "support/ckks_model.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// A ciphertext of CKKS, the slots that it should hold, and a bound of its error.
struct CkksValue {
  Ciphertext ciphertext;
  Slots message;
  CkksLoad load;
  NoiseEstimate estimate;
  int depth = 0;
};

/// A plaintext, its slots, and a bound of its error.
struct CkksPlain {
  Plaintext plain;
  Slots slots;
  CkksFactor factor;
  PlainEstimate estimate;
};

/// A random circuit of CKKS.
class CkksCircuit : public RandomCircuit<CkksValue, CkksErrors> {
 public:
  CkksCircuit(const CircuitBench& bench, std::uint64_t seed, CircuitStatistics& statistics,
              bool checks_each)
      : RandomCircuit(bench, seed, statistics, checks_each), encoder_(bench.context) {}

 private:
  using Operation = bool (CkksCircuit::*)();

  // Inputs.
  Slots random_slots();
  std::optional<CkksPlain> encode(const Slots& slots, const ContextData& level, double scale);
  std::optional<CkksPlain> encode_any(const ContextData& level, double scale);
  double random_factor_scale(const ContextData& level);
  bool encrypt() override;
  bool encrypt_message(bool is_symmetric) override {
    return encrypt_message(first_level(), is_symmetric);
  }
  bool encrypt_message(const ContextData& level, bool is_symmetric);
  bool encrypt_zero(const ContextData& level, bool is_symmetric);
  // Operations on one value.
  bool add_or_sub_plain();
  bool multiply_plain();
  bool rescale();
  bool relinearize_and_rescale();
  bool drop_primes();
  bool rotate();
  bool conjugate();
  bool change_form();

  void random_operation() override;
  void random_step() override;
  void step_up() override;
  void choose_start() override;
  std::optional<CkksValue> independent_product(const CkksValue& a, const CkksValue& b) override;

  void check(const CkksValue& value) override;
  void complete(CkksValue& value) override;
  std::optional<CkksValue> lowered(const CkksValue& value, const ContextData& target) override;
  bool align(CkksValue& value, const CkksValue& first) override;
  CkksLoad sum_load(const CkksValue& a, const CkksValue& b, const Slots& sum) const override {
    return model_.add(a.load, b.load, largest(sum));
  }
  CkksLoad product_load(const CkksValue& a, const CkksValue& b,
                        const Slots& product) const override {
    return model_.multiply(a.load, b.load, largest(product));
  }

  CKKSEncoder encoder_;
};

// In the unit disc: complex, real, on the circle, small, or all the same.
inline Slots CkksCircuit::random_slots() {
  const auto unit = [this] { return static_cast<double>(rng_() >> 11) * 0x1p-53; };
  const std::size_t kind = any(6);
  const double radius = kind == 0 ? 1.0 : std::ldexp(1.0, -static_cast<int>(any(6)));
  Slots slots(encoder_.slot_count());
  for (auto& z : slots) {
    const double angle = 6.283185307179586 * unit();
    z = kind == 1 ? radius * (2 * unit() - 1)
                  : std::polar(kind == 0 ? radius : radius * unit(), angle);
  }
  if (kind == 2) std::ranges::fill(slots, slots[0]);
  return slots;
}

// None where the message does not fit the level.
inline std::optional<CkksPlain> CkksCircuit::encode(const Slots& slots, const ContextData& level,
                                                    double scale) {
  CkksPlain result{{},
                   slots,
                   model_.encoded(scale, largest(slots)),
                   estimator_.encode(scale, largest(slots), rms(slots))};
  const long double most = modulus_of(level) / 4;
  if (scale * std::max(result.factor.magnitude, 1.0L) + 1 > most) return std::nullopt;
  const bool is_constant = std::ranges::all_of(slots, [&](auto z) { return z == slots[0]; });
  const bool is_real = std::ranges::all_of(slots, [](auto z) { return z.imag() == 0; });
  if (is_constant) result.estimate = estimator_.encode_constant(scale, largest(slots));
  if (is_constant && is_real) {
    record("encode a real constant");
    encoder_.encode(slots[0].real(), level.parms_id(), scale, result.plain);
  } else if (is_constant) {
    record("encode a complex constant");
    encoder_.encode(slots[0], level.parms_id(), scale, result.plain);
  } else if (is_real) {
    record("encode real slots");
    std::vector<double> parts;
    for (const auto& z : slots) parts.push_back(z.real());
    encoder_.encode(std::span<const double>(parts), level.parms_id(), scale, result.plain);
  } else {
    record("encode complex slots");
    encoder_.encode(std::span<const std::complex<double>>(slots), level.parms_id(), scale,
                    result.plain);
  }
  return result;
}

// Random slots or one constant, at the level or brought down to it.
inline std::optional<CkksPlain> CkksCircuit::encode_any(const ContextData& level, double scale) {
  Slots slots = random_slots();
  if (percent(20)) std::ranges::fill(slots, std::complex<double>(slots[0].real(), 0));
  if (percent(10)) std::fill(slots.begin() + 1, slots.end(), 0);
  if (slots[0] == 0.0) slots[0] = 1;
  if (scale == 1) {
    // Integers are exact at scale 1.
    const int value = between(rng_, 1, 3) * (percent(50) ? 1 : -1);
    std::ranges::fill(slots, value);
    CkksPlain result{{},
                     slots,
                     {1, static_cast<long double>(std::abs(value)), 0},
                     estimator_.encode_integer(std::abs(value))};
    record("encode an integer");
    encoder_.encode(std::int64_t{value}, level.parms_id(), result.plain);
    return result;
  }
  if (!percent(30)) return encode(slots, level, scale);
  std::optional<CkksPlain> result = encode(slots, first_level(), scale);
  if (!result || !encode(slots, level, scale)) return std::nullopt;
  record("mod_switch of a plaintext");
  evaluator_.mod_switch_to_inplace(result->plain, level.parms_id());
  return result;
}

inline double CkksCircuit::random_factor_scale(const ContextData& level) {
  switch (any(4)) {
    case 0:
      return 1;
    case 1:
      return bench_.set.scale;
    default:
      return static_cast<double>(level.coeff_modulus().back().value());
  }
}

inline void CkksCircuit::complete(CkksValue& value) {
  EXPECT_TRUE(value.ciphertext.is_ntt_form()) << trace_;
  const long double scale = value.ciphertext.scale();
  // The model's scales are not rounded to doubles: products of products drift.
  EXPECT_LE(std::abs(scale - value.load.scale), scale * 0x1p-40L) << trace_;
  value.load.scale = scale;
  EXPECT_EQ(value.estimate.scale(), value.ciphertext.scale()) << trace_;
  const auto magnitude = static_cast<double>(value.load.magnitude);
  EXPECT_LE(magnitude, value.estimate.magnitude() * (1 + 0x1p-40)) << trace_;
  value.estimate = estimator_.with_magnitude(value.estimate, magnitude, rms(value.message));
}

inline void CkksCircuit::check(const CkksValue& value) {
  Slots slots;
  encoder_.decode(bench_.decryptor.decrypt(value.ciphertext), slots);
  const auto bound = static_cast<double>(CkksErrors::decoded(value.load));
  const double error = largest(slots - value.message);
  EXPECT_LE(error, bound) << "largest slot " << value.load.magnitude << ", depth " << value.depth
                          << ", after:" << trace_;
  statistics_.ratios.push_back(error / bound);
  check_estimate(value, value.estimate.error_bits(), std::log2(error));
}

inline bool CkksCircuit::encrypt_message(const ContextData& level, bool is_symmetric) {
  const std::optional<CkksPlain> input = encode(random_slots(), level, bench_.set.scale);
  if (!input) return false;
  const CkksLoad load = model_.fresh(level, is_symmetric, input->factor);
  if (!CkksErrors::is_sound(load)) return false;
  record(is_symmetric ? "encrypt_symmetric" : "encrypt");
  pool_.push_back(
      {is_symmetric ? encryptor_.encrypt_symmetric(input->plain) : encryptor_.encrypt(input->plain),
       input->slots, load,
       is_symmetric ? estimator_.encrypt_symmetric(input->estimate, level.prime_count())
                    : estimator_.encrypt(input->estimate, level.prime_count())});
  return true;
}

inline bool CkksCircuit::encrypt_zero(const ContextData& level, bool is_symmetric) {
  const double scale = bench_.set.scale;
  const CkksLoad load = model_.fresh(level, is_symmetric, {scale, 0, 0});
  if (!CkksErrors::is_sound(load)) return false;
  record(is_symmetric ? "encrypt_zero_symmetric" : "encrypt_zero");
  CkksValue value{is_symmetric ? encryptor_.encrypt_zero_symmetric(level.parms_id())
                               : encryptor_.encrypt_zero(level.parms_id()),
                  Slots(encoder_.slot_count()), load,
                  is_symmetric ? estimator_.encrypt_zero_symmetric(level.prime_count())
                               : estimator_.encrypt_zero(level.prime_count())};
  value.ciphertext.scale() = scale;
  value.estimate = estimator_.with_scale(value.estimate, scale);
  pool_.push_back(std::move(value));
  return true;
}

inline bool CkksCircuit::encrypt() {
  if (pool_.size() >= kMostValues) return false;
  const ContextData& level = percent(60) ? first_level() : random_level(first_level());
  const bool is_symmetric = percent(50);
  return percent(10) ? encrypt_zero(level, is_symmetric) : encrypt_message(level, is_symmetric);
}

inline bool CkksCircuit::add_or_sub_plain() {
  const CkksValue a = operand();
  const std::optional<CkksPlain> b = encode_any(*a.load.level, a.ciphertext.scale());
  if (!b || a.ciphertext.scale() == 1) return false;
  const bool is_sum = percent(50);
  Slots slots = is_sum ? a.message + b->slots : a.message - b->slots;
  const CkksLoad load = model_.add_plain(a.load, b->factor, largest(slots));
  if (!accepts(load, a.depth)) return false;
  record(is_sum ? "add_plain" : "sub_plain");
  Ciphertext result = into(a.ciphertext, [&](const auto& x, auto& destination) {
    is_sum ? evaluator_.add_plain(x, b->plain, destination)
           : evaluator_.sub_plain(x, b->plain, destination);
  });
  return accept({std::move(result), std::move(slots), load,
                 is_sum ? estimator_.add_plain(a.estimate, b->estimate)
                        : estimator_.sub_plain(a.estimate, b->estimate),
                 a.depth});
}

inline bool CkksCircuit::multiply_plain() {
  const CkksValue a = operand();
  const std::optional<CkksPlain> b = encode_any(*a.load.level, random_factor_scale(*a.load.level));
  if (!b) return false;
  Slots slots = a.message * b->slots;
  const CkksLoad load = model_.multiply_plain(a.load, b->factor, largest(slots));
  if (!accepts(load, a.depth)) return false;
  record("multiply_plain");
  Ciphertext result = into(a.ciphertext, [&](const auto& x, auto& destination) {
    evaluator_.multiply_plain(x, b->plain, destination);
  });
  return accept({std::move(result), std::move(slots), load,
                 estimator_.multiply_plain(a.estimate, b->estimate), a.depth});
}

inline bool CkksCircuit::rescale() {
  const CkksValue a = operand();
  if (a.load.level->next_context_data() == nullptr) return false;
  const bool to_next = percent(70);
  const ContextData& target =
      to_next ? *a.load.level->next_context_data() : random_level(*a.load.level);
  const CkksLoad load = model_.rescale(a.load, target);
  if (!accepts(load, a.depth)) return false;
  record(to_next ? "rescale_to_next" : "rescale_to");
  Ciphertext result = into(a.ciphertext, [&](const auto& x, auto& destination) {
    to_next ? evaluator_.rescale_to_next(x, destination)
            : evaluator_.rescale_to(x, target.parms_id(), destination);
  });
  return accept({std::move(result), a.message, load,
                 to_next ? estimator_.rescale_to_next(a.estimate)
                         : estimator_.rescale_to(a.estimate, target.prime_count()),
                 a.depth});
}

inline bool CkksCircuit::relinearize_and_rescale() {
  const CkksValue a = operand();
  const ContextData* const target = a.load.level->next_context_data();
  if (!bench_.has_keys() || a.load.size > 3 || target == nullptr) return false;
  const CkksLoad load = model_.rescale(model_.relinearize(a.load), *target);
  if (!accepts(load, a.depth)) return false;
  record("relinearize_and_rescale_to_next");
  Ciphertext result = into(a.ciphertext, [&](const auto& x, auto& destination) {
    evaluator_.relinearize_and_rescale_to_next(x, bench_.relin_keys, destination);
  });
  return accept({std::move(result), a.message, load,
                 estimator_.relinearize_and_rescale_to_next(a.estimate), a.depth});
}

// Under both names that this has for CKKS.
inline bool CkksCircuit::drop_primes() {
  const CkksValue a = operand();
  if (a.load.level->next_context_data() == nullptr) return false;
  const std::size_t kind = any(4);
  const ContextData& target =
      kind < 2 ? *a.load.level->next_context_data() : random_level(*a.load.level);
  CkksLoad load = a.load;
  load.level = &target;
  if (!accepts(load, a.depth)) return false;
  static constexpr const char* kNames[] = {"mod_switch_to_next", "mod_reduce_to_next",
                                           "mod_switch_to", "mod_reduce_to"};
  record(kNames[kind]);
  Ciphertext result = into(a.ciphertext, [&](const auto& x, auto& destination) {
    if (kind == 0) evaluator_.mod_switch_to_next(x, destination);
    if (kind == 1) evaluator_.mod_reduce_to_next(x, destination);
    if (kind == 2) evaluator_.mod_switch_to(x, target.parms_id(), destination);
    if (kind == 3) evaluator_.mod_reduce_to(x, target.parms_id(), destination);
  });
  const std::size_t count = target.prime_count();
  const NoiseEstimate estimate = kind == 0   ? estimator_.mod_switch_to_next(a.estimate)
                                 : kind == 1 ? estimator_.mod_reduce_to_next(a.estimate)
                                 : kind == 2 ? estimator_.mod_switch_to(a.estimate, count)
                                             : estimator_.mod_reduce_to(a.estimate, count);
  return accept({std::move(result), a.message, load, estimate, a.depth});
}

}  // namespace ringlet::test
