// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>
#include <zstd.h>

#include "support/reference/seal_vectors.hpp"
#include "unit/seal/service_setup.hpp"

// Objects that SEAL itself wrote: tests/vectors/seal, whose README documents how.

namespace ringlet::test {
namespace {

class SealAnswers : public testing::TestWithParam<scheme_type> {
 protected:
  SealAnswers() : context_(parameters(), true, sec_level_type::none) {}

  EncryptionParameters parameters() const {
    EncryptionParameters parms;
    auto stream = vectors_.stream("parameters");
    EXPECT_EQ(parms.load(stream), std::ssize(vectors_.bytes("parameters")));
    return parms;
  }

  template <typename T>
  T load(const std::string& name) const {
    T object;
    auto stream = vectors_.stream(name);
    const auto size = std::ssize(vectors_.bytes(name));
    EXPECT_EQ(object.load(context_, stream), size) << name;
    EXPECT_EQ(stream.tellg(), size) << name;
    EXPECT_TRUE(is_valid_for(object, context_)) << name;
    return object;
  }

  /// SEAL 4.3 made the files.
  void SetUp() override { seal::Serialization::SetSavedVersion(3); }
  void TearDown() override { seal::Serialization::SetSavedVersion(SEAL_VERSION_MINOR); }

  /// The file of an object in mode none: Zstandard itself decompresses it.
  Bytes raw(const std::string& name) const {
    const Bytes& file = vectors_.bytes(name);
    EXPECT_EQ(file.at(5), std::byte{2}) << name;
    Bytes payload(std::size_t{1} << 22);
    payload.resize(
        ZSTD_decompress(payload.data(), payload.size(), file.data() + 16, file.size() - 16));
    return FileWriter(4, 3).append(payload).object();
  }

  /// Loads an object, and saves the same bytes again: raw, and in what zlib itself decompresses.
  template <typename T>
  void expect_same_bytes(const std::string& name) const {
    const T object = load<T>(name);
    const Bytes expected = raw(name);
    EXPECT_EQ(saved(object), expected) << name;
    const Bytes file = saved(object, compr_mode_type::zlib);
    EXPECT_EQ(file.at(5), std::byte{1});
    Bytes members(expected.size() - 16);
    uLongf size = members.size();
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(members.data()), &size,
                         reinterpret_cast<const Bytef*>(file.data() + 16), file.size() - 16),
              Z_OK);
    EXPECT_EQ(FileWriter(4, 3).append(members).object(), expected) << name;
  }

  /// Loads an object with seeds, and expects the bytes of SEAL's expansion.
  template <typename T>
  void expect_expansion(const std::string& name) const {
    EXPECT_EQ(saved(load<T>(name)), raw(name + ".expanded")) << name;
  }

  std::vector<double> slots(const Plaintext& in) const {
    std::vector<double> values;
    if (is_ckks_) {
      seal::CKKSEncoder(context_).decode(in, values);
    } else {
      Slots integers;
      seal::BatchEncoder(context_).decode(in, integers);
      values.assign(integers.begin(), integers.end());
    }
    return values;
  }

  /// Compares decrypted slots: within the noise in CKKS, exactly in other schemes.
  void expect_decrypts_as(const std::string& name, const Ciphertext& result) {
    Plaintext plain;
    decryptor_.decrypt(result, plain);
    const auto computed = slots(plain);
    const auto expected = slots(load<Plaintext>(name + ".decrypted"));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(computed[i], expected[i], is_ckks_ ? 1e-4 : 0.0) << name << " " << i;
    }
  }

  SealVectors vectors_{scheme_name({GetParam(), 0})};
  const bool is_ckks_ = GetParam() == scheme_type::ckks;
  SEALContext context_;
  SecretKey key_ = load<SecretKey>("secret_key");
  seal::Decryptor decryptor_{context_, key_};
};

INSTANTIATE_TEST_SUITE_P(Schemes, SealAnswers, testing::ValuesIn(kSchemes), scheme_name);

TEST_P(SealAnswers, parameters) {
  const EncryptionParameters parms = parameters();
  EXPECT_EQ(parms.scheme(), GetParam());
  EXPECT_EQ(parms.poly_modulus_degree(), 64u);
  EXPECT_EQ(parms.coeff_modulus(),
            (std::vector<seal::Modulus>{1054099661354828929, 1099511623297, 1069376468041132673}));
  EXPECT_EQ(parms.plain_modulus(), is_ckks_ ? 0u : 130817u);
}

TEST(SealAnswersOfZlib, everyLevel) {
  const SealVectors vectors("zlib");
  EncryptionParameters expected;
  auto uncompressed = SealVectors("bfv").stream("parameters");
  expected.load(uncompressed);
  for (const char* name : {"level0", "level1", "level9"}) {
    EncryptionParameters parms;
    auto stream = vectors.stream(name);
    EXPECT_EQ(parms.load(stream), std::ssize(vectors.bytes(name)));
    EXPECT_EQ(parms, expected) << name;
  }
}

TEST_P(SealAnswers, keys) {
  expect_same_bytes<SecretKey>("secret_key");
  expect_same_bytes<PublicKey>("public_key");
  expect_same_bytes<RelinKeys>("relin_keys");
  expect_same_bytes<KSwitchKeys>("relin_keys");
  expect_same_bytes<GaloisKeys>("galois_keys");
  expect_expansion<RelinKeys>("relin_keys_seeded");
  expect_expansion<GaloisKeys>("galois_keys_seeded");
  EXPECT_EQ(vectors_.has("public_key_seeded"), GetParam() != scheme_type::bfv);
  if (GetParam() != scheme_type::bfv) expect_expansion<PublicKey>("public_key_seeded");
  const auto galois = load<GaloisKeys>("galois_keys");
  EXPECT_EQ(galois.size(), 2U);
  EXPECT_TRUE(galois.has_key(3) && galois.has_key(127));
  EXPECT_TRUE(load<RelinKeys>("relin_keys").has_key(2));
}

TEST_P(SealAnswers, plaintexts) {
  for (const char* name : {"message", "public.decrypted", "symmetric.decrypted", "size3.decrypted",
                           "last_level.decrypted", "seeded_shake256.decrypted"}) {
    expect_same_bytes<Plaintext>(name);
  }
  EXPECT_EQ(load<Plaintext>("message").is_ntt_form(), is_ckks_);
}

TEST_P(SealAnswers, ciphertexts) {
  for (const char* name :
       {"public", "symmetric", "size3", "relinearized", "last_level", "rotated"}) {
    expect_same_bytes<Ciphertext>(name);
  }
  expect_expansion<Ciphertext>("seeded_blake2xb");
  expect_expansion<Ciphertext>("seeded_shake256");
  EXPECT_EQ(load<Ciphertext>("public").is_ntt_form(), GetParam() != scheme_type::bfv);
  EXPECT_EQ(load<Ciphertext>("size3").size(), 3U);
  EXPECT_EQ(load<Ciphertext>("last_level").parms_id(), context_.last_parms_id());
  if (GetParam() != scheme_type::bfv) return;
  expect_same_bytes<Ciphertext>("ntt_form");
  auto x = load<Ciphertext>("ntt_form");
  EXPECT_TRUE(x.is_ntt_form());
  seal::Evaluator(context_).transform_from_ntt_inplace(x);
  Plaintext plain;
  decryptor_.decrypt(x, plain);
  EXPECT_EQ(plain, load<Plaintext>("message"));
}

/// Decryptions equal SEAL's exactly, in CKKS too, where SEAL computes the same polynomial.
TEST_P(SealAnswers, decryptions) {
  for (const char* name : {"public", "symmetric", "seeded_blake2xb", "seeded_shake256", "size3",
                           "relinearized", "last_level", "rotated"}) {
    Plaintext plain;
    decryptor_.decrypt(load<Ciphertext>(name), plain);
    EXPECT_EQ(plain, load<Plaintext>(std::string(name) + ".decrypted")) << name;
  }
}

TEST_P(SealAnswers, keysServeHere) {
  const seal::Evaluator evaluator(context_);
  for (const std::string suffix : {"", "_seeded"}) {
    const auto galois = load<GaloisKeys>("galois_keys" + suffix);
    Ciphertext x = load<Ciphertext>("public");
    evaluator.square_inplace(x);
    expect_decrypts_as("size3", x);
    evaluator.relinearize_inplace(x, load<RelinKeys>("relin_keys" + suffix));
    expect_decrypts_as("relinearized", x);
    evaluator.apply_galois_inplace(x, 127, galois);
    evaluator.apply_galois_inplace(x, 127, galois);
    expect_decrypts_as("relinearized", x);
    x = load<Ciphertext>("symmetric");
    if (is_ckks_) {
      evaluator.rotate_vector_inplace(x, 1, galois);
    } else {
      evaluator.rotate_rows_inplace(x, 1, galois);
    }
    expect_decrypts_as("rotated", x);
  }
  const seal::Encryptor encryptor(context_, load<PublicKey>("public_key"));
  Ciphertext x;
  encryptor.encrypt(load<Plaintext>("message"), x);
  expect_decrypts_as("public", x);
}

}  // namespace
}  // namespace ringlet::test
