// SPDX-License-Identifier: Apache-2.0
#include "seal/ciphertext.h"

#include "compat/seal/src/native/convert.hpp"
#include "ringlet/base/error.hpp"
#include "seal_objects.hpp"

namespace ringlet::test {
namespace {

constexpr parms_id_type kUnknown = {1, 2, 3, 4};

void expect_released(const Ciphertext& ciphertext) {
  EXPECT_EQ(ciphertext.size(), 0U);
  EXPECT_EQ(ciphertext.size_capacity(), 0U);
  EXPECT_EQ(ciphertext.data(), nullptr);
  EXPECT_EQ(ciphertext.parms_id(), parms_id_zero);
  EXPECT_FALSE(ciphertext.is_ntt_form());
  EXPECT_EQ(ciphertext.poly_modulus_degree(), 0U);
  EXPECT_EQ(ciphertext.coeff_modulus_size(), 0U);
  EXPECT_EQ(ciphertext.scale(), 1.0);
  EXPECT_EQ(ciphertext.correction_factor(), 1U);
  EXPECT_TRUE(ciphertext.is_transparent());
}

void expect_shape(const Ciphertext& in, std::size_t size, std::size_t capacity,
                  std::size_t primes) {
  EXPECT_EQ(in.size(), size);
  EXPECT_EQ(in.size_capacity(), capacity);
  EXPECT_EQ(in.coeff_modulus_size(), primes);
  EXPECT_EQ(in.poly_modulus_degree(), kSmallDegree);
  EXPECT_EQ(in.dyn_array().size(), size * primes * kSmallDegree);
  EXPECT_EQ(in.dyn_array().capacity(), capacity * primes * kSmallDegree);
  EXPECT_TRUE(is_buffer_valid(in));
}

TEST(SealCiphertext, constructors) {
  const SEALContext context = small_context(scheme_type::bfv);
  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  const parms_id_type last = context.last_parms_id();
  expect_released(Ciphertext());
  const Ciphertext first(context);
  expect_shape(first, 0, 2, 2);
  EXPECT_EQ(first.parms_id(), context.first_parms_id());
  EXPECT_EQ(first.data(0), nullptr) << "no words";
  expect_shape(Ciphertext(context, last), 0, 2, 1);
  expect_shape(Ciphertext(context, last, pool), 0, 2, 1);
  expect_shape(Ciphertext(context, last, 5, pool), 0, 5, 1);
  expect_shape(Ciphertext(context, context.first_parms_id(), 16), 0, 16, 2);
  EXPECT_TRUE(Ciphertext(pool).pool() == pool);
  EXPECT_TRUE(Ciphertext(context, pool).pool() == pool);

  for (const std::size_t capacity : {0, 1, 17}) {
    EXPECT_INVALID_ARGUMENT(Ciphertext(context, last, capacity));
  }
  EXPECT_INVALID_ARGUMENT(Ciphertext(context, kUnknown));
  EXPECT_INVALID_ARGUMENT(Ciphertext(context, parms_id_zero));
  EXPECT_INVALID_ARGUMENT(Ciphertext{refused_context(scheme_type::bfv)});
  EXPECT_INVALID_ARGUMENT(Ciphertext{MemoryPoolHandle()});
  EXPECT_INVALID_ARGUMENT(Ciphertext(context, MemoryPoolHandle()));
}

TEST(SealCiphertext, sizes) {
  const SEALContext context = small_context(scheme_type::bfv);
  const parms_id_type first = context.first_parms_id();
  const parms_id_type last = context.last_parms_id();
  Ciphertext ciphertext(context);
  for (const std::size_t size : {1, 17, 1000}) {
    EXPECT_INVALID_ARGUMENT(ciphertext.resize(size));
    EXPECT_INVALID_ARGUMENT(ciphertext.resize(context, size));
    EXPECT_INVALID_ARGUMENT(ciphertext.resize(context, last, size));
    EXPECT_INVALID_ARGUMENT(ciphertext.reserve(size));
    EXPECT_INVALID_ARGUMENT(ciphertext.reserve(context, size));
  }
  EXPECT_INVALID_ARGUMENT(ciphertext.reserve(0));
  EXPECT_INVALID_ARGUMENT(ciphertext.resize(context, kUnknown, 2));
  EXPECT_INVALID_ARGUMENT(ciphertext.reserve(context, kUnknown, 2));
  EXPECT_INVALID_ARGUMENT(ciphertext.resize(refused_context(scheme_type::bfv), 2));
  EXPECT_EQ(ciphertext.parms_id(), first);
  expect_shape(ciphertext, 0, 2, 2);

  ciphertext.resize(3);
  expect_shape(ciphertext, 3, 3, 2);
  ciphertext.data(2)[0] = 7;
  ciphertext.resize(2);
  expect_shape(ciphertext, 2, 3, 2);
  ciphertext.resize(3);
  EXPECT_EQ(ciphertext.data(2)[0], 0U);
  ciphertext.reserve(5);
  expect_shape(ciphertext, 3, 5, 2);
  ciphertext.reserve(2);
  expect_shape(ciphertext, 2, 2, 2);
  ciphertext.resize(context, last, 4);
  EXPECT_EQ(ciphertext.parms_id(), last);
  expect_shape(ciphertext, 4, 4, 1);
  ciphertext.reserve(context, first, 6);
  expect_shape(ciphertext, 4, 6, 2);
  ciphertext.reserve(context, 3);
  expect_shape(ciphertext, 3, 3, 2);
  ciphertext.resize(context, 2);
  expect_shape(ciphertext, 2, 3, 2);
  ciphertext.resize(0);
  expect_shape(ciphertext, 0, 3, 2);
  ciphertext.release();
  expect_released(ciphertext);
  ciphertext.resize(2);
  EXPECT_EQ(ciphertext.size(), 2U) << "without a level there are no words";
  EXPECT_EQ(ciphertext.data(1), nullptr);
}

TEST(SealCiphertext, wordsAreOrderedByPolynomialPrimeAndCoefficient) {
  const SEALContext context = small_context(scheme_type::bfv);
  Ciphertext ciphertext = random_ciphertext(context, context.first_parms_id(), 3);
  const std::size_t words = 2 * kSmallDegree;
  EXPECT_EQ(ciphertext.data(2), ciphertext.data() + 2 * words);
  ciphertext[words + kSmallDegree + 1] = 77;
  EXPECT_EQ(ciphertext.data(1)[kSmallDegree + 1], 77U);
  EXPECT_EQ(std::as_const(ciphertext)[words + kSmallDegree + 1], 77U);
  EXPECT_OUT_OF_RANGE(ciphertext[3 * words]);
  EXPECT_OUT_OF_RANGE(ciphertext.data(3));
  EXPECT_EQ(ciphertext.dyn_array().size(), 3 * words);
}

TEST(SealCiphertext, copiesAndMoves) {
  const SEALContext context = small_context(scheme_type::ckks);
  Ciphertext source = random_ciphertext(context, context.first_parms_id(), 3);
  source.correction_factor() = 3;
  expect_copies_and_moves(source);
}

TEST(SealCiphertext, transparency) {
  const SEALContext context = small_context(scheme_type::bfv);
  Ciphertext ciphertext(context);
  EXPECT_TRUE(ciphertext.is_transparent());
  ciphertext.resize(3);
  EXPECT_TRUE(ciphertext.is_transparent());
  ciphertext.data(0)[3] = 1;
  EXPECT_TRUE(ciphertext.is_transparent());
  ciphertext.data(2)[2 * kSmallDegree - 1] = 1;
  EXPECT_FALSE(ciphertext.is_transparent());
  ciphertext.resize(2);
  EXPECT_TRUE(ciphertext.is_transparent());
  ciphertext.data(1)[0] = 1;
  EXPECT_FALSE(ciphertext.is_transparent());
}

using seal4::borrow_native;
using seal4::native_context;
using seal4::native_level;
using seal4::write_back;

TEST(SealConversion, ciphertextsAreBorrowedWithoutACopy) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    for (const auto& id :
         {context.key_parms_id(), context.first_parms_id(), context.last_parms_id()}) {
      const Ciphertext in = random_ciphertext(context, id, 3);
      const ringlet::Ciphertext native = borrow_native(context, in);
      EXPECT_EQ(native.size(), 3U);
      EXPECT_EQ(native.scale(), in.scale());
      EXPECT_EQ(native.is_ntt_form(), in.is_ntt_form());
      EXPECT_EQ(native.parms_id(), native_level(*context.get_context_data(id)).parms_id());
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(native.view(i).data, in.data(i));
        EXPECT_EQ(native.view(i).limb_stride, kSmallDegree);
      }
      Ciphertext out;
      write_back(context, native, out);
      EXPECT_TRUE(same(out, in));
      const ringlet::Ciphertext padded = native;
      EXPECT_NE(padded.view(0).data, in.data());
      write_back(context, padded, out);
      EXPECT_TRUE(same(out, in));
    }
    EXPECT_EQ(borrow_native(context, Ciphertext(context)).size(), 0U);
    EXPECT_THROW(borrow_native(context, Ciphertext()), InvalidArgument);
    Ciphertext out = random_ciphertext(context, context.first_parms_id(), 2);
    write_back(context, ringlet::Ciphertext(), out);
    EXPECT_EQ(out.size(), 0U);
  }
}

TEST(SealConversion, plaintexts) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    Plaintext in = random_ntt_plaintext(context, context.first_parms_id());
    in.scale() = 1024.0;
    const ringlet::Plaintext native = borrow_native(context, in);
    EXPECT_EQ(native.ntt_view().data, in.data());
    EXPECT_EQ(native.scale(), scheme == scheme_type::ckks ? 1024.0 : 1.0);
    Plaintext out("1x^3");
    write_back(context, native, out);
    if (scheme != scheme_type::ckks) in.scale() = 1.0;
    EXPECT_TRUE(same(out, in));
    if (scheme == scheme_type::ckks) {
      EXPECT_THROW(borrow_native(context, Plaintext("1")), InvalidArgument);
      continue;
    }
    const Plaintext text("5x^4 + 60");
    EXPECT_EQ(borrow_native(context, text).coefficients().data(), text.data());
    write_back(context, borrow_native(context, text), out);
    EXPECT_TRUE(same(out, text)) << "over a plaintext in NTT form";
    write_back(context, ringlet::Plaintext(), out);
    EXPECT_EQ(out.coeff_count(), 0U);
    EXPECT_TRUE(borrow_native(context, out).empty());
    EXPECT_THROW(borrow_native(context, Plaintext(kSmallDegree + 1)), InvalidArgument);
  }
}

TEST(SealConversion, aContextWithoutItsChainHasNoLowerLevels) {
  const SEALContext short_chain(small_parameters(scheme_type::bfv), false, sec_level_type::none);
  const SEALContext context = small_context(scheme_type::bfv);
  Ciphertext out = random_ciphertext(context, context.first_parms_id(), 2);
  const Ciphertext before = out;
  const ringlet::Ciphertext lower(*native_context(short_chain).last_context_data(), 2,
                                  Form::coefficient);
  EXPECT_THROW(write_back(short_chain, lower, out), LogicError);
  EXPECT_TRUE(same(out, before));
}

TEST(SealConversion, keySwitchingKeysAreChecked) {
  const SEALContext context = small_context(scheme_type::bfv);
  EXPECT_EQ(borrow_native(context, random_keys<RelinKeys>(context, 1, {0}).key(2)).digit_count(),
            2U);
  EXPECT_THROW(borrow_native(context, std::vector<PublicKey>{PublicKey()}), InvalidArgument);
  EXPECT_THROW(borrow_native(context, std::vector{random_public_key(context)}), InvalidArgument);
}

/// The four verdicts as bits: 8 for metadata, 4 for the buffer, 2 for data, 1 for all of these.
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
  const double infinity = HUGE_VAL;
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
    for (const std::uint64_t factor : Words{2, kSmallPlainModulus - 1, 0, kSmallPlainModulus}) {
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
