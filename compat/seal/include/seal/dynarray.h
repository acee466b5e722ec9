// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <istream>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "seal/memorymanager.h"
#include "seal/serialization.h"
#include "seal/util/defines.h"
#ifdef SEAL_USE_MSGSL
#include <gsl/span>
#endif

namespace ringlet::seal4 {

/// An array of plain values in a memory pool, which can grow. Copy assignment keeps the
/// destination's pool, move assignment takes the source's pool. Two threads must not change an
/// array at the same time.
template <class T>
class DynArray {
  static_assert(std::is_trivially_copyable<T>::value, "DynArray holds plain values only");

 public:
  using type = T;
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  /// Makes an empty array. Throws std::invalid_argument if the pool is uninitialized.
  DynArray(MemoryPoolHandle pool = MemoryManager::GetPool()) : pool_(std::move(pool)) {
    if (!pool_) throw std::invalid_argument("DynArray: the memory pool is uninitialized");
  }

  /// Makes an array of `size` zeros.
  explicit DynArray(std::size_t size, MemoryPoolHandle pool = MemoryManager::GetPool())
      : DynArray(std::move(pool)) {
    resize(size);
  }

  /// Makes an array of `size` zeros with room for `capacity` values. Throws std::invalid_argument
  /// if the capacity is less than the size.
  DynArray(std::size_t capacity, std::size_t size, MemoryPoolHandle pool = MemoryManager::GetPool())
      : DynArray(std::move(pool)) {
    if (capacity < size) {
      throw std::invalid_argument("DynArray: the capacity is smaller than the size");
    }
    reserve(capacity);
    resize(size);
  }

  /// Makes a copy of `size` values. Throws std::invalid_argument if `values` is null and size is
  /// not 0, or if the capacity is less than the size.
  DynArray(const T* values, std::size_t size, std::size_t capacity,
           MemoryPoolHandle pool = MemoryManager::GetPool())
      : DynArray(std::move(pool)) {
    if (values == nullptr && size != 0) throw std::invalid_argument("DynArray: null values");
    if (capacity < size) {
      throw std::invalid_argument("DynArray: the capacity is smaller than the size");
    }
    reserve(capacity);
    resize(size, false);
    std::copy_n(values, size, begin());
  }
  DynArray(const T* values, std::size_t size, MemoryPoolHandle pool = MemoryManager::GetPool())
      : DynArray(values, size, size, std::move(pool)) {}

#ifdef SEAL_USE_MSGSL
  explicit DynArray(gsl::span<const T> values, std::size_t capacity,
                    MemoryPoolHandle pool = MemoryManager::GetPool())
      : DynArray(values.data(), values.size(), capacity, std::move(pool)) {}
  explicit DynArray(gsl::span<const T> values, MemoryPoolHandle pool = MemoryManager::GetPool())
      : DynArray(values, values.size(), std::move(pool)) {}
#endif

  /// Makes a copy in the source's pool, or in the given pool; its capacity is the source's size.
  DynArray(const DynArray& copy) : DynArray(copy, copy.pool_) {}
  DynArray(const DynArray& copy, MemoryPoolHandle pool)
      : DynArray(copy.data_, copy.size_, std::move(pool)) {}

  /// Takes the memory of the source, which is then empty and keeps its pool.
  DynArray(DynArray&& source) noexcept
      : pool_(source.pool_),
        capacity_(std::exchange(source.capacity_, 0)),
        size_(std::exchange(source.size_, 0)),
        data_(std::exchange(source.data_, nullptr)) {}

  DynArray& operator=(const DynArray& assign) {
    if (this == &assign) return *this;
    resize(assign.size_, false);
    std::copy_n(assign.data_, assign.size_, data_);
    return *this;
  }

  DynArray& operator=(DynArray&& assign) noexcept {
    if (this == &assign) return *this;
    release();
    pool_ = assign.pool_;
    capacity_ = std::exchange(assign.capacity_, 0);
    size_ = std::exchange(assign.size_, 0);
    data_ = std::exchange(assign.data_, nullptr);
    return *this;
  }

  ~DynArray() { release(); }

#ifdef SEAL_USE_MSGSL
  /// Copies the values, which may be a part of this array. Pool and a large enough capacity stay.
  DynArray& operator=(gsl::span<const T> values) {
    const DynArray copied(values, pool_);
    return *this = copied;
  }
  SEAL_NODISCARD gsl::span<T> span() { return {data_, size_}; }
  SEAL_NODISCARD gsl::span<const T> span() const { return {data_, size_}; }
#endif

  SEAL_NODISCARD T* begin() noexcept { return data_; }
  SEAL_NODISCARD const T* begin() const noexcept { return data_; }
  SEAL_NODISCARD const T* cbegin() const noexcept { return data_; }
  SEAL_NODISCARD T* end() noexcept { return data_ + size_; }
  SEAL_NODISCARD const T* end() const noexcept { return data_ + size_; }
  SEAL_NODISCARD const T* cend() const noexcept { return data_ + size_; }

  /// Returns the value at an index. Throws std::out_of_range if the index is not below the size.
  SEAL_NODISCARD const T& at(std::size_t index) const {
    check_index(index);
    return data_[index];
  }
  SEAL_NODISCARD T& at(std::size_t index) {
    check_index(index);
    return data_[index];
  }

  /// Returns the value at an index without a check.
  SEAL_NODISCARD const T& operator[](std::size_t index) const { return data_[index]; }
  SEAL_NODISCARD T& operator[](std::size_t index) { return data_[index]; }

  SEAL_NODISCARD bool empty() const noexcept { return size_ == 0; }
  SEAL_NODISCARD std::size_t size() const noexcept { return size_; }
  SEAL_NODISCARD std::size_t capacity() const noexcept { return capacity_; }
  SEAL_NODISCARD std::size_t max_size() const noexcept {
    return std::numeric_limits<std::size_t>::max() / sizeof(T) / 2;
  }
  SEAL_NODISCARD MemoryPoolHandle pool() const noexcept { return pool_; }

  /// Returns the memory to the pool; size and capacity become 0.
  void release() noexcept {
    detail::pool_release(pool_, data_, capacity_ * sizeof(T));
    data_ = nullptr;
    capacity_ = 0;
    size_ = 0;
  }

  /// Sets the size to 0 and keeps the capacity.
  void clear() noexcept { size_ = 0; }

  /// Sets the capacity. If it is below the size, the last values are lost. Throws std::logic_error
  /// above max_size().
  void reserve(std::size_t capacity) {
    if (capacity == capacity_) return;
    if (capacity > max_size()) throw std::logic_error("DynArray: the capacity is too large");
    T* grown = static_cast<T*>(detail::pool_allocate(pool_, capacity * sizeof(T)));
    const std::size_t kept = std::min(capacity, size_);
    std::copy_n(data_, kept, grown);
    detail::pool_release(pool_, data_, capacity_ * sizeof(T));
    data_ = grown;
    capacity_ = capacity;
    size_ = kept;
  }

  void shrink_to_fit() { reserve(size_); }

  /// Changes the size. The capacity grows to the size if necessary and never shrinks. New values
  /// are zero, or unspecified without fill_zero. Throws std::logic_error above max_size().
  void resize(std::size_t size, bool fill_zero = true) {
    if (size > capacity_) reserve(size);
    if (fill_zero && size > size_) std::fill(data_ + size_, data_ + size, T{});
    size_ = size;
  }

  /// Returns the number of bytes that save() writes: exact in mode none, an upper bound otherwise.
  SEAL_NODISCARD std::streamoff save_size(
      compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    const std::size_t members = sizeof(std::uint64_t) + size_ * sizeof(T);
    return static_cast<std::streamoff>(Serialization::seal_header_size +
                                       Serialization::ComprSizeEstimate(members, compr_mode));
  }

  /// Writes the count as 64 bits, then the values, little-endian. Throws the errors of
  /// Serialization.
  std::streamoff save(std::ostream& stream,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    return Serialization::Save([this](std::ostream& out) { save_members(out); },
                               save_size(compr_mode_type::none), stream, compr_mode, clears());
  }
  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const {
    return Serialization::Save([this](std::ostream& stream) { save_members(stream); },
                               save_size(compr_mode_type::none), out, size, compr_mode, clears());
  }

  /// Reads an array that save() wrote; on failure this array keeps its values. Throws the errors of
  /// Serialization, and std::logic_error also if the count exceeds in_size_bound. A bound of 0
  /// means no bound; memory then grows with the data that the stream really holds. For a compressed
  /// array it grows to at most 64 times the stored size plus 1 MiB.
  std::streamoff load(std::istream& stream, std::size_t in_size_bound = 0) {
    DynArray loaded(pool_);
    const std::streamoff read = Serialization::Load(
        [&](std::istream& in, SEALVersion) { loaded.load_members(in, in_size_bound); }, stream,
        clears(), max_file_size(in_size_bound));
    take(loaded);
    return read;
  }
  std::streamoff load(const seal_byte* in, std::size_t size, std::size_t in_size_bound = 0) {
    DynArray loaded(pool_);
    const std::streamoff read = Serialization::Load(
        [&](std::istream& stream, SEALVersion) { loaded.load_members(stream, in_size_bound); }, in,
        size, clears(), max_file_size(in_size_bound));
    take(loaded);
    return read;
  }

 private:
  /// Takes the values of an array of the same pool. Like copies, they keep a capacity that is large
  /// enough.
  void take(DynArray& loaded) {
    if (loaded.size_ <= capacity_) {
      *this = loaded;
    } else {
      *this = std::move(loaded);
    }
  }

  void check_index(std::size_t index) const {
    if (index >= size_) throw std::out_of_range("DynArray: the index is not below the size");
  }

  bool clears() const noexcept { return detail::clears_on_release(pool_); }

  static constexpr std::uint64_t max_file_size(std::size_t in_size_bound) noexcept {
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    constexpr std::uint64_t kFixed = Serialization::seal_header_size + sizeof(std::uint64_t);
    if (in_size_bound == 0 || in_size_bound > (kMax - kFixed) / sizeof(T)) return kMax;
    return kFixed + in_size_bound * sizeof(T);
  }

  void save_members(std::ostream& stream) const {
    check_byte_order();
    detail::write_value(stream, std::uint64_t{size_});
    detail::write_values(stream, data_, size_, sizeof(T));
  }

  void load_members(std::istream& stream, std::size_t in_size_bound) {
    constexpr std::size_t kFirstBytes = std::size_t{1} << 12;
    check_byte_order();
    const auto count = detail::read_value<std::uint64_t>(stream);
    if (count > max_size() || (in_size_bound != 0 && count > in_size_bound)) {
      throw std::logic_error("DynArray: the stored count of values is too large");
    }
    if (in_size_bound != 0) reserve(static_cast<std::size_t>(count));
    // Without a bound, memory grows only with the values read so far: a wrong count allocates
    // little.
    while (size_ < count) {
      const std::size_t begin = size_;
      const std::size_t chunk = std::max({capacity_ - begin, begin, kFirstBytes / sizeof(T) + 1});
      resize(begin + static_cast<std::size_t>(std::min<std::uint64_t>(chunk, count - begin)),
             false);
      detail::read_values(stream, data_ + begin, size_ - begin, sizeof(T));
    }
  }

  // Checked only for saving and loading, so that an array can hold values of other types too.
  static constexpr void check_byte_order() noexcept {
    static_assert(std::is_arithmetic<T>::value || std::is_enum<T>::value,
                  "DynArray knows the byte order of arithmetic types and enumerations");
  }

  MemoryPoolHandle pool_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
