// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/noise_estimator.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// How far above the noise that was measured NoiseEstimator's estimates were, in bits, by depth.
class EstimateGaps {
 public:
  /// Whether an estimate is held to `allowed`, or why not.
  enum class Kind { held, concentrated, small_ring, encoding, dependent };

  /// The most that is allowed.
  static double allowed(int depth) { return 6 + 2 * std::max(0, depth - 3); }

  /// `estimated` is the logarithm that is held against what was measured.
  static Kind kind_of(std::size_t degree, const NoiseEstimate& estimate, double estimated) {
    if (estimate.has_dependent_operands()) return Kind::dependent;
    if (degree < kLeastDegree) return Kind::small_ring;
    if (estimate.spread() < least_spread(degree)) return Kind::concentrated;
    // What encoders and decoders promise is the worst that rounding and floating point may do, and
    // far above what they do.
    const double noise = estimate.hidden_noise_bits() - std::log2(estimate.scale());
    return estimated > noise + 1 ? Kind::encoding : Kind::held;
  }

  void add(Kind kind, int depth, double gap) { gaps_[kind][depth].push_back(gap); }

  void print() const {
    static const std::map<Kind, const char*> kNames{
        {Kind::held, "independent operands"},
        {Kind::concentrated, "independent operands, noise at few roots"},
        {Kind::small_ring, "independent operands, rings of a degree below 2048"},
        {Kind::encoding, "independent operands, encoding more than noise"},
        {Kind::dependent, "dependent operands"}};
    for (const auto& [kind, gaps] : gaps_) print(kNames.at(kind), gaps);
  }

  bool empty() const { return gaps_.empty(); }

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

  /// Noise that rests on fewer roots is a matter of chance: a product of a few random numbers, the
  /// noise elsewhere being too small to count.
  static double least_spread(std::size_t degree) {
    return std::max(16.0, static_cast<double>(degree) / 64);
  }
  /// In smaller rings that is so for every product of a few noises. At 128 bits of security they
  /// have moduli of 27 bits at most: too few for a product.
  static constexpr std::size_t kLeastDegree = 2048;

  std::map<Kind, ByDepth> gaps_;
};

}  // namespace ringlet::test
