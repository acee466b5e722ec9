// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet::rlwe {

/// The facts of a scheme on which keys, encryptions of zero and checks depend. The code that
/// differs between schemes is behind SchemeOperations, in the layer above.
struct SchemeTraits {
  bool is_implemented = false;
  Form ciphertext_form = Form::ntt;     ///< The form in which ciphertexts are computed on.
  Form plaintext_form = Form::ntt;      ///< Coefficients modulo t, or NTT form at a level.
  bool has_plain_modulus = false;       ///< Messages are polynomials modulo t.
  bool has_scale = false;               ///< Messages carry a scale.
  bool noise_is_multiple_of_t = false;  ///< Noise is t*e, and messages sit in the low digits.
  bool multiplies_over_larger_modulus = false;  ///< Products need auxiliary primes.
};

SchemeTraits traits_of(SchemeType scheme) noexcept;
/// @throws InvalidArgument unless the library has the scheme.
SchemeTraits checked_traits(SchemeType scheme, const char* remedy = "name the scheme");

}  // namespace ringlet::rlwe
