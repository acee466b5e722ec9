// SPDX-License-Identifier: Apache-2.0
#include "seal/valcheck.h"

#include "seal_objects.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::GaloisKeys;
using seal::KSwitchKeys;
using seal::Plaintext;
using seal::PublicKey;
using seal::RelinKeys;
using seal::scheme_type;
using seal::SEALContext;
using seal::SecretKey;

constexpr scheme_type kSchemes[] = {scheme_type::bfv, scheme_type::ckks, scheme_type::bgv};

/// The four verdicts as bits: metadata 8, buffer 4, data 2, all 1.
template <typename T>
int verdicts(const T& object, const SEALContext& context) {
  return (is_metadata_valid_for(object, context) ? 8 : 0) + (is_buffer_valid(object) ? 4 : 0) +
         (is_data_valid_for(object, context) ? 2 : 0) + (is_valid_for(object, context) ? 1 : 0);
}

constexpr int kValid = 15;
constexpr int kBadMetadata = 4;
constexpr int kBadWords = 12;

SEALContext refused_context(scheme_type scheme) {
  seal::EncryptionParameters parms = small_parameters(scheme);
  parms.set_poly_modulus_degree(24);
  return SEALContext(parms, true, seal::sec_level_type::none);
}

TEST(Valcheck, plaintextsInCoefficientForm) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::bgv}) {
    const SEALContext context = small_context(scheme);
    EXPECT_EQ(verdicts(Plaintext(), context), kValid);
    EXPECT_EQ(verdicts(Plaintext("60x^7 + 60"), context), kValid);
    EXPECT_EQ(verdicts(Plaintext("61x^7 + 60"), context), kBadWords) << "97 = 0x61";
    EXPECT_EQ(verdicts(Plaintext("60x^7 + FFFFFFFFFFFFFFFF"), context), kBadWords);
    EXPECT_EQ(verdicts(Plaintext(8), context), kValid);
    EXPECT_EQ(verdicts(Plaintext(9), context), kBadMetadata);
    EXPECT_EQ(verdicts(Plaintext(1), refused_context(scheme)), kBadMetadata);
  }
  EXPECT_EQ(verdicts(Plaintext(1), small_context(scheme_type::ckks)), kBadMetadata);
}

TEST(Valcheck, plaintextsInNttForm) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    Plaintext plain = random_ntt_plaintext(context, context.last_parms_id());
    EXPECT_EQ(verdicts(plain, context), kValid);
    plain.parms_id() = context.first_parms_id();
    EXPECT_EQ(verdicts(plain, context), kBadMetadata) << "too few words";
    plain = random_ntt_plaintext(context, context.first_parms_id());
    plain[15] = 1048193 - 1;
    EXPECT_EQ(verdicts(plain, context), kValid);
    plain[15] = 1048193;
    EXPECT_EQ(verdicts(plain, context), kBadWords);
    plain = random_ntt_plaintext(context, context.key_parms_id());
    EXPECT_EQ(verdicts(plain, context), kBadMetadata);
    EXPECT_TRUE(is_metadata_valid_for(plain, context, true));
    plain.parms_id()[3] ^= 1;
    EXPECT_FALSE(is_metadata_valid_for(plain, context, true));
  }
}

TEST(Valcheck, scales) {
  const SEALContext bfv = small_context(scheme_type::bfv);
  const SEALContext ckks = small_context(scheme_type::ckks);
  Plaintext plain = random_ntt_plaintext(ckks, ckks.first_parms_id());
  Ciphertext ciphertext = random_ciphertext(ckks, ckks.first_parms_id(), 2);
  for (const double scale : {1.0, 0.25, 1e300, std::numeric_limits<double>::min()}) {
    plain.scale() = scale;
    EXPECT_EQ(verdicts(plain, ckks), kValid) << scale;
    ciphertext.scale() = scale;
    EXPECT_EQ(verdicts(ciphertext, ckks), kValid) << scale;
  }
  for (const double scale :
       {0.0, -1.0, 1e-310, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    plain.scale() = scale;
    EXPECT_EQ(verdicts(plain, ckks), kBadMetadata) << scale;
    ciphertext.scale() = scale;
    EXPECT_EQ(verdicts(ciphertext, ckks), kBadMetadata) << scale;
  }
  Ciphertext exact = random_ciphertext(bfv, bfv.first_parms_id(), 2);
  exact.scale() = 2.0;
  EXPECT_EQ(verdicts(exact, bfv), kBadMetadata);
}

TEST(Valcheck, ciphertexts) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    EXPECT_EQ(verdicts(Ciphertext(), context), kBadMetadata);
    EXPECT_EQ(verdicts(Ciphertext(context), context), kValid) << "size 0";
    for (const std::size_t size : {2, 3, 16}) {
      EXPECT_EQ(verdicts(random_ciphertext(context, context.first_parms_id(), size), context),
                kValid);
    }
    Ciphertext ciphertext = random_ciphertext(context, context.last_parms_id(), 2);
    EXPECT_EQ(verdicts(ciphertext, context), kValid);
    ciphertext.is_ntt_form() = !ciphertext.is_ntt_form();
    EXPECT_EQ(verdicts(ciphertext, context), kValid) << "any form";
    EXPECT_EQ(verdicts(ciphertext, refused_context(scheme)), kBadMetadata);
    ciphertext[15] = 1048129 - 1;
    EXPECT_EQ(verdicts(ciphertext, context), kValid);
    ciphertext[15] = 1048129;
    EXPECT_EQ(verdicts(ciphertext, context), kBadWords);
    ciphertext.parms_id() = context.first_parms_id();
    EXPECT_EQ(verdicts(ciphertext, context), kBadMetadata) << "one prime only";
    ciphertext = random_ciphertext(context, context.key_parms_id(), 2);
    EXPECT_EQ(verdicts(ciphertext, context), kBadMetadata);
    EXPECT_TRUE(is_metadata_valid_for(ciphertext, context, true));
  }
}

TEST(Valcheck, ciphertextsOfOtherContexts) {
  const SEALContext bfv = small_context(scheme_type::bfv);
  const SEALContext bgv = small_context(scheme_type::bgv);
  EXPECT_EQ(verdicts(random_ciphertext(bfv, bfv.first_parms_id(), 2), bgv), kBadMetadata);
}

TEST(Valcheck, correctionFactors) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    Ciphertext ciphertext = random_ciphertext(context, context.first_parms_id(), 2);
    for (const std::uint64_t factor :
         {std::uint64_t{2}, kSmallPlainModulus - 1, std::uint64_t{0}, kSmallPlainModulus}) {
      ciphertext.correction_factor() = factor;
      const bool valid = scheme == scheme_type::bgv && factor > 0 && factor < kSmallPlainModulus;
      EXPECT_EQ(verdicts(ciphertext, context), valid ? kValid : kBadMetadata) << factor;
    }
  }
}

TEST(Valcheck, secretAndPublicKeys) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    EXPECT_EQ(verdicts(SecretKey(), context), kBadMetadata);
    EXPECT_EQ(verdicts(PublicKey(), context), kBadMetadata);
    SecretKey secret = random_secret_key(context);
    EXPECT_EQ(verdicts(secret, context), kValid);
    EXPECT_EQ(verdicts(secret, refused_context(scheme)), kBadMetadata);
    secret.data()[23] = 1048433;
    EXPECT_EQ(verdicts(secret, context), kBadWords);
    secret.data() = random_ntt_plaintext(context, context.first_parms_id());
    EXPECT_EQ(verdicts(secret, context), kBadMetadata);

    PublicKey key = random_public_key(context);
    EXPECT_EQ(verdicts(key, context), kValid);
    EXPECT_EQ(verdicts(key, refused_context(scheme)), kBadMetadata);
    key.data()[47] = 1048433;
    EXPECT_EQ(verdicts(key, context), kBadWords);
    key = random_public_key(context);
    key.data().is_ntt_form() = false;
    EXPECT_EQ(verdicts(key, context), kBadMetadata);
    key = random_public_key(context);
    key.data().resize(3);
    EXPECT_EQ(verdicts(key, context), kBadMetadata);
    key.data() = random_ciphertext(context, context.first_parms_id(), 2);
    key.data().is_ntt_form() = true;
    EXPECT_EQ(verdicts(key, context), kBadMetadata);
  }
}

TEST(Valcheck, keySwitchingKeys) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    EXPECT_EQ(verdicts(KSwitchKeys(), context), kBadMetadata);
    EXPECT_EQ(verdicts(RelinKeys(), context), kBadMetadata);
    EXPECT_EQ(verdicts(GaloisKeys(), context), kBadMetadata);
    EXPECT_EQ(verdicts(random_keys<KSwitchKeys>(context, 3, {2}), context), kValid);
    EXPECT_EQ(verdicts(random_keys<RelinKeys>(context, 14, {0}), context), kValid);
    EXPECT_EQ(verdicts(random_keys<RelinKeys>(context, 15, {0}), context), kBadMetadata);
    EXPECT_EQ(verdicts(random_keys<GaloisKeys>(context, 8, {0, 7}), context), kValid);
    EXPECT_EQ(verdicts(random_keys<GaloisKeys>(context, 9, {0}), context), kBadMetadata);
    auto keys = random_keys<GaloisKeys>(context, 8, {0, 7});
    keys.parms_id() = context.first_parms_id();
    EXPECT_EQ(verdicts(keys, context), kBadMetadata);
    keys = random_keys<GaloisKeys>(context, 8, {0, 7});
    EXPECT_EQ(verdicts(keys, refused_context(scheme)), kBadMetadata);
    keys.data()[7][1].data()[47] = 1048433;
    EXPECT_EQ(verdicts(keys, context), kBadWords);
    keys.data()[7].pop_back();
    EXPECT_EQ(verdicts(keys, context), kBadMetadata);
    keys = random_keys<GaloisKeys>(context, 8, {0, 7});
    keys.data()[0][0].parms_id() = context.first_parms_id();
    EXPECT_EQ(verdicts(keys, context), kBadMetadata);
  }
}

}  // namespace
}  // namespace ringlet::test
