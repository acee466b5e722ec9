// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_backend.hpp"
#include "gpu/device_memory.hpp"
#include "support/device_fixture.hpp"
#include "support/opencl_device.hpp"
#include "support/test.hpp"
#include "unit/schemes/ckks_support.hpp"

// What a pipeline asks of the driver: nothing that waits before the result is read, and no memory
// once the cache is warm (Zhai et al., figure 2 and section III-C).

namespace ringlet::test {
namespace {

namespace cl = gpu::cl;

/// Calls of the driver that wait for the device, and that take memory from it.
struct DriverCalls {
  std::atomic<int> waits{0};
  std::atomic<int> launches{0};
  std::atomic<int> allocations{0};
};

DriverCalls calls;
cl::Api real;

cl::Int counted_finish(cl::Queue queue) {
  ++calls.waits;
  return real.finish(queue);
}

cl::Int counted_wait(cl::Uint count, const cl::Event* events) {
  ++calls.waits;
  return real.wait_for_events(count, events);
}

cl::Int counted_read(cl::Queue queue, cl::Memory memory, cl::Uint blocking, std::size_t offset,
                     std::size_t bytes, void* target, cl::Uint count, const cl::Event* events,
                     cl::Event* event) {
  ++calls.waits;
  return real.enqueue_read_buffer(queue, memory, blocking, offset, bytes, target, count, events,
                                  event);
}

cl::Int counted_write(cl::Queue queue, cl::Memory memory, cl::Uint blocking, std::size_t offset,
                      std::size_t bytes, const void* source, cl::Uint count,
                      const cl::Event* events, cl::Event* event) {
  if (blocking != 0) ++calls.waits;
  return real.enqueue_write_buffer(queue, memory, blocking, offset, bytes, source, count, events,
                                   event);
}

cl::Int counted_launch(cl::Queue queue, cl::Kernel kernel, cl::Uint dimensions,
                       const std::size_t* offset, const std::size_t* global,
                       const std::size_t* local, cl::Uint count, const cl::Event* events,
                       cl::Event* event) {
  ++calls.launches;
  return real.enqueue_nd_range_kernel(queue, kernel, dimensions, offset, global, local, count,
                                      events, event);
}

cl::Memory counted_allocation(cl::Context context, cl::Bitfield flags, std::size_t bytes,
                              void* host, cl::Int* code) {
  ++calls.allocations;
  return real.create_buffer(context, flags, bytes, host, code);
}

class DevicePipeline : public test::OpenclDeviceTest {
 protected:
  void SetUp() override {
    OpenclDeviceTest::SetUp();
    if (IsSkipped()) return;
    real = *api;
    api->finish = counted_finish;
    api->wait_for_events = counted_wait;
    api->enqueue_read_buffer = counted_read;
    api->enqueue_write_buffer = counted_write;
    api->enqueue_nd_range_kernel = counted_launch;
    api->create_buffer = counted_allocation;
  }

  Context context_on_device(const DeviceOptions& options) {
    return on_device(ckks.context, options);
  }
  Context on_device(const Context& context, const DeviceOptions& options) {
    auto memory = std::make_shared<gpu::DeviceMemory>("gpu:0", device, options);
    return context.on(gpu::make_device_backend(context.backend().basis(), memory));
  }

  /// A circuit of all kinds of operations, from operands on the host.
  Ciphertext run(const Evaluator& e, const Ciphertext& a, const Ciphertext& b) const {
    Ciphertext product;
    e.multiply(a, b, product);
    e.relinearize_inplace(product, ckks.relin_keys);
    e.rescale_to_next_inplace(product);
    e.rotate_vector_inplace(product, 1, ckks.galois_keys);
    e.complex_conjugate_inplace(product, ckks.galois_keys);
    Ciphertext lowered;
    e.mod_switch_to(a, product.parms_id(), lowered);
    lowered.scale() = product.scale();
    e.add_inplace(product, lowered);
    e.square_inplace(product);
    e.relinearize_inplace(product, ckks.relin_keys);
    e.negate_inplace(product);
    e.sub_inplace(product, product);
    return product;
  }

  const Ckks ckks{64, {50, 40, 40, 60}};
};

TEST_F(DevicePipeline, WaitsForNothingBeforeItsResultIsRead) {
  const Evaluator evaluator(context_on_device({}));
  auto rng = test::make_rng();
  const Ciphertext a = ckks.encrypt(test::random_slots(32, rng), 0x1p40);
  const Ciphertext b = ckks.encrypt(test::random_slots(32, rng), 0x1p40);
  calls.waits = 0;
  calls.launches = 0;
  const Ciphertext result = run(evaluator, a, b);
  EXPECT_EQ(calls.waits, 0);
  EXPECT_GT(calls.launches, 20);
  EXPECT_THROW(result.view(0), LogicError);  // the difference is transparent
  EXPECT_GT(calls.waits, 0);
}

TEST_F(DevicePipeline, OneDivisionTakesFewerLaunchesThanTwo) {
  const Ckks eight(1024, {60, 40, 40, 40, 40, 40, 40, 40, 60});
  auto rng = test::make_rng();
  const Ciphertext a = eight.encrypt(test::random_slots(512, rng), 0x1p40);
  for (const bool is_fused : {false, true}) {
    DeviceOptions options;
    options.use_fused_passes = is_fused;
    const Evaluator e(on_device(eight.context, options));
    Ciphertext product;
    e.square(a, product);
    const auto launches = [&](const auto& call) {
      call();  // keys and constants go to the device
      const int before = calls.launches;
      call();
      return calls.launches - before;
    };
    Ciphertext result;
    const int in_turn = launches([&] {
      e.relinearize(product, eight.relin_keys, result);
      e.rescale_to_next_inplace(result);
    });
    const int at_once =
        launches([&] { e.relinearize_and_rescale_to_next(product, eight.relin_keys, result); });
    EXPECT_LT(at_once, in_turn) << "fused passes: " << is_fused;
    const std::string kind = is_fused ? "_fused" : "";
    RecordProperty("in_turn" + kind, in_turn);
    RecordProperty("at_once" + kind, at_once);
  }
}

TEST_F(DevicePipeline, TakesNoMemoryOnceTheCacheIsWarm) {
  const Evaluator evaluator(context_on_device({}));
  auto rng = test::make_rng();
  const Ciphertext a = ckks.encrypt(test::random_slots(32, rng), 0x1p40);
  const Ciphertext b = ckks.encrypt(test::random_slots(32, rng), 0x1p40);
  run(evaluator, a, b);
  calls.allocations = 0;
  for (int repetition = 0; repetition < 3; ++repetition) run(evaluator, a, b);
  EXPECT_EQ(calls.allocations, 0);
}

TEST_F(DevicePipeline, TakesMemoryAgainAndAgainWithoutTheCache) {
  DeviceOptions options;
  options.use_memory_cache = false;
  const Evaluator evaluator(context_on_device(options));
  auto rng = test::make_rng();
  const Ciphertext a = ckks.encrypt(test::random_slots(32, rng), 0x1p40);
  const Ciphertext b = ckks.encrypt(test::random_slots(32, rng), 0x1p40);
  run(evaluator, a, b);
  calls.allocations = 0;
  run(evaluator, a, b);
  EXPECT_GT(calls.allocations, 20);
}

}  // namespace
}  // namespace ringlet::test
