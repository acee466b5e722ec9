// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfv/message.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ringlet/aligned.hpp"
#include "ringlet/modular.hpp"
#include "ringlet/modulus.hpp"

namespace ringlet::bfv {
namespace {

/// floor(q/t) modulo each prime, and q mod t.
struct Quotient {
  std::vector<std::uint64_t> residues;
  std::uint64_t remainder = 0;
};

// Long division by t, word by word from the top; public values.
Quotient divide_modulus(const ContextData& level, std::uint64_t t) {
  Quotient result{std::vector<std::uint64_t>(level.prime_count()), 0};
  const auto words = level.total_coeff_modulus();
  for (std::size_t i = words.size(); i-- > 0;) {
    const uint128_t part = (uint128_t{result.remainder} << 64) | words[i];
    const auto digit = static_cast<std::uint64_t>(part / t);
    result.remainder = static_cast<std::uint64_t>(part % t);
    for (std::size_t j = 0; j < result.residues.size(); ++j) {
      const std::uint64_t q = level.coeff_modulus()[j].value();
      result.residues[j] =
          static_cast<std::uint64_t>(((uint128_t{result.residues[j]} << 64) | digit) % q);
    }
  }
  return result;
}

// floor((r*m + floor((t+1)/2)) / t) for m and r below t < 2^60.
SecretVector<std::uint64_t> round_products(std::span<const std::uint64_t> message, std::uint64_t r,
                                           std::uint64_t t) {
  const std::uint64_t quotient_of_r = shoup_quotient(r, t);
  const std::uint64_t half = (t + 1) / 2;
  SecretVector<std::uint64_t> result(message.size());
  for (std::size_t n = 0; n < message.size(); ++n) {
    const std::uint64_t m = message[n];
    const std::uint64_t estimate = mul_high(m, quotient_of_r);  // at most one too small
    const std::uint64_t rest = m * r - estimate * t + half;     // below 3t
    result[n] = estimate + ((t - 1 - rest) >> 63) + ((2 * t - 1 - rest) >> 63);
  }
  return result;
}

}  // namespace

// q*m = floor(q/t)*t*m + (q mod t)*m.
CoeffPoly scale_message(const Context& context, const ContextData& level, const Plaintext& plain) {
  const std::uint64_t t = context.plain_modulus().value();
  const auto message = plain.coefficients();
  const Quotient quotient = divide_modulus(level, t);
  const auto rounded = round_products(message, quotient.remainder, t);
  CoeffPoly result(level.prime_count(), level.degree(), Secrecy::secret);
  for (std::size_t i = 0; i < level.prime_count(); ++i) {
    const Modulus& q = level.coeff_modulus()[i];
    const auto limb = result.view_for_writing().limb(i);
    for (std::size_t n = 0; n < message.size(); ++n) {
      limb[n] = add_mod(q.multiply(q.reduce(message[n]), quotient.residues[i]),
                        q.reduce(rounded[n]), q.value());
    }
  }
  return result;
}

}  // namespace ringlet::bfv
