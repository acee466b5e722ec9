// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flint/fmpz.h>

#include "support/circuits/circuit_run.hpp"
#include "unit/rlwe/rlwe_support.hpp"

namespace ringlet::test {

/// The measured noise of a ciphertext of BFV or BGV: w as ExactNoise's Load defines it.
struct MeasuredNoise {
  long double norm = 0;     ///< in the canonical norm
  int bits = 0;             ///< of the largest coefficient
  long double squares = 0;  ///< the sum over all coefficients
  double largest = 0;       ///< that coefficient, rounded to a double
};

/// Centred integers from residues modulo the primes of a level, by FLINT.
class CentredIntegers {
 public:
  explicit CentredIntegers(const ContextData& level) {
    for (const Modulus& q : level.coeff_modulus()) primes_.push_back(q.value());
    fmpz_comb_init(comb_, primes_.data(), static_cast<slong>(primes_.size()));
    fmpz_comb_temp_init(temporary_, comb_);
    fmpz_init(value_);
  }
  CentredIntegers(const CentredIntegers&) = delete;
  CentredIntegers& operator=(const CentredIntegers&) = delete;
  ~CentredIntegers() {
    fmpz_clear(value_);
    fmpz_comb_temp_clear(temporary_);
    fmpz_comb_clear(comb_);
  }

  /// Returns the integer rounded to a double. Sets `bits` to the bits of its absolute value.
  double operator()(const std::vector<mp_limb_t>& residues, int& bits) {
    fmpz_multi_CRT_ui(value_, residues.data(), comb_, temporary_, 1);
    bits = static_cast<int>(fmpz_bits(value_));
    return fmpz_get_d(value_);
  }

 private:
  std::vector<mp_limb_t> primes_;
  fmpz_comb_t comb_;
  fmpz_comb_temp_t temporary_;
  fmpz_t value_;
};

inline MeasuredNoise measure_noise(const Context& context, const SecretKey& secret,
                                   const Ciphertext& encrypted) {
  const ContextData& level = *context.get_context_data(encrypted.parms_id());
  Ciphertext values = encrypted;
  if (!values.is_ntt_form()) Evaluator(context).transform_to_ntt_inplace(values);
  const NttPoly sum = phase(context, secret, values);
  CoeffPoly residues(level.prime_count(), level.degree());
  context.backend().inverse_ntt(residues.view_for_writing(), sum.view(), level.primes());

  const std::uint64_t factor =
      context.scheme() == SchemeType::bfv ? context.plain_modulus().value() : 1;
  CentredIntegers centred(level);
  MeasuredNoise noise;
  std::vector<double> coefficients;
  std::vector<mp_limb_t> column(level.prime_count());
  for (std::size_t n = 0; n < level.degree(); ++n) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      const Modulus& q = level.coeff_modulus()[i];
      column[i] = q.multiply(residues.view().limb(i)[n], q.reduce(factor));
    }
    int bits = 0;
    coefficients.push_back(centred(column, bits));
    noise.bits = std::max(noise.bits, bits);
    const auto coefficient = static_cast<long double>(coefficients.back());
    noise.squares += coefficient * coefficient;
    noise.largest = std::max(noise.largest, std::abs(coefficients.back()));
  }
  noise.norm = canonical_norm(coefficients);
  return noise;
}

inline MeasuredNoise measure_noise(const CircuitBench& bench, const Ciphertext& encrypted) {
  return measure_noise(bench.context, bench.keygen.secret_key(), encrypted);
}

}  // namespace ringlet::test
