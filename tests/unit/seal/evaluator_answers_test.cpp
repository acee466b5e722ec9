// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "service_setup.hpp"

// Where SEAL's answer to an unusual call is not what one would guess: all of these were asked of
// SEAL 4.3 itself.

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::GaloisKeys;
using seal::Plaintext;
using seal::RelinKeys;
using seal::scheme_type;

using SealEvaluatorAnswers = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealEvaluatorAnswers, testing::ValuesIn(kServiceSchemes),
                         scheme_name);

TEST_P(SealEvaluatorAnswers, keysAreLookedAtEvenIfNoneIsNeeded) {
  Ciphertext x = s.encrypt({1, 2});
  EXPECT_INVALID_ARGUMENT(s.evaluator.relinearize_inplace(x, RelinKeys()));
  EXPECT_INVALID_ARGUMENT(s.evaluator.exponentiate_inplace(x, 1, RelinKeys()));
  EXPECT_INVALID_ARGUMENT(s.evaluator.exponentiate_inplace(x, 2, RelinKeys()));
  EXPECT_INVALID_ARGUMENT(s.evaluator.exponentiate_inplace(x, 0, s.relin_keys));
  Ciphertext result;
  if (s.is_ckks()) {
    EXPECT_LOGIC_ERROR(s.evaluator.exponentiate_inplace(x, 2, s.relin_keys));
    EXPECT_LOGIC_ERROR(s.evaluator.multiply_many({x, x}, RelinKeys(), result));
    EXPECT_LOGIC_ERROR(s.evaluator.multiply_many({x}, RelinKeys(), result));
  } else {
    EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_many({x, x}, RelinKeys(), result));
    s.evaluator.multiply_many({x}, RelinKeys(), result);
    EXPECT_EQ(s.decrypt(result), s.decrypt(x));
  }
}

TEST_P(SealEvaluatorAnswers, rescalingIsForCkksEvenIfNothingIsToBeDone) {
  Ciphertext x = s.encrypt({1, 2});
  const auto first = s.context.first_parms_id();
  if (s.is_ckks()) {
    const Slots before = s.decrypt(x);
    s.evaluator.rescale_to_inplace(x, first);
    EXPECT_EQ(s.decrypt(x), before);
  } else {
    EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_inplace(x, first));
  }
}

TEST_P(SealEvaluatorAnswers, theIdentityNeedsAKey) {
  Ciphertext x = s.encrypt({1, 2});
  EXPECT_INVALID_ARGUMENT(s.evaluator.apply_galois_inplace(x, 1, s.galois_keys));
  GaloisKeys identity;
  s.keygen.create_galois_keys(std::vector<std::uint32_t>{1}, identity);
  const Slots before = s.decrypt(x);
  s.evaluator.apply_galois_inplace(x, 1, identity);
  EXPECT_EQ(s.decrypt(x), before);
}

TEST_P(SealEvaluatorAnswers, plaintextsWithoutCoefficientsAreZero) {
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

TEST_P(SealEvaluatorAnswers, plaintextsMayBeTransformedAtTheKeyLevel) {
  if (s.is_ckks()) return;
  Plaintext plain("1x^1 + 2");
  Plaintext first;
  s.evaluator.transform_to_ntt(plain, s.context.first_parms_id(), first);
  s.evaluator.transform_to_ntt_inplace(plain, s.context.key_parms_id());
  EXPECT_EQ(plain.parms_id(), s.context.key_parms_id());
  ASSERT_EQ(plain.coeff_count(), 5 * kServiceDegree);
  EXPECT_TRUE(std::equal(first.data(), first.data() + first.coeff_count(), plain.data()));
  Ciphertext x = s.encrypt({1});
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_plain_inplace(x, plain));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next_inplace(plain));
}

}  // namespace
}  // namespace ringlet::test
