// SPDX-License-Identifier: Apache-2.0
// Private retrieval: a client encrypts X^i; the server turns this one ciphertext into one for each
// row, which is 1 for row i and 0 for the others, and sums up row times ciphertext.
#include <cstdio>
#include <cstdlib>

#include "seal/seal.h"
#include "seal/util/polyarithsmallmod.h"

using namespace seal;
using namespace seal::util;

constexpr std::size_t kDegree = 4096;
constexpr std::size_t kRows = 16;

// x * X^(-shift): the words of each polynomial move to lower powers.
Ciphertext shifted(const SEALContext& context, const Ciphertext& x, std::size_t shift) {
  const auto& parms = context.get_context_data(x.parms_id())->parms();
  const auto& primes = parms.coeff_modulus();
  Ciphertext result = x;
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (std::size_t j = 0; j < primes.size(); ++j) {
      negacyclic_shift_poly_coeffmod(x.data(k) + j * kDegree, kDegree, 2 * kDegree - shift,
                                     primes[j], result.data(k) + j * kDegree);
    }
  }
  return result;
}

// From an encryption of X^i: encryptions of kRows * (i == row).
std::vector<Ciphertext> expanded(const SEALContext& context, const Evaluator& evaluator,
                                 const Ciphertext& query, const GaloisKeys& keys) {
  std::vector<Ciphertext> items{query};
  for (std::size_t step = 1; step < kRows; step *= 2) {
    const auto element = static_cast<std::uint32_t>(kDegree / step + 1);
    std::vector<Ciphertext> next(2 * items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      Ciphertext turned;
      evaluator.apply_galois(items[i], element, keys, turned);
      evaluator.add(items[i], turned, next[i]);
      evaluator.sub(items[i], turned, next[i + step]);
      next[i + step] = shifted(context, next[i + step], step);
    }
    items = std::move(next);
  }
  return items;
}

int main() {
  EncryptionParameters parms(scheme_type::bfv);
  parms.set_poly_modulus_degree(kDegree);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(kDegree));
  parms.set_plain_modulus(65537);
  const SEALContext context(parms);
  KeyGenerator keygen(context);
  std::vector<std::uint32_t> elements;
  for (std::size_t step = 1; step < kRows; step *= 2) {
    elements.push_back(static_cast<std::uint32_t>(kDegree / step + 1));
  }
  GaloisKeys keys;
  keygen.create_galois_keys(elements, keys);
  Encryptor encryptor(context, keygen.secret_key());
  Evaluator evaluator(context);
  Decryptor decryptor(context, keygen.secret_key());

  const std::size_t wanted = 11;
  Plaintext monomial(kDegree);
  monomial[wanted] = 1;
  Ciphertext query;
  encryptor.encrypt_symmetric(monomial, query);
  const auto selectors = expanded(context, evaluator, query, keys);

  Ciphertext sum;
  for (std::size_t row = 0; row < kRows; ++row) {
    Ciphertext term;
    Plaintext value(std::size_t{1});
    value[0] = 1000 + row;
    evaluator.multiply_plain(selectors[row], value, term);
    row == 0 ? void(sum = term) : evaluator.add_inplace(sum, term);
  }
  Plaintext answer;
  decryptor.decrypt(sum, answer);
  std::uint64_t inverse = 0;
  if (!try_invert_uint_mod(kRows, parms.plain_modulus(), inverse)) return EXIT_FAILURE;
  const auto found = multiply_uint_mod(answer[0], inverse, parms.plain_modulus());
  std::printf("row %zu holds %llu\n", wanted, static_cast<unsigned long long>(found));
  return found == 1000 + wanted ? EXIT_SUCCESS : EXIT_FAILURE;
}
