// SPDX-License-Identifier: Apache-2.0
// Tests the card that keeps the key, at the paper's ring m = 2783, with one lane and with four:
// results bit for bit, and the cycles that README.md promises.
#include "Vresident_four.h"
#include "Vresident_one.h"
#include "hw/karatsuba/tb/resident_session.hpp"
#include "ringlet/fv/wide_product.hpp"

namespace ringlet::hw::resident {
namespace {

constexpr std::uint64_t kIndex = 2783;
constexpr std::size_t kDegree = 2420;
/// Cycles of both components of all lanes: blocks of `cells` coefficients that fill, then add.
constexpr std::uint64_t period(std::uint64_t cells) {
  return 2 * ((kDegree + cells - 1) / cells) * (kDegree + cells);
}

Key random_key(std::mt19937_64& rng, Values values = Values::random) {
  return make_key(kDegree, WideModulus::largest_prime(125).value(), 11, values, rng);
}

template <class Driver>
void load(Driver& driver, const Key& key) {
  std::vector<Burst> input;
  append(input, key);
  EXPECT_EQ(input.size(), 3 + 2 * kDegree);
  ASSERT_TRUE(driver.run(input, 0, {}));
}

/// Cycle of the last burst of encryption `i`, in groups of `lanes` that are all full.
std::uint64_t end_of(const std::vector<std::uint64_t>& cycles, std::size_t i, std::size_t lanes) {
  const std::size_t polynomials = i / lanes * 2 * lanes + lanes + i % lanes + 1;
  return cycles[polynomials * (kDegree + 1) - 1];
}

/// Expects `first` cycles for the first group, and `period` cycles for each later one.
template <class Top>
void expect_cycles(std::size_t lanes, std::size_t count, std::uint64_t first,
                   std::uint64_t period) {
  auto rng = test::make_rng();
  StreamDriver<Top> driver(rng());
  const Key key = random_key(rng);
  const Oracle oracle(kIndex, key);
  load(driver, key);
  const std::size_t first_input = driver.input_cycles().size();
  const Session session = make_session(oracle, key, kDegree, count, lanes, rng);
  EXPECT_EQ(session.input.size(), count * 645);
  ASSERT_TRUE(driver.run(session.input, 2 * count * (kDegree + 1), {}));
  expect_results(driver.output(), session.groups, kDegree);

  const auto& cycles = driver.output_cycles();
  const std::uint64_t start = driver.input_cycles()[first_input];
  const std::uint64_t end = count < lanes ? cycles.back() : end_of(cycles, lanes - 1, lanes);
  const std::uint64_t latency = end - start + 1;
  std::printf("%zu lanes: %llu cycles from the first burst in to the last one out\n", lanes,
              static_cast<unsigned long long>(latency));
  EXPECT_EQ(latency, first);
  for (std::size_t i = lanes; i < count; ++i) {
    EXPECT_EQ(end_of(cycles, i, lanes) - end_of(cycles, i - lanes, lanes), period);
  }
}

TEST(Resident, OneLaneTakesTheCyclesThatItPromises) {
  expect_cycles<Vresident_one>(1, 4, 43332, period(398));
}

TEST(Resident, FourLanesTakeTheCyclesThatTheyPromise) {
  expect_cycles<Vresident_four>(4, 1, 33809, 0);
  expect_cycles<Vresident_four>(4, 12, 44231, period(557));
}

TEST(Resident, AgreesAtTheEdges) {
  auto rng = test::make_rng();
  StreamDriver<Vresident_four> driver(rng());
  const Key key = random_key(rng, Values::largest);
  const Oracle oracle(kIndex, key);
  load(driver, key);
  std::vector<Burst> input;
  Group group{{}, &oracle, key.name};
  for (const Values values :
       {Values::largest, Values::smallest_noise, Values::zero, Values::random}) {
    group.encryptions.push_back(make_encryption(kDegree, 0, key.name, values, rng));
    append(input, group.encryptions.back());
  }
  ASSERT_TRUE(driver.run(input, 8 * (kDegree + 1), {}));
  expect_results(driver.output(), {group}, kDegree);
}

/// Ten encryptions in an ordinary run, and 10^3 in the long one.
TEST(Resident, AgreesUnderRandomBackPressure) {
  auto rng = test::make_rng();
  StreamDriver<Vresident_four> driver(rng());
  const std::size_t count = test::scaled(10);
  const WideModulus q = WideModulus::largest_prime(125);
  const CyclotomicPolynomial phi(kIndex);
  const WideProduct product(phi, q);
  const Key key = random_key(rng);
  const Oracle oracle(kIndex, key);
  load(driver, key);
  std::size_t done = 0;
  while (done < count) {
    const std::size_t now = std::min<std::size_t>(count - done, 12);
    const Session session = make_session(oracle, key, kDegree, now, 4, rng);
    const std::size_t before = driver.output().size();
    const StreamRates rates{static_cast<unsigned>(16 + rng() % 241),
                            static_cast<unsigned>(64 + rng() % 193)};
    ASSERT_TRUE(driver.run(session.input, before + now * 2 * (kDegree + 1), rates));
    const std::vector<Burst> output(driver.output().begin() + static_cast<std::ptrdiff_t>(before),
                                    driver.output().end());
    expect_results(output, session.groups, kDegree);
    if (HasFatalFailure()) return;

    // The library's own product, of the first encryption's second component.
    const Encryption& one = session.groups[0].encryptions[0];
    const std::vector<std::int8_t> u(one.u.begin(), one.u.end());
    const std::vector<std::int32_t> noise(one.noise[1].begin(), one.noise[1].end());
    std::array<WidePoly, 1> result;
    const std::array<std::span<const std::int8_t>, 1> us{u};
    const std::array<std::span<const std::int32_t>, 1> es{noise};
    product.multiply_add(result, *product.prepare(key.polys[1]), us, es);
    const std::size_t lanes = session.groups[0].encryptions.size();
    for (std::size_t i = 0; i < kDegree; ++i) {
      const Burst& burst = output[lanes * (kDegree + 1) + 1 + i];
      ASSERT_EQ(result[0][i], (WideInteger{burst[0], burst[1], 0})) << i;
    }
    done += now;
  }
}

}  // namespace
}  // namespace ringlet::hw::resident
