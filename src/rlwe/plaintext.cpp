// SPDX-License-Identifier: Apache-2.0
#include "ringlet/plaintext.hpp"

#include "rlwe/checks.hpp"

namespace ringlet {

Plaintext::Plaintext(const ContextData& level, Form form)
    : storage_({1, level.prime_count(), level.degree()}, Secrecy::secret),
      parms_id_(level.parms_id()),
      form_(form) {}

ConstNttView Plaintext::ntt_view() const {
  rlwe::check_form(form_, Form::ntt, !empty(), "Plaintext::ntt_view");
  return storage_.host<Form::ntt>(0);
}

NttView Plaintext::ntt_view_for_writing() {
  rlwe::check_form(form_, Form::ntt, !empty(), "Plaintext::ntt_view_for_writing");
  return storage_.host_for_writing<Form::ntt>(0);
}

ConstCoeffView Plaintext::coeff_view() const {
  rlwe::check_form(form_, Form::coefficient, !empty(), "Plaintext::coeff_view");
  return storage_.host<Form::coefficient>(0);
}

CoeffView Plaintext::coeff_view_for_writing() {
  rlwe::check_form(form_, Form::coefficient, !empty(), "Plaintext::coeff_view_for_writing");
  return storage_.host_for_writing<Form::coefficient>(0);
}

}  // namespace ringlet
