// SPDX-License-Identifier: Apache-2.0
//
// Lesson 8 as a program for SEAL 4: median times of the main operations.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "../lesson.hpp"
#include "seal/seal.h"

using namespace seal;

namespace {

template <typename Call>
void report(const char* name, Call&& call) {
  constexpr int kRounds = 9;
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
  std::cout << "  " << std::left << std::setw(14) << name << std::right << std::setw(10)
            << std::fixed << std::setprecision(0) << times[kRounds / 2] << " us\n";
}

void measure(scheme_type scheme, const std::string& name, lesson::Checks& checks) {
  const bool is_ckks = scheme == scheme_type::ckks;
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(is_ckks ? CoeffModulus::Create(8192, {49, 40, 40, 49})
                                  : CoeffModulus::BFVDefault(8192));
  if (!is_ckks) parms.set_plain_modulus(PlainModulus::Batching(8192, 20));
  SEALContext context(parms);
  std::cout << name << ", N = 8192\n";

  KeyGenerator keygen(context);
  PublicKey public_key;
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
  keygen.create_public_key(public_key);
  keygen.create_relin_keys(relin_keys);
  keygen.create_galois_keys(std::vector<int>{1}, galois_keys);
  Encryptor encryptor(context, public_key);
  Evaluator evaluator(context);
  Decryptor decryptor(context, keygen.secret_key());

  Plaintext plain;
  if (is_ckks) {
    CKKSEncoder(context).encode(1.5, pow(2.0, 40), plain);
  } else {
    plain = "3";
  }
  Ciphertext a;
  Ciphertext sum;
  Ciphertext product;
  Ciphertext result;
  Ciphertext rotated;
  Plaintext decrypted;
  report("encrypt", [&] { encryptor.encrypt(plain, a); });
  report("add", [&] { evaluator.add(a, a, sum); });
  report("multiply", [&] { evaluator.multiply(a, a, product); });
  report("relinearize", [&] { evaluator.relinearize(product, relin_keys, result); });
  if (is_ckks) {
    report("rotate", [&] { evaluator.rotate_vector(a, 1, galois_keys, rotated); });
  } else {
    report("rotate", [&] { evaluator.rotate_rows(a, 1, galois_keys, rotated); });
  }
  report("decrypt", [&] { decryptor.decrypt(result, decrypted); });
  if (is_ckks) {
    std::vector<double> slots;
    CKKSEncoder(context).decode(decrypted, slots);
    checks.expect(std::abs(slots[0] - 2.25) < 1e-4, "the product");
  } else {
    checks.expect(decrypted.to_string() == "9", "the product");
  }
}

void run(lesson::Checks& checks) {
  measure(scheme_type::bfv, "BFV", checks);
  measure(scheme_type::bgv, "BGV", checks);
  measure(scheme_type::ckks, "CKKS", checks);
  std::cout << "memory pool: " << (MemoryManager::GetPool().alloc_byte_count() >> 20) << " MB\n";
}

}  // namespace

int main() { return lesson::run(run); }
