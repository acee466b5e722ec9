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

struct LevelShape {
  std::size_t degree = 0;
  std::size_t prime_count = 0;
  std::size_t words() const noexcept { return degree * prime_count; }
};

LevelShape level_shape(const char* operation, const SEALContext& context,
                       const parms_id_type& parms_id) {
  detail::require_parameters(operation, context);
  const auto level = context.get_context_data(parms_id);
  if (level == nullptr) {
    throw_invalid_argument({operation, "a parms_id that the context does not have",
                            "identifiers of the context's levels",
                            "take the parms_id from this context or from an object made with it"});
  }
  const EncryptionParameters& parms = level->parms();
  return {parms.poly_modulus_degree(), parms.coeff_modulus().size()};
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
    : parms_id_(std::exchange(source.parms_id_, parms_id_zero)),
      is_ntt_form_(std::exchange(source.is_ntt_form_, false)),
      size_(std::exchange(source.size_, 0)),
      poly_modulus_degree_(std::exchange(source.poly_modulus_degree_, 0)),
      coeff_modulus_size_(std::exchange(source.coeff_modulus_size_, 0)),
      scale_(std::exchange(source.scale_, 1.0)),
      correction_factor_(std::exchange(source.correction_factor_, 1)),
      data_(std::move(source.data_)),
      seed_(std::move(source.seed_)) {}

Ciphertext::Ciphertext(const Ciphertext& copy, MemoryPoolHandle pool) : data_(std::move(pool)) {
  *this = copy;
}

Ciphertext& Ciphertext::operator=(const Ciphertext& assign) {
  if (this == &assign) return *this;
  data_ = assign.data_;
  parms_id_ = assign.parms_id_;
  is_ntt_form_ = assign.is_ntt_form_;
  size_ = assign.size_;
  poly_modulus_degree_ = assign.poly_modulus_degree_;
  coeff_modulus_size_ = assign.coeff_modulus_size_;
  scale_ = assign.scale_;
  correction_factor_ = assign.correction_factor_;
  seed_ = assign.seed_;
  return *this;
}

Ciphertext& Ciphertext::operator=(Ciphertext&& assign) noexcept {
  if (this == &assign) return *this;
  data_ = std::move(assign.data_);
  parms_id_ = std::exchange(assign.parms_id_, parms_id_zero);
  is_ntt_form_ = std::exchange(assign.is_ntt_form_, false);
  size_ = std::exchange(assign.size_, 0);
  poly_modulus_degree_ = std::exchange(assign.poly_modulus_degree_, 0);
  coeff_modulus_size_ = std::exchange(assign.coeff_modulus_size_, 0);
  scale_ = std::exchange(assign.scale_, 1.0);
  correction_factor_ = std::exchange(assign.correction_factor_, 1);
  seed_ = std::move(assign.seed_);
  return *this;
}

Ciphertext::~Ciphertext() = default;

void Ciphertext::reserve(const SEALContext& context, parms_id_type parms_id,
                         std::size_t size_capacity) {
  const LevelShape shape = level_shape("Ciphertext::reserve", context, parms_id);
  require_capacity("Ciphertext::reserve", size_capacity);
  const std::size_t size = std::min(size_, size_capacity);
  data_.reserve(size_capacity * shape.words());
  data_.resize(size * shape.words());
  parms_id_ = parms_id;
  size_ = size;
  poly_modulus_degree_ = shape.degree;
  coeff_modulus_size_ = shape.prime_count;
}

void Ciphertext::reserve(const SEALContext& context, std::size_t size_capacity) {
  reserve(context, context.first_parms_id(), size_capacity);
}

void Ciphertext::reserve(std::size_t size_capacity) {
  require_capacity("Ciphertext::reserve", size_capacity);
  const std::size_t words = poly_modulus_degree_ * coeff_modulus_size_;
  data_.reserve(size_capacity * words);
  size_ = std::min(size_, size_capacity);
}

void Ciphertext::resize(const SEALContext& context, parms_id_type parms_id, std::size_t size) {
  const LevelShape shape = level_shape("Ciphertext::resize", context, parms_id);
  require_size("Ciphertext::resize", size);
  data_.resize(size * shape.words());
  parms_id_ = parms_id;
  size_ = size;
  poly_modulus_degree_ = shape.degree;
  coeff_modulus_size_ = shape.prime_count;
}

void Ciphertext::resize(const SEALContext& context, std::size_t size) {
  resize(context, context.first_parms_id(), size);
}

void Ciphertext::resize(std::size_t size) {
  require_size("Ciphertext::resize", size);
  data_.resize(size * poly_modulus_degree_ * coeff_modulus_size_);
  size_ = size;
}

void Ciphertext::release() noexcept {
  data_.release();
  parms_id_ = parms_id_zero;
  is_ntt_form_ = false;
  size_ = 0;
  poly_modulus_degree_ = 0;
  coeff_modulus_size_ = 0;
  scale_ = 1.0;
  correction_factor_ = 1;
  seed_.reset();
}

std::uint64_t* Ciphertext::data(std::size_t poly_index) {
  return const_cast<ct_coeff_type*>(std::as_const(*this).data(poly_index));
}

const std::uint64_t* Ciphertext::data(std::size_t poly_index) const {
  if (data_.empty()) return nullptr;
  if (poly_index >= size_) {
    throw_out_of_range({"Ciphertext::data", "polynomial " + std::to_string(poly_index),
                        "indices below size() = " + std::to_string(size_),
                        "resize the ciphertext or use a smaller index"});
  }
  return data_.begin() + poly_index * poly_modulus_degree_ * coeff_modulus_size_;
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
  const std::size_t words = poly_modulus_degree_ * coeff_modulus_size_;
  return words == 0 ? 0 : data_.capacity() / words;
}

bool Ciphertext::is_transparent() const {
  if (data_.empty() || size_ < SEAL_CIPHERTEXT_SIZE_MIN) return true;
  const std::size_t words = poly_modulus_degree_ * coeff_modulus_size_;
  return std::all_of(data_.begin() + words, data_.end(),
                     [](std::uint64_t word) { return word == 0; });
}

}  // namespace ringlet::seal4
