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
/// the destructor waits for the device. DeviceMemory avoids the wait by keeping its buffers, unless
/// its cache is switched off.
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

/// Page-locked memory of the host, with an event that tells when a stream has passed it.
/// The constructor needs the context to be current.
class PinnedBlock {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;

  /// @throws OutOfDeviceMemory; RuntimeError.
  explicit PinnedBlock(std::shared_ptr<const Context> context);
  /// Wipes the used bytes.
  ~PinnedBlock();
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;

  std::byte* memory() const noexcept { return static_cast<std::byte*>(memory_); }
  EventHandle passed() const noexcept { return passed_; }
  /// Returns how many bytes from the start may hold data, maybe a secret.
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
/// All calls except the destructor need the context to be current. When the destructor runs, the
/// stream has done all its work.
class Staging {
 public:
  static constexpr std::size_t kMaxBlocks = 32;

  Staging(std::shared_ptr<const Context> context, StreamHandle stream);

  /// Returns room for the next `bytes` bytes, at most PinnedBlock::kBytes.
  std::byte* reserve(std::size_t bytes);
  /// Wipes all used bytes; the stream has done all its work.
  void wipe_all() noexcept;

 private:
  /// Returns an empty block, to be the current one.
  std::unique_ptr<PinnedBlock> next_block();

  std::shared_ptr<const Context> context_;
  StreamHandle stream_;
  std::unique_ptr<PinnedBlock> current_;
  std::deque<std::unique_ptr<PinnedBlock>> in_flight_;  ///< Oldest first.
  std::vector<std::unique_ptr<PinnedBlock>> idle_;
};

/// Page-locked memory through which one stream's downloads go. One half is filled while the other
/// is read. If a download fails, no copy is under way to memory of the caller.
/// All calls except the destructor need the context to be current.
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
