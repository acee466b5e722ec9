// SPDX-License-Identifier: Apache-2.0
#include "service_setup.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::Decryptor;
using seal::Plaintext;
using seal::scheme_type;

using SealDecryptor = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealDecryptor, testing::ValuesIn(kSchemes), scheme_name);

TEST_P(SealDecryptor, anySizeAtAnyLevel) {
  const Slots a(s.slot_count(), 3);
  Ciphertext x = s.encrypt(a);
  const Ciphertext one = s.encrypt(Slots(s.slot_count(), 1));
  if (s.is_ckks()) {
    s.evaluator.multiply_inplace(x, one);
  } else {
    for (int i = 0; i < 3; ++i) s.evaluator.multiply_inplace(x, one);
  }
  EXPECT_EQ(x.size(), s.is_ckks() ? 3U : 5U);
  EXPECT_EQ(s.decrypt(x), a);
  s.evaluator.mod_switch_to_next_inplace(x);
  EXPECT_EQ(s.decrypt(x), a);
}

TEST_P(SealDecryptor, resultsAreTrimmedOrHaveTheirLevel) {
  Plaintext plain;
  if (s.is_ckks()) {
    Ciphertext x = s.encrypt({1});
    s.evaluator.mod_switch_to_next_inplace(x);
    s.decryptor.decrypt(x, plain);
    EXPECT_EQ(plain.parms_id(), x.parms_id());
    EXPECT_EQ(plain.scale(), x.scale());
    EXPECT_EQ(plain.coeff_count(), 3 * kServiceDegree);
    s.decryptor.decrypt(s.encrypt({1}), plain);  // into an NTT form of another level
    EXPECT_EQ(plain.coeff_count(), 4 * kServiceDegree);
    return;
  }
  for (const auto& [text, count] :
       {std::pair("1x^7 + 5", 8), std::pair("9", 1), std::pair("0", 1)}) {
    Ciphertext x;
    s.encryptor.encrypt(std::string(text), x);
    s.decryptor.decrypt(x, plain);
    EXPECT_EQ(plain.to_string(), text);
    EXPECT_EQ(plain.coeff_count(), static_cast<std::size_t>(count));
    EXPECT_FALSE(plain.is_ntt_form());
    s.evaluator.transform_to_ntt_inplace(plain, s.context.first_parms_id());  // reused next
  }
}

TEST_P(SealDecryptor, noiseBudgetsShrink) {
  Ciphertext x = s.encrypt(Slots(s.slot_count(), 2));
  if (s.is_ckks()) {
    EXPECT_LOGIC_ERROR(s.decryptor.invariant_noise_budget(x));
    return;
  }
  const int fresh = s.decryptor.invariant_noise_budget(x);
  EXPECT_GT(fresh, 100);
  EXPECT_LT(fresh, 170 - 20);
  s.evaluator.square_inplace(x);
  const int squared = s.decryptor.invariant_noise_budget(x);
  EXPECT_LT(squared, fresh - 20);
  EXPECT_GT(squared, 0);
  s.evaluator.relinearize_inplace(x, s.relin_keys);
  while (s.decryptor.invariant_noise_budget(x) > 0) {
    s.evaluator.square_inplace(x);
    s.evaluator.relinearize_inplace(x, s.relin_keys);
  }
  Plaintext plain;
  s.decryptor.decrypt(x, plain);  // a wrong result, no error
  EXPECT_TRUE(seal::is_valid_for(plain, s.context));
}

TEST_P(SealDecryptor, refusesWhatItCannotDecrypt) {
  const Ciphertext x = s.encrypt({1});
  Plaintext plain = s.encode({5});
  const Plaintext before = plain;
  const auto refuses = [&](const Ciphertext& bad) {
    EXPECT_INVALID_ARGUMENT(s.decryptor.decrypt(bad, plain));
    if (!s.is_ckks()) {
      EXPECT_INVALID_ARGUMENT(s.decryptor.invariant_noise_budget(bad));
    }
  };
  refuses(Ciphertext());
  refuses(Ciphertext(s.context));
  Ciphertext bad = x;
  bad[3] = UINT64_MAX;
  refuses(bad);
  bad = x;
  bad.is_ntt_form() = !bad.is_ntt_form();
  refuses(bad);
  bad = x;
  bad.parms_id() = seal::parms_id_type{1, 2, 3, 4};
  refuses(bad);
  bad = x;
  bad.scale() = s.is_ckks() ? -1.0 : 2.0;
  refuses(bad);
  EXPECT_EQ(plain, before);

  EXPECT_INVALID_ARGUMENT(Decryptor(s.context, seal::SecretKey()));
  const seal::SEALContext foreign = foreign_context(GetParam());
  EXPECT_INVALID_ARGUMENT(Decryptor(s.context, seal::KeyGenerator(foreign).secret_key()));
  EXPECT_INVALID_ARGUMENT(Decryptor(invalid_context(GetParam()), s.keygen.secret_key()));
  Decryptor wrong(s.context, seal::KeyGenerator(s.context).secret_key());
  wrong.decrypt(x, plain);  // garbage
  EXPECT_NE(s.decode(plain), s.decode(before));
}

TEST_P(SealDecryptor, servesManyThreads) {
  const Slots a = counting(s, 1);
  const Ciphertext x = s.encrypt(a);
  in_threads([&](std::size_t) { EXPECT_EQ(s.decrypt(x), a); });
}

}  // namespace
}  // namespace ringlet::test
