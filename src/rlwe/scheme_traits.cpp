// SPDX-License-Identifier: Apache-2.0
#include "rlwe/scheme_traits.hpp"

#include "base/refuse.hpp"
#include "base/text.hpp"

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

SchemeTraits checked_traits(SchemeType scheme, const char* remedy) {
  const SchemeTraits traits = traits_of(scheme);
  if (traits.is_implemented) return traits;
  refuse(concat("scheme = ", to_string(scheme)), "bfv, ckks or bgv", remedy);
}

}  // namespace ringlet::rlwe
