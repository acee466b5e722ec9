// SPDX-License-Identifier: Apache-2.0
// An encrypted linear model whose products are relinearized by hand: digits of the last polynomial,
// products with the words of the key, division by the special prime.
#include <cstdio>
#include <cstdlib>

#include "seal/seal.h"
#include "seal/util/polyarithsmallmod.h"
#include "seal/util/rns.h"

using namespace seal;
using namespace seal::util;

// sum over j of (c2 mod q_j) * key_j modulo each prime of the key level, in NTT form.
std::vector<std::uint64_t> products_with_key(const SEALContext& context, const Ciphertext& x,
                                             const std::vector<PublicKey>& key, std::size_t part) {
  const auto level = context.get_context_data(x.parms_id());
  const auto key_level = context.key_context_data();
  const std::size_t degree = x.poly_modulus_degree();
  const auto& primes = key_level->parms().coeff_modulus();
  std::vector<std::uint64_t> sums(primes.size() * degree), digit(degree), lifted(degree);
  for (std::size_t j = 0; j < level->parms().coeff_modulus().size(); ++j) {
    set_poly(x.data(2) + j * degree, degree, 1, digit.data());
    inverse_ntt_negacyclic_harvey(digit.data(), level->small_ntt_tables()[j]);
    for (std::size_t i = 0; i < primes.size(); ++i) {
      modulo_poly_coeffs(digit.data(), degree, primes[i], lifted.data());
      ntt_negacyclic_harvey(lifted.data(), key_level->small_ntt_tables()[i]);
      dyadic_product_coeffmod(lifted.data(), key[j].data().data(part) + i * degree, degree,
                              primes[i], lifted.data());
      std::uint64_t* sum = sums.data() + i * degree;
      add_poly_coeffmod(sum, lifted.data(), degree, primes[i], sum);
    }
  }
  return sums;
}

void relinearize_by_hand(const SEALContext& context, Ciphertext& x, const RelinKeys& keys) {
  const auto level = context.get_context_data(x.parms_id());
  const auto key_level = context.key_context_data();
  const auto& primes = level->parms().coeff_modulus();
  const std::size_t degree = x.poly_modulus_degree();
  for (std::size_t part = 0; part < 2; ++part) {
    auto sums = products_with_key(context, x, keys.data()[RelinKeys::get_index(2)], part);
    RNSIter quotient(sums.data(), degree);
    key_level->rns_tool()->divide_and_round_q_last_ntt_inplace(
        quotient, key_level->small_ntt_tables(), MemoryManager::GetPool());
    RNSIter target(x.data(part), degree);
    add_poly_coeffmod(target, quotient, primes.size(), primes, target);
  }
  x.resize(context, x.parms_id(), 2);
}

int main() {
  EncryptionParameters parms(scheme_type::ckks);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(CoeffModulus::Create(8192, {50, 40, 40, 60}));
  const SEALContext context(parms);
  KeyGenerator keygen(context);
  RelinKeys keys;
  keygen.create_relin_keys(keys);
  Encryptor encryptor(context, keygen.secret_key());
  Evaluator evaluator(context);
  CKKSEncoder encoder(context);

  std::vector<double> inputs(encoder.slot_count()), weights(encoder.slot_count());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i] = static_cast<double>(i % 9) / 4 - 1;
    weights[i] = static_cast<double>(i % 7) / 8;
  }
  Ciphertext x, w, product, expected;
  Plaintext plain;
  encoder.encode(inputs, 0x1p40, plain);
  encryptor.encrypt_symmetric(plain, x);
  encoder.encode(weights, 0x1p40, plain);
  encryptor.encrypt_symmetric(plain, w);
  evaluator.multiply(x, w, product);
  evaluator.relinearize(product, keys, expected);
  relinearize_by_hand(context, product, keys);
  bool good = product.size() == 2 && expected.size() == 2;
  double worst = 0;
  for (Ciphertext* result : {&product, &expected}) {
    evaluator.rescale_to_next_inplace(*result);
    encoder.encode(0.25, result->parms_id(), result->scale(), plain);
    evaluator.add_plain_inplace(*result, plain);
    std::vector<double> found;
    Decryptor(context, keygen.secret_key()).decrypt(*result, plain);
    encoder.decode(plain, found);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      worst = std::max(worst, std::abs(found[i] - inputs[i] * weights[i] - 0.25));
    }
  }
  good = good && worst < 1e-5;
  std::printf("by hand and by Evaluator: %s\n", good ? "right" : "wrong");
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
