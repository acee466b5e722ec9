// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ringlet.hpp"
#include "support/cyclotomic_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// BFV and BGV over Z[X]/Phi_m, against FLINT modulo (Phi_m, t).

namespace ringlet::test {

/// A scheme over a ring with its plain modulus. No bit sizes: the default set of 128 bits.
struct GeneralRing {
  SchemeType scheme;
  std::uint64_t m;
  std::uint64_t t;
  std::vector<int> data;
  std::vector<int> special;
  std::size_t digit_size = 0;
};

inline std::string name_of(const GeneralRing& ring) {
  return std::string(to_string(ring.scheme)) + "_" + std::to_string(ring.m) + "_" +
         std::to_string(ring.t);
}
inline void PrintTo(const GeneralRing& ring, std::ostream* stream) { *stream << name_of(ring); }

inline EncryptionParameters parameters_of(const GeneralRing& with) {
  const RingSpec ring = RingSpec::cyclotomic(with.m);
  if (with.data.empty()) return default_parameters(with.scheme, ring, with.t);
  std::vector<int> sizes = with.data;
  sizes.insert(sizes.end(), with.special.begin(), with.special.end());
  const std::vector<Modulus> primes = CoeffModulus::create(ring, sizes);
  const auto special = primes.begin() + static_cast<std::ptrdiff_t>(with.data.size());
  EncryptionParameters parms(with.scheme);
  parms.set_ring(ring);
  parms.set_coeff_modulus({primes.begin(), special}, {special, primes.end()});
  parms.set_digit_size(with.digit_size);
  parms.set_plain_modulus(with.t);
  return parms;
}

inline Context context_of(const GeneralRing& with) {
  return Context(parameters_of(with),
                 with.data.empty() ? SecurityLevel::tc128 : SecurityLevel::none);
}

/// A context with keys and services, and FLINT's ring of its messages.
struct GeneralBench {
  using Words = std::vector<std::uint64_t>;

  explicit GeneralBench(const GeneralRing& with)
      : context(context_of(with)),
        flint(with.m, with.t),
        t(with.t),
        keygen(context, RandomSource::for_testing(test_seed())),
        relin_keys(keygen.create_relin_keys()),
        encryptor(context, keygen.create_public_key(), keygen.secret_key(),
                  RandomSource::for_testing(test_seed() + 1)),
        decryptor(context, keygen.secret_key()),
        evaluator(context) {}

  std::size_t degree() const { return context.ring().degree(); }
  Words random_message(std::mt19937_64& rng) const {
    Words words = random_residues(degree(), t, rng);
    for (std::uint64_t& word : words) word = rng() % 8 == 0 ? t - 1 : word;
    words.back() = 1;  // of full degree
    return words;
  }
  Plaintext plain(const Words& words) const {
    Plaintext result(words.size());
    std::ranges::copy(words, result.coefficients_for_writing().begin());
    return result;
  }
  // In tiny rings the randomness u of public-key encryption is zero too often.
  Ciphertext encrypt(const Words& words) const {
    return degree() <= 8 ? encryptor.encrypt_symmetric(plain(words))
                         : encryptor.encrypt(plain(words));
  }
  Words decrypt(const Ciphertext& encrypted) const {
    const Plaintext result = decryptor.decrypt(encrypted);
    Words words(degree());
    std::ranges::copy(result.coefficients(), words.begin());
    return words;
  }
  /// What a member function of Evaluator writes to its destination.
  template <typename... Parameters, typename... Operands>
  Ciphertext apply(void (Evaluator::*function)(Parameters...) const,
                   const Operands&... operands) const {
    Ciphertext result;
    (evaluator.*function)(operands..., result);
    return result;
  }
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const {
    Ciphertext result = apply(&Evaluator::multiply, a, b);
    evaluator.relinearize_inplace(result, relin_keys);
    return result;
  }
  Words sum(const Words& a, const Words& b) const {
    Words result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = (a[i] + b[i]) % t;
    return result;
  }
  Words difference(const Words& a, const Words& b) const {
    Words result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = (a[i] + (t - b[i])) % t;
    return result;
  }

  Context context;
  FlintRing flint;
  std::uint64_t t;
  KeyGenerator keygen;
  RelinKeys relin_keys;
  Encryptor encryptor;
  Decryptor decryptor;
  Evaluator evaluator;
};

}  // namespace ringlet::test
