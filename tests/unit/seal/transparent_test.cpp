// SPDX-License-Identifier: Apache-2.0
// A program for a SEAL that was configured with SEAL_THROW_ON_TRANSPARENT_CIPHERTEXT=OFF.
#define RINGLET_SEAL_ALLOW_TRANSPARENT
#include "service_setup.hpp"

namespace ringlet::test {
namespace {

TEST(SealTransparent, resultsAreGivenWhereTheProgramAllowsThem) {
  for (const scheme_type scheme : kSchemes) {
    const EncryptionParameters parms = service_parameters(scheme);
    const seal::SEALContext context(parms, true, sec_level_type::none);
    const seal::KeyGenerator keygen(context);
    const seal::Encryptor encryptor(context, keygen.secret_key());
    const seal::Evaluator evaluator(context);
    Ciphertext a;
    encryptor.encrypt_zero_symmetric(a);
    Ciphertext difference;
    evaluator.sub(a, a, difference);
    EXPECT_TRUE(difference.is_transparent());
    Ciphertext product;
    evaluator.negate(difference, product);
    EXPECT_TRUE(product.is_transparent());
    evaluator.add_many({difference, product}, product);
    EXPECT_TRUE(product.is_transparent());
    evaluator.multiply(difference, a, product);
    EXPECT_TRUE(product.is_transparent());
    if (scheme == scheme_type::ckks) continue;
    evaluator.multiply_plain(a, Plaintext("0"), product);
    EXPECT_TRUE(product.is_transparent());
    Plaintext message;
    seal::Decryptor(context, keygen.secret_key()).decrypt(product, message);
    EXPECT_TRUE(message.is_zero());
  }
}

}  // namespace
}  // namespace ringlet::test
