// SPDX-License-Identifier: Apache-2.0
#include "ringlet/matrix_product.hpp"

#include "ringlet/circuit_plan.hpp"
#include "support/declared_circuit.hpp"
#include "support/key_switch_counter.hpp"
#include "support/matrix_grid.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

constexpr std::uint64_t kT = 65537;
constexpr std::array kMethods{MatrixProductMethod::fewer_known_products,
                              MatrixProductMethod::fewer_levels};

TEST(MatrixProduct, OfAllSmallShapes) {
  std::mt19937_64 rng(test_seed());
  const ResidueSlots slots(kT);
  for (const MatrixProductMethod method : kMethods) {
    for (const std::size_t d : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{8}}) {
      for (std::size_t rows = 1; rows <= d; rows *= 2) {
        for (const std::size_t lanes : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
          const MatrixProductShape shape{d, rows, method};
          const Circuit circuit = product_circuit(d * d * lanes, shape);
          const auto random = [&](std::size_t count) { return random_residues(count, kT, rng); };
          // Twice as many pairs: the two rows of slots.
          const auto pairs = random_pairs<std::uint64_t>(shape, 2 * lanes, random);
          const MatrixGrid grid(shape, lanes);
          const ClearCircuit<ResidueSlots> clear(circuit, 2, slots);
          EXPECT_EQ(clear({grid.slots(pairs.a), grid.slots(pairs.b)}).front(),
                    grid.slots(products(slots, pairs)))
              << rows << " x " << d << " times " << d << " x " << d << ", " << lanes << " lanes";
        }
      }
    }
  }
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
  for (const MatrixProductMethod method : kMethods) {
    for (const std::size_t d : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{16}}) {
      for (std::size_t rows = 1; rows <= d; rows *= 2) {
        for (const std::size_t lanes : {std::size_t{1}, std::size_t{2}}) {
          SCOPED_TRACE(testing::Message() << rows << " of " << d << ", " << lanes << " lanes");
          const MatrixProductShape shape{d, rows, method};
          const std::size_t length = d * d * lanes;
          const Circuit circuit = product_circuit(length, shape);
          const std::size_t depth = d == 1                                                     ? 1
                                    : rows == 1 || method == MatrixProductMethod::fewer_levels ? 2
                                                                                               : 3;
          EXPECT_EQ(circuit.depth(), depth);
          const CircuitPlan plan(circuit, CkksBench::context(1024, 3, 40).parms(), 0x1p40);
          EXPECT_EQ(plan.counts().key_switches(), matrix_product_key_switches(length, shape));
          EXPECT_EQ(plan.counts().relinearizations, 1U);
          EXPECT_EQ(plan.counts().multiplications, rows);
          EXPECT_EQ(plan.counts().known_multiplications, known_products(shape));
        }
      }
    }
  }
}

TEST(MatrixProduct, KnownCounts) {
  const auto transforms = MatrixProductMethod::fewer_known_products;
  const auto rotations = MatrixProductMethod::fewer_levels;
  // sigma: 2 + 4 of -3, ..., 3 with 2 baby steps; tau: 1 + 1; 3 * 3; 1.
  EXPECT_EQ(matrix_product_key_switches(16, {4, 4, rotations}), 3 * 3U + 1);
  EXPECT_EQ(matrix_product_key_switches(16, {4, 4, transforms}), 4 + 2 + 3 * 3U + 1);
  EXPECT_EQ(matrix_product_key_switches(4096, {64, 64, rotations}), 3 * 63U + 1);
  EXPECT_EQ(matrix_product_key_switches(4096, {64, 1, rotations}), 2 * 63U + 1 + 6);
  EXPECT_EQ(matrix_product_key_switches(1, {1, 1, transforms}), 1U);
  const Circuit circuit = product_circuit(256, {16, 16, rotations});
  const CircuitPlan plan(circuit, CkksBench::context(512, 2, 40).parms(), 0x1p40);
  EXPECT_EQ(plan.counts().known_multiplications, 16 * 31U + 16 * 16);
  // All but the first rotations of A and of B are hoisted.
  EXPECT_EQ(plan.counts().hoisted, 29U + 14U);
}

TEST(MatrixProduct, BoundsItsSlots) {
  // A bound of d for entries up to 1: with the sum over all masks, 2 * d times that, the result
  // would not fit.
  for (const MatrixProductMethod method : kMethods) {
    std::mt19937_64 rng(test_seed());
    const MatrixProductShape shape{8, 8, method};
    const CountedContext counted(CkksBench::context(128, 3, 40).parms());
    const CkksBench bench(counted.context, 0x1p40);
    const auto random = [&](std::size_t count) { return random_numbers(count, rng); };
    const auto pairs = random_pairs<Number>(shape, 1, random);
    const MatrixGrid grid(shape, 1);
    counted.counter->take();
    const auto actual =
        bench(product_circuit(64, shape, 1.5), {grid.slots(pairs.a), grid.slots(pairs.b)});
    EXPECT_EQ(counted.counter->take(), matrix_product_key_switches(64, shape));
    EXPECT_LE(largest_difference(actual.front(), grid.slots(products(NumberSlots(), pairs))), 1e-6);
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

}  // namespace
}  // namespace ringlet::test
