// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl_context.hpp"
#include "gpu/opencl_queue.hpp"
#include "ringlet/device.hpp"
#include "ringlet/error.hpp"
#include "support/opencl_device.hpp"
#include "support/test.hpp"

// Entry points of the library are replaced by ones that fail, or that count.

namespace ringlet::gpu {
namespace {

cl::Int injected_code = cl::kSuccess;
const cl::Api* real_api = nullptr;
int wait_count = 0;
cl::Event failing_event = nullptr;

/// Makes an entry point fail with injected_code, in the way of its kind.
template <typename Result, typename... Arguments>
void fail(Result (*&entry_point)(Arguments...)) {
  entry_point = [](Arguments... arguments) -> Result {
    if constexpr (std::is_same_v<Result, cl::Int>) {
      return injected_code;
    } else {
      const std::tuple<Arguments...> all(arguments...);
      *std::get<sizeof...(Arguments) - 1>(all) = injected_code;
      return nullptr;
    }
  };
}

class OpenclFaults : public test::OpenclDeviceTest {
 protected:
  void SetUp() override {
    OpenclDeviceTest::SetUp();
    if (IsSkipped()) return;
    untouched = *api;
    real_api = &untouched;
    const std::vector<std::string> definitions{"ADDEND=1"};
    module = device->build(test::kScaleKernel, definitions);
    kernel = module->kernel("scale");
    queue = device->make_queue(true);
    other_queue = device->make_queue(true);
    buffer = allocate(64);
    target = allocate(64);
    upload(*queue, *buffer, counted(64, 9));
    event = other_queue->record();
  }

  void launch() {
    const std::array<Argument, 4> arguments{*target, *buffer, std::uint64_t{0}, std::uint64_t{1}};
    queue->launch(*kernel, {{1, 1, 1}, 64}, arguments);
  }

  cl::Api untouched;
  std::shared_ptr<Module> module;
  std::shared_ptr<Kernel> kernel;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<Queue> other_queue;
  std::shared_ptr<Buffer> buffer;
  std::shared_ptr<Buffer> target;
  std::shared_ptr<Event> event;
};

struct Fault {
  std::string call;
  std::function<void(cl::Api&)> inject;
  std::function<void()> use;
  bool waits = false;
};

/// What becomes of `code` in a call.
void expect_typed_error(const Fault& fault, cl::Int code) {
  const bool is_memory = code == cl::kMemoryObjectAllocationFailure ||
                         code == cl::kOutOfHostMemory ||
                         (code == cl::kOutOfResources && !fault.waits);
  const std::string where = fault.call + ", " + cl::error_text(code);
  try {
    fault.use();
    ADD_FAILURE() << "no exception: " << where;
  } catch (const RuntimeError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(fault.call), std::string::npos) << text;
    EXPECT_NE(text.find(cl::error_text(code)), std::string::npos) << where << ": " << text;
    EXPECT_EQ(dynamic_cast<const OutOfDeviceMemory*>(&error) != nullptr, is_memory) << text;
  } catch (const std::exception& error) {
    ADD_FAILURE() << where << ": " << error.what();
  }
}

TEST_F(OpenclFaults, EveryCodeOfEveryCallIsATypedError) {
  const std::vector<std::string> definitions{"ADDEND=2"};
  const std::vector<std::byte> binary = module->binary();
  const auto fresh = [&] { return driver->devices().front(); };
  const std::shared_ptr<DriverDevice> unused = fresh();
  const std::vector<Fault> faults{
      {"clGetPlatformIDs", [](cl::Api& a) { fail(a.get_platform_ids); }, fresh},
      {"clGetDeviceIDs", [](cl::Api& a) { fail(a.get_device_ids); }, fresh},
      {"clGetDeviceInfo", [](cl::Api& a) { fail(a.get_device_info); }, fresh},
      {"clCreateContext", [](cl::Api& a) { fail(a.create_context); }, [&] { unused->allocate(8); }},
      {"clCreateCommandQueue", [](cl::Api& a) { fail(a.create_command_queue); },
       [&] { device->make_queue(false); }},
      {"clCreateBuffer", [](cl::Api& a) { fail(a.create_buffer); }, [&] { device->allocate(8); }},
      {"clCreateProgramWithSource", [](cl::Api& a) { fail(a.create_program_with_source); },
       [&] { device->build(test::kScaleKernel, definitions); }},
      {"clCreateProgramWithBinary", [](cl::Api& a) { fail(a.create_program_with_binary); },
       [&] { device->load(binary); }},
      {"clBuildProgram", [](cl::Api& a) { fail(a.build_program); },
       [&] { device->build(test::kScaleKernel, definitions); }},
      {"clGetProgramInfo", [](cl::Api& a) { fail(a.get_program_info); },
       [&] { static_cast<void>(module->binary()); }},
      {"clCreateKernel", [](cl::Api& a) { fail(a.create_kernel); },
       [&] { module->kernel("scale"); }},
      {"clGetKernelInfo", [](cl::Api& a) { fail(a.get_kernel_info); },
       [&] { module->kernel("scale"); }},
      {"clGetKernelWorkGroupInfo", [](cl::Api& a) { fail(a.get_kernel_work_group_info); },
       [&] { module->kernel("scale"); }},
      {"clSetKernelArg", [](cl::Api& a) { fail(a.set_kernel_arg); }, [&] { launch(); }},
      {"clEnqueueNDRangeKernel", [](cl::Api& a) { fail(a.enqueue_nd_range_kernel); },
       [&] { launch(); }},
      {"clEnqueueWriteBuffer", [](cl::Api& a) { fail(a.enqueue_write_buffer); },
       [&] { upload(*queue, *buffer, {1}); }},
      {"clEnqueueReadBuffer", [](cl::Api& a) { fail(a.enqueue_read_buffer); },
       [&] { download(*queue, *buffer, 1); }, true},
      {"clEnqueueCopyBuffer", [](cl::Api& a) { fail(a.enqueue_copy_buffer); },
       [&] { queue->copy(*buffer, 0, *target, 0, 8); }},
      {"clEnqueueFillBuffer", [](cl::Api& a) { fail(a.enqueue_fill_buffer); },
       [&] { queue->clear(*buffer, 0, 8); }},
      {"clEnqueueMarkerWithWaitList", [](cl::Api& a) { fail(a.enqueue_marker_with_wait_list); },
       [&] { queue->record(); }},
      {"clEnqueueBarrierWithWaitList", [](cl::Api& a) { fail(a.enqueue_barrier_with_wait_list); },
       [&] { queue->wait_for(*event); }},
      {"clFlush", [](cl::Api& a) { fail(a.flush); }, [&] { queue->flush(); }},
      {"clFlush", [](cl::Api& a) { fail(a.flush); }, [&] { queue->wait_for(*event); }},
      {"clFinish", [](cl::Api& a) { fail(a.finish); }, [&] { queue->finish(); }, true},
      {"clWaitForEvents", [](cl::Api& a) { fail(a.wait_for_events); }, [&] { event->wait(); },
       true},
      {"clGetEventInfo", [](cl::Api& a) { fail(a.get_event_info); },
       [&] { static_cast<void>(event->is_done()); }},
      {"clGetEventProfilingInfo", [](cl::Api& a) { fail(a.get_event_profiling_info); },
       [&] { static_cast<void>(event->seconds_since(*event)); }},
  };
  for (const Fault& fault : faults) {
    for (cl::Int code : {-4, -5, -6, -11, -14, -30, -36, -9999}) {
      injected_code = code;
      fault.inject(*api);
      expect_typed_error(fault, code);
      *api = untouched;
    }
  }
  EXPECT_EQ(download(*queue, *buffer, 64), counted(64, 9)) << "operands are as they were";
  launch();
  EXPECT_EQ(download(*queue, *target, 64), counted(64, 10));
}

TEST_F(OpenclFaults, ADeviceThatCannotBeSplitSaysSo) {
  const auto unused = driver->devices().front();
  injected_code = -18;
  fail(api->create_sub_devices);
  EXPECT_THROW(unused->split(2), RuntimeError);
  *api = untouched;
  EXPECT_NO_THROW(unused->allocate(8));
}

TEST_F(OpenclFaults, NoPlatformAndNoDeviceAreEmptyLists) {
  injected_code = cl::kPlatformNotFound;
  fail(api->get_platform_ids);
  EXPECT_TRUE(driver->devices().empty());
  *api = untouched;
  injected_code = cl::kDeviceNotFound;
  fail(api->get_device_ids);
  EXPECT_TRUE(driver->devices().empty());
}

TEST_F(OpenclFaults, TooLargeABufferIsOutOfMemory) {
  injected_code = cl::kInvalidBufferSize;
  fail(api->create_buffer);
  try {
    device->allocate(8);
    ADD_FAILURE() << "no exception";
  } catch (const OutOfDeviceMemory& error) {
    const std::string largest = std::to_string(device->properties().largest_allocation_bytes);
    EXPECT_NE(error.offending().find("CL_INVALID_BUFFER_SIZE (-61), 8 bytes"), std::string::npos);
    EXPECT_EQ(error.limit(), largest + " bytes in one buffer");
  }
}

TEST_F(OpenclFaults, FailedWorkIsReportedByEveryWaitBehindIt) {
  // The launch is submitted well and fails while it runs.
  const auto before = queue->record();
  api->enqueue_nd_range_kernel = [](cl::Queue q, cl::Kernel k, cl::Uint d, const std::size_t* o,
                                    const std::size_t* g, const std::size_t* l, cl::Uint n,
                                    const cl::Event* w, cl::Event* e) {
    const cl::Int code = real_api->enqueue_nd_range_kernel(q, k, d, o, g, l, n, w, e);
    failing_event = *e;
    return code;
  };
  api->get_event_info = [](cl::Event e, cl::Uint what, std::size_t bytes, void* value,
                           std::size_t* size) {
    const cl::Int code = real_api->get_event_info(e, what, bytes, value, size);
    if (e == failing_event && *static_cast<cl::Int*>(value) == cl::kComplete) {
      *static_cast<cl::Int*>(value) = -9999;
    }
    return code;
  };
  launch();
  const auto after = queue->record();
  const std::vector<std::function<void()>> waits{[&] { after->wait(); }, [&] { queue->finish(); },
                                                 [&] { download(*queue, *target, 64); },
                                                 [&] { queue->finish(); }};
  for (const auto& wait : waits) {
    try {
      wait();
      ADD_FAILURE() << "no exception";
    } catch (const OutOfDeviceMemory& error) {
      ADD_FAILURE() << "operands are not as they were: " << error.what();
    } catch (const RuntimeError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("clEnqueueNDRangeKernel: unknown OpenCL error (-9999), scale, while"),
                std::string::npos)
          << text;
    }
  }
  EXPECT_NO_THROW(before->wait()) << "what came before has not failed";
  EXPECT_TRUE(after->is_done());
  EXPECT_EQ(download(*other_queue, *buffer, 64), counted(64, 9)) << "another queue goes on";
}

TEST_F(OpenclFaults, NothingButDownloadsAndWaitsWaits) {
  wait_count = 0;
  api->enqueue_write_buffer = [](cl::Queue q, cl::Memory m, cl::Uint blocking, std::size_t o,
                                 std::size_t n, const void* p, cl::Uint c, const cl::Event* w,
                                 cl::Event* e) {
    wait_count += blocking != 0 ? 1 : 0;
    return real_api->enqueue_write_buffer(q, m, blocking, o, n, p, c, w, e);
  };
  api->enqueue_read_buffer = [](cl::Queue q, cl::Memory m, cl::Uint blocking, std::size_t o,
                                std::size_t n, void* p, cl::Uint c, const cl::Event* w,
                                cl::Event* e) {
    wait_count += blocking != 0 ? 1 : 0;
    return real_api->enqueue_read_buffer(q, m, blocking, o, n, p, c, w, e);
  };
  api->finish = [](cl::Queue q) {
    ++wait_count;
    return real_api->finish(q);
  };
  api->wait_for_events = [](cl::Uint n, const cl::Event* events) {
    ++wait_count;
    return real_api->wait_for_events(n, events);
  };
  for (int round = 0; round < 50; ++round) {
    upload(*queue, *buffer, counted(64, 3));
    launch();
    queue->copy(*buffer, 0, *target, 8, 16);
    queue->clear(*buffer, 80, 16);
    other_queue->wait_for(*queue->record());
    queue->flush();
    const auto temporary = allocate(64);
    other_queue->copy(*temporary, 0, *buffer, 0, 512);
    queue->wait_for(*other_queue->record());  // the next upload comes after that copy
  }
  EXPECT_EQ(wait_count, 0);
  EXPECT_EQ(download(*queue, *target, 3), (Words{4, 5, 6}));
  EXPECT_EQ(wait_count, 1);
}

TEST_F(OpenclFaults, UploadsAreBoundedInWhatTheyKeep) {
  const auto context = std::make_shared<OpenclContext>(
      api,
      [&] {
        cl::Platform platform = nullptr;
        cl::Device id = nullptr;
        api->get_platform_ids(1, &platform, nullptr);
        api->get_device_ids(platform, cl::kDeviceTypeAll, 1, &id, nullptr);
        return id;
      }(),
      device->properties());
  cl::Int code = cl::kSuccess;
  const OpenclBuffer own(context, 8 << 20);
  cl::Device id = context->devices().front();
  OpenclTimeline timeline(
      context, cl::QueueHandle(api, api->create_command_queue(context->get(), id, 0, &code)));
  ASSERT_EQ(code, cl::kSuccess);
  const std::vector<std::byte> source(8 << 20, std::byte{1});
  for (int i = 0; i < 4; ++i) {
    StagedBytes staged(source);
    cl::Event written = nullptr;
    ASSERT_EQ(api->enqueue_write_buffer(timeline.queue(), own.get(), 0, 0, staged.size(),
                                        staged.data(), 0, nullptr, &written),
              cl::kSuccess);
    timeline.add("write", "", written, std::move(staged));
  }
  timeline.limit_staged(16 << 20);
  EXPECT_LE(timeline.staged_bytes(), std::size_t{16} << 20);
  timeline.limit_staged(0);
  EXPECT_EQ(timeline.staged_bytes(), 0U);
  EXPECT_EQ(timeline.position(), 4U);
}

}  // namespace
}  // namespace ringlet::gpu
