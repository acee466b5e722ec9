// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/driver.hpp"
#include "ringlet/gpu/device.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// Counts of the calls of a WatchedDevice, and limits from which on it refuses them.
struct DeviceWatch {
  std::atomic<int> launches{0};
  std::atomic<std::size_t> work_items{0};  ///< Of all launches.
  std::atomic<int> copies{0};
  std::atomic<int> waits{0};  ///< Downloads, and waiting for all work.
  std::atomic<int> uploads{0};
  std::atomic<int> orders{0};  ///< Queues that were told to wait for an event.
  std::atomic<int> allocations{0};
  /// Allocations that succeed before one fails; counted down.
  std::atomic<int> allocations_left{std::numeric_limits<int>::max()};
  /// Bytes of the largest allocation that succeeds.
  std::atomic<std::size_t> largest_allocation{std::numeric_limits<std::size_t>::max()};
  /// Calls that submit something and succeed before one fails; counted down.
  std::atomic<int> calls_left{std::numeric_limits<int>::max()};
  bool finds_no_memory = false;  ///< A failure is for lack of memory.
  bool has_compiler = true;      ///< Otherwise it only loads binaries.
  /// The largest group of every kernel, if the device itself does not allow less.
  std::size_t largest_group = std::numeric_limits<std::size_t>::max();

  void submit(const char* call) {
    if (calls_left-- != 0) return;
    if (finds_no_memory) throw OutOfDeviceMemory({call, "no memory", "none", "none"});
    throw_runtime_error({call, "injected", "none", "none"});
  }
};

/// A kernel for small groups.
struct WatchedKernel final : gpu::Kernel {
  WatchedKernel(std::shared_ptr<gpu::Kernel> one, std::size_t most)
      : kernel(std::move(one)), largest(std::min(most, kernel->largest_group())) {}
  const std::string& name() const noexcept override { return kernel->name(); }
  std::size_t largest_group() const noexcept override { return largest; }
  std::shared_ptr<gpu::Kernel> kernel;
  std::size_t largest;
};

struct WatchedModule final : gpu::Module {
  WatchedModule(std::shared_ptr<gpu::Module> one, std::shared_ptr<DeviceWatch> by)
      : module(std::move(one)), watch(std::move(by)) {}
  std::shared_ptr<gpu::Kernel> kernel(const std::string& name) override {
    return std::make_shared<WatchedKernel>(module->kernel(name), watch->largest_group);
  }
  std::vector<std::byte> binary() const override { return module->binary(); }
  std::shared_ptr<gpu::Module> module;
  std::shared_ptr<DeviceWatch> watch;
};

class WatchedQueue final : public gpu::Queue {
 public:
  WatchedQueue(std::unique_ptr<gpu::Queue> queue, std::shared_ptr<DeviceWatch> watch)
      : queue_(std::move(queue)), watch_(std::move(watch)) {}

  void launch(const gpu::Kernel& kernel, const gpu::Grid& grid,
              std::span<const gpu::Argument> arguments) override {
    ++watch_->launches;
    watch_->work_items += grid.groups[0] * grid.groups[1] * grid.groups[2] * grid.group_size;
    watch_->submit("launch");
    queue_->launch(*dynamic_cast<const WatchedKernel&>(kernel).kernel, grid, arguments);
  }
  void upload(const gpu::Buffer& target, std::size_t offset,
              std::span<const std::byte> source) override {
    ++watch_->uploads;
    watch_->submit("upload");
    queue_->upload(target, offset, source);
  }
  void download(std::span<std::byte> target, const gpu::Buffer& source,
                std::size_t offset) override {
    ++watch_->waits;
    queue_->download(target, source, offset);
  }
  void copy(const gpu::Buffer& target, std::size_t target_offset, const gpu::Buffer& source,
            std::size_t source_offset, std::size_t bytes) override {
    ++watch_->copies;
    watch_->submit("copy");
    queue_->copy(target, target_offset, source, source_offset, bytes);
  }
  void clear(const gpu::Buffer& target, std::size_t offset, std::size_t bytes) override {
    watch_->submit("clear");
    queue_->clear(target, offset, bytes);
  }
  std::shared_ptr<gpu::Event> record() override {
    watch_->submit("record");
    return queue_->record();
  }
  void wait_for(const gpu::Event& event) override {
    ++watch_->orders;
    watch_->submit("wait_for");
    queue_->wait_for(event);
  }
  void flush() override { queue_->flush(); }
  void finish() override {
    ++watch_->waits;
    queue_->finish();
  }

 private:
  std::unique_ptr<gpu::Queue> queue_;
  std::shared_ptr<DeviceWatch> watch_;
};

/// A device that forwards its work to another one.
class WatchedDevice final : public gpu::DriverDevice {
 public:
  explicit WatchedDevice(std::shared_ptr<gpu::DriverDevice> device)
      : device_(std::move(device)), properties_(device_->properties()) {}
  WatchedDevice(const WatchedDevice& whole, std::shared_ptr<gpu::DriverDevice> part)
      : gpu::DriverDevice(whole),
        device_(std::move(part)),
        properties_(device_->properties()),
        watch_(whole.watch_) {}

  DeviceWatch& watch() const { return *watch_; }

  /// Returns the properties, which tests may change before the device is used.
  gpu::DeviceProperties& properties_to_change() noexcept { return properties_; }
  const gpu::DeviceProperties& properties() const noexcept override { return properties_; }
  std::unique_ptr<gpu::Queue> make_queue(bool timing) override {
    return std::make_unique<WatchedQueue>(device_->make_queue(timing), watch_);
  }
  std::shared_ptr<gpu::Buffer> allocate(std::size_t bytes) override {
    ++watch_->allocations;
    if (watch_->allocations_left == 0 || bytes > watch_->largest_allocation) {
      throw OutOfDeviceMemory({"allocate", "no memory", "none", "none"});
    }
    --watch_->allocations_left;
    return device_->allocate(bytes);
  }
  std::shared_ptr<gpu::Module> build(const std::string& source,
                                     std::span<const std::string> definitions) override {
    if (!watch_->has_compiler) throw_runtime_error({"build", "no compiler", "none", "none"});
    return std::make_shared<WatchedModule>(device_->build(source, definitions), watch_);
  }
  std::shared_ptr<gpu::Module> load(std::span<const std::byte> binary) override {
    return std::make_shared<WatchedModule>(device_->load(binary), watch_);
  }
  std::vector<std::shared_ptr<gpu::DriverDevice>> split(std::size_t count) override {
    std::vector<std::shared_ptr<gpu::DriverDevice>> parts;
    for (auto& part : device_->split(count)) {
      parts.push_back(std::make_shared<WatchedDevice>(*this, std::move(part)));
    }
    return parts;
  }

 private:
  std::shared_ptr<gpu::DriverDevice> device_;
  gpu::DeviceProperties properties_;
  std::shared_ptr<DeviceWatch> watch_ = std::make_shared<DeviceWatch>();
};

}  // namespace ringlet::test
