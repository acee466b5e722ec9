// SPDX-License-Identifier: Apache-2.0
#include "seal/plaintext.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ringlet/base/error.hpp"
#include "ringlet/base/wipe.hpp"
#include "util/hex_polynomial.hpp"

namespace ringlet::seal4 {

namespace {

using Words = DynArray<std::uint64_t>;

/// Wipes an array before its memory returns to the pool, unless the pool does. Wipes the whole
/// capacity: words left from before the array was shortened are secret too.
void wipe(Words& words) noexcept {
  if (!detail::clears_on_release(words.pool())) secure_wipe(words.begin(), words.capacity() * 8);
}

/// Moves the first words to a new block of exactly `capacity` words and wipes the old one.
void reallocate(Words& words, std::size_t capacity) {
  Words moved(words.pool());
  moved.reserve(capacity);
  moved.resize(std::min(capacity, words.size()), false);
  std::copy_n(words.begin(), moved.size(), moved.begin());
  wipe(words);
  words = std::move(moved);
}

void require_coefficient_form(const Plaintext& plain, const char* operation) {
  if (!plain.is_ntt_form()) return;
  throw_logic_error({operation, "a plaintext in NTT form", "plaintexts in coefficient form",
                     "set parms_id() to parms_id_zero or call release() first"});
}

[[noreturn]] void throw_no_index(const char* operation, std::size_t index, std::size_t count) {
  throw_out_of_range({operation, "index " + std::to_string(index),
                      "indices below coeff_count() = " + std::to_string(count),
                      "resize the plaintext or use a smaller index"});
}

/// SEAL's rule: they differ by less than the spacing of doubles at the larger of them and 1.
bool are_close(double a, double b) {
  const double larger = std::max({std::fabs(a), std::fabs(b), 1.0});
  return std::fabs(a - b) < std::ldexp(larger, -52);
}

}  // namespace

Plaintext::Plaintext(MemoryPoolHandle pool) : data_(std::move(pool)) {}
Plaintext::Plaintext(std::size_t coeff_count, MemoryPoolHandle pool)
    : data_(coeff_count, std::move(pool)) {}
Plaintext::Plaintext(std::size_t capacity, std::size_t coeff_count, MemoryPoolHandle pool)
    : data_(capacity, coeff_count, std::move(pool)) {}
Plaintext::Plaintext(const std::string& hex_poly, MemoryPoolHandle pool) : data_(std::move(pool)) {
  *this = hex_poly;
}

Plaintext::Plaintext(const Plaintext& copy)
    : parms_id_(copy.parms_id_), scale_(copy.scale_), data_(copy.data_) {}
Plaintext::Plaintext(Plaintext&& source) noexcept
    : parms_id_(std::exchange(source.parms_id_, parms_id_zero)),
      scale_(std::exchange(source.scale_, 1.0)),
      data_(std::move(source.data_)),
      is_exposed_(source.is_exposed_.exchange(false)) {}
Plaintext::Plaintext(const Plaintext& copy, MemoryPoolHandle pool)
    : parms_id_(copy.parms_id_), scale_(copy.scale_), data_(copy.data_, std::move(pool)) {}

Plaintext& Plaintext::operator=(const Plaintext& assign) {
  if (this == &assign) return *this;
  const std::size_t count = assign.data_.size();
  if (count > data_.capacity()) reallocate(data_, count);
  data_.resize(count, false);
  std::copy_n(assign.data_.begin(), count, data_.begin());
  parms_id_ = assign.parms_id_;
  scale_ = assign.scale_;
  return *this;
}

Plaintext& Plaintext::operator=(Plaintext&& assign) noexcept {
  if (this == &assign) return *this;
  wipe(data_);
  data_ = std::move(assign.data_);
  is_exposed_ = assign.is_exposed_.exchange(false);
  parms_id_ = std::exchange(assign.parms_id_, parms_id_zero);
  scale_ = std::exchange(assign.scale_, 1.0);
  return *this;
}

Plaintext::~Plaintext() { wipe(data_); }

void Plaintext::reserve(std::size_t capacity) {
  require_coefficient_form(*this, "Plaintext::reserve");
  if (capacity != data_.capacity()) reallocate(data_, capacity);
}

void Plaintext::shrink_to_fit() {
  if (data_.capacity() != data_.size()) reallocate(data_, data_.size());
}

void Plaintext::release() noexcept {
  wipe(data_);
  data_.release();
  is_exposed_ = false;
  parms_id_ = parms_id_zero;
  scale_ = 1.0;
}

void Plaintext::resize(std::size_t coeff_count) {
  require_coefficient_form(*this, "Plaintext::resize");
  if (coeff_count > data_.capacity()) reallocate(data_, coeff_count);
  data_.resize(coeff_count);
}

Plaintext& Plaintext::operator=(const std::string& hex_poly) {
  require_coefficient_form(*this, "Plaintext::operator=");
  const detail::HexPolynomialSummary summary = detail::check_hex_polynomial(hex_poly);
  if (summary.is_zero) {
    set_zero();
    return *this;
  }
  resize(summary.coeff_count);
  set_zero();
  detail::HexPolynomialReader reader(hex_poly);
  while (const auto term = reader.next()) data_[term->exponent] = term->coefficient;
  return *this;
}

Plaintext& Plaintext::operator=(pt_coeff_type const_coeff) {
  parms_id_ = parms_id_zero;
  resize(1);
  data_[0] = const_coeff;
  return *this;
}

void Plaintext::set_zero() { std::fill(data_.begin(), data_.end(), 0); }

void Plaintext::set_zero(std::size_t start_coeff) {
  if (start_coeff >= coeff_count()) {
    throw_no_index("Plaintext::set_zero", start_coeff, coeff_count());
  }
  set_zero(start_coeff, coeff_count() - start_coeff);
}

void Plaintext::set_zero(std::size_t start_coeff, std::size_t length) {
  if (length == 0) return;
  if (start_coeff >= coeff_count() || length > coeff_count() - start_coeff) {
    throw_out_of_range(
        {"Plaintext::set_zero",
         std::to_string(length) + " coefficients from " + std::to_string(start_coeff) + " on",
         "ranges below coeff_count() = " + std::to_string(coeff_count()),
         "resize the plaintext or clear less"});
  }
  std::fill_n(data_.begin() + start_coeff, length, 0);
}

std::uint64_t* Plaintext::data(std::size_t coeff_index) {
  return const_cast<pt_coeff_type*>(std::as_const(*this).data(coeff_index));
}

const std::uint64_t* Plaintext::data(std::size_t coeff_index) const {
  if (coeff_count() == 0) return nullptr;
  if (coeff_index >= coeff_count()) throw_no_index("Plaintext::data", coeff_index, coeff_count());
  return data() + coeff_index;
}

std::uint64_t& Plaintext::operator[](std::size_t coeff_index) {
  return const_cast<pt_coeff_type&>(std::as_const(*this)[coeff_index]);
}

const std::uint64_t& Plaintext::operator[](std::size_t coeff_index) const {
  if (coeff_index >= coeff_count()) {
    throw_no_index("Plaintext::operator[]", coeff_index, coeff_count());
  }
  return data()[coeff_index];
}

bool Plaintext::operator==(const Plaintext& compare) const {
  const std::size_t count = significant_coeff_count();
  return parms_id_ == compare.parms_id_ && count == compare.significant_coeff_count() &&
         std::equal(data_.begin(), data_.begin() + count, compare.data_.begin()) &&
         are_close(scale_, compare.scale_);
}

std::size_t Plaintext::significant_coeff_count() const noexcept {
  std::size_t count = coeff_count();
  while (count > 0 && data_[count - 1] == 0) --count;
  return count;
}

std::size_t Plaintext::nonzero_coeff_count() const noexcept {
  return coeff_count() -
         static_cast<std::size_t>(std::count(data_.begin(), data_.end(), std::uint64_t{0}));
}

std::string Plaintext::to_string() const {
  if (is_ntt_form()) {
    throw_invalid_argument({"Plaintext::to_string", "a plaintext in NTT form",
                            "plaintexts in coefficient form",
                            "print data() word by word, or decode the plaintext"});
  }
  return detail::hex_polynomial(data_.begin(), coeff_count());
}

}  // namespace ringlet::seal4
