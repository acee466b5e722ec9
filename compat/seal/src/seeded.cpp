// SPDX-License-Identifier: Apache-2.0
#include "seeded.hpp"

#include <memory>
#include <string>

#include "access.hpp"
#include "ringlet/error.hpp"

namespace ringlet::seal4::detail {

void replace_by_seed(Ciphertext& ciphertext, const UniformRandomGeneratorInfo& seed) {
  if (ciphertext.size() != 2 || !seed.has_valid_prng_type()) {
    throw_invalid_argument(
        {"replace_by_seed",
         "a ciphertext of size " + std::to_string(ciphertext.size()) +
             " and a seed of generator type " + std::to_string(static_cast<int>(seed.type())),
         "ciphertexts of size 2 and seeds of known generators", "save the object without a seed"});
  }
  CiphertextAccess::replace_by_seed(ciphertext,
                                    std::make_shared<const UniformRandomGeneratorInfo>(seed));
}

bool has_seed(const Ciphertext& ciphertext) noexcept {
  return CiphertextAccess::seed(ciphertext) != nullptr;
}

}  // namespace ringlet::seal4::detail
