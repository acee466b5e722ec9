// SPDX-License-Identifier: Apache-2.0
#include "schemes/sharing/flooding.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel.hpp"
#include "ringlet/arith/modular.hpp"
#include "ringlet/base/wipe.hpp"
#include "rlwe/random/samplers.hpp"
#include "rlwe/serialization/little_endian.hpp"

namespace ringlet::schemes {
namespace {

constexpr std::size_t kLanes = kFloodingLanes;
constexpr std::size_t kSampleBytes = kFloodingSampleBytes;
constexpr std::size_t kSamplesPerBlock = rlwe::RandomStream::kBlockBytes / kSampleBytes;
static_assert(rlwe::RandomStream::kBlockBytes % (kLanes * kSampleBytes) == 0);

// Bits of the last weight's mantissa: the deviation is met to one part in 2^30.
constexpr int kMantissaBits = 31;

constexpr std::uint64_t kLow63 = (std::uint64_t{1} << 63) - 1;

// Samples that go through the table together, so that their words stay in registers.
struct Lanes {
  std::array<std::array<std::uint64_t, kLanes>, kThresholdWords> words;
  std::array<std::uint64_t, kLanes> sign;
  std::array<std::uint64_t, kLanes> magnitude;
};

void load(Lanes& lanes, std::span<const std::uint8_t> bytes) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t w = 0; w < kThresholdWords; ++w) {
      const std::uint64_t word =
          rlwe::load_little_endian(bytes.subspan(lane * kSampleBytes + 8 * w, 8));
      lanes.words[w][lane] = word & kLow63;
      if (w == 0) lanes.sign[lane] = word >> 63;
    }
  }
}

// The highest bit of a difference of words of 63 bits is its borrow.
void count_thresholds(Lanes& lanes) {
  lanes.magnitude.fill(0);
  for (const auto& threshold : kFloodingTable) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::uint64_t borrow = (lanes.words[0][lane] - threshold[0]) >> 63;
      borrow = (lanes.words[1][lane] - threshold[1] - borrow) >> 63;
      borrow = (lanes.words[2][lane] - threshold[2] - borrow) >> 63;
      lanes.magnitude[lane] += 1 - borrow;
    }
  }
}

std::uint64_t residue(const FloodingWeight& weight, const Modulus& q) {
  return q.multiply(q.reduce(weight.mantissa),
                    pow_mod(2, static_cast<std::uint64_t>(weight.shift), q));
}

// Returns (16^count - 1) / 15, the sum of the squares of the first weights.
double sum_of_squares(std::size_t count) {
  return (std::pow(16.0, static_cast<double>(count)) - 1) / 15;
}

}  // namespace

FloodingDistribution::FloodingDistribution(double deviation) {
  const double wanted = deviation / kBaseDeviation;
  std::size_t count = 1;
  while (sum_of_squares(count) < wanted * wanted) ++count;
  for (std::size_t j = 0; j + 1 < count; ++j) weights_.push_back({1, static_cast<int>(2 * j)});
  const double rest = sum_of_squares(count - 1);
  const int largest = static_cast<int>(2 * (count - 1));
  FloodingWeight last{1, largest};
  if (count > 1) {
    const double weight = std::sqrt(wanted * wanted - rest);
    const int shift = std::max(0, std::ilogb(weight) - kMantissaBits + 1);
    const double mantissa = std::floor(std::ldexp(weight, -shift)) + 1;
    if (std::ldexp(mantissa, shift) < std::ldexp(1.0, largest)) {
      last = {static_cast<std::uint64_t>(mantissa), shift};
    }
  }
  weights_.push_back(last);
  const double weight = std::ldexp(static_cast<double>(last.mantissa), last.shift);
  deviation_ = kBaseDeviation * std::sqrt(rest + weight * weight);
}

void flooding_base_from(std::span<std::int8_t> result, std::span<const std::uint8_t> bytes) {
  Lanes lanes;
  while (!result.empty()) {
    load(lanes, bytes.first(kLanes * kSampleBytes));
    count_thresholds(lanes);
    const std::size_t count = std::min(kLanes, result.size());
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::uint64_t sign = lanes.sign[lane];
      result[lane] = static_cast<std::int8_t>((lanes.magnitude[lane] ^ (0 - sign)) + sign);
    }
    result = result.subspan(count);
    bytes = bytes.subspan(kLanes * kSampleBytes);
  }
  secure_wipe(&lanes, sizeof(lanes));
}

void sample_flooding_base(std::span<std::int8_t> result, rlwe::RandomStream& stream) {
  while (!result.empty()) {
    const std::size_t count = std::min(kSamplesPerBlock, result.size());
    flooding_base_from(result.first(count), stream.next_block());
    result = result.subspan(count);
  }
}

FloodingNoise::FloodingNoise(const FloodingDistribution& distribution, std::size_t count,
                             const rlwe::Seed& seed)
    : weights_(distribution.weights()), count_(count), terms_(weights_.size() * count) {
  parallel_for(weights_.size(), [&](std::size_t j) {
    rlwe::RandomStream stream(seed, {rlwe::StreamPurpose::flooding, j});
    sample_flooding_base(std::span(terms_).subspan(j * count_, count_), stream);
  });
}

// Each step subtracts the sum so far: factors alternate in sign so that terms do not.
void FloodingNoise::write(std::span<std::uint64_t> result, const Modulus& q) const {
  for (std::size_t j = 0; j < weights_.size(); ++j) {
    const std::uint64_t weight = residue(weights_[j], q);
    const bool is_negated = (weights_.size() - 1 - j) % 2 != 0;
    const auto term = std::span(terms_).subspan(j * count_, count_);
    rlwe::write_multiples<std::int8_t>(
        result, term, kFloodingBound, q, is_negated ? negate_mod(weight, q.value()) : weight,
        j == 0 ? std::span<const std::uint64_t>() : std::span<const std::uint64_t>(result));
  }
}

}  // namespace ringlet::schemes
