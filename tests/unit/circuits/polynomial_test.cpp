// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/polynomial.hpp"

#include "circuits/declare/polynomial_builder.hpp"
#include "support/reference/polynomial_model.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kDegrees[] = {1,  2,  3,  4,  5,  6,  7,   8,   9,   10,  11,  12, 13,
                                    14, 15, 16, 17, 20, 23, 24,  27,  31,  32,  33,  40, 47,
                                    48, 49, 59, 63, 64, 65, 100, 127, 128, 129, 200, 255};

// Coefficients of which neither one nor a sum of two is a small integer.
std::vector<double> numbers_at(const PolynomialModel::Places& places) {
  std::mt19937_64 rng(7);
  std::uniform_real_distribution<double> value(0.25, 1);
  std::vector<double> coefficients(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i]) coefficients[i] = value(rng);
  }
  return coefficients;
}

std::vector<std::int64_t> integers_at(const PolynomialModel::Places& places) {
  std::vector<std::int64_t> coefficients(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i]) coefficients[i] = 2000 + static_cast<std::int64_t>(i * i);
  }
  return coefficients;
}

// All places, or for step 2 those of the degree's parity.
PolynomialModel::Places places_of(std::size_t degree, std::size_t step) {
  PolynomialModel::Places places(degree + 1);
  for (std::size_t i = degree + 1; i > 0; i -= std::min(i, step)) places[i - 1] = true;
  return places;
}

PolynomialModel best_model(const PolynomialModel::Places& places, bool is_chebyshev) {
  PolynomialModel best(places, is_chebyshev, 2);
  for (std::size_t babies = 4; babies < 4 * places.size(); babies *= 2) {
    const PolynomialModel other(places, is_chebyshev, babies);
    const auto order = [](const PolynomialModel& model) {
      return std::pair(model.relinearizations, model.products);
    };
    if (order(other) < order(best)) best = other;
  }
  return best;
}

// The cost, the model and the plans of all schemes agree, and no other number of baby powers has
// fewer key switches.
void expect_cost(std::size_t degree, std::size_t step, bool is_chebyshev) {
  SCOPED_TRACE(testing::Message() << "degree " << degree << " step " << step << " chebyshev "
                                  << is_chebyshev);
  const PolynomialModel::Places places = places_of(degree, step);
  const Polynomial p = is_chebyshev ? Polynomial::chebyshev(numbers_at(places))
                                    : Polynomial::power(numbers_at(places));
  const PolynomialCost cost = polynomial_cost(p);
  const PolynomialModel model = best_model(places, is_chebyshev);
  EXPECT_EQ(cost.depth, PolynomialModel::depth(degree));
  EXPECT_EQ(cost.relinearizations, model.relinearizations);
  EXPECT_EQ(cost.products, model.products);
  for (std::size_t babies = 1; babies <= 2 * degree; babies *= 2) {
    const auto other = polynomial_cost(p, PolynomialArgument::plain, babies);
    EXPECT_GE(other.relinearizations, cost.relinearizations) << babies;
    EXPECT_EQ(other.depth, cost.depth);
    const PolynomialModel other_model(places, is_chebyshev, babies);
    EXPECT_EQ(other.relinearizations, other_model.relinearizations) << babies;
    EXPECT_EQ(other.products, other_model.products) << babies;
  }
  const PlanCounts counts = ckks_plan(polynomial_circuit(p, 1), 9).counts();
  EXPECT_EQ(counts.relinearizations, cost.relinearizations);
  EXPECT_EQ(counts.multiplications, cost.products);
  EXPECT_EQ(counts.known_multiplications, cost.known_products);
  EXPECT_EQ(counts.automorphisms, 0U);
  if (is_chebyshev) return;
  const Circuit exact = polynomial_circuit(Polynomial::integers(integers_at(places)), 1);
  EXPECT_EQ(exact.depth(), cost.depth);
  for (const SchemeType scheme : kExactSchemes) {
    const PlanCounts exact_counts = exact_plan(exact, scheme).counts();
    EXPECT_EQ(exact_counts.relinearizations, cost.relinearizations);
    EXPECT_EQ(exact_counts.multiplications, cost.products);
  }
}

TEST(PolynomialCost, IsTheLeastOfAllNumbersOfBabyPowers) {
  for (const std::size_t degree : kDegrees) {
    for (const std::size_t step : {1, 2}) {
      expect_cost(degree, step, false);
      expect_cost(degree, step, true);
    }
  }
  const auto cost = [](std::size_t step) {
    return polynomial_cost(Polynomial::power(numbers_at(places_of(255, step)))).relinearizations;
  };
  EXPECT_LT(cost(2), cost(1));
}

// Integers up to 1024 take no level in CKKS, so plans of the schemes differ now and then.
TEST(PolynomialCost, IsThatOfThePlanForTheScheme) {
  std::mt19937_64 rng(test_seed());
  const std::pair<EncryptionParameters, double> schemes[] = {
      {CkksBench::context(64, 9).parms(), 0x1p40},
      {ExactBench::context(SchemeType::bfv, 64, 9).parms(), 1},
      {ExactBench::context(SchemeType::bgv, 64, 9).parms(), 1}};
  std::size_t parted = 0;
  for (std::size_t turn = 0; turn < 1000; ++turn) {
    std::vector<std::int64_t> coefficients(2 + rng() % 40);
    const std::uint64_t limit = turn % 2 == 0 ? 3 : 1100;
    for (std::int64_t& c : coefficients) {
      if (rng() % 4 != 0) c = static_cast<std::int64_t>(rng() % (2 * limit + 1) - limit);
    }
    coefficients.back() = 1 + static_cast<std::int64_t>(rng() % limit);
    const Polynomial p = Polynomial::integers(coefficients);
    const Circuit circuit = polynomial_circuit(p, 1);
    for (const auto& [parms, scale] : schemes) {
      SCOPED_TRACE(testing::Message() << "turn " << turn << ", " << to_string(parms.scheme()));
      const PolynomialCost cost = polynomial_cost(p, PolynomialArgument::plain, parms.scheme());
      const CircuitPlan plan(circuit, parms, scale);
      EXPECT_EQ(cost.relinearizations, plan.counts().relinearizations);
      EXPECT_EQ(cost.products, plan.counts().multiplications);
      EXPECT_EQ(cost.known_products, plan.counts().known_multiplications);
      EXPECT_EQ(cost.depth, circuit.depth());
      parted += cost.relinearizations != polynomial_cost(p).relinearizations ? 1 : 0;
    }
  }
  EXPECT_GT(parted, 0U) << "the test is of cases where schemes differ";
}

TEST(PolynomialCost, RefusesSchemesThatItIsNotFor) {
  const Polynomial halves = Polynomial::power({0, 0.5});
  for (const SchemeType scheme : kExactSchemes) {
    expect_refusal_of("CircuitPlan", {"real or complex", to_string(scheme)},
                      [&] { polynomial_cost(halves, PolynomialArgument::plain, scheme); });
  }
  expect_refusal_of("polynomial_cost", {"scheme = none"},
                    [&] { polynomial_cost(halves, PolynomialArgument::plain, SchemeType::none); });
}

TEST(PolynomialCost, OfSparsePolynomials) {
  // x^64 in six squarings, 3 x^64 at the same depth, x^64/2 in one level more.
  for (const double factor : {1.0, -1.0, 3.0, 1024.0, 0.5, 1025.0}) {
    std::vector<double> coefficients(65);
    coefficients[64] = factor;
    const PolynomialCost cost = polynomial_cost(Polynomial::power(coefficients));
    EXPECT_EQ(cost.relinearizations, 6U) << factor;
    EXPECT_EQ(cost.products, 6U);
    EXPECT_EQ(cost.known_products, std::abs(factor) == 1 ? 0U : 1U);
    EXPECT_EQ(cost.depth, factor == 0.5 || factor == 1025 ? 7U : 6U);
  }
  // T_2 = 2 x^2 - 1 and T_3 = 2 T_2 x - x.
  EXPECT_EQ(polynomial_cost(Polynomial::chebyshev({0, 0, 1})).depth, 1U);
  EXPECT_EQ(polynomial_cost(Polynomial::chebyshev({0, 0, 0, 1})).relinearizations, 2U);
  EXPECT_EQ(polynomial_cost(Polynomial::chebyshev({0, 0, 0, 1})).known_products, 0U);
}

TEST(PolynomialCost, CountsTheMapToTheInterval) {
  const std::vector<double> coefficients{0.1, 0.2, 0.3, 0.4};
  const auto depth = [&](double lower, double upper, PolynomialArgument argument) {
    const auto p = Polynomial::chebyshev(coefficients, lower, upper);
    return polynomial_cost(p, argument).depth;
  };
  EXPECT_EQ(depth(-1, 1, PolynomialArgument::plain), 2U);
  EXPECT_EQ(depth(0, 1, PolynomialArgument::plain), 2U);  // 2x - 1
  EXPECT_EQ(depth(3, 5, PolynomialArgument::plain), 2U);  // x - 4
  EXPECT_EQ(depth(0, 8, PolynomialArgument::plain), 3U);
  EXPECT_EQ(depth(0, 8, PolynomialArgument::scaled), 2U);
}

TEST(PolynomialCost, IsThatOfTheTableInTheDocumentation) {
  for (const std::size_t degree : {1, 2, 3, 4, 5, 7, 8, 15, 16, 27, 31, 63, 64, 100, 127, 255}) {
    std::ostringstream line;
    line << "| " << degree << " | " << PolynomialModel::depth(degree);
    for (const std::size_t step : {1, 2}) {
      const auto cost = polynomial_cost(Polynomial::power(numbers_at(places_of(degree, step))));
      line << " | " << cost.relinearizations << " | " << cost.products << " | "
           << cost.known_products << " | " << cost.baby_powers;
    }
    expect_documented(line.str() + " |");
    const auto numbers = numbers_at(places_of(degree, 1));
    EXPECT_EQ(polynomial_cost(Polynomial::chebyshev(numbers)).relinearizations,
              polynomial_cost(Polynomial::power(numbers)).relinearizations)
        << degree;
  }
}

double ckks_error(const CkksBench& bench, const Polynomial& p, PolynomialArgument argument,
                  std::mt19937_64& rng) {
  const bool is_scaled = argument == PolynomialArgument::scaled;
  std::uniform_real_distribution<double> place(is_scaled ? -1 : p.lower(),
                                               is_scaled ? 1 : p.upper());
  std::vector<Number> slots(32);
  std::vector<Number> expected;
  slots[0] = place.a();
  slots[1] = place.b();
  for (std::size_t i = 2; i < slots.size(); ++i) slots[i] = place(rng);
  for (const Number& x : slots) {
    const Number half = (Number(p.upper()) - Number(p.lower())) / 2.0L;
    expected.push_back(definition(p, is_scaled ? Number(p.lower()) + half * (x + 1.0L) : x));
  }
  return largest_difference(bench(polynomial_circuit(p, 32, argument), {slots})[0], expected);
}

TEST(Polynomial, ChebyshevIsStableUpToDegree255) {
  std::mt19937_64 rng(test_seed());
  const CkksBench bench(64, 9, 45);
  for (const std::size_t degree : {1, 2, 3, 7, 31, 63, 64, 127, 255}) {
    for (const std::size_t step : {1, 2}) {
      const auto coefficients = numbers_at(places_of(degree, step));
      const double bound = 1e-7 * static_cast<double>(degree);
      const auto p = Polynomial::chebyshev(coefficients);
      EXPECT_LE(ckks_error(bench, p, PolynomialArgument::plain, rng), bound) << degree;
      const auto mapped = Polynomial::chebyshev(coefficients, -3, 0.5);
      EXPECT_LE(ckks_error(bench, mapped, PolynomialArgument::plain, rng), bound) << degree;
      EXPECT_LE(ckks_error(bench, mapped, PolynomialArgument::scaled, rng), bound) << degree;
    }
  }
}

TEST(Polynomial, ClearValuesAreThoseOfTheDefinition) {
  std::mt19937_64 rng(test_seed());
  std::uniform_real_distribution<long double> place(-3, 0.5L);
  for (const std::size_t degree : {0, 1, 2, 63, 127}) {
    const auto coefficients = numbers_at(places_of(degree, 1));
    const auto power = Polynomial::power(coefficients);
    const auto chebyshev = Polynomial::chebyshev(coefficients, -3, 0.5);
    for (int i = 0; i < 20; ++i) {
      const long double x = place(rng);
      EXPECT_LE(std::abs(chebyshev(x) - definition(chebyshev, x)), 1e-15L);
      const Number z(x / 4, place(rng) / 5);
      EXPECT_LE(std::abs(power(z) - definition(power, z)), 1e-15L);
    }
  }
}

void expect_exact(const ExactBench& bench, const Polynomial& p, std::mt19937_64& rng) {
  const std::uint64_t t = bench.context().plain_modulus().value();
  auto slots = random_residues(64, t, rng);
  slots[0] = 0;
  slots[1] = t - 1;
  EXPECT_EQ(bench(polynomial_circuit(p, 32), {slots})[0], flint_values(p, slots, t));
}

TEST(Polynomial, OfIntegersIsExact) {
  std::mt19937_64 rng(test_seed());
  for (const SchemeType scheme : kExactSchemes) {
    const ExactBench bench(scheme, 64, 10);
    for (const std::size_t degree : {1, 2, 3, 4, 8, 31, 64}) {
      for (const std::size_t step : {1, 2}) {
        const auto coefficients = integers_at(places_of(degree, step));
        expect_exact(bench, Polynomial::integers(coefficients), rng);
      }
    }
    // Coefficients of 1 and -1, small, negative, large and zero ones.
    expect_exact(bench, Polynomial::integers({5, -1, 1, 0, -7}), rng);
    expect_exact(bench, Polynomial::integers({0, 0, 0, -1}), rng);
    expect_exact(bench, Polynomial::integers({0, 0, 0, -1, 0, 0, 1}), rng);
    expect_exact(bench, Polynomial::integers({-3, 0, std::int64_t{1} << 62, 0, 1, 0, 0, 0}), rng);
  }
}

TEST(Polynomial, ModuloTHasTheLeastCoefficients) {
  const Polynomial p = Polynomial::integers({17, -5, 9, -9, 8, 34, -1000, 51});
  const Polynomial reduced = p.modulo(17);
  EXPECT_EQ(reduced.integer_coefficients(), (std::vector<std::int64_t>{0, -5, -8, 8, 8, 0, 3}));
  const Polynomial least = Polynomial::integers({std::numeric_limits<std::int64_t>::min()});
  EXPECT_EQ(least.modulo(3).integer_coefficients(), (std::vector<std::int64_t>{1}));
  // A coefficient that is a multiple of t takes no product.
  const ExactBench bench(SchemeType::bgv, 64, 4, 9);
  const Words slots(64, 3);
  const Circuit circuit =
      polynomial_circuit(Polynomial::integers({0, 257, 1, 0, 257, 514, 3, -257}), 32);
  EXPECT_EQ(bench(circuit, {slots})[0], Words(64, (9 + 3 * 729) % 257));
  EXPECT_EQ(bench.plan(circuit).counts().known_multiplications, 1U);
}

TEST(Polynomial, ShortOnesOfAllKindsOfCoefficients) {
  std::mt19937_64 rng(test_seed());
  const CkksBench bench(64, 4);
  for (const double c : {0.0, 1.0, -1.0, 2.0, 0.5}) {
    for (const double b : {0.0, 1.0, -1.0, -3.0, 0.25}) {
      for (const double a : {1.0, -1.0, 7.0, 1e-3}) {
        for (const std::size_t gap : {0, 1, 4}) {
          std::vector<double> coefficients(3 + gap);
          coefficients[0] = c;
          coefficients[1] = b;
          coefficients.back() = a;
          for (const auto& p :
               {Polynomial::power(coefficients), Polynomial::chebyshev(coefficients)}) {
            EXPECT_LE(ckks_error(bench, p, PolynomialArgument::plain, rng), 1e-6)
                << c << ' ' << b << ' ' << a << ' ' << gap;
          }
        }
      }
    }
  }
}

TEST(Polynomial, TakesComplexCoefficientsAndProducts) {
  const CkksBench bench(64, 5);
  std::mt19937_64 rng(test_seed());
  const Polynomial p(KnownVector(KnownVector::Numbers{{0.5, 1}, {0, -1}, {0.25, 0}, {1, 2}}));
  Circuit circuit(32);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  circuit.output(circuit.add(polynomial(circuit, circuit.multiply(x, y), p), x));
  const std::vector<std::vector<Number>> inputs{random_numbers(32, rng), random_numbers(32, rng)};
  std::vector<Number> expected;
  for (std::size_t i = 0; i < 32; ++i) {
    expected.push_back(definition(p, inputs[0][i] * inputs[1][i]) + inputs[0][i]);
  }
  EXPECT_LE(largest_difference(bench(circuit, inputs)[0], expected), 1e-6);
}

TEST(Polynomial, RefusesWhatItCannotCompute) {
  const double infinity = std::numeric_limits<double>::infinity();
  Circuit circuit(4);
  const CircuitValue x = circuit.input();
  const std::size_t nodes = circuit.nodes().size();
  expect_refusal_of("polynomial", {"a constant"},
                    [&] { polynomial(circuit, x, Polynomial::power({3, 0, 0})); });
  expect_refusal_of("polynomial", {"a constant"},
                    [] { polynomial_cost(Polynomial::integers({0})); });
  expect_refusal_of("polynomial", {"scaled argument"}, [&] {
    polynomial(circuit, x, Polynomial::power({0, 1}), PolynomialArgument::scaled);
  });
  expect_refusal_of("Circuit::multiply", {"value 9"},
                    [&] { polynomial(circuit, {9}, Polynomial::power({1, 0.5, 3})); });
  expect_refusal_of("KnownVector", {"no numbers"}, [] { Polynomial::power({}); });
  expect_refusal_of("KnownVector", {"not finite"}, [&] { Polynomial::power({0, infinity}); });
  expect_refusal_of("Polynomial", {"[1, 1]"}, [] { Polynomial::chebyshev({0, 1}, 1, 1); });
  expect_refusal_of("Polynomial", {"[0, inf]"},
                    [&] { Polynomial::chebyshev({0, 1}, 0, infinity); });
  expect_refusal_of("Polynomial", {"65537 coefficients"},
                    [] { Polynomial::power(std::vector<double>(65537)); });
  expect_refusal_of("Polynomial", {"integer coefficients for the interval [0, 1]"}, [] {
    Polynomial(KnownVector(KnownVector::Integers{0, 1}), PolynomialBasis::chebyshev, 0, 1);
  });
  EXPECT_EQ(circuit.nodes().size(), nodes);
}

TEST(Interpolate, GivesTheValuesAtThePoints) {
  std::mt19937_64 rng(test_seed());
  // For the last two t, products of polynomials take two and three primes.
  for (const std::uint64_t t :
       {2ULL, 3ULL, 17ULL, 257ULL, 65537ULL, (1ULL << 41) - 21, (1ULL << 63) - 25}) {
    for (const std::size_t count : {1U, 2U, 3U, 17U, 64U, 65U, 66U, 257U, 300U}) {
      if (count > t) continue;
      Words points;
      while (points.size() < count) {
        const std::uint64_t point = rng() % t;
        if (std::ranges::find(points, point) == points.end()) points.push_back(point);
      }
      const auto values = random_residues(count, t, rng);
      const Polynomial p = interpolate(t, points, values);
      EXPECT_LT(p.degree(), count);
      EXPECT_EQ(flint_values(p, points, t), values);
    }
  }
}

TEST(Interpolate, MakesLookUpTables) {
  std::mt19937_64 rng(test_seed());
  for (const SchemeType scheme : kExactSchemes) {
    const ExactBench bench(scheme, 64, 10, 9);
    ASSERT_EQ(bench.context().plain_modulus().value(), 257U);
    const auto table = random_residues(257, 257, rng);
    const Polynomial p = interpolate(257, table);
    const auto slots = random_residues(64, 257, rng);
    const auto actual = bench(polynomial_circuit(p, 32), {slots})[0];
    for (std::size_t i = 0; i < slots.size(); ++i) EXPECT_EQ(actual[i], table[slots[i]]);
  }
}

TEST(Interpolate, RefusesWhatIsNoTable) {
  const Words two{1, 18};
  expect_refusal_of("interpolate", {"point 1 modulo 17 twice"}, [&] { interpolate(17, two, two); });
  expect_refusal_of("interpolate", {"t = 15", "a prime"}, [&] { interpolate(15, two); });
  expect_refusal_of("interpolate", {"2 points and 1 values"},
                    [&] { interpolate(19, two, std::span(two).first(1)); });
  expect_refusal_of("interpolate", {"0 points"},
                    [&] { interpolate(19, std::span<const std::uint64_t>()); });
}

}  // namespace
}  // namespace ringlet::test
