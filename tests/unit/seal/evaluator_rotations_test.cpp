// SPDX-License-Identifier: Apache-2.0
#include <climits>

#include "service_setup.hpp"

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::GaloisKeys;
using seal::scheme_type;

constexpr int kRow = kServiceDegree / 2;

/// Each row of N/2 slots rotated to the left.
Slots rotated(const Slots& slots, int steps) {
  Slots result(slots.size());
  for (int i = 0; i < static_cast<int>(slots.size()); ++i) {
    const int row = i / kRow;
    result[i] = slots[row * kRow + (i % kRow + steps + kRow) % kRow];
  }
  return result;
}

class SealEvaluatorRotations : public SealServices {
 protected:
  void rotate(Ciphertext& x, int steps, const GaloisKeys& keys) {
    if (s.is_ckks()) {
      s.evaluator.rotate_vector_inplace(x, steps, keys);
    } else {
      s.evaluator.rotate_rows_inplace(x, steps, keys);
    }
  }
  /// What exchanges rows; slots of CKKS that are real do not change.
  Slots swapped(Slots slots) const {
    if (!s.is_ckks()) std::rotate(slots.begin(), slots.begin() + kRow, slots.end());
    return slots;
  }
  template <typename Number>
  GaloisKeys keys_for(const std::vector<Number>& what) const {
    GaloisKeys keys;
    s.keygen.create_galois_keys(what, keys);
    return keys;
  }

  const Slots a_ = counting(s, 1);
  const Ciphertext x_ = s.encrypt(a_);
};

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealEvaluatorRotations, testing::ValuesIn(kSchemes),
                         scheme_name);

TEST_P(SealEvaluatorRotations, rotateByAnyNumberOfSteps) {
  for (int steps = 1 - kRow; steps < kRow; ++steps) {
    Ciphertext y = x_;
    rotate(y, steps, s.galois_keys);
    EXPECT_EQ(s.decrypt(y), rotated(a_, steps)) << steps;
  }
  const Ciphertext y = s.is_ckks() ? EVALUATED_WITH_POOL(rotate_vector, x_, 3, s.galois_keys)
                                   : EVALUATED_WITH_POOL(rotate_rows, x_, 3, s.galois_keys);
  EXPECT_EQ(s.decrypt(y), rotated(a_, 3));
}

TEST_P(SealEvaluatorRotations, applyAnyAutomorphism) {
  const GaloisKeys keys = keys_for<std::uint32_t>({27});
  Ciphertext y = EVALUATED_WITH_POOL(apply_galois, x_, 27, keys);
  EXPECT_EQ(s.decrypt(y), rotated(a_, 3));
  y = EVALUATED_WITH_POOL(apply_galois, x_, 2 * kServiceDegree - 1, s.galois_keys);
  EXPECT_EQ(s.decrypt(y), swapped(a_));
  const Ciphertext rows_swapped = s.is_ckks()
                                      ? EVALUATED_WITH_POOL(complex_conjugate, x_, s.galois_keys)
                                      : EVALUATED_WITH_POOL(rotate_columns, x_, s.galois_keys);
  EXPECT_TRUE(same(rows_swapped, y));
  for (const std::uint32_t element : {5, 1, 4, 129}) {  // 1, the identity, needs a key too
    EXPECT_INVALID_ARGUMENT(s.evaluator.apply_galois_inplace(y, element, s.galois_keys));
  }
  EXPECT_INVALID_ARGUMENT(s.evaluator.apply_galois_inplace(y, 3, GaloisKeys()));
  s.evaluator.apply_galois_inplace(y, 1, keys_for<std::uint32_t>({1}));
  EXPECT_EQ(s.decrypt(y), swapped(a_));
  Ciphertext three;
  s.evaluator.square(x_, three);
  EXPECT_INVALID_ARGUMENT(s.evaluator.apply_galois_inplace(three, 3, s.galois_keys));
}

TEST(SealEvaluatorConjugation, imaginaryPartsChangeTheirSign) {
  Services s(scheme_type::ckks);
  const seal::CKKSEncoder encoder(s.context);
  const std::vector<std::complex<double>> values{{1, 2}, {-3, 4}, {0, -5}};
  seal::Plaintext plain;
  encoder.encode(values, kServiceScale, plain);
  Ciphertext x;
  s.encryptor.encrypt(plain, x);
  s.evaluator.complex_conjugate_inplace(x, s.galois_keys);
  s.decryptor.decrypt(x, plain);
  std::vector<std::complex<double>> result;
  encoder.decode(plain, result);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(std::abs(result[i] - std::conj(values[i])), 0.0, 1e-6);
  }
}

TEST_P(SealEvaluatorRotations, useTheirOwnKeyOrPowersOfTwo) {
  Ciphertext y = x_;
  GaloisKeys keys = keys_for<int>({7});
  rotate(y, 7, keys);
  EXPECT_EQ(s.decrypt(y), rotated(a_, 7));
  for (const int steps : {-7, 8, 1, 14}) {
    y = x_;
    EXPECT_INVALID_ARGUMENT(rotate(y, steps, keys)) << steps;
    EXPECT_EQ(s.decrypt(y), a_);
  }
  rotate(y, 7, keys_for<int>({8, -1}));  // 7 = 8 - 1, in non-adjacent form
  EXPECT_EQ(s.decrypt(y), rotated(a_, 7));
  y = x_;
  keys = keys_for<int>({4, 2, 1});
  EXPECT_INVALID_ARGUMENT(rotate(y, 7, keys));
  rotate(y, 5, keys);
  EXPECT_EQ(s.decrypt(y), rotated(a_, 5));
}

TEST_P(SealEvaluatorRotations, noStepsChangeNothing) {
  // With a key that is for nothing that is asked for, too.
  for (const GaloisKeys& keys : {s.galois_keys, keys_for<std::uint32_t>({5})}) {
    Ciphertext x = x_;
    rotate(x, 0, keys);
    EXPECT_TRUE(same(x, x_));
  }
}

TEST_P(SealEvaluatorRotations, refuseWhatTheyCannotDo) {
  Ciphertext y = x_;
  for (const int steps : {kRow, -kRow, INT_MIN}) {
    EXPECT_INVALID_ARGUMENT(rotate(y, steps, s.galois_keys)) << steps;
  }
  EXPECT_INVALID_ARGUMENT(rotate(y, 1, GaloisKeys()));
  EXPECT_INVALID_ARGUMENT(rotate(y, 0, GaloisKeys()));
  GaloisKeys foreign;
  seal::KeyGenerator(foreign_context(GetParam())).create_galois_keys(foreign);
  EXPECT_INVALID_ARGUMENT(rotate(y, 1, foreign));
  GaloisKeys damaged = s.galois_keys;
  damaged.data()[GaloisKeys::get_index(3)].pop_back();
  EXPECT_INVALID_ARGUMENT(rotate(y, 1, damaged));
  s.evaluator.square_inplace(y);
  EXPECT_INVALID_ARGUMENT(rotate(y, 1, s.galois_keys));
  y = x_;
  // The services of the other kind of slots, whatever else is wrong.
  for (const auto& keys : {s.galois_keys, GaloisKeys()}) {
    if (s.is_ckks()) {
      EXPECT_LOGIC_ERROR(s.evaluator.rotate_rows_inplace(y, 1, keys));
      EXPECT_LOGIC_ERROR(s.evaluator.rotate_rows_inplace(y, kRow, keys));
      EXPECT_LOGIC_ERROR(s.evaluator.rotate_columns_inplace(y, keys));
    } else {
      EXPECT_LOGIC_ERROR(s.evaluator.rotate_vector_inplace(y, 1, keys));
      EXPECT_LOGIC_ERROR(s.evaluator.complex_conjugate_inplace(y, keys));
    }
  }
}

TEST(SealEvaluatorWithoutBatching, automorphismsActOnPolynomials) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::bgv}) {
    seal::EncryptionParameters parms = service_parameters(scheme);
    parms.set_plain_modulus(1024);
    Services s(parms, true);
    Ciphertext x;
    s.encryptor.encrypt(std::string("1x^5 + 2"), x);
    EXPECT_LOGIC_ERROR(s.evaluator.rotate_rows_inplace(x, 1, s.galois_keys));
    EXPECT_LOGIC_ERROR(s.evaluator.rotate_columns_inplace(x, s.galois_keys));
    s.evaluator.apply_galois_inplace(x, 3, s.galois_keys);
    seal::Plaintext plain;
    s.decryptor.decrypt(x, plain);
    EXPECT_EQ(plain.to_string(), "1x^15 + 2");
    s.evaluator.apply_galois_inplace(x, 2 * kServiceDegree - 1, s.galois_keys);
    s.decryptor.decrypt(x, plain);
    EXPECT_EQ(plain.to_string(), "3FFx^49 + 2");  // X^-15 = -X^(N-15)
    EXPECT_LOGIC_ERROR(s.keygen.create_galois_keys(std::vector<int>{1}, s.galois_keys));
  }
}

}  // namespace
}  // namespace ringlet::test
