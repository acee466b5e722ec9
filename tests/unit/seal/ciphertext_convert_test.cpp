// SPDX-License-Identifier: Apache-2.0
#include "compat/seal/src/native/convert.hpp"
#include "ringlet/base/error.hpp"
#include "seal_objects.hpp"

namespace ringlet::test {
namespace {

using seal::scheme_type;
using seal::SEALContext;
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

TEST(SealConversion, keySwitchingKeysAreChecked) {
  const SEALContext context = small_context(scheme_type::bfv);
  EXPECT_EQ(
      borrow_native(context, random_keys<seal::RelinKeys>(context, 1, {0}).key(2)).digit_count(),
      2U);
  EXPECT_THROW(borrow_native(context, std::vector<seal::PublicKey>{seal::PublicKey()}),
               InvalidArgument);
  EXPECT_THROW(borrow_native(context, std::vector{random_public_key(context)}), InvalidArgument);
}

}  // namespace
}  // namespace ringlet::test
