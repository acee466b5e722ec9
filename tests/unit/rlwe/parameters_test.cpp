// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/parameters.hpp"

#include "ringlet/ring/cyclotomic.hpp"
#include "ringlet/rlwe/ring_search.hpp"
#include "rlwe_support.hpp"
#include "support/reference/flint_poly.hpp"

namespace ringlet::test {
namespace {

Words values(const std::vector<Modulus>& primes) {
  Words result;
  for (const Modulus& prime : primes) result.push_back(prime.value());
  return result;
}

TEST(CoeffModulus, GivesTheListThatSealGives) {
  // Published behaviour of SEAL 4 for this request.
  EXPECT_EQ(values(CoeffModulus::create(8192, {60, 40, 40, 60})),
            (Words{0xffffffffffe8001, 0xfffff4c001, 0xfffffdc001, 0xfffffffffffc001}));
}

TEST(CoeffModulus, PrimesOfOneSizeAreTheLargestSmallestFirst) {
  const auto primes = CoeffModulus::create(1024, {30, 25, 30, 30});
  EXPECT_LT(primes[0], primes[2]);
  EXPECT_LT(primes[2], primes[3]);
  EXPECT_EQ(primes[3], generate_ntt_primes(30, 1024, 1)[0]);
  EXPECT_EQ(primes[0], generate_ntt_primes(30, 1024, 3)[2]);
  for (const Modulus& prime : primes) {
    EXPECT_TRUE(is_prime(prime.value()));
    EXPECT_EQ(prime.value() % 2048, 1u);
  }
  EXPECT_EQ(primes[1].bit_count(), 25);
}

TEST(CoeffModulus, TakesThePreferredPrimes) {
  using enum PrimePreference;
  const std::vector<int> sizes = {60, 54, 55, 60, 40};
  const auto primes = CoeffModulus::create(1024, sizes, half_word_one);
  const auto sixty = generate_ntt_primes(60, 1024, 2, half_word_one);
  EXPECT_EQ(primes, (std::vector<Modulus>{sixty[1], generate_ntt_primes(54, 1024, 1)[0],
                                          generate_ntt_primes(55, 1024, 1, half_word_one)[0],
                                          sixty[0], generate_ntt_primes(40, 1024, 1)[0]}))
      << "sizes below 55 gain nothing";
  for (const std::size_t i : {0, 2, 3}) EXPECT_EQ(primes[i].value() % (1ull << 32), 1u);
  EXPECT_EQ(CoeffModulus::create(1024, sizes), CoeffModulus::create(1024, sizes, largest));

  const RingSpec ring = RingSpec::cyclotomic(2047);
  for (const Modulus& q : CoeffModulus::create(ring, {60, 60}, half_word_one)) {
    EXPECT_TRUE(is_prime(q.value()));
    EXPECT_EQ(q.value() % ring.modulus_step(), 1u);
    EXPECT_EQ(q.value() % (1ull << 32), 1u);
  }
}

TEST(CoeffModulus, EdgesOfTheRequest) {
  EXPECT_TRUE(CoeffModulus::create(4096, {}).empty());
  EXPECT_EQ(CoeffModulus::create(2, {61})[0].bit_count(), 61);
  EXPECT_EQ(CoeffModulus::create(2, {3})[0].value(), 5u);
  for (const std::size_t degree : Sizes{0, 1, 12, 262144}) {
    expect_refusal([&] { CoeffModulus::create(degree, {30}); }, "CoeffModulus::create",
                   {"degree = " + std::to_string(degree), "131072"});
  }
  for (const int bits : {-1, 0, 1, 62}) {
    expect_refusal([&] { CoeffModulus::create(4096, {40, bits}); }, "CoeffModulus::create",
                   {"bit size " + std::to_string(bits), "2 to 61"});
  }
  expect_refusal([] { CoeffModulus::create(4096, std::vector<int>(257, 40)); },
                 "CoeffModulus::create", {"257", "256"});
  EXPECT_THROW(CoeffModulus::create(4096, {13}), InvalidArgument) << "8192 + 1 has 14 bits";
}

TEST(PlainModulus, IsNoPrimeOfTheCoefficientModulus) {
  for (const int bits : {24, 30, 49, 60}) {
    const auto primes = CoeffModulus::create(8192, std::vector<int>(5, bits));
    const Modulus t = PlainModulus::batching(8192, bits, primes);
    EXPECT_EQ(t, generate_ntt_primes(bits, 8192, 6).back()) << "the next one";
    const std::uint64_t own = primes[2].value();
    const auto others =
        CoeffModulus::create(8192, std::vector<int>(5, bits), PrimePreference::largest, own);
    EXPECT_EQ(others.size(), 5U);
    for (const Modulus& q : others) EXPECT_NE(q.value(), own);
  }
  EXPECT_EQ(CoeffModulus::create(64, {30}, PrimePreference::largest, 0),
            CoeffModulus::create(64, {30}));
}

TEST(EncryptionParameters, KeepsWhatIsSet) {
  const auto parms = ckks(4096, {36, 36, 37});
  EXPECT_EQ(parms.scheme(), SchemeType::ckks);
  EXPECT_EQ(parms.poly_modulus_degree(), 4096u);
  EXPECT_EQ(parms.coeff_modulus().size(), 3u);
  EXPECT_EQ(EncryptionParameters().scheme(), SchemeType::none);
  EXPECT_EQ(parms, ckks(4096, {36, 36, 37}));
  EXPECT_NE(parms, ckks(4096, {36, 36}));
  EncryptionParameters same = parms;
  same.set_digit_size(1);  // the default beside one special prime
  EXPECT_EQ(parms, same);
  same.set_digit_size(2);
  EXPECT_NE(parms, same);
}

TEST(EncryptionParameters, CountsDigits) {
  const auto primes = CoeffModulus::create(64, std::vector<int>(7, 40));
  const auto digits = [&](std::size_t special, std::size_t size) {
    EncryptionParameters parms(SchemeType::bfv);
    const auto middle = primes.end() - static_cast<std::ptrdiff_t>(special);
    parms.set_coeff_modulus({primes.begin(), middle}, {middle, primes.end()});
    parms.set_digit_size(size);
    EXPECT_EQ(parms.data_primes().size(), 7 - special);
    EXPECT_EQ(parms.special_primes().size(), special);
    return std::pair(parms.digit_size(), parms.digit_count());
  };
  using Pair = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(digits(0, 0), Pair(0, 0));
  EXPECT_EQ(digits(1, 0), Pair(1, 6));
  EXPECT_EQ(digits(2, 0), Pair(2, 3)) << "as many primes as there are special ones";
  EXPECT_EQ(digits(3, 2), Pair(2, 2));
  EXPECT_EQ(digits(2, 1), Pair(1, 5));
  EXPECT_EQ(digits(3, 9), Pair(9, 1));
  EXPECT_EQ(digits(1, 6), Pair(6, 1));
  EXPECT_EQ(digits(1, 5), Pair(5, 2));
  EXPECT_EQ(digits(7, 1), Pair(1, 0)) << "no data primes, no digits";
  constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max();
  for (const std::size_t size : {kLargest, kLargest - 4, kLargest - 5, kLargest / 2 + 1}) {
    EXPECT_EQ(digits(1, size), Pair(size, 1));
    EXPECT_EQ(digits(0, size), Pair(size, 0));
  }
}

TEST(RingSpec, DescribesXToTheNPlusOne) {
  const RingSpec ring = RingSpec::power_of_two(8192);
  EXPECT_EQ(ring.kind(), RingKind::power_of_two_cyclotomic);
  EXPECT_EQ(ring.degree(), 8192u);
  EXPECT_EQ(ring.cyclotomic_index(), 16384u);
  EXPECT_EQ(ring.expansion_factor(), 8192u);
  EXPECT_EQ(ring.rotation_count(), 4096u);
  EXPECT_TRUE(ring.is_galois_element(1));
  EXPECT_TRUE(ring.is_galois_element(16383));
  EXPECT_FALSE(ring.is_galois_element(16385));
  EXPECT_FALSE(ring.is_galois_element(2));
  EXPECT_FALSE(ring.is_galois_element(0));
  EXPECT_EQ(ring, RingSpec::power_of_two(8192));
}

TEST(RingSpec, RefusesOtherDegrees) {
  for (const std::size_t degree : Sizes{0, 1, 3, 262144}) {
    expect_refusal([&] { RingSpec::power_of_two(degree); }, "RingSpec::power_of_two",
                   {"degree = " + std::to_string(degree)});
  }
}

TEST(RingSpec, GaloisElementsArePowersOfThree) {
  const RingSpec ring = RingSpec::power_of_two(64);
  std::uint64_t power = 1;
  for (int step = 1; step < 32; ++step) {
    power = power * 3 % 128;
    EXPECT_EQ(ring.galois_element_from_step(step), power);
    EXPECT_EQ(ring.galois_element_from_step(step - 32), power);
  }
  EXPECT_EQ(power * 3 % 128, 1u) << "3 has order N/2 modulo 2N";
  EXPECT_EQ(ring.galois_element_from_step(0), 127u);
  EXPECT_EQ(ring.conjugation_element(), 127u);
  for (const int step :
       {32, -32, 33, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    expect_refusal([&] { ring.galois_element_from_step(step); },
                   "RingSpec::galois_element_from_step", {"step = " + std::to_string(step), "32"});
  }
}

/// Expects that products of the default elements are all Galois elements of the ring.
void expect_generators(const RingSpec& ring) {
  const auto elements = ring.default_galois_elements();
  EXPECT_TRUE(std::ranges::is_sorted(elements));
  EXPECT_TRUE(std::ranges::adjacent_find(elements) == elements.end());
  std::set<std::uint64_t> reached{1};
  for (bool grown = true; grown;) {
    grown = false;
    for (const std::uint64_t from : std::set(reached)) {
      for (const std::uint64_t element : elements) {
        EXPECT_TRUE(ring.is_galois_element(element));
        grown = reached.insert(from * element % ring.cyclotomic_index()).second || grown;
      }
    }
  }
  EXPECT_EQ(reached.size(), ring.degree());
}

TEST(RingSpec, DefaultElementsComposeEveryRotation) {
  for (const std::size_t degree : {2, 4, 8, 256}) {
    expect_generators(RingSpec::power_of_two(degree));
  }
  EXPECT_EQ(RingSpec::power_of_two(8).default_galois_elements(), (Words{3, 9, 11, 15}));
}

TEST(RingSpec, DescribesGeneralCyclotomicRings) {
  struct Case {
    std::uint64_t index;
    std::uint64_t m;
    std::size_t degree;
  };
  constexpr Case kCases[] = {{3, 3, 2},          {6, 3, 2},
                             {12, 12, 4},        {105, 105, 48},
                             {2783, 2783, 2420}, {5566, 2783, 2420},
                             {8191, 8191, 8190}, {10773, 10773, 5832},
                             {9225, 9225, 4800}, {131042, 65521, 65520}};
  for (const auto& [index, m, degree] : kCases) {
    const RingSpec ring = RingSpec::cyclotomic(index);
    EXPECT_EQ(ring.kind(), RingKind::cyclotomic);
    EXPECT_EQ(ring.cyclotomic_index(), m);
    EXPECT_EQ(ring.degree(), degree);
    EXPECT_EQ(ring.conjugation_element(), m - 1);
    EXPECT_EQ(ring.rotation_count(), 0u);
    EXPECT_GE(ring.expansion_factor(), degree);
    EXPECT_EQ(ring, RingSpec::cyclotomic(m));
    EXPECT_NE(ring, RingSpec::power_of_two(4));
  }
  EXPECT_EQ(RingSpec::cyclotomic(16384), RingSpec::power_of_two(8192));
  EXPECT_EQ(RingSpec::cyclotomic(4), RingSpec::power_of_two(2));
  EXPECT_EQ(RingSpec::cyclotomic(262144), RingSpec::power_of_two(131072));
}

TEST(RingSpec, RefusesOtherIndices) {
  for (const std::uint64_t index : Words{0, 1, 2, 65537, 131074, 524288, ~std::uint64_t{0}}) {
    expect_refusal([&] { RingSpec::cyclotomic(index); }, "RingSpec::cyclotomic",
                   {"index = " + std::to_string(index), "65536"});
  }
  expect_refusal([] { RingSpec::cyclotomic(15).galois_element_from_step(1); },
                 "RingSpec::galois_element_from_step", {"m = 15", "rotation of the slots"});
}

TEST(RingSpec, ExpansionFactorsAreThoseOfTheDefinition) {
  // a*b modulo X^2 + X + 1: (a0*b0 - a1*b1) + (a0*b1 + a1*b0 - a1*b1)*X.
  EXPECT_EQ(RingSpec::cyclotomic(3).expansion_factor(), 3u);
  // For p = 5 the coefficient of X^3 has 4 products, and 3 from X^4 = -1 - X - X^2 - X^3.
  EXPECT_EQ(RingSpec::cyclotomic(5).expansion_factor(), 7u);
}

TEST(RingSpec, GaloisElementsOfGeneralRingsAreTheUnits) {
  for (const std::uint64_t m : {3u, 9u, 12u, 15u, 20u, 24u, 48u, 105u, 255u, 360u, 385u}) {
    const RingSpec ring = RingSpec::cyclotomic(m);
    std::size_t count = 0;
    for (std::uint64_t g = 0; g < 2 * m; ++g) {
      EXPECT_EQ(ring.is_galois_element(g), g < m && std::gcd(g, m) == 1);
      count += ring.is_galois_element(g) ? 1 : 0;
    }
    EXPECT_EQ(count, ring.degree());
    expect_generators(ring);
  }
}

template <typename Call>
void expect_no_ring(const std::string& part, const std::string& remedy, const Call& call) {
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

// The rings of docs/rings.md. FLINT agrees with their coefficients in CyclotomicPolynomial.
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

// Slots are the irreducible factors modulo p; FLINT finds these.
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
  expect_no_ring("index = 2", "search_rings", [] { profile_ring(2); });
  expect_no_ring("index = 0", "search_rings", [] { profile_ring(0, 3); });
  expect_no_ring("index = 262145", "search_rings", [] { profile_ring(262145); });
  expect_no_ring("index = 5566", "2783", [] { profile_ring(5566); });
  expect_no_ring("index = 4096", "search_rings", [] { profile_ring(4096); });
  expect_no_ring("index = 2783", "search_rings", [] { profile_ring(2783, 23); });
  for (const std::uint64_t p : {0, 1, 4, 9}) {
    expect_no_ring("prime = " + std::to_string(p), "2 for bits", [&] { profile_ring(15, p); });
  }
}

// Profiles each index by itself, and filters the profiles here.
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
  expect_no_ring("max_degree = 0", "range", [] { search_rings({.max_degree = 0}); });
  expect_no_ring("max_degree = 32769", "range", [] { search_rings({.max_degree = 32769}); });
  expect_no_ring("prime = 6", "2 for bits", [] { search_rings({.prime = 6}); });
  EXPECT_TRUE(search_rings({.min_degree = 100, .max_degree = 99}).empty());
}

}  // namespace
}  // namespace ringlet::test
