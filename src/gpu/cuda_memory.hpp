// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "gpu/cuda_context.hpp"
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

/// Page-locked memory of the host through which one stream's uploads go: the copy from it is
/// asynchronous, whereas one from ordinary memory may wait for the stream. Blocks are filled in
/// turn; a full one serves again when the stream has passed it. There are kMaxBlocks at most: an
/// upload waits for the oldest when more than that is under way.
/// All calls need the context to be current, but the destructor.
class Staging {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 22;
  static constexpr std::size_t kMaxBlocks = 16;

  Staging(std::shared_ptr<const Context> context, StreamHandle stream);
  /// The stream has done all its work.
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Room for the next `bytes` bytes, at most kBlockBytes.
  std::byte* reserve(std::size_t bytes);
  /// Tells that the stream has done all its work: wipes what was used, as it may be secret.
  void wipe_all() noexcept;

 private:
  struct Block {
    Block(const Context& owner, std::size_t bytes);
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    void wipe() noexcept;

    const Context& context;
    void* memory = nullptr;
    EventHandle passed = nullptr;
    std::size_t used = 0;
  };
  /// A block with nothing in it, to be the current one.
  std::unique_ptr<Block> next_block();

  std::shared_ptr<const Context> context_;
  StreamHandle stream_;
  std::unique_ptr<Block> current_;
  std::deque<std::unique_ptr<Block>> in_flight_;  ///< Oldest first.
  std::vector<std::unique_ptr<Block>> idle_;
};

}  // namespace ringlet::gpu::cuda
