// SPDX-License-Identifier: Apache-2.0
// Random linear transforms, sums over slots and products of matrices, declared as circuits and run
// under encryption: CKKS against long double, BFV and BGV against FLINT.

#include "ringlet/circuits/slot_sums.hpp"
#include "support/circuits/key_switch_counter.hpp"
#include "support/circuits/slot_matrix.hpp"
#include "support/reference/polynomial_model.hpp"

namespace ringlet::test {
namespace {

// Known matrices of all kinds, whose row sums stay small enough for the modulus.
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

// A matrix for one or two rows of slots; half of them have entries beyond the plain modulus.
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

// Runs a scheme at each degree with each kind: 1000 circuits of each kind in the long run.
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

// Random polynomials under encryption. CKKS is compared with sums of powers and cosines in long
// double, BFV and BGV with FLINT. Key switches are counted in the backend.

constexpr std::size_t kMostDegree = 40;
constexpr std::size_t kCases = 30;

struct Shape {
  std::size_t degree;
  bool is_chebyshev;
  std::size_t density;  // one of so many coefficients is not 0
  std::size_t parity;   // 0 or 1: only indices of that parity; else all
};

Shape random_shape(std::mt19937_64& rng) {
  Shape shape{};
  shape.degree = 1 + rng() % kMostDegree;
  shape.is_chebyshev = rng() % 2 == 0;
  shape.density = 1 + rng() % 4;
  shape.parity = rng() % 4;
  return shape;
}

// Coefficients from `draw` at the indices of the shape; the last one is not 0.
template <typename T, typename Draw>
std::vector<T> coefficients_of(const Shape& shape, const Draw& draw, std::mt19937_64& rng) {
  std::vector<T> coefficients(shape.degree + 1);
  for (std::size_t i = 0; i <= shape.degree; ++i) {
    const bool has_parity = shape.parity >= 2 || i % 2 == shape.parity;
    if (has_parity && rng() % shape.density == 0) coefficients[i] = draw();
  }
  if (coefficients.back() == T{}) coefficients.back() = T{1};
  return coefficients;
}

std::int64_t random_integer(std::mt19937_64& rng) {
  constexpr std::int64_t kLimits[] = {2, 10, 1100, 65536, std::int64_t{1} << 60};
  const std::int64_t limit = kLimits[rng() % 5];
  return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(2 * limit + 1)) - limit;
}

std::complex<double> random_coefficient(std::mt19937_64& rng) {
  std::uniform_real_distribution<double> part(-1, 1);
  switch (rng() % 4) {
    case 0:
      return static_cast<double>(static_cast<int>(rng() % 7) - 3);
    case 1:
      return {part(rng), part(rng)};
    default:
      return part(rng);
  }
}

TEST(Polynomials, OfCkks) {
  std::mt19937_64 rng(test_seed());
  const CountedContext counted(CkksBench::context(128, 8, 45).parms());
  const CkksBench bench(counted.context, 0x1p45);
  for (std::size_t turn = 0; turn < scaled(kCases); ++turn) {
    const Shape shape = random_shape(rng);
    std::uniform_real_distribution<double> part(-1, 1);
    const double lower = shape.is_chebyshev && rng() % 2 == 0 ? 3 * part(rng) : -1;
    const double upper = lower == -1 ? 1 : lower + 0.25 + 2 * std::abs(part(rng));
    const Polynomial p(KnownVector(coefficients_of<std::complex<double>>(
                           shape, [&] { return random_coefficient(rng); }, rng)),
                       shape.is_chebyshev ? PolynomialBasis::chebyshev : PolynomialBasis::power,
                       lower, upper);
    std::vector<Number> slots;
    std::vector<Number> expected;
    std::uniform_real_distribution<double> place(lower, upper);
    for (std::size_t i = 0; i < 16; ++i) {
      slots.emplace_back(place(rng), 0);
      if (!shape.is_chebyshev) {
        slots.back() = std::polar(std::sqrt(std::abs(part(rng))), 4 * part(rng));
      }
      expected.push_back(definition(p, slots.back()));
    }
    const Circuit circuit = polynomial_circuit(p, 16);
    const PolynomialCost cost = polynomial_cost(p);
    EXPECT_EQ(circuit.depth(), cost.depth);
    counted.counter->take();
    const double error = largest_difference(bench(circuit, {slots})[0], expected);
    EXPECT_LE(error, 1e-7) << "turn " << turn << " degree " << shape.degree;
    EXPECT_EQ(counted.counter->take(), cost.relinearizations);
  }
}

Polynomial random_integers(std::mt19937_64& rng) {
  const Shape shape = random_shape(rng);
  return Polynomial::integers(
      coefficients_of<std::int64_t>(shape, [&] { return random_integer(rng); }, rng));
}

void run_exact(SchemeType scheme) {
  std::mt19937_64 rng(test_seed() + static_cast<std::uint64_t>(scheme));
  const int plain_bits[] = {9, 17, 20};
  for (std::size_t turn = 0; turn < scaled(kCases); turn += 10) {
    const ExactBench bench(scheme, 64, 12, plain_bits[turn / 10 % 3]);
    const std::uint64_t t = bench.context().plain_modulus().value();
    for (std::size_t i = 0; i < 10; ++i) {
      const Polynomial p = random_integers(rng).modulo(t);
      if (p.degree() == 0) continue;
      const auto slots = random_residues(64, t, rng);
      const Circuit circuit = polynomial_circuit(p, 32);
      EXPECT_EQ(bench(circuit, {slots})[0], flint_values(p, slots, t))
          << "turn " << turn + i << " degree " << p.degree() << " t = " << t;
      const PlanCounts counts = bench.plan(circuit).counts();
      const PolynomialCost cost = polynomial_cost(p, PolynomialArgument::plain, scheme);
      EXPECT_EQ(counts.relinearizations, cost.relinearizations) << "turn " << turn + i;
      EXPECT_EQ(counts.multiplications, cost.products);
      EXPECT_EQ(counts.known_multiplications, cost.known_products);
    }
  }
}

TEST(Polynomials, OfBfv) { run_exact(SchemeType::bfv); }
TEST(Polynomials, OfBgv) { run_exact(SchemeType::bgv); }

}  // namespace
}  // namespace ringlet::test
