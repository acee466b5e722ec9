// SPDX-License-Identifier: Apache-2.0
//
// Lesson 8: what operations cost.
//
// Median times of the main operations on one core, for the default parameters of a degree, and the
// kernels that run them. `ringlet tune` measures which kernels are best on a machine; lesson 3
// shows that lower levels are faster.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

using ringlet::Ciphertext;
using ringlet::SchemeType;

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
  std::printf("  %-28s %10.0f us\n", name, times[kRounds / 2]);
}

ringlet::Plaintext message(const ringlet::Context& context) {
  ringlet::Plaintext plain;
  if (context.scheme() == SchemeType::ckks) {
    const ringlet::CKKSEncoder encoder(context);
    encoder.encode(std::vector<double>(encoder.slot_count(), 1.5), std::pow(2.0, 40), plain);
  } else {
    const ringlet::BatchEncoder encoder(context);
    encoder.encode(std::vector<std::uint64_t>(encoder.slot_count(), 3), plain);
  }
  return plain;
}

// True if slot 0 is `expected`.
bool is_right(const ringlet::Context& context, const ringlet::Plaintext& plain, double expected) {
  if (context.scheme() == SchemeType::ckks) {
    std::vector<double> slots;
    ringlet::CKKSEncoder(context).decode(plain, slots);
    return std::abs(slots[0] - expected) < 1e-4;
  }
  std::vector<std::uint64_t> slots;
  ringlet::BatchEncoder(context).decode(plain, slots);
  return slots[0] == static_cast<std::uint64_t>(expected);
}

void measure(SchemeType scheme, std::size_t degree, lesson::Checks& checks) {
  const ringlet::Context context(ringlet::default_parameters(scheme, degree));
  const bool is_ckks = scheme == SchemeType::ckks;
  std::printf("%s, N = %zu, %zu data primes, %zu special, kernel %s\n", to_string(scheme), degree,
              context.parms().data_primes().size(), context.parms().special_primes().size(),
              context.backend().kernel_names().front().c_str());

  const ringlet::KeyGenerator keygen(context);
  const ringlet::RelinKeys relin_keys = keygen.create_relin_keys();
  const ringlet::GaloisKeys galois_keys = keygen.create_galois_keys(std::vector<int>{1});
  const ringlet::Encryptor encryptor(context, keygen.create_public_key());
  const ringlet::Evaluator evaluator(context);
  ringlet::Decryptor decryptor(context, keygen.secret_key());
  const ringlet::Plaintext plain = message(context);
  const Ciphertext a = encryptor.encrypt(plain);
  Ciphertext sum;
  Ciphertext product;
  Ciphertext relinearized;
  Ciphertext lower;
  Ciphertext rotated;

  report("encrypt", [&] { encryptor.encrypt(plain); });
  report("add", [&] { evaluator.add(a, a, sum); });
  report("multiply", [&] { evaluator.multiply(a, a, product); });
  report("relinearize", [&] { evaluator.relinearize(product, relin_keys, relinearized); });
  report(is_ckks ? "rescale" : "mod_switch", [&] {
    if (is_ckks) {
      evaluator.rescale_to_next(relinearized, lower);
    } else {
      evaluator.mod_switch_to_next(relinearized, lower);
    }
  });
  report("rotate", [&] {
    if (is_ckks) {
      evaluator.rotate_vector(a, 1, galois_keys, rotated);
    } else {
      evaluator.rotate_rows(a, 1, galois_keys, rotated);
    }
  });
  report("decrypt", [&] { decryptor.decrypt(lower); });
  const double expected = is_ckks ? 2.25 : 9;
  checks.expect(is_right(context, decryptor.decrypt(lower), expected), "the product");
}

void run(lesson::Checks& checks) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv, SchemeType::ckks}) {
    measure(scheme, 8192, checks);
  }
}

}  // namespace

int main() { return lesson::run(run); }
