// SPDX-License-Identifier: Apache-2.0
// A stand-in of libOpenCL: queues, commands and events.
#include <algorithm>
#include <functional>
#include <string>

#include "gpu_standin/opencl_objects.hpp"

using namespace standin;  // NOLINT(google-build-using-namespace): one library, one subject

namespace {

using Data = std::shared_ptr<BufferData>;
using Run = std::function<std::int64_t()>;

OpenclState& state() { return OpenclState::instance(); }
Engine& engine() { return Engine::instance(); }

bool holds(const BufferData& data, std::size_t offset, std::size_t bytes) {
  return bytes != 0 && offset <= data.size && bytes <= data.size - offset;
}

/// Appends a command, and hands out its event if one is asked for.
std::shared_ptr<Mark> enqueue(cl::Queue queue, Run run, cl::Event* event) {
  auto mark = engine().submit(queue->stream, std::move(run));
  if (event != nullptr) {
    *event = state().events.make();
    **event = {mark, queue->timing};
  }
  return mark;
}

void flush(Stream& stream) { stream.flushed = stream.submitted; }

void wait(const Mark& mark) {
  engine().note_wait();
  flush(*mark.stream);
  engine().run_until(mark);
}

/// A call about a queue.
template <typename Body>
cl::Int on_queue(const Engine::Entry& entry, cl::Queue queue, const Body& body) {
  return call(entry, [&]() -> cl::Int {
    return state().queues.has(queue) ? body() : not_there(entry.name, kInvalidQueue);
  });
}

bool are_events(cl::Uint count, const cl::Event* events) {
  return std::all_of(events, events + count, [](cl::Event e) { return state().events.has(e); });
}

/// Work that waits for events of other queues, whose commands nobody else will hand over.
Run wait_for(cl::Uint count, const cl::Event* events) {
  std::vector<std::shared_ptr<Mark>> marks;
  for (cl::Uint i = 0; i < count; ++i) marks.push_back(events[i]->mark);
  return [marks]() -> std::int64_t {
    for (const auto& mark : marks) {
      if (!mark->done && mark->position > mark->stream->flushed) {
        engine().violation("a queue waits for a command that was not flushed");
      }
      engine().run_until(*mark);
      if (mark->status < 0) return kDependencyFailed;
    }
    return 0;
  };
}

struct Launch {
  std::string name;
  std::vector<cl::KernelObject::Value> values;
  std::uint64_t groups[3];
  std::uint64_t group_size;

  std::int64_t run() const {
    std::vector<std::uint64_t> words;
    for (const auto& value : values) {
      words.push_back(value.buffer != nullptr
                          ? reinterpret_cast<std::uint64_t>(value.buffer->bytes.get())
                          : value.word);
    }
    engine().run_kernel(
        {name.c_str(), {groups[0], groups[1], groups[2]}, group_size, words.size(), words.data()});
    return 0;
  }
};

}  // namespace

STANDIN_EXPORT cl::Queue clCreateCommandQueue(cl::Context context, cl::Device /*device*/,
                                              cl::Bitfield properties, cl::Int* code) {
  return make<cl::QueueObject>("clCreateCommandQueue", code,
                               [&](cl::QueueObject*& made) -> cl::Int {
                                 if (!state().contexts.has(context)) {
                                   return not_there("clCreateCommandQueue", kInvalidContext);
                                 }
                                 made = state().queues.make();
                                 made->timing = (properties & cl::kQueueProfiling) != 0;
                                 return cl::kSuccess;
                               });
}

STANDIN_EXPORT cl::Int clReleaseCommandQueue(cl::Queue queue) {
  return on_queue({"clReleaseCommandQueue", true}, queue, [&] {
    engine().run_all(queue->stream);
    state().queues.release(queue);
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clEnqueueNDRangeKernel(cl::Queue queue, cl::Kernel kernel,
                                              cl::Uint dimensions, const std::size_t* /*offset*/,
                                              const std::size_t* global, const std::size_t* local,
                                              cl::Uint /*count*/, const cl::Event* /*before*/,
                                              cl::Event* event) {
  return on_queue({"clEnqueueNDRangeKernel"}, queue, [&]() -> cl::Int {
    if (!state().kernels.has(kernel)) return not_there("clEnqueueNDRangeKernel", kInvalidKernel);
    engine().note_detail(kernel->name);
    for (const auto& value : kernel->values) {
      if (!value.is_set) return kInvalidKernelArgs;
    }
    constexpr cl::Int kInvalidDimension = -53;
    constexpr cl::Int kInvalidGlobalSize = -63;
    if (dimensions != 3) return kInvalidDimension;
    const auto largest = static_cast<std::size_t>(engine().option("largest_group"));
    Launch launch{kernel->name, kernel->values, {}, local[0]};
    for (std::size_t d = 0; d < 3; ++d) {
      if (local[d] == 0 || global[d] % local[d] != 0) return kInvalidGroupSize;
      if (global[d] == 0) return kInvalidGlobalSize;
      launch.groups[d] = global[d] / local[d];
    }
    if (local[0] * local[1] * local[2] > largest) return kInvalidGroupSize;
    enqueue(queue, [launch] { return launch.run(); }, event);
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clEnqueueWriteBuffer(cl::Queue queue, cl::Memory buffer, cl::Uint blocking,
                                            std::size_t offset, std::size_t bytes,
                                            const void* source, cl::Uint /*count*/,
                                            const cl::Event* /*before*/, cl::Event* event) {
  return on_queue({"clEnqueueWriteBuffer"}, queue, [&]() -> cl::Int {
    if (!state().buffers.has(buffer)) return not_there("clEnqueueWriteBuffer", kInvalidMemObject);
    if (!holds(*buffer->data, offset, bytes)) return kInvalidValue;
    engine().note_bytes(bytes);
    const auto mark = enqueue(
        queue,
        [data = buffer->data, offset, bytes, source]() -> std::int64_t {
          std::memcpy(data->bytes.get() + offset, source, bytes);
          return 0;
        },
        event);
    if (blocking != 0) wait(*mark);
    return static_cast<cl::Int>(blocking != 0 ? mark->status : 0);
  });
}

STANDIN_EXPORT cl::Int clEnqueueReadBuffer(cl::Queue queue, cl::Memory buffer, cl::Uint blocking,
                                           std::size_t offset, std::size_t bytes, void* target,
                                           cl::Uint /*count*/, const cl::Event* /*before*/,
                                           cl::Event* event) {
  return on_queue({"clEnqueueReadBuffer"}, queue, [&]() -> cl::Int {
    if (!state().buffers.has(buffer)) return not_there("clEnqueueReadBuffer", kInvalidMemObject);
    if (!holds(*buffer->data, offset, bytes)) return kInvalidValue;
    engine().note_bytes(bytes);
    const auto mark = enqueue(
        queue,
        [data = buffer->data, offset, bytes, target]() -> std::int64_t {
          std::memcpy(target, data->bytes.get() + offset, bytes);
          return 0;
        },
        event);
    if (blocking != 0) wait(*mark);
    return static_cast<cl::Int>(blocking != 0 ? mark->status : 0);
  });
}

STANDIN_EXPORT cl::Int clEnqueueCopyBuffer(cl::Queue queue, cl::Memory source, cl::Memory target,
                                           std::size_t source_offset, std::size_t target_offset,
                                           std::size_t bytes, cl::Uint /*count*/,
                                           const cl::Event* /*before*/, cl::Event* event) {
  return on_queue({"clEnqueueCopyBuffer"}, queue, [&]() -> cl::Int {
    if (!state().buffers.has(source) || !state().buffers.has(target)) {
      return not_there("clEnqueueCopyBuffer", kInvalidMemObject);
    }
    if (!holds(*source->data, source_offset, bytes) ||
        !holds(*target->data, target_offset, bytes)) {
      return kInvalidValue;
    }
    engine().note_bytes(bytes);
    enqueue(
        queue,
        [from = source->data, to = target->data, source_offset, target_offset,
         bytes]() -> std::int64_t {
          std::memcpy(to->bytes.get() + target_offset, from->bytes.get() + source_offset, bytes);
          return 0;
        },
        event);
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clEnqueueFillBuffer(cl::Queue queue, cl::Memory buffer, const void* pattern,
                                           std::size_t pattern_bytes, std::size_t offset,
                                           std::size_t bytes, cl::Uint /*count*/,
                                           const cl::Event* /*before*/, cl::Event* event) {
  return on_queue({"clEnqueueFillBuffer"}, queue, [&]() -> cl::Int {
    if (!state().buffers.has(buffer)) return not_there("clEnqueueFillBuffer", kInvalidMemObject);
    if (!holds(*buffer->data, offset, bytes) || pattern_bytes == 0 || bytes % pattern_bytes != 0 ||
        offset % pattern_bytes != 0) {
      return kInvalidValue;
    }
    engine().note_bytes(bytes);
    const auto* first = static_cast<const std::byte*>(pattern);
    enqueue(
        queue,
        [data = buffer->data, fill = std::vector<std::byte>(first, first + pattern_bytes), offset,
         bytes]() -> std::int64_t {
          for (std::size_t i = 0; i < bytes; i += fill.size()) {
            std::memcpy(data->bytes.get() + offset + i, fill.data(), fill.size());
          }
          return 0;
        },
        event);
    return cl::kSuccess;
  });
}

namespace {

cl::Int enqueue_wait(const char* entry, cl::Queue queue, cl::Uint count, const cl::Event* before,
                     cl::Event* event) {
  return on_queue({entry}, queue, [&]() -> cl::Int {
    if (!are_events(count, before)) return not_there(entry, kInvalidEvent);
    enqueue(queue, wait_for(count, before), event);
    return cl::kSuccess;
  });
}

}  // namespace

STANDIN_EXPORT cl::Int clEnqueueMarkerWithWaitList(cl::Queue queue, cl::Uint count,
                                                   const cl::Event* before, cl::Event* event) {
  return enqueue_wait("clEnqueueMarkerWithWaitList", queue, count, before, event);
}

STANDIN_EXPORT cl::Int clEnqueueBarrierWithWaitList(cl::Queue queue, cl::Uint count,
                                                    const cl::Event* before, cl::Event* event) {
  return enqueue_wait("clEnqueueBarrierWithWaitList", queue, count, before, event);
}

STANDIN_EXPORT cl::Int clFlush(cl::Queue queue) {
  return on_queue({"clFlush"}, queue, [&] {
    flush(queue->stream);
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clFinish(cl::Queue queue) {
  return on_queue({"clFinish"}, queue, [&] {
    engine().note_wait();
    flush(queue->stream);
    engine().run_all(queue->stream);
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clWaitForEvents(cl::Uint count, const cl::Event* events) {
  return call({"clWaitForEvents"}, [&]() -> cl::Int {
    if (!are_events(count, events)) return not_there("clWaitForEvents", kInvalidEvent);
    cl::Int result = cl::kSuccess;
    for (cl::Uint i = 0; i < count; ++i) {
      wait(*events[i]->mark);
      if (events[i]->mark->status < 0) result = kDependencyFailed;
    }
    return result;
  });
}

STANDIN_EXPORT cl::Int clGetEventInfo(cl::Event event, cl::Uint what, std::size_t room,
                                      void* target, std::size_t* size) {
  return call({"clGetEventInfo"}, [&]() -> cl::Int {
    if (!state().events.has(event)) return not_there("clGetEventInfo", kInvalidEvent);
    if (what != cl::kEventCommandExecutionStatus) return kInvalidValue;
    constexpr cl::Int kQueued = 3;
    const Mark& mark = *event->mark;
    const auto status = mark.done ? static_cast<cl::Int>(mark.status) : kQueued;
    if (!mark.done) engine().go_on(*mark.stream);
    return answer_value(status, room, target, size);
  });
}

STANDIN_EXPORT cl::Int clGetEventProfilingInfo(cl::Event event, cl::Uint what, std::size_t room,
                                               void* target, std::size_t* size) {
  return call({"clGetEventProfilingInfo"}, [&]() -> cl::Int {
    if (!state().events.has(event)) return not_there("clGetEventProfilingInfo", kInvalidEvent);
    if (what != cl::kProfilingCommandEnd) return kInvalidValue;
    if (!event->timing || !event->mark->done) return kNoProfiling;
    return answer_value(event->mark->nanoseconds, room, target, size);
  });
}

STANDIN_EXPORT cl::Int clReleaseEvent(cl::Event event) {
  return release("clReleaseEvent", state().events, event, kInvalidEvent);
}
