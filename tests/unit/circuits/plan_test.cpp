// SPDX-License-Identifier: Apache-2.0
#include "circuits/declare/diagonals.hpp"
#include "support/circuits/declared_circuit.hpp"

// Where a plan relinearizes, rescales and rotates: what it puts off, and at which level it works.

namespace ringlet::test {
namespace {

constexpr std::size_t kLevels = 6;
using Counts = std::vector<std::size_t>;

/// A circuit of two inputs, and its plan for CKKS.
class Placement : public testing::Test {
 protected:
  CircuitPlan plan() const { return ckks_plan(circuit_, kLevels); }
  PlanCounts counts() const { return plan().counts(); }
  /// Primes of the results of all rotations and conjugates, ascending.
  Counts rotated_primes() const {
    const CircuitPlan made = plan();
    Counts primes;
    for (const PlanStep& step : made.steps()) {
      if (step.operation == PlanOperation::rotate || step.operation == PlanOperation::conjugate) {
        primes.push_back(step.prime_count);
      }
    }
    std::ranges::sort(primes);
    return primes;
  }
  CircuitValue times(CircuitValue a, CircuitValue b) { return circuit_.multiply(a, b); }
  CircuitValue times(CircuitValue a, std::int64_t factor) {
    return circuit_.multiply(a, KnownVector(factor));
  }
  /// Multiplies by a vector, which takes a level.
  CircuitValue times_row(CircuitValue a, std::int64_t first) {
    return circuit_.multiply(a, KnownVector(KnownVector::Integers{first, 3, 5}));
  }
  /// x^8 by three squarings.
  CircuitValue eighth(CircuitValue x) {
    for (int i = 0; i < 3; ++i) x = times(x, x);
    return x;
  }

  static void expect_runs(const Circuit& circuit, std::mt19937_64& rng) {
    static const CkksBench ckks(64, kLevels);
    static const ExactBench bfv(SchemeType::bfv, 64, 9);
    static const ExactBench bgv(SchemeType::bgv, 64, 9);
    ckks.expect_run(circuit, rng);
    bfv.expect_run(circuit, rng);
    bgv.expect_run(circuit, rng);
  }
  void expect_runs() { expect_runs(circuit_, rng_); }

  std::mt19937_64 rng_{test_seed()};
  Circuit circuit_{32};
  const CircuitValue x_ = circuit_.input(1.5);
  const CircuitValue y_ = circuit_.input(1.5);
};

TEST_F(Placement, ProductsOfASumAreRelinearizedOnce) {
  const CircuitValue deep = times(eighth(x_), y_);
  circuit_.output(circuit_.subtract(circuit_.add(times(x_, y_), deep), x_));
  // x^2, x^4, x^8, and the sum of two products of depths 1 and 4.
  EXPECT_EQ(counts().relinearizations, 4U);
  EXPECT_EQ(circuit_.depth(), 4U);
  expect_runs();
}

TEST_F(Placement, AProductThatIsTakenTwiceIsNotPutOff) {
  const CircuitValue xy = times(x_, y_);
  circuit_.output(circuit_.add(xy, times(eighth(x_), y_)));
  circuit_.output(times(xy, y_));
  EXPECT_EQ(counts().relinearizations, 6U);
  expect_runs();
}

TEST_F(Placement, KnownProductsTakeTheScaleThatIsMissing) {
  const CircuitValue x8 = eighth(x_);
  circuit_.output(times(circuit_.add(times_row(y_, 7), times(x_, 9)), x8));
  // x^2, x^4, x^8, the sum at the level of x^4, and the product: no value is brought down.
  EXPECT_EQ(counts().rescalings, 5U);
  EXPECT_EQ(counts().relinearizations, 4U);
  expect_runs();
}

TEST_F(Placement, AProductForKnownFactorsAloneKeepsThreeParts) {
  circuit_.output(circuit_.sum(std::vector{times_row(times(x_, y_), 2), times_row(times(x_, x_), 3),
                                           times_row(times(y_, y_), 4)}));
  EXPECT_EQ(counts().relinearizations, 1U);
  expect_runs();
}

TEST_F(Placement, AFormOfTwoPartsThatIsThereServesSumsToo) {
  const CircuitValue xy = times(x_, y_);
  const CircuitValue a = circuit_.add(xy, x_);
  const CircuitValue b = circuit_.add(times(xy, 3), y_);
  circuit_.output(circuit_.rotate(xy, 1));
  circuit_.output(times(a, b));
  // x y, and the product.
  for (const SchemeType scheme : kExactSchemes) {
    EXPECT_EQ(exact_plan(circuit_, scheme).counts().relinearizations, 2U);
  }
  EXPECT_EQ(counts().relinearizations, 2U);
  expect_runs();
}

TEST_F(Placement, AValueForProductsAndSumsIsRelinearizedOnce) {
  const CircuitValue xy = times(x_, y_);
  circuit_.output(times(xy, xy));
  circuit_.output(circuit_.add(times(xy, 2), x_));
  circuit_.output(times(circuit_.add(xy, KnownVector(1)), y_));
  // x y, its square, and the last product.
  EXPECT_EQ(counts().relinearizations, 3U);
  expect_runs();
}

TEST_F(Placement, AProductIsRescaledOnceBeforeItIsRotatedForProducts) {
  const CircuitValue xx = times(x_, x_);
  std::vector<CircuitValue> terms;
  for (const int step : {1, 2, 3, 4}) {
    terms.push_back(circuit_.multiply(circuit_.rotate(xx, step), KnownVector(0.25)));
    terms.push_back(times(circuit_.rotate(xx, step), xx));
  }
  circuit_.output(circuit_.sum(terms));
  EXPECT_EQ(rotated_primes(), Counts(4, kLevels));
  EXPECT_EQ(counts().rescalings, 2U);
  EXPECT_EQ(counts().hoisted, 3U);
  EXPECT_EQ(counts().relinearizations, 2U);
}

TEST_F(Placement, AProductThatIsRotatedForSumsIsRescaledAfterThem) {
  const CircuitValue product = times(x_, x_);
  std::vector<CircuitValue> images{product};
  for (const int step : {4, 2, 1}) images.push_back(circuit_.rotate(product, step));
  circuit_.output(circuit_.sum(images));
  EXPECT_EQ(rotated_primes(), Counts(3, kLevels + 1));
  EXPECT_EQ(counts().rescalings, 1U);
  EXPECT_EQ(counts().relinearizations, 1U);
  expect_runs();
}

TEST_F(Placement, AProductWhoseSumsAreRotatedIsRescaledBefore) {
  for (const bool is_negated : {false, true}) {
    CircuitValue sum = times(x_, x_);
    for (const int step : {4, 2, 1}) {
      if (is_negated) sum = circuit_.negate(sum);
      sum = circuit_.add(sum, circuit_.rotate(sum, step));
    }
    circuit_.output(sum);
  }
  EXPECT_EQ(rotated_primes(), Counts(6, kLevels));
  EXPECT_EQ(counts().rescalings, 2U);
  EXPECT_EQ(counts().relinearizations, 2U);
  expect_runs();
}

TEST_F(Placement, RotationsAreMadeWhereTheyAreAskedFor) {
  const CircuitValue cube = times(times(x_, x_), x_);  // depth 2
  circuit_.output(times(cube, circuit_.rotate(y_, 1)));
  circuit_.output(times(cube, circuit_.rotate(y_, 5)));
  circuit_.output(times(cube, circuit_.conjugate(y_)));
  EXPECT_EQ(rotated_primes(), Counts(3, kLevels - 1));
  // x^2, x brought down for x^3, x^3, y brought down once, three results.
  EXPECT_EQ(counts().rescalings, 7U);
  expect_runs();
  // A rotation at a higher level keeps all of them there: they share their digits.
  circuit_.output(times(circuit_.rotate(y_, 7), x_));
  EXPECT_EQ(rotated_primes(), (Counts{kLevels - 1, kLevels + 1, kLevels + 1, kLevels + 1}));
  expect_runs();
}

TEST_F(Placement, SumsWithProductsAreStillRelinearizedOnce) {
  const CircuitValue xx = times(x_, x_);
  circuit_.output(
      circuit_.sum(std::vector{times(times(xx, x_), y_), times(circuit_.rotate(y_, 3), 3),
                               circuit_.rotate(x_, 2), times(xx, xx)}));
  // x^2, x^3, and the sum.
  EXPECT_EQ(counts().relinearizations, 3U);
  expect_runs();
}

// Operations on random values so far, which stay small enough for CKKS and of depth 4. No value is
// negative, so that nothing cancels: a computed zero is refused.
Circuit circuit_of_depth_4(std::mt19937_64& rng) {
  Circuit circuit(std::size_t{4} << (rng() % 4));
  std::vector<CircuitValue> values{circuit.input(1.5), circuit.input(1.5), circuit.input(1.5)};
  for (std::size_t i = 0; i < 24; ++i) {
    const CircuitValue a = values[rng() % values.size()];
    const CircuitValue b = values[rng() % values.size()];
    const int steps = static_cast<int>(rng() % 64) - 32;
    const std::size_t kind = rng() % 8;
    const CircuitValue made = kind < 2    ? circuit.rotate(a, steps)
                              : kind == 2 ? circuit.conjugate(a)
                              : kind == 3 ? circuit.multiply(a, KnownVector(rng() % 2 == 0 ? 2 : 3))
                              : kind == 4
                                  ? circuit.multiply(a, KnownVector(KnownVector::Integers{1, 3, 2}))
                              : kind == 5 ? circuit.multiply(a, b)
                              : kind == 6 ? circuit.add(a, b)
                                          : circuit.add(a, circuit.rotate(b, steps));
    Circuit result = circuit;
    result.output(made);
    if (result.depth() <= 4 && circuits::magnitude_of(circuit, made) < 100) values.push_back(made);
  }
  for (std::size_t i = 0; i < 3; ++i) circuit.output(values[values.size() - 1 - i]);
  return circuit;
}

TEST_F(Placement, OfRandomCircuits) {
  for (std::size_t i = 0; i < std::min<std::size_t>(scaled(15), 1000); ++i) {
    SCOPED_TRACE(i);
    expect_runs(circuit_of_depth_4(rng_), rng_);
    if (HasFailure()) return;
  }
}

TEST(CircuitRunner, LeavesOutWhatEncodesToZero) {
  std::mt19937_64 rng(test_seed());
  const auto run = [&](const KnownVector& zero, const auto& bench, bool is_exact = true) {
    Circuit circuit(8);
    const CircuitValue x = circuit.input();
    const CircuitValue y = circuit.input();
    const CircuitValue none = circuit.multiply(circuit.rotate(circuit.multiply(x, y), 3), zero);
    circuit.output(circuit.add(none, x));
    circuit.output(circuit.subtract(circuit.add(none, circuit.negate(none)), y));
    circuit.output(circuit.add(circuit.subtract(y, y), circuit.add(x, none)));
    const PlanCounts counts = bench.plan(circuit).counts();
    EXPECT_EQ(counts.multiplications + counts.known_multiplications + counts.automorphisms, 0U);
    // The sum of a zero and known numbers is a known factor.
    const CircuitValue three = circuit.add(none, KnownVector(3));
    circuit.output(circuit.multiply(three, y));
    circuit.output(circuit.add(circuit.multiply(x, y), three));
    bench.expect_run(circuit, rng);
    if (!is_exact) return;
    // Refused whether a factor is 0 for all parameters or for these only, and inside a circuit too.
    const CircuitValue one = circuit.subtract(circuit.add(x, KnownVector(1)), circuit.add(x, none));
    for (const CircuitValue value : {three, circuit.multiply(one, y)}) {
      Circuit other = circuit;
      expect_refusal("known numbers alone", [&] {
        other.output(value);
        bench.plan(other);
      });
    }
  };
  run(KnownVector(0.0), CkksBench(64, 3));
  run(KnownVector(KnownVector::Numbers{0x1p-60, -0x1p-61}), CkksBench(64, 3), false);
  for (const SchemeType scheme : kExactSchemes) {
    const ExactBench bench(scheme, 64, 4);
    const auto t = static_cast<std::int64_t>(bench.slots().t.n);
    run(KnownVector(-t), bench);
    run(KnownVector(KnownVector::Integers{-t, 0, 2 * t}), bench);
  }
}

TEST(Circuit, FindsResultsThatAreZeroWhateverTheInputsHold) {
  Circuit c(8);
  const CircuitValue x = c.input();
  const CircuitValue y = c.input();
  const CircuitValue minus = c.negate(x);
  const CircuitValue zero = c.multiply(x, KnownVector(0));
  const CircuitValue same = c.add(c.add(zero, x), KnownVector(0));
  for (const CircuitValue value :
       {zero,
        c.subtract(x, x),
        c.add(minus, x),
        c.add(x, c.negate(c.negate(minus))),
        c.subtract(c.negate(x), minus),
        c.subtract(same, x),
        c.add(c.subtract(zero, x), x),
        c.add(zero, zero),
        c.subtract(zero, zero),
        c.negate(zero),
        c.rotate(zero, 1),
        c.conjugate(zero),
        c.multiply(x, zero),
        c.multiply(zero, x),
        c.multiply(zero, KnownVector(2)),
        c.add(zero, KnownVector(0)),
        c.subtract(c.multiply(x, KnownVector(-2)), c.add(minus, minus)),
        c.subtract(c.multiply(x, KnownVector(-1024)),
                   c.multiply(c.multiply(minus, KnownVector(32)), KnownVector(32))),
        c.subtract(c.multiply(x, y), c.multiply(y, x)),
        c.subtract(c.subtract(c.multiply(c.add(x, y), c.subtract(x, y)), c.multiply(x, x)),
                   c.negate(c.multiply(y, y)))}) {
    expect_refusal_of("Circuit::output", {"0 for all inputs"}, [&] { c.output(value); });
  }
  const CircuitValue one = c.subtract(c.add(x, KnownVector(1)), x);
  for (const CircuitValue value :
       {one, c.negate(one), c.rotate(one, 1), c.conjugate(one), c.add(one, one),
        c.multiply(one, c.add(zero, KnownVector(2.5))), c.multiply(one, KnownVector(0.1)),
        c.add(zero, KnownVector(1)), c.subtract(c.add(y, one), y),
        c.subtract(c.rotate(c.add(x, one), 2), c.rotate(x, 2)),
        c.subtract(c.multiply(x, KnownVector(KnownVector::Numbers{1, 2})),
                   c.multiply(c.subtract(x, one), KnownVector(KnownVector::Numbers{1, 2})))}) {
    expect_refusal_of("Circuit::output", {"known numbers"}, [&] { c.output(value); });
  }
  EXPECT_TRUE(c.outputs().empty());
  for (const CircuitValue value :
       {c.add(x, x), c.add(minus, minus), c.subtract(x, minus), c.add(zero, x),
        c.subtract(x, c.rotate(x, 1)), c.subtract(x, c.conjugate(x)), c.multiply(one, x),
        c.subtract(c.multiply(x, y), c.multiply(x, x)),
        c.subtract(c.multiply(x, KnownVector(0x1p53 + 2)), c.multiply(x, KnownVector(0x1p53))),
        c.subtract(c.multiply(x, KnownVector((1L << 53) + 1)),
                   c.multiply(x, KnownVector(1L << 53))),
        c.subtract(c.multiply(x, KnownVector(KnownVector::Integers{1, 2})),
                   c.multiply(x, KnownVector(KnownVector::Integers{2, 1})))}) {
    EXPECT_NO_THROW(c.output(value)) << value.index;
  }
  // With as many results as values, the check is fast only if it looks at each value once.
  for (int i = 0; i < 200000; ++i) c.output(c.add(same, x));
}

TEST(CircuitRunner, RefusesResultsThatAreZero) {
  const auto product = [](const KnownVector& factor) {
    return circuit_of(8, [&](Circuit& one, CircuitValue x) { return one.multiply(x, factor); });
  };
  expect_refusal_of("Circuit::output", {"0 for all inputs"}, [&] { product(KnownVector(0)); });
  const CkksBench ckks(64, 3);
  for (const KnownVector& factor :
       {KnownVector(KnownVector::Numbers{0x1p-50, -0x1p-52}), KnownVector(0x1p-42)}) {
    expect_refusal_of("CircuitPlan", {"0 at scale"}, [&] { ckks.plan(product(factor)); });
  }
  const ExactBench bfv(SchemeType::bfv, 64, 4);
  const auto t = static_cast<std::int64_t>(bfv.slots().t.n);
  for (const KnownVector& factor : {KnownVector(t), KnownVector(KnownVector::Integers{-t, t})}) {
    expect_refusal_of("CircuitPlan", {"0 modulo " + std::to_string(t)},
                      [&] { bfv.plan(product(factor)); });
  }
  // A small term of a nonzero sum is accepted, whether or not rounding makes it 0.
  std::mt19937_64 rng(test_seed());
  for (const double factor : {0x1p-41, 0x1p-43, 0x1p-48}) {
    const auto sum = circuit_of(8, [&](Circuit& one, CircuitValue x) {
      return one.add(one.multiply(x, KnownVector(factor)), KnownVector(0.5));
    });
    EXPECT_NO_THROW(ckks.expect_run(sum, rng)) << factor;
  }
  bfv.expect_run(product(KnownVector(t + 1)), rng);
}

}  // namespace
}  // namespace ringlet::test
