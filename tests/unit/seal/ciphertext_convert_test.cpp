// SPDX-License-Identifier: Apache-2.0
#include "compat/seal/src/convert.hpp"
#include "compat/seal/src/native.hpp"
#include "ringlet/error.hpp"
#include "ringlet/evaluator.hpp"
#include "ringlet/key_generator.hpp"
#include "seal_objects.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using seal::scheme_type;
using seal::SEALContext;
using seal4::borrow_for_writing;
using seal4::borrow_native;
using seal4::native_context;
using seal4::native_level;
using seal4::write_back;

TEST(SealConversion, ciphertextsAreBorrowedWithoutACopy) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    for (const auto& id :
         {context.key_parms_id(), context.first_parms_id(), context.last_parms_id()}) {
      const seal::Ciphertext in = random_ciphertext(context, id, 3);
      const Ciphertext native = borrow_native(context, in);
      EXPECT_EQ(native.size(), 3U);
      EXPECT_EQ(native.scale(), in.scale());
      EXPECT_EQ(native.is_ntt_form(), in.is_ntt_form());
      EXPECT_EQ(native.parms_id(), native_level(*context.get_context_data(id)).parms_id());
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(native.view(i).data, in.data(i));
        EXPECT_EQ(native.view(i).limb_stride, kSmallDegree);
      }
      seal::Ciphertext out;
      write_back(context, native, out);
      EXPECT_TRUE(same(out, in));
      const Ciphertext padded = native;
      EXPECT_NE(padded.view(0).data, in.data());
      write_back(context, padded, out);
      EXPECT_TRUE(same(out, in));
    }
    EXPECT_EQ(borrow_native(context, seal::Ciphertext(context)).size(), 0U);
    EXPECT_THROW(borrow_native(context, seal::Ciphertext()), InvalidArgument);
    seal::Ciphertext out = random_ciphertext(context, context.first_parms_id(), 2);
    write_back(context, Ciphertext(), out);
    EXPECT_EQ(out.size(), 0U);
  }
}

TEST(SealConversion, operationsMayWriteInPlace) {
  const SEALContext context = small_context(scheme_type::bfv);
  const Evaluator evaluator(native_context(context));
  seal::Ciphertext in = random_ciphertext(context, context.first_parms_id(), 2);
  const seal::Ciphertext before = in;
  const std::uint64_t* memory = in.data();
  Ciphertext operand = borrow_for_writing(context, in);
  evaluator.negate_inplace(operand);
  write_back(context, operand, in);
  EXPECT_EQ(in.data(), memory);
  EXPECT_TRUE(is_valid_for(in, context));
  const auto level = context.first_context_data();
  for (std::size_t i = 0; i < in.dyn_array().size(); ++i) {
    const std::uint64_t q = level->parms().coeff_modulus()[i / kSmallDegree % 2].value();
    ASSERT_EQ(in[i], (q - before[i]) % q) << i;
  }

  in = before;
  operand = borrow_for_writing(context, in);
  evaluator.mod_switch_to_next_inplace(operand);
  write_back(context, operand, in);
  EXPECT_EQ(in.parms_id(), context.last_parms_id());
  EXPECT_EQ(in.dyn_array().size(), 2 * kSmallDegree);
  EXPECT_TRUE(is_valid_for(in, context));

  in = before;
  operand = borrow_for_writing(context, in);
  evaluator.transform_to_ntt_inplace(operand);
  write_back(context, operand, in);
  EXPECT_TRUE(in.is_ntt_form());
  operand = borrow_for_writing(context, in);
  evaluator.transform_from_ntt_inplace(operand);
  write_back(context, operand, in);
  EXPECT_TRUE(same(in, before));
}

TEST(SealConversion, plaintexts) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    seal::Plaintext in = random_ntt_plaintext(context, context.first_parms_id());
    in.scale() = 1024.0;
    const Plaintext native = borrow_native(context, in);
    EXPECT_EQ(native.ntt_view().data, in.data());
    EXPECT_EQ(native.scale(), scheme == scheme_type::ckks ? 1024.0 : 1.0);
    seal::Plaintext out("1x^3");
    write_back(context, native, out);
    if (scheme != scheme_type::ckks) in.scale() = 1.0;
    EXPECT_TRUE(same(out, in));
    if (scheme == scheme_type::ckks) {
      EXPECT_THROW(borrow_native(context, seal::Plaintext("1")), InvalidArgument);
      continue;
    }
    const seal::Plaintext text("5x^4 + 60");
    EXPECT_EQ(borrow_native(context, text).coefficients().data(), text.data());
    write_back(context, borrow_native(context, text), out);
    EXPECT_TRUE(same(out, text)) << "over a plaintext in NTT form";
    write_back(context, Plaintext(), out);
    EXPECT_EQ(out.coeff_count(), 0U);
    EXPECT_TRUE(borrow_native(context, out).empty());
    EXPECT_THROW(borrow_native(context, seal::Plaintext(kSmallDegree + 1)), InvalidArgument);
  }
}

TEST(SealConversion, plaintextsOfOnePrimeChangeTheirFormInPlace) {
  seal::EncryptionParameters parms = small_parameters(scheme_type::bfv);
  parms.set_coeff_modulus({1048129ULL});
  const SEALContext context(parms, true, seal::sec_level_type::none);
  const Evaluator evaluator(native_context(context));
  seal::Plaintext plain("60x^7 + 5x^1 + 1");
  Plaintext operand = borrow_for_writing(context, plain);
  evaluator.transform_to_ntt_inplace(operand, native_context(context).first_parms_id());
  write_back(context, operand, plain);
  EXPECT_EQ(plain.parms_id(), context.first_parms_id());
  EXPECT_EQ(plain.coeff_count(), kSmallDegree);
}

TEST(SealConversion, aContextWithoutItsChainHasNoLowerLevels) {
  const SEALContext short_chain(small_parameters(scheme_type::bfv), false,
                                seal::sec_level_type::none);
  const SEALContext context = small_context(scheme_type::bfv);
  seal::Ciphertext out = random_ciphertext(context, context.first_parms_id(), 2);
  const seal::Ciphertext before = out;
  const Ciphertext lower(*native_context(short_chain).last_context_data(), 2, Form::coefficient);
  EXPECT_THROW(write_back(short_chain, lower, out), LogicError);
  EXPECT_TRUE(same(out, before));
}

TEST(SealConversion, keysGoThereAndBack) {
  for (const scheme_type scheme : kSchemes) {
    SCOPED_TRACE(static_cast<int>(scheme));
    const SEALContext context = small_context(scheme);
    const Context& native = native_context(context);
    const KeyGenerator generator(native, RandomSource::for_testing(7));

    seal::SecretKey secret;
    const seal::MemoryPoolHandle pool = secret.pool();
    write_back(context, generator.secret_key(), secret);
    ASSERT_TRUE(is_valid_for(secret, context));
    EXPECT_TRUE(secret.pool() == pool);
    seal::PublicKey key;
    write_back(context, generator.create_public_key(), key);
    ASSERT_TRUE(is_valid_for(key, context));
    seal::RelinKeys relin;
    write_back(context, generator.create_relin_keys(), relin);
    ASSERT_TRUE(is_valid_for(relin, context));
    EXPECT_TRUE(relin.has_key(2));
    seal::GaloisKeys galois;
    write_back(context, generator.create_galois_keys_for_elements({3, 15}), galois);
    ASSERT_TRUE(is_valid_for(galois, context));
    EXPECT_EQ(galois.data().size(), kSmallDegree);
    EXPECT_EQ(galois.size(), 2U);
    EXPECT_TRUE(galois.has_key(3) && galois.has_key(15));

    seal::PublicKey key_again;
    write_back(context, borrow_native(context, key), key_again);
    EXPECT_TRUE(same(key_again, key));
    seal::SecretKey secret_again;
    write_back(context, borrow_native(context, secret), secret_again);
    EXPECT_TRUE(same(secret_again, secret));
    seal::RelinKeys relin_again;
    write_back(context, borrow_native(context, relin), relin_again);
    EXPECT_TRUE(same(relin_again, relin));
    seal::GaloisKeys galois_again;
    const GaloisKeys native_galois = borrow_native(context, galois);
    EXPECT_EQ(native_galois.galois_elements(), (std::vector<std::uint64_t>{3, 15}));
    write_back(context, native_galois, galois_again);
    EXPECT_TRUE(same(galois_again, galois));

    EXPECT_THROW(borrow_native(context, seal::SecretKey()), InvalidArgument);
    EXPECT_THROW(borrow_native(context, seal::PublicKey()), InvalidArgument);
    EXPECT_THROW(borrow_native(context, seal::RelinKeys()), InvalidArgument);
    EXPECT_THROW(borrow_native(context, seal::GaloisKeys()), InvalidArgument);
    EXPECT_THROW(borrow_native(context, std::vector<seal::PublicKey>{key}), InvalidArgument);
  }
}

}  // namespace
}  // namespace ringlet::test
