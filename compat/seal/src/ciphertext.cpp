// SPDX-License-Identifier: Apache-2.0
#include "seal/ciphertext.h"

#include <algorithm>
#include <string>
#include <utility>

#include "files/object_io.hpp"
#include "native/access.hpp"
#include "ringlet/base/error.hpp"
#include "seal/randomgen.h"

namespace ringlet::seal4 {

namespace {

const EncryptionParameters& level_parms(const char* operation, const SEALContext& context,
                                        const parms_id_type& parms_id) {
  detail::require_parameters(operation, context);
  const auto level = context.get_context_data(parms_id);
  if (level == nullptr) {
    throw_invalid_argument({operation, "a parms_id that the context does not have",
                            "identifiers of the context's levels",
                            "take the parms_id from this context or from an object made with it"});
  }
  return level->parms();
}

std::size_t poly_words(const EncryptionParameters& parms) {
  return parms.poly_modulus_degree() * parms.coeff_modulus().size();
}

void require_capacity(const char* operation, std::size_t capacity) {
  if (capacity >= SEAL_CIPHERTEXT_SIZE_MIN && capacity <= SEAL_CIPHERTEXT_SIZE_MAX) return;
  throw_invalid_argument({operation, "size_capacity = " + std::to_string(capacity),
                          "2 to 16 polynomials", "ask for a capacity in this range"});
}

void require_size(const char* operation, std::size_t size) {
  if (size == 0) return;
  if (size >= SEAL_CIPHERTEXT_SIZE_MIN && size <= SEAL_CIPHERTEXT_SIZE_MAX) return;
  throw_invalid_argument({operation, "size = " + std::to_string(size), "0 or 2 to 16 polynomials",
                          "ask for a size in this range"});
}

}  // namespace

Ciphertext::Ciphertext(MemoryPoolHandle pool) : data_(std::move(pool)) {}

Ciphertext::Ciphertext(const SEALContext& context, MemoryPoolHandle pool)
    : Ciphertext(context, context.first_parms_id(), std::move(pool)) {}

Ciphertext::Ciphertext(const SEALContext& context, parms_id_type parms_id, MemoryPoolHandle pool)
    : Ciphertext(context, parms_id, SEAL_CIPHERTEXT_SIZE_MIN, std::move(pool)) {}

Ciphertext::Ciphertext(const SEALContext& context, parms_id_type parms_id,
                       std::size_t size_capacity, MemoryPoolHandle pool)
    : data_(std::move(pool)) {
  reserve(context, parms_id, size_capacity);
}

Ciphertext::Ciphertext(const Ciphertext& copy) : Ciphertext(copy, copy.pool()) {}

Ciphertext::Ciphertext(Ciphertext&& source) noexcept : data_(source.pool()) {
  *this = std::move(source);
}

Ciphertext::Ciphertext(const Ciphertext& copy, MemoryPoolHandle pool) : data_(std::move(pool)) {
  *this = copy;
}

Ciphertext& Ciphertext::operator=(const Ciphertext& assign) {
  if (this == &assign) return *this;
  detail::CiphertextAccess::copy_words(assign, *this);
  fields_ = assign.fields_;
  return *this;
}

Ciphertext& Ciphertext::operator=(Ciphertext&& assign) noexcept {
  if (this == &assign) return *this;
  data_ = std::move(assign.data_);
  device_.native = std::move(assign.device_.native);
  device_.is_alone = assign.device_.is_alone.exchange(false);
  device_.is_exposed = assign.device_.is_exposed.exchange(false);
  fields_ = std::exchange(assign.fields_, Fields{});
  return *this;
}

Ciphertext::~Ciphertext() = default;

DynArray<std::uint64_t>& Ciphertext::array_for_writing() {
  device_.is_exposed = true;
  return detail::CiphertextAccess::array_for_writing(*this);
}

const DynArray<std::uint64_t>& Ciphertext::dyn_array() const {
  device_.is_exposed = true;
  return detail::CiphertextAccess::array(*this);
}

void Ciphertext::set_level(const EncryptionParameters& parms, std::size_t size) {
  detail::CiphertextAccess::array_for_writing(*this).resize(size * poly_words(parms));
  fields_.parms_id = parms.parms_id();
  fields_.size = size;
  fields_.poly_modulus_degree = parms.poly_modulus_degree();
  fields_.coeff_modulus_size = parms.coeff_modulus().size();
}

void Ciphertext::reserve(const SEALContext& context, parms_id_type parms_id,
                         std::size_t size_capacity) {
  const auto& parms = level_parms("Ciphertext::reserve", context, parms_id);
  require_capacity("Ciphertext::reserve", size_capacity);
  detail::CiphertextAccess::array_for_writing(*this).reserve(size_capacity * poly_words(parms));
  set_level(parms, std::min(fields_.size, size_capacity));
}

void Ciphertext::reserve(const SEALContext& context, std::size_t size_capacity) {
  reserve(context, context.first_parms_id(), size_capacity);
}

void Ciphertext::reserve(std::size_t size_capacity) {
  require_capacity("Ciphertext::reserve", size_capacity);
  const std::size_t words = fields_.poly_modulus_degree * fields_.coeff_modulus_size;
  detail::CiphertextAccess::array_for_writing(*this).reserve(size_capacity * words);
  fields_.size = std::min(fields_.size, size_capacity);
}

void Ciphertext::resize(const SEALContext& context, parms_id_type parms_id, std::size_t size) {
  const auto& parms = level_parms("Ciphertext::resize", context, parms_id);
  require_size("Ciphertext::resize", size);
  set_level(parms, size);
}

void Ciphertext::resize(const SEALContext& context, std::size_t size) {
  resize(context, context.first_parms_id(), size);
}

void Ciphertext::resize(std::size_t size) {
  require_size("Ciphertext::resize", size);
  const std::size_t words = fields_.poly_modulus_degree * fields_.coeff_modulus_size;
  detail::CiphertextAccess::array_for_writing(*this).resize(size * words);
  fields_.size = size;
}

void Ciphertext::release() noexcept {
  data_.release();
  device_.native.reset();
  device_.is_alone = device_.is_exposed = false;
  fields_ = {};
}

std::uint64_t* Ciphertext::data(std::size_t poly_index) {
  array_for_writing();
  return const_cast<ct_coeff_type*>(std::as_const(*this).data(poly_index));
}

const std::uint64_t* Ciphertext::data(std::size_t poly_index) const {
  const DynArray<ct_coeff_type>& words = dyn_array();
  if (words.empty()) return nullptr;
  if (poly_index >= fields_.size) {
    throw_out_of_range({"Ciphertext::data", "polynomial " + std::to_string(poly_index),
                        "indices below size() = " + std::to_string(fields_.size),
                        "resize the ciphertext or use a smaller index"});
  }
  return words.begin() + poly_index * fields_.poly_modulus_degree * fields_.coeff_modulus_size;
}

std::uint64_t& Ciphertext::operator[](std::size_t coeff_index) {
  array_for_writing();
  return const_cast<ct_coeff_type&>(std::as_const(*this)[coeff_index]);
}

const std::uint64_t& Ciphertext::operator[](std::size_t coeff_index) const {
  const DynArray<ct_coeff_type>& words = dyn_array();
  if (coeff_index >= words.size()) {
    throw_out_of_range({"Ciphertext::operator[]", "word " + std::to_string(coeff_index),
                        "indices below " + std::to_string(words.size()),
                        "resize the ciphertext or use a smaller index"});
  }
  return words[coeff_index];
}

std::size_t Ciphertext::size_capacity() const noexcept {
  const std::size_t words = fields_.poly_modulus_degree * fields_.coeff_modulus_size;
  if (words == 0) return 0;
  return device_.is_alone ? fields_.size : data_.capacity() / words;
}

bool Ciphertext::is_transparent() const {
  const DynArray<ct_coeff_type>& all = detail::CiphertextAccess::array(*this);
  if (all.empty() || fields_.size < SEAL_CIPHERTEXT_SIZE_MIN) return true;
  const std::size_t words = fields_.poly_modulus_degree * fields_.coeff_modulus_size;
  return std::all_of(all.begin() + words, all.end(), [](std::uint64_t word) { return word == 0; });
}

}  // namespace ringlet::seal4
