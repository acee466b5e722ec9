// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "gpu/opencl/context.hpp"

namespace ringlet::gpu {

/// Bytes under way to a device. They may be secret and are wiped after the upload.
class StagedBytes {
 public:
  StagedBytes() = default;
  explicit StagedBytes(std::span<const std::byte> source);
  StagedBytes(StagedBytes&&) noexcept = default;
  StagedBytes& operator=(StagedBytes&& other) noexcept;
  ~StagedBytes();

  const std::byte* data() const noexcept { return bytes_.get(); }
  std::size_t size() const noexcept { return bytes_ == nullptr ? 0 : size_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

/// The commands of one queue that are not known to be done, oldest first, and the first that
/// failed. Nobody can tell results of a failed command from good ones, so every later wait of the
/// queue reports it again. Thread-safe: an event outlives its queue, and any thread may wait.
class OpenclTimeline {
 public:
  OpenclTimeline(std::shared_ptr<OpenclContext> context, cl::QueueHandle queue);
  /// Waits for the commands: they may still read staged bytes.
  ~OpenclTimeline();
  OpenclTimeline(const OpenclTimeline&) = delete;
  OpenclTimeline& operator=(const OpenclTimeline&) = delete;

  OpenclContext& context() const noexcept { return *context_; }
  const cl::Api& api() const noexcept { return *context_->api(); }
  cl::Queue queue() const noexcept { return queue_.get(); }

  /// Takes over the event of a submitted command, and the bytes that the command reads.
  void add(const char* call, std::string subject, cl::Event event, StagedBytes staged = {});
  /// Number of commands so far.
  std::uint64_t position() const;
  /// @throws RuntimeError if one of the first `position` commands is done and has failed.
  void check(std::uint64_t position);
  /// Bytes that are staged for commands which are not known to be done.
  std::size_t staged_bytes() const;
  /// Waits until the staged bytes are at most `limit`.
  void limit_staged(std::size_t limit);

 private:
  struct Command {
    cl::EventHandle event;
    const char* call = "";
    std::string subject;
    StagedBytes staged;
  };
  void collect();
  cl::Int status(const Command& command) const;

  std::shared_ptr<OpenclContext> context_;
  cl::QueueHandle queue_;
  mutable std::mutex mutex_;
  std::deque<Command> commands_;
  std::uint64_t collected_ = 0;
  std::size_t staged_bytes_ = 0;
  cl::Int failure_ = cl::kSuccess;
  std::uint64_t failure_position_ = 0;
  std::string failure_subject_;
  const char* failure_call_ = "";
};

class OpenclEvent final : public Event {
 public:
  /// Makes an event behind all work of the queue so far. @throws RuntimeError, OutOfDeviceMemory.
  explicit OpenclEvent(std::shared_ptr<OpenclTimeline> timeline);

  void wait() override;
  bool is_done() override;
  double seconds_since(const Event& earlier) const override;

  cl::Event get() const noexcept { return event_.get(); }
  const OpenclTimeline& timeline() const noexcept { return *timeline_; }

 private:
  std::uint64_t end_nanoseconds() const;

  std::shared_ptr<OpenclTimeline> timeline_;
  std::uint64_t position_ = 0;
  cl::EventHandle event_;
};

/// Makes a queue whose uploads copy the source. When more than a GiB is under way an upload waits
/// for the oldest bytes.
std::unique_ptr<Queue> make_opencl_queue(const std::shared_ptr<OpenclContext>& context,
                                         cl::Device device, bool timing);

}  // namespace ringlet::gpu
