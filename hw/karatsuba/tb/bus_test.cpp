// SPDX-License-Identifier: Apache-2.0
// Tests the card on a bus of a chip: frames and results in a shared memory with random waits.

#include "Vbus_45.h"
#include "hw/karatsuba/tb/bus_memory.hpp"
#include "hw/karatsuba/tb/resident_session.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::hw::resident {
namespace {

constexpr std::uint64_t kIndex = 45;
constexpr std::size_t kDegree = 24;
constexpr std::size_t kLanes = 2;

/// Reads words from `source` on, writes from `target` on; false if that takes too long.
bool run(BusMemory<Vbus_45>& card, std::uint32_t source, std::uint32_t source_count,
         std::uint32_t target, std::uint32_t target_count) {
  card.set(0, source);
  card.set(1, source_count);
  card.set(2, target);
  card.set(3, target_count);
  card.set(4, 1);
  EXPECT_FALSE(card.is_idle()) << "a program would take the results at once";
  for (std::uint64_t i = 0; i < 2000000 && !card.is_idle(); ++i) card.cycle();
  return card.is_idle();
}

TEST(BusCard, EncryptsInSharedMemoryUnderRandomWaits) {
  auto rng = test::make_rng();
  for (std::size_t round = 0; round < test::scaled(12); ++round) {
    const Key key =
        make_key(kDegree, WideModulus::largest_prime(125).value(), 5, Values::random, rng);
    const Oracle oracle(kIndex, key);
    std::vector<Burst> input;
    append(input, key);
    const std::size_t count = 1 + rng() % 5;
    const Session session = make_session(oracle, key, kDegree, count, kLanes, rng);
    input.insert(input.end(), session.input.begin(), session.input.end());
    const std::size_t results = 2 * count * (kDegree + 1);
    const std::array<unsigned, 4> rates{256, 128, 40, 200};
    const Burst untouched{0x1234, 0x5678};
    std::vector<Burst> memory(4096, untouched);
    BusMemory<Vbus_45> card(memory, rng(), rates[round % rates.size()]);
    const std::size_t source = rng() % 512;
    const std::size_t target = 2048 + rng() % 512;
    std::ranges::copy(input, memory.begin() + static_cast<std::ptrdiff_t>(source));
    ASSERT_TRUE(run(card, static_cast<std::uint32_t>(source),
                    static_cast<std::uint32_t>(input.size()), static_cast<std::uint32_t>(target),
                    static_cast<std::uint32_t>(results)));
    EXPECT_EQ(memory[target - 1], untouched);
    EXPECT_EQ(memory[target + results], untouched);
    expect_results(std::span(memory).subspan(target, results), session.groups, kDegree);
    if (HasFailure()) return;
  }
}

/// The outputs in cycles 0 and 1 of a card that breaks the rules of the bus.
struct Shown {
  std::uint32_t ar_valid = 0, ar_len = 0, aw_valid = 0, aw_len = 0, w_valid = 0, w_last = 0;
  std::uint64_t ar_addr = 0, aw_addr = 0;
  std::array<std::uint32_t, 4> w_data{};
};

struct BrokenCard : Shown {
  std::uint32_t clk = 0, rst = 0, write = 0, address = 0, write_data = 0, read_data = 1;
  std::uint32_t ar_ready = 0, r_valid = 0, r_ready = 1, r_last = 0, aw_ready = 0, w_ready = 0;
  std::uint32_t b_valid = 0, b_ready = 1;
  std::array<std::uint32_t, 4> r_data{};

  void eval() {
    if (clk != 0 && last_clk_ == 0 && rst == 0) ++cycle_;
    last_clk_ = clk;
    static_cast<Shown&>(*this) = rst != 0 ? Shown{} : script.at(std::min<std::size_t>(cycle_, 1));
  }
  static inline std::array<Shown, 2> script;

 private:
  std::size_t cycle_ = 0;
  std::uint32_t last_clk_ = 1;
};

void expect_refused(const Shown& first, const Shown& second, unsigned rate, const char* rule) {
  BrokenCard::script = {first, second};
  std::vector<Burst> memory(512);
  BusMemory<BrokenCard> card(memory, 1, rate);
  try {
    for (int i = 0; i < 3; ++i) card.cycle();
    ADD_FAILURE() << rule << ": not noticed";
  } catch (const RuntimeError& error) {
    EXPECT_EQ(error.offending(), rule);
  }
}

TEST(BusMemory, NoticesWhatBreaksTheRulesOfTheBus) {
  Shown read;
  read.ar_valid = 1;
  Shown changed = read;
  changed.ar_addr = 16;
  expect_refused(read, changed, 0, "an offer that changes before it is taken");
  expect_refused(read, {}, 0, "an offer that changes before it is taken");
  changed = read;
  changed.ar_len = 16;
  expect_refused(changed, changed, 256, "a burst of more than 16 words");
  changed = read;
  changed.ar_addr = 8;
  expect_refused(changed, changed, 256, "an address that is no multiple of 16");
  changed = read;
  changed.ar_addr = 4080;
  changed.ar_len = 1;
  expect_refused(changed, changed, 256, "a burst that crosses 4 KB");
  changed.ar_addr = 8192;
  expect_refused(changed, changed, 256, "an address outside of the memory");

  Shown write;
  write.aw_valid = 1;
  write.aw_len = 1;
  Shown word;
  word.w_valid = word.w_last = 1;
  expect_refused(write, word, 256, "a last word that is not marked");
  write.aw_len = 0;
  word.w_last = 0;
  expect_refused(write, word, 256, "a last word that is not marked");
  write.aw_addr = 8192;
  expect_refused(write, word, 256, "an address outside of the memory");
}

}  // namespace
}  // namespace ringlet::hw::resident
