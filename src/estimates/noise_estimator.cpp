// SPDX-License-Identifier: Apache-2.0
#include "ringlet/estimates/noise_estimator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "estimates/noise_state.hpp"
#include "estimates/root_values.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/estimates/object_sizes.hpp"

namespace ringlet {

using estimates::kEncoding;
using estimates::NoiseModel;
using estimates::NoiseTerm;
using estimates::NoiseTerms;

namespace {

// Rounding of callers who compute the mean and the magnitude from the same slots.
constexpr double kRounding = 1 + 0x1p-30;

void check_scheme(const NoiseModel& model, bool wants_ckks) {
  if ((model.scheme() == SchemeType::ckks) == wants_ckks) return;
  refuse(concat("scheme = ", to_string(model.scheme())), wants_ckks ? "ckks" : "bfv or bgv",
         wants_ckks ? "describe a uniform, bounded or known plaintext" : "encode it");
}

[[noreturn]] void refuse_scheme(const NoiseModel& model) {
  const bool is_ckks = model.scheme() == SchemeType::ckks;
  refuse<LogicError>(concat("scheme = ", to_string(model.scheme())),
                     is_ckks ? "bfv or bgv" : "ckks",
                     is_ckks ? "ask for the error in bits" : "ask for the budget in bits");
}

std::shared_ptr<const NoiseModel> checked_model(const EncryptionParameters& parms,
                                                double failure_bits) {
  last_level_primes(parms);
  public_entry("NoiseEstimator", [&] {
    if (failure_bits >= 1 && failure_bits <= 1000) return;
    refuse(concat("failure_bits = ", failure_bits), "from 1 to 1000",
           "pass for example 24: then an estimate fails with probability 2^-24");
  });
  return std::make_shared<const NoiseModel>(parms, failure_bits);
}

}  // namespace

NoiseEstimator::NoiseEstimator(const EncryptionParameters& parms, double failure_bits)
    : model_(checked_model(parms, failure_bits)) {}

PlainEstimate NoiseEstimator::encode(double scale, double magnitude,
                                     std::optional<double> rms) const {
  return public_entry("NoiseEstimator::encode", [&] {
    check_scheme(*model_, true);
    const double mean = rms.value_or(magnitude);
    const bool has_scale = std::isnormal(scale) && scale > 0;
    if (!has_scale || !(std::isfinite(magnitude) && mean >= 0 && mean <= magnitude * kRounding)) {
      refuse(concat("scale = ", scale, ", magnitude = ", magnitude, ", rms = ", mean),
             "a positive normal scale, a finite magnitude, and an rms from 0 to that",
             "give the largest absolute value of a slot");
    }
    PlainEstimate result;
    result.model_ = model_;
    result.kind_ = PlainEstimate::Kind::encoded;
    result.scale_ = scale;
    result.magnitude_ = magnitude;
    result.rms_ = std::min(mean, magnitude);
    result.message_ = model_->next_message();
    return result;
  });
}

PlainEstimate NoiseEstimator::encode_constant(double scale, double magnitude) const {
  PlainEstimate result = encode(scale, magnitude);
  result.kind_ = PlainEstimate::Kind::constant;
  return result;
}

PlainEstimate NoiseEstimator::encode_integer(double magnitude) const {
  PlainEstimate result = encode(1, magnitude);
  result.kind_ = PlainEstimate::Kind::exact;
  return result;
}

PlainEstimate NoiseEstimator::uniform_plain() const {
  return public_entry("NoiseEstimator::uniform_plain", [&] {
    check_scheme(*model_, false);
    PlainEstimate result;
    result.model_ = model_;
    const auto n = static_cast<double>(model_->degree());
    const auto t = static_cast<double>(model_->plain_modulus());
    result.size_ = {n * t / 2, t * std::sqrt(n / 12), t * std::sqrt(n / 12) * std::pow(2, 0.25)};
    result.message_ = model_->next_message();
    return result;
  });
}

PlainEstimate NoiseEstimator::bounded_plain(const PolynomialSize& size) const {
  return public_entry("NoiseEstimator::bounded_plain", [&] {
    PlainEstimate result = uniform_plain();
    if (!(size.rms >= 0 && size.rms <= size.largest && std::isfinite(size.largest))) {
      refuse(concat("largest = ", size.largest, ", rms = ", size.rms),
             "finite, and an rms from 0 to the largest value", "take the largest value for both");
    }
    result.kind_ = PlainEstimate::Kind::bounded;
    result.size_ = size;
    return result;
  });
}

PlainEstimate NoiseEstimator::known_plain(std::span<const std::uint64_t> coefficients) const {
  return public_entry("NoiseEstimator::known_plain", [&] {
    PlainEstimate result = uniform_plain();
    const std::size_t n = model_->parms().poly_modulus_degree();
    const std::uint64_t t = model_->parms().plain_modulus();
    const auto is_above = [t](std::uint64_t m) { return m >= t; };
    if (coefficients.size() > n || std::ranges::any_of(coefficients, is_above)) {
      refuse(concat(coefficients.size(), " coefficients, the largest ",
                    std::ranges::max(coefficients)),
             concat("at most ", n, ", below ", t), "reduce the message");
    }
    result.kind_ = PlainEstimate::Kind::known;
    result.size_ = model_->lifted_size(coefficients, 1);
    result.coefficients_ = std::make_shared<const SecretVector<std::uint64_t>>(coefficients.begin(),
                                                                               coefficients.end());
    return result;
  });
}

std::size_t NoiseEstimate::prime_count() const noexcept { return state_->prime_count; }
std::size_t NoiseEstimate::size() const noexcept { return state_->size; }
double NoiseEstimate::scale() const noexcept { return state_->scale; }
double NoiseEstimate::magnitude() const noexcept { return state_->magnitude; }
double NoiseEstimate::rms() const noexcept { return state_->rms; }
std::uint64_t NoiseEstimate::correction_factor() const noexcept {
  return state_->correction_factor;
}
bool NoiseEstimate::has_dependent_operands() const noexcept {
  return state_->has_dependent_operands;
}

double NoiseEstimate::spread() const {
  return static_cast<double>(state_->model->spread(state_->noise));
}

double NoiseEstimate::noise_bits() const { return static_cast<double>(std::log2(state_->bound())); }

double NoiseEstimate::hidden_noise_bits() const {
  return static_cast<double>(std::log2(state_->bound() - state_->fixed));
}

double NoiseEstimate::rms_noise_bits() const {
  const NoiseModel& model = *state_->model;
  const long double square = model.mean_square(state_->noise);
  const long double count = state_->is_ckks() ? 1 : model.degree();
  return static_cast<double>(std::log2(square / count) / 2);
}

double NoiseEstimate::budget_bits() const {
  public_entry("NoiseEstimate::budget_bits", [&] {
    if (state_->is_ckks()) refuse_scheme(*state_->model);
  });
  return state_->model->log2_modulus(state_->prime_count) - 1 - noise_bits();
}

double NoiseEstimate::error_bits() const {
  public_entry("NoiseEstimate::error_bits", [&] {
    if (!state_->is_ckks()) refuse_scheme(*state_->model);
  });
  const long double error = state_->bound() / static_cast<long double>(state_->scale);
  const long double decoding = (static_cast<long double>(state_->magnitude) + error) * kEncoding;
  return static_cast<double>(std::log2(error + decoding));
}

bool NoiseEstimate::fits() const {
  const long double message =
      static_cast<long double>(state_->scale) * static_cast<long double>(state_->magnitude);
  const long double all = state_->is_ckks() ? state_->bound() + message : state_->bound();
  return std::log2(all) < static_cast<long double>(state_->model->log2_modulus(prime_count()) - 1);
}

}  // namespace ringlet
