// SPDX-License-Identifier: Apache-2.0
// Decrypts BFV with the words of the secret key, the base of the level and its rounding, and
// measures the noise of a ciphertext that encrypt_zero_symmetric made.
#include <cstdio>
#include <cstdlib>

#include "seal/seal.h"
#include "seal/util/polyarithsmallmod.h"
#include "seal/util/rlwe.h"
#include "seal/util/rns.h"

using namespace seal;
using namespace seal::util;

// c0 + c1 s modulo each prime, as coefficients.
std::vector<std::uint64_t> phase(const SEALContext& context, const Ciphertext& x,
                                 const SecretKey& key) {
  const auto level = context.get_context_data(x.parms_id());
  const auto& primes = level->parms().coeff_modulus();
  const std::size_t degree = x.poly_modulus_degree();
  std::vector<std::uint64_t> words(x.data(1), x.data(1) + primes.size() * degree);
  RNSIter sum(words.data(), degree);
  ntt_negacyclic_harvey(sum, primes.size(), level->small_ntt_tables());
  dyadic_product_coeffmod(sum, ConstRNSIter(key.data().data(), degree), primes.size(), primes, sum);
  inverse_ntt_negacyclic_harvey(sum, primes.size(), level->small_ntt_tables());
  add_poly_coeffmod(sum, ConstRNSIter(x.data(0), degree), primes.size(), primes, sum);
  return words;
}

int main() {
  EncryptionParameters parms(scheme_type::bfv);
  parms.set_poly_modulus_degree(4096);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(4096));
  parms.set_plain_modulus(PlainModulus::Batching(4096, 20));
  const SEALContext context(parms);
  KeyGenerator keygen(context);
  Encryptor encryptor(context, keygen.secret_key());
  BatchEncoder encoder(context);
  const auto level = context.first_context_data();
  const std::size_t degree = 4096, primes = level->parms().coeff_modulus().size();
  const auto pool = MemoryManager::GetPool();

  std::vector<std::uint64_t> slots(degree);
  for (std::size_t i = 0; i < degree; ++i) slots[i] = 7 * i % 1000;
  Plaintext plain;
  encoder.encode(slots, plain);
  Ciphertext encrypted;
  encryptor.encrypt_symmetric(plain, encrypted);

  std::vector<std::uint64_t> words = phase(context, encrypted, keygen.secret_key());
  Plaintext message(degree);
  level->rns_tool()->decrypt_scale_and_round(ConstRNSIter(words.data(), degree), message.data(),
                                             pool);
  std::vector<std::uint64_t> found;
  encoder.decode(message, found);

  // An encryption of zero is its noise: small, with either sign.
  Ciphertext zero;
  encrypt_zero_symmetric(keygen.secret_key(), context, context.first_parms_id(), false, false,
                         zero);
  words = phase(context, zero, keygen.secret_key());
  const RNSBase base(level->parms().coeff_modulus(), pool);
  base.compose_array(words.data(), degree, pool);
  bool is_small = true;
  std::vector<std::uint64_t> negated(primes);
  for (std::size_t i = 0; i < degree; ++i) {
    const std::uint64_t* value = words.data() + i * primes;
    sub_uint(base.base_prod(), value, primes, negated.data());
    is_small = is_small && (get_significant_bit_count_uint(value, primes) <= 5 ||
                            get_significant_bit_count_uint(negated.data(), primes) <= 5);
  }
  std::printf("message: %s, noise: %s\n", found == slots ? "right" : "wrong",
              is_small ? "small" : "large");
  return found == slots && is_small ? EXIT_SUCCESS : EXIT_FAILURE;
}
