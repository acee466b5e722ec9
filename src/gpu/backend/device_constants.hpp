// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/backend/limbs.hpp"
#include "gpu/memory/device_memory.hpp"
#include "ringlet/ring/basis_conversion.hpp"
#include "ringlet/ring/rns_basis.hpp"

namespace ringlet::gpu {

/// Owns a block of a device's memory and gives it back.
class DeviceBlock {
 public:
  /// @throws as DeviceMemory::allocate.
  DeviceBlock(std::shared_ptr<DeviceMemory> memory, std::size_t words, Secrecy secrecy);
  ~DeviceBlock();
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;

  std::uint64_t* words() const noexcept { return words_; }
  const Place& place() const noexcept { return place_; }

 private:
  std::shared_ptr<DeviceMemory> memory_;
  std::uint64_t* words_;
  Place place_;
};

/// Keeps small lists of constants in a device's memory. It makes a list at the first request and
/// drops the least recently used one first. A dropped list lives on while a caller holds it. The
/// caller may release it once the launches that read it are queued: later work takes effect later.
/// Thread-safe.
class ConstantCache {
 public:
  using Block = std::shared_ptr<const DeviceBlock>;
  using Words = std::vector<std::uint64_t>;

  /// Most lists that are kept, and most words in all of them. The newest list is always kept.
  static constexpr std::size_t kMostLists = 512;
  static constexpr std::size_t kMostWords = std::size_t{1} << 20;

  explicit ConstantCache(std::shared_ptr<DeviceMemory> memory);

  /// Returns the list that `key` determines; make() computes its words, at least one.
  /// @throws what make() throws, or as DeviceMemory::allocate and upload. Nothing is kept then.
  template <typename Make>
  Block get(Words key, const Make& make) {
    const std::lock_guard lock(mutex_);
    if (Block block = find(key)) return block;
    return add(std::move(key), make());
  }
  std::size_t size() const;

 private:
  struct Entry {
    Words key;
    Block block;
    std::size_t word_count;
  };
  struct Hash {
    std::size_t operator()(std::span<const std::uint64_t> key) const noexcept;
  };
  struct Equal {
    bool operator()(std::span<const std::uint64_t> a,
                    std::span<const std::uint64_t> b) const noexcept;
  };

  Block find(const Words& key);
  Block add(Words key, const Words& words);

  std::shared_ptr<DeviceMemory> memory_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  ///< Most recently used first.
  /// Its keys refer to those of the entries.
  std::unordered_map<std::span<const std::uint64_t>, std::list<Entry>::iterator, Hash, Equal>
      index_;
  std::size_t word_count_ = 0;
};

/// Provides the constants of a basis for the backend's kernels. Each list has the layout that the
/// named file of src/gpu/kernels states.
class BackendConstants {
 public:
  using Block = ConstantCache::Block;

  BackendConstants(std::shared_ptr<DeviceMemory> memory, const RnsBasis& basis);

  /// Indices of primes, for transforms. Hold `block` until the transforms are queued.
  struct List {
    Block block;
    PrimeList primes;
  };
  List prime_list(PrimeIndices primes) const;

  /// elementwise.inc: primes with their Barrett constants.
  Block primes(PrimeIndices primes) const;
  /// elementwise.inc: reduced factors, one per prime.
  Block scalars(PrimeIndices primes, std::span<const std::uint64_t> scalars) const;
  /// division.inc: lifts of digits of `digit_prime`.
  Block digit_lift(PrimeIndices primes, std::size_t digit_prime) const;
  /// division.inc: lifts of digits of each of the `count` primes from `first_prime` on, one list
  /// after another.
  Block digit_lifts(PrimeIndices primes, std::size_t first_prime, std::size_t count) const;
  /// ntt_key_products.inc: constants of `digits`, then of the limbs of `targets`, where limb i has
  /// the digit of its own with number own_digits[i].
  Block key_products(PrimeIndices targets, std::span<const std::uint64_t> digits,
                     std::span<const std::uint64_t> own_digits) const;
  /// division.inc: the division by the last of `primes`.
  /// @throws InvalidArgument if `preserve` has no inverse modulo that prime.
  Block division_by_last(PrimeIndices primes, std::uint64_t preserve) const;
  /// division.inc: the end of the division by the product that `conversion` starts from, modulo
  /// the first `target_count` primes that it leads to.
  Block division_end(const BasisConversion& conversion, std::size_t target_count,
                     std::uint64_t preserve) const;
  /// conversion.inc: the conversion to the first `target_count` primes, or to the modulus, with
  /// `preserve` = 1; or the division that keeps residues modulo `preserve`.
  /// @throws InvalidArgument if `preserve` has no inverse modulo one of the first primes.
  Block conversion(const BasisConversion& conversion, std::size_t target_count,
                   std::uint64_t preserve) const;

 private:
  RnsBasis basis_;
  mutable ConstantCache cache_;
};

}  // namespace ringlet::gpu
