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

/// A block of a device's memory that gives itself back.
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

/// Small lists of constants in a device's memory, made when they are first asked for; those not
/// used for longest go first. A list that has gone lives on while somebody holds it, and may be let
/// go as soon as the launches that read it are queued: what comes later takes effect later.
/// Thread-safe.
class ConstantCache {
 public:
  using Block = std::shared_ptr<const DeviceBlock>;
  using Words = std::vector<std::uint64_t>;

  /// Most lists kept, and most words in all of them; the newest is kept whatever its size.
  static constexpr std::size_t kMostLists = 512;
  static constexpr std::size_t kMostWords = std::size_t{1} << 20;

  explicit ConstantCache(std::shared_ptr<DeviceMemory> memory);

  /// The list that `key` determines; make() computes its words, at least one.
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
  std::list<Entry> entries_;  ///< The last used first.
  /// Keys are those of the entries.
  std::unordered_map<std::span<const std::uint64_t>, std::list<Entry>::iterator, Hash, Equal>
      index_;
  std::size_t word_count_ = 0;
};

/// The constants that the backend's kernels take, as the files of src/gpu/kernels lay them out; all
/// are of the basis.
class BackendConstants {
 public:
  using Block = ConstantCache::Block;

  BackendConstants(std::shared_ptr<DeviceMemory> memory, const RnsBasis& basis);

  /// Indices of primes, for transforms. `block` is to be held until these are queued.
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
  /// division.inc: the same for each of `count` digits, of the primes from `first_prime` on, one
  /// list after another.
  Block digit_lifts(PrimeIndices primes, std::size_t first_prime, std::size_t count) const;
  /// ntt_key_products.inc: digits, and the limbs of targets with the number of each one's own
  /// digit.
  Block key_products(PrimeIndices targets, std::span<const std::uint64_t> digits,
                     std::span<const std::uint64_t> own_digits) const;
  /// division.inc: the division by the last of `primes`.
  /// @throws InvalidArgument if `preserve` has no inverse modulo it.
  Block division_by_last(PrimeIndices primes, std::uint64_t preserve) const;
  /// division.inc: the end of the division by the product that `conversion` starts from, modulo
  /// the first `target_count` primes that it leads to.
  Block division_end(const BasisConversion& conversion, std::size_t target_count,
                     std::uint64_t preserve) const;
  /// conversion.inc: the conversion to the first `target_count` primes, or to the modulus; or, with
  /// what is preserved, the division.
  /// @throws InvalidArgument if `preserve` has no inverse modulo one of the first primes.
  Block conversion(const BasisConversion& conversion, std::size_t target_count,
                   std::uint64_t preserve) const;

 private:
  RnsBasis basis_;
  mutable ConstantCache cache_;
};

}  // namespace ringlet::gpu
