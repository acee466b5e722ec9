// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/driver.hpp"
#include "ringlet/device.hpp"
#include "ringlet/error.hpp"
#include "support/test.hpp"

// A driver whose devices are plain memory of the host. Work is done when it is submitted. It counts
// what is asked of it, fails on demand, and notices what a real driver would not forgive.

namespace ringlet::test {

/// What the buffers and queues of a fake device share; outlives them.
struct FakeState {
  std::mutex mutex;
  std::size_t limit = std::numeric_limits<std::size_t>::max();
  std::size_t allocated = 0;  ///< Bytes of live buffers, and of dropped ones until the next finish.
  std::size_t dropped = 0;    ///< Bytes of buffers that were released since then.
  int live_buffers = 0;
  std::vector<std::size_t> requests;  ///< Bytes of all calls of allocate.
  std::size_t unclean_bytes = 0;      ///< That buffers held when they were released.
  std::vector<std::string> calls;     ///< Of queues, in order.
  std::string failing;                ///< The call that fails; "all" for every one.
  int memory_failures = 0;            ///< So many uses of buffers find no memory.
  std::function<void()> during_allocate;
  std::atomic<bool> is_busy{false};         ///< A queue is in use.
  std::atomic<int> queues_used_at_once{0};  ///< Times that two threads were in one queue.
};

class FakeBuffer final : public gpu::Buffer {
 public:
  FakeBuffer(std::shared_ptr<FakeState> state, std::size_t bytes)
      : state_(std::move(state)), bytes_(bytes, std::byte{0xA5}) {}
  ~FakeBuffer() override {
    const std::lock_guard lock(state_->mutex);
    state_->dropped += bytes_.size();
    --state_->live_buffers;
    state_->unclean_bytes += static_cast<std::size_t>(std::count_if(
        bytes_.begin(), bytes_.end(), [](std::byte value) { return value != std::byte{0}; }));
  }
  FakeBuffer(const FakeBuffer&) = delete;
  FakeBuffer& operator=(const FakeBuffer&) = delete;

  std::size_t byte_count() const noexcept override { return bytes_.size(); }
  /// Bytes [offset, offset + count).
  std::span<std::byte> part(std::size_t offset, std::size_t count) const {
    if (offset > bytes_.size() || count > bytes_.size() - offset) {
      throw std::out_of_range("beyond the end of a buffer");
    }
    return std::span(bytes_).subspan(offset, count);
  }

 private:
  std::shared_ptr<FakeState> state_;
  mutable std::vector<std::byte> bytes_;
};

class FakeEvent final : public gpu::Event {
 public:
  void wait() override {}
  bool is_done() override { return true; }
  double seconds_since(const gpu::Event&) const override { return 0; }
};

class FakeQueue final : public gpu::Queue {
 public:
  explicit FakeQueue(std::shared_ptr<FakeState> state) : state_(std::move(state)) {}

  void launch(const gpu::Kernel& kernel, const gpu::Grid&,
              std::span<const gpu::Argument>) override {
    const Call call(*state_, "launch " + kernel.name());
  }
  void upload(const gpu::Buffer& target, std::size_t offset,
              std::span<const std::byte> source) override {
    const Call call(*state_, "upload", true);
    std::ranges::copy(source, part(target, offset, source.size()).begin());
  }
  void download(std::span<std::byte> target, const gpu::Buffer& source,
                std::size_t offset) override {
    const Call call(*state_, "download", true);
    std::ranges::copy(part(source, offset, target.size()), target.begin());
  }
  void copy(const gpu::Buffer& target, std::size_t target_offset, const gpu::Buffer& source,
            std::size_t source_offset, std::size_t bytes) override {
    const Call call(*state_, "copy", true);
    std::ranges::copy(part(source, source_offset, bytes),
                      part(target, target_offset, bytes).begin());
  }
  void clear(const gpu::Buffer& target, std::size_t offset, std::size_t bytes) override {
    const Call call(*state_, "clear", true);
    std::ranges::fill(part(target, offset, bytes), std::byte{0});
  }
  std::shared_ptr<gpu::Event> record() override { return std::make_shared<FakeEvent>(); }
  void wait_for(const gpu::Event&) override {}
  void flush() override {}
  void finish() override {
    const Call call(*state_, "finish");
    const std::lock_guard lock(state_->mutex);
    state_->allocated -= std::exchange(state_->dropped, 0);
  }

 private:
  /// One use of the queue.
  class Call {
   public:
    Call(FakeState& state, const std::string& name, bool uses_buffers = false) : state_(state) {
      if (state_.is_busy.exchange(true)) ++state_.queues_used_at_once;
      try {
        begin(name, uses_buffers);
      } catch (...) {
        state_.is_busy = false;
        throw;
      }
    }
    ~Call() { state_.is_busy = false; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    void begin(const std::string& name, bool uses_buffers) {
      const std::lock_guard lock(state_.mutex);
      state_.calls.push_back(name);
      if (state_.failing == name || state_.failing == "all") {
        throw_runtime_error({name, "injected", "none", "none"});
      }
      if (!uses_buffers || state_.memory_failures == 0) return;
      --state_.memory_failures;
      throw OutOfDeviceMemory({name, "no memory at use", "none", "none"});
    }
    FakeState& state_;
  };

  static std::span<std::byte> part(const gpu::Buffer& buffer, std::size_t offset,
                                   std::size_t bytes) {
    return dynamic_cast<const FakeBuffer&>(buffer).part(offset, bytes);
  }

  std::shared_ptr<FakeState> state_;
};

class FakeDevice final : public gpu::DriverDevice {
 public:
  explicit FakeDevice(gpu::DeviceProperties properties = default_properties())
      : properties_(std::move(properties)) {}

  static gpu::DeviceProperties default_properties() {
    gpu::DeviceProperties properties;
    properties.name = "Fake";
    properties.vendor = "Nobody";
    properties.memory_bytes = std::uint64_t{1} << 40;
    properties.largest_allocation_bytes = std::uint64_t{1} << 38;
    return properties;
  }
  FakeState& state() const { return *state_; }

  const gpu::DeviceProperties& properties() const noexcept override { return properties_; }
  std::unique_ptr<gpu::Queue> make_queue(bool) override {
    if (state_->failing == "make_queue") throw_runtime_error({"make_queue", "injected", "", ""});
    return std::make_unique<FakeQueue>(state_);
  }
  std::shared_ptr<gpu::Buffer> allocate(std::size_t bytes) override {
    if (state_->during_allocate) state_->during_allocate();
    const std::lock_guard lock(state_->mutex);
    state_->requests.push_back(bytes);
    if (state_->failing == "allocate") throw_runtime_error({"allocate", "injected", "", ""});
    if (bytes > state_->limit - std::min(state_->limit, state_->allocated)) {
      throw OutOfDeviceMemory({"allocate", "the driver's words", "none", "none"});
    }
    auto buffer = std::make_shared<FakeBuffer>(state_, bytes);
    state_->allocated += bytes;
    ++state_->live_buffers;
    return buffer;
  }
  std::shared_ptr<gpu::Module> build(const std::string&, std::span<const std::string>) override {
    throw_runtime_error({"build", "a fake device", "no programs", "none"});
  }
  std::shared_ptr<gpu::Module> load(std::span<const std::byte>) override {
    throw_runtime_error({"load", "a fake device", "no programs", "none"});
  }
  std::vector<std::shared_ptr<gpu::DriverDevice>> split(std::size_t) override {
    throw_runtime_error({"split", "a fake device", "one part", "none"});
  }

 private:
  std::shared_ptr<FakeState> state_ = std::make_shared<FakeState>();
  gpu::DeviceProperties properties_;
};

class FakeDriver final : public gpu::Driver {
 public:
  FakeDriver(gpu::Api api, std::vector<std::shared_ptr<gpu::DriverDevice>> devices)
      : api_(api), devices_(std::move(devices)) {}
  gpu::Api api() const noexcept override { return api_; }
  std::vector<std::shared_ptr<gpu::DriverDevice>> devices() override { return devices_; }

 private:
  gpu::Api api_;
  std::vector<std::shared_ptr<gpu::DriverDevice>> devices_;
};

}  // namespace ringlet::test
