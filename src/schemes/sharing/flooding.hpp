// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/aligned.hpp"
#include "rlwe/random/random_stream.hpp"
#include "schemes/sharing/flooding_table.hpp"

// Wide Gaussian noise over the integers in constant time, whose samples exist as residues alone;
// docs/notes/noise_flooding.md has the construction and how near it is to a discrete Gaussian.

namespace ringlet::schemes {

/// Deviation of the tabulated distribution.
inline constexpr double kBaseDeviation = 7.25;
/// log2 of the largest deviation.
inline constexpr double kMaxFloodingBits = 240;

/// The integer mantissa * 2^shift.
struct FloodingWeight {
  std::uint64_t mantissa = 1;
  int shift = 0;
};

/// The sum of weight_j * y_j over independent base samples y_j: weights 1, 4, 16, ..., and a last
/// one of at most the next power of four. Near the discrete Gaussian of the same deviation, by
/// 2^-158 in Kullback-Leibler divergence.
class FloodingDistribution {
 public:
  /// Takes a `deviation` of at most 2^240. That of samples is not below it, up to the rounding of
  /// doubles. It is above by no more than the rounding up of the last weight to an integer of 31
  /// bits and a power of two. All values up to 7.25 give the base distribution.
  explicit FloodingDistribution(double deviation);

  /// Returns the deviation of a sample.
  double deviation() const noexcept { return deviation_; }
  const std::vector<FloodingWeight>& weights() const noexcept { return weights_; }

 private:
  std::vector<FloodingWeight> weights_;
  double deviation_;
};

/// Bytes of one sample of the base distribution, and the number of samples that are made together.
inline constexpr std::size_t kFloodingSampleBytes = 8 * kThresholdWords;
inline constexpr std::size_t kFloodingLanes = 8;

/// Makes samples of the base distribution from uniform bytes: each takes 24, three words with the
/// least significant byte first. The low 63 bits of the words, the first one lowest, are an integer
/// u, and |y| is the number of thresholds that u is not below; the highest bit of the first word is
/// the sign. `bytes` has a multiple of eight samples, as many as are wanted or more. Constant time.
void flooding_base_from(std::span<std::int8_t> result, std::span<const std::uint8_t> bytes);
/// Makes them from the blocks of a stream, one after the other.
void sample_flooding_base(std::span<std::int8_t> result, rlwe::RandomStream& stream);

/// Independent samples of one distribution. Wiped when released.
class FloodingNoise {
 public:
  /// Takes term j of all samples from the stream (flooding, j) of the seed. Constant time.
  FloodingNoise(const FloodingDistribution& distribution, std::size_t count,
                const rlwe::Seed& seed);

  /// Writes all samples modulo q, in [0, q). Constant time.
  void write(std::span<std::uint64_t> result, const Modulus& q) const;

 private:
  std::vector<FloodingWeight> weights_;
  std::size_t count_;
  SecretVector<std::int8_t> terms_;  // all samples' first terms, then their second ones
};

}  // namespace ringlet::schemes
