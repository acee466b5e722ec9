// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ringlet.hpp"
#include "support/slots.hpp"
#include "unit/rlwe/rlwe_support.hpp"

namespace ringlet::test {

/// A context with keys if it has any, and services.
struct Services {
  template <typename... Where>
  Services(const Context& with, std::uint64_t seed, const Where&... where)
      : context(with),
        keygen(context, RandomSource::for_testing(seed)),
        encryptor(context, keygen.create_public_key(), keygen.secret_key(),
                  RandomSource::for_testing(seed + 1)),
        decryptor(context, keygen.secret_key()),
        evaluator(context, where...) {
    if (!context.using_keyswitching()) return;
    relin_keys = keygen.create_relin_keys();
    if (context.ring().kind() == RingKind::cyclotomic) return;
    galois_keys = keygen.create_galois_keys();
  }

  std::size_t degree() const { return context.ring().degree(); }
  const ContextData& level(const Ciphertext& encrypted) const {
    return *context.get_context_data(encrypted.parms_id());
  }
  std::vector<const ContextData*> levels() const { return levels_of(context); }

  Context context;
  KeyGenerator keygen;
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
  Encryptor encryptor;
  Decryptor decryptor;
  Evaluator evaluator;
};

/// CKKS with all services.
struct Ckks : Services {
  explicit Ckks(const Context& with) : Services(with, seed_of(with)), encoder(context) {}
  /// Checks no security.
  Ckks(std::size_t degree, const std::vector<int>& bit_sizes)
      : Ckks(toy_context(degree, bit_sizes)) {}

  // In tiny rings the randomness of public-key encryption is too often zero, or the same twice,
  // which makes results transparent. Tiny rings therefore take the randomness of one good seed.
  static std::uint64_t seed_of(const Context& context) {
    return context.ring().degree() <= 8 ? 1 : test_seed();
  }

  Slots random_slots(std::mt19937_64& rng) const {
    return test::random_slots(encoder.slot_count(), rng);
  }
  Ciphertext encrypt_random(double scale, std::mt19937_64& rng) const {
    return encrypt(random_slots(rng), scale);
  }
  std::vector<Ciphertext> encrypt_random(std::size_t count, double scale,
                                         std::mt19937_64& rng) const {
    std::vector<Ciphertext> result;
    while (result.size() < count) result.push_back(encrypt_random(scale, rng));
    return result;
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

  CKKSEncoder encoder;
};

/// Bounds of the noise in a slot, before division by the scale. A polynomial whose coefficients
/// have variance v has, at a root, variance N*v; a complex normal number is above six times its
/// deviation with a chance of exp(-36). The secret has N*2/3 nonzero coefficients.
class NoiseBound {
 public:
  explicit NoiseBound(const Context& context)
      : context_(context), degree_(static_cast<double>(context.ring().degree())) {}

  /// The error of rounding all coefficients to integers, as in encoding.
  double encoding() const { return 6 * std::sqrt(degree_ / 12); }
  /// The error of rounding both polynomials of a ciphertext of size 2 after a division.
  double rounding() const { return 6 * std::sqrt(degree_ / 12 * (1 + degree_ * 2 / 3)); }
  /// The noise of a fresh public-key encryption and its encoding. The special prime, above 2^30 in
  /// these tests, divides the first noise, which leaves little more than the rounding.
  double fresh() const { return 1.1 * rounding() + encoding(); }
  /// The noise of a key switch: digits of mean 0 and variance q^2/12, times errors, divided by the
  /// special prime.
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

/// Every slot of `actual` is within `bound` of that of `expected`. The largest error is also within
/// a factor 2^16 of the bound: a bound that is far too large fails.
inline void expect_close(const Slots& actual, const Slots& expected, double bound) {
  const double error = largest_difference(actual, expected);
  EXPECT_LE(error, bound);
  EXPECT_GE(error, bound * 0x1p-16);
}

/// The noise of a product of two slots of magnitude up to sqrt(2) with noise up to `noise` each.
inline double product_noise(double noise, double scale) {
  return 2 * std::sqrt(2.0) * noise * scale + noise * noise;
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
      : words(p.is_ntt_form() ? words_of(p.ntt_view())
                              : Words(p.coefficients().begin(), p.coefficients().end())),
        parms_id(p.parms_id()),
        scale(std::bit_cast<std::uint64_t>(p.scale())),
        is_ntt_form(p.is_ntt_form()) {}
  friend bool operator==(const Snapshot&, const Snapshot&) = default;
  static std::vector<Snapshot> of(std::span<const Ciphertext> ciphertexts) {
    return {ciphertexts.begin(), ciphertexts.end()};
  }
  static std::vector<Snapshot> of(const CiphertextMatrix& matrix) { return of(matrix.entries()); }

  Words words;
  ParmsId parms_id;
  std::uint64_t scale;
  std::uint64_t correction_factor = 1;
  std::size_t size = 1;
  bool is_ntt_form;
};

}  // namespace ringlet::test
