// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ringlet.hpp"
#include "support/test.hpp"
#include "support/values.hpp"
#include "unit/rlwe/rlwe_support.hpp"

namespace ringlet::test {

using Complex = std::complex<double>;
using Slots = std::vector<Complex>;

/// `count` complex numbers with parts in [-1, 1).
inline Slots random_slots(std::size_t count, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> distribution(-1.0, 1.0);
  Slots slots(count);
  for (auto& slot : slots) slot = {distribution(rng), distribution(rng)};
  return slots;
}

/// A context of CKKS with all keys and all services.
struct Ckks {
  explicit Ckks(const Context& with)
      : context(with),
        keygen(context, RandomSource::for_testing(seed_of(context))),
        relin_keys(keygen.create_relin_keys()),
        galois_keys(keygen.create_galois_keys()),
        encoder(context),
        encryptor(context, keygen.create_public_key(), keygen.secret_key(),
                  RandomSource::for_testing(seed_of(context) + 1)),
        decryptor(context, keygen.secret_key()),
        evaluator(context) {}
  /// Without a security check.
  Ckks(std::size_t degree, const std::vector<int>& bit_sizes)
      : Ckks(toy_context(degree, bit_sizes)) {}

  // In tiny rings the randomness of public-key encryption is zero, or twice the same, too often:
  // then results are transparent. There it is always that of one good seed.
  static std::uint64_t seed_of(const Context& context) {
    return context.ring().degree() <= 8 ? 1 : test_seed();
  }

  Plaintext encode(const Slots& slots, double scale) const {
    return encode(slots, scale, context.first_parms_id());
  }
  Plaintext encode(const Slots& slots, double scale, const ParmsId& parms_id) const {
    Plaintext plain;
    encoder.encode(slots, parms_id, scale, plain);
    return plain;
  }
  Ciphertext encrypt(const Slots& slots, double scale) const {
    return encryptor.encrypt(encode(slots, scale));
  }
  Slots decrypt(const Ciphertext& encrypted) const {
    Slots slots;
    encoder.decode(decryptor.decrypt(encrypted), slots);
    return slots;
  }
  const ContextData& level(const Ciphertext& encrypted) const {
    return *context.get_context_data(encrypted.parms_id());
  }

  Context context;
  KeyGenerator keygen;
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
  CKKSEncoder encoder;
  Encryptor encryptor;
  Decryptor decryptor;
  Evaluator evaluator;
};

/// Bounds of the noise in a slot, before division by the scale. A polynomial whose coefficients
/// have variance v has, at a root, variance N*v; a complex normal number is above six times its
/// deviation with a chance of exp(-36). The secret has N*2/3 nonzero coefficients.
class NoiseBound {
 public:
  explicit NoiseBound(const Context& context)
      : context_(context), degree_(static_cast<double>(context.ring().degree())) {}

  /// Rounding of all coefficients to integers, as in encoding.
  double encoding() const { return 6 * std::sqrt(degree_ / 12); }
  /// Rounding of both polynomials of a ciphertext of size 2 after a division.
  double rounding() const { return 6 * std::sqrt(degree_ / 12 * (1 + degree_ * 2 / 3)); }
  /// A fresh public-key encryption whose first noise was divided by the special prime (which is
  /// above 2^30 in these tests, so that little more than the rounding is left), and its encoding.
  double fresh() const { return 1.1 * rounding() + encoding(); }
  /// A key switch: digits of mean 0 and variance q^2/12, times errors, divided by the special
  /// prime.
  double key_switch(const ContextData& level) const {
    const auto special = static_cast<double>(context_.parms().coeff_modulus().back().value());
    const double error = 6 * 3.25 * std::sqrt(degree_);
    double sum = rounding();
    for (const Modulus& q : level.coeff_modulus()) {
      const double digit = 6 * std::sqrt(degree_ / 12);
      sum += static_cast<double>(q.value()) / special * digit * error;
    }
    return sum;
  }

 private:
  Context context_;
  double degree_;
};

/// Every slot of `actual` is within `bound` of the one of `expected`, and the largest error is
/// within a factor 2^16 of it: a bound that says nothing fails as well.
inline void expect_close(const Slots& actual, const Slots& expected, double bound) {
  ASSERT_EQ(actual.size(), expected.size());
  double error = 0;
  for (std::size_t j = 0; j < actual.size(); ++j) {
    ASSERT_LE(std::abs(actual[j] - expected[j]), bound) << "slot " << j;
    error = std::max(error, std::abs(actual[j] - expected[j]));
  }
  EXPECT_GE(error, bound * 0x1p-16);
}

/// Everything that an operation must not change when it fails.
struct Snapshot {
  explicit Snapshot(const Ciphertext& c)
      : words(words_of(c)),
        parms_id(c.parms_id()),
        scale(std::bit_cast<std::uint64_t>(c.scale())),
        correction_factor(c.correction_factor()),
        size(c.size()),
        is_ntt_form(c.is_ntt_form()) {}
  explicit Snapshot(const Plaintext& p)
      : words(p.is_ntt_form()
                  ? words_of(p.ntt_view())
                  : std::vector<std::uint64_t>(p.coefficients().begin(), p.coefficients().end())),
        parms_id(p.parms_id()),
        scale(std::bit_cast<std::uint64_t>(p.scale())),
        is_ntt_form(p.is_ntt_form()) {}
  friend bool operator==(const Snapshot&, const Snapshot&) = default;

  std::vector<std::uint64_t> words;
  ParmsId parms_id;
  std::uint64_t scale;
  std::uint64_t correction_factor = 1;
  std::size_t size = 1;
  bool is_ntt_form;
};

}  // namespace ringlet::test
