// SPDX-License-Identifier: Apache-2.0
#include "ring/cyclotomic/ntt.hpp"
#include "ringlet/arith/primes.hpp"
#include "support/reference/cyclotomic_reference.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

class CyclotomicNttTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  std::uint64_t m_ = GetParam();
  RingSpec ring_ = RingSpec::cyclotomic(m_);
  std::size_t n_ = ring_.degree();
  std::shared_ptr<const CyclotomicIndices> indices_ = std::make_shared<CyclotomicIndices>(ring_);

  CyclotomicNtt transform(const Modulus& q) const {
    return {indices_, q, KernelSelection::from_environment()};
  }
  Modulus prime(int bits) const { return generate_primes(bits, ring_.modulus_step(), 1).front(); }
};

// The smallest prime that there is, one of the fastest kernels, and the largest that a basis takes.
std::vector<int> prime_sizes(const RingSpec& ring) {
  int least = 2;
  while ((std::uint64_t{1} << least) < 64 * ring.modulus_step()) ++least;
  return {least, 49, 61};
}

TEST_P(CyclotomicNttTest, ValuesAreThoseAtPrimitiveRoots) {
  auto rng = make_rng(m_);
  for (const int bits : prime_sizes(ring_)) {
    const Modulus q = prime(bits);
    const CyclotomicNtt ntt = transform(q);
    const FlintRing flint(m_, q.value());
    const std::uint64_t w = ntt.root_of_unity();
    ASSERT_EQ(pow_mod(w, m_, q), 1u);
    Words a = mixed_values(n_, q.value(), 1, rng);
    Words values(n_);
    ntt.forward(values, a);
    ASSERT_EQ(values, flint.evaluate_at_units(a, w)) << "q = " << q.value();
    // In place, and from values that are not reduced.
    for (std::size_t i = 0; i < n_; ++i) a[i] += (i % 4) * q.value();
    ntt.forward(a, a, 4);
    ASSERT_EQ(a, values);
  }
}

TEST_P(CyclotomicNttTest, InverseUndoesForward) {
  auto rng = make_rng(m_);
  for (const int bits : prime_sizes(ring_)) {
    const Modulus q = prime(bits);
    const CyclotomicNtt ntt = transform(q);
    const std::uint64_t top = q.value() - 1;
    for (const Words& a : {mixed_values(n_, q.value(), 1, rng), Words(n_, top), Words(n_, 0)}) {
      Words there(n_);
      Words back(n_);
      ntt.forward(there, a);
      ntt.inverse(back, there);
      ASSERT_EQ(back, a) << "q = " << q.value();
      ntt.inverse(there, there);
      ASSERT_EQ(there, a) << "in place";
      ntt.inverse(there, a);
      ntt.forward(there, there);
      ASSERT_EQ(there, a) << "the other way round";
    }
  }
}

TEST(CyclotomicNtt, RootIsTheSmallestOfItsOrder) {
  for (const std::uint64_t m : {3u, 9u, 12u, 15u, 105u, 127u, 255u, 385u}) {
    const auto indices = std::make_shared<CyclotomicIndices>(RingSpec::cyclotomic(m));
    const Modulus q =
        generate_primes(prime_sizes(indices->ring).front(), indices->ring.modulus_step(), 1)
            .front();
    std::uint64_t smallest = 0;
    for (std::uint64_t candidate = 2; smallest == 0; ++candidate) {
      if (pow_mod(candidate, m, q) != 1) continue;
      bool is_primitive = true;
      for (std::uint64_t d = 1; d < m; ++d) {
        is_primitive = is_primitive && (m % d != 0 || pow_mod(candidate, d, q) != 1);
      }
      if (is_primitive) smallest = candidate;
    }
    const CyclotomicNtt ntt(indices, q, KernelSelection::from_environment());
    EXPECT_EQ(ntt.root_of_unity(), smallest) << "m = " << m;
  }
}

// Odd, even, prime, prime powers, many prime divisors, and those of published experiments;
// convolutions that are just long enough.
INSTANTIATE_TEST_SUITE_P(Rings, CyclotomicNttTest,
                         ::testing::Values(3, 5, 7, 9, 12, 15, 20, 21, 24, 45, 60, 105, 127, 255,
                                           257, 385, 420, 511, 1155, 2783, 3875, 5913, 8191, 9225,
                                           10773),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ringlet::test
