// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "hw/karatsuba/model/resident_frames.hpp"

namespace ringlet::hw {

/// How often the host offers a burst and how often it takes one, in 256ths of the cycles.
struct StreamRates {
  unsigned offer = 256, take = 256;
};

/// Drives a verilated top with streams of 128 bits in both directions. An offer stays until it is
/// taken, as the protocol demands. Verilator makes the class Top.
template <class Top>
class StreamDriver {
 public:
  using Burst = resident::Burst;

  explicit StreamDriver(std::uint64_t seed) : random_(seed) {
    top_.rst = 1;
    for (int i = 0; i < 4; ++i) edge();
    top_.rst = 0;
    cycles_ = 0;
  }

  /// Cycles in which a burst was taken, from 0 at the end of the reset.
  const std::vector<std::uint64_t>& input_cycles() const { return input_cycles_; }
  const std::vector<std::uint64_t>& output_cycles() const { return output_cycles_; }
  const std::vector<Burst>& output() const { return output_; }
  std::uint64_t cycles() const { return cycles_; }
  Top& top() { return top_; }

  /// Offers `input` until all is taken and the output has `wanted` bursts in all; false if
  /// nothing moves for `patience` cycles.
  bool run(const std::vector<Burst>& input, std::size_t wanted, StreamRates rates,
           std::uint64_t patience = 200000) {
    std::size_t sent = 0;
    std::uint64_t quiet = 0;
    while ((sent < input.size() || output_.size() < wanted) && quiet < patience) {
      if (!offering_ && sent < input.size()) offering_ = chance(rates.offer);
      top_.in_valid = offering_ ? 1 : 0;
      if (offering_) set(input[sent]);
      top_.out_ready = chance(rates.take) ? 1 : 0;
      top_.eval();
      const bool taken = offering_ && top_.in_ready;
      const bool given = top_.out_valid && top_.out_ready;
      if (taken) input_cycles_.push_back(cycles_);
      if (given) {
        output_.push_back(get());
        output_cycles_.push_back(cycles_);
      }
      edge();
      sent += taken ? 1 : 0;
      offering_ = offering_ && !taken;
      quiet = taken || given ? 0 : quiet + 1;
    }
    top_.in_valid = 0;
    top_.out_ready = 0;
    return quiet < patience;
  }

  /// Runs cycles without offers, ready for output.
  void idle(std::uint64_t cycles) {
    top_.in_valid = 0;
    top_.out_ready = 1;
    for (std::uint64_t i = 0; i < cycles; ++i) {
      top_.eval();
      if (top_.out_valid) output_.push_back(get());
      edge();
    }
  }

 private:
  bool chance(unsigned rate) { return rate >= 256 || (random_() & 255) < rate; }
  void edge() {
    top_.clk = 0;
    top_.eval();
    top_.clk = 1;
    top_.eval();
    ++cycles_;
  }
  void set(const Burst& burst) {
    for (std::size_t i = 0; i < 4; ++i) {
      top_.in_data[i] = static_cast<std::uint32_t>(burst[i / 2] >> (32 * (i % 2)));
    }
  }
  Burst get() const {
    Burst burst{};
    for (std::size_t i = 0; i < 4; ++i) {
      burst[i / 2] |= static_cast<std::uint64_t>(top_.out_data[i]) << (32 * (i % 2));
    }
    return burst;
  }

  Top top_;
  std::mt19937_64 random_;
  bool offering_ = false;
  std::uint64_t cycles_ = 0;
  std::vector<std::uint64_t> input_cycles_, output_cycles_;
  std::vector<Burst> output_;
};

}  // namespace ringlet::hw
