// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "gpu/driver.hpp"
#include "gpu/owner_process.hpp"
#include "gpu/queue_lanes.hpp"
#include "ringlet/gpu/device.hpp"
#include "ringlet/ring/memory.hpp"

namespace ringlet::gpu {

/// The buffer and the offset of the words behind an address.
struct Place {
  std::shared_ptr<Buffer> buffer;
  std::uint64_t word = 0;  ///< Offset in words.
};

/// The memory of one open device: blocks behind reserved addresses, and a cache of released ones
/// (Zhai et al., section III-C: a request takes a free buffer of its size class if there is one).
/// Thread-safe; the queues are used under their mutex. A released block is reused at once: its
/// queue is in order, and other queues wait for earlier work. Secret blocks are cleared first.
/// If the device has no memory left, the cache is given back and the request repeated, once.
/// In a forked process every call but release throws LogicError, and nothing is given back.
class DeviceMemory final : public Memory, private OutOfMemoryHandler {
 public:
  DeviceMemory(std::string name, std::shared_ptr<DriverDevice> device,
               const DeviceOptions& options);
  ~DeviceMemory() override;

  std::string name() const override;
  std::size_t shared_block_words() const override;
  std::uint64_t* allocate(std::size_t words, Secrecy secrecy) override;
  void release(std::uint64_t* block) noexcept override;
  void upload(std::uint64_t* target, const std::uint64_t* source, std::size_t words) override;
  void download(std::uint64_t* target, const std::uint64_t* source, std::size_t words) override;
  void copy(std::uint64_t* target, const std::uint64_t* source, std::size_t words) override;

  /// Returns the place behind an address: any address of a block or its end.
  /// @throws LogicError for an address of the host, of another device, or of a block that was
  ///         released.
  Place resolve(const std::uint64_t* address) const;

  /// Runs work(queue) under the mutex of the queues, for work whose accesses are unknown: with
  /// several queues it comes after all earlier work and before all later work. `work` may call
  /// every function of this class, this one included.
  /// @throws LogicError if the device is closed.
  template <typename Work>
  decltype(auto) with_queue(const Work& work) {
    return with_lanes([&work](QueueLanes& lanes) { return lanes.submit_alone(work); });
  }
  /// Runs work(lanes) under the mutex of the queues. `work` may call every function of this class,
  /// but not while it submits.
  /// @throws LogicError if the device is closed.
  template <typename Work>
  decltype(auto) with_lanes(const Work& work) {
    process_.check();
    const std::lock_guard lock(queue_mutex_);
    check_open();
    return work(*lanes_);
  }
  DriverDevice& device() const noexcept { return *device_; }
  const DeviceOptions& options() const noexcept { return options_; }

  /// Sets a lower limit of shared_block_words() than that of the device: for tests.
  void limit_shared_blocks(std::size_t words) noexcept { most_shared_words_ = words; }

  /// Gives back all cached blocks.
  void trim() noexcept;
  MemoryStatistics statistics() const;
  /// Says for people where the queues are; empty if there is one queue.
  std::string describe_queues() const;
  /// Waits for all work. @throws RuntimeError if work failed.
  void synchronize();
  /// As Device::time.
  double time(const std::function<void()>& work);
  /// Closes the device: from then on every operation but release throws LogicError.
  void close() noexcept;

 private:
  struct State;
  void check_open() const;
  std::shared_ptr<Buffer> allocate_buffer(std::size_t words);
  void release_unused() noexcept override { trim(); }
  [[noreturn]] void refuse(const std::string& call, const std::string& driver_says) override;
  [[noreturn]] void report_no_memory(const std::string& what, const std::string& driver_says) const;
  Place locate(const std::uint64_t* address, std::size_t words) const;
  bool clear_buffer(const Buffer& buffer) noexcept;

  OwnerProcess process_;
  std::string name_;
  std::shared_ptr<DriverDevice> device_;
  DeviceOptions options_;
  std::atomic<std::size_t> most_shared_words_;
  std::recursive_mutex queue_mutex_;   ///< Taken before the mutex of the state.
  std::unique_ptr<QueueLanes> lanes_;  ///< Null once it is closed.
  std::string queues_;
  std::unique_ptr<State> state_;
  std::atomic<std::uint64_t> uploaded_{0};
  std::atomic<std::uint64_t> downloaded_{0};
};

/// Return the access of work to `words` words from `place` on.
inline Access read(const Place& place, std::size_t words) {
  return {place.buffer.get(), place.word, place.word + words, false};
}
inline Access write(const Place& place, std::size_t words) {
  return {place.buffer.get(), place.word, place.word + words, true};
}

}  // namespace ringlet::gpu
