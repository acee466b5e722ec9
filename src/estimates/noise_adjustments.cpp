// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "estimates/noise_state.hpp"
#include "ringlet/estimates/noise_estimator.hpp"

namespace ringlet {

using estimates::Dependence;
using estimates::NoiseModel;
using estimates::NoiseTerm;
using estimates::NoiseTerms;

namespace {

// Noise of other schemes is not tied to slots.
void check_slots(const NoiseModel& model) {
  if (model.scheme() == SchemeType::ckks) return;
  refuse(concat("scheme = ", to_string(model.scheme())), "ckks", "estimate step by step");
}

}  // namespace

NoiseEstimate NoiseEstimator::negate(const NoiseEstimate& a) const {
  public_entry("NoiseEstimator::negate", [&] { state_of(a); });
  return a;
}

NoiseEstimate NoiseEstimator::transform(const NoiseEstimate& a) const {
  public_entry("NoiseEstimator::transform", [&] { state_of(a); });
  return a;
}

NoiseEstimate NoiseEstimator::with_magnitude(const NoiseEstimate& a, double magnitude,
                                             std::optional<double> rms) const {
  return public_entry("NoiseEstimator::with_magnitude", [&] {
    State state = state_of(a);
    const PlainEstimate slots = encode(1, magnitude, rms);
    state.magnitude = slots.magnitude_;
    state.rms = slots.rms_;
    return made(std::move(state));
  });
}

NoiseEstimate NoiseEstimator::with_scale(const NoiseEstimate& a, double scale) const {
  return public_entry("NoiseEstimator::with_scale", [&] {
    State state = state_of(a);
    state.magnitude *= state.scale / scale;
    state.rms *= state.scale / scale;
    state.scale = encode(scale, state.magnitude).scale_;
    state.fixed +=
        static_cast<long double>(state.scale * state.magnitude) * estimates::kScaleRounding;
    return made(std::move(state));
  });
}

NoiseEstimate NoiseEstimator::without_noise(const NoiseEstimate& part) const {
  return public_entry("NoiseEstimator::without_noise", [&] {
    check_slots(*model_);
    State state = state_of(part);
    state.noise = NoiseTerms();
    return made(std::move(state));
  });
}

// By Minkowski's inequality, the deviations of sum and parts add. All slots get the bound of the
// largest.
NoiseEstimate NoiseEstimator::with_noise_of(const NoiseEstimate& sum,
                                            std::span<const NoisePart> parts) const {
  return public_entry("NoiseEstimator::with_noise_of", [&] {
    check_slots(*model_);
    State state = state_of(sum);
    NoiseTerms all;
    for (const NoisePart& part : parts) {
      const State& added = state_of(part.estimate);
      const long double factor = part.gain;
      std::vector<NoiseTerm> terms;
      for (const NoiseTerm& term : added.noise.terms()) {
        terms.push_back({term.power, term.degree, term.largest() * (factor * factor), 0, 0});
      }
      all = NoiseTerms::sum(all, NoiseTerms(std::move(terms)), Dependence::independent);
      state.has_dependent_operands |= added.has_dependent_operands;
    }
    state.noise = NoiseTerms::sum(state.noise, all, Dependence::dependent);
    return made(std::move(state));
  });
}

double NoiseEstimator::rounding_bound(const PlainEstimate& plain) const {
  return public_entry("NoiseEstimator::rounding_bound", [&] {
    check_slots(*model_);
    check_plain(plain);
    State state{.model = model_};
    add_message(state, plain);
    return static_cast<double>(state.bound());
  });
}

}  // namespace ringlet
