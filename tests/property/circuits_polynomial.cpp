// SPDX-License-Identifier: Apache-2.0
#include "support/circuits/key_switch_counter.hpp"
#include "support/reference/polynomial_model.hpp"

// Random polynomials under encryption: CKKS against sums of powers and cosines in long double, BFV
// and BGV against FLINT; key switches are counted where they happen.

namespace ringlet::test {
namespace {

constexpr std::size_t kMostDegree = 40;
constexpr std::size_t kCases = 30;

struct Shape {
  std::size_t degree;
  bool is_chebyshev;
  std::size_t density;  // one coefficient of so many is not 0
  std::size_t parity;   // 2: none, else the places that are left
};

Shape random_shape(std::mt19937_64& rng) {
  Shape shape{};
  shape.degree = 1 + rng() % kMostDegree;
  shape.is_chebyshev = rng() % 2 == 0;
  shape.density = 1 + rng() % 4;
  shape.parity = rng() % 4;
  return shape;
}

// Coefficients from `draw` at the places of the shape, the last one not 0.
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
