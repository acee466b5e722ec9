// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>

#include "hw/karatsuba/model/resident_frames.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::hw {

/// A verilated bus_card and a memory behind AXI4's five channels that answers after random waits.
/// Verilator makes the class Top. cycle() and its callers throw RuntimeError if the card breaks a
/// rule of the bus: an address or a word that changes or vanishes before it is taken, a burst of
/// more than 16 words or across 4 KB, an unmarked last word, an address outside of the memory.
template <class Top>
class BusMemory {
 public:
  using Burst = resident::Burst;

  /// The memory begins at the card's address 0 and must outlive this. In each cycle each channel is
  /// ready with probability rate / 256.
  BusMemory(std::span<Burst> words, std::uint64_t seed, unsigned rate)
      : words_(words), random_(seed), rate_(rate) {
    card_.write = 0;
    card_.rst = 1;
    for (int i = 0; i < 4; ++i) edge();
    card_.rst = 0;
    card_.eval();
  }

  /// A write to a register: one cycle.
  void set(std::uint8_t address, std::uint32_t value) {
    card_.write = 1;
    card_.address = address;
    card_.write_data = value;
    if (address == kStart && is_idle()) {
      started_ = cycles_;
      running_ = true;
    }
    cycle();
    card_.write = 0;
  }

  std::uint32_t status() const { return card_.read_data; }
  bool is_idle() const { return (status() & 3) == 0; }
  std::uint64_t cycles() const { return cycles_; }
  /// Cycles of the last finished run: from the cycle that writes the start to the last one before
  /// the status is idle.
  std::uint64_t run_cycles() const { return run_cycles_; }

  void cycle() {
    offer();
    card_.eval();
    check_stable();
    const bool read_begins = card_.ar_valid && card_.ar_ready;
    const bool write_begins = card_.aw_valid && card_.aw_ready;
    const bool reads = card_.r_valid && card_.r_ready;
    const bool writes = card_.w_valid && card_.w_ready;
    const bool answered = card_.b_valid && card_.b_ready;
    if (reads) {
      ++read_place_;
      --read_left_;
      offering_ = false;
    }
    if (writes) {
      require((card_.w_last != 0) == (write_left_ == 1), "a last word that is not marked");
      words_[write_place_++] = word();
      answer_ = --write_left_ == 0;
    }
    if (answered) answer_ = answering_ = false;
    if (read_begins) {
      check_burst(card_.ar_addr, card_.ar_len + 1U);
      read_place_ = card_.ar_addr / 16;
      read_left_ = card_.ar_len + 1U;
    }
    if (write_begins) {
      check_burst(card_.aw_addr, card_.aw_len + 1U);
      write_place_ = card_.aw_addr / 16;
      write_left_ = card_.aw_len + 1U;
    }
    edge();
    ++cycles_;
    card_.eval();
    if (running_ && is_idle()) {
      run_cycles_ = cycles_ - started_;
      running_ = false;
    }
  }

 private:
  static constexpr std::uint8_t kStart = 4;

  /// An offer of a channel that is not taken yet: it must be unchanged in the next cycle.
  struct Waiting {
    bool valid = false;
    std::uint64_t address = 0;
    std::uint64_t length_or_last = 0;
    Burst word{};
    friend bool operator==(const Waiting&, const Waiting&) = default;
  };

  static void require(bool holds, const char* broken) {
    if (holds) return;
    throw_runtime_error({"card on the bus", broken, "the rules of AXI4", "mend the Verilog"});
  }

  bool chance() { return (random_() & 255) < rate_; }

  void edge() {
    card_.clk = 0;
    card_.eval();
    card_.clk = 1;
    card_.eval();
  }

  void offer() {
    card_.ar_ready = read_left_ == 0 && chance();
    card_.aw_ready = write_left_ == 0 && !answer_ && chance();
    card_.w_ready = write_left_ > 0 && chance();
    // An offer stays until it is taken.
    if (!offering_) offering_ = read_left_ > 0 && chance();
    card_.r_valid = offering_;
    if (offering_) {
      for (std::size_t i = 0; i < 4; ++i) {
        card_.r_data[i] = static_cast<std::uint32_t>(words_[read_place_][i / 2] >> (32 * (i % 2)));
      }
    }
    card_.r_last = read_left_ == 1;
    if (!answering_) answering_ = answer_ && chance();
    card_.b_valid = answering_;
  }

  Burst word() const {
    Burst burst{};
    for (std::size_t i = 0; i < 4; ++i) {
      burst[i / 2] |= static_cast<std::uint64_t>(card_.w_data[i]) << (32 * (i % 2));
    }
    return burst;
  }

  void check_stable() {
    const auto check = [](Waiting& before, const Waiting& now, bool ready) {
      require(!before.valid || before == now, "an offer that changes before it is taken");
      before = now.valid && !ready ? now : Waiting{};
    };
    check(reading_, {card_.ar_valid != 0, card_.ar_addr, card_.ar_len, {}}, card_.ar_ready);
    check(writing_, {card_.aw_valid != 0, card_.aw_addr, card_.aw_len, {}}, card_.aw_ready);
    check(storing_, {card_.w_valid != 0, 0, card_.w_last, word()}, card_.w_ready);
  }

  void check_burst(std::uint64_t address, std::uint64_t length) const {
    require(address % 16 == 0, "an address that is no multiple of 16");
    require(length <= 16, "a burst of more than 16 words");
    require(address / 4096 == (address + 16 * length - 1) / 4096, "a burst that crosses 4 KB");
    require(address / 16 + length <= words_.size(), "an address outside of the memory");
  }

  std::span<Burst> words_;
  std::mt19937_64 random_;
  unsigned rate_;
  Top card_;
  std::uint64_t read_place_ = 0, read_left_ = 0, write_place_ = 0, write_left_ = 0;
  Waiting reading_, writing_, storing_;
  bool offering_ = false, answer_ = false, answering_ = false, running_ = false;
  std::uint64_t cycles_ = 0, started_ = 0, run_cycles_ = 0;
};

}  // namespace ringlet::hw
