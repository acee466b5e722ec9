// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "gpu/driver.hpp"
#include "ringlet/device.hpp"
#include "ringlet/memory.hpp"

namespace ringlet::gpu {

/// Where the words behind an address are.
struct Place {
  std::shared_ptr<Buffer> buffer;
  std::uint64_t word = 0;  ///< Offset in words.
};

/// The memory of one open device: blocks behind reserved addresses, and a cache of released ones
/// (Zhai et al., section III-C: a request takes a free buffer of its size class if there is one).
/// Thread-safe; the queue is used under its mutex. A block is reused at once: the queue is in
/// order, and what was submitted before is done by then. Secret blocks are cleared before that.
/// Where the device has no memory left, the cache is given back and the request repeated, once.
class DeviceMemory final : public Memory {
 public:
  DeviceMemory(std::string name, std::shared_ptr<DriverDevice> device,
               const DeviceOptions& options);
  ~DeviceMemory() override;

  std::string name() const override;
  std::uint64_t* allocate(std::size_t words, Secrecy secrecy) override;
  void release(std::uint64_t* block) noexcept override;
  void upload(std::uint64_t* target, const std::uint64_t* source, std::size_t words) override;
  void download(std::uint64_t* target, const std::uint64_t* source, std::size_t words) override;
  void copy(std::uint64_t* target, const std::uint64_t* source, std::size_t words) override;

  /// The buffer behind an address, any address of a block or its end.
  /// @throws LogicError if there is none: an address of the host, of another device, or of a block
  ///         that was released.
  Place resolve(const std::uint64_t* address) const;

  /// Runs work(queue) under the mutex of the queue. `work` may call everything here, this included.
  /// @throws LogicError if the device is closed.
  template <typename Work>
  decltype(auto) with_queue(const Work& work) {
    const std::lock_guard lock(queue_mutex_);
    check_open();
    return work(*queue_);
  }
  DriverDevice& device() const noexcept { return *device_; }
  const DeviceOptions& options() const noexcept { return options_; }

  /// Gives back all cached blocks.
  void trim() noexcept;
  MemoryStatistics statistics() const;
  /// Waits for all work. @throws RuntimeError if work failed.
  void synchronize();
  /// As Device::time.
  double time(const std::function<void()>& work);
  /// After it every operation but release is a LogicError.
  void close() noexcept;

 private:
  struct State;
  void check_open() const;
  std::shared_ptr<Buffer> allocate_buffer(std::size_t words);
  void give_cache_back(Queue& queue);
  [[noreturn]] void report_no_memory(std::size_t words, const std::string& driver_says) const;
  Place locate(const std::uint64_t* address, std::size_t words) const;
  template <typename Work>
  void submit(std::size_t words, const Work& work);
  bool clear_buffer(const Buffer& buffer) noexcept;

  std::string name_;
  std::shared_ptr<DriverDevice> device_;
  DeviceOptions options_;
  std::recursive_mutex queue_mutex_;  ///< Taken before the mutex of the state.
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<State> state_;
};

}  // namespace ringlet::gpu
