// SPDX-License-Identifier: Apache-2.0
// A product and a sum of ciphertexts by hand, limb by limb with SEAL_ITERATE, against Evaluator.
#include <cstdio>
#include <cstdlib>

#include "seal/seal.h"
#include "seal/util/polyarithsmallmod.h"

using namespace seal;
using namespace seal::util;

int main() {
  EncryptionParameters parms(scheme_type::ckks);
  parms.set_poly_modulus_degree(4096);
  parms.set_coeff_modulus(CoeffModulus::Create(4096, {36, 36, 37}));
  const SEALContext context(parms);
  KeyGenerator keygen(context);
  Encryptor encryptor(context, keygen.secret_key());
  Evaluator evaluator(context);
  CKKSEncoder encoder(context);
  Plaintext plain;
  encoder.encode(1.5, 0x1p20, plain);
  Ciphertext a, b;
  encryptor.encrypt_symmetric(plain, a);
  encryptor.encrypt_symmetric(plain, b);

  const auto level = context.get_context_data(a.parms_id());
  const auto& primes = level->parms().coeff_modulus();
  const std::size_t count = primes.size(), degree = a.poly_modulus_degree();
  const auto pool = MemoryManager::GetPool();

  // (a0 + a1 s)(b0 + b1 s) = a0 b0 + (a0 b1 + a1 b0) s + a1 b1 s^2
  Ciphertext by_hand(context, a.parms_id(), 3, pool);
  by_hand.resize(context, a.parms_id(), 3);
  by_hand.is_ntt_form() = true;
  by_hand.scale() = a.scale() * b.scale();
  PolyIter left(a), right(b), result(by_hand);
  SEAL_ALLOCATE_GET_RNS_ITER(cross, degree, count, pool);
  dyadic_product_coeffmod(left[0], right[0], count, primes, result[0]);
  dyadic_product_coeffmod(left[1], right[1], count, primes, result[2]);
  dyadic_product_coeffmod(left[0], right[1], count, primes, cross);
  dyadic_product_coeffmod(left[1], right[0], count, primes, result[1]);
  SEAL_ITERATE(iter(result[1], cross, primes), count, [&](auto I) {
    SEAL_ITERATE(iter(get<0>(I), get<1>(I)), degree,
                 [&](auto J) { get<0>(J) = add_uint_mod(get<0>(J), get<1>(J), get<2>(I)); });
  });
  Ciphertext expected;
  evaluator.multiply(a, b, expected);
  bool right_words = by_hand.size() == expected.size();
  for (std::size_t k = 0; k < 3; ++k) {
    right_words = right_words &&
                  std::equal(by_hand.data(k), by_hand.data(k) + count * degree, expected.data(k));
  }

  // Out of the transform and back again: the same words.
  inverse_ntt_negacyclic_harvey(result, 3, level->small_ntt_tables());
  const bool changed = !std::equal(by_hand.data(0), by_hand.data(0) + degree, expected.data(0));
  ntt_negacyclic_harvey(result, 3, level->small_ntt_tables());
  const bool back = std::equal(by_hand.data(0), by_hand.data(0) + degree, expected.data(0));
  std::printf("product by hand: %s, transforms: %s\n", right_words ? "equal" : "differs",
              changed && back ? "return" : "do not return");
  return right_words && changed && back ? EXIT_SUCCESS : EXIT_FAILURE;
}
