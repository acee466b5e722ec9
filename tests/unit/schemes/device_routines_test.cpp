// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ciphertext_matrix.hpp"
#include "ringlet/routines.hpp"
#include "support/device_fixture.hpp"
#include "support/test.hpp"
#include "unit/schemes/ckks_support.hpp"

// Routines and products of matrices on a device give the bits that they give on the host.

namespace ringlet::test {
namespace {

constexpr double kScale = 0x1p40;

class DeviceRoutines : public test::DeviceTest {
 protected:
  std::vector<Ciphertext> encrypt(std::size_t count, double scale) {
    std::vector<Ciphertext> result;
    while (result.size() < count) {
      result.push_back(ckks_.encrypt(test::random_slots(ckks_.encoder.slot_count(), rng_), scale));
    }
    return result;
  }

  std::mt19937_64 rng_ = test::make_rng();
  Ckks ckks_{512, {60, 50, 30, 57, 60}};
};

TEST_F(DeviceRoutines, AreThoseOfTheHost) {
  const Evaluator host(ckks_.context, Device::cpu());
  const Evaluator on_device(ckks_.context, device);
  const std::vector<Ciphertext> a = encrypt(2, kScale);
  const std::vector<Ciphertext> b = encrypt(2, kScale);
  const std::vector<Ciphertext> c = encrypt(2, product_scale_after_rescale(host, a[0], b[0]));
  const auto run = [&](const Evaluator& e) {
    std::vector<Ciphertext> all;
    std::vector<Ciphertext> results(2);
    const auto keep = [&] { all.insert(all.end(), results.begin(), results.end()); };
    multiply_relinearize(e, a, b, ckks_.relin_keys, results);
    keep();
    multiply_relinearize_rescale(e, a, b, ckks_.relin_keys, results);
    keep();
    square_relinearize_rescale(e, a, ckks_.relin_keys, results);
    keep();
    multiply_relinearize_rescale_add(e, a, b, c, ckks_.relin_keys, results);
    keep();
    rotate(e, a, 5, ckks_.galois_keys, results);
    keep();
    return all;
  };
  const std::vector<Ciphertext> expected = run(host);
  const std::vector<Ciphertext> results = run(on_device);
  ASSERT_EQ(results.size(), expected.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_NE(results[i].device_memory(), nullptr) << "it was not computed on the device";
    expect_same(expected[i], results[i]);
  }
}

TEST_F(DeviceRoutines, MatricesAreThoseOfTheHost) {
  const Evaluator host(ckks_.context, Device::cpu());
  const Evaluator on_device(ckks_.context, device);
  for (const std::size_t depth : {std::size_t{1}, std::size_t{3}}) {
    const CiphertextMatrix a({2, depth}, encrypt(2 * depth, kScale));
    const CiphertextMatrix b({depth, 2}, encrypt(2 * depth, kScale));
    const CiphertextMatrix c({2, 2}, encrypt(4, kScale * kScale));
    for (const MatrixProduct form : {MatrixProduct::fused, MatrixProduct::separate}) {
      CiphertextMatrix expected = c;
      CiphertextMatrix sum = c;
      // The second time to sums of three polynomials.
      for (int i = 0; i < 2; ++i) {
        multiply_accumulate(host, expected, a, b);
        multiply_accumulate(on_device, sum, a, b, form);
      }
      CiphertextMatrix expected_product;
      CiphertextMatrix product;
      multiply(host, a, b, expected_product);
      multiply(on_device, a, b, product, form);
      for (std::size_t i = 0; i < sum.entries().size(); ++i) {
        EXPECT_NE(sum.entries()[i].device_memory(), nullptr);
        expect_same(expected.entries()[i], sum.entries()[i]);
        expect_same(expected_product.entries()[i], product.entries()[i]);
      }
    }
  }
}

}  // namespace
}  // namespace ringlet::test
