// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/device_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "gpu/memory/block_pool.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
// Sizes below this overflow neither in bytes nor when they are rounded up.
constexpr std::size_t kMostWords = std::numeric_limits<std::size_t>::max() / kWordBytes / 2;

std::string byte_text(std::size_t words) { return concat(words * kWordBytes, " bytes"); }

void clear(QueueLanes& lanes, const Buffer& buffer) {
  const Access all{&buffer, 0, buffer.byte_count() / kWordBytes, true};
  lanes.submit({&all, 1}, [&buffer](Queue& queue) { queue.clear(buffer, 0, buffer.byte_count()); });
}

}  // namespace

struct DeviceMemory::State {
  mutable std::mutex mutex;
  BlockPool pool;
  std::atomic<bool> is_closed{false};
};

DeviceMemory::DeviceMemory(std::string name, std::shared_ptr<DriverDevice> device,
                           const DeviceOptions& options)
    : name_(std::move(name)),
      device_(std::move(device)),
      options_(options),
      most_shared_words_(
          std::min<std::size_t>(Memory::shared_block_words(),
                                device_->properties().largest_allocation_bytes / kWordBytes)),
      lanes_(std::make_unique<QueueLanes>(*device_, options.queue_count, options.use_timing,
                                          static_cast<OutOfMemoryHandler&>(*this))),
      state_(std::make_unique<State>()) {
  if (lanes_->count() == 1) return;
  queues_ = concat(lanes_->count(), " queues, ",
                   lanes_->is_on_parts() ? "each on a part of the device" : "all on the device");
}

DeviceMemory::~DeviceMemory() {
  if (process_.is_this()) {
    close();
    return;
  }
  // The driver must not be called: its objects stay.
  static_cast<void>(lanes_.release());
  static_cast<void>(state_.release());
}

std::string DeviceMemory::name() const { return name_; }

std::size_t DeviceMemory::shared_block_words() const {
  check_open();
  return most_shared_words_;
}

void DeviceMemory::check_open() const {
  process_.check();
  if (!state_->is_closed) return;
  throw_logic_error({.offending = concat(name_, ": the device was closed"),
                     .limit = "an open device",
                     .remedy = "open the device again, and load or make backends, keys and "
                               "ciphertexts again"});
}

std::uint64_t* DeviceMemory::allocate(std::size_t words, Secrecy secrecy) {
  if (words == 0) {
    ringlet::refuse(concat(name_, ": allocation of 0 words"), "one word or more",
                    "leave out blocks without words");
  }
  check_open();
  const std::uint64_t all = device_->properties().memory_bytes;
  if (words > kMostWords || words * kWordBytes > all) {
    report_no_memory(words > kMostWords ? concat(words, " words") : byte_text(words), "");
  }
  std::size_t capacity = words;
  if (options_.use_memory_cache) {
    const std::size_t most = device_->properties().largest_allocation_bytes / kWordBytes;
    capacity = size_class(words);
    if (words <= most) capacity = std::min(capacity, most);
    const std::lock_guard lock(state_->mutex);
    if (const Block* block = state_->pool.take(capacity, words, secrecy)) {
      return block->range.begin();
    }
  }
  AddressRange range(capacity);
  std::shared_ptr<Buffer> buffer = allocate_buffer(capacity);
  const std::lock_guard lock(state_->mutex);
  check_open();
  return state_->pool.add(std::move(range), std::move(buffer), capacity, words, secrecy)
      .range.begin();
}

std::shared_ptr<Buffer> DeviceMemory::allocate_buffer(std::size_t words) {
  const auto ask = [this, words] {
    {
      const std::lock_guard lock(state_->mutex);
      state_->pool.count_allocation();
    }
    return device_->allocate(words * kWordBytes);
  };
  try {
    return ask();
  } catch (const OutOfDeviceMemory&) {
    with_lanes([](QueueLanes& lanes) { lanes.recover(); });
  }
  try {
    return ask();
  } catch (const OutOfDeviceMemory& error) {
    report_no_memory(byte_text(words), error.offending());
  }
}

void DeviceMemory::refuse(const std::string& call, const std::string& driver_says) {
  report_no_memory(call, driver_says);
}

void DeviceMemory::report_no_memory(const std::string& what, const std::string& driver_says) const {
  const MemoryStatistics use = statistics();
  const DeviceProperties& device = device_->properties();
  throw OutOfDeviceMemory(
      {.offending = concat(name_, ": allocation: ", what, " beside ", use.in_use, " in use and ",
                           use.cached, " cached", driver_says.empty() ? "" : " (", driver_says,
                           driver_says.empty() ? "" : ")"),
       .limit = concat(device.memory_bytes, " bytes of device memory, ",
                       device.largest_allocation_bytes, " in one block"),
       .remedy = "release what is no longer needed, use smaller batches, or a device with more "
                 "memory; operands are as they were"});
}

void DeviceMemory::release(std::uint64_t* block) noexcept {
  if (!process_.is_this()) return;
  std::shared_ptr<Buffer> secret;
  {
    const std::lock_guard lock(state_->mutex);
    const Block* const found = state_->pool.find_start(block);
    if (found == nullptr) return;
    if (found->is_secret) secret = found->buffer;
  }
  const bool is_clean = secret == nullptr || clear_buffer(*secret);
  const std::lock_guard lock(state_->mutex);
  state_->pool.give_back(block, options_.use_memory_cache && is_clean);
}

// The driver gets a buffer that cannot be cleared: the cache must not keep it.
bool DeviceMemory::clear_buffer(const Buffer& buffer) noexcept {
  try {
    with_lanes([&buffer](QueueLanes& lanes) { clear(lanes, buffer); });
    return true;
  } catch (...) {
    return false;
  }
}

Place DeviceMemory::resolve(const std::uint64_t* address) const { return locate(address, 0); }

/// Returns the place of `words` words from `address` on.
Place DeviceMemory::locate(const std::uint64_t* address, std::size_t words) const {
  process_.check();
  const std::lock_guard lock(state_->mutex);
  check_open();
  const Block* const block = state_->pool.find(address);
  if (block == nullptr) {
    throw_logic_error({.offending = concat(name_, ": an address that is not in its memory"),
                       .limit = "addresses of blocks that it has allocated",
                       .remedy = "this is host memory, that of another device, or was released: "
                                 "take the view for the memory of the backend that computes"});
  }
  const auto offset = static_cast<std::size_t>(address - block->range.begin());
  if (words > block->words - offset) {
    throw_logic_error({.offending = concat(name_, ": ", words, " words from word ", offset, " on"),
                       .limit = concat("a block of ", block->words, " words"),
                       .remedy = "stay within one block"});
  }
  return {block->buffer, offset};
}

void DeviceMemory::upload(std::uint64_t* target, const std::uint64_t* source, std::size_t words) {
  if (words == 0) return check_open();
  with_lanes([&](QueueLanes& lanes) {
    const Place place = locate(target, words);
    const Access access = write(place, words);
    lanes.submit({&access, 1}, [&](Queue& queue) {
      queue.upload(*place.buffer, place.word * kWordBytes, std::as_bytes(std::span(source, words)));
    });
  });
  uploaded_ += words * kWordBytes;
}

void DeviceMemory::download(std::uint64_t* target, const std::uint64_t* source, std::size_t words) {
  if (words == 0) return check_open();
  with_lanes([&](QueueLanes& lanes) {
    const Place place = locate(source, words);
    lanes.download(read(place, words), [&](Queue& queue) {
      queue.download(std::as_writable_bytes(std::span(target, words)), *place.buffer,
                     place.word * kWordBytes);
    });
  });
  downloaded_ += words * kWordBytes;
}

void DeviceMemory::copy(std::uint64_t* target, const std::uint64_t* source, std::size_t words) {
  if (words == 0) return check_open();
  with_lanes([&](QueueLanes& lanes) {
    const Place to = locate(target, words);
    const Place from = locate(source, words);
    lanes.submit(std::array{write(to, words), read(from, words)}, [&](Queue& queue) {
      queue.copy(*to.buffer, to.word * kWordBytes, *from.buffer, from.word * kWordBytes,
                 words * kWordBytes);
    });
  });
}

void DeviceMemory::trim() noexcept {
  if (!process_.is_this()) return;
  const std::lock_guard lock(state_->mutex);
  state_->pool.trim();
}

MemoryStatistics DeviceMemory::statistics() const {
  const std::lock_guard lock(state_->mutex);
  MemoryStatistics use = state_->pool.statistics();
  use.uploaded = uploaded_;
  use.downloaded = downloaded_;
  return use;
}

std::string DeviceMemory::describe_queues() const { return queues_; }

void DeviceMemory::synchronize() {
  with_lanes([](QueueLanes& lanes) { lanes.finish(); });
}

double DeviceMemory::time(const std::function<void()>& work) {
  if (!options_.use_timing) {
    throw_logic_error({.offending = concat(name_, " was opened without timing"),
                       .limit = "use_timing = true",
                       .remedy = "open the device with this option"});
  }
  const auto mark = [this] { return with_queue([](Queue& queue) { return queue.record(); }); };
  const std::shared_ptr<Event> start = mark();
  work();
  const std::shared_ptr<Event> end = mark();
  end->wait();
  with_lanes([](QueueLanes& lanes) { lanes.check(); });
  return end->seconds_since(*start);
}

void DeviceMemory::close() noexcept {
  if (!process_.is_this()) return;
  const std::lock_guard queue_lock(queue_mutex_);
  if (lanes_ == nullptr) return;
  const auto quietly = [](const auto& call) noexcept {
    try {
      call();
    } catch (...) {
      // A device that has failed leaves nothing to wait for or to wipe.
    }
  };
  std::vector<std::shared_ptr<Buffer>> secrets;
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_closed = true;
    state_->pool.for_blocks_in_use([&](const Block& block) {
      if (block.is_secret) quietly([&] { secrets.push_back(block.buffer); });
    });
  }
  for (const auto& buffer : secrets) quietly([&] { clear(*lanes_, *buffer); });
  quietly([this] { lanes_->finish(); });
  {
    const std::lock_guard lock(state_->mutex);
    state_->pool.clear();
  }
  lanes_ = nullptr;
}

}  // namespace ringlet::gpu
