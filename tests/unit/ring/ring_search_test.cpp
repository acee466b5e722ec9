// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include <flint/nmod_poly.h>
#include <gtest/gtest.h>

#include "ringlet/cyclotomic.hpp"
#include "ringlet/error.hpp"
#include "ringlet/security.hpp"

namespace ringlet::test {
namespace {

template <typename Call>
void expect_refusal(const std::string& part, const std::string& remedy, Call call) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << part;
  } catch (const InvalidArgument& error) {
    EXPECT_NE(error.offending().find(part), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find(remedy), std::string::npos) << error.what();
    EXPECT_FALSE(error.limit().empty());
  }
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
  for (const RingProfile& ring : std::vector<RingProfile>{{.index = 2783,
                                                           .degree = 2420,
                                                           .slot_count = 22,
                                                           .slot_degree = 110,
                                                           .stride = 11,
                                                           .weight = 41,
                                                           .max_coefficient = 1},
                                                          {.index = 2827,
                                                           .degree = 2560,
                                                           .slot_count = 32,
                                                           .slot_degree = 80,
                                                           .stride = 1,
                                                           .weight = 1121,
                                                           .max_coefficient = 1},
                                                          {.index = 3205,
                                                           .degree = 2560,
                                                           .slot_count = 40,
                                                           .slot_degree = 64,
                                                           .stride = 1,
                                                           .weight = 1025,
                                                           .max_coefficient = 1},
                                                          {.index = 3485,
                                                           .degree = 2560,
                                                           .slot_count = 64,
                                                           .slot_degree = 40,
                                                           .stride = 1,
                                                           .weight = 1271,
                                                           .max_coefficient = 2},
                                                          {.index = 9225,
                                                           .degree = 4800,
                                                           .slot_count = 80,
                                                           .slot_degree = 60,
                                                           .stride = 15,
                                                           .weight = 213,
                                                           .max_coefficient = 2},
                                                          {.index = 10773,
                                                           .degree = 5832,
                                                           .slot_count = 108,
                                                           .slot_degree = 54,
                                                           .stride = 27,
                                                           .weight = 103,
                                                           .max_coefficient = 1},
                                                          {.index = 8191,
                                                           .degree = 8190,
                                                           .slot_count = 630,
                                                           .slot_degree = 13,
                                                           .stride = 1,
                                                           .weight = 8191,
                                                           .max_coefficient = 1},
                                                          {.index = 5913,
                                                           .degree = 3888,
                                                           .slot_count = 72,
                                                           .slot_degree = 54,
                                                           .stride = 27,
                                                           .weight = 97,
                                                           .max_coefficient = 1},
                                                          {.index = 3875,
                                                           .degree = 3000,
                                                           .slot_count = 30,
                                                           .slot_degree = 100,
                                                           .stride = 25,
                                                           .weight = 49,
                                                           .max_coefficient = 1},
                                                          {.index = 13797,
                                                           .degree = 7776,
                                                           .slot_count = 432,
                                                           .slot_degree = 18,
                                                           .stride = 9,
                                                           .weight = 375,
                                                           .max_coefficient = 1}}) {
    expect_equal(profile_ring(ring.index), ring);
  }
}

// Slots are the irreducible factors modulo p, which FLINT finds.
TEST(ProfileRing, SlotsAreTheFactorsThatFlintFinds) {
  for (const std::uint64_t p : {2, 3, 5, 17, 257}) {
    for (std::uint64_t index = 3; index <= 100; ++index) {
      if (index % p == 0) continue;
      const RingProfile ring = profile_ring(index, p);
      const CyclotomicPolynomial polynomial(index);
      nmod_poly_t phi;
      nmod_poly_init(phi, p);
      for (std::size_t i = 0; i <= polynomial.degree(); ++i) {
        const std::int32_t c = polynomial.coefficients()[i];
        nmod_poly_set_coeff_ui(
            phi, static_cast<slong>(i),
            c < 0 ? p - static_cast<std::uint64_t>(-c) % p : static_cast<std::uint64_t>(c) % p);
      }
      nmod_poly_factor_t factors;
      nmod_poly_factor_init(factors);
      nmod_poly_factor(factors, phi);
      EXPECT_EQ(ring.slot_count, static_cast<std::size_t>(factors->num)) << index << ", " << p;
      EXPECT_EQ(ring.slot_degree, static_cast<std::size_t>(nmod_poly_degree(factors->p)));
      nmod_poly_factor_clear(factors);
      nmod_poly_clear(phi);
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
