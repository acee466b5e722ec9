// SPDX-License-Identifier: Apache-2.0
// Random linear transforms, sums over slots and products of matrices, declared as circuits and run
// under encryption: CKKS against long double, BFV and BGV against FLINT.

#include "ringlet/circuit_plan.hpp"
#include "ringlet/linear_transform.hpp"
#include "ringlet/matrix_product.hpp"
#include "ringlet/slot_sums.hpp"
#include "support/declared_circuit.hpp"
#include "support/environment.hpp"
#include "support/key_switch_counter.hpp"
#include "support/matrix_grid.hpp"
#include "support/slot_matrix.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

// Of each scheme, degree and kind: 1000 of each kind in the long run.
std::size_t case_count() { return std::min<std::size_t>(scaled(8), 334); }

/// One scheme at one degree, with what differs between exact and approximate slots.
class CkksSlots {
 public:
  using Arithmetic = NumberSlots;
  using Slot = Number;
  static constexpr std::size_t kRows = 1;

  CkksSlots(SchemeType, std::size_t degree)
      : counted_(CkksBench::context(degree, 3, 40).parms()), bench_(counted_.context, 0x1p40) {}

  std::vector<std::vector<Slot>> run(const Circuit& circuit,
                                     const std::vector<std::vector<Slot>>& inputs) const {
    return bench_(circuit, inputs);
  }
  CircuitPlan plan(const Circuit& circuit) const {
    return CircuitPlan(circuit, counted_.context.parms(), 0x1p40);
  }
  static std::vector<Slot> random(std::size_t count, std::mt19937_64& rng) {
    return random_numbers(count, rng);
  }
  // Of all kinds; sums of a row stay small, as the modulus allows.
  static KnownMatrix matrix(std::size_t rows, std::size_t columns, int percent,
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
  static Arithmetic arithmetic() { return {}; }
  void expect_equal(const std::vector<Slot>& actual, const std::vector<Slot>& row) {
    const double difference = largest_difference(actual, row);
    EXPECT_LE(difference, 1e-6);
    largest_ = std::max(largest_, difference);
  }
  std::size_t take_key_switches() const { return counted_.counter->take(); }
  double largest_error() const { return largest_; }

 private:
  CountedContext counted_;
  CkksBench bench_;
  double largest_ = 0;
};

class ExactSlots {
 public:
  using Arithmetic = ResidueSlots;
  using Slot = std::uint64_t;
  static constexpr std::size_t kRows = 2;

  ExactSlots(SchemeType scheme, std::size_t degree)
      : counted_(ExactBench::context(scheme, degree, 6, 17).parms()), bench_(counted_.context) {}

  std::vector<std::vector<Slot>> run(const Circuit& circuit,
                                     const std::vector<std::vector<Slot>>& inputs) const {
    return bench_(circuit, inputs);
  }
  CircuitPlan plan(const Circuit& circuit) const {
    return CircuitPlan(circuit, counted_.context.parms());
  }
  std::vector<Slot> random(std::size_t count, std::mt19937_64& rng) const {
    return random_residues(count, bench_.slots().t.n, rng);
  }
  // One or two, with entries beyond the plain modulus in half of them.
  static KnownMatrix matrix(std::size_t rows, std::size_t columns, int percent,
                            std::mt19937_64& rng) {
    const auto one = [&] {
      const std::int64_t bound = rng() % 2 == 0 ? 60000 : std::int64_t{1} << 62;
      auto entries = sparse_integers(rows * columns, bound, percent, rng);
      entries[rng() % entries.size()] = -1;
      return KnownMatrix(rows, columns, std::move(entries));
    };
    return rng() % 2 == 0 ? one() : KnownMatrix::per_row(one(), one());
  }
  Arithmetic arithmetic() const { return bench_.slots(); }
  void expect_equal(const std::vector<Slot>& actual, const std::vector<Slot>& rows) const {
    EXPECT_EQ(actual, repeated_rows(rows, actual.size() / 2));
  }
  std::size_t take_key_switches() const { return counted_.counter->take(); }
  static double largest_error() { return 0; }

 private:
  CountedContext counted_;
  ExactBench bench_;
};

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

/// Random circuits of one scheme at some degrees, in the clear and encrypted.
template <typename Slots>
class RandomLinear {
 public:
  using Slot = typename Slots::Slot;

  RandomLinear(SchemeType scheme, std::size_t degree)
      : slots_(scheme, degree), row_length_(degree / 2), rng_(test_seed() + degree) {}

  void run(std::size_t cases) {
    for (std::size_t i = 0; i < cases; ++i) {
      SCOPED_TRACE(testing::Message() << "case " << i << ", rows up to " << row_length_);
      matrix_times_vector();
      slots_sum();
      matrix_times_matrix();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  double largest_error() const { return slots_.largest_error(); }
  std::size_t key_switches() const { return key_switches_; }

 private:
  void expect_run(const Circuit& circuit, const std::vector<std::vector<Slot>>& inputs,
                  const std::vector<Slot>& expected) {
    slots_.take_key_switches();
    const auto results = slots_.run(circuit, inputs);
    const std::size_t switches = slots_.take_key_switches();
    EXPECT_EQ(switches, slots_.plan(circuit).counts().key_switches());
    key_switches_ += switches;
    ASSERT_EQ(results.size(), 1U);
    slots_.expect_equal(results.front(), expected);
  }

  void matrix_times_vector() {
    const std::size_t length = power_of_two(row_length_, rng_);
    const std::size_t limit = std::min<std::size_t>(length, 48);
    const std::size_t rows = 1 + rng_() % limit;
    const std::size_t columns = 1 + rng_() % limit;
    const auto layout = rng_() % 2 == 0 ? SlotLayout::padded : SlotLayout::repeated;
    const KnownMatrix matrix = Slots::matrix(rows, columns, static_cast<int>(rng_() % 101), rng_);
    Circuit circuit(length);
    circuit.output(matrix_vector(circuit, circuit.input(1.5), matrix, layout));
    std::vector<std::vector<Slot>> x;
    std::vector<std::vector<Slot>> y;
    for (std::size_t row = 0; row < Slots::kRows; ++row) {
      const auto vector = slots_.random(columns, rng_);
      x.push_back(laid_out(vector, layout, length));
      y.push_back(laid_out(
          multiply(slots_.arithmetic(), in_the_clear(slots_.arithmetic(), matrix, row), vector),
          layout, length));
    }
    expect_run(circuit, {joined(x)}, joined(y));
  }

  void slots_sum() {
    const std::size_t length = power_of_two(row_length_, rng_);
    const std::size_t count = 1 + rng_() % 40;
    const int stride = static_cast<int>(rng_() % (2 * length)) - static_cast<int>(length);
    Circuit circuit(length);
    circuit.output(sum_slots(circuit, circuit.input(1.5), count, stride));
    const auto x = slots_.random(Slots::kRows * length, rng_);
    std::vector<Slot> sums(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t k = 0; k < count; ++k) {
        const long slot = static_cast<long>(i % length) + static_cast<long>(k) * stride;
        const long left = static_cast<long>(length);
        const auto place = static_cast<std::size_t>((slot % left + left) % left);
        sums[i] = slots_.arithmetic().add(sums[i], x[i / length * length + place]);
      }
    }
    expect_run(circuit, {x}, sums);
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
    const auto random = [&](std::size_t count) { return slots_.random(count, rng_); };
    const auto pairs = random_pairs<Slot>(shape, Slots::kRows * lanes, random);
    const MatrixGrid grid(shape, lanes);
    const Circuit circuit = product_circuit(size * lanes, shape, 1.5);
    EXPECT_EQ(slots_.plan(circuit).counts().key_switches(),
              matrix_product_key_switches(size * lanes, shape));
    expect_run(circuit, {grid.slots(pairs.a), grid.slots(pairs.b)},
               grid.slots(products(slots_.arithmetic(), pairs)));
  }

  Slots slots_;
  std::size_t row_length_;
  std::mt19937_64 rng_;
  std::size_t key_switches_ = 0;
};

template <typename Slots>
void run_all(SchemeType scheme, const char* name) {
  std::size_t key_switches = 0;
  double largest = 0;
  for (const std::size_t degree : {std::size_t{64}, std::size_t{128}, std::size_t{512}}) {
    RandomLinear<Slots> cases(scheme, degree);
    cases.run(case_count());
    key_switches += cases.key_switches();
    largest = std::max(largest, cases.largest_error());
  }
  std::printf("  %s: %zu circuits, %zu key switches, largest error %.2g\n", name, 9 * case_count(),
              key_switches, largest);
}

TEST(LinearCircuits, Ckks) { run_all<CkksSlots>(SchemeType::ckks, "ckks"); }
TEST(LinearCircuits, Bfv) { run_all<ExactSlots>(SchemeType::bfv, "bfv"); }
TEST(LinearCircuits, Bgv) { run_all<ExactSlots>(SchemeType::bgv, "bgv"); }

}  // namespace
}  // namespace ringlet::test
