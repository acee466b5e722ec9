// SPDX-License-Identifier: Apache-2.0
#include "ringlet/slot_sums.hpp"

#include "ringlet/circuit_plan.hpp"
#include "support/declared_circuit.hpp"
#include "support/key_switch_counter.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

constexpr std::uint64_t kT = 65537;

using Residues = std::vector<std::uint64_t>;

Residues in_slots(const Circuit& circuit, const Residues& rows) {
  return ClearCircuit<ResidueSlots>(circuit, 2, ResidueSlots(kT))({rows}).front();
}

std::size_t key_switches_of(const Circuit& circuit) {
  return CircuitPlan(circuit, CkksBench::context(128, 1, 40).parms(), 0x1p40)
      .counts()
      .key_switches();
}

Circuit sum_circuit(std::size_t row_length, std::size_t count, int stride) {
  Circuit circuit(row_length);
  circuit.output(sum_slots(circuit, circuit.input(), count, stride));
  return circuit;
}

// Slot by slot, from the definition.
Residues sums_of(const Residues& rows, std::size_t count, int stride) {
  const long length = static_cast<long>(rows.size() / 2);
  const ResidueSlots slots(kT);
  Residues sums(rows.size());
  for (long i = 0; i < 2 * length; ++i) {
    for (std::size_t k = 0; k < count; ++k) {
      const long slot = (i % length + static_cast<long>(k) * stride) % length;
      const long place = i / length * length + (slot + length) % length;
      std::uint64_t& sum = sums[static_cast<std::size_t>(i)];
      sum = slots.add(sum, rows[static_cast<std::size_t>(place)]);
    }
  }
  return sums;
}

TEST(SlotSums, OfAnyCountAndStride) {
  std::mt19937_64 rng(test_seed());
  for (const std::size_t length : {std::size_t{1}, std::size_t{2}, std::size_t{16}}) {
    const Residues rows = random_residues(2 * length, kT, rng);
    for (const int stride : {1, 2, 3, 0, -1, -5, 16, 100, -100}) {
      for (std::size_t count = 1; count <= 40; ++count) {
        EXPECT_EQ(in_slots(sum_circuit(length, count, stride), rows), sums_of(rows, count, stride))
            << count << " at " << stride << " in " << length;
      }
    }
  }
}

TEST(SlotSums, TakeLogarithmicallyManyKeySwitches) {
  EXPECT_EQ(sum_slots_rotations(1), 0U);
  EXPECT_EQ(sum_slots_rotations(2), 1U);
  EXPECT_EQ(sum_slots_rotations(3), 2U);
  EXPECT_EQ(sum_slots_rotations(64), 6U);
  EXPECT_EQ(sum_slots_rotations(63), 10U);
  EXPECT_EQ(sum_slots_rotations(std::numeric_limits<std::size_t>::max()), 126U);
  for (std::size_t count = 1; count <= 64; ++count) {
    const Circuit circuit = sum_circuit(64, count, 1);
    EXPECT_EQ(key_switches_of(circuit), sum_slots_rotations(count)) << count;
    EXPECT_EQ(circuit.depth(), 0U);
  }
  // Steps that are whole rows cost nothing.
  EXPECT_EQ(key_switches_of(sum_circuit(16, 64, 1)), 4U);
  EXPECT_EQ(key_switches_of(sum_circuit(16, 5, 16)), 0U);
}

TEST(SlotSums, OfTheLargestCount) {
  constexpr std::size_t kCount = std::numeric_limits<std::size_t>::max();
  const Circuit circuit = sum_circuit(1, kCount, 1);
  const ClearCircuit<ResidueSlots> clear(circuit, 2, ResidueSlots(97));
  EXPECT_EQ(clear({{1, 2}}).front(), (Residues{kCount % 97, 2 * (kCount % 97) % 97}));
}

TEST(SlotSums, Replicate) {
  for (const std::size_t block :
       {std::size_t{1}, std::size_t{2}, std::size_t{8}, std::size_t{16}}) {
    Circuit circuit(16);
    circuit.output(replicate(circuit, circuit.input(3), block));
    Residues rows(32);
    Residues expected(32);
    for (std::size_t i = 0; i < 32; ++i) {
      if (i % 16 < block) rows[i] = 100 + i;
      expected[i] = 100 + i / 16 * 16 + i % block;
    }
    EXPECT_EQ(in_slots(circuit, rows), expected);
    EXPECT_EQ(circuit.depth(), 0U);
    const auto rotations = static_cast<std::size_t>(std::bit_width(16 / block) - 1);
    EXPECT_EQ(key_switches_of(circuit), rotations);
    EXPECT_EQ(circuit.nodes()[circuit.outputs().front()].magnitude, 3.0);
  }
}

TEST(SlotSums, SpreadSlot) {
  std::mt19937_64 rng(test_seed());
  for (const std::size_t slot : {std::size_t{0}, std::size_t{5}, std::size_t{15}}) {
    Circuit circuit(16);
    circuit.output(spread_slot(circuit, circuit.input(), slot));
    const Residues rows = random_residues(32, kT, rng);
    Residues expected(32, rows[slot]);
    std::fill(expected.begin() + 16, expected.end(), rows[16 + slot]);
    EXPECT_EQ(in_slots(circuit, rows), expected);
    EXPECT_EQ(circuit.depth(), 1U);
    EXPECT_EQ(key_switches_of(circuit), 4U);
  }
}

TEST(SlotSums, MeanOfRealNumbers) {
  std::mt19937_64 rng(test_seed());
  const CountedContext counted(CkksBench::context(64, 1, 40).parms());
  const CkksBench bench(counted.context, 0x1p40);
  const auto x = random_numbers(32, rng);
  for (const std::size_t count : {std::size_t{1}, std::size_t{7}, std::size_t{32}}) {
    Circuit circuit(32);
    circuit.output(mean_slots(circuit, circuit.input(1.5), count, 3));
    EXPECT_EQ(circuit.depth(), 1U);
    std::vector<Number> expected(32);
    for (std::size_t i = 0; i < 32; ++i) {
      for (std::size_t k = 0; k < count; ++k) expected[i] += x[(i + 3 * k) % 32];
      expected[i] /= static_cast<long double>(count);
    }
    counted.counter->take();
    EXPECT_LE(largest_difference(bench(circuit, {x}).front(), expected), 1e-7);
    EXPECT_EQ(counted.counter->take(), sum_slots_rotations(count));
    const auto exact = ExactBench::context(SchemeType::bfv, 64, 3, 17).parms();
    expect_refusal_of("CircuitPlan", {"integers"}, [&] { CircuitPlan(circuit, exact); });
  }
}

TEST(SlotSums, RefuseWhatIsNoSum) {
  Circuit circuit(8);
  const CircuitValue x = circuit.input();
  const CircuitValue other{3};
  expect_refusal_of("sum_slots", {"count = 0"}, [&] { sum_slots(circuit, x, 0); });
  expect_refusal_of("mean_slots", {"count = 0"}, [&] { mean_slots(circuit, x, 0); });
  expect_refusal_of("sum_slots_rotations", {"count = 0"}, [] { sum_slots_rotations(0); });
  for (const std::size_t block : {std::size_t{0}, std::size_t{3}, std::size_t{16}}) {
    expect_refusal_of("replicate", {"block = "}, [&] { replicate(circuit, x, block); });
  }
  expect_refusal_of("spread_slot", {"slot = 8", "row_length = 8"},
                    [&] { spread_slot(circuit, x, 8); });
  expect_refusal_of("sum_slots", {"value 3"}, [&] { sum_slots(circuit, other, 2); });
  expect_refusal_of("mean_slots", {"value 3"}, [&] { mean_slots(circuit, other, 2); });
  expect_refusal_of("replicate", {"value 3"}, [&] { replicate(circuit, other); });
  expect_refusal_of("spread_slot", {"value 3"}, [&] { spread_slot(circuit, other, 0); });
  EXPECT_EQ(circuit.nodes().size(), 1U);
}

}  // namespace
}  // namespace ringlet::test
