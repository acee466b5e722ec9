// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/plaintext.hpp"

#include <algorithm>
#include <utility>

#include "base/public_entry.hpp"
#include "rlwe/checks.hpp"

namespace ringlet {

Plaintext::Plaintext(const ContextData& level, Contents contents)
    : storage_({1, level.prime_count(), level.degree()}, Secrecy::secret, contents, level.pool()),
      parms_id_(level.parms_id()) {}

Plaintext::Plaintext(std::size_t coeff_count, std::shared_ptr<HostPool> pool) {
  if (coeff_count == 0) return;
  storage_ = Storage({1, 1, coeff_count}, Secrecy::secret, Contents::zero, std::move(pool));
}

Plaintext Plaintext::borrow(std::size_t coeff_count, std::uint64_t* words) {
  Plaintext plain;
  if (coeff_count != 0) {
    plain.storage_ = Storage::borrow({1, 1, coeff_count}, words, coeff_count, Secrecy::secret);
  }
  return plain;
}

Plaintext Plaintext::borrow(const ContextData& level, std::uint64_t* words) {
  Plaintext plain;
  plain.storage_ = Storage::borrow({1, level.prime_count(), level.degree()}, words, level.degree());
  plain.parms_id_ = level.parms_id();
  return plain;
}

void Plaintext::check_form(Form wanted) const {
  rlwe::check_form(form(), wanted, !empty() || wanted == Form::coefficient);
}

std::span<const std::uint64_t> Plaintext::coefficients() const {
  public_entry("Plaintext::coefficients", [this] { check_form(Form::coefficient); });
  if (empty()) return {};
  return storage_.host<Form::coefficient>(0).limb(0);
}

std::span<std::uint64_t> Plaintext::coefficients_for_writing() {
  public_entry("Plaintext::coefficients_for_writing", [this] { check_form(Form::coefficient); });
  if (empty()) return {};
  return storage_.host_for_writing<Form::coefficient>(0).limb(0);
}

void Plaintext::resize(std::size_t coeff_count) {
  const auto old = std::as_const(*this).coefficients();
  if (coeff_count == old.size()) return;
  Storage resized;
  if (coeff_count != 0) {
    resized = Storage({1, 1, coeff_count}, Secrecy::secret, Contents::zero, storage_.pool());
    const auto target = resized.host_for_writing<Form::coefficient>(0).limb(0);
    std::copy_n(old.begin(), std::min(old.size(), coeff_count), target.begin());
  }
  storage_ = std::move(resized);
}

ConstNttView Plaintext::ntt_view() const {
  public_entry("Plaintext::ntt_view", [this] { check_form(Form::ntt); });
  return storage_.host<Form::ntt>(0);
}

NttView Plaintext::ntt_view_for_writing() {
  public_entry("Plaintext::ntt_view_for_writing", [this] { check_form(Form::ntt); });
  return storage_.host_for_writing<Form::ntt>(0);
}

ConstNttView Plaintext::ntt_view(const Backend& backend) const {
  check_form(Form::ntt);
  return storage_.view<Form::ntt>(0, backend.memory());
}

NttView Plaintext::ntt_view_for_writing(const Backend& backend) {
  check_form(Form::ntt);
  return storage_.view_for_writing<Form::ntt>(0, backend.memory());
}

}  // namespace ringlet
