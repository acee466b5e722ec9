// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "service_setup.hpp"
#include "support/seal_vectors.hpp"

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::Decryptor;
using seal::Plaintext;
using seal::scheme_type;

using SealDecryptor = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealDecryptor, testing::ValuesIn(kServiceSchemes),
                         scheme_name);

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
    EXPECT_LOGIC_ERROR((void)s.decryptor.invariant_noise_budget(x));
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
      EXPECT_INVALID_ARGUMENT((void)s.decryptor.invariant_noise_budget(bad));
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
  std::vector<Slots> results(4);
  std::vector<std::thread> threads;
  for (Slots& result : results) threads.emplace_back([&] { result = s.decrypt(x); });
  for (auto& thread : threads) thread.join();
  for (const Slots& result : results) EXPECT_EQ(result, a);
}

// What SEAL itself wrote, by the services alone.
class SealFiles : public testing::TestWithParam<scheme_type> {
 protected:
  SealFiles()
      : vectors_(scheme_name({GetParam(), 0})),
        context_(parameters(), true, seal::sec_level_type::none) {
    key_.load(context_, stream_ = vectors_.stream("secret_key"));
  }

  seal::EncryptionParameters parameters() {
    seal::EncryptionParameters parms;
    stream_ = vectors_.stream("parameters");
    parms.load(stream_);
    return parms;
  }
  template <typename T>
  T object(const std::string& name) {
    T result;
    stream_ = vectors_.stream(name);
    result.load(context_, stream_);
    return result;
  }
  /// As SEAL decrypts it: exact; for CKKS, where SEAL computes the same polynomial, too.
  void expect_decrypts(const std::string& name) {
    Plaintext plain;
    Decryptor(context_, key_).decrypt(object<Ciphertext>(name), plain);
    EXPECT_EQ(plain, object<Plaintext>(name + ".decrypted")) << name;
  }

  std::istringstream stream_;
  SealVectors vectors_;
  seal::SEALContext context_;
  seal::SecretKey key_;
};

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealFiles, testing::ValuesIn(kServiceSchemes), scheme_name);

TEST_P(SealFiles, decryptAsSealDecryptsThem) {
  for (const char* name : {"public", "symmetric", "seeded_blake2xb", "seeded_shake256", "size3",
                           "relinearized", "last_level", "rotated"}) {
    expect_decrypts(name);
  }
}

TEST_P(SealFiles, keysOfSealServeHere) {
  const seal::Evaluator evaluator(context_);
  Decryptor decryptor(context_, key_);
  Plaintext plain;
  const bool is_ckks = GetParam() == scheme_type::ckks;
  const auto slots = [&](const Plaintext& in) {
    if (is_ckks) {
      std::vector<double> values;
      seal::CKKSEncoder(context_).decode(in, values);
      return values;
    }
    std::vector<std::int64_t> values;
    seal::BatchEncoder(context_).decode(in, values);
    return std::vector<double>(values.begin(), values.end());
  };
  const auto expect_near = [&](const Ciphertext& result, const std::string& name) {
    decryptor.decrypt(result, plain);
    const auto computed = slots(plain);
    const auto expected = slots(object<Plaintext>(name + ".decrypted"));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(computed[i], expected[i], is_ckks ? 1e-4 : 0.0) << name << " " << i;
    }
  };
  for (const char* suffix : {"", "_seeded"}) {
    const auto relin = object<seal::RelinKeys>(std::string("relin_keys") + suffix);
    const auto galois = object<seal::GaloisKeys>(std::string("galois_keys") + suffix);
    Ciphertext x = object<Ciphertext>("public");
    evaluator.square_inplace(x);
    expect_near(x, "size3");
    evaluator.relinearize_inplace(x, relin);
    expect_near(x, "relinearized");
    x = object<Ciphertext>("symmetric");
    if (is_ckks) {
      evaluator.rotate_vector_inplace(x, 1, galois);
    } else {
      evaluator.rotate_rows_inplace(x, 1, galois);
    }
    expect_near(x, "rotated");
  }
  const seal::Encryptor encryptor(context_, object<seal::PublicKey>("public_key"));
  Ciphertext x;
  encryptor.encrypt(object<Plaintext>("message"), x);
  expect_near(x, "public");
}

TEST(SealFilesBfv, nttFormComesBack) {
  SealVectors vectors("bfv");
  std::istringstream stream = vectors.stream("parameters");
  seal::EncryptionParameters parms;
  parms.load(stream);
  const seal::SEALContext context(parms, true, seal::sec_level_type::none);
  seal::SecretKey key;
  key.load(context, stream = vectors.stream("secret_key"));
  Ciphertext x;
  x.load(context, stream = vectors.stream("ntt_form"));
  EXPECT_TRUE(x.is_ntt_form());
  seal::Evaluator(context).transform_from_ntt_inplace(x);
  Plaintext plain;
  Plaintext message;
  Decryptor(context, key).decrypt(x, plain);
  message.load(context, stream = vectors.stream("message"));
  EXPECT_EQ(plain, message);
}

}  // namespace
}  // namespace ringlet::test
