// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/fv/fv.hpp"
#include "support/reference/flint_integer_poly.hpp"
#include "support/values.hpp"

// FV in the open: keys and ciphertexts as polynomials of FLINT, modulo the Phi_m and the q that
// FLINT and GMP compute.

namespace ringlet::test {

/// a / b, a half rounded up.
inline Integer rounded_quotient(const Integer& a, const Integer& b) {
  return (a + a + b) / (b + b);
}

/// Arithmetic in Z[X]/Phi_m; functions say what they reduce modulo q.
class OpenFv {
 public:
  explicit OpenFv(const fv::Context& context)
      : q_(to_integer(context.parameters().modulus.value())),
        t_(context.parameters().plain_modulus),
        degree_(context.parameters().ring.degree()),
        index_(static_cast<slong>(context.parameters().ring.cyclotomic_index())) {
    fmpz_poly_cyclotomic(phi_.get(), static_cast<ulong>(index_));
  }

  /// a + b * c modulo (Phi_m, q), centred.
  FlintIntegerPoly multiply_add(const FlintIntegerPoly& a, const FlintIntegerPoly& b,
                                const FlintIntegerPoly& c) const {
    FlintIntegerPoly result;
    fmpz_poly_mul(result.get(), b.get(), c.get());
    // X^m = 1 modulo Phi_m, which leaves FLINT little to divide.
    FlintIntegerPoly high;
    fmpz_poly_shift_right(high.get(), result.get(), index_);
    fmpz_poly_truncate(result.get(), index_);
    fmpz_poly_add(result.get(), result.get(), high.get());
    fmpz_poly_rem(result.get(), result.get(), phi_.get());
    fmpz_poly_add(result.get(), result.get(), a.get());
    reduce(result);
    return result;
  }

  /// C_1 + C_2 * S, centred.
  FlintIntegerPoly phase(const fv::Ciphertext& encrypted, const fv::SecretKey& key) const {
    return multiply_add(FlintIntegerPoly(encrypted[0]), FlintIntegerPoly(encrypted[1]),
                        FlintIntegerPoly(key.coefficients()));
  }

  /// The phase less round(q * m / t), centred.
  FlintIntegerPoly noise(FlintIntegerPoly phase, std::span<const std::uint64_t> message) const {
    FlintIntegerPoly scaled;
    for (std::size_t i = 0; i < message.size(); ++i) scaled.set(i, rounded(message[i]));
    fmpz_poly_sub(phase.get(), phase.get(), scaled.get());
    reduce(phase);
    return phase;
  }

  /// round(t * phase / q) modulo t.
  fv::Message decrypt(const FlintIntegerPoly& phase) const {
    fv::Message message(degree_);
    for (std::size_t i = 0; i < degree_; ++i) {
      message[i] = rounded_quotient(phase[i] * Integer(t_), q_).residue(t_);
    }
    return message;
  }

  /// round(q * m / t).
  Integer rounded(std::uint64_t m) const { return rounded_quotient(q_ * Integer(m), Integer(t_)); }

  /// log2 of the largest absolute value.
  static double log2_norm(const FlintIntegerPoly& poly) {
    fmpz_t norm;
    fmpz_init(norm);
    fmpz_poly_height(norm, poly.get());
    slong exponent = 0;
    const double mantissa = fmpz_get_d_2exp(&exponent, norm);
    fmpz_clear(norm);
    return mantissa == 0 ? -1 : std::log2(mantissa) + static_cast<double>(exponent);
  }

 private:
  void reduce(FlintIntegerPoly& poly) const {
    fmpz_t q;
    fmpz_init(q);
    fmpz_set_mpz(q, q_.get());
    fmpz_poly_scalar_smod_fmpz(poly.get(), poly.get(), q);
    fmpz_clear(q);
  }

  Integer q_;
  std::uint64_t t_;
  std::size_t degree_;
  slong index_;
  FlintIntegerPoly phi_;
};

inline fv::Parameters fv_parameters(std::uint64_t index, const WideModulus& q, std::uint64_t t,
                                    fv::SecretDistribution secrets) {
  return {.ring = RingSpec::cyclotomic(index),
          .modulus = q,
          .plain_modulus = t,
          .secrets = secrets,
          .way = ProductWay::automatic};
}

/// A context without a promise of security, by the library's largest prime of `bits` bits.
inline fv::Context toy_fv(std::uint64_t index, int bits, std::uint64_t t = 2,
                          fv::SecretDistribution secrets = fv::SecretDistribution::ternary) {
  return fv::Context(fv_parameters(index, WideModulus::largest_prime(bits), t, secrets),
                     SecurityLevel::none);
}

/// Keys and services of a context.
struct FvBench {
  explicit FvBench(const fv::Context& with, const RandomSource& random = {})
      : context(with),
        degree(context.parameters().ring.degree()),
        keys(context, random),
        public_key(keys.create_public_key()),
        encryptor(context, public_key, random),
        decryptor(context, keys.secret_key()) {}

  fv::Context context;
  std::size_t degree;
  fv::KeyGenerator keys;
  fv::PublicKey public_key;
  fv::Encryptor encryptor;
  fv::Decryptor decryptor;
};

inline fv::Message random_message(const fv::Context& context, std::mt19937_64& rng) {
  const auto values =
      random_values(context.parameters().ring.degree(), context.parameters().plain_modulus, rng);
  return {values.begin(), values.end()};
}

inline std::string describe(const fv::Parameters& parameters) {
  return "m = " + std::to_string(parameters.ring.cyclotomic_index()) +
         ", q = " + parameters.modulus.to_string() +
         ", t = " + std::to_string(parameters.plain_modulus) +
         (parameters.secrets == fv::SecretDistribution::binary ? ", binary" : ", ternary");
}

}  // namespace ringlet::test
