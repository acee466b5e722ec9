// SPDX-License-Identifier: Apache-2.0
// Sums of rotations, which a run computes with one division.
#include <map>
#include <set>

#include "circuits/run/schedule.hpp"
#include "ringlet/circuits/slot_sums.hpp"
#include "support/circuits/declared_circuit.hpp"
#include "support/environment.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kLength = 32;

Circuit sum_of(std::size_t count, int stride) {
  Circuit circuit(kLength);
  circuit.output(sum_slots(circuit, circuit.input(), count, stride));
  return circuit;
}

/// Parameters of 64 coefficients with so many data primes and special primes.
EncryptionParameters parms_of(std::size_t primes, std::size_t special_primes) {
  EncryptionParameters parms = CkksBench::context(64, primes + special_primes - 2).parms();
  const auto all = parms.coeff_modulus();
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(primes);
  parms.set_coeff_modulus({all.begin(), middle}, {middle, all.end()});
  return parms;
}

TEST(RotationSums, TwoDoublingsTakeThreeRotationsWhereTheirKeysAreThere) {
  const RingSpec ring = RingSpec::power_of_two(64);
  const HasGaloisKey has_powers_of_two = [&](std::uint64_t element) {
    for (int step = 1; step < 32; step *= 2) {
      if (ring.galois_element_from_step(step) == element) return true;
    }
    return false;
  };
  // A sum that another rotation reads too stays as it is.
  const std::map<std::size_t, std::size_t> pairs_of{{2, 0},  {4, 1}, {8, 1}, {16, 2},
                                                    {32, 2}, {6, 0}, {13, 1}};
  for (const auto& [count, pairs] : pairs_of) {
    const Circuit circuit = sum_of(count, 1);
    const std::size_t fewest = sum_slots_rotations(count);
    const auto joined = [&](std::size_t primes, const HasGaloisKey& has_key, std::size_t special) {
      const PlanCounts counts =
          CircuitPlan(circuit, parms_of(primes, special), 0x1p40, has_key).counts();
      return counts.automorphisms - fewest;
    };
    SCOPED_TRACE(count);
    for (const std::size_t primes : {1, 3}) EXPECT_EQ(joined(primes, any_galois_key(), 1), pairs);
    EXPECT_EQ(joined(4, any_galois_key(), 1), 0U) << "many primes";
    EXPECT_EQ(joined(2, any_galois_key(), 2), 0U) << "digits of two primes";
    EXPECT_EQ(joined(1, has_powers_of_two, 1), 0U);
    EXPECT_EQ(joined(1, {}, 1), 0U);
  }
  // Steps that make a whole row, and a sum of which the half is a result too.
  EXPECT_EQ(CircuitPlan(sum_of(32, 8), parms_of(1, 1), 0x1p40, any_galois_key()).counts().hoisted,
            2U);
  Circuit halves(kLength);
  const CircuitValue half = sum_slots(halves, halves.input(), 2);
  halves.output(half);
  halves.output(halves.add(half, halves.rotate(half, 2)));
  EXPECT_EQ(CircuitPlan(halves, parms_of(1, 1), 0x1p40, any_galois_key()).counts().hoisted, 0U);
}

TEST(RotationSums, AreFoundWithTheirAddends) {
  Circuit circuit(kLength);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  const CircuitValue moved = circuit.rotate(y, 5);  // a result as well: no part of a sum
  const CircuitValue left = circuit.add(circuit.rotate(x, 1), circuit.rotate(y, 2));
  const CircuitValue right = circuit.add(moved, circuit.rotate(x, 3));
  circuit.output(circuit.add(left, circuit.add(right, x)));
  circuit.output(moved);
  circuit.output(circuit.subtract(circuit.rotate(x, 4), y));
  const CircuitPlan plan = ckks_plan(circuit, 1);
  const circuits::Schedule schedule(plan);
  ASSERT_EQ(schedule.sums.size(), 1U);
  const auto& [last, sum] = *schedule.sums.begin();
  EXPECT_EQ(sum.rotated, (std::map<std::size_t, std::vector<int>>{{0, {1, 3}}, {1, {2}}}));
  EXPECT_EQ(sum.addends.size(), 2U);
  EXPECT_EQ(sum.parts.size(), 3U + 4U);
  EXPECT_EQ(sum.parts.back(), last);
  EXPECT_EQ(std::ranges::count(schedule.is_part, true), 6);
  EXPECT_EQ(schedule.last_use[0], last) << "x is read when the sum is made";
}

/// Sums of rotated values of several kinds: of inputs and products, with addends and without.
Circuit sums_of_all_kinds() {
  Circuit circuit(kLength);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  const CircuitValue product = circuit.multiply(x, y);
  circuit.output(sum_slots(circuit, x, 16, 3));
  circuit.output(sum_slots(circuit, product, 8));
  circuit.output(circuit.add(x, circuit.rotate(y, 7)));
  circuit.output(circuit.add(circuit.rotate(product, 1), y));
  // BGV: values of different correction factors, which are balanced one by one.
  circuit.output(circuit.add(circuit.rotate(circuit.multiply(product, product), 2), y));
  CircuitValue many = circuit.rotate(y, 31);
  for (int step = 1; step < 12; ++step) many = circuit.add(many, circuit.rotate(x, step));
  circuit.output(circuit.add(many, circuit.rotate(product, 4)));
  return circuit;
}

TEST(RotationSums, HaveTheValuesOfTheirParts) {
  std::mt19937_64 rng(test_seed());
  const Circuit circuit = sums_of_all_kinds();
  for (const std::size_t degree : {64, 2048}) {
    const auto expect_values = [&](auto bench) {
      for (const HasGaloisKey& has_key : {any_galois_key(), HasGaloisKey()}) {
        bench.has_key = has_key;
        bench.expect_run(circuit, rng);
      }
    };
    expect_values(CkksBench(degree, 2));
    for (const SchemeType scheme : kExactSchemes) expect_values(ExactBench(scheme, degree, 4));
  }
}

}  // namespace
}  // namespace ringlet::test
