// SPDX-License-Identifier: Apache-2.0
#include <climits>

#include "service_setup.hpp"

namespace ringlet::test {
namespace {

using SealEvaluator = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealEvaluator, testing::ValuesIn(kSchemes), scheme_name);

TEST_P(SealEvaluator, keepsAContextOfItsOwn) {
  EXPECT_INVALID_ARGUMENT(seal::Evaluator(invalid_context(GetParam())));
  std::optional<SEALContext> context(s.context);
  const seal::Evaluator evaluator(*context);
  context.reset();
  Ciphertext x = s.encrypt(counting(s, 1));
  evaluator.negate_inplace(x);
  EXPECT_EQ(s.decrypt(x), counting(s, -1, -1));
}

TEST_P(SealEvaluator, arithmeticInEveryForm) {
  const Slots a = counting(s, -3);
  const Slots b = counting(s, 40, -1);
  const Ciphertext x = s.encrypt(a);
  const Ciphertext y = s.encrypt(b);
  const Plaintext p = s.encode(b);
  EXPECT_EQ(s.decrypt(EVALUATED(negate, x)), difference(Slots(a.size()), a));
  EXPECT_EQ(s.decrypt(EVALUATED(add, x, y)), sum(a, b));
  EXPECT_EQ(s.decrypt(EVALUATED(sub, x, y)), difference(a, b));
  EXPECT_EQ(s.decrypt(EVALUATED_WITH_POOL(square, x)), product(a, a));
  EXPECT_EQ(s.decrypt(EVALUATED_WITH_POOL(add_plain, x, p)), sum(a, b));
  EXPECT_EQ(s.decrypt(EVALUATED_WITH_POOL(sub_plain, x, p)), difference(a, b));
  EXPECT_EQ(s.decrypt(EVALUATED_WITH_POOL(multiply_plain, x, p)), product(a, b));
  const Ciphertext z = EVALUATED_WITH_POOL(multiply, x, y);
  EXPECT_EQ(z.size(), 3U);
  EXPECT_EQ(z.scale(), x.scale() * y.scale());
  EXPECT_EQ(s.decrypt(z), product(a, b));
  const Ciphertext relinearized = EVALUATED_WITH_POOL(relinearize, z, s.relin_keys);
  EXPECT_EQ(relinearized.size(), 2U);
  EXPECT_EQ(relinearized.is_ntt_form(), s.scheme != scheme_type::bfv);
  EXPECT_EQ(s.decrypt(relinearized), product(a, b));
}

TEST_P(SealEvaluator, destinationsMayBeOperandsAndKeepTheirWords) {
  const Slots a = counting(s, 3);
  const Slots b = counting(s, 100, -2);
  const Ciphertext x = s.encrypt(a);
  const Ciphertext y = s.encrypt(b);
  Ciphertext result = y;
  const std::uint64_t* const words = result.data();
  s.evaluator.sub(x, result, result);
  EXPECT_EQ(s.decrypt(result), difference(a, b));
  s.evaluator.add(x, y, result);
  EXPECT_EQ(s.decrypt(result), sum(a, b));
  result = x;
  s.evaluator.add_inplace(result, result);
  s.evaluator.negate_inplace(result);
  EXPECT_EQ(s.decrypt(result), difference(difference(a, a), sum(a, a)));
  EXPECT_EQ(result.data(), words);
  result = x;
  s.evaluator.multiply(result, result, result);
  EXPECT_EQ(s.decrypt(result), product(a, a));

  for (const bool is_pointer_known : {false, true}) {
    Ciphertext roomy = x;
    roomy.reserve(4);
    const std::uint64_t* const place = is_pointer_known ? roomy.data() : nullptr;
    s.evaluator.square_inplace(roomy);
    EXPECT_EQ(roomy.size_capacity(), 4U);
    EXPECT_EQ(s.decrypt(roomy), product(a, a));
    EXPECT_TRUE(!is_pointer_known || roomy.data() == place);
  }

  Ciphertext low = s.encrypt(a);
  s.evaluator.mod_switch_to_inplace(low, s.context.last_parms_id());
  s.evaluator.add(x, y, low);
  EXPECT_EQ(low.parms_id(), s.context.first_parms_id());
  EXPECT_EQ(s.decrypt(low), sum(a, b));
}

TEST_P(SealEvaluator, addsMany) {
  const Slots a = counting(s, 1);
  std::vector<Ciphertext> operands(3, s.encrypt(a));
  Ciphertext result;
  s.evaluator.add_many(operands, result);
  EXPECT_EQ(s.decrypt(result), sum(sum(a, a), a));
  EXPECT_INVALID_ARGUMENT(s.evaluator.add_many({}, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.add_many(operands, operands[1]));
  EXPECT_EQ(s.decrypt(operands[1]), a);
}

TEST_P(SealEvaluator, relinearizationNeedsTheRightKeys) {
  Ciphertext x = s.encrypt(counting(s, 1));
  const Ciphertext before = x;
  s.evaluator.relinearize_inplace(x, s.relin_keys);
  EXPECT_EQ(s.decrypt(x), s.decrypt(before));
  RelinKeys foreign_keys;
  seal::KeyGenerator(foreign_context(GetParam())).create_relin_keys(foreign_keys);
  RelinKeys short_keys = s.relin_keys;
  short_keys.data()[0].pop_back();
  RelinKeys short_polynomial = s.relin_keys;
  short_polynomial.data()[0][1].data().resize(3);
  for (int size = 2; size <= 3; ++size) {  // also for size 2, which needs none
    for (const RelinKeys& keys : {RelinKeys(), foreign_keys, short_keys, short_polynomial}) {
      EXPECT_INVALID_ARGUMENT(s.evaluator.relinearize_inplace(x, keys));
    }
    s.evaluator.multiply_inplace(x, before);
  }
  EXPECT_EQ(x.size(), 4U);
  EXPECT_INVALID_ARGUMENT(s.evaluator.relinearize_inplace(x, s.relin_keys));
}

TEST_P(SealEvaluator, sizesEndAtSixteen) {
  Ciphertext x = s.encrypt(Slots(s.slot_count(), 1));
  if (s.is_ckks()) x.scale() = 1.0;
  const Ciphertext unit = x;
  while (x.size() < 16) s.evaluator.multiply_inplace(x, unit);
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_inplace(x, unit));
  EXPECT_INVALID_ARGUMENT(s.evaluator.square_inplace(x));
  EXPECT_EQ(x.size(), 16U);
}

// As in SEAL 4.3, calls check keys that they do not need, except in products of one operand.
TEST_P(SealEvaluator, productsOfManyAndPowers) {
  const Slots a = counting(s, 1);
  Ciphertext x = s.encrypt(a);
  std::vector<Ciphertext> operands(3, x);
  Ciphertext result;
  EXPECT_EQ(s.decrypt(EVALUATED_WITH_POOL(exponentiate, x, 1, s.relin_keys)), a);
  EXPECT_INVALID_ARGUMENT(s.evaluator.exponentiate(x, 0, s.relin_keys, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.exponentiate_inplace(x, 1, RelinKeys()));
  EXPECT_INVALID_ARGUMENT(s.evaluator.exponentiate_inplace(x, 2, RelinKeys()));
  if (s.is_ckks()) {
    EXPECT_LOGIC_ERROR(s.evaluator.multiply_many(operands, s.relin_keys, result));
    EXPECT_LOGIC_ERROR(s.evaluator.multiply_many(operands, RelinKeys(), result));
    EXPECT_LOGIC_ERROR(s.evaluator.multiply_many({x}, RelinKeys(), result));
    EXPECT_LOGIC_ERROR(s.evaluator.exponentiate(x, 2, s.relin_keys, result));
    return;
  }
  s.evaluator.multiply_many(operands, s.relin_keys, result);
  EXPECT_EQ(result.size(), 2U);
  EXPECT_EQ(s.decrypt(result), product(product(a, a), a));
  s.evaluator.multiply_many({x, x}, s.relin_keys, result, seal::MemoryManager::GetPool());
  EXPECT_EQ(s.decrypt(result), product(a, a));
  s.evaluator.multiply_many({x}, RelinKeys(), result);
  EXPECT_EQ(s.decrypt(result), a);
  EXPECT_EQ(s.decrypt(EVALUATED_WITH_POOL(exponentiate, x, 2, s.relin_keys)), product(a, a));
  s.evaluator.exponentiate(x, 3, s.relin_keys, result);
  EXPECT_EQ(s.decrypt(result), product(product(a, a), a));
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_many(operands, RelinKeys(), result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_many({}, s.relin_keys, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_many(operands, s.relin_keys, operands[2]));
}

TEST_P(SealEvaluator, transparentResultsAreRefused) {
  const Ciphertext x = s.encrypt(counting(s, 1));
  Ciphertext result = x;
  EXPECT_LOGIC_ERROR(s.evaluator.sub(x, x, result));
  Ciphertext negative;
  s.evaluator.negate(x, negative);
  EXPECT_LOGIC_ERROR(s.evaluator.add(x, negative, result));
  EXPECT_LOGIC_ERROR(s.evaluator.add_many({x, negative}, result));
  EXPECT_LOGIC_ERROR(s.evaluator.multiply_plain(x, s.encode({0}), result));
  EXPECT_EQ(s.decrypt(result), s.decrypt(x));  // the destination is unchanged
}

TEST_P(SealEvaluator, operandsMustFitTheContextAndEachOther) {
  const Ciphertext x = s.encrypt(counting(s, 1));
  Ciphertext low;
  s.evaluator.mod_switch_to_next(x, low);
  Ciphertext result;
  EXPECT_INVALID_ARGUMENT(s.evaluator.add(x, low, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.sub(x, low, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply(x, low, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.negate(Ciphertext(), result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.negate(Ciphertext(s.context), result));

  Ciphertext key_level;
  s.encryptor.encrypt_zero(s.context.key_parms_id(), key_level);
  EXPECT_INVALID_ARGUMENT(s.evaluator.negate(key_level, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.add(key_level, key_level, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next(key_level, result));

  Ciphertext bad = x;
  bad.scale() = s.is_ckks() ? 0.0 : 2.0;
  EXPECT_INVALID_ARGUMENT(s.evaluator.negate(bad, result));
  bad = x;
  bad.correction_factor() = s.scheme == scheme_type::bgv ? 0 : 2;
  EXPECT_INVALID_ARGUMENT(s.evaluator.negate(bad, result));
  bad = x;
  bad.is_ntt_form() = !bad.is_ntt_form();
  EXPECT_INVALID_ARGUMENT(s.evaluator.add(x, bad, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply(bad, bad, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.add_plain(bad, s.encode({1}), result));

  Plaintext other_form("1");
  if (!s.is_ckks()) s.evaluator.transform_to_ntt_inplace(other_form, s.context.first_parms_id());
  EXPECT_INVALID_ARGUMENT(s.evaluator.add_plain(x, other_form, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.sub_plain(x, other_form, result));

  const MemoryPoolHandle no_pool;
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply(x, x, result, no_pool));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next(x, result, no_pool));
  EXPECT_INVALID_ARGUMENT(s.evaluator.add_plain(x, s.encode({1}), result, no_pool));
  EXPECT_INVALID_ARGUMENT(s.evaluator.rotate_rows(x, 1, s.galois_keys, result, no_pool));
}

TEST_P(SealEvaluator, plaintextsWithoutCoefficientsAreZero) {
  if (s.is_ckks()) return;
  const Slots a = counting(s, 1);
  Ciphertext x = s.encrypt(a);
  s.evaluator.add_plain_inplace(x, Plaintext());
  s.evaluator.sub_plain_inplace(x, Plaintext());
  EXPECT_EQ(s.decrypt(x), a);
  EXPECT_LOGIC_ERROR(s.evaluator.multiply_plain_inplace(x, Plaintext()));
  EXPECT_EQ(s.decode(Plaintext()), Slots(kServiceDegree));
  Plaintext plain;
  s.evaluator.transform_to_ntt_inplace(plain, s.context.first_parms_id());
  EXPECT_TRUE(plain.is_ntt_form() && plain.is_zero());
  EXPECT_EQ(plain.coeff_count(), 4 * kServiceDegree);
}

TEST(SealEvaluatorCkks, scalesAreNeverAdjustedAndMustFitTheLevel) {
  Services s(scheme_type::ckks);
  Ciphertext x = s.encrypt({1, 2, 3});
  Ciphertext y = x;
  Ciphertext result;
  y.scale() = x.scale() * (1 + std::pow(2.0, -53));  // rounds to the same number
  s.evaluator.add(x, y, result);
  y.scale() = x.scale() * (1 + std::pow(2.0, -51));
  EXPECT_INVALID_ARGUMENT(s.evaluator.add(x, y, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.sub(x, y, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.add_plain(x, s.encode({1}, kServiceScale * 2), result));
  const Plaintext low = s.encode_at(s.context.last_parms_id(), {1});
  EXPECT_INVALID_ARGUMENT(s.evaluator.add_plain(x, low, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_plain(x, low, result));

  x.scale() = std::pow(2.0, 100);  // q has 170 bits
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply(x, x, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.square(x, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_plain(x, s.encode({1}, std::pow(2.0, 80)), result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to(x, s.context.last_parms_id(), result));
  x.scale() = std::pow(2.0, 84);
  s.evaluator.multiply(x, x, result);
  EXPECT_EQ(result.scale(), std::pow(2.0, 168));
}

TEST(SealEvaluatorBgv, factorsAreBalanced) {
  Services s(scheme_type::bgv);
  const Slots a = counting(s, 1);
  const Slots b = counting(s, 5, 3);
  Ciphertext x = s.encrypt(a);
  Ciphertext y = s.encrypt(b);
  EXPECT_EQ(x.correction_factor(), 1U);
  s.evaluator.mod_switch_to_next_inplace(x);
  s.evaluator.square_inplace(y);
  s.evaluator.relinearize_inplace(y, s.relin_keys);
  s.evaluator.mod_switch_to_next_inplace(y);
  s.evaluator.multiply_inplace(y, x);
  EXPECT_NE(x.correction_factor(), 1U);
  EXPECT_NE(x.correction_factor(), y.correction_factor());
  Ciphertext result;
  s.evaluator.add(x, y, result);
  const auto t = static_cast<std::int64_t>(s.parms.plain_modulus().value());
  Slots expected = sum(a, product(product(b, b), a));
  for (std::int64_t& value : expected) {
    value = ((value % t) + t) % t;
    if (value > t / 2) value -= t;
  }
  EXPECT_EQ(s.decrypt(result), expected);
  s.evaluator.add_plain(x, s.encode(b), result);
  EXPECT_EQ(s.decrypt(result), sum(a, b));
}

constexpr int kRow = kServiceDegree / 2;

/// The slots with each row of N/2 rotated to the left.
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
    s.is_ckks() ? s.evaluator.rotate_vector_inplace(x, steps, keys)
                : s.evaluator.rotate_rows_inplace(x, steps, keys);
  }
  /// The slots after an exchange of rows; real slots of CKKS stay.
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
  Plaintext plain;
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
  // The second set has a key, but none for the default steps.
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
  // Rotations of the other kind of slots are logic errors, whatever else is wrong.
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
    EncryptionParameters parms = service_parameters(scheme);
    parms.set_plain_modulus(1024);
    Services s(parms, true);
    Ciphertext x;
    s.encryptor.encrypt(std::string("1x^5 + 2"), x);
    EXPECT_LOGIC_ERROR(s.evaluator.rotate_rows_inplace(x, 1, s.galois_keys));
    EXPECT_LOGIC_ERROR(s.evaluator.rotate_columns_inplace(x, s.galois_keys));
    s.evaluator.apply_galois_inplace(x, 3, s.galois_keys);
    Plaintext plain;
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
