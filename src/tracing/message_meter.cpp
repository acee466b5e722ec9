// SPDX-License-Identifier: Apache-2.0
#include "tracing/message_meter.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ringlet/arith/modular.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet::circuits {
namespace {

/// Absolute values of integers that are given by residues modulo the primes of a level, centred
/// modulo their product: by mixed-radix digits, exactly up to the rounding of the last sum. Garner,
/// "The residue number system", 1959.
class CentredSize {
 public:
  explicit CentredSize(std::span<const Modulus> primes)
      : primes_(primes), digits_(primes.size()), inverses_(primes.size()) {
    for (std::size_t i = 0; i < primes.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        inverses_[i].push_back(inverse_mod(primes[i].reduce(primes[j].value()), primes[i]));
      }
    }
  }

  long double operator()(std::span<const std::uint64_t> residues) {
    std::ranges::copy(residues, digits_.begin());
    const long double value = size_of_digits();
    for (std::size_t i = 0; i < primes_.size(); ++i) {
      digits_[i] = negate_mod(residues[i], primes_[i].value());
    }
    return std::min(value, size_of_digits());
  }

 private:
  // Residues become digits: x = d_0 + q_0*(d_1 + q_1*(d_2 + ...)).
  long double size_of_digits() {
    for (std::size_t i = 1; i < primes_.size(); ++i) {
      const Modulus& q = primes_[i];
      for (std::size_t j = 0; j < i; ++j) {
        const std::uint64_t rest = sub_mod(digits_[i], q.reduce(digits_[j]), q.value());
        digits_[i] = q.multiply(rest, inverses_[i][j]);
      }
    }
    long double value = 0;
    for (std::size_t i = primes_.size(); i-- > 0;) {
      value = value * static_cast<long double>(primes_[i].value()) +
              static_cast<long double>(digits_[i]);
    }
    return value;
  }

  std::span<const Modulus> primes_;
  SecretVector<std::uint64_t> digits_;
  std::vector<std::vector<std::uint64_t>> inverses_;
};

// Returns c_0 + c_1*s + ... in NTT form, by Horner's rule in s.
NttPoly phase_values(const Context& context, const ContextData& level, const SecretKey& secret_key,
                     const Ciphertext& encrypted) {
  const Backend& backend = context.backend();
  const ConstNttView secret = secret_key.view().part(0, level.prime_count());
  const auto polynomial = [&](Secrecy secrecy) {
    return NttPoly(backend, level.prime_count(), secrecy, Contents::unspecified);
  };
  NttPoly sum = polynomial(Secrecy::secret);
  NttPoly transformed = polynomial(Secrecy::open);
  const auto values = [&](std::size_t k) {
    if (encrypted.is_ntt_form()) return encrypted.ntt_view(k);
    backend.forward_ntt(transformed.view_for_writing(), encrypted.coeff_view(k), level.primes());
    return std::as_const(transformed).view();
  };
  backend.copy(sum.view_for_writing(), values(encrypted.size() - 1));
  for (std::size_t k = encrypted.size() - 1; k-- > 0;) {
    backend.multiply_add(sum.view_for_writing(), std::as_const(sum).view(), secret, values(k),
                         level.primes());
  }
  return sum;
}

long double log2_of_modulus(const ContextData& level) {
  long double bits = 0;
  for (const Modulus& q : level.coeff_modulus()) {
    bits += std::log2(static_cast<long double>(q.value()));
  }
  return bits;
}

}  // namespace

MessageMeter::MessageMeter(const Context& context, const SecretKey& secret_key)
    : context_(context.on_host()), secret_key_(secret_key), decryptor_(context_, secret_key) {
  if (rlwe::traits_of(context_.scheme()).has_scale) {
    ckks_encoder_.emplace(context_);
  } else {
    batch_encoder_.emplace(context_);
  }
}

double MessageMeter::largest_noise(const ContextData& level, const Ciphertext& encrypted) const {
  const NttPoly phase = phase_values(context_, level, secret_key_, encrypted);
  CoeffPoly noise(context_.backend(), level.prime_count(), Secrecy::secret, Contents::unspecified);
  context_.backend().inverse_ntt(noise.view_for_writing(), phase.view(), level.primes());

  // The noise of BGV is the phase itself. That of BFV is t times the phase: t times the message, a
  // multiple of q/t, vanishes modulo q.
  const bool is_bgv = rlwe::traits_of(context_.scheme()).noise_is_multiple_of_t;
  const std::uint64_t factor = is_bgv ? 1 : context_.plain_modulus().value();
  CentredSize centred_size(level.coeff_modulus());
  SecretVector<std::uint64_t> residues(level.prime_count());
  const ConstCoeffView view = std::as_const(noise).view();
  long double largest = 0;
  for (std::size_t n = 0; n < level.degree(); ++n) {
    for (std::size_t i = 0; i < residues.size(); ++i) {
      const Modulus& q = level.coeff_modulus()[i];
      residues[i] = q.multiply(view.limb(i)[n], q.reduce(factor));
    }
    largest = std::max(largest, centred_size(residues));
  }
  return static_cast<double>(std::log2(largest));
}

MessageReading MessageMeter::operator()(const Ciphertext& encrypted,
                                        const ClearMessage& expected) const {
  const Plaintext plain = decryptor_.decrypt(encrypted);
  if (ckks_encoder_) {
    ClearMessage::Numbers decoded(ckks_encoder_->slot_count());
    ckks_encoder_->decode(plain, std::span<std::complex<double>>(decoded));
    double largest = 0;
    for (std::size_t i = 0; i < decoded.size(); ++i) {
      const double error = std::abs(decoded[i] - expected.numbers()[i]);
      // NaN: doubles do not hold the message in the clear.
      largest = std::isnan(error) ? HUGE_VAL : std::max(largest, error);
    }
    return {.noise_bits = std::log2(largest), .budget_bits = {}};
  }
  ClearMessage::Residues decoded(batch_encoder_->slot_count());
  batch_encoder_->decode(plain, std::span<std::uint64_t>(decoded));
  const ContextData& level = *context_.get_context_data(encrypted.parms_id());
  const double noise_bits = largest_noise(level, encrypted);
  return {.noise_bits = noise_bits,
          .budget_bits = static_cast<double>(log2_of_modulus(level) - 1) - noise_bits,
          .is_message = std::ranges::equal(decoded, expected.residues())};
}

}  // namespace ringlet::circuits
