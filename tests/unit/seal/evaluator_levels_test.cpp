// SPDX-License-Identifier: Apache-2.0
#include "service_setup.hpp"

namespace ringlet::test {
namespace {

class SealEvaluatorLevels : public SealServices {
 protected:
  const parms_id_type first_ = s.context.first_parms_id();
  const parms_id_type second_ = s.context.first_context_data()->next_context_data()->parms_id();
  const parms_id_type last_ = s.context.last_parms_id();
};

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealEvaluatorLevels, testing::ValuesIn(kSchemes), scheme_name);

constexpr parms_id_type kForeign{1, 2, 3, 4};

TEST_P(SealEvaluatorLevels, switchesDownToTheLastLevel) {
  const Slots a = counting(s, -3);
  const Ciphertext x = s.encrypt(a);
  Ciphertext y = EVALUATED_WITH_POOL(mod_switch_to_next, x);
  EXPECT_EQ(y.parms_id(), second_);
  EXPECT_EQ(y.coeff_modulus_size(), x.coeff_modulus_size() - 1);
  EXPECT_EQ(y.scale(), x.scale());
  EXPECT_EQ(y.correction_factor() != 1, s.scheme == scheme_type::bgv);
  EXPECT_EQ(s.decrypt(y), a);
  EXPECT_TRUE(same(EVALUATED_WITH_POOL(mod_switch_to, x, second_), y));
  EXPECT_EQ(s.decrypt(EVALUATED_WITH_POOL(mod_switch_to, x, last_)), a);
  s.evaluator.mod_switch_to_inplace(y, last_);
  EXPECT_EQ(y.parms_id(), last_);
  EXPECT_TRUE(same(EVALUATED_WITH_POOL(mod_switch_to, y, last_), y));

  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next_inplace(y));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_inplace(y, first_));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_inplace(y, kForeign));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to(x, s.context.key_parms_id(), y));
  EXPECT_EQ(s.decrypt(y), a);
}

TEST_P(SealEvaluatorLevels, reducesTheModulus) {
  const Slots a = counting(s, 2);
  const Ciphertext x = s.encrypt(a);
  Ciphertext y = EVALUATED_WITH_POOL(mod_reduce_to_next, x);
  EXPECT_EQ(y.parms_id(), second_);
  EXPECT_EQ(y.correction_factor(), 1U);
  EXPECT_TRUE(
      std::equal(y.data(1), y.data(1) + y.coeff_modulus_size() * kServiceDegree, x.data(1)));
  EXPECT_TRUE(same(EVALUATED_WITH_POOL(mod_reduce_to, x, second_), y));
  s.evaluator.mod_reduce_to_inplace(y, last_);
  const Ciphertext last = EVALUATED_WITH_POOL(mod_reduce_to, x, last_);
  EXPECT_TRUE(same(last, y));
  if (s.scheme != scheme_type::bfv) {
    EXPECT_EQ(s.decrypt(last), a);
  }
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_reduce_to_next_inplace(y));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_reduce_to_inplace(y, first_));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_reduce_to_inplace(y, kForeign));
}

TEST_P(SealEvaluatorLevels, rescalesInCkksAlone) {
  const Slots a = counting(s, 5);
  Ciphertext x = s.encrypt(a);
  Ciphertext y;
  if (!s.is_ckks()) {
    EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_next(x, y));
    EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_next_inplace(x));
    EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to(x, last_, y));
    EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_inplace(x, last_));
    EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_inplace(x, first_));  // even to its own level
    return;
  }
  EXPECT_TRUE(same(EVALUATED_WITH_POOL(rescale_to, x, first_), x));
  s.evaluator.square_inplace(x);
  const auto& primes = s.context.first_context_data()->parms().coeff_modulus();
  y = EVALUATED_WITH_POOL(rescale_to_next, x);
  EXPECT_EQ(y.scale(), x.scale() / static_cast<double>(primes.back().value()));
  EXPECT_EQ(s.decrypt(y), product(a, a));
  EXPECT_TRUE(same(EVALUATED_WITH_POOL(rescale_to, x, second_), y));
  s.evaluator.multiply_plain_inplace(y, s.encode_at(second_, Slots(s.slot_count(), 1)));
  const parms_id_type third = s.context.get_context_data(second_)->next_context_data()->parms_id();
  y = EVALUATED_WITH_POOL(rescale_to, y, third);
  EXPECT_EQ(s.decrypt(y), product(a, a));
  s.evaluator.mod_switch_to_inplace(y, last_);
  EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_next_inplace(y));
  EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_inplace(y, first_));
  EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_inplace(y, kForeign));
}

TEST_P(SealEvaluatorLevels, plaintextsSwitchInNttFormAlone) {
  Plaintext plain = s.encode(counting(s, 1));
  Plaintext low;
  if (!s.is_ckks()) {
    EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next(plain, low));
    EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_inplace(plain, last_));
    plain = EVALUATED_WITH_POOL(transform_to_ntt, plain, first_);
  }
  low = EVALUATED(mod_switch_to_next, plain);
  EXPECT_EQ(low.parms_id(), second_);
  EXPECT_EQ(low.coeff_count(), 3 * kServiceDegree);
  EXPECT_EQ(low.scale(), plain.scale());
  EXPECT_TRUE(same(EVALUATED(mod_switch_to, plain, second_), low));
  s.evaluator.mod_switch_to_inplace(low, last_);
  EXPECT_EQ(EVALUATED(mod_switch_to, plain, last_), low);
  ASSERT_EQ(low.coeff_count(), kServiceDegree);
  EXPECT_TRUE(std::equal(low.data(), low.data() + kServiceDegree, plain.data()));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next_inplace(low));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_inplace(low, first_));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_inplace(low, kForeign));
}

TEST_P(SealEvaluatorLevels, ciphertextsChangeTheirForm) {
  const Slots a = counting(s, 6);
  const Ciphertext x = s.encrypt(a);
  Ciphertext other;
  Ciphertext back;
  if (s.scheme == scheme_type::bfv) {
    EXPECT_INVALID_ARGUMENT(s.evaluator.transform_from_ntt(x, back));
    other = EVALUATED(transform_to_ntt, x);
    EXPECT_INVALID_ARGUMENT(s.evaluator.transform_to_ntt_inplace(other));
    back = EVALUATED(transform_from_ntt, other);
  } else {
    EXPECT_INVALID_ARGUMENT(s.evaluator.transform_to_ntt(x, back));
    other = EVALUATED(transform_from_ntt, x);
    EXPECT_INVALID_ARGUMENT(s.evaluator.transform_from_ntt_inplace(other));
    back = EVALUATED(transform_to_ntt, other);
  }
  EXPECT_NE(other.is_ntt_form(), x.is_ntt_form());
  EXPECT_TRUE(same(back, x));
  // Only sums and products with plaintexts accept the other form.
  EXPECT_INVALID_ARGUMENT(s.evaluator.square_inplace(other));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next_inplace(other));
  EXPECT_INVALID_ARGUMENT(s.evaluator.relinearize_inplace(other, s.relin_keys));
  EXPECT_INVALID_ARGUMENT(s.evaluator.apply_galois_inplace(other, 3, s.galois_keys));
  Ciphertext twice;
  s.evaluator.add(other, other, twice);
  s.evaluator.negate_inplace(twice);
  other.is_ntt_form() ? s.evaluator.transform_from_ntt_inplace(twice)
                      : s.evaluator.transform_to_ntt_inplace(twice);
  EXPECT_EQ(s.decrypt(twice), difference(Slots(a.size()), sum(a, a)));
}

TEST_P(SealEvaluatorLevels, productsOfAllForms) {
  if (s.is_ckks()) return;
  const Slots a = counting(s, -4);
  const Slots b = counting(s, -30);
  const Ciphertext native = s.encrypt(a);
  const bool is_bfv = s.scheme == scheme_type::bfv;
  const Ciphertext other =
      is_bfv ? EVALUATED(transform_to_ntt, native) : EVALUATED(transform_from_ntt, native);
  const Plaintext coefficients = s.encode(b);
  Plaintext values = EVALUATED_WITH_POOL(transform_to_ntt, coefficients, first_);
  EXPECT_TRUE(values.is_ntt_form());
  EXPECT_EQ(values.coeff_count(), 4 * kServiceDegree);
  for (const Ciphertext& x : {native, other}) {
    for (const Plaintext& p : {coefficients, values}) {
      Ciphertext result;
      s.evaluator.multiply_plain(x, p, result);
      EXPECT_EQ(result.is_ntt_form(), x.is_ntt_form());
      if (result.is_ntt_form() && is_bfv) s.evaluator.transform_from_ntt_inplace(result);
      if (!result.is_ntt_form() && !is_bfv) s.evaluator.transform_to_ntt_inplace(result);
      EXPECT_EQ(s.decrypt(result), product(a, b));
    }
  }
  EXPECT_INVALID_ARGUMENT(s.evaluator.transform_to_ntt_inplace(values, values.parms_id()));
  Plaintext plain = coefficients;
  EXPECT_INVALID_ARGUMENT(s.evaluator.transform_to_ntt_inplace(plain, kForeign));
  Ciphertext x = native;
  // One prime is transformed in place; the key level, as in SEAL 4.3, is transformed too.
  const parms_id_type key_level = s.context.key_parms_id();
  for (const auto& [level, primes] : {std::pair(last_, 1), {key_level, 5}}) {
    const Plaintext transformed = EVALUATED(transform_to_ntt, coefficients, level);
    EXPECT_EQ(transformed.parms_id(), level);
    ASSERT_EQ(transformed.coeff_count(), primes * kServiceDegree);
    const std::size_t common = std::min(transformed.coeff_count(), values.coeff_count());
    EXPECT_TRUE(std::equal(values.data(), values.data() + common, transformed.data()));
    EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_plain_inplace(x, transformed));
    plain = transformed;
    EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next_inplace(plain));
  }
}

TEST_P(SealEvaluatorLevels, aContextWithoutItsChainEndsAtItsFirstLevel) {
  Services flat(service_parameters(GetParam()), false);
  const Slots a = counting(flat, 1);
  Ciphertext x = flat.encrypt(a);
  EXPECT_EQ(flat.context.first_parms_id(), flat.context.last_parms_id());
  EXPECT_INVALID_ARGUMENT(flat.evaluator.mod_switch_to_next_inplace(x));
  EXPECT_INVALID_ARGUMENT(flat.evaluator.mod_reduce_to_next_inplace(x));
  EXPECT_INVALID_ARGUMENT(flat.evaluator.rescale_to_next_inplace(x));
  EXPECT_INVALID_ARGUMENT(flat.evaluator.mod_switch_to_inplace(x, last_));
  flat.evaluator.square_inplace(x);
  flat.evaluator.relinearize_inplace(x, flat.relin_keys);
  EXPECT_EQ(flat.decrypt(x), product(a, a));
}

}  // namespace
}  // namespace ringlet::test
