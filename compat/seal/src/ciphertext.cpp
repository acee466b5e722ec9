// SPDX-License-Identifier: Apache-2.0
#include "seal/ciphertext.h"

#include <algorithm>
#include <string>
#include <utility>

#include "files/object_io.hpp"
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

Ciphertext::Ciphertext(const Ciphertext& copy) = default;

Ciphertext::Ciphertext(Ciphertext&& source) noexcept
    : data_(std::move(source.data_)), fields_(std::exchange(source.fields_, Fields{})) {}

Ciphertext::Ciphertext(const Ciphertext& copy, MemoryPoolHandle pool) : data_(std::move(pool)) {
  *this = copy;
}

Ciphertext& Ciphertext::operator=(const Ciphertext& assign) = default;

Ciphertext& Ciphertext::operator=(Ciphertext&& assign) noexcept {
  data_ = std::move(assign.data_);
  fields_ = std::exchange(assign.fields_, Fields{});
  return *this;
}

Ciphertext::~Ciphertext() = default;

void Ciphertext::set_level(const EncryptionParameters& parms, std::size_t size) {
  data_.resize(size * poly_words(parms));
  fields_.parms_id = parms.parms_id();
  fields_.size = size;
  fields_.poly_modulus_degree = parms.poly_modulus_degree();
  fields_.coeff_modulus_size = parms.coeff_modulus().size();
}

void Ciphertext::reserve(const SEALContext& context, parms_id_type parms_id,
                         std::size_t size_capacity) {
  const auto& parms = level_parms("Ciphertext::reserve", context, parms_id);
  require_capacity("Ciphertext::reserve", size_capacity);
  data_.reserve(size_capacity * poly_words(parms));
  set_level(parms, std::min(fields_.size, size_capacity));
}

void Ciphertext::reserve(const SEALContext& context, std::size_t size_capacity) {
  reserve(context, context.first_parms_id(), size_capacity);
}

void Ciphertext::reserve(std::size_t size_capacity) {
  require_capacity("Ciphertext::reserve", size_capacity);
  const std::size_t words = fields_.poly_modulus_degree * fields_.coeff_modulus_size;
  data_.reserve(size_capacity * words);
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
  data_.resize(size * fields_.poly_modulus_degree * fields_.coeff_modulus_size);
  fields_.size = size;
}

void Ciphertext::release() noexcept {
  data_.release();
  fields_ = {};
}

std::uint64_t* Ciphertext::data(std::size_t poly_index) {
  return const_cast<ct_coeff_type*>(std::as_const(*this).data(poly_index));
}

const std::uint64_t* Ciphertext::data(std::size_t poly_index) const {
  if (data_.empty()) return nullptr;
  if (poly_index >= fields_.size) {
    throw_out_of_range({"Ciphertext::data", "polynomial " + std::to_string(poly_index),
                        "indices below size() = " + std::to_string(fields_.size),
                        "resize the ciphertext or use a smaller index"});
  }
  return data_.begin() + poly_index * fields_.poly_modulus_degree * fields_.coeff_modulus_size;
}

std::uint64_t& Ciphertext::operator[](std::size_t coeff_index) {
  return const_cast<ct_coeff_type&>(std::as_const(*this)[coeff_index]);
}

const std::uint64_t& Ciphertext::operator[](std::size_t coeff_index) const {
  if (coeff_index >= data_.size()) {
    throw_out_of_range({"Ciphertext::operator[]", "word " + std::to_string(coeff_index),
                        "indices below " + std::to_string(data_.size()),
                        "resize the ciphertext or use a smaller index"});
  }
  return data_[coeff_index];
}

std::size_t Ciphertext::size_capacity() const noexcept {
  const std::size_t words = fields_.poly_modulus_degree * fields_.coeff_modulus_size;
  return words == 0 ? 0 : data_.capacity() / words;
}

bool Ciphertext::is_transparent() const {
  if (data_.empty() || fields_.size < SEAL_CIPHERTEXT_SIZE_MIN) return true;
  const std::size_t words = fields_.poly_modulus_degree * fields_.coeff_modulus_size;
  return std::all_of(data_.begin() + words, data_.end(),
                     [](std::uint64_t word) { return word == 0; });
}

}  // namespace ringlet::seal4
