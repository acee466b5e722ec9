// SPDX-License-Identifier: Apache-2.0
#include "service_setup.hpp"

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::Plaintext;
using seal::scheme_type;

using SealEvaluator = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealEvaluator, testing::ValuesIn(kServiceSchemes),
                         scheme_name);

TEST_P(SealEvaluator, needsValidParameters) {
  EXPECT_INVALID_ARGUMENT(seal::Evaluator(invalid_context(GetParam())));
}

TEST_P(SealEvaluator, negates) {
  const Slots a = counting(s, -7);
  const Slots negative = difference(Slots(a.size()), a);
  Ciphertext x = s.encrypt(a);
  Ciphertext result;
  s.evaluator.negate(x, result);
  EXPECT_EQ(s.decrypt(result), negative);
  s.evaluator.negate_inplace(x);
  EXPECT_EQ(s.decrypt(x), negative);
}

TEST_P(SealEvaluator, addsAndSubtractsIntoAnyDestination) {
  const Slots a = counting(s, 3);
  const Slots b = counting(s, 100, -2);
  const Ciphertext x = s.encrypt(a);
  const Ciphertext y = s.encrypt(b);
  Ciphertext fresh;
  s.evaluator.add(x, y, fresh);
  EXPECT_EQ(s.decrypt(fresh), sum(a, b));
  s.evaluator.sub(x, y, fresh);
  EXPECT_EQ(s.decrypt(fresh), difference(a, b));

  Ciphertext first = x;
  s.evaluator.add_inplace(first, y);
  EXPECT_EQ(s.decrypt(first), sum(a, b));
  Ciphertext second = y;
  s.evaluator.sub(x, second, second);
  EXPECT_EQ(s.decrypt(second), difference(a, b));
  Ciphertext both = x;
  s.evaluator.add_inplace(both, both);
  EXPECT_EQ(s.decrypt(both), sum(a, a));
  first = x;
  s.evaluator.sub_inplace(first, y);
  EXPECT_EQ(s.decrypt(first), difference(a, b));

  Ciphertext low = s.encrypt(a);
  s.evaluator.mod_switch_to_inplace(low, s.context.last_parms_id());
  s.evaluator.add(x, y, low);
  EXPECT_EQ(low.parms_id(), s.context.first_parms_id());
  EXPECT_EQ(s.decrypt(low), sum(a, b));
}

TEST_P(SealEvaluator, resultsOfTheRightShapeAreWrittenInPlace) {
  Ciphertext x = s.encrypt(counting(s, 1));
  const Ciphertext y = s.encrypt(counting(s, 2));
  Ciphertext result = y;
  const std::uint64_t* const words = result.data();
  s.evaluator.add(x, y, result);
  EXPECT_EQ(result.data(), words);
  const std::uint64_t* const own = x.data();
  s.evaluator.add_inplace(x, y);
  s.evaluator.negate_inplace(x);
  EXPECT_EQ(x.data(), own);
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

TEST_P(SealEvaluator, multipliesAndRelinearizes) {
  const Slots a = counting(s, -5);
  const Slots b = counting(s, 20, -1);
  const Ciphertext x = s.encrypt(a);
  const Ciphertext y = s.encrypt(b);
  Ciphertext result;
  s.evaluator.multiply(x, y, result);
  EXPECT_EQ(result.size(), 3U);
  EXPECT_EQ(s.decrypt(result), product(a, b));
  if (s.is_ckks()) {
    EXPECT_EQ(result.scale(), x.scale() * y.scale());
  }
  Ciphertext relinearized;
  s.evaluator.relinearize(result, s.relin_keys, relinearized);
  EXPECT_EQ(relinearized.size(), 2U);
  EXPECT_EQ(relinearized.is_ntt_form(), s.scheme != scheme_type::bfv);
  EXPECT_EQ(s.decrypt(relinearized), product(a, b));
  s.evaluator.relinearize_inplace(result, s.relin_keys);
  EXPECT_EQ(s.decrypt(result), product(a, b));

  Ciphertext z = x;
  s.evaluator.multiply_inplace(z, y);
  EXPECT_EQ(s.decrypt(z), product(a, b));
  z = x;
  s.evaluator.multiply(z, z, z);
  EXPECT_EQ(s.decrypt(z), product(a, a));
  s.evaluator.square(x, z);
  EXPECT_EQ(s.decrypt(z), product(a, a));
  z = x;
  s.evaluator.square_inplace(z);
  EXPECT_EQ(z.size(), 3U);
  EXPECT_EQ(s.decrypt(z), product(a, a));
}

TEST_P(SealEvaluator, relinearizationNeedsTheRightKeys) {
  Ciphertext x = s.encrypt(counting(s, 1));
  const Ciphertext before = x;
  s.evaluator.relinearize_inplace(x, s.relin_keys);
  EXPECT_EQ(s.decrypt(x), s.decrypt(before));
  EXPECT_INVALID_ARGUMENT(s.evaluator.relinearize_inplace(x, seal::RelinKeys()));
  const seal::SEALContext foreign = foreign_context(GetParam());
  seal::RelinKeys foreign_keys;
  seal::KeyGenerator(foreign).create_relin_keys(foreign_keys);
  EXPECT_INVALID_ARGUMENT(s.evaluator.relinearize_inplace(x, foreign_keys));
  s.evaluator.square_inplace(x);
  EXPECT_INVALID_ARGUMENT(s.evaluator.relinearize_inplace(x, foreign_keys));
  seal::RelinKeys damaged = s.relin_keys;
  damaged.data()[0].pop_back();
  EXPECT_INVALID_ARGUMENT(s.evaluator.relinearize_inplace(x, damaged));
  damaged = s.relin_keys;
  damaged.data()[0][1].data().resize(3);
  EXPECT_INVALID_ARGUMENT(s.evaluator.relinearize_inplace(x, damaged));
  s.evaluator.multiply_inplace(x, before);
  EXPECT_EQ(x.size(), 4U);
  EXPECT_INVALID_ARGUMENT(s.evaluator.relinearize_inplace(x, s.relin_keys));
}

TEST_P(SealEvaluator, sizesEndAtSixteen) {
  Ciphertext x = s.encrypt(Slots(s.slot_count(), 1));
  const Ciphertext one = x;
  if (s.is_ckks()) x.scale() = 1.0;
  Ciphertext unit = x;
  while (x.size() < 16) s.evaluator.multiply_inplace(x, unit);
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_inplace(x, unit));
  EXPECT_INVALID_ARGUMENT(s.evaluator.square_inplace(x));
  EXPECT_EQ(x.size(), 16U);
}

TEST_P(SealEvaluator, productsOfManyAndPowers) {
  const Slots a = counting(s, 1);
  const Ciphertext x = s.encrypt(a);
  const std::vector<Ciphertext> operands(3, x);
  Ciphertext result;
  if (s.is_ckks()) {
    EXPECT_LOGIC_ERROR(s.evaluator.multiply_many(operands, s.relin_keys, result));
    EXPECT_LOGIC_ERROR(s.evaluator.multiply_many(operands, seal::RelinKeys(), result));
    EXPECT_LOGIC_ERROR(s.evaluator.exponentiate(x, 2, s.relin_keys, result));
  } else {
    s.evaluator.multiply_many(operands, s.relin_keys, result);
    EXPECT_EQ(result.size(), 2U);
    EXPECT_EQ(s.decrypt(result), product(product(a, a), a));
    s.evaluator.exponentiate(x, 3, s.relin_keys, result);
    EXPECT_EQ(s.decrypt(result), product(product(a, a), a));
    Ciphertext y = x;
    s.evaluator.exponentiate_inplace(y, 2, s.relin_keys);
    EXPECT_EQ(s.decrypt(y), product(a, a));
    s.evaluator.multiply_many({x}, s.relin_keys, result);
    EXPECT_EQ(s.decrypt(result), a);
    EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_many(operands, seal::RelinKeys(), result));
    EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_many({}, s.relin_keys, result));
    std::vector<Ciphertext> list = operands;
    EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_many(list, s.relin_keys, list[2]));
  }
  s.evaluator.exponentiate(x, 1, s.relin_keys, result);
  EXPECT_EQ(s.decrypt(result), a);
  EXPECT_INVALID_ARGUMENT(s.evaluator.exponentiate(x, 0, s.relin_keys, result));
}

TEST_P(SealEvaluator, plaintextOperands) {
  const Slots a = counting(s, -10);
  const Slots b = counting(s, 4, 2);
  const Ciphertext x = s.encrypt(a);
  const Plaintext p = s.encode(b);
  Ciphertext result;
  s.evaluator.add_plain(x, p, result);
  EXPECT_EQ(s.decrypt(result), sum(a, b));
  s.evaluator.sub_plain(x, p, result);
  EXPECT_EQ(s.decrypt(result), difference(a, b));
  s.evaluator.multiply_plain(x, p, result);
  EXPECT_EQ(s.decrypt(result), product(a, b));
  result = x;
  s.evaluator.add_plain_inplace(result, p);
  EXPECT_EQ(s.decrypt(result), sum(a, b));
  result = x;
  s.evaluator.sub_plain_inplace(result, p);
  EXPECT_EQ(s.decrypt(result), difference(a, b));
  result = x;
  s.evaluator.multiply_plain_inplace(result, p);
  EXPECT_EQ(s.decrypt(result), product(a, b));
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
  EXPECT_EQ(s.decrypt(result), s.decrypt(x));  // the destination keeps its value
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

  const seal::MemoryPoolHandle no_pool;
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply(x, x, result, no_pool));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next(x, result, no_pool));
  EXPECT_INVALID_ARGUMENT(s.evaluator.add_plain(x, s.encode({1}), result, no_pool));
  EXPECT_INVALID_ARGUMENT(s.evaluator.rotate_rows(x, 1, s.galois_keys, result, no_pool));
}

TEST_P(SealEvaluator, plaintextsOfTheOtherFormAreRefused) {
  const Ciphertext x = s.encrypt(counting(s, 1));
  Plaintext plain = s.encode({1});
  Ciphertext result;
  if (s.is_ckks()) {
    plain = Plaintext("1");
  } else {
    s.evaluator.transform_to_ntt_inplace(plain, s.context.first_parms_id());
  }
  EXPECT_INVALID_ARGUMENT(s.evaluator.add_plain(x, plain, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.sub_plain(x, plain, result));
}

TEST(SealEvaluatorCkks, scalesAreNeverAdjusted) {
  Services s(scheme_type::ckks);
  const Ciphertext x = s.encrypt({1, 2, 3});
  Ciphertext y = x;
  Ciphertext result;
  y.scale() = x.scale() * (1 + std::pow(2.0, -53));  // rounds to the same number
  s.evaluator.add(x, y, result);
  y.scale() = x.scale() * (1 + std::pow(2.0, -51));
  EXPECT_INVALID_ARGUMENT(s.evaluator.add(x, y, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.sub(x, y, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.add_plain(x, s.encode({1}, kServiceScale * 2), result));
  EXPECT_INVALID_ARGUMENT(
      s.evaluator.add_plain(x, s.encode_at(s.context.last_parms_id(), {1}, kServiceScale), result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_plain(
      x, s.encode_at(s.context.last_parms_id(), {1}, kServiceScale), result));
}

TEST(SealEvaluatorCkks, scalesMustFitTheLevel) {
  Services s(scheme_type::ckks);
  Ciphertext x = s.encrypt({1, 2, 3});
  Ciphertext result;
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
  const Slots bba = product(product(b, b), a);
  const auto t = static_cast<std::int64_t>(s.parms.plain_modulus().value());
  Slots expected = sum(a, bba);
  for (std::int64_t& value : expected) {
    value = ((value % t) + t) % t;
    if (value > t / 2) value -= t;
  }
  EXPECT_EQ(s.decrypt(result), expected);
  s.evaluator.add_plain(x, s.encode(b), result);
  EXPECT_EQ(s.decrypt(result), sum(a, b));
}

}  // namespace
}  // namespace ringlet::test
