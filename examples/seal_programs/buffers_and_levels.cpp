// SPDX-License-Identifier: Apache-2.0
// Keys and ciphertexts through memory of the program, in every mode and with seeds; levels of the
// chain, and products with plaintexts that are transformed once for many rows.
#include <cstdio>
#include <cstdlib>

#include "seal/seal.h"

using namespace seal;

template <class Saved, class Loaded>
bool through_memory(const SEALContext& context, const Saved& saved, Loaded& loaded) {
  bool good = true;
  for (const auto mode : {compr_mode_type::none, compr_mode_type::zlib, compr_mode_type::zstd}) {
    std::vector<seal_byte> memory(static_cast<std::size_t>(saved.save_size(mode)));
    const auto size = static_cast<std::size_t>(saved.save(memory.data(), memory.size(), mode));
    good = good && size <= memory.size();
    good = good && loaded.load(context, memory.data(), size) == static_cast<std::streamoff>(size);
  }
  return good;
}

int main() {
  EncryptionParameters parms(scheme_type::bgv);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(8192));
  parms.set_plain_modulus(PlainModulus::Batching(8192, 20));
  const SEALContext context(parms);
  KeyGenerator keygen(context);
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
  Ciphertext x;
  BatchEncoder encoder(context);
  Encryptor encryptor(context, keygen.secret_key());
  std::vector<std::uint64_t> slots(encoder.slot_count());
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = i % 50;
  Plaintext plain;
  encoder.encode(slots, plain);
  bool good = through_memory(context, keygen.create_relin_keys(), relin_keys);
  good =
      good && through_memory(context, keygen.create_galois_keys(std::vector<int>{1}), galois_keys);
  good = good && through_memory(context, encryptor.encrypt_symmetric(plain), x);

  Evaluator evaluator(context);
  evaluator.rotate_rows_inplace(x, 1, galois_keys);
  evaluator.square_inplace(x);
  evaluator.relinearize_inplace(x, relin_keys);
  evaluator.transform_to_ntt_inplace(plain, x.parms_id());
  std::vector<Ciphertext> rows(3);
  for (Ciphertext& row : rows) evaluator.multiply_plain(x, plain, row);
  Ciphertext sum;
  evaluator.add_many(rows, sum);

  std::size_t levels = 0;
  for (auto level = context.first_context_data(); level; level = level->next_context_data()) {
    good = good && level->qualifiers().parameters_set();
    good = good && level->total_coeff_modulus_bit_count() > 20;
    ++levels;
  }
  good = good && levels == context.first_context_data()->chain_index() + 1;
  EncryptionParameters bad = parms;
  bad.set_poly_modulus_degree(8191);
  std::printf("%zu levels; a bad degree: %s\n", levels, SEALContext(bad).parameter_error_message());

  std::vector<std::uint64_t> found;
  Decryptor(context, keygen.secret_key()).decrypt(sum, plain);
  encoder.decode(plain, found);
  const std::uint64_t t = parms.plain_modulus().value();
  for (std::size_t i = 0; i + 1 < slots.size() / 2; ++i) {
    good = good && found[i] == 3 * slots[i + 1] * slots[i + 1] % t * slots[i] % t;
  }
  std::printf("results: %s\n", good ? "right" : "wrong");
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
