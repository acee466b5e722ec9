// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/ring_search.hpp"

#include "ringlet/ring/cyclotomic.hpp"
#include "ringlet/rlwe/security.hpp"
#include "support/reference/flint_poly.hpp"
#include "support/refusal.hpp"

namespace ringlet::test {
namespace {

template <typename Call>
void expect_refusal(const std::string& part, const std::string& remedy, const Call& call) {
  expect_error<InvalidArgument>(part, call, [&](const InvalidArgument& error) {
    EXPECT_NE(error.offending().find(part), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find(remedy), std::string::npos) << error.what();
  });
}

void expect_equal(const RingProfile& a, const RingProfile& b) {
  const auto fields = [](const RingProfile& ring) {
    return std::tuple(ring.index, ring.degree, ring.slot_count, ring.slot_degree, ring.stride,
                      ring.weight, ring.max_coefficient);
  };
  EXPECT_EQ(fields(a), fields(b)) << "m = " << a.index;
}

// The rings that docs/rings.md names; FLINT agrees with their coefficients in CyclotomicPolynomial.
TEST(ProfileRing, OfKnownRings) {
  // Index, degree, slots, degree of a slot, stride, weight, largest coefficient.
  const std::vector<RingProfile> rings{
      {2783, 2420, 22, 110, 11, 41, 1},  {2827, 2560, 32, 80, 1, 1121, 1},
      {3205, 2560, 40, 64, 1, 1025, 1},  {3485, 2560, 64, 40, 1, 1271, 2},
      {9225, 4800, 80, 60, 15, 213, 2},  {10773, 5832, 108, 54, 27, 103, 1},
      {8191, 8190, 630, 13, 1, 8191, 1}, {5913, 3888, 72, 54, 27, 97, 1},
      {3875, 3000, 30, 100, 25, 49, 1},  {13797, 7776, 432, 18, 9, 375, 1},
  };
  for (const RingProfile& ring : rings) {
    expect_equal(profile_ring(ring.index), ring);
  }
}

// Slots are the irreducible factors modulo p, which FLINT finds.
TEST(ProfileRing, SlotsAreTheFactorsThatFlintFinds) {
  for (const std::uint64_t p : {2, 3, 5, 17, 257}) {
    for (std::uint64_t index = 3; index <= 100; ++index) {
      if (index % p == 0) continue;
      const RingProfile ring = profile_ring(index, p);
      const std::vector<FlintPoly> factors = FlintPoly::cyclotomic(index, p).factors();
      EXPECT_EQ(ring.slot_count, factors.size()) << index << ", " << p;
      EXPECT_EQ(static_cast<long>(ring.slot_degree), factors[0].degree());
    }
  }
}

TEST(ProfileRing, RefusesWhatCannotBatch) {
  expect_refusal("index = 2", "search_rings", [] { profile_ring(2); });
  expect_refusal("index = 0", "search_rings", [] { profile_ring(0, 3); });
  expect_refusal("index = 262145", "search_rings", [] { profile_ring(262145); });
  expect_refusal("index = 5566", "2783", [] { profile_ring(5566); });
  expect_refusal("index = 4096", "search_rings", [] { profile_ring(4096); });
  expect_refusal("index = 2783", "search_rings", [] { profile_ring(2783, 23); });
  for (const std::uint64_t p : {0, 1, 4, 9}) {
    expect_refusal("prime = " + std::to_string(p), "2 for bits", [&] { profile_ring(15, p); });
  }
}

// Each index by itself, filtered here.
std::vector<RingProfile> search_by_profiles(const RingSearch& search, std::uint64_t max_index) {
  std::vector<RingProfile> found;
  for (std::uint64_t index = 3; index <= max_index; ++index) {
    if (index % 4 == 2 || index % search.prime == 0) continue;
    const RingProfile ring = profile_ring(index, search.prime);
    const bool fits = ring.degree >= search.min_degree && ring.degree <= search.max_degree &&
                      ring.slot_count >= search.min_slots && ring.stride >= search.min_stride &&
                      (search.max_weight == 0 || ring.weight <= search.max_weight) &&
                      max_modulus_bits(ring.degree) >= search.min_modulus_bits;
    if (fits) found.push_back(ring);
  }
  std::ranges::sort(found, {}, [](const RingProfile& ring) {
    return std::tuple(ring.degree, ring.weight, ring.index);
  });
  return found;
}

void expect_search(const RingSearch& search, std::uint64_t max_index) {
  const std::vector<RingProfile> found = search_rings(search);
  const std::vector<RingProfile> expected = search_by_profiles(search, max_index);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) expect_equal(found[i], expected[i]);
}

// phi(m) <= 240 has m <= 1050 (1050 = 2 * 3 * 5^2 * 7), phi(m) <= 3000 has m <= 13650.
TEST(SearchRings, FindsAllRingsThatFit) {
  expect_search({.max_degree = 240}, 1050);
  expect_search({.prime = 3, .max_degree = 240}, 1050);
  expect_search({.prime = 17, .max_degree = 240, .min_slots = 30, .max_weight = 50}, 1050);
  expect_search(
      {.min_degree = 1200, .max_degree = 3000, .min_slots = 20, .max_weight = 100, .min_stride = 3},
      13650);
  expect_search({.min_degree = 1200,
                 .max_degree = 3000,
                 .min_slots = 20,
                 .max_weight = 100,
                 .min_modulus_bits = 60},
                13650);
}

TEST(SearchRings, FindsThePapersRingAndThoseOf128Bits) {
  const auto contains = [](const RingSearch& search, std::uint64_t index) {
    return std::ranges::any_of(search_rings(search),
                               [=](const RingProfile& ring) { return ring.index == index; });
  };
  const RingSearch paper{.min_degree = 2400, .max_degree = 2560, .min_slots = 22, .max_weight = 41};
  EXPECT_TRUE(contains(paper, 2783));
  RingSearch secure{
      .min_degree = 4096, .min_slots = 64, .max_weight = 250, .min_modulus_bits = 125};
  EXPECT_TRUE(contains(secure, 10773));
  secure.min_modulus_bits = 154;
  EXPECT_FALSE(contains(secure, 10773));
}

TEST(SearchRings, RefusesWhatItCannotSearch) {
  expect_refusal("max_degree = 0", "range", [] { search_rings({.max_degree = 0}); });
  expect_refusal("max_degree = 32769", "range", [] { search_rings({.max_degree = 32769}); });
  expect_refusal("prime = 6", "2 for bits", [] { search_rings({.prime = 6}); });
  EXPECT_TRUE(search_rings({.min_degree = 100, .max_degree = 99}).empty());
}

}  // namespace
}  // namespace ringlet::test
