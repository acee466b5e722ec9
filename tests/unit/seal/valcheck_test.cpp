// SPDX-License-Identifier: Apache-2.0
#include "seal/valcheck.h"

#include "seal_objects.hpp"

namespace ringlet::test {
namespace {

/// The four verdicts as bits: metadata 8, buffer 4, data 2, all 1.
template <typename T>
int verdicts(const T& object, const SEALContext& context) {
  return (is_metadata_valid_for(object, context) ? 8 : 0) + (is_buffer_valid(object) ? 4 : 0) +
         (is_data_valid_for(object, context) ? 2 : 0) + (is_valid_for(object, context) ? 1 : 0);
}

constexpr int kValid = 15;
constexpr int kBadMetadata = 4;
constexpr int kBadWords = 12;

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
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double scale : {0.0, -1.0, 1e-310, infinity, -infinity, std::nan("")}) {
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

TEST(Valcheck, objectsOfOtherContexts) {
  const SEALContext bfv = small_context(scheme_type::bfv);
  const SEALContext bgv = small_context(scheme_type::bgv);
  EXPECT_EQ(verdicts(random_ciphertext(bfv, bfv.first_parms_id(), 2), bgv), kBadMetadata);
  EXPECT_EQ(verdicts(random_ntt_plaintext(bfv, bfv.first_parms_id()), bgv), kBadMetadata);
  EXPECT_EQ(verdicts(random_secret_key(bfv), bgv), kBadMetadata);
  EXPECT_EQ(verdicts(random_public_key(bfv), bgv), kBadMetadata);
  EXPECT_EQ(verdicts(random_keys<KSwitchKeys>(bfv, 3, {2}), bgv), kBadMetadata);
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

    EXPECT_EQ(verdicts(random_public_key(context), refused_context(scheme)), kBadMetadata);
    const auto after = [&](const auto& change) {
      PublicKey key = random_public_key(context);
      change(key.data());
      return verdicts(key, context);
    };
    EXPECT_EQ(after([](Ciphertext&) {}), kValid);
    EXPECT_EQ(after([](Ciphertext& key) { key[47] = 1048433; }), kBadWords);
    EXPECT_EQ(after([](Ciphertext& key) { key.is_ntt_form() = false; }), kBadMetadata);
    EXPECT_EQ(after([](Ciphertext& key) { key.resize(3); }), kBadMetadata);
    EXPECT_EQ(after([&](Ciphertext& key) {
                key = random_ciphertext(context, context.first_parms_id(), 2);
                key.is_ntt_form() = true;
              }),
              kBadMetadata);
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
    EXPECT_EQ(verdicts(random_keys<GaloisKeys>(context, 8, {0}), refused_context(scheme)),
              kBadMetadata);
    const auto after = [&](const auto& change) {
      auto keys = random_keys<GaloisKeys>(context, 8, {0, 7});
      change(keys.data());
      return verdicts(keys, context);
    };
    EXPECT_EQ(after([](auto& keys) { keys[7][1].data()[47] = 1048433; }), kBadWords);
    EXPECT_EQ(after([](auto& keys) { keys[7].pop_back(); }), kBadMetadata);
    const auto first = context.first_parms_id();
    EXPECT_EQ(after([&](auto& keys) { keys[0][0].parms_id() = first; }), kBadMetadata);
    auto keys = random_keys<GaloisKeys>(context, 8, {0, 7});
    keys.parms_id() = first;
    EXPECT_EQ(verdicts(keys, context), kBadMetadata);
  }
}

}  // namespace
}  // namespace ringlet::test
