// SPDX-License-Identifier: Apache-2.0
#include "seal/util/scalingvariant.h"

#include <string>

#include "native/access.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"
#include "seal/util/numth.h"
#include "seal/util/uintarithsmallmod.h"

namespace ringlet::seal4_util {
namespace {

using ContextData = SEALContext::ContextData;
using Combine = std::uint64_t (*)(std::uint64_t, std::uint64_t, const Modulus&) noexcept;

void check(const Plaintext& plain, const ContextData& level, const RNSIter& destination) {
  const std::size_t degree = level.parms().poly_modulus_degree();
  if (level.qualifiers().parameters_set() && !level.parms().plain_modulus().is_zero() &&
      plain.coeff_count() <= degree && destination && destination.poly_modulus_degree() == degree) {
    return;
  }
  throw_invalid_argument(
      {.operation = "multiply_add_plain_with_scaling_variant",
       .offending = std::to_string(plain.coeff_count()) +
                    " coefficients and a destination of degree " +
                    std::to_string(destination.poly_modulus_degree()),
       .limit = "a level of BFV or BGV, whose degree is " + std::to_string(degree),
       .remedy = "pass a plaintext and a polynomial of this level"});
}

// With h = floor((t + 1)/2) and r = (q*m + h) mod t, the result is (q*m + h - r)/t: modulo a prime
// of q, it is (h - r)/t, and no division of m is needed.
void combine_scaled(const Plaintext& plain, const ContextData& level, RNSIter destination,
                    Combine combine) {
  check(plain, level, destination);
  const Modulus& t = level.parms().plain_modulus();
  const std::uint64_t half = level.plain_upper_half_threshold();
  SecretVector<std::uint64_t> remainders(plain.coeff_count());
  const std::uint64_t* const message = seal4::detail::PlaintextAccess::words(plain);
  for (std::size_t c = 0; c < remainders.size(); ++c) {
    remainders[c] =
        multiply_add_uint_mod(message[c], level.coeff_modulus_mod_plain_modulus(), half, t);
  }
  for (const Modulus& prime : level.parms().coeff_modulus()) {
    std::uint64_t inverse = 0;
    // Never fails: the parameters are valid.
    static_cast<void>(try_invert_uint_mod(t.value(), prime, inverse));
    const std::uint64_t reduced_half = barrett_reduce_64(half, prime);
    CoeffIter words = *destination++;
    for (std::size_t c = 0; c < remainders.size(); ++c) {
      const std::uint64_t difference =
          sub_uint_mod(reduced_half, barrett_reduce_64(remainders[c], prime), prime);
      words[c] = combine(words[c], multiply_uint_mod(difference, inverse, prime), prime);
    }
  }
}

void combine_unscaled(const Plaintext& plain, const ContextData& level, RNSIter destination,
                      Combine combine) {
  check(plain, level, destination);
  const std::uint64_t* const message = seal4::detail::PlaintextAccess::words(plain);
  for (const Modulus& prime : level.parms().coeff_modulus()) {
    CoeffIter words = *destination++;
    for (std::size_t c = 0; c < plain.coeff_count(); ++c) {
      words[c] = combine(words[c], barrett_reduce_64(message[c], prime), prime);
    }
  }
}

}  // namespace

void multiply_add_plain_with_scaling_variant(const Plaintext& plain,
                                             const ContextData& context_data, RNSIter destination) {
  combine_scaled(plain, context_data, destination, add_uint_mod);
}

void multiply_sub_plain_with_scaling_variant(const Plaintext& plain,
                                             const ContextData& context_data, RNSIter destination) {
  combine_scaled(plain, context_data, destination, sub_uint_mod);
}

void add_plain_without_scaling_variant(const Plaintext& plain, const ContextData& context_data,
                                       RNSIter destination) {
  combine_unscaled(plain, context_data, destination, add_uint_mod);
}

void sub_plain_without_scaling_variant(const Plaintext& plain, const ContextData& context_data,
                                       RNSIter destination) {
  combine_unscaled(plain, context_data, destination, sub_uint_mod);
}

}  // namespace ringlet::seal4_util
