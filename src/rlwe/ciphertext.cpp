// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ciphertext.hpp"

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"
#include "ringlet/error.hpp"
#include "rlwe/checks.hpp"

namespace ringlet {
namespace {

std::size_t check_size(std::size_t size) {
  if (size < kMinCiphertextSize || size > kMaxCiphertextSize) {
    throw_invalid_argument({.operation = "Ciphertext",
                            .offending = concat("size = ", size),
                            .limit = concat(kMinCiphertextSize, " to ", kMaxCiphertextSize),
                            .remedy = "relinearize before the size grows further"});
  }
  return size;
}

void check_index(std::size_t index, std::size_t size, const char* operation) {
  if (index < size) return;
  throw_out_of_range({.operation = operation,
                      .offending = concat("index = ", index),
                      .limit = concat("below size = ", size),
                      .remedy = "ask size() first"});
}

}  // namespace

Ciphertext::Ciphertext(const ContextData& level, std::size_t size, Form form)
    : storage_({check_size(size), level.prime_count(), level.degree()}),
      parms_id_(level.parms_id()),
      form_(form) {}

Ciphertext Ciphertext::borrow(const ContextData& level, std::size_t size, Form form,
                              std::uint64_t* words) {
  Ciphertext encrypted;
  encrypted.storage_ = Storage::borrow({check_size(size), level.prime_count(), level.degree()},
                                       words, level.degree());
  encrypted.parms_id_ = level.parms_id();
  encrypted.form_ = form;
  return encrypted;
}

bool Ciphertext::is_transparent() const {
  const auto is_zero = [](std::uint64_t word) { return word == 0; };
  for (std::size_t i = 1; i < size(); ++i) {
    const ConstResidueView poly = storage_.host<Form::any>(i);
    for (std::size_t limb = 0; limb < poly.limb_count; ++limb) {
      if (!std::ranges::all_of(poly.limb(limb), is_zero)) return false;
    }
  }
  return true;
}

ConstResidueView Ciphertext::view(std::size_t index) const {
  check_index(index, size(), "Ciphertext::view");
  return storage_.host<Form::any>(index);
}

ResidueView Ciphertext::view_for_writing(std::size_t index) {
  check_index(index, size(), "Ciphertext::view_for_writing");
  return storage_.host_for_writing<Form::any>(index);
}

ConstNttView Ciphertext::ntt_view(std::size_t index) const {
  check_index(index, size(), "Ciphertext::ntt_view");
  rlwe::check_form(form_, Form::ntt, true, "Ciphertext::ntt_view");
  return storage_.host<Form::ntt>(index);
}

NttView Ciphertext::ntt_view_for_writing(std::size_t index) {
  check_index(index, size(), "Ciphertext::ntt_view_for_writing");
  rlwe::check_form(form_, Form::ntt, true, "Ciphertext::ntt_view_for_writing");
  return storage_.host_for_writing<Form::ntt>(index);
}

ConstCoeffView Ciphertext::coeff_view(std::size_t index) const {
  check_index(index, size(), "Ciphertext::coeff_view");
  rlwe::check_form(form_, Form::coefficient, true, "Ciphertext::coeff_view");
  return storage_.host<Form::coefficient>(index);
}

CoeffView Ciphertext::coeff_view_for_writing(std::size_t index) {
  check_index(index, size(), "Ciphertext::coeff_view_for_writing");
  rlwe::check_form(form_, Form::coefficient, true, "Ciphertext::coeff_view_for_writing");
  return storage_.host_for_writing<Form::coefficient>(index);
}

}  // namespace ringlet
