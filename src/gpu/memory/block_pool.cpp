// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/block_pool.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ringlet::gpu {
namespace {

constexpr std::size_t kSmallestClass = 512;
constexpr int kClassBits = 4;

std::uintptr_t number_of(const std::uint64_t* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

/// Returns bytes of device memory; 0 once the pool is emptied.
std::size_t byte_count(const Block& block) noexcept {
  return block.buffer == nullptr ? 0 : block.capacity * sizeof(std::uint64_t);
}

}  // namespace

std::size_t size_class(std::size_t words) noexcept {
  if (words <= kSmallestClass) return kSmallestClass;
  const std::size_t step = std::bit_floor(words - 1) >> kClassBits;
  return (words + step - 1) / step * step;
}

Block* BlockPool::take(std::size_t capacity, std::size_t words, Secrecy secrecy) noexcept {
  const auto list = cached_.find(capacity);
  if (list == cached_.end() || list->second == nullptr) return nullptr;
  Block* const block = std::exchange(list->second, list->second->next_cached);
  block->next_cached = nullptr;
  block->is_cached = false;
  block->words = words;
  block->is_secret = secrecy == Secrecy::secret;
  statistics_.cached -= byte_count(*block);
  statistics_.in_use += byte_count(*block);
  ++statistics_.reuse_count;
  return block;
}

Block& BlockPool::add(AddressRange range, std::shared_ptr<Buffer> buffer, std::size_t capacity,
                      std::size_t words, Secrecy secrecy) {
  cached_.try_emplace(capacity, nullptr);  // so that giving back needs no memory
  const std::uintptr_t start = number_of(range.begin());
  Block& block = blocks_[start];
  block.range = std::move(range);
  block.buffer = std::move(buffer);
  block.capacity = capacity;
  block.words = words;
  block.is_secret = secrecy == Secrecy::secret;
  statistics_.in_use += byte_count(block);
  statistics_.peak = std::max(statistics_.peak, statistics_.in_use + statistics_.cached);
  return block;
}

const Block* BlockPool::find(const std::uint64_t* address) const noexcept {
  auto next = blocks_.upper_bound(number_of(address));
  if (next == blocks_.begin()) return nullptr;
  const auto& [start, block] = *--next;
  const std::size_t offset = number_of(address) - start;
  return block.is_cached || offset > block.words * sizeof(std::uint64_t) ? nullptr : &block;
}

const Block* BlockPool::find_start(const std::uint64_t* address) const noexcept {
  const auto found = blocks_.find(number_of(address));
  return found == blocks_.end() || found->second.is_cached ? nullptr : &found->second;
}

void BlockPool::give_back(const std::uint64_t* address, bool keep) noexcept {
  const auto found = blocks_.find(number_of(address));
  if (found == blocks_.end() || found->second.is_cached) return;
  Block& block = found->second;
  const std::size_t bytes = byte_count(block);
  statistics_.in_use -= bytes;
  if (!keep || bytes == 0) {
    blocks_.erase(found);
    return;
  }
  Block*& list = cached_.find(block.capacity)->second;
  block.is_cached = true;
  block.next_cached = std::exchange(list, &block);
  statistics_.cached += bytes;
}

void BlockPool::trim() noexcept {
  for (auto& [capacity, list] : cached_) list = nullptr;
  std::erase_if(blocks_, [](const auto& entry) { return entry.second.is_cached; });
  statistics_.cached = 0;
}

void BlockPool::clear() noexcept {
  trim();
  for (auto& [start, block] : blocks_) block.buffer = nullptr;
  statistics_.in_use = 0;
}

}  // namespace ringlet::gpu
