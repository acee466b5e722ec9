// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringlet::circuits {

/// How one noise enters a value: as a sum of its images under rotations, each multiplied by known
/// slots. See docs/notes/noise_estimate.md.
class NoiseShare {
 public:
  /// The noise itself, in a ring of `slots` slots a row.
  /// - are_independent: the noise of a slot is uncorrelated with that of every other slot. Images
  ///   under different rotations then add their variances, otherwise their deviations.
  NoiseShare(std::size_t slots, bool are_independent)
      : slots_(slots), are_independent_(are_independent), turns_{0}, squares_{1.0} {}

  void rotate(int steps);
  /// Multiplies all slots by `factor`, which is not negative.
  void multiply(double factor);
  /// Multiplies by factors, one for each slot of a row of the circuit. They are not negative.
  void multiply(std::span<const double> factors);
  void add(const NoiseShare& other);

  /// Returns the factor of the noise's deviation in the slot where it is largest.
  double gain() const;

 private:
  std::size_t slots_;
  bool are_independent_;
  std::vector<std::size_t> turns_;  // of all images, ascending
  std::vector<double> squares_;     // of the factors: one for each slot of a row, or one for all
};

}  // namespace ringlet::circuits
