// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "gpu/cuda/context.hpp"
#include "gpu/driver.hpp"

namespace ringlet::gpu::cuda {

/// Device memory of cuMemAlloc. CUDA does not promise that cuMemFree lets submitted work finish, so
/// that the destructor waits for the device. A program that cares keeps its buffers: DeviceMemory
/// does, unless its cache is switched off.
class CudaBuffer final : public Buffer {
 public:
  /// @throws OutOfDeviceMemory; RuntimeError.
  CudaBuffer(std::shared_ptr<const Context> context, std::size_t bytes);
  ~CudaBuffer() override;

  std::size_t byte_count() const noexcept override { return bytes_; }
  const Context& context() const noexcept { return *context_; }
  DevicePointer address() const noexcept { return address_; }

 private:
  std::shared_ptr<const Context> context_;
  std::size_t bytes_;
  DevicePointer address_ = 0;
};

/// Page-locked memory of the host, with an event to tell when a stream has passed it.
/// The constructor needs the context to be current.
class PinnedBlock {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;

  /// @throws OutOfDeviceMemory; RuntimeError.
  explicit PinnedBlock(std::shared_ptr<const Context> context);
  /// Wipes what was used.
  ~PinnedBlock();
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;

  std::byte* memory() const noexcept { return static_cast<std::byte*>(memory_); }
  EventHandle passed() const noexcept { return passed_; }
  /// Bytes from the start that may hold something: maybe a secret.
  std::size_t used() const noexcept { return used_; }
  void use(std::size_t bytes) noexcept { used_ += bytes; }
  void wipe() noexcept;

 private:
  std::shared_ptr<const Context> context_;
  void* memory_ = nullptr;
  EventHandle passed_ = nullptr;
  std::size_t used_ = 0;
};

/// Page-locked memory through which one stream's uploads go: the copy from it is asynchronous,
/// whereas one from ordinary memory may wait for the stream. Blocks are filled in turn; a full one
/// serves again when the stream has passed it. There are kMaxBlocks at most: an upload waits for
/// the oldest when more than that is under way.
/// All calls need the context to be current, but the destructor; by then the stream has done all
/// its work.
class Staging {
 public:
  static constexpr std::size_t kMaxBlocks = 32;

  Staging(std::shared_ptr<const Context> context, StreamHandle stream);

  /// Room for the next `bytes` bytes, at most PinnedBlock::kBytes.
  std::byte* reserve(std::size_t bytes);
  /// Tells that the stream has done all its work: wipes what was used.
  void wipe_all() noexcept;

 private:
  /// A block with nothing in it, to be the current one.
  std::unique_ptr<PinnedBlock> next_block();

  std::shared_ptr<const Context> context_;
  StreamHandle stream_;
  std::unique_ptr<PinnedBlock> current_;
  std::deque<std::unique_ptr<PinnedBlock>> in_flight_;  ///< Oldest first.
  std::vector<std::unique_ptr<PinnedBlock>> idle_;
};

/// Page-locked memory through which one stream's downloads go, half of it filled while the other is
/// read. If one fails, no copy is under way to memory of the caller.
/// All calls need the context to be current, but the destructor.
class Landing {
 public:
  Landing(std::shared_ptr<const Context> context, StreamHandle stream);

  /// Copies the words at `source`, and waits for all work of the stream before.
  void fetch(std::span<std::byte> target, DevicePointer source);

 private:
  /// Submits the copy of a piece into block `index`.
  void begin(std::size_t index, DevicePointer source, std::size_t bytes);

  std::shared_ptr<const Context> context_;
  StreamHandle stream_;
  std::array<std::unique_ptr<PinnedBlock>, 2> blocks_;
};

}  // namespace ringlet::gpu::cuda
