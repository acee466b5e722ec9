// SPDX-License-Identifier: Apache-2.0
#include "rlwe/scheme_traits.hpp"

namespace ringlet::rlwe {

SchemeTraits traits_of(SchemeType scheme) noexcept {
  switch (scheme) {
    case SchemeType::bfv:
      return {.is_implemented = true,
              .ciphertext_form = Form::coefficient,
              .plaintext_form = Form::coefficient,
              .has_plain_modulus = true,
              .multiplies_over_larger_modulus = true};
    case SchemeType::ckks:
      return {.is_implemented = true, .has_scale = true};
    case SchemeType::bgv:
      return {.is_implemented = true,
              .plaintext_form = Form::coefficient,
              .has_plain_modulus = true,
              .noise_is_multiple_of_t = true};
    case SchemeType::none:
      break;
  }
  return {};
}

}  // namespace ringlet::rlwe
