// SPDX-License-Identifier: Apache-2.0
#include <climits>

#include "service_setup.hpp"

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::scheme_type;

using SealEvaluatorRotations = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealEvaluatorRotations, testing::ValuesIn(kServiceSchemes),
                         scheme_name);

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

/// What exchanges rows; slots of CKKS that are real do not change.
Slots swapped(const Services& s, const Slots& slots) {
  if (s.is_ckks()) return slots;
  Slots result(slots.begin() + kRow, slots.end());
  result.insert(result.end(), slots.begin(), slots.begin() + kRow);
  return result;
}

void rotate(const Services& s, Ciphertext& x, int steps, const seal::GaloisKeys& keys) {
  if (s.is_ckks()) {
    s.evaluator.rotate_vector_inplace(x, steps, keys);
  } else {
    s.evaluator.rotate_rows_inplace(x, steps, keys);
  }
}

TEST_P(SealEvaluatorRotations, rotateByAnyNumberOfSteps) {
  const Slots a = counting(s, 1);
  const Ciphertext x = s.encrypt(a);
  for (int steps = 1 - kRow; steps < kRow; ++steps) {
    Ciphertext y = x;
    rotate(s, y, steps, s.galois_keys);
    EXPECT_EQ(s.decrypt(y), rotated(a, steps)) << steps;
  }
  Ciphertext y;
  if (s.is_ckks()) {
    s.evaluator.rotate_vector(x, 3, s.galois_keys, y);
  } else {
    s.evaluator.rotate_rows(x, 3, s.galois_keys, y);
  }
  EXPECT_EQ(s.decrypt(y), rotated(a, 3));
}

TEST_P(SealEvaluatorRotations, swapRowsOrConjugate) {
  const Slots a = counting(s, 1);
  const Ciphertext x = s.encrypt(a);
  Ciphertext y;
  Ciphertext z = x;
  if (s.is_ckks()) {
    s.evaluator.complex_conjugate(x, s.galois_keys, y);
    s.evaluator.complex_conjugate_inplace(z, s.galois_keys);
  } else {
    s.evaluator.rotate_columns(x, s.galois_keys, y);
    s.evaluator.rotate_columns_inplace(z, s.galois_keys);
  }
  EXPECT_EQ(s.decrypt(y), swapped(s, a));
  EXPECT_EQ(s.decrypt(z), swapped(s, a));
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
  const Slots a = counting(s, 1);
  const Ciphertext x = s.encrypt(a);
  seal::GaloisKeys keys;
  s.keygen.create_galois_keys(std::vector<int>{7}, keys);
  Ciphertext y = x;
  rotate(s, y, 7, keys);
  EXPECT_EQ(s.decrypt(y), rotated(a, 7));
  for (const int steps : {-7, 8, 1, 14}) {
    y = x;
    EXPECT_INVALID_ARGUMENT(rotate(s, y, steps, keys)) << steps;
    EXPECT_EQ(s.decrypt(y), a);
  }
  // 7 = 8 - 1, in non-adjacent form.
  s.keygen.create_galois_keys(std::vector<int>{8, -1}, keys);
  rotate(s, y, 7, keys);
  EXPECT_EQ(s.decrypt(y), rotated(a, 7));
  y = x;
  s.keygen.create_galois_keys(std::vector<int>{4, 2, 1}, keys);
  EXPECT_INVALID_ARGUMENT(rotate(s, y, 7, keys));
  rotate(s, y, 5, keys);
  EXPECT_EQ(s.decrypt(y), rotated(a, 5));
}

TEST_P(SealEvaluatorRotations, noStepsChangeNothing) {
  const Slots a = counting(s, 1);
  Ciphertext x = s.encrypt(a);
  const std::vector before(x.dyn_array().begin(), x.dyn_array().end());
  rotate(s, x, 0, s.galois_keys);
  EXPECT_EQ(std::vector(x.dyn_array().begin(), x.dyn_array().end()), before);
  seal::GaloisKeys unfit;  // a key, but for nothing that is asked for
  s.keygen.create_galois_keys(std::vector<std::uint32_t>{5}, unfit);
  rotate(s, x, 0, unfit);
  EXPECT_EQ(std::vector(x.dyn_array().begin(), x.dyn_array().end()), before);
}

TEST_P(SealEvaluatorRotations, refuseWhatTheyCannotDo) {
  const Ciphertext x = s.encrypt(counting(s, 1));
  Ciphertext y = x;
  EXPECT_INVALID_ARGUMENT(rotate(s, y, kRow, s.galois_keys));
  EXPECT_INVALID_ARGUMENT(rotate(s, y, -kRow, s.galois_keys));
  EXPECT_INVALID_ARGUMENT(rotate(s, y, INT_MIN, s.galois_keys));
  EXPECT_INVALID_ARGUMENT(rotate(s, y, 1, seal::GaloisKeys()));
  EXPECT_INVALID_ARGUMENT(rotate(s, y, 0, seal::GaloisKeys()));
  seal::GaloisKeys foreign;
  seal::KeyGenerator(foreign_context(GetParam())).create_galois_keys(foreign);
  EXPECT_INVALID_ARGUMENT(rotate(s, y, 1, foreign));
  seal::GaloisKeys damaged = s.galois_keys;
  damaged.data()[seal::GaloisKeys::get_index(3)].pop_back();
  EXPECT_INVALID_ARGUMENT(rotate(s, y, 1, damaged));
  s.evaluator.square_inplace(y);
  EXPECT_INVALID_ARGUMENT(rotate(s, y, 1, s.galois_keys));
  y = x;
  // The services of the other kind of slots, whatever else is wrong.
  for (const auto& keys : {s.galois_keys, seal::GaloisKeys()}) {
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

TEST_P(SealEvaluatorRotations, applyAnyAutomorphism) {
  const Slots a = counting(s, 1);
  const Ciphertext x = s.encrypt(a);
  Ciphertext y;
  s.evaluator.apply_galois(
      x, 27,
      [&] {
        seal::GaloisKeys keys;
        s.keygen.create_galois_keys(std::vector<std::uint32_t>{27}, keys);
        return keys;
      }(),
      y);
  EXPECT_EQ(s.decrypt(y), rotated(a, 3));
  y = x;
  s.evaluator.apply_galois_inplace(y, 2 * kServiceDegree - 1, s.galois_keys);
  EXPECT_EQ(s.decrypt(y), swapped(s, a));
  EXPECT_INVALID_ARGUMENT(s.evaluator.apply_galois_inplace(y, 5, s.galois_keys));  // no such key
  EXPECT_INVALID_ARGUMENT(s.evaluator.apply_galois_inplace(y, 4, s.galois_keys));
  EXPECT_INVALID_ARGUMENT(
      s.evaluator.apply_galois_inplace(y, 2 * kServiceDegree + 1, s.galois_keys));
  EXPECT_INVALID_ARGUMENT(s.evaluator.apply_galois_inplace(y, 3, seal::GaloisKeys()));
  Ciphertext three;
  s.evaluator.square(x, three);
  EXPECT_INVALID_ARGUMENT(s.evaluator.apply_galois_inplace(three, 3, s.galois_keys));
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
