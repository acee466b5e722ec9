// SPDX-License-Identifier: Apache-2.0

// Programs that include the header of one class rely on the headers that it includes.

#include "seal/encryptionparams.h"
#include "support/test.hpp"

namespace {

TEST(SealSignatures, parametersBringTheirGenerators) {
  seal::EncryptionParameters parms(seal::scheme_type::bfv);
  parms.set_random_generator(seal::UniformRandomGeneratorFactory::DefaultFactory());
  SEAL_MAYBE_UNUSED const int unused = 0;
  EXPECT_NE(parms.random_generator()->create(), nullptr);
}

}  // namespace
