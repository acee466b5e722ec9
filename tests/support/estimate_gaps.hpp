// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <map>
#include <vector>

#include "ringlet/noise_estimator.hpp"

namespace ringlet::test {

/// How far above the noise that was measured NoiseEstimator's estimates were, in bits, by depth.
class EstimateGaps {
 public:
  /// The most that is allowed for operands without a common encryption.
  static double allowed(int depth) { return 6 + 2 * std::max(0, depth - 3); }

  /// Noise that rests on fewer roots is a matter of chance: a product of a few random numbers, the
  /// noise elsewhere being too small to count.
  static double least_spread(std::size_t degree) {
    return std::max(16.0, static_cast<double>(degree) / 128);
  }
  /// In smaller rings that is so for every product of a few noises. At 128 bits of security they
  /// have moduli of 27 bits at most: too few for a product.
  static constexpr std::size_t kLeastDegree = 2048;

  /// Whether the estimate is held to `allowed`.
  static bool is_held(std::size_t degree, const NoiseEstimate& estimate) {
    return !estimate.has_dependent_operands() && degree >= kLeastDegree &&
           estimate.spread() >= least_spread(degree);
  }

  void add(int depth, std::size_t degree, const NoiseEstimate& estimate, double gap) {
    ByDepth& gaps = estimate.has_dependent_operands()          ? dependent_
                    : degree < kLeastDegree                    ? small_
                    : estimate.spread() < least_spread(degree) ? concentrated_
                                                               : independent_;
    gaps[depth].push_back(gap);
  }

  void print() const {
    print("independent operands", independent_);
    print("independent operands, noise at few roots", concentrated_);
    print("independent operands, rings of a degree below 2048", small_);
    print("dependent operands", dependent_);
  }

  bool empty() const { return independent_.empty(); }
  double least() const {
    double result = 1e9;
    for (const auto* gaps : {&independent_, &concentrated_, &small_, &dependent_}) {
      for (const auto& [depth, values] : *gaps) {
        result = std::min(result, *std::ranges::min_element(values));
      }
    }
    return result;
  }

 private:
  using ByDepth = std::map<int, std::vector<double>>;

  static void print(const char* name, const ByDepth& gaps) {
    std::printf("  estimate - noise in bits, %s\n", name);
    std::printf("    depth   values    least    0.1 %%   median   99.9 %%     most  above limit\n");
    for (const auto& [depth, values] : gaps) {
      std::vector<double> sorted = values;
      std::ranges::sort(sorted);
      const auto at = [&](double part) {
        return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
      };
      const auto above = std::ranges::count_if(
          sorted, [limit = allowed(depth)](double gap) { return gap > limit; });
      std::printf("    %5d %8zu %8.2f %8.2f %8.2f %8.2f %8.2f %12td\n", depth, sorted.size(), at(0),
                  at(0.001), at(0.5), at(0.999), at(1), above);
    }
  }

  ByDepth independent_;
  ByDepth concentrated_;
  ByDepth small_;
  ByDepth dependent_;
};

}  // namespace ringlet::test
