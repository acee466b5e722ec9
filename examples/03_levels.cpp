// SPDX-License-Identifier: Apache-2.0
//
// Lesson 3: the modulus chain.
//
// The coefficient modulus is a product of primes. A context keeps a chain of levels: keys live at
// the top, over all primes; fresh ciphertexts over the data primes; each lower level has one prime
// less. A lower level makes ciphertexts smaller and operations faster, and costs noise budget that
// is no longer needed.
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

void run(lesson::Checks& checks) {
  // Data primes and special primes by name: only key switching uses the special one, which should
  // be as large as any other.
  ringlet::EncryptionParameters parms(ringlet::SchemeType::bfv);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(ringlet::CoeffModulus::create(8192, {40, 40, 40, 40}),
                          ringlet::CoeffModulus::create(8192, {48}));
  parms.set_plain_modulus(ringlet::PlainModulus::batching(8192, 20));
  const ringlet::Context context(parms);

  for (const ringlet::ContextData* level = context.key_context_data(); level != nullptr;
       level = level->next_context_data()) {
    std::printf("level %zu%s: %zu primes, %d bits\n", level->chain_index(),
                level == context.key_context_data()
                    ? ", keys"
                    : (level == context.first_context_data() ? ", fresh ciphertexts" : ""),
                level->prime_count(), level->total_coeff_modulus_bit_count());
  }

  const ringlet::KeyGenerator keygen(context);
  const ringlet::RelinKeys relin_keys = keygen.create_relin_keys();
  const ringlet::Encryptor encryptor(context, keygen.create_public_key());
  const ringlet::Evaluator evaluator(context);
  ringlet::Decryptor decryptor(context, keygen.secret_key());

  // 2 + X^4095, to the power of 4.
  ringlet::Plaintext plain(4096);
  plain.coefficients_for_writing()[0] = 2;
  plain.coefficients_for_writing()[4095] = 1;
  ringlet::Ciphertext power = encryptor.encrypt(plain);
  evaluator.exponentiate_inplace(power, 4, relin_keys);
  const ringlet::Plaintext before = decryptor.decrypt(power);
  std::printf("before: %zu bytes, budget %d bits\n", power.byte_count(),
              decryptor.invariant_noise_budget(power));

  // Switches down as far as the message allows. Switching divides modulus and noise alike, so that
  // early steps cost little of the remaining budget.
  for (std::size_t step = 0; step < 2; ++step) {
    evaluator.mod_switch_to_next_inplace(power);
    std::printf("one level down: %zu bytes, budget %d bits\n", power.byte_count(),
                decryptor.invariant_noise_budget(power));
  }
  const ringlet::Plaintext after = decryptor.decrypt(power);
  checks.expect(
      std::vector<std::uint64_t>(before.coefficients().begin(), before.coefficients().end()) ==
          std::vector<std::uint64_t>(after.coefficients().begin(), after.coefficients().end()),
      "the message has not changed");

  // Operands must be at one level: the library never adjusts them silently.
  const ringlet::Ciphertext fresh = encryptor.encrypt(plain);
  checks.expect_refused("operands of different levels are refused",
                        [&] { evaluator.add_inplace(power, fresh); });
}

}  // namespace

int main() { return lesson::run(run); }
