// SPDX-License-Identifier: Apache-2.0
#include "helpers.hpp"

namespace seal {

std::string describe(const SEALContext& context) {
  const auto data = context.key_context_data();
  const EncryptionParameters& parms = data->parms();
  std::string text = parms.scheme() == scheme_type::bfv ? "BFV" : "other";
  text += " " + std::to_string(parms.poly_modulus_degree()) + " (";
  for (const Modulus& prime : parms.coeff_modulus()) {
    text += std::to_string(prime.bit_count()) + " ";
  }
  const std::uint64_t t = parms.plain_modulus().value();
  return text + "bits), t = " + util::uint_to_hex_string(&t, std::size_t(1));
}

}  // namespace seal
