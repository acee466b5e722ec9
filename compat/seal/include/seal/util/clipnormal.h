// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <random>

#include "seal/util/common.h"
#include "seal/util/defines.h"

namespace ringlet::seal4_util {

/// A normal distribution that repeats a draw until it is at most max_deviation from the mean.
/// Variable time, with floating-point numbers.
class ClippedNormalDistribution {
 public:
  using result_type = double;
  using param_type = ClippedNormalDistribution;

  /// @throws std::invalid_argument if a deviation is negative.
  ClippedNormalDistribution(double mean, double standard_deviation, double max_deviation)
      : normal_(mean, checked(standard_deviation)), max_deviation_(checked(max_deviation)) {}

  template <class RNG>
  SEAL_NODISCARD double operator()(RNG& engine) {
    double value = 0;
    do {
      value = normal_(engine);
    } while (std::fabs(value - mean()) > max_deviation_);
    return value;
  }
  template <class RNG>
  SEAL_NODISCARD double operator()(RNG& engine, const param_type& parm) {
    param(parm);
    return (*this)(engine);
  }

  SEAL_NODISCARD double mean() const noexcept { return normal_.mean(); }
  SEAL_NODISCARD double standard_deviation() const noexcept { return normal_.stddev(); }
  SEAL_NODISCARD double max_deviation() const noexcept { return max_deviation_; }
  SEAL_NODISCARD double min() const noexcept { return mean() - max_deviation_; }
  SEAL_NODISCARD double max() const noexcept { return mean() + max_deviation_; }
  SEAL_NODISCARD param_type param() const { return *this; }
  void param(const param_type& parm) { *this = parm; }
  void reset() noexcept { normal_.reset(); }

 private:
  static double checked(double deviation) {
    detail::check_argument(deviation >= 0, "ClippedNormalDistribution");
    return deviation;
  }

  std::normal_distribution<double> normal_;
  double max_deviation_;
};

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
