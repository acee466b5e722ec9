// SPDX-License-Identifier: Apache-2.0
#include "ringlet/tracing/tracing_evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "base/public_entry.hpp"
#include "base/text.hpp"
#include "tracing/clear_message.hpp"
#include "tracing/trace_advice.hpp"
#include "tracing/traced_operations.hpp"

namespace ringlet {

using circuits::ClearMessage;
using circuits::TracedOperations;
using circuits::TracedResult;

namespace {

constexpr const char* kEncrypt = "TracingEvaluator::encrypt";

}  // namespace

std::span<const std::complex<double>> TracedCiphertext::numbers() const noexcept {
  return message_ == nullptr ? std::span<const std::complex<double>>() : message_->numbers();
}

std::span<const std::uint64_t> TracedCiphertext::residues() const noexcept {
  return message_ == nullptr ? std::span<const std::uint64_t>() : message_->residues();
}

TracingEvaluator::TracingEvaluator(const Context& context, const SecretKey& secret_key,
                                   RandomSource random, double failure_bits)
    : operations_(public_entry("TracingEvaluator", [&] {
        return std::make_unique<const TracedOperations>(context, secret_key, std::move(random),
                                                        failure_bits);
      })) {}

TracingEvaluator::~TracingEvaluator() = default;

// Measures, then writes to the log. If the sink throws, the step is removed from the log.
TracedCiphertext TracingEvaluator::record(TracedResult result, std::string label) {
  TracedCiphertext& traced = result.ciphertext;
  const circuits::MessageReading reading = operations_->read(traced);
  const NoiseEstimate& estimate = traced.estimate();
  traced.left_bits_ = reading.budget_bits.value_or(-reading.noise_bits);

  TraceStep step;
  step.number = step_count_ + 1;
  step.result = label.empty() ? concat("t", step.number) : std::move(label);
  step.operation = result.operation;
  step.operands = result.operands.text;
  step.prime_count = traced.ciphertext().coeff_modulus_size();
  step.size = traced.ciphertext().size();
  step.scale = traced.ciphertext().scale();
  step.measured_bits = reading.noise_bits;
  step.budget_bits = reading.budget_bits;
  const double lost_bits = result.operands.left_bits.value_or(HUGE_VAL) - traced.left_bits_;
  if (std::isfinite(lost_bits)) step.lost_bits = lost_bits;
  if (operations_->has_scale()) {
    step.estimated_bits = estimate.error_bits();
    step.magnitude = traced.message_->magnitude();
    step.magnitude_bound = estimate.magnitude();
    step.is_right = std::exp2(reading.noise_bits) < step.magnitude_bound / 4;
  } else {
    step.estimated_bits = estimate.noise_bits();
    step.is_right = reading.is_message;
  }
  step.is_within_estimate = step.measured_bits <= step.estimated_bits;
  step.advice = circuits::advice_about(step, result);
  traced.is_sound_ = step.is_right && step.is_within_estimate;
  traced.set_label(step.result);
  log_.push_back(std::move(step));
  try {
    if (sink_) sink_(log_.back());
  } catch (...) {
    log_.pop_back();
    throw;
  }
  ++step_count_;
  return std::move(traced);
}

TracedCiphertext TracingEvaluator::encrypt(std::span<const std::complex<double>> slots,
                                           double scale, std::string label) {
  TracedResult result = public_entry(kEncrypt, [&] {
    operations_->check_scheme(true);
    operations_->check_count(slots.size());
    ClearMessage::Numbers numbers(operations_->slot_count());
    std::ranges::copy(slots, numbers.begin());
    ClearMessage message(std::move(numbers));
    const double magnitude = message.magnitude();
    return operations_->encrypt(std::move(message), scale, magnitude == 0 ? 1 : magnitude);
  });
  return record(std::move(result), std::move(label));
}

TracedCiphertext TracingEvaluator::encrypt(std::span<const double> slots, double scale,
                                           std::string label) {
  const ClearMessage::Numbers numbers(slots.begin(), slots.end());
  return encrypt(std::span<const std::complex<double>>(numbers), scale, std::move(label));
}

TracedCiphertext TracingEvaluator::encrypt(std::span<const std::uint64_t> slots,
                                           std::string label) {
  TracedResult result = public_entry(kEncrypt, [&] {
    operations_->check_scheme(false);
    operations_->check_count(slots.size());
    ClearMessage::Residues residues(operations_->slot_count());
    std::ranges::copy(slots, residues.begin());
    ClearMessage message(std::move(residues), operations_->context().plain_modulus());
    return operations_->encrypt(std::move(message), 1, 0);
  });
  return record(std::move(result), std::move(label));
}

TracedCiphertext TracingEvaluator::encrypt(std::span<const std::int64_t> slots, std::string label) {
  public_entry(kEncrypt, [&] { operations_->check_scheme(false); });
  ClearMessage::Residues residues;
  for (const std::int64_t value : slots) residues.push_back(operations_->residue_of(value));
  return encrypt(std::span<const std::uint64_t>(residues), std::move(label));
}

TracedCiphertext TracingEvaluator::negate(const TracedCiphertext& a) {
  return record(operations_->negate(a));
}

TracedCiphertext TracingEvaluator::add(const TracedCiphertext& a, const TracedCiphertext& b) {
  return record(operations_->add(a, b));
}

TracedCiphertext TracingEvaluator::sub(const TracedCiphertext& a, const TracedCiphertext& b) {
  return record(operations_->sub(a, b));
}

TracedCiphertext TracingEvaluator::multiply(const TracedCiphertext& a, const TracedCiphertext& b) {
  return record(operations_->multiply(a, b));
}

TracedCiphertext TracingEvaluator::square(const TracedCiphertext& a) {
  return record(operations_->square(a));
}

TracedCiphertext TracingEvaluator::exponentiate(const TracedCiphertext& a, std::uint64_t exponent,
                                                const RelinKeys& keys) {
  return record(operations_->exponentiate(a, exponent, keys));
}

TracedCiphertext TracingEvaluator::relinearize(const TracedCiphertext& a, const RelinKeys& keys) {
  return record(operations_->relinearize(a, keys));
}

TracedCiphertext TracingEvaluator::add_plain(const TracedCiphertext& a, const KnownVector& values) {
  return record(public_entry("TracingEvaluator::add_plain", [&] {
    operations_->check(a);
    const Ciphertext& encrypted = a.ciphertext();
    return operations_->add_plain(
        a, operations_->known(values, encrypted.parms_id(), encrypted.scale()));
  }));
}

TracedCiphertext TracingEvaluator::multiply_plain(const TracedCiphertext& a,
                                                  const KnownVector& values, double scale) {
  return record(public_entry("TracingEvaluator::multiply_plain", [&] {
    operations_->check(a);
    return operations_->multiply_plain(
        a, operations_->known(values, a.ciphertext().parms_id(), scale));
  }));
}

TracedCiphertext TracingEvaluator::rescale_to_next(const TracedCiphertext& a) {
  return record(operations_->rescale_to_next(a));
}

TracedCiphertext TracingEvaluator::relinearize_and_rescale_to_next(const TracedCiphertext& a,
                                                                   const RelinKeys& keys) {
  return record(operations_->relinearize_and_rescale_to_next(a, keys));
}

TracedCiphertext TracingEvaluator::mod_switch_to_next(const TracedCiphertext& a) {
  return record(operations_->mod_switch_to_next(a));
}

TracedCiphertext TracingEvaluator::mod_switch_to(const TracedCiphertext& a,
                                                 const ParmsId& parms_id) {
  return record(operations_->mod_switch_to(a, parms_id));
}

TracedCiphertext TracingEvaluator::rotate_vector(const TracedCiphertext& a, int steps,
                                                 const GaloisKeys& keys) {
  return record(operations_->rotate_vector(a, steps, keys));
}

TracedCiphertext TracingEvaluator::complex_conjugate(const TracedCiphertext& a,
                                                     const GaloisKeys& keys) {
  return record(operations_->complex_conjugate(a, keys));
}

TracedCiphertext TracingEvaluator::rotate_rows(const TracedCiphertext& a, int steps,
                                               const GaloisKeys& keys) {
  return record(operations_->rotate_rows(a, steps, keys));
}

TracedCiphertext TracingEvaluator::rotate_columns(const TracedCiphertext& a,
                                                  const GaloisKeys& keys) {
  return record(operations_->rotate_columns(a, keys));
}

TracedCiphertext TracingEvaluator::with_scale(const TracedCiphertext& a, double scale) {
  return record(operations_->with_scale(a, scale));
}

TracedCiphertext TracingEvaluator::with_magnitude(const TracedCiphertext& a,
                                                  double magnitude) const {
  public_entry("TracingEvaluator::with_magnitude", [&] { operations_->check(a); });
  TracedCiphertext result = a;
  result.estimate_ = operations_->estimator().with_magnitude(a.estimate(), magnitude);
  return result;
}

TracedCiphertext TracingEvaluator::inspect(const TracedCiphertext& a) {
  return record(operations_->inspect(a));
}

}  // namespace ringlet
