// SPDX-License-Identifier: Apache-2.0
// The card on a bus of a chip: frames and results in a shared memory with random waits.
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "Vbus_45.h"
#include "hw/karatsuba/tb/resident_session.hpp"

namespace ringlet::hw::resident {
namespace {

constexpr std::uint64_t kIndex = 45;
constexpr std::size_t kDegree = 24;
constexpr std::size_t kLanes = 2;

/// A memory behind AXI4's five channels that answers after random waits. It complains where the
/// card breaks a rule of the bus: an address or a word that changes before it is taken, a burst
/// that crosses 4 KB, a last word that is not marked, an address outside of the memory.
class SharedMemory {
 public:
  SharedMemory(std::size_t words, std::uint64_t seed, unsigned rate)
      : words_(words), random_(seed), rate_(rate) {
    card_.rst = 1;
    for (int i = 0; i < 4; ++i) edge();
    card_.rst = 0;
  }

  Burst& operator[](std::size_t word) { return words_[word]; }
  const std::vector<Burst>& words() const { return words_; }

  void set(std::uint8_t address, std::uint32_t value) {
    card_.write = 1;
    card_.address = address;
    card_.write_data = value;
    edge();
    card_.write = 0;
  }

  /// Words `source` on are read, `target` on written; false if that takes too long.
  bool run(std::uint32_t source, std::uint32_t source_count, std::uint32_t target,
           std::uint32_t target_count) {
    set(0, source);
    set(1, source_count);
    set(2, target);
    set(3, target_count);
    set(4, 1);
    cycle();
    for (std::uint64_t i = 0; i < 2000000; ++i) {
      card_.eval();
      if ((card_.read_data & 3) == 0) return true;
      cycle();
    }
    return false;
  }

 private:
  bool chance() { return (random_() & 255) < rate_; }
  void edge() {
    card_.clk = 0;
    card_.eval();
    card_.clk = 1;
    card_.eval();
  }

  void check_burst(std::uint64_t address, std::uint64_t length) const {
    EXPECT_EQ(address % 16, 0U);
    EXPECT_EQ(address / 4096, (address + 16 * length - 1) / 4096) << "a burst crosses 4 KB";
    ASSERT_LE(address / 16 + length, words_.size());
  }

  void cycle() {
    card_.ar_ready = read_left_ == 0 && chance();
    card_.aw_ready = write_left_ == 0 && !answer_ && chance();
    card_.w_ready = write_left_ > 0 && chance();
    // What is offered stays until it is taken.
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
    card_.eval();
    const bool read_begins = card_.ar_valid && card_.ar_ready;
    const bool write_begins = card_.aw_valid && card_.aw_ready;
    const bool reads = card_.r_valid && card_.r_ready;
    const bool writes = card_.w_valid && card_.w_ready;
    const bool answered = card_.b_valid && card_.b_ready;
    if (waiting_address_ != 0) {
      EXPECT_TRUE(card_.ar_valid);
      EXPECT_EQ(card_.ar_addr + 1, waiting_address_);
    }
    waiting_address_ = card_.ar_valid && !read_begins ? card_.ar_addr + 1 : 0;
    if (reads) {
      ++read_place_;
      --read_left_;
      offering_ = false;
    }
    if (writes) {
      EXPECT_EQ(card_.w_last != 0, write_left_ == 1);
      Burst burst{};
      for (std::size_t i = 0; i < 4; ++i) {
        burst[i / 2] |= static_cast<std::uint64_t>(card_.w_data[i]) << (32 * (i % 2));
      }
      words_[write_place_++] = burst;
      answer_ = --write_left_ == 0;
    }
    if (answered) answer_ = answering_ = false;
    if (read_begins) {
      read_place_ = card_.ar_addr / 16;
      read_left_ = card_.ar_len + 1U;
      check_burst(card_.ar_addr, read_left_);
    }
    if (write_begins) {
      write_place_ = card_.aw_addr / 16;
      write_left_ = card_.aw_len + 1U;
      check_burst(card_.aw_addr, write_left_);
    }
    edge();
  }

  std::vector<Burst> words_;
  std::mt19937_64 random_;
  unsigned rate_;
  Vbus_45 card_;
  std::uint64_t read_place_ = 0, read_left_ = 0, write_place_ = 0, write_left_ = 0;
  std::uint64_t waiting_address_ = 0;
  bool offering_ = false, answer_ = false, answering_ = false;
};

TEST(BusCard, EncryptsInSharedMemoryUnderRandomWaits) {
  auto rng = test::make_rng();
  for (std::size_t round = 0; round < test::scaled(12); ++round) {
    const Key key =
        make_key(kDegree, WideModulus::largest_prime(125).value(), 5, Values::random, rng);
    const Oracle oracle(kIndex, key);
    std::vector<Burst> input;
    append(input, key);
    std::vector<Group> groups(1, {{}, &oracle, key.name});
    const std::size_t count = 1 + rng() % 5;
    for (std::size_t i = 0; i < count; ++i) {
      Encryption encryption =
          make_encryption(kDegree, static_cast<std::uint32_t>(i), key.name, Values::random, rng);
      encryption.ends_group = i + 1 == count;
      append(input, encryption);
      if (groups.back().encryptions.size() == kLanes) groups.push_back({{}, &oracle, key.name});
      groups.back().encryptions.push_back(encryption);
    }
    const std::size_t results = 2 * count * (kDegree + 1);
    const std::array<unsigned, 4> rates{256, 128, 40, 200};
    SharedMemory memory(4096, rng(), rates[round % rates.size()]);
    const Burst untouched{0x1234, 0x5678};
    for (std::size_t i = 0; i < 4096; ++i) memory[i] = untouched;
    const std::size_t source = rng() % 512;
    const std::size_t target = 2048 + rng() % 512;
    for (std::size_t i = 0; i < input.size(); ++i) memory[source + i] = input[i];
    ASSERT_TRUE(
        memory.run(static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(input.size()),
                   static_cast<std::uint32_t>(target), static_cast<std::uint32_t>(results)));
    EXPECT_EQ(memory.words()[target - 1], untouched);
    EXPECT_EQ(memory.words()[target + results], untouched);
    expect_results(std::span(memory.words()).subspan(target, results), groups, kDegree);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ringlet::hw::resident
