// SPDX-License-Identifier: Apache-2.0
#include "gpu/driver.hpp"
#include "gpu_standin/paths.hpp"
#include "gpu_standin/standin.hpp"
#include "ringlet/error.hpp"
#include "support/device_backend_pair.hpp"
#include "support/test.hpp"

// A backend with several queues over stand-ins of libcuda and libOpenCL, which do the work of a
// queue when somebody waits for it, and no sooner. Of the kernels those that add and copy compute.

namespace ringlet::test {
namespace {

constexpr std::size_t kDegree = 8;

std::uint64_t* limb(const standin_launch& launch, std::size_t argument, std::uint64_t index) {
  const std::uint64_t* const arguments = launch.arguments + argument;
  return reinterpret_cast<std::uint64_t*>(arguments[0]) + arguments[1] + index * arguments[2];
}

void limbs_add(const standin_launch* launch) {
  const auto* const constants = reinterpret_cast<const std::uint64_t*>(launch->arguments[9]);
  for (std::uint64_t i = launch->arguments[11]; i < launch->arguments[12]; ++i) {
    const std::uint64_t q = constants[launch->arguments[10] + 4 * i];
    for (std::size_t c = 0; c < kDegree; ++c) {
      const std::uint64_t sum = limb(*launch, 3, i)[c] + limb(*launch, 6, i)[c];
      limb(*launch, 0, i)[c] = sum >= q ? sum - q : sum;
    }
  }
}

void limbs_copy(const standin_launch* launch) {
  for (std::uint64_t i = launch->arguments[6]; i < launch->arguments[7]; ++i) {
    for (std::size_t c = 0; c < kDegree; ++c) limb(*launch, 0, i)[c] = limb(*launch, 3, i)[c];
  }
}

/// Sums of polynomials, with limbs that go from queue to queue. All limbs are of one prime.
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

/// What a run of a backend came to.
struct Outcome {
  std::string error;  ///< Of a RuntimeError.
  bool is_right = false;
  std::size_t waits = 0;   ///< Of the host, before a result was read.
  std::size_t needed = 0;  ///< Calls before the release began.
};

Outcome run(gpu::Driver& driver, const StandIn& library, std::size_t queue_count) {
  const RnsBasis basis = make_device_basis(kDegree);
  auto rng = make_rng();
  std::vector<Image> images;
  for (int i = 0; i < 3; ++i) images.push_back(make_image(basis, Indices(5, 3), rng));
  const auto cpu = make_cpu_backend(basis);
  PlacedImages expected;
  for (const Image& image : images) expected.push_back(std::make_unique<Placed>(image, nullptr));
  add_up(*cpu, expected);

  Outcome outcome;
  try {
    DeviceOptions options;
    options.queue_count = queue_count;
    const auto memory =
        std::make_shared<gpu::DeviceMemory>("gpu:0", driver.devices().at(0), options);
    const auto backend = gpu::make_device_backend(basis, memory);
    PlacedImages actual;
    for (const Image& image : images) actual.push_back(std::make_unique<Placed>(image, memory));
    add_up(*backend, actual);
    outcome.waits = library.wait_count();
    outcome.is_right = true;
    for (std::size_t i = 0; i < images.size(); ++i) {
      outcome.is_right = outcome.is_right && actual[i]->download() == expected[i]->download();
    }
    memory->synchronize();
    outcome.needed = library.calls().size();
  } catch (const RuntimeError& error) {
    outcome.error = error.what();
    outcome.is_right = false;
  }
  return outcome;
}

class QueuesOnStandIn : public ::testing::Test {
 protected:
  QueuesOnStandIn() { reset(); }
  void reset() {
    for (StandIn* const library : {&cuda_, &nvrtc_, &opencl_}) {
      library->reset();
      library->register_kernel("limbs_add", limbs_add);
      library->register_kernel("limbs_copy", limbs_copy);
    }
    cuda_.set("count_nonzero", 0);  // takes long
  }
  Outcome run_cuda(std::size_t queue_count) {
    std::string reason;
    const auto driver = gpu::load_cuda(reason, cuda_.path(), nvrtc_.path());
    return driver == nullptr ? Outcome{.error = reason} : run(*driver, cuda_, queue_count);
  }
  Outcome run_opencl(std::size_t queue_count) {
    std::string reason;
    const auto driver = gpu::load_opencl(reason, opencl_.path());
    return driver == nullptr ? Outcome{.error = reason} : run(*driver, opencl_, queue_count);
  }
  void expect_all_released(bool may_leave_objects = false) {
    for (const StandIn* const library : {&cuda_, &nvrtc_, &opencl_}) {
      EXPECT_EQ(library->violations(), "");
      if (may_leave_objects) continue;
      for (const auto& [kind, count] : library->live()) EXPECT_EQ(count, 0) << kind;
    }
  }
  /// Each call before the release fails once.
  template <typename Run>
  void expect_every_call_may_fail(const StandIn& library, std::int64_t code, const Run& run_again,
                                  const std::set<std::string>& may_fail) {
    run_again();  // puts the programs into the cache
    reset();
    const std::size_t needed = run_again().needed;
    const auto calls = library.calls();
    ASSERT_GT(needed, 50u);
    std::map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < needed; ++i) {
      const std::string entry = calls[i].entry;
      const std::size_t nth = ++seen[entry];
      SCOPED_TRACE(entry + ", call " + std::to_string(nth));
      reset();
      library.fail(entry, nth, code);
      const Outcome outcome = run_again();
      if (may_fail.contains(entry)) {
        EXPECT_TRUE(outcome.is_right || !outcome.error.empty());
      } else {
        EXPECT_NE(outcome.error, "");
      }
      expect_all_released(entry == "cuCtxPushCurrent_v2");
      if (HasFailure()) return;
    }
  }

  StandIn cuda_{kStandInCuda};
  StandIn nvrtc_{kStandInNvrtc};
  StandIn opencl_{kStandInOpencl};
};

TEST_F(QueuesOnStandIn, CudaHasAStreamForEachAndOrdersThemByEvents) {
  for (const std::size_t queue_count : {2, 3}) {
    reset();
    const Outcome outcome = run_cuda(queue_count);
    EXPECT_EQ(outcome.error, "");
    EXPECT_TRUE(outcome.is_right);
    EXPECT_EQ(outcome.waits, 0u);
    EXPECT_EQ(cuda_.count("cuStreamCreate"), queue_count);
    EXPECT_GT(cuda_.count("cuStreamWaitEvent"), 0u);
    expect_all_released();
  }
}

TEST_F(QueuesOnStandIn, CudaWithOneQueueHasNoEvents) {
  const Outcome outcome = run_cuda(1);
  EXPECT_TRUE(outcome.is_right) << outcome.error;
  EXPECT_EQ(outcome.waits, 0u);
  EXPECT_EQ(cuda_.count("cuStreamCreate"), 1u);
  EXPECT_EQ(cuda_.count("cuStreamWaitEvent"), 0u);
  expect_all_released();
}

TEST_F(QueuesOnStandIn, OpenclTilesHaveAQueueEach) {
  for (const std::size_t queue_count : {1, 2, 4}) {
    reset();
    const Outcome outcome = run_opencl(queue_count);
    EXPECT_EQ(outcome.error, "");
    EXPECT_TRUE(outcome.is_right);
    EXPECT_EQ(outcome.waits, 0u);
    EXPECT_EQ(opencl_.count("clCreateCommandQueue"), queue_count);
    EXPECT_EQ(opencl_.count("clCreateSubDevices") != 0, queue_count > 1);
    EXPECT_EQ(opencl_.count("clEnqueueBarrierWithWaitList") != 0, queue_count > 1);
    expect_all_released();
  }
}

TEST_F(QueuesOnStandIn, OpenclWithoutTilesHasThemOnTheDevice) {
  opencl_.set("largest_partition", 1);
  const Outcome outcome = run_opencl(2);
  EXPECT_TRUE(outcome.is_right) << outcome.error;
  EXPECT_EQ(opencl_.count("clCreateSubDevices"), 0u);
  EXPECT_EQ(opencl_.count("clCreateCommandQueue"), 2u);
  expect_all_released();
}

TEST_F(QueuesOnStandIn, EveryCallOfCudaMayFail) {
  constexpr std::int64_t kIllegalAddress = 700;
  expect_every_call_may_fail(
      cuda_, kIllegalAddress, [this] { return run_cuda(2); },
      {"cuCtxPopCurrent_v2", "cuCtxPushCurrent_v2", "cuEventDestroy_v2", "cuMemFree_v2",
       "cuMemFreeHost", "cuCtxSynchronize", "cuModuleUnload", "cuModuleLoadData"});
}

TEST_F(QueuesOnStandIn, EveryCallOfOpenclMayFail) {
  constexpr std::int64_t kInvalidContext = -34;
  expect_every_call_may_fail(
      opencl_, kInvalidContext, [this] { return run_opencl(2); },
      {"clCreateSubDevices", "clReleaseEvent", "clReleaseKernel", "clReleaseMemObject",
       "clReleaseDevice", "clReleaseProgram", "clCreateProgramWithBinary", "clBuildProgram"});
}

// The work itself fails, on whatever queue: reading what depends on it says so.
TEST_F(QueuesOnStandIn, WorkThatFailsOnOneQueueIsToldByAnother) {
  std::size_t told = 0;
  for (std::size_t nth = 1; nth <= 60; ++nth) {
    reset();
    opencl_.fail_work(nth, -9999);
    const Outcome outcome = run_opencl(2);
    EXPECT_NE(outcome.error, "") << "command " << nth;
    told += !outcome.error.empty();
    expect_all_released();
  }
  EXPECT_EQ(told, 60u);
}

}  // namespace
}  // namespace ringlet::test
