// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/karatsuba/tb/simulation.hpp"
#include "support/values.hpp"

namespace ringlet::hw {

/// A number of exactly `bits` bits (2 to 128), random below the leading one.
inline WideInteger random_number(int bits, std::mt19937_64& rng) {
  WideInteger q{rng(), rng(), 0};
  for (int b = bits; b < 128; ++b) q[unsigned(b) / 64] &= ~(std::uint64_t{1} << (unsigned(b) % 64));
  const auto top = static_cast<unsigned>(bits - 1);
  q[top / 64] |= std::uint64_t{1} << (top % 64);
  return q;
}

/// The same, odd.
inline WideInteger random_modulus(int bits, std::mt19937_64& rng) {
  WideInteger q = random_number(bits, rng);
  q[0] |= 1;
  return q;
}

/// Random pauses on both sides: each in fewer than `in` and `out` of 256 cycles.
inline Traffic random_gaps(std::mt19937_64& rng, unsigned in, unsigned out) {
  const std::uint64_t seed = rng();
  const auto in_gaps = static_cast<unsigned>(rng() % in);
  return {.seed = seed, .in_gaps = in_gaps, .out_gaps = static_cast<unsigned>(rng() % out)};
}

/// The operands of one job, the host's stream for them and the expected answer.
struct JobData {
  Job job;
  Integers key;
  std::vector<Smalls> small;
  std::vector<Burst> input;
  std::vector<Burst> output;

  /// Splits, packs and runs the model. One lane per small polynomial.
  static JobData make(const Shape& shape, const WideInteger& q, Integers key,
                      std::vector<Smalls> small) {
    JobData data;
    data.job.modulus = q;
    data.job.encryptions = static_cast<int>(small.size());
    const std::vector<Integers> key_parts = split(key, shape.software);
    std::vector<std::vector<Smalls>> small_parts;
    small_parts.reserve(small.size());
    for (const Smalls& poly : small) small_parts.push_back(split(poly, shape.software));
    data.input = pack_input(shape, key_parts, small_parts);
    data.output = hardware_output(shape, q, key_parts, small_parts);
    data.key = std::move(key);
    data.small = std::move(small);
    return data;
  }

  static JobData random(const Shape& shape, int modulus_bits, int encryptions,
                        std::mt19937_64& rng) {
    const WideInteger q = random_modulus(modulus_bits, rng);
    Integers key(shape.degree());
    for (WideInteger& value : key) value = remainder({rng(), rng(), 0}, q);
    std::vector<Smalls> small(static_cast<std::size_t>(encryptions), Smalls(shape.degree()));
    for (Smalls& poly : small) {
      for (std::uint32_t& bit : poly) bit = static_cast<std::uint32_t>(rng() & 1);
    }
    return make(shape, q, std::move(key), std::move(small));
  }

  /// The largest values everywhere: q - 1 and 1.
  static JobData largest(const Shape& shape, const WideInteger& q) {
    const Integers key(shape.degree(), subtract(q, {1, 0, 0}));
    const std::vector<Smalls> small(static_cast<std::size_t>(shape.lanes),
                                    Smalls(shape.degree(), 1));
    return make(shape, q, key, small);
  }
};

/// Expects that the job succeeded and the answer is the model's, burst for burst.
inline void expect_right(const Outcome& run, const JobData& data) {
  EXPECT_EQ(run.status.state, State::done);
  EXPECT_EQ(run.status.error, JobError::none);
  EXPECT_FALSE(run.unstable);
  EXPECT_EQ(run.sent, data.input.size());
  EXPECT_EQ(run.rx_bursts, data.input.size());
  EXPECT_EQ(run.tx_bursts, data.output.size());
  ASSERT_EQ(run.output.size(), data.output.size());
  for (std::size_t i = 0; i < data.output.size(); ++i) {
    ASSERT_EQ(run.output[i], data.output[i]) << "burst " << i;
  }
}

}  // namespace ringlet::hw
