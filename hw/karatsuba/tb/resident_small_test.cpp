// SPDX-License-Identifier: Apache-2.0
// Tests the card that keeps the key, with small rings: frames, groups and back-pressure.

#include "Vresident_45.h"
#include "Vresident_99.h"
#include "hw/karatsuba/tb/resident_session.hpp"

namespace ringlet::hw::resident {
namespace {

template <class Top, std::uint64_t kIndex, std::size_t kDegree, std::size_t kLanes>
struct Card {
  using Driver = StreamDriver<Top>;
  static constexpr std::uint64_t index = kIndex;
  static constexpr std::size_t degree = kDegree;
  static constexpr std::size_t lanes = kLanes;
};

template <class C>
class ResidentSmall : public ::testing::Test {};
using Cards = ::testing::Types<Card<Vresident_45, 45, 24, 2>, Card<Vresident_99, 99, 60, 4>>;
TYPED_TEST_SUITE(ResidentSmall, Cards);

constexpr std::array<StreamRates, 5> kRates{
    {{256, 256}, {256, 30}, {40, 256}, {128, 128}, {20, 12}}};

TYPED_TEST(ResidentSmall, EncryptsAsFlintUnderBackPressure) {
  constexpr std::size_t n = TypeParam::degree;
  auto rng = test::make_rng();
  typename TypeParam::Driver driver(rng());
  std::uint32_t tag = 0;
  for (std::size_t round = 0; round < test::scaled(20); ++round) {
    // Moduli of all sizes above the noise, including composite ones.
    const int bits = round % 4 == 0 ? 125 : 17 + static_cast<int>(rng() % 109);
    WideInteger q = WideModulus::largest_prime(bits).value();
    if (round % 3 == 2) q[0] -= 2;
    const std::array<Values, 4> kinds{Values::random, Values::random, Values::largest,
                                      Values::zero};
    const Key key = make_key(n, q, static_cast<std::uint32_t>(rng()), kinds[round % 4], rng);
    const Oracle oracle(TypeParam::index, key);
    std::vector<Burst> input;
    append(input, key);
    std::vector<Group> groups(1, {{}, &oracle, key.name});
    const std::size_t count = 1 + rng() % (3 * TypeParam::lanes);
    for (std::size_t i = 0; i < count; ++i) {
      const Values values = static_cast<Values>(rng() % 8 < 3 ? rng() % 4 : 0);
      Encryption encryption = make_encryption(n, tag++, key.name, values, rng);
      if (rng() % 8 == 0) encryption.key_name ^= 1u << rng() % 32;
      encryption.ends_group = rng() % 4 == 0 || i + 1 == count;
      append(input, encryption);
      groups.back().encryptions.push_back(encryption);
      const bool full = groups.back().encryptions.size() == TypeParam::lanes;
      if ((encryption.ends_group || full) && i + 1 < count) {
        groups.push_back({{}, &oracle, key.name});
      }
    }
    const std::size_t before = driver.output().size();
    const std::size_t wanted = before + 2 * count * (n + 1);
    ASSERT_TRUE(driver.run(input, wanted, kRates[round % kRates.size()])) << "round " << round;
    driver.idle(50);
    const std::vector<Burst> output = driver.output();
    expect_results(std::span(output).subspan(before), groups, n);
    if (this->HasFatalFailure()) return;
  }
}

// A key makes an open group complete, and takes effect after all encryptions before it.
TYPED_TEST(ResidentSmall, ChangesKeysInTheMidstOfGroups) {
  constexpr std::size_t n = TypeParam::degree;
  auto rng = test::make_rng();
  typename TypeParam::Driver driver(rng());
  std::vector<std::unique_ptr<Key>> keys;
  std::vector<std::unique_ptr<Oracle>> oracles;
  std::vector<Burst> input;
  std::vector<Group> groups;
  std::size_t count = 0;
  for (std::uint32_t name = 1; name <= 6; ++name) {
    const WideInteger q = WideModulus::largest_prime(100 + static_cast<int>(name)).value();
    keys.push_back(std::make_unique<Key>(make_key(n, q, name, Values::random, rng)));
    oracles.push_back(std::make_unique<Oracle>(TypeParam::index, *keys.back()));
    append(input, *keys.back());
    groups.push_back({{}, oracles.back().get(), name});
    // One encryption fewer than a full group, and none of them ends it. The last group is ended.
    for (std::size_t i = 0; i + 1 < TypeParam::lanes; ++i) {
      groups.back().encryptions.push_back(
          make_encryption(n, static_cast<std::uint32_t>(count++), name, Values::random, rng));
      groups.back().encryptions.back().ends_group = name == 6 && i + 2 == TypeParam::lanes;
      append(input, groups.back().encryptions.back());
    }
  }
  ASSERT_TRUE(driver.run(input, 2 * count * (n + 1), {200, 200}));
  driver.idle(50);
  expect_results(driver.output(), groups, n);
}

// Frames of unknown kinds are counted and skipped; without a key every result is marked.
TYPED_TEST(ResidentSmall, MarksWhatItCannotDo) {
  constexpr std::size_t n = TypeParam::degree;
  auto rng = test::make_rng();
  typename TypeParam::Driver driver(rng());
  Key key = make_key(n, WideModulus::largest_prime(125).value(), 0, Values::random, rng);
  const Oracle oracle(TypeParam::index, key);
  std::vector<Burst> input;
  Encryption early = make_encryption(n, 7, 0, Values::random, rng);
  early.ends_group = true;
  append(input, early);
  input.push_back({3, 0});
  input.push_back({0, 0});
  append(input, key);
  input.push_back({255, ~std::uint64_t{0}});
  Encryption late = make_encryption(n, 8, 0, Values::random, rng);
  late.ends_group = true;
  append(input, late);
  ASSERT_TRUE(driver.run(input, 4 * (n + 1), {}));
  driver.idle(50);
  EXPECT_EQ(driver.top().unknown_frames, 3U);
  expect_results(driver.output(), {{{early}, &oracle, 1}, {{late}, &oracle, 0}}, n);
}

TEST(ResidentFrames, RefusesOperandsThatDoNotFit) {
  auto rng = test::make_rng();
  std::vector<Burst> stream;
  Encryption encryption = make_encryption(24, 0, 0, Values::random, rng);
  encryption.u[3] = 2;
  EXPECT_THROW(append(stream, encryption), InvalidArgument);
  encryption.u[3] = 1;
  encryption.noise[1].pop_back();
  EXPECT_THROW(append(stream, encryption), InvalidArgument);
  EXPECT_TRUE(stream.empty());
  const std::vector<Burst> damaged(30, Burst{1, 0});
  std::span<const Burst> rest = damaged;
  EXPECT_THROW(take_polynomial(rest, 24), InvalidArgument);
  const std::vector<Burst> truncated(24, Burst{129, 0});
  rest = truncated;
  EXPECT_FALSE(take_polynomial(rest, 24).has_value());
  EXPECT_EQ(rest.size(), 24U);
}

}  // namespace
}  // namespace ringlet::hw::resident
