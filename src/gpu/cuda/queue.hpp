// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/cuda/context.hpp"
#include "gpu/cuda/memory.hpp"
#include "gpu/driver.hpp"

namespace ringlet::gpu::cuda {

class CudaEvent final : public Event {
 public:
  /// An event behind all that `stream` was given.
  CudaEvent(std::shared_ptr<const Context> context, StreamHandle stream, bool timing);
  ~CudaEvent() override;

  void wait() override;
  bool is_done() override;
  double seconds_since(const Event& earlier) const override;

  const Context& context() const noexcept { return *context_; }
  EventHandle handle() const noexcept { return handle_; }

 private:
  std::shared_ptr<const Context> context_;
  bool timing_;
  EventHandle handle_ = nullptr;
};

/// A stream. Its destructor waits for what was submitted.
class CudaQueue final : public Queue {
 public:
  CudaQueue(std::shared_ptr<const Context> context, bool timing);
  ~CudaQueue() override;

  /// @throws LogicError for more groups than a grid of CUDA has: 2^31 - 1 in the first dimension,
  ///         65535 in the others.
  void launch(const Kernel& kernel, const Grid& grid, std::span<const Argument> arguments) override;
  void upload(const Buffer& target, std::size_t offset, std::span<const std::byte> source) override;
  void download(std::span<std::byte> target, const Buffer& source, std::size_t offset) override;
  void copy(const Buffer& target, std::size_t target_offset, const Buffer& source,
            std::size_t source_offset, std::size_t bytes) override;
  void clear(const Buffer& target, std::size_t offset, std::size_t bytes) override;
  std::shared_ptr<Event> record() override;
  void wait_for(const Event& event) override;
  void flush() override {}  // CUDA keeps nothing back
  void finish() override;

 private:
  /// Bytes [offset, offset + bytes) of a buffer of this device.
  DevicePointer part(const Buffer& buffer, std::size_t offset, std::size_t bytes) const;

  std::shared_ptr<const Context> context_;
  bool timing_;
  StreamHandle stream_ = nullptr;
  std::unique_ptr<Staging> staging_;
  std::unique_ptr<Landing> landing_;
  // Of one launch; members, so that a launch allocates nothing.
  std::vector<std::uint64_t> values_;
  std::vector<void*> parameters_;
};

}  // namespace ringlet::gpu::cuda
