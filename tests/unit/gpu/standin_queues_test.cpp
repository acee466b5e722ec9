// SPDX-License-Identifier: Apache-2.0
#include "gpu_standin/fixture.hpp"
#include "support/devices/device_backend_pair.hpp"
#include "support/test.hpp"

// A backend with several queues over stand-ins of libcuda and libOpenCL, which do the work of a
// queue when somebody waits for it, and no sooner. Of the kernels those that add and copy compute.

namespace ringlet::test {
namespace {

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

class QueuesOnStandIn : public StandInTest {
 protected:
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
      const auto memory =
          std::make_shared<gpu::DeviceMemory>("gpu:0", driver->devices().at(0),
                                              DeviceOptions{.queue_count = queue_count});
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
  /// Each call before the release fails once.
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

// The work itself fails, on whatever queue: reading what depends on it says so.
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
