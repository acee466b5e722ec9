// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/storage.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "base/assert.hpp"
#include "base/parallel.hpp"
#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/backend/storage_block.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet {
namespace {

constexpr std::size_t kWordsPerLine = kAlignment / sizeof(std::uint64_t);
// Limbs whose length is a power of two would start in the same sets of the cache. Eight lines
// between them spread them, at little cost once a limb is much longer than that.
constexpr std::size_t kPadding = 8 * kWordsPerLine;
constexpr std::size_t kPaddedDegree = 1024;
// The storages to check that are worth another thread.
constexpr std::size_t kStoragesPerThread = 512;

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

/// Returns the words from the first limb to the end of the last limb's padding.
std::size_t checked_word_count(const StorageShape& shape, std::size_t limb_stride) {
  const std::size_t limbs = checked_product(shape.poly_count, shape.limb_count, shape);
  const std::size_t words = checked_product(limbs, limb_stride, shape);
  checked_product(words, sizeof(std::uint64_t), shape);
  return words;
}

}  // namespace

Storage::Storage() noexcept = default;

Storage::Storage(const StorageShape& shape, Secrecy secrecy, Contents contents,
                 std::shared_ptr<HostPool> pool)
    : shape_(shape), secrecy_(secrecy), limb_stride_(stride_of(shape)) {
  if (checked_word_count(shape, limb_stride_) == 0) return;
  block_ = Block::make(pool, shape, limb_stride_, secrecy, pool);
  if (contents == Contents::unspecified) return;
  std::memset(block_->claim(nullptr), 0, block_->byte_count());
}

Storage Storage::borrow(const StorageShape& shape, std::uint64_t* words, std::size_t limb_stride,
                        Secrecy secrecy) {
  return public_entry("Storage::borrow", [&] {
    if (limb_stride < shape.degree) {
      refuse(concat("limb_stride = ", limb_stride),
             concat("the degree, ", shape.degree, ", or more"),
             "pass the distance between two limbs in words");
    }
    Storage storage;
    storage.shape_ = shape;
    storage.secrecy_ = secrecy;
    storage.limb_stride_ = limb_stride;
    if (checked_word_count(shape, limb_stride) == 0 || shape.degree == 0) return storage;
    if (words == nullptr) {
      refuse("words = null", concat("the address of ", storage.word_count(), " words"),
             "pass memory that outlives the object");
    }
    storage.block_ = Block::make(nullptr, shape, limb_stride, secrecy, words);
    return storage;
  });
}

std::shared_ptr<HostPool> Storage::pool() const noexcept {
  return block_ == nullptr ? nullptr : block_->pool;
}

bool Storage::is_like(const Storage& other) const noexcept {
  return block_ != nullptr && shape_ == other.shape_ && limb_stride_ == other.limb_stride_ &&
         secrecy_ == other.secrecy_;
}

/// Returns whether every row is consecutive words of one block. The storages may be many and
/// scattered over the host's memory: most of the time is waiting for memory.
bool Storage::share_already(std::span<const Storage* const> storages, std::size_t row_length,
                            const std::shared_ptr<Memory>& memory) {
  const std::size_t words = storages.front()->block_->word_count();
  std::atomic<bool> is_so{true};
  const auto check = [&](std::size_t first, std::size_t end) {
    Block::Slice before;
    for (std::size_t i = first; i < end && is_so.load(std::memory_order_relaxed); ++i) {
      const Block::Slice slice = storages[i]->block_->slice_in(memory);
      const bool begins_row = i % row_length == 0;
      if (i == first && !begins_row) before = storages[i - 1]->block_->slice_in(memory);
      const bool is_next = before.block != nullptr && slice.block == before.block &&
                           slice.words == before.words + words;
      if (slice.block == nullptr || !(begins_row || is_next)) is_so = false;
      before = slice;
    }
  };
  parallel_for_chunks(storages.size(), check, Chunks::even, kStoragesPerThread);
  return is_so;
}

void Storage::share_blocks(std::span<const Storage* const> storages, std::size_t row_length,
                           const std::shared_ptr<Memory>& memory) {
  if (storages.empty() || memory == nullptr) return;
  RINGLET_ASSERT(row_length > 0 && storages.size() % row_length == 0);
  const Storage& first = *storages.front();
  const auto is_alike = [&first](const Storage* storage) { return storage->is_like(first); };
  if (!std::ranges::all_of(storages, is_alike)) return;
  const std::size_t most_words = memory->shared_block_words();
  const std::lock_guard sharing(memory->sharing_mutex_);
  if (share_already(storages, row_length, memory)) return;
  const std::size_t words = first.block_->word_count();
  const std::size_t row_words = row_length * words;
  std::size_t rows = std::max<std::size_t>(1, most_words / row_words);
  while (!storages.empty()) {
    rows = std::min(rows, storages.size() / row_length);
    DeviceWords block;
    try {
      block = make_block(memory, rows * row_words, first.secrecy_);
    } catch (const RuntimeError&) {
      // The device may have room for less; an error of another cause recurs.
      if (rows == 1) return;
      rows = (rows + 1) / 2;
      continue;
    }
    for (std::size_t i = 0; i < rows * row_length; ++i) {
      storages[i]->block_->move_to(memory, block, i * words);
    }
    storages = storages.subspan(rows * row_length);
  }
}

void Storage::drop_device_copies() {
  if (block_ == nullptr) return;
  const std::lock_guard lock(block_->mutex);
  if (block_->current_copy() != nullptr) block_->bring_to(nullptr);
  block_->copies.clear();
  block_->in_view.clear();
}

bool Storage::is_borrowed() const noexcept { return block_ != nullptr && block_->is_borrowed; }

bool Storage::is_on_host() const noexcept {
  return block_ == nullptr || block_->host_is_current.load(std::memory_order_acquire);
}

std::shared_ptr<Memory> Storage::device_memory() const noexcept {
  if (block_ == nullptr) return nullptr;
  const std::lock_guard lock(block_->mutex);
  const DeviceCopy* const copy = block_->current_copy();
  return copy == nullptr ? nullptr : copy->memory;
}

Storage::Storage(const Storage& other)
    : shape_(other.shape_), secrecy_(other.secrecy_), limb_stride_(other.limb_stride_) {
  if (other.block_ == nullptr) return;
  limb_stride_ = stride_of(shape_);
  const std::shared_ptr<HostPool>& pool = other.block_->pool;
  block_ = Block::make(pool, shape_, limb_stride_, secrecy_, pool);
  const std::lock_guard lock(other.block_->mutex);
  block_->copy_words_of(*other.block_);
}

Storage& Storage::operator=(const Storage& other) {
  if (this == &other) return *this;
  const bool same_shape = block_ != nullptr && other.block_ != nullptr && shape_ == other.shape_;
  if (same_shape && (is_borrowed() || secrecy_ == other.secrecy_)) {
    const std::lock_guard lock(other.block_->mutex);
    block_->copy_words_of(*other.block_);
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

void Storage::check_index(std::size_t index) const {
  if (index < shape_.poly_count) return;
  throw_out_of_range({"Storage::view", concat("polynomial index = ", index),
                      concat("indices below ", shape_.poly_count, ", the number of polynomials"),
                      "pass an index in this range"});
}

const std::uint64_t* Storage::poly_data(std::size_t index,
                                        const std::shared_ptr<Memory>& memory) const {
  check_index(index);
  if (block_ == nullptr) return nullptr;
  const std::size_t offset = index * shape_.limb_count * limb_stride_;
  if (memory == nullptr && is_on_host()) return block_->host + offset;
  const std::lock_guard lock(block_->mutex);
  return block_->bring_to(memory) + offset;
}

std::uint64_t* Storage::poly_data_for_writing(std::size_t index,
                                              const std::shared_ptr<Memory>& memory) {
  check_index(index);
  if (block_ == nullptr) return nullptr;
  const std::lock_guard lock(block_->mutex);
  return block_->claim(memory) + index * shape_.limb_count * limb_stride_;
}

}  // namespace ringlet
