// SPDX-License-Identifier: Apache-2.0
#include "ring/backend/storage_block.hpp"

#include <algorithm>
#include <cstring>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace ringlet {

DeviceWords make_block(const std::shared_ptr<Memory>& memory, std::size_t words, Secrecy secrecy) {
  const auto release = [memory](std::uint64_t* block) { memory->release(block); };
  return {memory->allocate(words, secrecy), release};
}

void* allocate_bytes(const std::shared_ptr<HostPool>& pool, std::size_t bytes) {
  return pool != nullptr ? pool->allocate(bytes)
                         : ::operator new(bytes, std::align_val_t{kAlignment});
}

void release_bytes(const std::shared_ptr<HostPool>& pool, void* block, std::size_t bytes) noexcept {
  if (pool != nullptr) return pool->release(block, bytes);
  ::operator delete(block, std::align_val_t{kAlignment});
}

void Storage::ReleaseBlock::operator()(Block* block) const noexcept {
  const std::shared_ptr<HostPool> pool = block->pool;
  block->~Block();
  if (pool != nullptr) return pool->release(block, sizeof(Block));
  ::operator delete(block);
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

/// Makes views of other copies invalid. The memory of `wanted` stays; if null, that of all devices.
void Storage::Block::keep_only(const std::shared_ptr<Memory>& wanted) noexcept {
  in_view.clear();
  if (wanted == nullptr) {
    for (DeviceCopy& copy : copies) copy.is_current = false;
    return;
  }
  std::erase_if(copies, [&wanted](const DeviceCopy& copy) { return copy.memory != wanted; });
}

/// Calls move(first, words) for runs of own words, which exclude those between borrowed limbs.
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
    refuse(concat("words that ", current->memory->name(), " alone has, for ", wanted->name()),
           "operands on the host or on the device that computes",
           "bring them to the host first, or compute where they are");
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

// The copy is made where the source has its words. A device copies without the host, unless the
// target is borrowed memory of the host.
void Storage::Block::copy_words_of(Block& other) {
  DeviceCopy* const source = other.current_copy();
  if (source != nullptr && !is_borrowed) {
    copy_on_device(*source, other.limb_stride);
  } else if (source != nullptr || other.host_is_current) {
    copy_on_host(other);
  }
}

}  // namespace ringlet
