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

/// The contents of an estimate.
struct NoiseEstimate::State {
  std::shared_ptr<const estimates::NoiseModel> model;
  std::size_t prime_count = 0;
  std::size_t size = 2;
  double scale = 1;
  double magnitude = 0;
  double rms = 0;
  std::uint64_t correction_factor = 1;
  /// The random part, and for BGV the message.
  estimates::NoiseTerms noise = {};
  /// The largest error that is not random (CKKS): of floating point and of rounded constants.
  long double fixed = 0;
  /// The encryptions that the estimate depends on, ascending.
  std::vector<std::uint64_t> messages = {};
  bool has_dependent_operands = false;
  /// Whether an automorphism was applied: then dependent operands may be conjugates.
  bool has_images = false;

  bool is_ckks() const { return model->scheme() == SchemeType::ckks; }
  estimates::Dependence history() const {
    return has_dependent_operands ? estimates::Dependence::dependent
                                  : estimates::Dependence::independent;
  }
  /// Returns the bound of the noise, of slots (CKKS) or of coefficients.
  long double bound() const {
    return is_ckks() ? fixed + model->slot_bound(noise, history())
                     : model->coefficient_bound(noise, history());
  }
};

namespace estimates {

/// The error of a slot that the encoder keeps to, relative to the largest slot; the decoder adds as
/// much.
inline constexpr long double kEncoding = 0x1p-47L;
/// The rounding error of a number a + b*i in all slots. Slots are at powers of 3, so its
/// coefficients are a at X^0 and b/sqrt(2) at X^(N/4) and X^(3N/4). At worst, the error 1/2 at X^0
/// adds to opposite errors of the other two, which may round apart near a tie.
inline constexpr long double kConstantRounding = 0.5L + 0.70711L;
/// The rounding of scales, relative to the message.
inline constexpr long double kScaleRounding = 0x1p-50L;

}  // namespace estimates
}  // namespace ringlet
