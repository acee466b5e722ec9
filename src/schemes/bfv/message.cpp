// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfv/message.hpp"

#include <cstddef>
#include <span>

#include "ring/backend/scratch.hpp"
#include "ringlet/arith/modular.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/ring/backend.hpp"

namespace ringlet::bfv {

// Divides by t, word by word from the top; values are public.
MessageScaling::Quotient MessageScaling::divide_modulus(const ContextData& level, std::uint64_t t) {
  Quotient result{std::vector<std::uint64_t>(level.prime_count()), 0, 0};
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
  result.remainder_quotient = shoup_quotient(result.remainder, t);
  return result;
}

// Messages are encrypted at the key level as well, where there is one above the data levels.
MessageScaling::MessageScaling(const Context& context) : host_(context.on_host()) {
  quotients_.resize(context.key_context_data()->prime_count());
  for (const ContextData* level = context.key_context_data(); level != nullptr;
       level = level->next_context_data()) {
    quotients_[level->prime_count() - 1] = divide_modulus(*level, context.plain_modulus().value());
  }
}

// q*m = floor(q/t)*t*m + r*m with r = q mod t. The second term gives
// floor((r*m + floor((t+1)/2)) / t), for m and r below t < 2^60.
CoeffPoly MessageScaling::scale(const ContextData& level, const Plaintext& plain) const {
  const std::uint64_t t = host_.plain_modulus().value();
  const auto message = plain.coefficients();
  const Quotient& quotient = quotients_[level.prime_count() - 1];
  const std::uint64_t half = (t + 1) / 2;
  const Scratch memory(*host_.backend().pool(), message.size());
  const std::span<std::uint64_t> rounded = memory.words();
  for (std::size_t n = 0; n < message.size(); ++n) {
    const std::uint64_t m = message[n];
    // The estimate is at most one too small, so that the rest is below 3t.
    const std::uint64_t estimate = mul_high(m, quotient.remainder_quotient);
    const std::uint64_t rest = m * quotient.remainder - estimate * t + half;
    rounded[n] = estimate + ((t - 1 - rest) >> 63) + ((2 * t - 1 - rest) >> 63);
  }
  CoeffPoly result(host_.backend(), level.prime_count(), Secrecy::secret, Contents::unspecified);
  host_.backend().combine_words(result.view_for_writing(), message, rounded, t, quotient.residues,
                                level.primes());
  return result;
}

}  // namespace ringlet::bfv
