// SPDX-License-Identifier: Apache-2.0
// Random linear transforms, sums over slots and products of matrices, declared as circuits and run
// under encryption: CKKS against long double, BFV and BGV against FLINT.

#include "ringlet/circuits/slot_sums.hpp"
#include "support/circuits/key_switch_counter.hpp"
#include "support/circuits/slot_matrix.hpp"

namespace ringlet::test {
namespace {

// Known matrices of all kinds. Sums of a row of numbers stay small, as the modulus allows.
KnownMatrix random_matrix(const NumberSlots&, std::size_t rows, std::size_t columns, int percent,
                          std::mt19937_64& rng) {
  auto integers = sparse_integers(rows * columns, 3, percent, rng);
  integers[rng() % integers.size()] = 2;
  if (rng() % 3 == 0) return {rows, columns, std::move(integers)};
  const bool is_real = rng() % 2 == 0;
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  KnownMatrix::Numbers numbers;
  for (const std::int64_t value : integers) {
    const std::complex<double> factor(part(rng), is_real ? 0 : part(rng));
    numbers.push_back(static_cast<double>(value) * factor);
  }
  return {rows, columns, std::move(numbers)};
}

// One or two, with entries beyond the plain modulus in half of them.
KnownMatrix random_matrix(const ResidueSlots&, std::size_t rows, std::size_t columns, int percent,
                          std::mt19937_64& rng) {
  const auto one = [&] {
    const std::int64_t bound = rng() % 2 == 0 ? 60000 : std::int64_t{1} << 62;
    auto entries = sparse_integers(rows * columns, bound, percent, rng);
    entries[rng() % entries.size()] = -1;
    return KnownMatrix(rows, columns, std::move(entries));
  };
  return rng() % 2 == 0 ? one() : KnownMatrix::per_row(one(), one());
}

std::size_t power_of_two(std::size_t limit, std::mt19937_64& rng) {
  return std::size_t{1} << (rng() % static_cast<std::size_t>(std::bit_width(limit)));
}

/// The rows of slots one after the other.
template <typename Slot>
std::vector<Slot> joined(const std::vector<std::vector<Slot>>& rows) {
  std::vector<Slot> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

/// Random circuits of one scheme at one degree, in the clear and encrypted.
template <typename Bench>
class RandomLinear {
 public:
  using Slots = std::remove_cvref_t<decltype(std::declval<Bench>().slots())>;
  using Slot = typename Slots::Slot;

  RandomLinear(const CountedContext& counted, const Bench& bench)
      : counter_(*counted.counter),
        bench_(bench),
        slots_(bench.slots()),
        row_length_(counted.context.ring().degree() / 2),
        rng_(test_seed() + 2 * row_length_) {}

  void run(std::size_t cases) {
    for (std::size_t i = 0; i < cases; ++i) {
      SCOPED_TRACE(testing::Message() << "case " << i << ", rows up to " << row_length_);
      matrix_times_vector();
      slots_sum();
      matrix_times_matrix();
      if (testing::Test::HasFatalFailure()) return;
    }
    std::printf("  %s, N = %zu: %zu circuits, %zu key switches, largest error %.2g\n",
                to_string(bench_.context().scheme()), 2 * row_length_, 3 * cases, key_switches_,
                largest_);
  }

 private:
  void expect_run(const Circuit& circuit, const std::vector<std::vector<Slot>>& inputs,
                  const std::vector<Slot>& expected) {
    counter_.take();
    const auto results = bench_(circuit, inputs);
    const std::size_t switches = counter_.take();
    EXPECT_EQ(switches, bench_.plan(circuit).counts().key_switches());
    key_switches_ += switches;
    ASSERT_EQ(results.size(), 1U);
    largest_ = std::max(largest_, slots_.expect_equal(results.front(), expected, 1e-6));
  }

  void matrix_times_vector() {
    const std::size_t length = power_of_two(row_length_, rng_);
    const std::size_t limit = std::min<std::size_t>(length, 48);
    const std::size_t rows = 1 + rng_() % limit;
    const std::size_t columns = 1 + rng_() % limit;
    const auto layout = rng_() % 2 == 0 ? SlotLayout::padded : SlotLayout::repeated;
    const KnownMatrix matrix =
        random_matrix(slots_, rows, columns, static_cast<int>(rng_() % 101), rng_);
    const Circuit circuit = circuit_of(
        length, [&](Circuit& one, CircuitValue x) { return matrix_vector(one, x, matrix, layout); },
        1.5);
    std::vector<Slot> x;
    std::vector<Slot> y;
    for (std::size_t row = 0; row < Slots::kRows; ++row) {
      const auto vector = slots_.random(columns, rng_);
      const auto product = multiply(slots_, in_the_clear(slots_, matrix, row), vector);
      std::ranges::copy(laid_out(vector, layout, length), std::back_inserter(x));
      std::ranges::copy(laid_out(product, layout, length), std::back_inserter(y));
    }
    expect_run(circuit, {x}, y);
  }

  void slots_sum() {
    const std::size_t length = power_of_two(row_length_, rng_);
    const std::size_t count = 1 + rng_() % 40;
    const int stride = static_cast<int>(rng_() % (2 * length)) - static_cast<int>(length);
    const Circuit circuit = circuit_of(
        length, [&](Circuit& one, CircuitValue x) { return sum_slots(one, x, count, stride); },
        1.5);
    const auto x = slots_.random(Slots::kRows * length, rng_);
    expect_run(circuit, {x}, sums_of(slots_, x, count, stride));
  }

  void matrix_times_matrix() {
    MatrixProductShape shape;
    shape.dimension = power_of_two(
        std::min<std::size_t>(8, std::size_t{1} << (std::bit_width(row_length_) - 1) / 2), rng_);
    shape.rows = power_of_two(shape.dimension, rng_);
    shape.method = rng_() % 2 == 0 ? MatrixProductMethod::fewer_levels
                                   : MatrixProductMethod::fewer_known_products;
    const std::size_t size = shape.dimension * shape.dimension;
    const std::size_t lanes = power_of_two(std::min<std::size_t>(row_length_ / size, 8), rng_);
    const Circuit circuit = product_circuit(size * lanes, shape, 1.5);
    EXPECT_EQ(bench_.plan(circuit).counts().key_switches(),
              matrix_product_key_switches(size * lanes, shape));
    const GridProduct product(slots_, shape, lanes, rng_);
    expect_run(circuit, product.inputs, product.expected);
  }

  const KeySwitchCounter& counter_;
  const Bench& bench_;
  Slots slots_;
  std::size_t row_length_;
  std::mt19937_64 rng_;
  std::size_t key_switches_ = 0;
  double largest_ = 0;
};

// Of each scheme, degree and kind: 1000 of each kind in the long run.
void run_all(SchemeType scheme) {
  const std::size_t cases = std::min<std::size_t>(scaled(8), 334);
  for (const std::size_t degree : {64, 128, 512}) {
    if (scheme == SchemeType::ckks) {
      const CountedContext counted(CkksBench::context(degree, 3).parms());
      RandomLinear(counted, CkksBench(counted.context, 0x1p40)).run(cases);
    } else {
      const CountedContext counted(ExactBench::context(scheme, degree, 6).parms());
      RandomLinear(counted, ExactBench(counted.context)).run(cases);
    }
  }
}

TEST(LinearCircuits, Ckks) { run_all(SchemeType::ckks); }
TEST(LinearCircuits, Bfv) { run_all(SchemeType::bfv); }
TEST(LinearCircuits, Bgv) { run_all(SchemeType::bgv); }

}  // namespace
}  // namespace ringlet::test
