// SPDX-License-Identifier: Apache-2.0
// Every entry point of every library answers with every error code once, and every call of a script
// that uses the whole interface of a driver fails once.

#include "gpu_standin/error_codes.hpp"
#include "gpu_standin/fixture.hpp"
#include "support/devices/device_backend_pair.hpp"
#include "support/refusal.hpp"

namespace ringlet::test {
namespace {

struct Library {
  std::string name;
  std::vector<int> codes;
  std::size_t entry_count;
  int failure;  ///< One of the codes.
};

const std::vector<Library> kLibraries{
    // All that the driver binds, except for texts of errors and the compiler's log and PTX.
    {"cuda", kCudaErrors, 35, 719},
    {"nvrtc", kNvrtcErrors, 8, 11},
    // All entry points except those for the log of a refused program and for a GiB of uploads.
    {"opencl", kOpenclErrors, 34, -34},
};

/// How a script ended.
enum class Kind { success, refused, out_of_memory, runtime_error, other };
struct Ending {
  Kind kind = Kind::success;
  std::string message;
  std::size_t needed = 0;  ///< Calls before the release began.
};

void PrintTo(const Library& library, std::ostream* out) { *out << library.name; }

struct StandInErrors : StandInTest, ::testing::WithParamInterface<Library> {
  bool is_opencl() const { return GetParam().name == "opencl"; }
  const StandIn& library() const {
    return is_opencl() ? opencl_ : GetParam().name == "cuda" ? cuda_ : nvrtc_;
  }
  /// Runs the script, which has released everything at the return.
  Ending run(std::size_t upload_bytes = 0, std::size_t parts = 1) const {
    Ending ending;
    try {
      const auto driver = load(is_opencl() ? gpu::Api::opencl : gpu::Api::cuda, ending.message);
      DriverScript script;
      if (driver == nullptr || !script.run(*driver, upload_bytes, parts)) {
        ending.kind = Kind::refused;
      }
      ending.needed = library()->calls().size();
    } catch (const OutOfDeviceMemory& error) {
      return {Kind::out_of_memory, error.what()};
    } catch (const RuntimeError& error) {
      return {Kind::runtime_error, error.what()};
    } catch (const std::exception& error) {
      return {Kind::other, error.what()};
    }
    return ending;
  }

  /// Runs the script on two sub-devices, if there are any.
  Ending run_whole() const { return run(0, is_opencl() ? 2 : 1); }
  std::set<std::string> entries() const {
    std::set<std::string> entries;
    for (const standin::Call& call : library()->calls()) entries.insert(call.entry);
    return entries;
  }

  /// Whether the operation succeeds although this call fails.
  static bool may_fail(const std::string& entry) {
    static const std::set<std::string> releasing{
        "cuCtxPopCurrent_v2", "cuCtxSynchronize",
        "cuMemFree_v2",       "cuMemFreeHost",
        "cuStreamDestroy_v2", "cuModuleUnload",
        "cuEventDestroy_v2",  "nvrtcDestroyProgram",
        "clCreateSubDevices", "cuDevicePrimaryCtxRelease_v2"};
    return entry.starts_with("clRelease") || releasing.contains(entry);
  }
  static Kind kind_of(const std::string& entry, int code) {
    const std::map<std::string, int> harmless{
        {"cuEventQuery", 600}, {"clGetPlatformIDs", -1001}, {"clGetDeviceIDs", -1}};
    if (const auto found = harmless.find(entry); found != harmless.end() && found->second == code) {
      return entry == "cuEventQuery" ? Kind::success : Kind::refused;
    }
    if (may_fail(entry)) return Kind::success;
    if (entry == "cuInit" || entry == "cuDriverGetVersion") return Kind::refused;
    // A failed query of an event is reported as work that failed.
    if (entry == "clGetEventInfo") return Kind::runtime_error;
    if (entry == "clCreateBuffer" && code == -61) return Kind::out_of_memory;
    const bool waits =
        entry == "clFinish" || entry == "clWaitForEvents" || entry == "clEnqueueReadBuffer";
    const bool is_memory = entry.starts_with("cl")
                               ? code == -4 || code == -6 || (code == -5 && !waits)
                               : entry.starts_with("cu") && code == 2;
    return is_memory ? Kind::out_of_memory : Kind::runtime_error;
  }
  /// Expects the kind of error that fits, with the names of the call and of the code.
  static void expect_told(const Ending& ending, const std::string& entry, int code) {
    EXPECT_EQ(ending.kind, kind_of(entry, code)) << ending.message;
    if (ending.kind == Kind::success || code == -1001 || code == -1) return;
    const std::string number = " (" + std::to_string(code) + ")";
    const std::string call = entry.substr(0, entry.find("_v2"));
    const std::string wanted = entry.starts_with("nvrtc") ? call
                               : entry.starts_with("cu")  ? cuda_error_name(code) + number
                                                          : gpu::cl::error_text(code);
    if (entry != "clGetEventInfo") {
      EXPECT_NE(ending.message.find(call), std::string::npos) << ending.message;
    }
    EXPECT_NE(ending.message.find(wanted), std::string::npos) << ending.message;
  }
};

TEST_P(StandInErrors, TheScriptCallsEveryEntryPoint) {
  for (const std::int64_t eager : {0, 1}) {
    reset();
    library()->set("eager", eager);
    EXPECT_EQ(run_whole().kind, Kind::success);
    EXPECT_EQ(entries().size(), GetParam().entry_count);
  }
}

TEST_P(StandInErrors, EveryCodeOfEveryEntryPointIsTold) {
  ASSERT_EQ(run_whole().kind, Kind::success);
  for (const std::string& entry : entries()) {
    for (const int code : GetParam().codes) {
      SCOPED_TRACE(entry + " answers " + std::to_string(code));
      reset();
      library()->fail(entry, 1, code);
      expect_told(run_whole(), entry, code);
      expect_all_released(entry);
      if (HasFailure()) return;
    }
  }
}

TEST_P(StandInErrors, EveryCallMayFail) {
  // The upload needs two blocks of staging.
  const std::size_t bytes = is_opencl() ? 0 : (std::size_t{1} << 20) + 8;
  const Ending good = run(bytes);
  ASSERT_EQ(good.kind, Kind::success);
  fail_every_call(library(), GetParam().failure, [&](const std::string& entry, std::size_t index) {
    const Ending ending = run(bytes);
    if (index >= good.needed) {
      EXPECT_EQ(ending.kind, Kind::success) << ending.message;
    } else {
      expect_told(ending, entry, GetParam().failure);
    }
  });
}

class StandInWork : public StandInErrors {};

TEST_P(StandInWork, ThatFailsNeverEndsWell) {
  // Upload, event, launch, event, wait, copy, clear, event, download. An event of OpenCL for which
  // nobody waits may fail unseen: run() has checked the data.
  for (std::size_t nth = 1; nth <= 9; ++nth) {
    for (const int code : is_opencl() ? std::vector{-5, -9999} : std::vector{700, 719}) {
      SCOPED_TRACE("command " + std::to_string(nth) + " ends in " + std::to_string(code));
      reset();
      library()->fail_work(nth, code);
      const Ending ending = run();
      if (!is_opencl()) {
        EXPECT_NE(ending.message.find(cuda_error_name(code)), std::string::npos) << ending.message;
      }
      if (!is_opencl() || (nth != 2 && nth != 8)) {
        EXPECT_EQ(ending.kind, Kind::runtime_error);
      }
      expect_all_released();
    }
  }
}

const auto name_of = [](const auto& one) { return one.param.name; };
INSTANTIATE_TEST_SUITE_P(, StandInErrors, ::testing::ValuesIn(kLibraries), name_of);
INSTANTIATE_TEST_SUITE_P(, StandInWork, ::testing::Values(kLibraries[0], kLibraries[2]), name_of);

using CudaErrors = StandInTest;

TEST_F(CudaErrors, WithoutATextAreStillTold) {
  const auto device = load(gpu::Api::cuda)->devices().at(0);
  cuda_->fail("cuMemAlloc_v2", 1, 98765);
  expect_error_below<RuntimeError>({"unknown error (98765)"}, [&] { device->allocate(8); });
  cuda_->fail("cuMemAlloc_v2", 1, 700);
  cuda_->fail("cuGetErrorName", 1, 1);
  cuda_->fail("cuGetErrorString", 1, 1);
  expect_error_below<RuntimeError>({"unknown error (700)"}, [&] { device->allocate(8); });
}

// Tests of a backend with several queues over stand-ins of libcuda and libOpenCL, which do the work
// of a queue only when a call waits for it. Only the kernels that add and copy compute.

constexpr std::size_t kDegree = 8;

std::uint64_t* limb(const standin::Launch& launch, std::size_t argument, std::uint64_t index) {
  const std::uint64_t* const arguments = launch.arguments.data() + argument;
  return reinterpret_cast<std::uint64_t*>(arguments[0]) + arguments[1] + index * arguments[2];
}

void limbs_add(const standin::Launch& launch) {
  const auto* const constants = reinterpret_cast<const std::uint64_t*>(launch.arguments[9]);
  for (std::uint64_t i = launch.arguments[11]; i < launch.arguments[12]; ++i) {
    const std::uint64_t q = constants[launch.arguments[10] + 4 * i];
    for (std::size_t c = 0; c < kDegree; ++c) {
      limb(launch, 0, i)[c] = (limb(launch, 3, i)[c] + limb(launch, 6, i)[c]) % q;
    }
  }
}

void limbs_copy(const standin::Launch& launch) {
  for (std::uint64_t i = launch.arguments[6]; i < launch.arguments[7]; ++i) {
    std::copy_n(limb(launch, 3, i), kDegree, limb(launch, 0, i));
  }
}

/// Adds polynomials, with limbs that go from queue to queue. All limbs are modulo one prime.
void add_up(const Backend& backend, const PlacedImages& x) {
  const Indices primes(5, 3);
  const auto values = [&x](std::size_t i) { return x[i]->values(); };
  for (int round = 0; round < 3; ++round) {
    backend.add(values(0), values(0), values(1), primes);
    backend.copy(values(1).first(2), values(0).part(3, 2));
    backend.add(values(2), values(1), values(0), primes);
    backend.copy(values(0).part(4, 1), values(2).first(1));
    backend.add(values(1), values(1), values(2), primes);
  }
}

/// The result of a run of a backend.
struct Outcome {
  std::string error;  ///< Of a RuntimeError.
  bool is_right = false;
  std::size_t waits = 0;   ///< Of the host, before a result was read.
  std::size_t needed = 0;  ///< Calls before the release began.
};

struct QueuesOnStandIn : StandInTest {
  const StandIn& library(gpu::Api api) const { return api == gpu::Api::cuda ? cuda_ : opencl_; }
  Outcome run(gpu::Api api, std::size_t queue_count) const {
    library(api)->register_kernel("limbs_add", limbs_add);
    library(api)->register_kernel("limbs_copy", limbs_copy);
    const RnsBasis basis = make_device_basis(kDegree);
    auto rng = make_rng();
    std::vector<Image> images;
    for (int i = 0; i < 3; ++i) images.push_back(make_image(basis, Indices(5, 3), rng));
    const PlacedImages expected = place(images, nullptr);
    add_up(*make_cpu_backend(basis), expected);

    Outcome outcome;
    try {
      const auto driver = load(api, outcome.error);
      if (driver == nullptr) return outcome;
      const auto memory = std::make_shared<gpu::DeviceMemory>(
          "gpu:0", driver->devices().at(0), DeviceOptions{.queue_count = queue_count});
      const auto backend = gpu::make_device_backend(basis, memory);
      const PlacedImages actual = place(images, memory);
      add_up(*backend, actual);
      outcome.waits = library(api).wait_count();
      outcome.is_right = download(actual) == download(expected);
      memory->synchronize();
      outcome.needed = library(api)->calls().size();
    } catch (const RuntimeError& error) {
      return {.error = error.what()};
    }
    return outcome;
  }
  /// Lets each call before the release fail once.
  void expect_every_call_may_fail(gpu::Api api, int code, const std::set<std::string>& may_fail) {
    run(api, 2);  // puts the programs into the cache
    reset();
    const std::size_t needed = run(api, 2).needed;
    ASSERT_GT(needed, 50u);
    fail_every_call(library(api), code, [&](const std::string& entry, std::size_t index) {
      const Outcome outcome = run(api, 2);
      if (may_fail.contains(entry) || index >= needed) {
        EXPECT_TRUE(outcome.is_right || !outcome.error.empty());
      } else {
        EXPECT_NE(outcome.error, "");
      }
    });
  }
};

TEST_F(QueuesOnStandIn, AreOrderedByEventsWhereThereAreSeveral) {
  for (const gpu::Api api : {gpu::Api::cuda, gpu::Api::opencl}) {
    for (const std::size_t count : {1, 2, 3, 4}) {
      for (const std::size_t tiles : {1, 4}) {
        SCOPED_TRACE(::testing::Message() << count << " queues, " << tiles << " tiles");
        reset();
        opencl_->set("largest_partition", tiles);
        const Outcome outcome = run(api, count);
        EXPECT_EQ(outcome.error, "");
        EXPECT_TRUE(outcome.is_right);
        EXPECT_EQ(outcome.waits, 0u);
        const StandIn& used = library(api);
        EXPECT_EQ(used.count("cuStreamCreate") + used.count("clCreateCommandQueue"), count);
        EXPECT_EQ(used.count("cuStreamWaitEvent") + used.count("clEnqueueBarrierWithWaitList") != 0,
                  count > 1);
        EXPECT_EQ(used.count("clCreateSubDevices") != 0,
                  api == gpu::Api::opencl && count > 1 && count <= tiles && 8 % count == 0);
        expect_all_released();
      }
    }
  }
}

TEST_F(QueuesOnStandIn, EveryCallOfCudaMayFail) {
  expect_every_call_may_fail(
      gpu::Api::cuda, 700,
      {"cuCtxPopCurrent_v2", "cuCtxPushCurrent_v2", "cuEventDestroy_v2", "cuMemFree_v2",
       "cuMemFreeHost", "cuCtxSynchronize", "cuModuleUnload", "cuModuleLoadData"});
}

TEST_F(QueuesOnStandIn, EveryCallOfOpenclMayFail) {
  expect_every_call_may_fail(
      gpu::Api::opencl, -34,
      {"clCreateSubDevices", "clReleaseEvent", "clReleaseKernel", "clReleaseMemObject",
       "clReleaseDevice", "clReleaseProgram", "clCreateProgramWithBinary", "clBuildProgram"});
}

// The work itself fails, on any queue: a read of words that depend on it reports the failure.
TEST_F(QueuesOnStandIn, WorkThatFailsOnOneQueueIsToldByAnother) {
  for (std::size_t nth = 1; nth <= 60; ++nth) {
    reset();
    opencl_->fail_work(nth, -9999);
    EXPECT_NE(run(gpu::Api::opencl, 2).error, "") << "command " << nth;
    expect_all_released();
  }
}

}  // namespace
}  // namespace ringlet::test
