// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/linear_transform.hpp"

#include "support/circuits/slot_matrix.hpp"

namespace ringlet::test {
namespace {

using Diagonals = std::vector<std::size_t>;

// Counts the rotations of a split by its definition, with sets.
std::size_t rotations_of(const Diagonals& diagonals, long length, long babies, long negative_from) {
  std::set<long> baby_steps;
  std::set<long> giant_steps;
  for (const std::size_t diagonal : diagonals) {
    const long d = static_cast<long>(diagonal) < negative_from
                       ? static_cast<long>(diagonal)
                       : static_cast<long>(diagonal) - length;
    const long giant =
        static_cast<long>(std::floor(static_cast<double>(d) / static_cast<double>(babies)));
    baby_steps.insert(d - giant * babies);
    giant_steps.insert(((giant * babies) % length + length) % length);
  }
  baby_steps.erase(0);
  giant_steps.erase(0);
  return baby_steps.size() + giant_steps.size();
}

// The fewest rotations with the circle cut at 0 or in its largest gap, any of several equal gaps.
std::size_t fewest_rotations(const Diagonals& sorted, std::size_t length) {
  std::size_t largest = sorted.empty() ? 0 : length - sorted.back() + sorted.front();
  std::size_t cut = length;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] - sorted[i - 1] > largest) {
      largest = sorted[i] - sorted[i - 1];
      cut = sorted[i];
    }
  }
  std::size_t fewest = sorted.size();
  for (std::size_t babies = 1; babies <= length; ++babies) {
    for (const std::size_t negative_from : {length, cut}) {
      fewest = std::min(fewest,
                        rotations_of(sorted, static_cast<long>(length), static_cast<long>(babies),
                                     static_cast<long>(negative_from)));
    }
  }
  return fewest;
}

Diagonals range(std::size_t first, std::size_t count, std::size_t stride, std::size_t length) {
  Diagonals diagonals;
  for (std::size_t i = 0; i < count; ++i) diagonals.push_back((first + i * stride) % length);
  std::ranges::sort(diagonals);
  return diagonals;
}

std::size_t best(const Diagonals& diagonals, std::size_t length) {
  return best_split(diagonals, length).rotations();
}

TEST(BestSplit, TakesTheFewestRotations) {
  std::mt19937_64 rng(test_seed());
  for (std::size_t round = 0; round < 300; ++round) {
    const std::size_t length = std::size_t{1} << (rng() % 7);
    const std::size_t percent = rng() % 101;
    Diagonals diagonals;
    for (std::size_t d = 0; d < length; ++d) {
      if (rng() % 100 < percent) diagonals.push_back(d);
    }
    const DiagonalSplit split = best_split(diagonals, length);
    EXPECT_EQ(split.rotations(), fewest_rotations(diagonals, length));
    EXPECT_EQ(split.rotations(),
              rotations_of(diagonals, static_cast<long>(length), static_cast<long>(split.babies),
                           static_cast<long>(split.negative_from)));
    EXPECT_GE(split.babies, 1U);
    EXPECT_LE(split.babies, length);
  }
}

TEST(BestSplit, OfKnownShapes) {
  EXPECT_EQ(best({}, 8), 0U);
  EXPECT_EQ(best({0}, 1), 0U);
  EXPECT_EQ(best({0}, 8), 0U);
  EXPECT_EQ(best({5}, 8), 1U);
  EXPECT_EQ(best(range(0, 64, 1, 64), 64), 14U);
  EXPECT_EQ(best(range(0, 128, 1, 128), 128), 21U);  // 10 + 11
  EXPECT_EQ(best(range(59, 11, 1, 64), 64), 5U);     // -5, ..., 5
  EXPECT_EQ(best(range(0, 16, 16, 256), 256), 6U);   // multiples of 16
  EXPECT_EQ(best(range(0, 4096, 1, 4096), 4096), 126U);
  // Of splits with equally many rotations, more baby steps win, which share their work.
  const DiagonalSplit wide = best_split(range(0, 8, 1, 8), 8);
  EXPECT_EQ(wide.baby_rotations, 3U);
  EXPECT_EQ(wide.giant_rotations, 1U);
  EXPECT_EQ(best({3, 3, 3}, 8), 1U);
}

TEST(BestSplit, RefusesDiagonalsOutsideOfTheRow) {
  const Diagonals eight{8};
  expect_refusal_of("best_split", {"largest diagonal 8", "length = 8"},
                    [&] { best_split(eight, 8); });
  expect_refusal_of("best_split", {"length = 0"}, [] { best_split({}, 0); });
  expect_refusal_of("best_split", {"length = 65537"}, [] { best_split({}, 65537); });
}

KnownMatrix dense(std::size_t rows, std::size_t columns, std::mt19937_64& rng) {
  KnownMatrix::Integers entries = sparse_integers(rows * columns, 1000, 100, rng);
  for (std::int64_t& entry : entries) entry += entry >= 0 ? 1 : 0;
  return {rows, columns, std::move(entries)};
}

// Repeats a row in both rows of slots.
Words twice(Words row) {
  row.resize(2 * row.size());
  std::copy_n(row.begin(), row.size() / 2, row.begin() + static_cast<long>(row.size() / 2));
  return row;
}

// The result of the circuit in the clear for the vector in both rows of slots.
Words in_slots(const Circuit& circuit, const ResidueSlots& slots, const Words& row) {
  return ClearCircuit(circuit, slots)({twice(row)}).front();
}

Circuit vector_circuit(std::size_t row_length, const KnownMatrix& matrix, SlotLayout layout) {
  return circuit_of(row_length, [&](Circuit& circuit, CircuitValue x) {
    return matrix_vector(circuit, x, matrix, layout);
  });
}

template <typename Matrix>
Circuit transform_circuit(std::size_t row_length, const Matrix& matrix) {
  return circuit_of(row_length, [&](Circuit& circuit, CircuitValue x) {
    return linear_transform(circuit, x, matrix);
  });
}

PlanCounts counts_of(const Circuit& circuit) { return ckks_plan(circuit, 1, 1024).counts(); }

// Checks products in both layouts, which take at most one level.
void expect_products(const KnownMatrix& matrix, std::size_t row_length, std::mt19937_64& rng) {
  const ResidueSlots slots(65537);
  for (const SlotLayout layout : {SlotLayout::padded, SlotLayout::repeated}) {
    SCOPED_TRACE(testing::Message()
                 << matrix.rows() << " x " << matrix.columns() << ", row of " << row_length
                 << (layout == SlotLayout::padded ? ", padded" : ", repeated"));
    const Circuit circuit = vector_circuit(row_length, matrix, layout);
    const auto vector = random_residues(matrix.columns(), 65537, rng);
    auto row = laid_out(vector, layout, row_length);
    // Slots after the vector matter in the repeated layout only.
    for (std::size_t i = matrix.columns(); layout == SlotLayout::padded && i < row_length; ++i) {
      row[i] = rng() % 65537;
    }
    const auto product = multiply(slots, in_the_clear(slots, matrix), vector);
    EXPECT_EQ(in_slots(circuit, slots, row), twice(laid_out(product, layout, row_length)));
    EXPECT_LE(circuit.depth(), 1U);
  }
}

TEST(MatrixVector, OfAllSmallShapes) {
  std::mt19937_64 rng(test_seed());
  for (const std::size_t length : {1, 2, 8}) {
    for (std::size_t rows = 1; rows <= length; ++rows) {
      for (std::size_t columns = 1; columns <= length; ++columns) {
        expect_products(dense(rows, columns, rng), length, rng);
        auto entries = sparse_integers(rows * columns, 5, 30, rng);
        entries[rng() % entries.size()] = -7;
        expect_products({rows, columns, entries}, length, rng);
      }
    }
  }
}

TEST(MatrixVector, OfLongRows) {
  std::mt19937_64 rng(test_seed());
  constexpr std::array<std::array<std::size_t, 2>, 7> kShapes{
      {{1, 256}, {256, 1}, {3, 200}, {200, 3}, {17, 64}, {64, 17}, {256, 256}}};
  for (const auto& [rows, columns] : kShapes) {
    expect_products(dense(rows, columns, rng), 256, rng);
  }
}

TEST(MatrixVector, ServesAllMatricesOfAShapeWithItsRotations) {
  std::mt19937_64 rng(test_seed());
  const CkksBench bench(64, 1);
  for (const SlotLayout layout : {SlotLayout::padded, SlotLayout::repeated}) {
    for (int round = 0; round < 60; ++round) {
      const std::size_t rows = 1 + rng() % 32;
      const std::size_t columns = 1 + rng() % 32;
      KnownMatrix::Integers entries = sparse_integers(rows * columns, 5, 80, rng);
      entries[rng() % entries.size()] = -7;
      Circuit circuit(32);
      circuit.output(matrix_vector(circuit, circuit.input(), {rows, columns, entries}, layout,
                                   SplitFor::shape));
      const KnownMatrix full(rows, columns, KnownMatrix::Integers(rows * columns, 1));
      EXPECT_TRUE(
          std::ranges::includes(vector_circuit(32, full, layout).rotations(), circuit.rotations()));
      if (layout == SlotLayout::padded) bench.expect_run(circuit, rng);
    }
  }
}

TEST(LinearTransform, CountsWhatItsFormulaSays) {
  std::mt19937_64 rng(test_seed());
  const Circuit full = transform_circuit(64, dense(64, 64, rng));
  const PlanCounts counts = counts_of(full);
  EXPECT_EQ(full.depth(), 1U);
  EXPECT_EQ(counts.key_switches(), 14U);
  EXPECT_EQ(counts.relinearizations, 0U);
  EXPECT_EQ(counts.hoisted, 6U);
  EXPECT_EQ(counts.known_multiplications, 64U);
  EXPECT_EQ(counts.rescalings, 1U);
  EXPECT_EQ(full.rotations().size(), 14U);

  for (std::size_t round = 0; round < 20; ++round) {
    const std::size_t rows = 1 + rng() % 64;
    const std::size_t columns = 1 + rng() % 64;
    const PlanCounts padded =
        counts_of(vector_circuit(64, dense(rows, columns, rng), SlotLayout::padded));
    std::set<std::size_t> diagonals;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) diagonals.insert((64 + j - i) % 64);
    }
    EXPECT_EQ(padded.key_switches(), fewest_rotations({diagonals.begin(), diagonals.end()}, 64));
    EXPECT_EQ(padded.known_multiplications, diagonals.size());
    EXPECT_EQ(padded.rescalings, 1U);
  }
}

TEST(MatrixVector, FoldsWideMatricesWhereThatSavesKeySwitches) {
  std::mt19937_64 rng(test_seed());
  for (const auto& [rows, columns] : std::array<std::array<std::size_t, 2>, 6>{
           {{1, 64}, {2, 64}, {4, 64}, {16, 64}, {64, 64}, {3, 33}}}) {
    const std::size_t m = std::bit_ceil(rows);
    std::size_t fewest = 64;
    for (std::size_t width = m, folds = static_cast<std::size_t>(std::bit_width(64 / m) - 1);
         width <= 64; width *= 2, --folds) {
      fewest = std::min(fewest, fewest_rotations(range(0, width, 1, 64), 64) + folds);
    }
    const Circuit circuit = vector_circuit(512, dense(rows, columns, rng), SlotLayout::repeated);
    EXPECT_EQ(counts_of(circuit).key_switches(), fewest) << rows << " x " << columns;
  }
  // A scalar product: one product, then sums of halves.
  const Circuit dot = vector_circuit(64, dense(1, 64, rng), SlotLayout::repeated);
  EXPECT_EQ(counts_of(dot).key_switches(), 6U);
  EXPECT_EQ(counts_of(dot).known_multiplications, 1U);
  // A tall matrix has no more diagonals than columns.
  const Circuit tall = vector_circuit(512, dense(512, 4, rng), SlotLayout::repeated);
  EXPECT_EQ(counts_of(tall).known_multiplications, 4U);
  EXPECT_EQ(counts_of(tall).key_switches(), 2U);
}

TEST(LinearTransform, TakesNoLevelForSmallConstants) {
  KnownMatrix::Integers identity(64);
  KnownMatrix::Integers circulant(64);
  for (std::size_t i = 0; i < 8; ++i) {
    identity[i * 8 + i] = 1;
    circulant[i * 8 + (i + 3) % 8] = -2;
    circulant[i * 8 + (i + 4) % 8] = 1024;
  }
  const Circuit nothing = transform_circuit(8, KnownMatrix(8, 8, identity));
  EXPECT_EQ(nothing.depth(), 0U);
  EXPECT_EQ(counts_of(nothing).key_switches(), 0U);
  const Circuit free = transform_circuit(8, KnownMatrix(8, 8, circulant));
  EXPECT_EQ(free.depth(), 0U);
  EXPECT_EQ(counts_of(free).key_switches(), 2U);
  const ResidueSlots slots(97);
  EXPECT_EQ(in_slots(free, slots, {0, 0, 0, 1, 0, 0, 0, 0}),
            (Words{95, 0, 0, 0, 0, 0, 0, 54, 95, 0, 0, 0, 0, 0, 0, 54}));
  // One entry is too large: all become products with a level, whose scales agree.
  circulant[3] = 1025;
  const Circuit mixed = transform_circuit(8, KnownMatrix(8, 8, circulant));
  EXPECT_EQ(mixed.depth(), 1U);
  EXPECT_EQ(counts_of(mixed).rescalings, 1U);
}

TEST(LinearTransform, ByDiagonals) {
  const std::map<int, KnownVector> diagonals{
      {-1, KnownVector(KnownVector::Integers{1, 2})},
      {0, KnownVector(3)},
      {9, KnownVector(KnownVector::Integers{0, 0, 5, 0, 0, 0, 0, 0, 0, 6})}};
  const Circuit circuit = transform_circuit(8, diagonals);
  EXPECT_EQ(circuit.depth(), 1U);
  const ResidueSlots slots(97);
  EXPECT_EQ(in_slots(circuit, slots, {1, 2, 3, 4, 5, 6, 7, 8}),
            (Words{3 + 8, 6 + 2, 9 + 20, 12, 15, 18, 21, 24,  //
                   3 + 8, 6 + 2 + 18, 9, 12, 15, 18, 21, 24}));
}

TEST(LinearTransform, HasAMatrixForEachRow) {
  std::mt19937_64 rng(test_seed());
  const ResidueSlots slots(65537);
  const KnownMatrix first(4, 6, sparse_integers(24, 9, 40, rng));
  const KnownMatrix second = dense(4, 6, rng);
  const KnownMatrix both = KnownMatrix::per_row(first, second);
  EXPECT_EQ(both.slot_rows(), 2U);
  for (const SlotLayout layout : {SlotLayout::padded, SlotLayout::repeated}) {
    const auto x = random_residues(6, 65537, rng);
    const auto actual = in_slots(vector_circuit(16, both, layout), slots, laid_out(x, layout, 16));
    auto expected = laid_out(multiply(slots, in_the_clear(slots, both, 0), x), layout, 16);
    const auto lower = laid_out(multiply(slots, in_the_clear(slots, both, 1), x), layout, 16);
    std::ranges::copy(lower, std::back_inserter(expected));
    EXPECT_EQ(actual, expected);
  }
}

TEST(LinearTransform, BoundsItsResultByRowSums) {
  Circuit circuit(4);
  const CircuitValue x = circuit.input(2);
  const CircuitValue y = linear_transform(
      circuit, x,
      KnownMatrix(4, 4, std::vector<double>{1, -1, 0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0.5, 0, 0, 0, 3}));
  EXPECT_EQ(circuit.nodes()[y.index].magnitude, 6.0);
  const CircuitValue z = linear_transform(
      circuit, y, std::map<int, KnownVector>{{1, KnownVector(0.25)}, {2, KnownVector(-0.25)}});
  EXPECT_EQ(circuit.nodes()[z.index].magnitude, 3.0);
}

TEST(LinearTransform, RefusesWhatIsNoProduct) {
  std::mt19937_64 rng(test_seed());
  Circuit circuit(8);
  const CircuitValue x = circuit.input();
  const auto refused_vector = [&](std::initializer_list<std::string> parts, CircuitValue value,
                                  const KnownMatrix& matrix, SlotLayout layout) {
    expect_refusal_of("matrix_vector", parts,
                      [&] { matrix_vector(circuit, value, matrix, layout); });
  };
  const KnownMatrix zero(3, 4, KnownMatrix::Integers(12));
  refused_vector({"zeros"}, x, zero, SlotLayout::padded);
  refused_vector({"zeros"}, x, zero, SlotLayout::repeated);
  refused_vector({"9 x 2", "8 rows"}, x, dense(9, 2, rng), SlotLayout::padded);
  refused_vector({"2 x 9"}, x, dense(2, 9, rng), SlotLayout::padded);
  refused_vector({"value 4"}, CircuitValue{4}, dense(2, 2, rng), SlotLayout::padded);
  const auto refused = [&](std::initializer_list<std::string> parts, CircuitValue value,
                           const auto& matrix) {
    expect_refusal_of("linear_transform", parts, [&] { linear_transform(circuit, value, matrix); });
  };
  using Map = std::map<int, KnownVector>;
  refused({"4 x 8", "use matrix_vector for other shapes"}, x, dense(4, 8, rng));
  refused({"zeros"}, x, Map{{3, KnownVector(0)}});
  refused({"zeros"}, x, Map{});
  refused({"step 7"}, x, Map{{-1, KnownVector(2)}, {7, KnownVector(1)}});
  refused({"17 slots"}, x, Map{{0, KnownVector(KnownVector::Integers(17, 1))}});
  refused({"value 9"}, CircuitValue{9}, Map{{0, KnownVector(1)}});
  EXPECT_EQ(circuit.nodes().size(), 1U);
  EXPECT_TRUE(circuit.known_vectors().empty());
}

TEST(LinearTransform, MultiplesOfThePlainModulusAreLeftOut) {
  std::mt19937_64 rng(test_seed());
  for (const SchemeType scheme : kExactSchemes) {
    const ExactBench bench(scheme, 64, 3);
    const auto t = static_cast<std::int64_t>(bench.slots().t.n);
    const Words rows = random_residues(64, bench.slots().t.n, rng);
    KnownVector::Integers diagonal(32, t);
    diagonal[5] = -2 * t;
    std::map<int, KnownVector> diagonals{{1, KnownVector(diagonal)}, {2, KnownVector(1)}};
    EXPECT_EQ(bench.plan(transform_circuit(32, diagonals)).counts().automorphisms, 1U);
    bench.expect_run(transform_circuit(32, diagonals), {rows});
    diagonal[6] = 1;
    diagonals.at(1) = KnownVector(diagonal);
    EXPECT_EQ(bench.plan(transform_circuit(32, diagonals)).counts().automorphisms, 2U);
    bench.expect_run(transform_circuit(32, diagonals), {rows});
  }
}

TEST(KnownMatrix, RefusesWhatIsNoMatrix) {
  using Integers = KnownMatrix::Integers;
  expect_refusal_of("KnownMatrix", {"0 entries"}, [] { KnownMatrix matrix(0, 0, Integers{}); });
  expect_refusal_of("KnownMatrix", {"0 entries"}, [] { KnownMatrix matrix(0, 3, Integers{}); });
  expect_refusal_of("KnownMatrix", {"5 entries", "2 rows", "3 columns"},
                    [] { KnownMatrix matrix(2, 3, Integers(5)); });
  // rows * columns wraps around to 4.
  expect_refusal_of("KnownMatrix", {"4 entries"},
                    [] { KnownMatrix matrix((std::size_t{1} << 63) + 2, 2, Integers(4)); });
  for (const double value : {HUGE_VAL, std::nan("")}) {
    expect_refusal_of("KnownMatrix", {"not finite"},
                      [&] { KnownMatrix matrix(1, 2, std::vector<double>{1, value}); });
  }
  const KnownMatrix integer(2, 3, Integers(6));
  const KnownMatrix real(2, 3, std::vector<double>(6));
  const KnownMatrix other(3, 2, Integers(6));
  const KnownMatrix both = KnownMatrix::per_row(integer, integer);
  for (const KnownMatrix& wrong : {real, other, both}) {
    expect_refusal_of("KnownMatrix::per_row", {"2 x 3 integers"},
                      [&] { KnownMatrix::per_row(integer, wrong); });
    expect_refusal_of("KnownMatrix::per_row", {"2 x 3 integers"},
                      [&] { KnownMatrix::per_row(wrong, integer); });
  }
  EXPECT_EQ(KnownMatrix(2, 2, std::vector<double>{1, -2, 0.5, 2}).row_sum(), 3.0);
}

}  // namespace
}  // namespace ringlet::test
