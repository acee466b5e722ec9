// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

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
/// Thread-safe; the queue is used under its mutex.
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

  /// The buffer behind an address, any address of a block.
  /// @throws LogicError if there is none: an address of the host or of another device.
  Place resolve(const std::uint64_t* address) const;

  /// Runs work(queue) under the mutex of the queue.
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
  /// After it every operation but release is a LogicError.
  void close() noexcept;

 private:
  struct State;
  void check_open() const;

  std::string name_;
  std::shared_ptr<DriverDevice> device_;
  DeviceOptions options_;
  mutable std::mutex queue_mutex_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<State> state_;
};

}  // namespace ringlet::gpu
