// SPDX-License-Identifier: Apache-2.0
// A stand-in of libOpenCL: queues, commands and events.
#include "gpu_standin/opencl_objects.hpp"

using namespace standin;  // NOLINT(google-build-using-namespace): one library, one subject

namespace {

bool holds(cl::Memory buffer, std::size_t offset, std::size_t bytes) {
  const std::size_t size = buffer->bytes->size();
  return bytes != 0 && offset <= size && bytes <= size - offset;
}

/// Appends a command, and makes its event if `event` is not null.
std::shared_ptr<Mark> enqueue(cl::Queue queue, Run run, cl::Event* event) {
  auto mark = engine().submit(*queue, std::move(run));
  if (event != nullptr) *event = events.make({mark, queue->timing});
  return mark;
}

void flush(Stream& stream) { stream.flushed = stream.submitted; }

void wait(const Mark& mark) {
  engine().note_wait();
  flush(*mark.stream);
  engine().run_until(mark);
}

template <typename Body>
cl::Int on_queue(const Entry& entry, cl::Queue queue, const Body& body) {
  return on(entry, queues, queue, kInvalidQueue, body);
}

/// Answers a call that submits work on a part of a buffer, and waits for it if `blocking` is set.
template <typename Work>
cl::Int submit(const Entry& entry, cl::Queue queue, cl::Memory buffer, std::size_t offset,
               std::size_t bytes, cl::Uint blocking, cl::Event* event, const Work& work) {
  return on_queue(entry, queue, [&] {
    if (!buffers.has(buffer)) return not_there(kInvalidMemObject);
    if (!holds(buffer, offset, bytes)) return kInvalidValue;
    const auto run = [data = buffer->bytes, offset, work] {
      work(data->data() + offset);
      return cl::kSuccess;
    };
    const auto mark = enqueue(queue, run, event);
    if (blocking == 0) return cl::kSuccess;
    wait(*mark);
    return mark->status;
  });
}

bool are_events(cl::Uint count, const cl::Event* all) {
  return std::all_of(all, all + count, [](cl::Event event) { return events.has(event); });
}

/// Submits work that waits for events of other queues, which the caller must have flushed.
cl::Int enqueue_wait(const Entry& entry, cl::Queue queue, cl::Uint count, const cl::Event* before,
                     cl::Event* event) {
  return on_queue(entry, queue, [&] {
    if (!are_events(count, before)) return not_there(kInvalidEvent);
    std::vector<std::shared_ptr<Mark>> marks;
    for (const cl::Event one : std::span(before, count)) marks.push_back(one->mark);
    const auto run = [marks] {
      for (const auto& mark : marks) {
        if (!mark->done && mark->position > mark->stream->flushed) {
          engine().violation("a queue waits for a command that was not flushed", 0);
        }
        engine().run_until(*mark);
        if (mark->status < 0) return kDependencyFailed;
      }
      return cl::kSuccess;
    };
    enqueue(queue, run, event);
    return cl::kSuccess;
  });
}

int run_launch(Launch launch, const std::vector<cl::KernelObject::Value>& values) {
  for (const auto& value : values) {
    launch.arguments.push_back(value.buffer == nullptr
                                   ? value.word
                                   : reinterpret_cast<std::uint64_t>(value.buffer->data()));
  }
  engine().run_kernel(launch);
  return cl::kSuccess;
}

}  // namespace

STANDIN_EXPORT cl::Queue clCreateCommandQueue(cl::Context context, cl::Device /*device*/,
                                              cl::Bitfield properties, cl::Int* code) {
  return make<cl::QueueObject>({__func__}, contexts, context, kInvalidContext, code,
                               [&](cl::Queue& made) {
                                 made = queues.make();
                                 made->timing = (properties & cl::kQueueProfiling) != 0;
                                 return cl::kSuccess;
                               });
}

STANDIN_EXPORT cl::Int clReleaseCommandQueue(cl::Queue queue) {
  return on_queue({__func__, kReleases}, queue, [&] {
    engine().run_all(*queue);
    queues.release(queue);
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clEnqueueNDRangeKernel(cl::Queue queue, cl::Kernel kernel,
                                              cl::Uint dimensions, const std::size_t* /*offset*/,
                                              const std::size_t* global, const std::size_t* local,
                                              cl::Uint /*count*/, const cl::Event* /*before*/,
                                              cl::Event* event) {
  return on_queue({__func__}, queue, [&] {
    if (!kernels.has(kernel)) return not_there(kInvalidKernel);
    if (!std::ranges::all_of(kernel->values, &cl::KernelObject::Value::is_set)) {
      return kInvalidKernelArgs;
    }
    if (dimensions != 3) return kInvalidDimension;
    Launch launch{kernel->name, {}, local[0], {}};
    for (std::size_t d = 0; d < 3; ++d) {
      if (local[d] == 0 || global[d] % local[d] != 0) return kInvalidGroupSize;
      if (global[d] == 0) return kInvalidGlobalSize;
      launch.groups[d] = global[d] / local[d];
    }
    const auto largest = static_cast<std::size_t>(option("largest_group"));
    if (local[0] * local[1] * local[2] > largest) return kInvalidGroupSize;
    const auto run = [launch, values = kernel->values] { return run_launch(launch, values); };
    enqueue(queue, run, event);
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clEnqueueWriteBuffer(cl::Queue queue, cl::Memory buffer, cl::Uint blocking,
                                            std::size_t offset, std::size_t bytes,
                                            const void* source, cl::Uint /*count*/,
                                            const cl::Event* /*before*/, cl::Event* event) {
  return submit({__func__}, queue, buffer, offset, bytes, blocking, event,
                [=](std::byte* place) { std::memcpy(place, source, bytes); });
}

STANDIN_EXPORT cl::Int clEnqueueReadBuffer(cl::Queue queue, cl::Memory buffer, cl::Uint blocking,
                                           std::size_t offset, std::size_t bytes, void* target,
                                           cl::Uint /*count*/, const cl::Event* /*before*/,
                                           cl::Event* event) {
  return submit({__func__}, queue, buffer, offset, bytes, blocking, event,
                [=](const std::byte* place) { std::memcpy(target, place, bytes); });
}

STANDIN_EXPORT cl::Int clEnqueueCopyBuffer(cl::Queue queue, cl::Memory source, cl::Memory target,
                                           std::size_t source_offset, std::size_t target_offset,
                                           std::size_t bytes, cl::Uint /*count*/,
                                           const cl::Event* /*before*/, cl::Event* event) {
  return on_queue({__func__}, queue, [&] {
    if (!buffers.has(source) || !buffers.has(target)) return not_there(kInvalidMemObject);
    if (!holds(source, source_offset, bytes) || !holds(target, target_offset, bytes)) {
      return kInvalidValue;
    }
    const auto run = [=, from = source->bytes, to = target->bytes] {
      std::memcpy(to->data() + target_offset, from->data() + source_offset, bytes);
      return cl::kSuccess;
    };
    enqueue(queue, run, event);
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clEnqueueFillBuffer(cl::Queue queue, cl::Memory buffer, const void* pattern,
                                           std::size_t pattern_bytes, std::size_t offset,
                                           std::size_t bytes, cl::Uint /*count*/,
                                           const cl::Event* /*before*/, cl::Event* event) {
  const bool is_whole =
      pattern_bytes != 0 && bytes % pattern_bytes == 0 && offset % pattern_bytes == 0;
  const auto* first = static_cast<const std::byte*>(pattern);
  return submit({__func__}, queue, buffer, offset, is_whole ? bytes : 0, 0, event,
                [fill = cl::Bytes(first, first + pattern_bytes), bytes](std::byte* place) {
                  for (std::size_t i = 0; i < bytes; i += fill.size()) {
                    std::ranges::copy(fill, place + i);
                  }
                });
}

STANDIN_EXPORT cl::Int clEnqueueMarkerWithWaitList(cl::Queue queue, cl::Uint count,
                                                   const cl::Event* before, cl::Event* event) {
  return enqueue_wait({__func__}, queue, count, before, event);
}

STANDIN_EXPORT cl::Int clEnqueueBarrierWithWaitList(cl::Queue queue, cl::Uint count,
                                                    const cl::Event* before, cl::Event* event) {
  return enqueue_wait({__func__}, queue, count, before, event);
}

STANDIN_EXPORT cl::Int clFlush(cl::Queue queue) {
  return on_queue({__func__}, queue, [&] {
    flush(*queue);
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clFinish(cl::Queue queue) {
  return on_queue({__func__}, queue, [&] {
    engine().note_wait();
    flush(*queue);
    engine().run_all(*queue);
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clWaitForEvents(cl::Uint count, const cl::Event* all) {
  return engine().call({__func__}, [&] {
    if (!are_events(count, all)) return not_there(kInvalidEvent);
    cl::Int result = cl::kSuccess;
    for (const cl::Event event : std::span(all, count)) {
      wait(*event->mark);
      if (event->mark->status < 0) result = kDependencyFailed;
    }
    return result;
  });
}

STANDIN_EXPORT cl::Int clGetEventInfo(cl::Event event, cl::Uint what, std::size_t room,
                                      void* target, std::size_t* size) {
  return on({__func__}, events, event, kInvalidEvent, [&] {
    if (what != cl::kEventCommandExecutionStatus) return kInvalidValue;
    constexpr cl::Int kQueued = 3;
    const cl::Int status = event->mark->done ? event->mark->status : kQueued;
    if (!event->mark->done) engine().go_on(*event->mark->stream);
    return Answer{room, target, size}.give(status);
  });
}

STANDIN_EXPORT cl::Int clGetEventProfilingInfo(cl::Event event, cl::Uint what, std::size_t room,
                                               void* target, std::size_t* size) {
  return on({__func__}, events, event, kInvalidEvent, [&] {
    if (what != cl::kProfilingCommandEnd) return kInvalidValue;
    if (!event->timing || !event->mark->done) return kNoProfiling;
    return Answer{room, target, size}.give(event->mark->nanoseconds);
  });
}

STANDIN_EXPORT cl::Int clReleaseEvent(cl::Event event) {
  return release({__func__}, events, event, kInvalidEvent);
}
