// SPDX-License-Identifier: Apache-2.0
// From an estimate of the noise to a result for sharing: the bound holds, and the result is within
// the precision that is promised.

#include "ringlet/noise_estimator.hpp"
#include "ringlet/sharing_decryptor.hpp"
#include "support/test.hpp"
#include "unit/schemes/ckks_support.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kDegree = 1024;
constexpr double kScale = 0x1p80;
// The encoder's floating point is in the estimate, 2^33 at this scale: 64 bits would leave nothing.
constexpr int kBits = 30;

/// A ciphertext, what its slots should be, and the estimate of its noise.
struct Value {
  Ciphertext encrypted;
  Slots slots;
  NoiseEstimate estimate;
};

class SharedResults : public ::testing::Test {
 protected:
  SharedResults() : ckks_(kDegree, {60, 60, 60, 60, 60}), rng_(make_rng()) {}

  Value fresh() {
    Slots slots = random_slots(kDegree / 2, rng_);
    return {ckks_.encrypt(slots, kScale), slots,
            estimator_.encrypt(estimator_.encode(kScale, std::sqrt(2.0)))};
  }
  double largest_error(const Plaintext& plain, const Slots& expected) const {
    Slots decoded;
    ckks_.encoder.decode(plain, decoded);
    double largest = 0;
    for (std::size_t j = 0; j < expected.size(); ++j) {
      largest = std::max(largest, std::abs(decoded[j] - expected[j]));
    }
    return largest;
  }
  void expect_shared(const Value& value) {
    const double noise_bits = value.estimate.noise_bits();
    const double exact = largest_error(ckks_.decryptor.decrypt(value.encrypted), value.slots);
    EXPECT_LE(exact * value.encrypted.scale(), std::exp2(noise_bits) * (1 + 0x1p-20));
    SharingDecryptor decryptor(ckks_.context, ckks_.keygen.secret_key(),
                               {.decryptions = 1024, .security_bits = kBits});
    const SharedResult result =
        decryptor.decrypt(value.encrypted, noise_bits, value.estimate.magnitude());
    const double error = largest_error(result.plaintext, value.slots);
    EXPECT_LE(error, std::exp2(result.error_bits) + 0x1p-46);
    EXPECT_GE(error, std::exp2(result.error_bits - 3)) << "the flooding is missing";
  }

  Ckks ckks_;
  // The chance of failure that docs/notes/noise_flooding.md asks for, for 2^10 results.
  NoiseEstimator estimator_{ckks_.context.parms(), kBits + 10 + 5};
  std::mt19937_64 rng_;
};

TEST_F(SharedResults, Fresh) { expect_shared(fresh()); }

// x*y + z*z, with operands that depend on each other.
TEST_F(SharedResults, AfterAProductAndASum) {
  Value x = fresh();
  const Value y = fresh();
  Value z = fresh();
  ckks_.evaluator.multiply_inplace(x.encrypted, y.encrypted);
  ckks_.evaluator.square_inplace(z.encrypted);
  ckks_.evaluator.add_inplace(x.encrypted, z.encrypted);
  ckks_.evaluator.relinearize_inplace(x.encrypted, ckks_.relin_keys);
  ckks_.evaluator.rescale_to_next_inplace(x.encrypted);
  for (std::size_t j = 0; j < x.slots.size(); ++j) {
    x.slots[j] = x.slots[j] * y.slots[j] + z.slots[j] * z.slots[j];
  }
  x.estimate = estimator_.rescale_to_next(estimator_.relinearize(
      estimator_.add(estimator_.multiply(x.estimate, y.estimate), estimator_.square(z.estimate))));
  EXPECT_TRUE(x.estimate.has_dependent_operands());
  expect_shared(x);
}

}  // namespace
}  // namespace ringlet::test
