// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "gpu/opencl/queue.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/base/wipe.hpp"

namespace ringlet::gpu {

StagedBytes::StagedBytes(std::span<const std::byte> source)
    : bytes_(new std::byte[source.size()]), size_(source.size()) {
  std::memcpy(bytes_.get(), source.data(), source.size());
}

StagedBytes& StagedBytes::operator=(StagedBytes&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(size_, other.size_);
  return *this;
}

StagedBytes::~StagedBytes() { secure_wipe(bytes_.get(), size()); }

OpenclTimeline::OpenclTimeline(std::shared_ptr<OpenclContext> context, cl::QueueHandle queue)
    : context_(std::move(context)), queue_(std::move(queue)) {}

OpenclTimeline::~OpenclTimeline() {
  if (!commands_.empty()) api().finish(queue());
}

void OpenclTimeline::add(const char* call, std::string subject, cl::Event event,
                         StagedBytes staged) {
  cl::EventHandle handle(context_->api(), event);
  const std::lock_guard lock(mutex_);
  try {
    commands_.emplace_back();
  } catch (...) {
    // Nobody would keep the staged bytes while the command reads them.
    api().finish(queue());
    throw;
  }
  staged_bytes_ += staged.size();
  commands_.back() = {std::move(handle), call, std::move(subject), std::move(staged)};
  collect();
}

std::uint64_t OpenclTimeline::position() const {
  const std::lock_guard lock(mutex_);
  return collected_ + commands_.size();
}

std::size_t OpenclTimeline::staged_bytes() const {
  const std::lock_guard lock(mutex_);
  return staged_bytes_;
}

cl::Int OpenclTimeline::status(const Command& command) const {
  cl::Int value = cl::kComplete;
  const cl::Int code = api().get_event_info(command.event.get(), cl::kEventCommandExecutionStatus,
                                            sizeof value, &value, nullptr);
  if (code == cl::kSuccess) return value;
  // The command may still read its bytes; after finish it does not.
  api().finish(queue());
  return code;
}

// Commands of a queue end in order: the first that is not done ends the search.
void OpenclTimeline::collect() {
  while (!commands_.empty()) {
    Command& command = commands_.front();
    const cl::Int value = status(command);
    if (value > cl::kComplete) return;
    if (value < cl::kComplete && failure_ == cl::kSuccess) {
      failure_ = value;
      failure_position_ = collected_;
      failure_call_ = command.call;
      failure_subject_ = std::move(command.subject);
    }
    staged_bytes_ -= command.staged.size();
    commands_.pop_front();
    ++collected_;
  }
}

void OpenclTimeline::check(std::uint64_t position) {
  const std::lock_guard lock(mutex_);
  collect();
  if (failure_ == cl::kSuccess || failure_position_ >= position) return;
  throw_runtime_error(
      {.offending = concat(failure_call_, ": ", cl::error_text(failure_),
                           failure_subject_.empty() ? "" : ", ", failure_subject_,
                           ", while it ran on ", context_->device_name()),
       .limit = "work that the device completes",
       .remedy = "close the device and compute again: what it holds cannot be trusted"});
}

void OpenclTimeline::limit_staged(std::size_t limit) {
  const std::lock_guard lock(mutex_);
  collect();
  while (staged_bytes_ > limit && !commands_.empty()) {
    // A failure of the work is also the status of the command, and the next wait reports that.
    const cl::Event event = commands_.front().event.get();
    if (api().wait_for_events(1, &event) != cl::kSuccess && status(commands_.front()) > 0) return;
    collect();
  }
}

OpenclEvent::OpenclEvent(std::shared_ptr<OpenclTimeline> timeline)
    : timeline_(std::move(timeline)), position_(timeline_->position()) {
  cl::Event event = nullptr;
  cl::check(timeline_->api().enqueue_marker_with_wait_list(timeline_->queue(), 0, nullptr, &event),
            "clEnqueueMarkerWithWaitList");
  event_ = cl::EventHandle(timeline_->context().api(), event);
}

void OpenclEvent::wait() {
  const cl::Event event = event_.get();
  const cl::Int code = timeline_->api().wait_for_events(1, &event);
  timeline_->check(position_);
  cl::check_work(code, "clWaitForEvents");
}

bool OpenclEvent::is_done() {
  cl::Int status = cl::kComplete;
  cl::check(timeline_->api().get_event_info(event_.get(), cl::kEventCommandExecutionStatus,
                                            sizeof status, &status, nullptr),
            "clGetEventInfo");
  // A caller that polls must see the work end, and work that was never flushed may never end.
  if (status > cl::kComplete) cl::check(timeline_->api().flush(timeline_->queue()), "clFlush");
  return status <= cl::kComplete;
}

std::uint64_t OpenclEvent::end_nanoseconds() const {
  cl::Ulong end = 0;
  cl::check(timeline_->api().get_event_profiling_info(event_.get(), cl::kProfilingCommandEnd,
                                                      sizeof end, &end, nullptr),
            "clGetEventProfilingInfo");
  return end;
}

double OpenclEvent::seconds_since(const Event& earlier) const {
  const auto from = as_opencl<OpenclEvent>(earlier).end_nanoseconds();
  return static_cast<double>(static_cast<std::int64_t>(end_nanoseconds() - from)) * 1e-9;
}

}  // namespace ringlet::gpu
