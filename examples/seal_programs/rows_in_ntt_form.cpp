// SPDX-License-Identifier: Apache-2.0
// A database of polynomials that are transformed once, and queries that are transformed on arrival.
// Threads with pools of their own multiply; the answer is sent at the last level.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "seal/seal.h"

using namespace seal;

constexpr std::size_t kDegree = 4096, kRows = 12, kThreads = 3;

std::uint64_t coefficient(std::size_t row, std::size_t i) { return (row * 4099 + i * i) % 60000; }

int main() {
  EncryptionParameters parms(scheme_type::bfv);
  parms.set_poly_modulus_degree(kDegree);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(kDegree));
  parms.set_plain_modulus(65537);
  const SEALContext context(parms, true, sec_level_type::tc128);
  KeyGenerator keygen(context);
  Encryptor encryptor(context, keygen.secret_key());
  const Evaluator evaluator(context);

  std::vector<Plaintext> rows(kRows, Plaintext(kDegree));
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t i = 0; i < kDegree; ++i) rows[row][i] = coefficient(row, i);
    evaluator.transform_to_ntt_inplace(rows[row], context.first_parms_id());
  }

  // The client sends 1 for the row that it wants and 0 for the others, with seeds.
  const std::size_t wanted = 7;
  std::stringstream query;
  for (std::size_t row = 0; row < kRows; ++row) {
    encryptor.encrypt_symmetric(Plaintext(row == wanted ? "1" : "0")).save(query);
  }
  std::vector<Ciphertext> selectors(kRows);
  for (Ciphertext& selector : selectors) selector.load(context, query);

  std::vector<Ciphertext> sums(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const MemoryPoolHandle pool = MemoryPoolHandle::New();
      Ciphertext sum(pool), term(pool);
      for (std::size_t row = thread; row < kRows; row += kThreads) {
        evaluator.transform_to_ntt_inplace(selectors[row]);
        evaluator.multiply_plain(selectors[row], rows[row], term, pool);
        row == thread ? void(sum = term) : evaluator.add_inplace(sum, term);
      }
      sums[thread] = sum;
    });
  }
  for (std::thread& thread : threads) thread.join();
  Ciphertext answer;
  evaluator.add_many(sums, answer);
  evaluator.transform_from_ntt_inplace(answer);
  const auto full = answer.save_size(compr_mode_type::none);
  evaluator.mod_switch_to_inplace(answer, context.last_parms_id());
  const auto sent = answer.save_size(compr_mode_type::none);

  Decryptor decryptor(context, keygen.secret_key());
  Plaintext found;
  decryptor.decrypt(answer, found);
  bool good = found.coeff_count() == kDegree && 3 * sent < 2 * full;
  for (std::size_t i = 0; i < kDegree && good; ++i) good = found[i] == coefficient(wanted, i);
  std::printf("row %zu in %lld bytes instead of %lld: %s\n", wanted, static_cast<long long>(sent),
              static_cast<long long>(full), good ? "right" : "wrong");
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
