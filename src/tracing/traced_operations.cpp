// SPDX-License-Identifier: Apache-2.0
#include "tracing/traced_operations.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/arith/modular.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/scheme_traits.hpp"
#include "schemes/evaluator/key_switching.hpp"

namespace ringlet::circuits {
namespace {

const Context& checked_for_slots(const Context& context) {
  if (rlwe::traits_of(context.scheme()).has_scale || context.using_batching()) return context;
  refuse(
      concat("scheme ", to_string(context.scheme()), " without batching: messages are polynomials"),
      "messages of slots: ckks, or a plain modulus that is a prime = 1 mod 2N",
      "choose a prime that is 1 mod 2N as the plain modulus");
}

std::string text_of(const KnownVector& values) {
  if (!values.is_constant()) return concat("[", values.size(), " values]");
  const std::complex<double> z = values.numbers().front();
  return z.imag() == 0 ? concat(z.real()) : concat("(", z.real(), ", ", z.imag(), ")");
}

}  // namespace

TracedOperations::TracedOperations(const Context& context, const SecretKey& secret_key,
                                   RandomSource random, double failure_bits)
    : context_(checked_for_slots(context)),
      estimator_(std::make_shared<const NoiseEstimator>(context.parms(), failure_bits)),
      key_generator_(context.on_host(), secret_key, random),
      encryptor_(context.on_host(), key_generator_.create_public_key(), random),
      evaluator_(context),
      meter_(context, secret_key) {
  if (rlwe::traits_of(context.scheme()).has_scale) {
    ckks_encoder_.emplace(context.on_host());
  } else {
    batch_encoder_.emplace(context.on_host());
  }
}

std::size_t TracedOperations::slot_count() const noexcept {
  return has_scale() ? ckks_encoder_->slot_count() : batch_encoder_->slot_count();
}

void TracedOperations::check(const TracedCiphertext& a) const {
  if (a.message_ != nullptr && a.origin_ == estimator_) return;
  refuse(a.message_ == nullptr ? "an operand that was moved from" : "an operand of another trace",
         "ciphertexts that this evaluator made", "encrypt with the same evaluator");
}

void TracedOperations::check_scheme(bool wants_ckks) const {
  if (has_scale() == wants_ckks) return;
  refuse(concat("scheme ", to_string(context_.scheme())), wants_ckks ? "ckks" : "bfv or bgv",
         wants_ckks ? "pass integers and no scale" : "pass numbers and a scale");
}

void TracedOperations::check_count(std::size_t values) const {
  if (values <= slot_count()) return;
  refuse(concat(values, " values"), concat(slot_count(), " slots"),
         "pass at most as many values as there are slots");
}

std::uint64_t TracedOperations::residue_of(std::int64_t value) const {
  const Modulus& t = context_.plain_modulus();
  const std::uint64_t size = value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                                       : static_cast<std::uint64_t>(value);
  return value < 0 ? negate_mod(t.reduce(size), t.value()) : t.reduce(size);
}

ClearMessage TracedOperations::message_of(const KnownVector& values) const {
  if (!has_scale() && !values.is_integer()) {
    refuse(concat("numbers for scheme ", to_string(context_.scheme())), "integers",
           "make the known values integers");
  }
  check_count(values.size());
  if (has_scale()) {
    const KnownVector::Numbers given = values.numbers();
    ClearMessage::Numbers numbers(slot_count(), values.is_constant() ? given.front() : 0.0);
    std::ranges::copy(given, numbers.begin());
    return ClearMessage(std::move(numbers));
  }
  const std::int64_t filling = values.is_constant() ? values.integers().front() : 0;
  ClearMessage::Residues residues(slot_count(), residue_of(filling));
  std::ranges::transform(values.integers(), residues.begin(),
                         [this](std::int64_t value) { return residue_of(value); });
  return ClearMessage(std::move(residues), context_.plain_modulus());
}

// Constants are encoded as such, as CircuitRunner does: they have three coefficients, or one.
KnownOperand TracedOperations::known(const KnownVector& values, const ParmsId& parms_id,
                                     double scale) const {
  ClearMessage message = message_of(values);
  Plaintext plain;
  if (has_scale()) {
    const bool is_exact = values.is_small_integer() && scale == 1;
    if (is_exact) {
      ckks_encoder_->encode(values.integers().front(), parms_id, plain);
    } else if (values.is_constant()) {
      ckks_encoder_->encode(values.numbers().front(), parms_id, scale, plain);
    } else {
      ckks_encoder_->encode(message.numbers(), parms_id, scale, plain);
    }
    PlainEstimate estimate = is_exact ? estimator_->encode_integer(values.magnitude())
                                      : estimator_->encode(scale, values.magnitude());
    return {std::move(plain), std::move(estimate), std::move(message), text_of(values)};
  }
  if (scale != 1) {
    refuse(concat("scale = ", scale), concat("scale 1 for scheme ", to_string(context_.scheme())),
           "leave the scale out");
  }
  if (values.is_constant()) {
    plain = Plaintext(1);
    plain.coefficients_for_writing()[0] = message.residues().front();
  } else {
    batch_encoder_->encode(message.residues(), plain);
  }
  PlainEstimate estimate = estimator_->known_plain(plain.coefficients());
  return {std::move(plain), std::move(estimate), std::move(message), text_of(values)};
}

TracedResult TracedOperations::encrypt(ClearMessage message, double scale, double magnitude) const {
  Plaintext plain;
  if (has_scale()) {
    ckks_encoder_->encode(message.numbers(), scale, plain);
  } else {
    batch_encoder_->encode(message.residues(), plain);
  }
  const PlainEstimate estimate =
      has_scale() ? estimator_->encode(scale, magnitude) : estimator_->uniform_plain();
  TracedCiphertext result(encryptor_.encrypt(plain), estimator_->encrypt(estimate),
                          std::make_shared<const ClearMessage>(std::move(message)), estimator_);
  return {"encrypt", {}, std::move(result)};
}

template <typename Compute, typename Estimate, typename Message>
TracedResult TracedOperations::computed(const Call& call, const Compute& compute,
                                        const Estimate& estimate, const Message& message) const {
  return public_entry(concat("TracingEvaluator::", call.name).c_str(), [&]() -> TracedResult {
    TracedResult::Operands operands;
    Estimates estimates;
    for (const TracedCiphertext* operand : call.operands) {
      check(*operand);
      add_operand(*operand, operands);
      estimates.push_back(estimate_as_it_is(*operand));
    }
    if (!call.arguments.empty()) operands.text += concat(", ", call.arguments);
    Ciphertext ciphertext;
    compute(ciphertext);
    TracedCiphertext result(std::move(ciphertext), estimate(estimates),
                            std::make_shared<const ClearMessage>(message()), estimator_);
    return {call.name, std::move(operands), std::move(result)};
  });
}

// Sets the scale of the estimate to one that was set by hand: with its old scale, the estimate
// would not combine with operands of the new one.
NoiseEstimate TracedOperations::estimate_as_it_is(const TracedCiphertext& a) const {
  const double scale = a.ciphertext().scale();
  const bool is_changed = has_scale() && !rlwe::scales_match(scale, a.estimate().scale());
  return is_changed ? estimator_->with_scale(a.estimate(), scale) : a.estimate();
}

void TracedOperations::add_operand(const TracedCiphertext& operand,
                                   TracedResult::Operands& operands) {
  operands.text += concat(operands.text.empty() ? "" : ", ", operand.label_);
  operands.left_bits =
      std::min(operands.left_bits.value_or(operand.left_bits_), operand.left_bits_);
  operands.are_sound = operands.are_sound && operand.is_sound_;
  const double scale = operand.ciphertext().scale();
  const double expected = operand.estimate().scale();
  TracedResult::ChangedScale& worst = operands.changed_scale;
  const bool is_worst =
      std::abs(std::log2(scale / expected)) > std::abs(std::log2(worst.scale / worst.expected));
  if (!rlwe::scales_match(scale, expected) && is_worst) worst = {operand.label_, scale, expected};
}

TracedResult TracedOperations::negate(const TracedCiphertext& a) const {
  return computed(
      {"negate", {&a}}, [&](Ciphertext& to) { evaluator_.negate(a.ciphertext(), to); },
      [&](const Estimates& e) { return estimator_->negate(e[0]); },
      [&] { return a.message_->negated(); });
}

TracedResult TracedOperations::add(const TracedCiphertext& a, const TracedCiphertext& b) const {
  return computed(
      {"add", {&a, &b}},
      [&](Ciphertext& to) { evaluator_.add(a.ciphertext(), b.ciphertext(), to); },
      [&](const Estimates& e) { return estimator_->add(e[0], e[1]); },
      [&] { return a.message_->plus(*b.message_); });
}

TracedResult TracedOperations::sub(const TracedCiphertext& a, const TracedCiphertext& b) const {
  return computed(
      {"sub", {&a, &b}},
      [&](Ciphertext& to) { evaluator_.sub(a.ciphertext(), b.ciphertext(), to); },
      [&](const Estimates& e) { return estimator_->sub(e[0], e[1]); },
      [&] { return a.message_->minus(*b.message_); });
}

TracedResult TracedOperations::multiply(const TracedCiphertext& a,
                                        const TracedCiphertext& b) const {
  return computed(
      {"multiply", {&a, &b}},
      [&](Ciphertext& to) { evaluator_.multiply(a.ciphertext(), b.ciphertext(), to); },
      [&](const Estimates& e) { return estimator_->multiply(e[0], e[1]); },
      [&] { return a.message_->times(*b.message_); });
}

TracedResult TracedOperations::square(const TracedCiphertext& a) const {
  return computed(
      {"square", {&a}}, [&](Ciphertext& to) { evaluator_.square(a.ciphertext(), to); },
      [&](const Estimates& e) { return estimator_->square(e[0]); },
      [&] { return a.message_->times(*a.message_); });
}

// CKKS has only the power 1, which changes nothing.
TracedResult TracedOperations::exponentiate(const TracedCiphertext& a, std::uint64_t exponent,
                                            const RelinKeys& keys) const {
  return computed(
      {"exponentiate", {&a}, concat(exponent)},
      [&](Ciphertext& to) { evaluator_.exponentiate(a.ciphertext(), exponent, keys, to); },
      [&](const Estimates& e) {
        return has_scale() ? e[0] : estimator_->exponentiate(e[0], exponent);
      },
      [&] { return a.message_->power(exponent); });
}

TracedResult TracedOperations::relinearize(const TracedCiphertext& a, const RelinKeys& keys) const {
  return computed(
      {"relinearize", {&a}},
      [&](Ciphertext& to) { evaluator_.relinearize(a.ciphertext(), keys, to); },
      [&](const Estimates& e) { return estimator_->relinearize(e[0]); },
      [&] { return *a.message_; });
}

TracedResult TracedOperations::add_plain(const TracedCiphertext& a, const KnownOperand& b) const {
  return computed(
      {"add_plain", {&a}, b.text},
      [&](Ciphertext& to) { evaluator_.add_plain(a.ciphertext(), b.plain, to); },
      [&](const Estimates& e) { return estimator_->add_plain(e[0], b.estimate); },
      [&] { return a.message_->plus(b.message); });
}

TracedResult TracedOperations::multiply_plain(const TracedCiphertext& a,
                                              const KnownOperand& b) const {
  return computed(
      {"multiply_plain", {&a}, b.text},
      [&](Ciphertext& to) { evaluator_.multiply_plain(a.ciphertext(), b.plain, to); },
      [&](const Estimates& e) { return estimator_->multiply_plain(e[0], b.estimate); },
      [&] { return a.message_->times(b.message); });
}

TracedResult TracedOperations::rescale_to_next(const TracedCiphertext& a) const {
  return computed(
      {"rescale_to_next", {&a}},
      [&](Ciphertext& to) { evaluator_.rescale_to_next(a.ciphertext(), to); },
      [&](const Estimates& e) { return estimator_->rescale_to_next(e[0]); },
      [&] { return *a.message_; });
}

TracedResult TracedOperations::relinearize_and_rescale_to_next(const TracedCiphertext& a,
                                                               const RelinKeys& keys) const {
  return computed(
      {"relinearize_and_rescale_to_next", {&a}},
      [&](Ciphertext& to) { evaluator_.relinearize_and_rescale_to_next(a.ciphertext(), keys, to); },
      [&](const Estimates& e) { return estimator_->relinearize_and_rescale_to_next(e[0]); },
      [&] { return *a.message_; });
}

TracedResult TracedOperations::mod_switch_to_next(const TracedCiphertext& a) const {
  return computed(
      {"mod_switch_to_next", {&a}},
      [&](Ciphertext& to) { evaluator_.mod_switch_to_next(a.ciphertext(), to); },
      [&](const Estimates& e) { return estimator_->mod_switch_to_next(e[0]); },
      [&] { return *a.message_; });
}

TracedResult TracedOperations::mod_switch_to(const TracedCiphertext& a,
                                             const ParmsId& parms_id) const {
  const auto primes = [&] { return context_.get_context_data(parms_id)->prime_count(); };
  TracedResult result = computed(
      {"mod_switch_to", {&a}},
      [&](Ciphertext& to) { evaluator_.mod_switch_to(a.ciphertext(), parms_id, to); },
      [&](const Estimates& e) { return estimator_->mod_switch_to(e[0], primes()); },
      [&] { return *a.message_; });
  result.operands.text += concat(", ", primes(), " primes");
  return result;
}

template <typename Compute>
TracedResult TracedOperations::rotated(const Call& call, int steps, const GaloisKeys& keys,
                                       const Compute& compute) const {
  std::size_t switch_count = 0;
  return computed(
      call,
      [&](Ciphertext& to) {
        compute(to);
        switch_count = schemes::plan_rotation(context_.ring(), steps, keys).size();
      },
      [&](const Estimates& e) { return estimator_->apply_galois(e[0], switch_count); },
      [&] { return call.operands.front()->message_->rotated(steps); });
}

TracedResult TracedOperations::rotate_vector(const TracedCiphertext& a, int steps,
                                             const GaloisKeys& keys) const {
  return rotated({"rotate_vector", {&a}, concat(steps)}, steps, keys, [&](Ciphertext& to) {
    evaluator_.rotate_vector(a.ciphertext(), steps, keys, to);
  });
}

TracedResult TracedOperations::rotate_rows(const TracedCiphertext& a, int steps,
                                           const GaloisKeys& keys) const {
  return rotated({"rotate_rows", {&a}, concat(steps)}, steps, keys,
                 [&](Ciphertext& to) { evaluator_.rotate_rows(a.ciphertext(), steps, keys, to); });
}

TracedResult TracedOperations::complex_conjugate(const TracedCiphertext& a,
                                                 const GaloisKeys& keys) const {
  return computed(
      {"complex_conjugate", {&a}},
      [&](Ciphertext& to) { evaluator_.complex_conjugate(a.ciphertext(), keys, to); },
      [&](const Estimates& e) { return estimator_->apply_galois(e[0]); },
      [&] { return a.message_->conjugated(); });
}

TracedResult TracedOperations::rotate_columns(const TracedCiphertext& a,
                                              const GaloisKeys& keys) const {
  return computed(
      {"rotate_columns", {&a}},
      [&](Ciphertext& to) { evaluator_.rotate_columns(a.ciphertext(), keys, to); },
      [&](const Estimates& e) { return estimator_->apply_galois(e[0]); },
      [&] { return a.message_->conjugated(); });
}

TracedResult TracedOperations::with_scale(const TracedCiphertext& a, double scale) const {
  return computed(
      {"with_scale", {&a}},
      [&](Ciphertext& to) {
        check_scheme(true);
        to = a.ciphertext();
        to.scale() = scale;
      },
      [&](const Estimates& e) { return estimator_->with_scale(e[0], scale); },
      [&] { return a.message_->scaled(a.ciphertext().scale() / scale); });
}

TracedResult TracedOperations::inspect(const TracedCiphertext& a) const {
  return computed(
      {"inspect", {&a}}, [&](Ciphertext& to) { to = a.ciphertext(); },
      [&](const Estimates& e) { return e[0]; }, [&] { return *a.message_; });
}

}  // namespace ringlet::circuits
