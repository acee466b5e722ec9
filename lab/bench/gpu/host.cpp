// SPDX-License-Identifier: Apache-2.0
#include "gpu/host.hpp"

#include "gpu/device_words.hpp"

namespace ringlet::bench {
namespace {

constexpr std::size_t kMostPrimes = 32;
constexpr int kOuterBits = 60;
constexpr int kInnerBits = 40;

/// Makes a context with primes of 40 bits behind one of 60, and special primes of 60.
Context make_context(const char* operation, const SchemeShape& shape) {
  check_degree(operation, shape.degree);
  check_range(operation, "data_primes", shape.data_primes, 2, kMostPrimes);
  check_range(operation, "special_primes", shape.special_primes, 1, kMostPrimes);
  std::vector<int> bits(shape.data_primes, kInnerBits);
  bits.front() = kOuterBits;
  bits.insert(bits.end(), shape.special_primes, kOuterBits);
  std::vector<Modulus> data = CoeffModulus::create(shape.degree, bits);
  const auto first_special = data.begin() + static_cast<std::ptrdiff_t>(shape.data_primes);
  const std::vector<Modulus> special(first_special, data.end());
  data.erase(first_special, data.end());
  EncryptionParameters parms(SchemeType::ckks);
  parms.set_poly_modulus_degree(shape.degree);
  parms.set_coeff_modulus(data, special);
  return Context(parms, SecurityLevel::none);
}

}  // namespace

Host::Host(const char* operation, const SchemeShape& shape)
    : context(make_context(operation, shape)),
      keygen(context),
      encryptor(context, keygen.create_public_key()),
      decryptor(context, keygen.secret_key()),
      encoder(context) {}

std::vector<Ciphertext> Host::encrypt(std::size_t count, double scale) const {
  Plaintext plain;
  encoder.encode(std::vector<double>(encoder.slot_count(), kValue), scale, plain);
  std::vector<Ciphertext> result;
  while (result.size() < count) result.push_back(encryptor.encrypt(plain));
  return result;
}

bool are_same(const Ciphertext& a, const Ciphertext& b) {
  if (a.size() != b.size() || a.parms_id() != b.parms_id()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto x = a.view(k);
    const auto y = b.view(k);
    for (std::size_t i = 0; i < x.limb_count; ++i) {
      if (!std::ranges::equal(x.limb(i), y.limb(i))) return false;
    }
  }
  return true;
}

void report_difference(const char* operation, const std::string& what) {
  throw_runtime_error(
      {operation, what + " differs from the processor's result", "the same words",
       "the device computes wrong results: report it with the output of `ringlet info`"});
}

}  // namespace ringlet::bench
