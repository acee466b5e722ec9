// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/queue.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "gpu/opencl/program.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu {
namespace {

/// Bytes of uploads that may be under way at once.
constexpr std::size_t kStagedLimit = std::size_t{1} << 30;

cl::QueueHandle create_queue(OpenclContext& context, cl::Device device, bool timing) {
  cl::Int code = cl::kSuccess;
  const cl::Queue queue = context.api()->create_command_queue(
      context.get(), device, timing ? cl::kQueueProfiling : 0, &code);
  cl::check(code, "clCreateCommandQueue", context.device_name());
  return {context.api(), queue};
}

cl::Memory memory_of(const Buffer& buffer) { return as_opencl<OpenclBuffer>(buffer).get(); }

class OpenclQueue final : public Queue {
 public:
  OpenclQueue(const std::shared_ptr<OpenclContext>& context, cl::Device device, bool timing)
      : timeline_(
            std::make_shared<OpenclTimeline>(context, create_queue(*context, device, timing))) {}

  void launch(const Kernel& kernel, const Grid& grid,
              std::span<const Argument> arguments) override {
    const auto& opencl_kernel = as_opencl<OpenclKernel>(kernel);
    const std::array<std::size_t, 3> global{grid.groups[0] * grid.group_size, grid.groups[1],
                                            grid.groups[2]};
    const std::array<std::size_t, 3> local{grid.group_size, 1, 1};
    opencl_kernel.with_arguments(arguments, [&](cl::Kernel object) {
      cl::Event event = nullptr;
      const cl::Int code = timeline_->api().enqueue_nd_range_kernel(
          timeline_->queue(), object, 3, nullptr, global.data(), local.data(), 0, nullptr, &event);
      if (code != cl::kSuccess) {
        cl::throw_error(code, "clEnqueueNDRangeKernel",
                        concat(kernel.name(), " in ", grid.groups[0], " x ", grid.groups[1], " x ",
                               grid.groups[2], " groups of ", grid.group_size));
      }
      timeline_->add("clEnqueueNDRangeKernel", kernel.name(), event);
    });
  }
  void upload(const Buffer& target, std::size_t offset,
              std::span<const std::byte> source) override {
    if (source.empty()) return;
    const cl::Memory memory = memory_of(target);
    timeline_->limit_staged(kStagedLimit - std::min(kStagedLimit, source.size()));
    StagedBytes staged(source);
    cl::Event event = nullptr;
    cl::check(
        timeline_->api().enqueue_write_buffer(timeline_->queue(), memory, 0, offset, staged.size(),
                                              staged.data(), 0, nullptr, &event),
        "clEnqueueWriteBuffer");
    timeline_->add("clEnqueueWriteBuffer", "", event, std::move(staged));
  }
  void download(std::span<std::byte> target, const Buffer& source, std::size_t offset) override {
    if (target.empty()) return finish();
    const cl::Memory memory = memory_of(source);
    const cl::Int code =
        timeline_->api().enqueue_read_buffer(timeline_->queue(), memory, cl::kTrue, offset,
                                             target.size(), target.data(), 0, nullptr, nullptr);
    timeline_->check(timeline_->position());
    cl::check_work(code, "clEnqueueReadBuffer");
  }
  void copy(const Buffer& target, std::size_t target_offset, const Buffer& source,
            std::size_t source_offset, std::size_t bytes) override {
    if (bytes == 0) return;
    cl::Event event = nullptr;
    cl::check(timeline_->api().enqueue_copy_buffer(timeline_->queue(), memory_of(source),
                                                   memory_of(target), source_offset, target_offset,
                                                   bytes, 0, nullptr, &event),
              "clEnqueueCopyBuffer");
    timeline_->add("clEnqueueCopyBuffer", "", event);
  }
  void clear(const Buffer& target, std::size_t offset, std::size_t bytes) override {
    if (bytes == 0) return;
    constexpr std::uint64_t kZero = 0;
    cl::Event event = nullptr;
    cl::check(timeline_->api().enqueue_fill_buffer(timeline_->queue(), memory_of(target), &kZero,
                                                   sizeof kZero, offset, bytes, 0, nullptr, &event),
              "clEnqueueFillBuffer");
    timeline_->add("clEnqueueFillBuffer", "", event);
  }

  std::shared_ptr<Event> record() override { return std::make_shared<OpenclEvent>(timeline_); }
  void wait_for(const Event& event) override {
    const auto& opencl_event = as_opencl<OpenclEvent>(event);
    const OpenclTimeline& other = opencl_event.timeline();
    if (&other == timeline_.get()) return;
    // A command that this queue waits for must have been handed to the device.
    cl::check(other.api().flush(other.queue()), "clFlush");
    const cl::Event before = opencl_event.get();
    cl::Event barrier = nullptr;
    cl::check(
        timeline_->api().enqueue_barrier_with_wait_list(timeline_->queue(), 1, &before, &barrier),
        "clEnqueueBarrierWithWaitList");
    timeline_->add("clEnqueueBarrierWithWaitList", "", barrier);
  }
  void flush() override { cl::check(timeline_->api().flush(timeline_->queue()), "clFlush"); }
  void finish() override {
    const cl::Int code = timeline_->api().finish(timeline_->queue());
    timeline_->check(timeline_->position());
    cl::check_work(code, "clFinish");
  }

 private:
  std::shared_ptr<OpenclTimeline> timeline_;
};

}  // namespace

std::unique_ptr<Queue> make_opencl_queue(const std::shared_ptr<OpenclContext>& context,
                                         cl::Device device, bool timing) {
  return std::make_unique<OpenclQueue>(context, device, timing);
}

}  // namespace ringlet::gpu
