// SPDX-License-Identifier: Apache-2.0
#include "raw_vectors.hpp"
#include "seal/galoiskeys.h"
#include "seal/publickey.h"
#include "seal/relinkeys.h"
#include "seal/secretkey.h"
#include "support/seal_vectors.hpp"
#include "support/test.hpp"

// Objects that SEAL itself wrote.

namespace ringlet::test {
namespace {

using seal::compr_mode_type;

class SealAnswers : public testing::TestWithParam<const char*> {
 protected:
  template <typename T>
  T load(const std::string& name) const {
    T object;
    auto stream = vectors_.stream(name);
    const auto size = static_cast<std::streamoff>(vectors_.bytes(name).size());
    EXPECT_EQ(object.load(context_, stream), size) << name;
    EXPECT_EQ(stream.tellg(), size) << name;
    EXPECT_TRUE(is_valid_for(object, context_)) << name;
    return object;
  }

  /// Loads an object, and saves the same bytes again.
  template <typename T>
  void expect_same_bytes(const std::string& name) const {
    ASSERT_TRUE(vectors_.has(name)) << name;
    const T object = load<T>(name);
    EXPECT_EQ(saved(object), raw_answer(vectors_, name)) << name;
    T again;
    const Bytes compressed = saved(object, compr_mode_type::zstd);
    again.load(context_, compressed.data(), compressed.size());
    EXPECT_EQ(saved(again), saved(object)) << name;
  }

  /// Loads an object with seeds, and saves what SEAL makes of it.
  template <typename T>
  void expect_expansion(const std::string& name) const {
    ASSERT_TRUE(vectors_.has(name)) << name;
    EXPECT_EQ(saved(load<T>(name)), raw_answer(vectors_, name + ".expanded")) << name;
  }

  SealVectors vectors_{GetParam()};
  seal::SEALContext context_ = vector_context(vectors_);
};

TEST_P(SealAnswers, keys) {
  ASSERT_TRUE(context_.parameters_set());
  expect_same_bytes<seal::SecretKey>("secret_key");
  expect_same_bytes<seal::PublicKey>("public_key");
  expect_same_bytes<seal::RelinKeys>("relin_keys");
  expect_same_bytes<seal::GaloisKeys>("galois_keys");
  expect_same_bytes<seal::KSwitchKeys>("relin_keys");
  const auto galois = load<seal::GaloisKeys>("galois_keys");
  EXPECT_EQ(galois.size(), 2U);
  EXPECT_TRUE(galois.has_key(3));
  EXPECT_TRUE(galois.has_key(127));
  EXPECT_EQ(galois.data().size(), 64U);
  EXPECT_TRUE(load<seal::RelinKeys>("relin_keys").has_key(2));
}

TEST_P(SealAnswers, seededKeys) {
  expect_expansion<seal::RelinKeys>("relin_keys_seeded");
  expect_expansion<seal::GaloisKeys>("galois_keys_seeded");
  const bool bfv = std::string(GetParam()) == "bfv";
  EXPECT_NE(vectors_.has("public_key_seeded"), bfv);
  if (!bfv) expect_expansion<seal::PublicKey>("public_key_seeded");
}

TEST_P(SealAnswers, ciphertexts) {
  for (const char* name :
       {"public", "symmetric", "size3", "relinearized", "last_level", "rotated"}) {
    expect_same_bytes<seal::Ciphertext>(name);
  }
  if (std::string(GetParam()) == "bfv") {
    expect_same_bytes<seal::Ciphertext>("ntt_form");
    EXPECT_TRUE(load<seal::Ciphertext>("ntt_form").is_ntt_form());
    EXPECT_FALSE(load<seal::Ciphertext>("public").is_ntt_form());
  } else {
    EXPECT_TRUE(load<seal::Ciphertext>("public").is_ntt_form());
  }
  EXPECT_EQ(load<seal::Ciphertext>("size3").size(), 3U);
  EXPECT_EQ(load<seal::Ciphertext>("last_level").parms_id(), context_.last_parms_id());
}

TEST_P(SealAnswers, seededCiphertexts) {
  expect_expansion<seal::Ciphertext>("seeded_blake2xb");
  expect_expansion<seal::Ciphertext>("seeded_shake256");
}

TEST_P(SealAnswers, plaintexts) {
  for (const char* name : {"message", "public.decrypted", "symmetric.decrypted", "size3.decrypted",
                           "last_level.decrypted", "seeded_shake256.decrypted"}) {
    expect_same_bytes<seal::Plaintext>(name);
  }
  const bool ckks = std::string(GetParam()) == "ckks";
  EXPECT_EQ(load<seal::Plaintext>("message").is_ntt_form(), ckks);
}

INSTANTIATE_TEST_SUITE_P(Schemes, SealAnswers, testing::Values("bfv", "bgv", "ckks"));

}  // namespace
}  // namespace ringlet::test
