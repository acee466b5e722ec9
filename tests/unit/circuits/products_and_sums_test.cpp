// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/slot_sums.hpp"
#include "support/circuits/key_switch_counter.hpp"
#include "support/circuits/slot_matrix.hpp"

namespace ringlet::test {
namespace {

constexpr std::uint64_t kT = 65537;
constexpr std::array kMethods{MatrixProductMethod::fewer_known_products,
                              MatrixProductMethod::fewer_levels};

// Calls f(shape, lanes) for all shapes of these dimensions and lanes.
template <typename F>
void for_all_shapes(const std::vector<std::size_t>& dimensions,
                    const std::vector<std::size_t>& all_lanes, const F& f) {
  for (const MatrixProductMethod method : kMethods) {
    for (const std::size_t d : dimensions) {
      for (std::size_t rows = 1; rows <= d; rows *= 2) {
        for (const std::size_t lanes : all_lanes) {
          SCOPED_TRACE(testing::Message() << rows << " of " << d << ", " << lanes << " lanes");
          f(MatrixProductShape{d, rows, method}, lanes);
        }
      }
    }
  }
}

TEST(MatrixProduct, OfAllSmallShapes) {
  std::mt19937_64 rng(test_seed());
  const ResidueSlots slots(kT);
  for_all_shapes({1, 2, 4, 8}, {1, 2, 4}, [&](const MatrixProductShape& shape, std::size_t lanes) {
    const Circuit circuit = product_circuit(shape.dimension * shape.dimension * lanes, shape);
    const GridProduct product(slots, shape, lanes, rng);
    EXPECT_EQ(ClearCircuit(circuit, slots)(product.inputs).front(), product.expected);
  });
}

TEST(MatrixProduct, ZeroRowsAreAllRows) {
  const Circuit some = product_circuit(16, {.dimension = 4, .rows = 4});
  const Circuit all = product_circuit(16, {.dimension = 4});
  EXPECT_EQ(some.nodes().size(), all.nodes().size());
  EXPECT_EQ(matrix_product_key_switches(16, {.dimension = 4}),
            matrix_product_key_switches(16, {.dimension = 4, .rows = 4}));
}

std::size_t known_products(const MatrixProductShape& shape) {
  const std::size_t d = shape.dimension;
  if (d == 1) return 0;
  if (shape.rows == 1) return 2 * d;
  return shape.method == MatrixProductMethod::fewer_levels ? shape.rows * (3 * d - 1)
                                                           : 3 * d - 1 + 2 * (shape.rows - 1);
}

TEST(MatrixProduct, CountsWhatItsFormulaSays) {
  for_all_shapes({1, 2, 4, 16}, {1, 2}, [](const MatrixProductShape& shape, std::size_t lanes) {
    const std::size_t d = shape.dimension;
    const Circuit circuit = product_circuit(d * d * lanes, shape);
    const bool is_shallow = shape.rows == 1 || shape.method == MatrixProductMethod::fewer_levels;
    EXPECT_EQ(circuit.depth(), d == 1 ? 1U : is_shallow ? 2U : 3U);
    const PlanCounts counts = ckks_plan(circuit, 3, 1024).counts();
    EXPECT_EQ(counts.key_switches(), matrix_product_key_switches(d * d * lanes, shape));
    EXPECT_EQ(counts.relinearizations, 1U);
    EXPECT_EQ(counts.multiplications, shape.rows);
    EXPECT_EQ(counts.known_multiplications, known_products(shape));
  });
}

TEST(MatrixProduct, KnownCounts) {
  const auto transforms = MatrixProductMethod::fewer_known_products;
  const auto rotations = MatrixProductMethod::fewer_levels;
  // sigma: 4 for diagonals -3, ..., 3; tau: 1 + 1; 3 for each of 3 steps; 1 to relinearize.
  EXPECT_EQ(matrix_product_key_switches(16, {4, 4, rotations}), 3 * 3U + 1);
  EXPECT_EQ(matrix_product_key_switches(16, {4, 4, transforms}), 4 + 2 + 3 * 3U + 1);
  EXPECT_EQ(matrix_product_key_switches(4096, {64, 64, rotations}), 3 * 63U + 1);
  EXPECT_EQ(matrix_product_key_switches(4096, {64, 1, rotations}), 2 * 63U + 1 + 6);
  EXPECT_EQ(matrix_product_key_switches(1, {1, 1, transforms}), 1U);
  const PlanCounts counts = ckks_plan(product_circuit(256, {16, 16, rotations}), 2, 512).counts();
  EXPECT_EQ(counts.known_multiplications, 16 * 31U + 16 * 16);
  // All but the first rotations of A and of B are hoisted.
  EXPECT_EQ(counts.hoisted, 29U + 14U);
}

TEST(MatrixProduct, BoundsItsSlots) {
  // The bound is d for entries up to 1. The sum over all masks would be 2 * d times as large, and
  // the result would not fit.
  std::mt19937_64 rng(test_seed());
  const CountedContext counted(CkksBench::context(128, 3).parms());
  const CkksBench bench(counted.context, 0x1p40);
  for (const MatrixProductMethod method : kMethods) {
    const MatrixProductShape shape{8, 8, method};
    const GridProduct product(bench.slots(), shape, 1, rng);
    counted.counter->take();
    const auto actual = bench(product_circuit(64, shape, 1.5), product.inputs);
    EXPECT_EQ(counted.counter->take(), matrix_product_key_switches(64, shape));
    EXPECT_LE(largest_difference(actual.front(), product.expected), 1e-6);
  }
}

// A slot meets only one of the masks. If each mask counted with its largest slot, the estimate
// would be 9 bits above the measured error.
TEST(MatrixProduct, EstimatesCountEachSlotOfTheMasksOnce) {
  std::mt19937_64 rng(test_seed());
  const CkksBench bench(2048, 3);
  for (const MatrixProductMethod method : kMethods) {
    const MatrixProductShape shape{16, 16, method};
    const Circuit circuit = product_circuit(256, shape, 1.5);
    const GridProduct product(bench.slots(), shape, 1, rng);
    const double error = largest_difference(bench(circuit, product.inputs)[0], product.expected);
    const double estimate =
        estimate_results(circuit, bench.plan(circuit), bench.context().parms())[0].error_bits();
    EXPECT_GT(estimate, std::log2(error));
    EXPECT_LT(estimate, std::log2(error) + 8);
  }
}

TEST(MatrixProduct, RefusesOtherShapes) {
  Circuit circuit(64);
  const CircuitValue x = circuit.input();
  for (const MatrixProductShape& shape :
       {MatrixProductShape{0, 0}, MatrixProductShape{3, 1}, MatrixProductShape{8, 3},
        MatrixProductShape{4, 8}, MatrixProductShape{16, 1},
        MatrixProductShape{std::size_t{1} << 32, 1}}) {
    expect_refusal_of("matrix_product", {"dimension = ", "row_length = 64"},
                      [&] { matrix_product(circuit, x, x, shape); });
    expect_refusal_of("matrix_product", {"dimension = "},
                      [&] { matrix_product_key_switches(64, shape); });
  }
  expect_refusal_of("matrix_product", {"value 5"},
                    [&] { matrix_product(circuit, CircuitValue{5}, x, {8, 8}); });
  expect_refusal_of("matrix_product", {"value 6"},
                    [&] { matrix_product(circuit, x, CircuitValue{6}, {8, 8}); });
  EXPECT_EQ(circuit.nodes().size(), 1U);
}

Words in_slots(const Circuit& circuit, const Words& rows) {
  return ClearCircuit(circuit, ResidueSlots(kT))({rows}).front();
}

std::size_t key_switches_of(const Circuit& circuit) {
  return ckks_plan(circuit, 1, 128).counts().key_switches();
}

Circuit sum_circuit(std::size_t row_length, std::size_t count, int stride) {
  return circuit_of(row_length, [&](Circuit& circuit, CircuitValue x) {
    return sum_slots(circuit, x, count, stride);
  });
}

TEST(SlotSums, OfAnyCountAndStride) {
  std::mt19937_64 rng(test_seed());
  for (const std::size_t length : {1, 2, 16}) {
    const Words rows = random_residues(2 * length, kT, rng);
    for (const int stride : {1, 2, 3, 0, -1, -5, 16, 100, -100}) {
      for (std::size_t count = 1; count <= 40; ++count) {
        EXPECT_EQ(in_slots(sum_circuit(length, count, stride), rows),
                  sums_of(ResidueSlots(kT), rows, count, stride))
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
  EXPECT_EQ(ClearCircuit(circuit, ResidueSlots(97))({{1, 2}}).front(),
            (Words{kCount % 97, 2 * (kCount % 97) % 97}));
}

TEST(SlotSums, Replicate) {
  for (const std::size_t block : {1, 2, 8, 16}) {
    const Circuit circuit =
        circuit_of(16, [&](Circuit& one, CircuitValue x) { return replicate(one, x, block); }, 3);
    Words rows(32);
    Words expected(32);
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
  for (const std::size_t slot : {0, 5, 15}) {
    const Circuit circuit =
        circuit_of(16, [&](Circuit& one, CircuitValue x) { return spread_slot(one, x, slot); });
    const Words rows = random_residues(32, kT, rng);
    Words expected(32, rows[slot]);
    std::fill(expected.begin() + 16, expected.end(), rows[16 + slot]);
    EXPECT_EQ(in_slots(circuit, rows), expected);
    EXPECT_EQ(circuit.depth(), 1U);
    EXPECT_EQ(key_switches_of(circuit), 4U);
  }
}

TEST(SlotSums, MeanOfRealNumbers) {
  std::mt19937_64 rng(test_seed());
  const CountedContext counted(CkksBench::context(64, 1).parms());
  const CkksBench bench(counted.context, 0x1p40);
  const auto x = random_numbers(32, rng);
  for (const std::size_t count : {1, 7, 32}) {
    const Circuit circuit = circuit_of(
        32, [&](Circuit& one, CircuitValue x_) { return mean_slots(one, x_, count, 3); }, 1.5);
    EXPECT_EQ(circuit.depth(), 1U);
    auto expected = sums_of(bench.slots(), x, count, 3);
    for (Number& z : expected) z /= static_cast<long double>(count);
    counted.counter->take();
    EXPECT_LE(largest_difference(bench(circuit, {x}).front(), expected), 1e-7);
    EXPECT_EQ(counted.counter->take(), sum_slots_rotations(count));
    const auto exact = ExactBench::context(SchemeType::bfv, 64, 3).parms();
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
  for (const std::size_t block : {0, 3, 16}) {
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
