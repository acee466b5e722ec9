// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/serialization.hpp"

#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/serialization/file_functions.hpp"

namespace ringlet {
SeededCiphertext::SeededCiphertext(const Context& context, Ciphertext ciphertext,
                                   const PublicSeed& seed)
    : seed_(seed) {
  public_entry("SeededCiphertext", [&] {
    rlwe::check_operand(context, ciphertext, "ciphertext");
    if (ciphertext.size() == kMinCiphertextSize) return;
    refuse(concat("a ciphertext of size ", ciphertext.size()), "fresh ciphertexts, of size 2",
           "take the result of a seeded encryption");
  });
  ciphertext_ = std::move(ciphertext);
}

RINGLET_INSTANTIATE_FILES_OF_PARAMETERS(SavedParameters)
RINGLET_INSTANTIATE_FILES(Plaintext)
RINGLET_INSTANTIATE_FILES(Ciphertext)
RINGLET_INSTANTIATE_SAVE(SeededCiphertext)
RINGLET_INSTANTIATE_FILES(PublicKey)
RINGLET_INSTANTIATE_FILES(RelinKeys)
RINGLET_INSTANTIATE_FILES(GaloisKeys)
RINGLET_INSTANTIATE_FILES_OF_SECRET_KEY(SecretKey)

}  // namespace ringlet
