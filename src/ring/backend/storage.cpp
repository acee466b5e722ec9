// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/storage.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/base/wipe.hpp"

namespace ringlet {
namespace {

constexpr std::size_t kWordsPerLine = kAlignment / sizeof(std::uint64_t);
// Limbs of a power of two of words start in the same sets of the cache; eight lines between them
// spread them, and cost little once a limb is longer than that by far.
constexpr std::size_t kPadding = 8 * kWordsPerLine;
constexpr std::size_t kPaddedDegree = 1024;
// Storages to look at that are worth another thread.
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

/// Words from the first limb to the end of the last one's padding.
std::size_t checked_word_count(const StorageShape& shape, std::size_t limb_stride) {
  const std::size_t limbs = checked_product(shape.poly_count, shape.limb_count, shape);
  const std::size_t words = checked_product(limbs, limb_stride, shape);
  checked_product(words, sizeof(std::uint64_t), shape);
  return words;
}

/// Words of a device: a block, or a part of one that it keeps alive.
using DeviceWords = std::shared_ptr<std::uint64_t>;

DeviceWords make_block(const std::shared_ptr<Memory>& memory, std::size_t words, Secrecy secrecy) {
  const auto release = [memory](std::uint64_t* block) { memory->release(block); };
  return {memory->allocate(words, secrecy), release};
}

/// Bytes of a pool, or of the system where there is none.
void* allocate_bytes(const std::shared_ptr<HostPool>& pool, std::size_t bytes) {
  return pool != nullptr ? pool->allocate(bytes)
                         : ::operator new(bytes, std::align_val_t{kAlignment});
}

void release_bytes(const std::shared_ptr<HostPool>& pool, void* block, std::size_t bytes) noexcept {
  if (pool != nullptr) return pool->release(block, bytes);
  ::operator delete(block, std::align_val_t{kAlignment});
}

/// A copy of the words on a device, current or not.
struct DeviceCopy {
  std::shared_ptr<Memory> memory;
  DeviceWords words;
  const std::uint64_t* shared_block = nullptr;  ///< Of which they are a part; null for their own.
  bool is_current = false;
};

}  // namespace

/// The words, wherever they are: on the host (on a 64-byte boundary, wiped on release where they
/// are secret; or words of somebody else), on devices, or both. Where no copy is current, nothing
/// was written yet. What changes under the mutex may change during a view for reading.
struct Storage::Block {
  /// Own words; no memory yet.
  Block(const StorageShape& shape, std::size_t stride, Secrecy secrecy_in,
        std::shared_ptr<HostPool> pool_in)
      : pool(std::move(pool_in)),
        limb_count(shape.poly_count * shape.limb_count),
        degree(shape.degree),
        limb_stride(stride),
        secrecy(secrecy_in) {}
  Block(const StorageShape& shape, std::size_t stride, Secrecy secrecy_in, std::uint64_t* words)
      : Block(shape, stride, secrecy_in, std::shared_ptr<HostPool>()) {
    is_borrowed = true;
    host = words;
    host_is_current = true;
  }
  ~Block() {
    if (is_borrowed || host == nullptr) return;
    if (secrecy == Secrecy::secret) secure_wipe(host, byte_count());
    release_bytes(pool, host, byte_count());
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// A block in memory of `pool`.
  template <typename... Arguments>
  static std::unique_ptr<Block, ReleaseBlock> make(const std::shared_ptr<HostPool>& pool,
                                                   const Arguments&... arguments);

  std::size_t word_count() const { return limb_count * limb_stride; }  ///< Padding included.
  std::size_t byte_count() const { return word_count() * sizeof(std::uint64_t); }

  /// Makes the copy in `wanted` current, and says where it is. Under the mutex.
  std::uint64_t* bring_to(const std::shared_ptr<Memory>& wanted);
  /// The same, after which it is the only one that is current.
  std::uint64_t* claim(const std::shared_ptr<Memory>& wanted);
  /// Takes over the words of a block of the same shape.
  void copy_words_of(Block& other);
  /// A device's copy that is current; null if there is none.
  DeviceCopy* current_copy() noexcept;
  /// A part of a block in `memory`; nulls if the words have none.
  struct Slice {
    const std::uint64_t* block = nullptr;
    const std::uint64_t* words = nullptr;
  };
  Slice slice_in(const std::shared_ptr<Memory>& memory) noexcept;
  /// Goes on with words `first` and following of `block`, to which those in `memory` are copied, or
  /// those of the host uploaded.
  void move_to(const std::shared_ptr<Memory>& memory, const DeviceWords& block, std::size_t first);

 private:
  void make_host();
  std::uint64_t* bring_to_host();
  DeviceCopy& copy_in(const std::shared_ptr<Memory>& wanted);
  void upload(DeviceCopy& copy) const;
  void keep_only(const std::shared_ptr<Memory>& wanted) noexcept;
  void copy_on_device(DeviceCopy& source, std::size_t source_stride);
  void copy_on_host(Block& other);
  template <typename Move>
  void for_runs(const Move& move) const;

 public:
  std::mutex mutex;
  std::shared_ptr<HostPool> pool;  ///< Of the words and of this object; null for the system.
  std::size_t limb_count;
  std::size_t degree;
  std::size_t limb_stride;
  Secrecy secrecy;
  bool is_borrowed = false;
  /// Read without the mutex by whoever wants the host's words, and these are there then.
  std::atomic<bool> host_is_current{false};
  std::uint64_t* host = nullptr;
  std::vector<DeviceCopy> copies;    ///< One per memory, as long as somebody may have a view of it.
  std::vector<DeviceWords> in_view;  ///< Of before move_to, as long as somebody may have a view.
};

void Storage::ReleaseBlock::operator()(Block* block) const noexcept {
  const std::shared_ptr<HostPool> pool = block->pool;
  block->~Block();
  release_bytes(pool, block, sizeof(Block));
}

template <typename... Arguments>
std::unique_ptr<Storage::Block, Storage::ReleaseBlock> Storage::Block::make(
    const std::shared_ptr<HostPool>& pool, const Arguments&... arguments) {
  static_assert(alignof(Block) <= kAlignment);
  void* const memory = allocate_bytes(pool, sizeof(Block));
  return std::unique_ptr<Block, ReleaseBlock>(new (memory) Block(arguments...));
}

DeviceCopy* Storage::Block::current_copy() noexcept {
  const auto found = std::ranges::find_if(copies, &DeviceCopy::is_current);
  return found == copies.end() ? nullptr : &*found;
}

DeviceCopy& Storage::Block::copy_in(const std::shared_ptr<Memory>& wanted) {
  const auto found = std::ranges::find(copies, wanted, &DeviceCopy::memory);
  if (found != copies.end()) return *found;
  return copies.emplace_back(wanted, make_block(wanted, word_count(), secrecy));
}

Storage::Block::Slice Storage::Block::slice_in(const std::shared_ptr<Memory>& memory) noexcept {
  const std::lock_guard lock(mutex);
  const auto found = std::ranges::find(copies, memory, &DeviceCopy::memory);
  return found == copies.end() ? Slice{} : Slice{found->shared_block, found->words.get()};
}

void Storage::Block::move_to(const std::shared_ptr<Memory>& memory, const DeviceWords& block,
                             std::size_t first) {
  const std::lock_guard lock(mutex);
  copies.reserve(copies.size() + 1);
  in_view.reserve(in_view.size() + 1);
  const auto found = std::ranges::find(copies, memory, &DeviceCopy::memory);
  const bool is_there = found != copies.end() && found->is_current;
  DeviceCopy moved{memory, DeviceWords(block, block.get() + first), block.get(), is_there};
  if (is_there) {
    memory->copy(moved.words.get(), found->words.get(), word_count());
  } else if (host_is_current) {
    upload(moved);
  }
  if (found == copies.end()) {
    copies.push_back(std::move(moved));
  } else {
    std::swap(*found, moved);
    in_view.push_back(std::move(moved.words));
  }
}

/// Views of other copies are invalid from now on. That of `wanted` stays for the next time.
void Storage::Block::keep_only(const std::shared_ptr<Memory>& wanted) noexcept {
  in_view.clear();
  if (wanted == nullptr) {
    for (DeviceCopy& copy : copies) copy.is_current = false;
    return;
  }
  std::erase_if(copies, [&wanted](const DeviceCopy& copy) { return copy.memory != wanted; });
}

/// move(first, words) for runs of words that are all ours: what lies between borrowed limbs is not.
template <typename Move>
void Storage::Block::for_runs(const Move& move) const {
  if (!is_borrowed) return move(std::size_t{0}, word_count());
  for (std::size_t i = 0; i < limb_count; ++i) move(i * limb_stride, degree);
}

void Storage::Block::make_host() {
  if (host != nullptr) return;
  host = static_cast<std::uint64_t*>(allocate_bytes(pool, byte_count()));
}

std::uint64_t* Storage::Block::bring_to_host() {
  make_host();
  const DeviceCopy* const source = current_copy();
  if (host_is_current || source == nullptr) return host;
  for_runs([&](std::size_t first, std::size_t words) {
    source->memory->download(host + first, source->words.get() + first, words);
  });
  host_is_current.store(true, std::memory_order_release);
  return host;
}

std::uint64_t* Storage::Block::bring_to(const std::shared_ptr<Memory>& wanted) {
  if (wanted == nullptr) return bring_to_host();
  const DeviceCopy* const current = current_copy();
  if (current != nullptr && current->memory != wanted && !host_is_current) {
    throw_invalid_argument(
        {"Storage::view",
         concat("words that ", current->memory->name(), " alone has, for ", wanted->name()),
         "operands on the host or on the device that computes",
         "bring them to the host first, or compute where they are"});
  }
  DeviceCopy& copy = copy_in(wanted);
  if (host_is_current && !copy.is_current) upload(copy);
  return copy.words.get();
}

void Storage::Block::upload(DeviceCopy& copy) const {
  for_runs([&](std::size_t first, std::size_t words) {
    copy.memory->upload(copy.words.get() + first, host + first, words);
  });
  copy.is_current = true;
}

std::uint64_t* Storage::Block::claim(const std::shared_ptr<Memory>& wanted) {
  std::uint64_t* const words = bring_to(wanted);
  keep_only(wanted);
  host_is_current.store(wanted == nullptr, std::memory_order_release);
  if (wanted != nullptr) copies.front().is_current = true;
  return words;
}

void Storage::Block::copy_on_device(DeviceCopy& source, std::size_t source_stride) {
  DeviceCopy& target = copy_in(source.memory);
  if (limb_stride == source_stride) {
    source.memory->copy(target.words.get(), source.words.get(), word_count());
  } else {
    for (std::size_t i = 0; i < limb_count; ++i) {
      source.memory->copy(target.words.get() + i * limb_stride,
                          source.words.get() + i * source_stride, degree);
    }
  }
  keep_only(source.memory);
  copies.front().is_current = true;
  host_is_current = false;
}

void Storage::Block::copy_on_host(Block& other) {
  const std::uint64_t* const source = other.bring_to_host();
  make_host();
  if (!is_borrowed && !other.is_borrowed) {
    std::memcpy(host, source, byte_count());
  } else {
    // Borrowed words may be those of the other block.
    for (std::size_t i = 0; i < limb_count; ++i) {
      std::memmove(host + i * limb_stride, source + i * other.limb_stride,
                   degree * sizeof(std::uint64_t));
    }
  }
  keep_only(nullptr);
  host_is_current = true;
}

// The words go where the source has them: to a device without the host's knowing, unless somebody
// waits for them in borrowed memory.
void Storage::Block::copy_words_of(Block& other) {
  DeviceCopy* const source = other.current_copy();
  if (source != nullptr && !is_borrowed) {
    copy_on_device(*source, other.limb_stride);
  } else if (source != nullptr || other.host_is_current) {
    copy_on_host(other);
  }
}

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
  if (limb_stride < shape.degree) {
    throw_invalid_argument({"Storage::borrow", concat("limb_stride = ", limb_stride),
                            concat("the degree, ", shape.degree, ", or more"),
                            "pass the distance between two limbs in words"});
  }
  Storage storage;
  storage.shape_ = shape;
  storage.secrecy_ = secrecy;
  storage.limb_stride_ = limb_stride;
  if (checked_word_count(shape, limb_stride) == 0 || shape.degree == 0) return storage;
  if (words == nullptr) {
    throw_invalid_argument({"Storage::borrow", "words = null",
                            concat("the address of ", storage.word_count(), " words"),
                            "pass memory that outlives the Storage"});
  }
  storage.block_ = Block::make(nullptr, shape, limb_stride, secrecy, words);
  return storage;
}

std::shared_ptr<HostPool> Storage::pool() const noexcept {
  return block_ == nullptr ? nullptr : block_->pool;
}

bool Storage::is_like(const Storage& other) const noexcept {
  return block_ != nullptr && shape_ == other.shape_ && limb_stride_ == other.limb_stride_ &&
         secrecy_ == other.secrecy_;
}

/// Whether every row is words of one block, one behind the other. There may be many, scattered over
/// the host's memory: most of the time is waiting for that.
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
      // Less may be there; what fails for another reason than memory fails again.
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
