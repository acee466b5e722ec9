// SPDX-License-Identifier: Apache-2.0
#include "service_setup.hpp"

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::parms_id_type;
using seal::Plaintext;
using seal::scheme_type;

using SealEvaluatorLevels = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealEvaluatorLevels, testing::ValuesIn(kServiceSchemes),
                         scheme_name);

parms_id_type next_id(const seal::SEALContext& context, const parms_id_type& parms_id) {
  return context.get_context_data(parms_id)->next_context_data()->parms_id();
}

parms_id_type foreign_id() { return {1, 2, 3, 4}; }

TEST_P(SealEvaluatorLevels, switchesDownToTheLastLevel) {
  const Slots a = counting(s, -3);
  const Ciphertext x = s.encrypt(a);
  Ciphertext y;
  s.evaluator.mod_switch_to_next(x, y);
  EXPECT_EQ(y.parms_id(), next_id(s.context, x.parms_id()));
  EXPECT_EQ(y.coeff_modulus_size(), x.coeff_modulus_size() - 1);
  EXPECT_EQ(y.scale(), x.scale());
  EXPECT_EQ(y.correction_factor() != 1, s.scheme == scheme_type::bgv);
  EXPECT_EQ(s.decrypt(y), a);
  s.evaluator.mod_switch_to_next_inplace(y);
  EXPECT_EQ(s.decrypt(y), a);

  Ciphertext last;
  s.evaluator.mod_switch_to(x, s.context.last_parms_id(), last);
  EXPECT_EQ(s.decrypt(last), a);
  s.evaluator.mod_switch_to_inplace(y, s.context.last_parms_id());
  EXPECT_EQ(y.parms_id(), s.context.last_parms_id());
  EXPECT_EQ(s.decrypt(y), a);
  s.evaluator.mod_switch_to_inplace(y, s.context.last_parms_id());  // stays
  EXPECT_EQ(s.decrypt(y), a);

  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next_inplace(y));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_inplace(y, s.context.first_parms_id()));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_inplace(y, foreign_id()));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to(x, s.context.key_parms_id(), y));
  EXPECT_EQ(s.decrypt(y), a);
}

TEST_P(SealEvaluatorLevels, reducesTheModulus) {
  const Slots a = counting(s, 2);
  const Ciphertext x = s.encrypt(a);
  Ciphertext y;
  s.evaluator.mod_reduce_to_next(x, y);
  EXPECT_EQ(y.parms_id(), next_id(s.context, x.parms_id()));
  EXPECT_EQ(y.correction_factor(), 1U);
  for (std::size_t i = 0; i < y.coeff_modulus_size() * kServiceDegree; ++i) {
    EXPECT_EQ(y.data(1)[i], x.data(1)[i]);
  }
  s.evaluator.mod_reduce_to_next_inplace(y);
  Ciphertext last;
  s.evaluator.mod_reduce_to(x, s.context.last_parms_id(), last);
  s.evaluator.mod_reduce_to_inplace(y, s.context.last_parms_id());
  EXPECT_EQ(std::vector(y.data(), y.data() + kServiceDegree),
            std::vector(last.data(), last.data() + kServiceDegree));
  if (s.scheme != scheme_type::bfv) {
    EXPECT_EQ(s.decrypt(last), a);
  }
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_reduce_to_next_inplace(y));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_reduce_to_inplace(y, s.context.first_parms_id()));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_reduce_to_inplace(y, foreign_id()));
}

TEST_P(SealEvaluatorLevels, rescalesInCkksAlone) {
  const Slots a = counting(s, 5);
  Ciphertext x = s.encrypt(a);
  Ciphertext y;
  if (!s.is_ckks()) {
    EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_next(x, y));
    EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_next_inplace(x));
    EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to(x, s.context.last_parms_id(), y));
    EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_inplace(x, s.context.last_parms_id()));
    return;
  }
  s.evaluator.square_inplace(x);
  const auto& primes = s.context.first_context_data()->parms().coeff_modulus();
  s.evaluator.rescale_to_next(x, y);
  EXPECT_EQ(y.scale(), x.scale() / static_cast<double>(primes.back().value()));
  EXPECT_EQ(s.decrypt(y), product(a, a));
  Ciphertext z = x;
  s.evaluator.rescale_to_next_inplace(z);
  EXPECT_EQ(z.scale(), y.scale());
  EXPECT_EQ(s.decrypt(z), product(a, a));
  s.evaluator.multiply_plain_inplace(
      z, s.encode_at(z.parms_id(), Slots(s.slot_count(), 1), std::pow(2.0, 40)));
  s.evaluator.rescale_to(z, next_id(s.context, z.parms_id()), y);
  EXPECT_EQ(s.decrypt(y), product(a, a));
  s.evaluator.rescale_to_inplace(z, next_id(s.context, z.parms_id()));
  EXPECT_EQ(s.decrypt(z), product(a, a));
  s.evaluator.mod_switch_to_inplace(z, s.context.last_parms_id());
  EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_next_inplace(z));
  EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_inplace(z, s.context.first_parms_id()));
  EXPECT_INVALID_ARGUMENT(s.evaluator.rescale_to_inplace(z, foreign_id()));
}

TEST_P(SealEvaluatorLevels, plaintextsSwitchInNttFormAlone) {
  const Slots a = counting(s, 1);
  Plaintext plain = s.encode(a);
  Plaintext low;
  if (!s.is_ckks()) {
    EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next(plain, low));
    EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_inplace(plain, s.context.last_parms_id()));
    s.evaluator.transform_to_ntt_inplace(plain, s.context.first_parms_id());
  }
  s.evaluator.mod_switch_to_next(plain, low);
  EXPECT_EQ(low.parms_id(), next_id(s.context, plain.parms_id()));
  EXPECT_EQ(low.coeff_count(), 3 * kServiceDegree);
  EXPECT_EQ(low.scale(), plain.scale());
  s.evaluator.mod_switch_to_next_inplace(low);
  s.evaluator.mod_switch_to_inplace(low, s.context.last_parms_id());
  Plaintext last;
  s.evaluator.mod_switch_to(plain, s.context.last_parms_id(), last);
  EXPECT_EQ(last, low);
  EXPECT_EQ(std::vector(last.data(), last.data() + kServiceDegree),
            std::vector(plain.data(), plain.data() + kServiceDegree));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next_inplace(low));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_inplace(low, s.context.first_parms_id()));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_inplace(low, foreign_id()));
}

TEST_P(SealEvaluatorLevels, ciphertextsChangeTheirForm) {
  const Slots a = counting(s, 6);
  const Ciphertext x = s.encrypt(a);
  Ciphertext other;
  Ciphertext back;
  if (s.scheme == scheme_type::bfv) {
    EXPECT_INVALID_ARGUMENT(s.evaluator.transform_from_ntt(x, back));
    s.evaluator.transform_to_ntt(x, other);
    EXPECT_INVALID_ARGUMENT(s.evaluator.transform_to_ntt_inplace(other));
    s.evaluator.transform_from_ntt(other, back);
  } else {
    EXPECT_INVALID_ARGUMENT(s.evaluator.transform_to_ntt(x, back));
    s.evaluator.transform_from_ntt(x, other);
    EXPECT_INVALID_ARGUMENT(s.evaluator.transform_from_ntt_inplace(other));
    s.evaluator.transform_to_ntt(other, back);
  }
  EXPECT_NE(other.is_ntt_form(), x.is_ntt_form());
  EXPECT_EQ(back.is_ntt_form(), x.is_ntt_form());
  EXPECT_EQ(s.decrypt(back), a);
  // Only sums and products with plaintexts know the other form.
  EXPECT_INVALID_ARGUMENT(s.evaluator.square_inplace(other));
  EXPECT_INVALID_ARGUMENT(s.evaluator.mod_switch_to_next_inplace(other));
  EXPECT_INVALID_ARGUMENT(s.evaluator.relinearize_inplace(other, s.relin_keys));
  EXPECT_INVALID_ARGUMENT(s.evaluator.apply_galois_inplace(other, 3, s.galois_keys));
  Ciphertext twice;
  s.evaluator.add(other, other, twice);
  s.evaluator.negate_inplace(twice);
  if (other.is_ntt_form()) {
    s.evaluator.transform_from_ntt_inplace(twice);
  } else {
    s.evaluator.transform_to_ntt_inplace(twice);
  }
  EXPECT_EQ(s.decrypt(twice), difference(Slots(a.size()), sum(a, a)));
}

TEST(SealEvaluatorForms, productsOfAllForms) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::bgv}) {
    Services s(scheme);
    const Slots a = counting(s, -4);
    const Slots b = counting(s, -30);
    const Ciphertext native = s.encrypt(a);
    Ciphertext other;
    if (scheme == scheme_type::bfv) {
      s.evaluator.transform_to_ntt(native, other);
    } else {
      s.evaluator.transform_from_ntt(native, other);
    }
    const Plaintext coefficients = s.encode(b);
    Plaintext values;
    s.evaluator.transform_to_ntt(coefficients, s.context.first_parms_id(), values);
    EXPECT_TRUE(values.is_ntt_form());
    EXPECT_EQ(values.coeff_count(), 4 * kServiceDegree);
    for (const Ciphertext& x : {native, other}) {
      for (const Plaintext& p : {coefficients, values}) {
        Ciphertext result;
        s.evaluator.multiply_plain(x, p, result);
        EXPECT_EQ(result.is_ntt_form(), x.is_ntt_form());
        if (result.is_ntt_form() && scheme == scheme_type::bfv) {
          s.evaluator.transform_from_ntt_inplace(result);
        }
        if (!result.is_ntt_form() && scheme == scheme_type::bgv) {
          s.evaluator.transform_to_ntt_inplace(result);
        }
        EXPECT_EQ(s.decrypt(result), product(a, b));
      }
    }
    EXPECT_INVALID_ARGUMENT(s.evaluator.transform_to_ntt_inplace(values, values.parms_id()));
    Plaintext plain = coefficients;
    EXPECT_INVALID_ARGUMENT(s.evaluator.transform_to_ntt_inplace(plain, foreign_id()));
    s.evaluator.transform_to_ntt_inplace(plain, s.context.last_parms_id());
    Ciphertext result;
    EXPECT_INVALID_ARGUMENT(s.evaluator.multiply_plain(native, plain, result));
  }
}

TEST(SealEvaluatorForms, onePrimeTransformsInPlace) {
  Services s(scheme_type::bfv);
  Plaintext plain = s.encode(counting(s, 1));
  const Plaintext before = plain;
  Plaintext expected;
  s.evaluator.transform_to_ntt(plain, s.context.last_parms_id(), expected);
  s.evaluator.transform_to_ntt_inplace(plain, s.context.last_parms_id());
  EXPECT_EQ(plain, expected);
  EXPECT_EQ(plain.coeff_count(), kServiceDegree);
  EXPECT_NE(std::vector(plain.data(), plain.data() + kServiceDegree),
            std::vector(before.data(), before.data() + kServiceDegree));
}

TEST_P(SealEvaluatorLevels, aContextWithoutItsChainEndsAtItsFirstLevel) {
  Services flat(service_parameters(GetParam()), false);
  const Slots a = counting(flat, 1);
  Ciphertext x = flat.encrypt(a);
  EXPECT_EQ(flat.context.first_parms_id(), flat.context.last_parms_id());
  EXPECT_INVALID_ARGUMENT(flat.evaluator.mod_switch_to_next_inplace(x));
  EXPECT_INVALID_ARGUMENT(flat.evaluator.mod_reduce_to_next_inplace(x));
  EXPECT_INVALID_ARGUMENT(flat.evaluator.rescale_to_next_inplace(x));
  EXPECT_INVALID_ARGUMENT(flat.evaluator.mod_switch_to_inplace(x, s.context.last_parms_id()));
  flat.evaluator.square_inplace(x);
  flat.evaluator.relinearize_inplace(x, flat.relin_keys);
  EXPECT_EQ(flat.decrypt(x), product(a, a));
}

}  // namespace
}  // namespace ringlet::test
