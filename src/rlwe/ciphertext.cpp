// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/ciphertext.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
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

void check_index(std::size_t index, std::size_t size) {
  if (index < size) return;
  refuse<OutOfRange>(concat("index = ", index), concat("below size = ", size),
                     "check the size first");
}

}  // namespace

Ciphertext::Ciphertext(const ContextData& level, std::size_t size, Form form, Contents contents)
    : storage_({check_size(size), level.prime_count(), level.degree()}, Secrecy::open, contents,
               level.pool()),
      parms_id_(level.parms_id()),
      form_(form) {}

Ciphertext Ciphertext::borrow(const ContextData& level, std::size_t size, Form form,
                              std::uint64_t* words, Contents contents) {
  Ciphertext encrypted;
  encrypted.storage_ = Storage::borrow({check_size(size), level.prime_count(), level.degree()},
                                       words, level.degree());
  encrypted.parms_id_ = level.parms_id();
  encrypted.form_ = form;
  encrypted.is_vacant_ = contents == Contents::unspecified;
  return encrypted;
}

Ciphertext Ciphertext::new_result(const ContextData& level, std::size_t size, Form form) {
  if (!is_vacant_ || form_ != form || this->size() != size || parms_id_ != level.parms_id()) {
    return Ciphertext(level, size, form, Contents::unspecified);
  }
  Ciphertext result = std::move(*this);
  result.is_vacant_ = false;
  return result;
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

void Ciphertext::check_access(std::size_t index, Form form) const {
  check_index(index, size());
  if (form != Form::any) rlwe::check_form(form_, form, true);
}

template <Form F>
ConstPolyView<F> Ciphertext::checked_view(std::size_t index, const Backend* backend) const {
  check_access(index, F);
  if (backend != nullptr && backend->memory() != nullptr) {
    return storage_.view<F>(index, backend->memory());
  }
  await_words();
  return storage_.host<F>(index);
}

template <Form F>
PolyView<F> Ciphertext::checked_view_for_writing(std::size_t index, const Backend* backend) {
  check_access(index, F);
  is_vacant_ = false;
  return storage_.view_for_writing<F>(index, backend == nullptr ? nullptr : backend->memory());
}

void Ciphertext::bring_to_host() const {
  public_entry("Ciphertext::bring_to_host", [this] { await_words(); });
}

void Ciphertext::await_words() const {
  if (size() == 0) return;
  const char* const operation = unchecked_.get();
  if (operation == nullptr) {
    storage_.host<Form::any>(0);
    return;
  }
  if (is_transparent()) public_entry(operation, [] { rlwe::throw_transparent(); });
  unchecked_.set(nullptr);
}

void Ciphertext::drop_device_copies() {
  public_entry("Ciphertext::drop_device_copies", [this] {
    await_words();
    storage_.drop_device_copies();
  });
}

ConstResidueView Ciphertext::view(std::size_t index) const {
  return public_entry("Ciphertext::view", [&] { return checked_view<Form::any>(index, nullptr); });
}

ResidueView Ciphertext::view_for_writing(std::size_t index) {
  return public_entry("Ciphertext::view_for_writing",
                      [&] { return checked_view_for_writing<Form::any>(index, nullptr); });
}

ConstNttView Ciphertext::ntt_view(std::size_t index) const {
  return public_entry("Ciphertext::ntt_view",
                      [&] { return checked_view<Form::ntt>(index, nullptr); });
}

NttView Ciphertext::ntt_view_for_writing(std::size_t index) {
  return public_entry("Ciphertext::ntt_view_for_writing",
                      [&] { return checked_view_for_writing<Form::ntt>(index, nullptr); });
}

ConstCoeffView Ciphertext::coeff_view(std::size_t index) const {
  return public_entry("Ciphertext::coeff_view",
                      [&] { return checked_view<Form::coefficient>(index, nullptr); });
}

CoeffView Ciphertext::coeff_view_for_writing(std::size_t index) {
  return public_entry("Ciphertext::coeff_view_for_writing",
                      [&] { return checked_view_for_writing<Form::coefficient>(index, nullptr); });
}

ConstResidueView Ciphertext::view(std::size_t index, const Backend& backend) const {
  return checked_view<Form::any>(index, &backend);
}

ResidueView Ciphertext::view_for_writing(std::size_t index, const Backend& backend) {
  return checked_view_for_writing<Form::any>(index, &backend);
}

ConstNttView Ciphertext::ntt_view(std::size_t index, const Backend& backend) const {
  return checked_view<Form::ntt>(index, &backend);
}

NttView Ciphertext::ntt_view_for_writing(std::size_t index, const Backend& backend) {
  return checked_view_for_writing<Form::ntt>(index, &backend);
}

ConstCoeffView Ciphertext::coeff_view(std::size_t index, const Backend& backend) const {
  return checked_view<Form::coefficient>(index, &backend);
}

CoeffView Ciphertext::coeff_view_for_writing(std::size_t index, const Backend& backend) {
  return checked_view_for_writing<Form::coefficient>(index, &backend);
}

ConstNttView Ciphertext::all_ntt_limbs(const Backend& backend) const {
  check_access(0, Form::ntt);
  if (backend.memory() == nullptr) await_words();
  return storage_.all<Form::ntt>(backend.memory());
}

NttView Ciphertext::all_ntt_limbs_for_writing(const Backend& backend) {
  check_access(0, Form::ntt);
  is_vacant_ = false;
  return storage_.all_for_writing<Form::ntt>(backend.memory());
}

void Ciphertext::share_blocks(std::span<const Ciphertext> ciphertexts, std::size_t row_length,
                              const Backend& backend) {
  if (backend.memory() == nullptr) return;
  std::vector<const Storage*> storages;
  storages.reserve(ciphertexts.size());
  for (const Ciphertext& ciphertext : ciphertexts) storages.push_back(&ciphertext.storage_);
  Storage::share_blocks(storages, row_length, backend.memory());
}

}  // namespace ringlet
