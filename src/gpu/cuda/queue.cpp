// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/queue.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/module.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu::cuda {
namespace {

constexpr std::array<std::size_t, 3> kMostGridGroups{0x7fffffff, 0xffff, 0xffff};

/// Returns the CUDA object behind an interface, which must belong to the device of `context`.
template <typename Object, typename Interface>
const Object& own(const Interface& object, const Context& context) {
  const auto* mine = dynamic_cast<const Object*>(&object);
  // Contexts are compared by handle: the device may have been opened twice.
  if (mine == nullptr || mine->context().handle() != context.handle()) {
    throw_logic_error({.offending = "an object of another device",
                       .limit = "objects of this device",
                       .remedy = "bring the data to one device first"});
  }
  return *mine;
}

class CudaEvent final : public Event {
 public:
  /// Makes an event behind all work of `stream` so far.
  CudaEvent(std::shared_ptr<const Context> context, StreamHandle stream, bool timing)
      : context_(std::move(context)), timing_(timing) {
    const DriverApi& api = context_->api();
    const Current current(*context_);
    context_->check(api.event_create(&handle_, timing ? kEventDefault : kEventDisableTiming),
                    "cuEventCreate");
    if (const Result result = api.event_record(handle_, stream); result != kSuccess) {
      api.event_destroy(handle_);
      context_->check(result, "cuEventRecord");
    }
  }
  ~CudaEvent() override {
    release_in(*context_, [this](const DriverApi& api) { api.event_destroy(handle_); });
  }

  void wait() override {
    const Current current(*context_);
    context_->check(context_->api().event_synchronize(handle_), "cuEventSynchronize");
  }
  bool is_done() override {
    const Current current(*context_);
    const Result state = context_->api().event_query(handle_);
    if (state == kNotReady) return false;
    context_->check(state, "cuEventQuery");
    return true;
  }
  double seconds_since(const Event& earlier) const override {
    const auto& start = own<CudaEvent>(earlier, *context_);
    if (!timing_ || !start.timing_) {
      throw_logic_error({.offending = "an event without a time",
                         .limit = "events of queues with timing",
                         .remedy = "open the device with use_timing"});
    }
    const Current current(*context_);
    float milliseconds = 0;
    context_->check(context_->api().event_elapsed_time(&milliseconds, start.handle_, handle_),
                    "cuEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
  }

  const Context& context() const noexcept { return *context_; }
  EventHandle handle() const noexcept { return handle_; }

 private:
  std::shared_ptr<const Context> context_;
  bool timing_;
  EventHandle handle_ = nullptr;
};

class CudaQueue final : public Queue {
 public:
  CudaQueue(std::shared_ptr<const Context> context, bool timing)
      : context_(std::move(context)), timing_(timing) {
    const Current current(*context_);
    context_->check(context_->api().stream_create(&stream_, kStreamNonBlocking), "cuStreamCreate");
  }
  ~CudaQueue() override {
    release_in(*context_, [this](const DriverApi& api) {
      api.stream_synchronize(stream_);
      staging_.reset();
      landing_.reset();
      api.stream_destroy(stream_);
    });
  }

  void launch(const Kernel& kernel, const Grid& grid, std::span<const Argument> arguments) override;
  void upload(const Buffer& target, std::size_t offset,
              std::span<const std::byte> source) override {
    DevicePointer place = part(target, offset, source.size());
    const Current current(*context_);
    if (staging_ == nullptr) staging_ = std::make_unique<Staging>(context_, stream_);
    while (!source.empty()) {
      const auto piece = source.first(std::min(source.size(), PinnedBlock::kBytes));
      std::byte* staged = staging_->reserve(piece.size());
      std::memcpy(staged, piece.data(), piece.size());
      context_->check(context_->api().memcpy_htod_async(place, staged, piece.size(), stream_),
                      "cuMemcpyHtoDAsync");
      place += piece.size();
      source = source.subspan(piece.size());
    }
  }
  void download(std::span<std::byte> target, const Buffer& source, std::size_t offset) override {
    const DevicePointer place = part(source, offset, target.size());
    if (!target.empty()) {
      const Current current(*context_);
      if (landing_ == nullptr) landing_ = std::make_unique<Landing>(context_, stream_);
      landing_->fetch(target, place);
    }
    finish();
  }
  void copy(const Buffer& target, std::size_t target_offset, const Buffer& source,
            std::size_t source_offset, std::size_t bytes) override {
    const DevicePointer to = part(target, target_offset, bytes);
    const DevicePointer from = part(source, source_offset, bytes);
    if (bytes == 0) return;
    const Current current(*context_);
    context_->check(context_->api().memcpy_dtod_async(to, from, bytes, stream_),
                    "cuMemcpyDtoDAsync");
  }
  void clear(const Buffer& target, std::size_t offset, std::size_t bytes) override {
    const DevicePointer place = part(target, offset, bytes);
    if (bytes == 0) return;
    const Current current(*context_);
    context_->check(
        context_->api().memset_d32_async(place, 0, bytes / sizeof(std::uint32_t), stream_),
        "cuMemsetD32Async");
  }
  std::shared_ptr<Event> record() override {
    return std::make_shared<CudaEvent>(context_, stream_, timing_);
  }
  void wait_for(const Event& event) override {
    const auto& earlier = own<CudaEvent>(event, *context_);
    const Current current(*context_);
    context_->check(context_->api().stream_wait_event(stream_, earlier.handle(), 0),
                    "cuStreamWaitEvent");
  }
  void flush() override {}  // CUDA keeps nothing back
  void finish() override {
    const Current current(*context_);
    context_->check(context_->api().stream_synchronize(stream_), "cuStreamSynchronize");
    if (staging_ != nullptr) staging_->wipe_all();
  }

 private:
  /// Bytes [offset, offset + bytes) of a buffer of this device.
  DevicePointer part(const Buffer& buffer, std::size_t offset, std::size_t bytes) const {
    const auto& mine = own<CudaBuffer>(buffer, *context_);
    if (offset > mine.byte_count() || bytes > mine.byte_count() - offset) {
      throw_logic_error({.offending = concat("bytes [", offset, ", ", offset, " + ", bytes, ")"),
                         .limit = concat("a buffer of ", mine.byte_count(), " bytes"),
                         .remedy = "stay within the buffer"});
    }
    return mine.address() + offset;
  }

  std::shared_ptr<const Context> context_;
  bool timing_;
  StreamHandle stream_ = nullptr;
  std::unique_ptr<Staging> staging_;
  std::unique_ptr<Landing> landing_;
  // Arguments of one launch; members, so that a launch allocates nothing.
  std::vector<std::uint64_t> values_;
  std::vector<void*> parameters_;
};

void CudaQueue::launch(const Kernel& kernel, const Grid& grid,
                       std::span<const Argument> arguments) {
  const auto& entry = own<CudaKernel>(kernel, *context_);
  std::array<unsigned, 3> groups{};
  for (std::size_t d = 0; d < groups.size(); ++d) {
    if (grid.groups[d] > kMostGridGroups[d] || grid.group_size > entry.largest_group()) {
      throw_logic_error({.offending = concat("kernel ", entry.name(), " in ", grid.groups[0], " x ",
                                             grid.groups[1], " x ", grid.groups[2], " groups of ",
                                             grid.group_size),
                         .limit = concat(kMostGridGroups[0], " x ", kMostGridGroups[1], " x ",
                                         kMostGridGroups[2], " groups of ", entry.largest_group()),
                         .remedy = "split the launch"});
    }
    groups[d] = static_cast<unsigned>(grid.groups[d]);
  }

  values_.clear();
  for (const Argument& argument : arguments) {
    values_.push_back(argument.buffer == nullptr ? argument.word : part(*argument.buffer, 0, 0));
  }
  parameters_.clear();
  for (std::uint64_t& value : values_) parameters_.push_back(&value);

  const Current current(*context_);
  const DriverApi& api = context_->api();
  const Result result = api.launch_kernel(entry.function(), groups[0], groups[1], groups[2],
                                          static_cast<unsigned>(grid.group_size), 1, 1, 0, stream_,
                                          parameters_.data(), nullptr);
  if (result != kSuccess) context_->check(result, concat("cuLaunchKernel of ", entry.name()));
}

}  // namespace

std::unique_ptr<Queue> make_cuda_queue(std::shared_ptr<const Context> context, bool timing) {
  return std::make_unique<CudaQueue>(std::move(context), timing);
}

}  // namespace ringlet::gpu::cuda
