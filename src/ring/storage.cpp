// SPDX-License-Identifier: Apache-2.0
#include "ringlet/storage.hpp"

#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "base/text.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/error.hpp"
#include "ringlet/wipe.hpp"

namespace ringlet {
namespace {

constexpr std::size_t kWordsPerLine = kAlignment / sizeof(std::uint64_t);
// Limbs of a power of two of words start in the same sets of the cache; eight lines between them
// spread them, and cost little once a limb is longer than that by far.
constexpr std::size_t kPadding = 8 * kWordsPerLine;
constexpr std::size_t kPaddedDegree = 1024;

[[noreturn]] void refuse_shape(const StorageShape& shape) {
  throw_invalid_argument({.operation = "Storage",
                          .offending = concat("shape = ", shape.poly_count, " polynomials x ",
                                              shape.limb_count, " limbs x degree ", shape.degree),
                          .limit = concat("fewer than ", std::numeric_limits<std::size_t>::max(),
                                          " bytes, padding included"),
                          .remedy = "ask for fewer polynomials, limbs or coefficients"});
}

std::size_t checked_product(std::size_t a, std::size_t b, const StorageShape& shape) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) refuse_shape(shape);
  return product;
}

std::size_t stride_of(const StorageShape& shape) {
  const std::size_t padding = shape.degree >= kPaddedDegree ? kPadding : 0;
  const std::size_t rounding = kWordsPerLine - 1;
  if (shape.degree > std::numeric_limits<std::size_t>::max() - padding - rounding) {
    refuse_shape(shape);
  }
  return (shape.degree + padding + rounding) / kWordsPerLine * kWordsPerLine;
}

/// Words from the first limb to the end of the last one's padding.
std::size_t checked_word_count(const StorageShape& shape, std::size_t limb_stride) {
  const std::size_t limbs = checked_product(shape.poly_count, shape.limb_count, shape);
  const std::size_t words = checked_product(limbs, limb_stride, shape);
  checked_product(words, sizeof(std::uint64_t), shape);
  return words;
}

}  // namespace

/// Words on a 64-byte boundary, wiped on release where they are secret; or words of somebody else.
struct Storage::Block {
  Block(std::size_t words, bool is_secret)
      : word_count(words),
        secret(is_secret),
        data(static_cast<std::uint64_t*>(
            ::operator new(words * sizeof(std::uint64_t), std::align_val_t{kAlignment}))) {}
  explicit Block(std::uint64_t* words) : borrowed(true), data(words) {}
  ~Block() {
    if (borrowed) return;
    if (secret) secure_wipe(data, byte_count());
    ::operator delete(data, std::align_val_t{kAlignment});
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::size_t byte_count() const { return word_count * sizeof(std::uint64_t); }

  std::size_t word_count = 0;  ///< Padding included; of own words only.
  bool secret = false;
  bool borrowed = false;
  std::uint64_t* data;
};

Storage::Storage() noexcept = default;

Storage::Storage(const StorageShape& shape, Secrecy secrecy)
    : shape_(shape), secrecy_(secrecy), limb_stride_(stride_of(shape)) {
  const std::size_t words = checked_word_count(shape, limb_stride_);
  if (words == 0) return;
  block_ = std::make_unique<Block>(words, secrecy == Secrecy::secret);
  std::memset(block_->data, 0, block_->byte_count());
}

Storage Storage::borrow(const StorageShape& shape, std::uint64_t* words, std::size_t limb_stride,
                        Secrecy secrecy) {
  if (limb_stride < shape.degree) {
    throw_invalid_argument({.operation = "Storage::borrow",
                            .offending = concat("limb_stride = ", limb_stride),
                            .limit = concat("the degree, ", shape.degree, ", or more"),
                            .remedy = "pass the distance between two limbs in words"});
  }
  Storage storage;
  storage.shape_ = shape;
  storage.secrecy_ = secrecy;
  storage.limb_stride_ = limb_stride;
  if (checked_word_count(shape, limb_stride) == 0 || shape.degree == 0) return storage;
  if (words == nullptr) {
    throw_invalid_argument({.operation = "Storage::borrow",
                            .offending = "words = null",
                            .limit = concat("the address of ", storage.word_count(), " words"),
                            .remedy = "pass memory that outlives the Storage"});
  }
  storage.block_ = std::make_unique<Block>(words);
  return storage;
}

bool Storage::is_borrowed() const noexcept { return block_ != nullptr && block_->borrowed; }

void Storage::copy_words_of(const Storage& other) {
  if (!is_borrowed() && !other.is_borrowed()) {
    std::memcpy(block_->data, other.block_->data, block_->byte_count());
    return;
  }
  // What lies between borrowed limbs is not ours. The words may be those of the other Storage.
  for (std::size_t i = 0; i < shape_.poly_count * shape_.limb_count; ++i) {
    std::memmove(block_->data + i * limb_stride_, other.block_->data + i * other.limb_stride_,
                 shape_.degree * sizeof(std::uint64_t));
  }
}

Storage::Storage(const Storage& other)
    : shape_(other.shape_), secrecy_(other.secrecy_), limb_stride_(other.limb_stride_) {
  if (other.block_ == nullptr) return;
  if (other.is_borrowed()) {
    Storage copy(other.shape_, other.secrecy_);
    copy.copy_words_of(other);
    *this = std::move(copy);
    return;
  }
  block_ = std::make_unique<Block>(other.block_->word_count, other.block_->secret);
  copy_words_of(other);
}

Storage& Storage::operator=(const Storage& other) {
  if (this == &other) return *this;
  const bool same_shape = block_ != nullptr && other.block_ != nullptr && shape_ == other.shape_;
  if (same_shape && (is_borrowed() || secrecy_ == other.secrecy_)) {
    copy_words_of(other);
    secrecy_ = other.secrecy_;
    return *this;
  }
  return *this = Storage(other);
}

Storage::Storage(Storage&& other) noexcept
    : shape_(std::exchange(other.shape_, {})),
      secrecy_(std::exchange(other.secrecy_, Secrecy::open)),
      limb_stride_(std::exchange(other.limb_stride_, 0)),
      block_(std::move(other.block_)) {}

Storage& Storage::operator=(Storage&& other) noexcept {
  if (this == &other) return *this;
  shape_ = std::exchange(other.shape_, {});
  secrecy_ = std::exchange(other.secrecy_, Secrecy::open);
  limb_stride_ = std::exchange(other.limb_stride_, 0);
  block_ = std::move(other.block_);
  return *this;
}

Storage::~Storage() = default;

const std::uint64_t* Storage::poly_data(std::size_t index) const {
  if (index >= shape_.poly_count) {
    throw_out_of_range(
        {.operation = "Storage::host",
         .offending = concat("polynomial index = ", index),
         .limit = concat("indices below ", shape_.poly_count, ", the number of polynomials"),
         .remedy = "pass an index in this range"});
  }
  return block_ == nullptr ? nullptr : block_->data + index * shape_.limb_count * limb_stride_;
}

std::uint64_t* Storage::poly_data_for_writing(std::size_t index) {
  return const_cast<std::uint64_t*>(poly_data(index));
}

}  // namespace ringlet
