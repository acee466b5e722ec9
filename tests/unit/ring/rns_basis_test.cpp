// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/rns_basis.hpp"

#include "ringlet/arith/primes.hpp"
#include "support/reference/big_integer.hpp"
#include "support/refusal.hpp"

namespace ringlet::test {
namespace {

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
