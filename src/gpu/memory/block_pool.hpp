// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "gpu/driver.hpp"
#include "gpu/memory/address_space.hpp"
#include "ringlet/gpu/device.hpp"
#include "ringlet/ring/memory.hpp"

namespace ringlet::gpu {

/// Returns the words of the smallest size class that holds `words`, at least one. There are sixteen
/// classes between two powers of two. Limbs are padded, so most requests lie a little above a
/// multiple of a power of two: coarser classes would leave up to half of a block unused.
std::size_t size_class(std::size_t words) noexcept;

/// A buffer of a device behind addresses of its own.
struct Block {
  AddressRange range;
  std::shared_ptr<Buffer> buffer;  ///< Null once the pool is emptied.
  std::size_t capacity = 0;        ///< Words of the buffer.
  std::size_t words = 0;           ///< Words that were requested.
  bool is_secret = false;
  bool is_cached = false;        ///< Released, and kept for reuse.
  Block* next_cached = nullptr;  ///< Of the same capacity.
};

/// The blocks of one device: those in use by their addresses, and lists of released ones by their
/// size. Giving back allocates nothing and so cannot fail. Not synchronised.
class BlockPool {
 public:
  /// Takes a cached block of `capacity` words into use; null if there is none.
  Block* take(std::size_t capacity, std::size_t words, Secrecy secrecy) noexcept;
  /// Adds a new block in use, whose buffer has `capacity` words.
  /// @throws std::bad_alloc.
  Block& add(AddressRange range, std::shared_ptr<Buffer> buffer, std::size_t capacity,
             std::size_t words, Secrecy secrecy);
  /// Returns the block in use that has `address`, or ends there; null if there is none.
  const Block* find(const std::uint64_t* address) const noexcept;
  /// Returns the block in use that starts at `address`; null if there is none.
  const Block* find_start(const std::uint64_t* address) const noexcept;
  /// Ends the use of the block that starts at `address`, if there is one: it is cached if `keep`
  /// says so and it has a buffer, and is forgotten otherwise.
  void give_back(const std::uint64_t* address, bool keep) noexcept;

  /// Forgets all cached blocks.
  void trim() noexcept;
  /// Forgets all cached blocks, and the buffers of those in use. Their addresses stay reserved
  /// until they are given back.
  void clear() noexcept;
  /// Calls visit(block) for all blocks in use.
  template <typename Visit>
  void for_blocks_in_use(const Visit& visit) const {
    for (const auto& [start, block] : blocks_) {
      if (!block.is_cached) visit(block);
    }
  }
  void count_allocation() noexcept { ++statistics_.allocation_count; }
  const MemoryStatistics& statistics() const noexcept { return statistics_; }

 private:
  std::map<std::uintptr_t, Block> blocks_;  ///< By their first address.
  std::map<std::size_t, Block*> cached_;    ///< Lists by capacity; maybe empty.
  MemoryStatistics statistics_;
};

}  // namespace ringlet::gpu
