// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "estimates/noise_model.hpp"
#include "estimates/noise_terms.hpp"
#include "ringlet/estimates/noise_estimator.hpp"

namespace ringlet {

/// What an estimate holds.
struct NoiseEstimate::State {
  std::shared_ptr<const estimates::NoiseModel> model;
  std::size_t prime_count = 0;
  std::size_t size = 2;
  double scale = 1;
  double magnitude = 0;
  double rms = 0;
  std::uint64_t correction_factor = 1;
  /// What is random, and for BGV the message.
  estimates::NoiseTerms noise = {};
  /// What floating point adds at most (CKKS).
  long double fixed = 0;
  /// The encryptions that it depends on, ascending.
  std::vector<std::uint64_t> messages = {};
  bool has_dependent_operands = false;
  /// Whether there was an automorphism on the way: then dependent operands may be conjugates.
  bool has_images = false;

  bool is_ckks() const { return model->scheme() == SchemeType::ckks; }
  estimates::Dependence history() const {
    return has_dependent_operands ? estimates::Dependence::dependent
                                  : estimates::Dependence::independent;
  }
  /// What the noise stays below.
  long double bound() const {
    return is_ckks() ? fixed + model->slot_bound(noise, history())
                     : model->coefficient_bound(noise, history());
  }
};

namespace estimates {

/// What the encoder promises for each slot, relative to the largest, and the decoder again.
inline constexpr long double kEncoding = 0x1p-47L;
/// A complex number in all slots: a at X^0, and b/sqrt(2) at X^(N/4) and X^(3N/4), as slots are at
/// powers of 3. Each is rounded; at worst 1/2 at X^0 meets opposite errors of the other two, where
/// values near a tie go apart.
inline constexpr long double kConstantRounding = 0.5L + 0.70711L;
/// Roundings of scales, relative to the message.
inline constexpr long double kScaleRounding = 0x1p-50L;

}  // namespace estimates
}  // namespace ringlet
