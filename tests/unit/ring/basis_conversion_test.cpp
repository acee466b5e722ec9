// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/basis_conversion.hpp"

#include "support/reference/big_integer.hpp"
#include "support/refusal.hpp"
#include "support/ring_fixture.hpp"

namespace ringlet::test {
namespace {

/// Integers near 0, near +-Q/2, near the end of the range of uncertain representatives and near
/// multiples of Q/q_i, then random ones up to `count`.
Integers interesting_integers(const ConversionReference& reference, const Integer& last_prime,
                              std::size_t prime_count, std::size_t count, std::mt19937_64& rng) {
  const Integer& q = reference.product();
  const Integer half = q >> 1;
  // The edge is Q*5*k / 2^(s+2) above Q/2, which is -Q/2 modulo Q.
  const Integer edge = half + (q * Integer(5 * prime_count) >> (reference.fraction_bits() + 2));
  Integers integers;
  for (const Integer& centre : {Integer(), half, edge, q / last_prime}) {
    for (int offset = -2; offset <= 3; ++offset) integers.push_back(centre + Integer::of(offset));
  }
  while (integers.size() < count) {
    const bool is_uncertain = integers.size() % 4 == 0;
    integers.push_back(is_uncertain ? half + random_integer(edge - half + Integer(1), rng)
                                    : random_integer(q, rng));
  }
  return integers;
}

/// Checks the promise of BasisConversion about r, for a value in any range.
void expect_close(const ConversionReference& reference, const Integer& value, const Integer& r) {
  const Integer nearest = centred(value, reference.product());
  ASSERT_TRUE((r - nearest).is_multiple_of(reference.product()));
  ASSERT_GE(r, nearest);
  ASSERT_FALSE(reference.is_certain(r - reference.product())) << "r - Q < -Q/2 + Q*d";
  if (reference.is_certain(nearest)) {
    ASSERT_EQ(r, nearest);
  }
}

/// Converts interesting integers by every backend to the primes `to` and to the modulus t.
void expect_converted(const RnsBasis& basis, const Indices& from, const Indices& to,
                      const Modulus& t) {
  SCOPED_TRACE(::testing::Message() << "degree " << basis.degree() << ", " << from.size()
                                    << " primes, the first one " << basis[from[0]].value());
  auto rng = make_rng(basis[from[0]].value());
  const std::size_t degree = basis.degree();
  const ConversionReference reference(basis, from);
  const BasisConversion conversion(basis, from, to);
  const BasisConversion to_modulus(basis, from, t);
  EXPECT_EQ(conversion.word_bits(), reference.word_bits());
  EXPECT_EQ(conversion.fraction_bits(), reference.fraction_bits());
  const std::size_t count = (std::max<std::size_t>(64, degree) + degree - 1) / degree * degree;
  const Integers integers = interesting_integers(reference, Integer(basis[from.front()].value()),
                                                 from.size(), count, rng);
  Integers expected;
  for (const Integer& value : integers) {
    expected.push_back(reference.representative(value));
    expect_close(reference, value, expected.back());
  }
  const auto backends = make_backends(basis);
  for (std::size_t first = 0; first < count; first += degree) {
    const auto here = std::span(expected).subspan(first, degree);
    const CoeffPoly source = residues_of(std::span(integers).subspan(first, degree), basis, from);
    const Words converted = all_words(residues_of(here, basis, to));
    Words modulo_t;
    for (const Integer& value : here) modulo_t.push_back(value.residue(t.value()));
    for (const auto& backend : backends) {
      CoeffPoly result(to.size(), degree);
      backend->convert_basis(result.view_for_writing(), source.view(), conversion);
      ASSERT_EQ(all_words(result), converted) << describe(*backend) << "from " << first;
      Words residues(degree);
      backend->convert_to_modulus(residues, source.view(), to_modulus);
      ASSERT_EQ(residues, modulo_t) << describe(*backend) << "from " << first;
    }
  }
}

TEST(BasisConversionTest, IsItsFormulaForMixedPrimes) {
  // 40 primes of 20 to 61 bits; sources and targets are disjoint.
  std::vector<int> bits;
  for (int i = 0; i < 40; ++i) bits.push_back(20 + (i * 29) % 42);
  auto rng = make_rng();
  for (const std::size_t degree : {2, 4, 64, 1024}) {
    const RnsBasis basis = make_basis_of_bits(degree, bits);
    for (const std::size_t count : {1, 2, 3, 5, 8, 20}) {
      Indices primes = range(0, bits.size());
      std::shuffle(primes.begin(), primes.end(), rng);
      const Indices from(primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(count));
      const Indices to(primes.begin() + 20, primes.begin() + (degree < 1024 ? 40 : 24));
      expect_converted(basis, from, to, (std::uint64_t{1} << 60) - 1);
    }
  }
}

TEST(BasisConversionTest, IsItsFormulaForPrimesOfOneSize) {
  // On both sides of the limit of 52-bit words; the first and the last ones of three tiles.
  for (const int size : {30, 49, 50, 51, 60, 61}) {
    const RnsBasis basis = make_basis_of_bits(4096, std::vector<int>(9, size));
    expect_converted(basis, range(0, 4), range(4, 9), 65537);
    expect_converted(basis, {8, 0}, {1, 7}, 786433);
  }
}

TEST(BasisConversionTest, IsItsFormulaOverOtherRings) {
  for (const std::uint64_t m : {7, 12, 105, 2783, 8191}) {
    expect_converted(make_basis(RingSpec::cyclotomic(m)), {0, 1, 3}, {2, 4}, 1000003);
  }
}

TEST(BasisConversionTest, TakesTinyPrimesAndModuli) {
  // Counts of overflows exceed a target; fractions have four bits.
  const RnsBasis tiny(2, {17, 5, 13, 29, 37, 41, 53, 61, 73});
  for (std::uint64_t t = 2; t < 20; ++t) expect_converted(tiny, range(0, 8), {8}, t);
  expect_converted(tiny, {1, 2, 3, 4, 5, 6, 7, 8}, {0}, 6);
  expect_converted(tiny, {2, 3, 4, 5, 6, 7, 8, 0}, {1}, 5);  // 8 overflows and more, modulo 5
  expect_converted(tiny, {1}, {0, 2, 8}, 3);
  // Sources on both sides of two and four times a target: 29 and 53 are just above those of 13.
  expect_converted(tiny, {3, 6, 7, 5, 8, 1}, {2, 0}, 64);
  // Sources and targets of very different sizes.
  const RnsBasis mixed = make_basis_of_bits(8, {61, 61, 61, 61, 7, 20});
  expect_converted(mixed, {0, 1, 2, 3}, {4, 5}, 4);
  expect_converted(mixed, {4, 5}, {0, 1, 2, 3}, 1152921504606846975);
  expect_converted(mixed, {0, 4, 1}, {5, 2}, 1000003);
}

TEST(BasisConversionTest, TakesAsManyPrimesAsThereMayBe) {
  constexpr std::size_t kMost = kMaxConversionSize;
  const RnsBasis basis = make_basis_of_bits(2, std::vector<int>(kMost + 2, 61));
  expect_converted(basis, range(0, kMost), {kMost, kMost + 1}, 1 << 20);
  expect_converted(basis, range(1, kMost), {0}, 1 << 20);  // fractions have one bit more
}

TEST(BasisConversionTest, OfOnePrimeIsTheResidueOfLeastAbsoluteValue) {
  for (const int size : {3, 20, 49, 50, 51, 60, 61}) {
    SCOPED_TRACE(size);
    const RnsBasis basis = make_basis_of_bits(2, {size, 55});
    const std::uint64_t q = basis[0].value();
    const std::uint64_t p = basis[1].value();
    Words residues{0, 1, q - 1, q / 2 - 1, q / 2, q / 2 + 1, q / 2 + 2, q - 2};
    auto rng = make_rng();
    while (residues.size() < 1000)
      residues.push_back(q / 2 + rng() % std::min<std::uint64_t>(q / 2, 4096));
    const BasisConversion conversion(basis, Indices{0}, Indices{1});
    for (const auto& backend : make_backends(basis)) {
      CoeffPoly source(1, 2);
      CoeffPoly result(1, 2);
      for (std::size_t i = 0; i < residues.size(); i += 2) {
        std::copy_n(residues.begin() + static_cast<std::ptrdiff_t>(i), 2,
                    source.view_for_writing().limb(0).begin());
        backend->convert_basis(result.view_for_writing(), source.view(), conversion);
        for (std::size_t c = 0; c < 2; ++c) {
          const std::uint64_t a = residues[i + c];
          const std::uint64_t lifted = a <= q / 2 ? a % p : (p - (q - a) % p) % p;
          ASSERT_EQ(result.view().limb(0)[c], lifted) << a;
        }
      }
    }
  }
}

TEST(BasisConversionTest, KeepsResiduesThatAreWanted) {
  // For targets among the sources, residues come back, whatever the representative.
  const RnsBasis basis = make_basis(64);
  const Indices from{6, 1, 3, 5};
  auto rng = make_rng();
  const CoeffPoly a = random_poly<Form::coefficient>(basis, from, rng);
  const BasisConversion conversion(basis, from, from);
  for (const auto& backend : make_backends(basis)) {
    CoeffPoly result(from.size(), 64);
    backend->convert_basis(result.view_for_writing(), a.view(), conversion);
    EXPECT_EQ(all_words(result), all_words(a));
  }
  for (std::size_t j = 0; j < from.size(); ++j) {
    EXPECT_EQ(conversion.product(j), 0u);
    EXPECT_EQ(conversion.product_inverse(j), 0u);
  }
}

TEST(BasisConversionTest, FewerLimbsAreTheFirstOnes) {
  const RnsBasis basis = make_basis(16);
  const Indices from{0, 2};
  auto rng = make_rng();
  const CoeffPoly a = random_poly<Form::coefficient>(basis, from, rng);
  const BasisConversion conversion(basis, from, Indices{7, 1, 3, 4});
  for (const auto& backend : make_backends(basis)) {
    CoeffPoly all(4, 16);
    backend->convert_basis(all.view_for_writing(), a.view(), conversion);
    for (const std::size_t count : {0, 1, 3}) {
      CoeffPoly some(count, 16);
      backend->convert_basis(some.view_for_writing(), a.view(), conversion);
      for (std::size_t j = 0; j < count; ++j) EXPECT_EQ(limb_words(some, j), limb_words(all, j));
    }
  }
}

TEST(BasisConversionTest, ReadsAndWritesOnlyItsLimbs) {
  for (const std::size_t degree : {2, 8, 512, 4096}) {
    const RnsBasis basis = make_basis(degree);
    const Indices from{3, 0};
    auto rng = make_rng();
    const CoeffPoly a = random_poly<Form::coefficient>(basis, from, rng);
    const std::size_t stride = degree + 3;
    Words memory(3 * stride - 3, kSentinel);
    const CoeffView out{memory.data(), degree, 3, stride};
    const BasisConversion conversion(basis, from, Indices{1, 2, 4});
    make_cpu_backend(basis)->convert_basis(out, a.view(), conversion);
    for (std::size_t i = 0; i < memory.size(); ++i) {
      ASSERT_TRUE(i % stride < degree || memory[i] == kSentinel) << i;
    }
  }
}

TEST(BasisConversionTest, ShowsItsConstants) {
  const RnsBasis basis(2, {13, 17, 29, 5});
  const BasisConversion conversion(basis, Indices{1, 0}, Indices{2, 3});
  EXPECT_EQ(Indices(conversion.from().begin(), conversion.from().end()), (Indices{1, 0}));
  EXPECT_EQ(Indices(conversion.to().begin(), conversion.to().end()), (Indices{2, 3}));
  EXPECT_FALSE(conversion.modulus().has_value());
  EXPECT_EQ(conversion.word_bits(), 52);
  EXPECT_EQ(conversion.fraction_bits(), 3);
  EXPECT_EQ(conversion.reciprocals()[0], (std::uint64_t{1} << 55) / 17);
  EXPECT_EQ(conversion.punctured_inverses()[0], 4u);   // 13 * 4 = 1 mod 17
  EXPECT_EQ(conversion.punctured_inverses()[1], 10u);  // 17 * 10 = 1 mod 13
  EXPECT_EQ(conversion.punctured_products(0)[0], 13u);
  EXPECT_EQ(conversion.punctured_products(1)[1], 2u);  // 17 mod 5
  EXPECT_EQ(conversion.product(0), 221u % 29);
  EXPECT_EQ(conversion.product_inverse(1), 1u);  // 221 = 1 mod 5
  EXPECT_THROW(static_cast<void>(conversion.product(2)), OutOfRange);
  EXPECT_THROW(static_cast<void>(conversion.product_inverse(2)), OutOfRange);
  EXPECT_THROW(static_cast<void>(conversion.punctured_products(2)), OutOfRange);
  const BasisConversion to_modulus(basis, Indices{0}, Modulus(26));
  EXPECT_EQ(to_modulus.modulus()->value(), 26u);
  EXPECT_TRUE(to_modulus.to().empty());
  EXPECT_EQ(to_modulus.product(0), 13u);
  EXPECT_EQ(to_modulus.product_inverse(0), 0u);
}

TEST(BasisConversionTest, RefusesPrimesThatItDoesNotHave) {
  const RnsBasis basis = make_basis(2);
  const Indices one{1};
  const auto refuses = [&]<typename Error = InvalidArgument>(const std::string& text,
                                                             const Indices& from, const auto& to) {
    expect_refusal_of<Error>("BasisConversion", {text}, [&] { BasisConversion(basis, from, to); });
  };
  refuses("from 0 primes", {}, one);
  refuses("from 257 primes", Indices(257, 1), one);
  refuses("from[2] = 5", {5, 1, 5}, one);
  refuses.operator()<OutOfRange>("index 8", {1, 8}, one);
  refuses.operator()<OutOfRange>("index 9", one, Indices{1, 9});
  refuses.operator()<OutOfRange>("index 8", {8}, Modulus(4));
  refuses("(61 bits)", one, Modulus(std::uint64_t{1} << 60));
  EXPECT_EQ(BasisConversion(basis, one, Indices()).to().size(), 0u);
}

// Backend::scale_and_round, is_reduced, lift_message and combine_words on every table, compared
// with GMP and 128-bit integers; and Backend's own versions, for a backend without better ones.

constexpr std::size_t kScalingDegree = 256;

/// Integers x of both signs with |t*x/Q| below R/8, some near 0 and near multiples of Q/2.
Integers scalable_integers(const Integer& q, const Integer& r, std::uint64_t t,
                           std::mt19937_64& rng) {
  const Integer bound = q * r / Integer(8 * t);
  Integers result;
  for (std::size_t i = 0; i < kScalingDegree; ++i) {
    Integer x = random_integer(bound, rng);
    if (i % 3 == 0) x = (q >> 1) * Integer(i) / Integer(t);  // t*x is near a multiple of Q/2
    if (i % 2 == 0) x = -x;
    if (i < 4) x = Integer::of(static_cast<std::int64_t>(i) - 2);
    result.push_back(x);
  }
  return result;
}

void expect_scaled(const std::vector<int>& bits, std::size_t q_count, std::uint64_t t) {
  auto rng = make_rng(t);
  const RnsBasis basis = make_basis_of_bits(kScalingDegree, bits);
  const Indices q = range(0, q_count);
  const Indices r = range(q_count, bits.size());
  const ConversionReference reference(basis, q);
  const Integers x = scalable_integers(reference.product(), product_of(basis, r), t, rng);
  Integers scaled;
  for (const Integer& value : x) {
    const Integer product = value * Integer(t);
    const Integer multiple = product - reference.representative(product);
    ASSERT_TRUE(multiple.is_multiple_of(reference.product()));
    scaled.push_back(multiple / reference.product());
  }
  const Words expected = all_words(residues_of(scaled, basis, q));
  const CoeffPoly over_q = residues_of(x, basis, q);
  const CoeffPoly over_r = residues_of(x, basis, r);
  const RnsScaling scaling(basis, q, r, t);
  for (const auto& backend : make_backends(basis)) {
    SCOPED_TRACE(describe(*backend));
    CoeffPoly apart(q_count, kScalingDegree);
    backend->scale_and_round(apart.view_for_writing(), over_q.view(), over_r.view(), scaling);
    ASSERT_EQ(all_words(apart), expected);
    CoeffPoly in_place = over_q;
    backend->scale_and_round(in_place.view_for_writing(), in_place.view(), over_r.view(), scaling);
    ASSERT_EQ(all_words(in_place), expected);
  }
}

TEST(RnsScalingTest, DividesByTheModulusExactly) {
  expect_scaled({44, 44, 44, 44, 50, 50, 50, 50, 50}, 4, 1032193);
  expect_scaled({50, 50, 50, 50, 50}, 2, 3);
  expect_scaled({30, 61, 50, 61, 61, 61}, 3, (std::uint64_t{1} << 40) + 1);
  expect_scaled({61, 61, 61}, 1, 65537);
  expect_scaled({17, 18, 20, 40, 40, 40}, 3, 1 << 20);
}

TEST(RnsScalingTest, ManyPrimesOfFiftyBitsFillTheirSums) {
  std::vector<int> bits(37, 50);
  std::fill_n(bits.begin(), 17, 49);
  expect_scaled(bits, 17, 786433);
  expect_scaled(std::vector<int>(41, 50), 20, 257);
}

TEST(RnsScalingTest, RefusesACommonPrime) {
  const RnsBasis basis = make_basis_of_bits(kScalingDegree, {30, 31, 32});
  const Indices q{0, 1};
  EXPECT_THROW(RnsScaling(basis, q, Indices{1, 2}, 17), InvalidArgument);
  const RnsScaling scaling(basis, q, Indices{2}, 17);
  EXPECT_EQ(scaling.factors(0).size(), 4u);
  EXPECT_THROW(scaling.factors(1), OutOfRange);
}

TEST(RnsScalingTest, ScaledConversionsMultiplyBeforeAndAfter) {
  auto rng = make_rng();
  const RnsBasis basis = make_basis_of_bits(kScalingDegree, {44, 45, 49, 50, 61});
  const Indices from{0, 1, 2};
  const Indices to{3, 4};
  const std::uint64_t before = (std::uint64_t{1} << 59) + 3;
  const std::uint64_t after = ~std::uint64_t{0};
  const ConversionReference reference(basis, from);
  const BasisConversion conversion = BasisConversion(basis, from, to).scaled(before, after);
  const Integers x = scalable_integers(reference.product(), Integer(64), 1, rng);
  Integers expected;
  for (const Integer& value : x) {
    expected.push_back(reference.representative(value * Integer(before)) * Integer(after));
  }
  for (const auto& backend : make_backends(basis)) {
    CoeffPoly result(to.size(), kScalingDegree);
    backend->convert_basis(result.view_for_writing(), residues_of(x, basis, from).view(),
                           conversion);
    EXPECT_EQ(all_words(result), all_words(residues_of(expected, basis, to))) << describe(*backend);
  }
}

TEST(RnsScalingTest, MessagesBecomeResiduesOfLeastAbsoluteValue) {
  const RnsBasis basis = make_basis_of_bits(kScalingDegree, {17, 30, 50, 61});
  const Indices primes = range(0, 4);
  Words scalars;
  for (const std::size_t i : primes) scalars.push_back(basis[i].value() - 1 - 2 * i);
  for (const std::uint64_t t :
       Words{2, 3, 65537, std::uint64_t{1} << 40, (std::uint64_t{1} << 60) - 1}) {
    Words message{0, t - 1, t / 2, (t + 1) / 2, 1 % t, (t - 1) / 2};
    for (std::size_t c = 0; c < 101; ++c) message.push_back((t / 101 * c + c) % t);
    const Words other(message.rbegin(), message.rend());
    Words lifted;
    Words combined;
    for (const std::size_t i : primes) {
      const std::uint64_t q = basis[i].value();
      for (std::size_t c = 0; c < kScalingDegree; ++c) {
        const std::uint64_t m = c < message.size() ? message[c] : 0;
        lifted.push_back(m >= (t + 1) / 2 ? (q - (t - m) % q) % q : m % q);
        const std::uint64_t b = c < message.size() ? other[c] : 0;
        combined.push_back(static_cast<std::uint64_t>((uint128_t{m} * scalars[i] % q + b % q) % q));
      }
    }
    for (const auto& backend : make_backends(basis)) {
      CoeffPoly result(primes.size(), kScalingDegree);
      std::ranges::fill(result.view_for_writing().limb(3), 7);  // words from before the call
      backend->lift_message(result.view_for_writing(), message, t, primes);
      EXPECT_EQ(all_words(result), lifted) << describe(*backend) << t;
      backend->combine_words(result.view_for_writing(), message, other, t, scalars, primes);
      EXPECT_EQ(all_words(result), combined) << describe(*backend) << t;
    }
  }
}

TEST(RnsScalingTest, FindsAResidueThatIsNotReduced) {
  const RnsBasis basis = make_basis_of_bits(kScalingDegree, {17, 50, 61});
  const Indices primes{2, 0, 1};
  for (const auto& backend : make_backends(basis)) {
    CoeffPoly poly(primes.size(), kScalingDegree);
    for (std::size_t i = 0; i < primes.size(); ++i) {
      std::ranges::fill(poly.view_for_writing().limb(i), basis[primes[i]].value() - 1);
    }
    EXPECT_TRUE(backend->is_reduced(poly.view(), primes)) << describe(*backend);
    for (std::size_t i = 0; i < primes.size(); ++i) {
      for (const std::size_t c : {0u, 17u, 255u}) {
        std::uint64_t& word = poly.view_for_writing().limb(i)[c];
        for (const std::uint64_t bad : {basis[primes[i]].value(), ~std::uint64_t{0}}) {
          word = bad;
          EXPECT_FALSE(backend->is_reduced(poly.view(), primes)) << describe(*backend) << i << c;
        }
        word = 0;
      }
    }
  }
}

void expect_refused_basis(const std::string& part, std::size_t degree,
                          const std::vector<Modulus>& moduli) {
  expect_refusal<InvalidArgument>(part, [&] { RnsBasis(degree, moduli); });
}

TEST(RnsBasis, KeepsItsPrimesInOrder) {
  const std::vector<Modulus> moduli{97, 17, 193};
  const RnsBasis basis(8, moduli);
  EXPECT_EQ(basis.degree(), 8u);
  ASSERT_EQ(basis.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(basis[i], moduli[i]);
    EXPECT_EQ(basis.moduli()[i], moduli[i]);
  }
  expect_refusal<OutOfRange>("index = 3", [&] { static_cast<void>(basis[3]); });
}

TEST(RnsBasis, RefusesBadDegrees) {
  for (const std::size_t degree : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{12},
                                   std::size_t{1} << 21, std::size_t{1} << 63, ~std::size_t{0}}) {
    expect_refused_basis("degree = " + std::to_string(degree), degree, {97});
  }
}

TEST(RnsBasis, RefusesBadModuli) {
  expect_refused_basis("0 moduli", 8, {});
  expect_refused_basis("moduli[1] = 17", 8, {17, 17});
  expect_refused_basis("moduli[2] = 97", 8, {97, 17, 97});
  expect_refused_basis("moduli[0] = 2", 8, {2});
  expect_refused_basis("moduli[0] = 65536", 8, {65536});
  expect_refused_basis("moduli[1] = 19", 8, {17, 19});       // prime, but 3 mod 16
  expect_refused_basis("moduli[0] = 33", 8, {33});           // 1 mod 16, but 3 * 11
  expect_refused_basis("moduli[0] = 17", 16, {17});          // 1 mod N only
  expect_refused_basis("(62 bits)", 8, {(1ull << 61) + 1});  // 1 mod 16, too large
}

TEST(RnsBasis, PrimesAreThoseOfItsRing) {
  const RingSpec ring = RingSpec::cyclotomic(105);
  expect_refusal_of("RnsBasis", {"m = 105", "primes for the ring"},
                    [&] { RnsBasis(ring, generate_ntt_primes(49, 64, 1)); });
  const RnsBasis basis(ring, generate_primes(49, ring.modulus_step(), 2));
  EXPECT_EQ(basis.ring(), ring);
  EXPECT_EQ(basis.degree(), 48u);
  EXPECT_EQ(RnsBasis(64, generate_ntt_primes(49, 64, 1)).ring(), RingSpec::power_of_two(64));
}

TEST(RnsBasis, HoldsUpTo768Primes) {
  const std::vector<Modulus> primes = generate_ntt_primes(30, 2, 769);
  expect_refused_basis("769 moduli", 2, primes);
  const RnsBasis basis(2, std::vector<Modulus>(primes.begin(), primes.end() - 1));
  EXPECT_EQ(basis.size(), kMaxRnsBasisSize);
}

TEST(RnsBasis, ProductIsExact) {
  std::vector<Modulus> moduli = generate_ntt_primes(61, 4096, 20);
  moduli.insert(moduli.begin() + 3, Modulus(40961));
  const RnsBasis basis(4096, moduli);
  Integer product(1);
  for (std::size_t count = 1; count <= basis.size(); ++count) {
    product = product * Integer(basis[count - 1].value());
    const std::vector<std::uint64_t> words = basis.product(count);
    ASSERT_EQ(words.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(words[i], mpz_getlimbn(product.get(), static_cast<mp_size_t>(i)));
    }
    EXPECT_EQ(static_cast<std::size_t>(basis.product_bit_count(count)),
              mpz_sizeinbase(product.get(), 2));
  }
}

TEST(RnsBasis, ProductRefusesCountsThatItDoesNotHave) {
  const RnsBasis basis(8, {97, 17});
  for (const std::size_t count : {std::size_t{0}, std::size_t{3}, ~std::size_t{0}}) {
    const std::string part = "count = " + std::to_string(count);
    expect_refusal<OutOfRange>(part, [&] { static_cast<void>(basis.product(count)); });
    expect_refusal<OutOfRange>(part, [&] { static_cast<void>(basis.product_bit_count(count)); });
  }
}

}  // namespace
}  // namespace ringlet::test
