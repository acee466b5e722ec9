// SPDX-License-Identifier: Apache-2.0
#include "ringlet/basis_conversion.hpp"

#include "ringlet/error.hpp"
#include "support/big_integer.hpp"
#include "support/ring_fixture.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

/// Integers whose conversion is interesting: near 0, near +-Q/2 and the end of the range where the
/// representative is not certain, near multiples of Q/q_i; and as many random ones as are missing.
std::vector<Integer> interesting_integers(const ConversionReference& reference,
                                          const RnsBasis& basis, PrimeIndices from,
                                          std::size_t count, gmp_randstate_t state) {
  std::vector<Integer> integers;
  const auto add_neighbours = [&](const Integer& centre) {
    for (int offset = -2; offset <= 3; ++offset) {
      Integer value(centre);
      if (offset < 0) mpz_sub_ui(value.get(), value.get(), static_cast<unsigned>(-offset));
      if (offset >= 0) mpz_add_ui(value.get(), value.get(), static_cast<unsigned>(offset));
      integers.push_back(value);
    }
  };
  add_neighbours(Integer());
  Integer half;
  mpz_fdiv_q_2exp(half.get(), reference.product().get(), 1);
  add_neighbours(half);
  Integer edge;  // Q*5*k / 2^(s+2) above Q/2 = -Q/2
  mpz_mul_ui(edge.get(), reference.product().get(), 5 * from.size());
  mpz_fdiv_q_2exp(edge.get(), edge.get(), static_cast<mp_bitcnt_t>(reference.fraction_bits() + 2));
  mpz_add(edge.get(), edge.get(), half.get());
  add_neighbours(edge);
  Integer punctured;
  mpz_divexact_ui(punctured.get(), reference.product().get(), basis[from.front()].value());
  add_neighbours(punctured);
  std::size_t turn = 0;
  while (integers.size() < count) {
    Integer value;
    mpz_urandomm(value.get(), state, reference.product().get());
    if (++turn % 4 == 0) {  // between Q/2 and the edge
      Integer width;
      mpz_sub(width.get(), edge.get(), half.get());
      mpz_add_ui(width.get(), width.get(), 1);
      mpz_urandomm(value.get(), state, width.get());
      mpz_add(value.get(), value.get(), half.get());
    }
    integers.push_back(value);
  }
  return integers;
}

class BasisConversionTest : public ::testing::Test {
 protected:
  BasisConversionTest() {
    gmp_randinit_default(state_);
    gmp_randseed_ui(state_, make_rng()());
  }
  ~BasisConversionTest() override { gmp_randclear(state_); }

  /// Polynomials of `integers` modulo the primes of `from`, one after the other.
  static std::vector<CoeffPoly> residues_of(const std::vector<Integer>& integers,
                                            const RnsBasis& basis, PrimeIndices from) {
    std::vector<CoeffPoly> polys;
    for (std::size_t first = 0; first < integers.size(); first += basis.degree()) {
      CoeffPoly& poly = polys.emplace_back(from.size(), basis.degree());
      for (std::size_t l = 0; l < from.size(); ++l) {
        for (std::size_t c = 0; c < basis.degree(); ++c) {
          const Integer& value = integers[(first + c) % integers.size()];
          poly.view_for_writing().limb(l)[c] = value.residue(basis[from[l]].value());
        }
      }
    }
    return polys;
  }

  /// Converts interesting integers by every backend, to the primes `to` and to the modulus t.
  void expect_converted(const RnsBasis& basis, const Indices& from, const Indices& to,
                        const Modulus& t) {
    const std::size_t degree = basis.degree();
    const ConversionReference reference(basis, from);
    const BasisConversion conversion(basis, from, to);
    const BasisConversion to_modulus(basis, from, t);
    EXPECT_EQ(conversion.word_bits(), reference.word_bits());
    EXPECT_EQ(conversion.fraction_bits(), reference.fraction_bits());
    const std::vector<Integer> integers =
        interesting_integers(reference, basis, from, std::max<std::size_t>(64, degree), state_);
    std::vector<Integer> expected;
    for (const Integer& value : integers) {
      expected.push_back(reference.representative(value));
      expect_close(reference, value, expected.back());
    }
    const std::vector<CoeffPoly> sources = residues_of(integers, basis, from);
    for (const auto& backend : make_backends(basis)) {
      SCOPED_TRACE(describe(*backend));
      for (std::size_t k = 0; k < sources.size(); ++k) {
        const auto at = [&](std::size_t c) -> const Integer& {
          return expected[(k * degree + c) % expected.size()];
        };
        CoeffPoly result(to.size(), degree);
        backend->convert_basis(result.view_for_writing(), sources[k].view(), conversion);
        for (std::size_t j = 0; j < to.size(); ++j) {
          for (std::size_t c = 0; c < degree; ++c) {
            ASSERT_EQ(result.view().limb(j)[c], at(c).residue(basis[to[j]].value()))
                << "target " << to[j] << ", coefficient " << k * degree + c;
          }
        }
        Words residues(degree);
        backend->convert_to_modulus(residues, sources[k].view(), to_modulus);
        for (std::size_t c = 0; c < degree; ++c) {
          ASSERT_EQ(residues[c], at(c).residue(t.value())) << "coefficient " << k * degree + c;
        }
      }
    }
  }

  /// What the comment of BasisConversion says of r, of a value in any range.
  static void expect_close(const ConversionReference& reference, const Integer& value,
                           const Integer& r) {
    const Integer centred = reference.centred(value);
    Integer difference;
    mpz_sub(difference.get(), r.get(), centred.get());
    ASSERT_TRUE(mpz_divisible_p(difference.get(), reference.product().get()));
    ASSERT_GE(mpz_sgn(difference.get()), 0);
    // r - Q < -Q/2 + Q*d.
    Integer below;
    mpz_sub(below.get(), r.get(), reference.product().get());
    ASSERT_FALSE(reference.is_certain(below));
    if (reference.is_certain(centred)) {
      ASSERT_EQ(mpz_sgn(difference.get()), 0);
    }
  }

  gmp_randstate_t state_;
};

TEST_F(BasisConversionTest, IsItsFormulaForMixedPrimes) {
  // 40 primes of 20 to 61 bits, sources and targets apart.
  std::vector<int> bits;
  for (int i = 0; i < 40; ++i) bits.push_back(20 + (i * 29) % 42);
  auto rng = make_rng();
  for (const std::size_t degree : {2, 4, 64, 1024}) {
    const RnsBasis basis = make_basis_of_bits(degree, bits);
    for (const std::size_t count : {1, 2, 3, 5, 8, 20}) {
      SCOPED_TRACE("degree " + std::to_string(degree) + ", primes " + std::to_string(count));
      Indices primes = range(0, bits.size());
      std::shuffle(primes.begin(), primes.end(), rng);
      const Indices from(primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(count));
      const Indices to(primes.begin() + 20, primes.begin() + (degree < 1024 ? 40 : 24));
      expect_converted(basis, from, to, (std::uint64_t{1} << 60) - 1);
    }
  }
}

TEST_F(BasisConversionTest, IsItsFormulaForPrimesOfOneSize) {
  // On both sides of the limit of 52-bit words; the first and the last ones of three tiles.
  for (const int size : {30, 49, 50, 51, 60, 61}) {
    const RnsBasis basis = make_basis_of_bits(4096, std::vector<int>(9, size));
    SCOPED_TRACE(size);
    expect_converted(basis, range(0, 4), range(4, 9), 65537);
    expect_converted(basis, {8, 0}, {1, 7}, 786433);
  }
}

TEST_F(BasisConversionTest, TakesTinyPrimesAndModuli) {
  // Counts of overflows that are above a target; fractions of four bits.
  const RnsBasis tiny(2, {17, 5, 13, 29, 37, 41, 53, 61, 73});
  for (std::uint64_t t = 2; t < 20; ++t) expect_converted(tiny, range(0, 8), {8}, t);
  expect_converted(tiny, {1, 2, 3, 4, 5, 6, 7, 8}, {0}, 6);
  expect_converted(tiny, {2, 3, 4, 5, 6, 7, 8, 0}, {1}, 5);  // 8 overflows and more, modulo 5
  expect_converted(tiny, {1}, {0, 2, 8}, 3);
  // On both sides of two and four times a target: 29 and 53 are just above those of 13.
  expect_converted(tiny, {3, 6, 7, 5, 8, 1}, {2, 0}, 64);
  // Far below and far above each other.
  const RnsBasis mixed = make_basis_of_bits(8, {61, 61, 61, 61, 7, 20});
  expect_converted(mixed, {0, 1, 2, 3}, {4, 5}, 4);
  expect_converted(mixed, {4, 5}, {0, 1, 2, 3}, 1152921504606846975);
  expect_converted(mixed, {0, 4, 1}, {5, 2}, 1000003);
}

TEST_F(BasisConversionTest, TakesAsManyPrimesAsThereMayBe) {
  constexpr std::size_t kMost = kMaxConversionSize;
  const RnsBasis basis = make_basis_of_bits(2, std::vector<int>(kMost + 2, 61));
  expect_converted(basis, range(0, kMost), {kMost, kMost + 1}, 1 << 20);
  expect_converted(basis, range(1, kMost), {0}, 1 << 20);  // one bit more in a fraction
}

TEST_F(BasisConversionTest, OfOnePrimeIsTheResidueOfLeastAbsoluteValue) {
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

TEST_F(BasisConversionTest, KeepsResiduesThatAreWanted) {
  // Targets among the sources: there the residues come back, whatever the representative.
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

TEST_F(BasisConversionTest, FewerLimbsAreTheFirstOnes) {
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

TEST_F(BasisConversionTest, ReadsAndWritesOnlyItsLimbs) {
  constexpr std::uint64_t kSentinel = 0xa5a5a5a5a5a5a5a5u;
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

TEST_F(BasisConversionTest, ShowsItsConstants) {
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

template <typename Error>
void expect_refusal(const std::string& part, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << part;
  } catch (const Error& error) {
    EXPECT_NE(error.offending().find(part), std::string::npos) << error.what();
    EXPECT_EQ(error.operation(), "BasisConversion");
    EXPECT_FALSE(error.limit().empty());
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST_F(BasisConversionTest, RefusesPrimesThatItDoesNotHave) {
  const RnsBasis basis = make_basis(2);
  const Indices none;
  const Indices one{1};
  expect_refusal<InvalidArgument>("from 0 primes", [&] { BasisConversion(basis, none, one); });
  expect_refusal<InvalidArgument>("from 257 primes",
                                  [&] { BasisConversion(basis, Indices(257, 1), one); });
  expect_refusal<InvalidArgument>("from[2] = 5",
                                  [&] { BasisConversion(basis, Indices{5, 1, 5}, one); });
  expect_refusal<OutOfRange>("index 8", [&] { BasisConversion(basis, Indices{1, 8}, one); });
  expect_refusal<OutOfRange>("index 9", [&] { BasisConversion(basis, one, Indices{1, 9}); });
  expect_refusal<OutOfRange>("index 8", [&] { BasisConversion(basis, Indices{8}, Modulus(4)); });
  expect_refusal<InvalidArgument>(
      "(61 bits)", [&] { BasisConversion(basis, one, Modulus(std::uint64_t{1} << 60)); });
  EXPECT_EQ(BasisConversion(basis, one, none).to().size(), 0u);
}

}  // namespace
}  // namespace ringlet::test
