// SPDX-License-Identifier: Apache-2.0
// Set intersection: the server evaluates prod (x - y_i) over its set at the client's encrypted
// values, one in each slot, by Paterson and Stockmeyer's method. A slot is 0 where both sets have
// the value. Single headers, as programs include them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "seal/batchencoder.h"
#include "seal/context.h"
#include "seal/decryptor.h"
#include "seal/encryptor.h"
#include "seal/evaluator.h"
#include "seal/keygenerator.h"
#include "seal/modulus.h"
#include "seal/util/uintarithsmallmod.h"

using namespace seal;
using namespace seal::util;

constexpr std::size_t kBaby = 4;

// The coefficients of prod (x - y), the lowest first.
std::vector<std::uint64_t> product_of(const std::vector<std::uint64_t>& roots, const Modulus& t) {
  std::vector<std::uint64_t> coefficients{1};
  for (const std::uint64_t y : roots) {
    coefficients.push_back(0);
    for (std::size_t i = coefficients.size(); i-- > 0;) {
      const std::uint64_t above = i > 0 ? coefficients[i - 1] : 0;
      coefficients[i] = sub_uint_mod(above, multiply_uint_mod(coefficients[i], y, t), t);
    }
  }
  return coefficients;
}

bool contains(const std::vector<std::uint64_t>& set, std::uint64_t value) {
  return std::find(set.begin(), set.end(), value) != set.end();
}

int main() {
  EncryptionParameters parms(scheme_type::bfv);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(8192));
  parms.set_plain_modulus(PlainModulus::Batching(8192, 20));
  const SEALContext context(parms);
  KeyGenerator keygen(context);
  RelinKeys relin_keys;
  keygen.create_relin_keys(relin_keys);
  Encryptor encryptor(context, keygen.secret_key());
  Evaluator evaluator(context);
  BatchEncoder encoder(context);
  const std::vector<std::uint64_t> servers{3, 14, 15, 92, 65, 35, 89, 79};
  const auto coefficients = product_of(servers, parms.plain_modulus());

  std::vector<std::uint64_t> clients(encoder.slot_count());
  for (std::size_t i = 0; i < clients.size(); ++i) clients[i] = i % 100;
  Plaintext plain;
  encoder.encode(clients, plain);
  std::vector<Ciphertext> powers(kBaby + 1);  // powers[i] is x^i
  encryptor.encrypt_symmetric(plain, powers[1]);
  for (std::size_t i = 2; i <= kBaby; ++i) {
    evaluator.multiply(powers[i - 1], powers[1], powers[i]);
    evaluator.relinearize_inplace(powers[i], relin_keys);
  }

  // ((c8) x^4 + c7 x^3 + ... + c4) x^4 + c3 x^3 + ... + c0
  Ciphertext sum = powers[kBaby];  // c8 is 1
  const auto add_block = [&](std::size_t first) {
    for (std::size_t i = kBaby - 1; i > 0; --i) {
      if (first + i >= coefficients.size() || coefficients[first + i] == 0) continue;
      Ciphertext term;
      encoder.encode(std::vector<std::uint64_t>(clients.size(), coefficients[first + i]), plain);
      evaluator.multiply_plain(powers[i], plain, term);
      evaluator.add_inplace(sum, term);
    }
    encoder.encode(std::vector<std::uint64_t>(clients.size(), coefficients[first]), plain);
    evaluator.add_plain_inplace(sum, plain);
  };
  add_block(4);
  evaluator.multiply_inplace(sum, powers[kBaby]);
  evaluator.relinearize_inplace(sum, relin_keys);
  add_block(0);

  Decryptor decryptor(context, keygen.secret_key());
  std::vector<std::uint64_t> found;
  decryptor.decrypt(sum, plain);
  encoder.decode(plain, found);
  std::size_t wrong = 0, common = 0;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const bool is_common = contains(servers, clients[i]);
    wrong += is_common != (found[i] == 0);
    common += i < 100 && is_common;
  }
  std::printf("%zu common values, %zu slots wrong, %d bits of budget left\n", common, wrong,
              decryptor.invariant_noise_budget(sum));
  return wrong == 0 && common == servers.size() ? EXIT_SUCCESS : EXIT_FAILURE;
}
