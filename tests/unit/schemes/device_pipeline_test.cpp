// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/device_backend.hpp"
#include "support/devices/device_backend_pair.hpp"
#include "support/devices/device_fixture.hpp"
#include "support/devices/opencl_device.hpp"
#include "support/devices/watched_device.hpp"
#include "unit/schemes/operations.hpp"

// The driver's calls of a pipeline: none waits before the result is read, and none takes memory
// once the cache is warm (Zhai et al., figure 2 and section III-C). The same holds on several
// queues, on the whole device or on parts of it. Products of matrices: their launches, the words
// that stay on the device for the next product, and the state after a failure of the device.

namespace ringlet::test {
namespace {

namespace cl = gpu::cl;

/// Counts driver calls that wait for the device, that launch and that take memory from it.
struct DriverCalls {
  std::atomic<int> waits{0};
  std::atomic<int> launches{0};
  std::atomic<int> allocations{0};
};

DriverCalls driver_calls;
cl::Api real;

/// Counts calls of an entry point; if these have a flag for blocking, only those that set it.
template <auto Entry, std::atomic<int> DriverCalls::* Count, bool HasFlag = false>
struct Counted;
template <typename Result, typename... Arguments, Result (*cl::Api::*Entry)(Arguments...),
          std::atomic<int> DriverCalls::* Count, bool HasFlag>
struct Counted<Entry, Count, HasFlag> {
  static Result call(Arguments... arguments) {
    bool counts = true;
    if constexpr (HasFlag) counts = std::get<2>(std::tie(arguments...)) != 0;
    if (counts) ++(driver_calls.*Count);
    return (real.*Entry)(arguments...);
  }
};

class DevicePipeline : public OpenclDeviceTest {
 protected:
  using Api = cl::Api;

  void SetUp() override {
    OpenclDeviceTest::SetUp();
    if (IsSkipped()) return;
    real = *api;
    api->finish = Counted<&Api::finish, &DriverCalls::waits>::call;
    api->wait_for_events = Counted<&Api::wait_for_events, &DriverCalls::waits>::call;
    api->enqueue_read_buffer = Counted<&Api::enqueue_read_buffer, &DriverCalls::waits>::call;
    api->enqueue_write_buffer =
        Counted<&Api::enqueue_write_buffer, &DriverCalls::waits, true>::call;
    api->enqueue_nd_range_kernel =
        Counted<&Api::enqueue_nd_range_kernel, &DriverCalls::launches>::call;
    api->create_buffer = Counted<&Api::create_buffer, &DriverCalls::allocations>::call;
  }
  Context on_device(const Context& context, const DeviceOptions& options) const {
    auto memory = std::make_shared<gpu::DeviceMemory>("gpu:0", device, options);
    return context.on(gpu::make_device_backend(context.backend().basis(), memory));
  }

  const SchemeBench bench{toy_context(64, {50, 40, 40, 60})};
  const World world = bench.world();
};

TEST_F(DevicePipeline, WaitsForNothingBeforeItsResultIsRead) {
  const Evaluator evaluator(on_device(bench.context, {}));
  driver_calls.waits = 0;
  driver_calls.launches = 0;
  Ciphertext result = bench.circuit(evaluator, world.a, world.b);
  evaluator.sub_inplace(result, result);
  EXPECT_EQ(driver_calls.waits, 0);
  EXPECT_GT(driver_calls.launches, 20);
  EXPECT_THROW(result.view(0), LogicError);  // the difference is transparent
  EXPECT_GT(driver_calls.waits, 0);
}

// At this degree transforms take two passes, as at larger ones. All polynomials of a ciphertext go
// through the same launches of a division; those of a square are three.
TEST_F(DevicePipeline, LaunchesOfWholeOperations) {
  const Ckks eight(8192, {50, 40, 40, 40, 40, 40, 40, 40, 50});
  auto rng = make_rng();
  const Ciphertext a = eight.encrypt_random(0x1p40, rng);
  const auto keys = eight.keygen.create_galois_keys(std::vector<int>{1});
  struct Operation {
    const char* name;
    std::function<void(const Evaluator&, const Ciphertext& square, Ciphertext& result)> run;
    int fused;
    int apart;
  };
  const Operation operations[] = {
      {"relinearize",
       [&](const Evaluator& e, const Ciphertext& square, Ciphertext& result) {
         e.relinearize(square, eight.relin_keys, result);
       },
       10, 67},
      {"rescale",
       [](const Evaluator& e, const Ciphertext& square, Ciphertext& result) {
         e.rescale_to_next(square, result);
       },
       4, 10},
      {"relinearize and rescale",
       [&](const Evaluator& e, const Ciphertext& square, Ciphertext& result) {
         e.relinearize_and_rescale_to_next(square, eight.relin_keys, result);
       },
       11, 66},
      {"rotate",
       [&](const Evaluator& e, const Ciphertext&, Ciphertext& result) {
         e.rotate_vector(a, 1, keys, result);
       },
       13, 68}};
  for (const bool is_fused : {true, false}) {
    const Evaluator e(on_device(eight.context, {.use_fused_passes = is_fused}));
    const Ciphertext square = result_of(e, &Evaluator::square, a);
    for (const auto& [name, run, fused, apart] : operations) {
      Ciphertext result;
      run(e, square, result);  // brings keys and constants to the device
      driver_calls.launches = 0;
      run(e, square, result);
      EXPECT_EQ(driver_calls.launches, is_fused ? fused : apart) << name << ", fused: " << is_fused;
    }
  }
}

TEST_F(DevicePipeline, TakesNoMemoryOnceTheCacheIsWarm) {
  for (const bool has_cache : {true, false}) {
    const Evaluator evaluator(on_device(bench.context, {.use_memory_cache = has_cache}));
    bench.circuit(evaluator, world.a, world.b);
    driver_calls.allocations = 0;
    for (int i = 0; i < 3; ++i) bench.circuit(evaluator, world.a, world.b);
    if (has_cache) {
      EXPECT_EQ(driver_calls.allocations, 0);
    } else {
      EXPECT_GT(driver_calls.allocations, 3 * 20);
    }
  }
}

/// Tests on their own objects of one device, which counts calls.
class WatchedDeviceTest : public DeviceBackendTest {
 protected:
  void SetUp() override {
    DeviceBackendTest::SetUp();
    if (!IsSkipped()) watched_ = std::make_shared<WatchedDevice>(device_);
  }
  /// The context on its own memory.
  Context on_device(const Context& context, const DeviceOptions& options = {}) {
    memory_ = std::make_shared<gpu::DeviceMemory>("gpu:0", watched_, options);
    return context.on(gpu::make_device_backend(context.backend().basis(), memory_));
  }
  DeviceWatch& watch() const { return watched_->watch(); }

  std::shared_ptr<WatchedDevice> watched_;
  std::shared_ptr<gpu::DeviceMemory> memory_;
};

class DeviceQueues : public WatchedDeviceTest, public ::testing::WithParamInterface<SchemeType> {
 protected:
  void expect_bits_of_the_processor(const SchemeBench& bench, std::size_t queue_count,
                                    bool on_parts) {
    SCOPED_TRACE(::testing::Message() << queue_count << (on_parts ? " parts" : " queues"));
    std::string reason;
    watched_ = std::make_shared<WatchedDevice>(find_test_device(reason));  // another object
    if (!on_parts) static_cast<void>(watched_->allocate(8));               // in use as a whole
    const Evaluator evaluator(
        on_device(bench.context, {.queue_count = queue_count, .use_timing = true}));
    EXPECT_EQ(memory_->describe_queues().find("part") != std::string::npos, on_parts);
    const World world = bench.world();
    const Ciphertext expected = bench.circuit(bench.evaluator, world.a, world.b);
    for (int round = 0; round < 3; ++round) {
      watch().waits = 0;
      const Ciphertext result = bench.circuit(evaluator, world.a, world.b);
      EXPECT_EQ(watch().waits, 0);
      EXPECT_EQ(result.device_memory(), memory_);
      expect_same(expected, result);
    }
    EXPECT_GT(watch().orders, 0);
    EXPECT_GT(memory_->time([&] { bench.circuit(evaluator, world.a, world.b); }), 0);
  }
};

TEST_P(DeviceQueues, GiveTheBitsOfTheProcessor) {
  const SchemeBench bench(exact_context(GetParam(), {64, 257, {40, 50, 57}, {60}}));
  expect_bits_of_the_processor(bench, 2, false);
  expect_bits_of_the_processor(bench, 3, false);
  if (device_->properties().largest_partition < 2) return;
  expect_bits_of_the_processor(bench, 2, true);
}

INSTANTIATE_TEST_SUITE_P(Schemes, DeviceQueues, kEveryScheme, scheme_name);

constexpr double kPipelineScale = 0x1p40;

class DeviceMatrices : public WatchedDeviceTest {
 protected:
  void SetUp() override {
    WatchedDeviceTest::SetUp();
    if (!IsSkipped()) open();
  }
  void open() { evaluator_ = std::make_unique<Evaluator>(on_device(ckks_->context)); }
  CiphertextMatrix encrypt(const MatrixShape& shape, double scale) {
    return {shape, ckks_->encrypt_random(shape.rows * shape.columns, scale, rng_)};
  }

  std::mt19937_64 rng_ = make_rng();
  std::unique_ptr<Ckks> ckks_ = std::make_unique<Ckks>(64, std::vector<int>{60, 50, 57, 61});
  std::unique_ptr<Evaluator> evaluator_;
};

// In proportion: blocks of 1 GiB hold 18 rows of 100 sums of 3 x 3 limbs of 8192 coefficients.
TEST_F(DeviceMatrices, HundredByHundredIsSixLaunches) {
  ckks_ = std::make_unique<Ckks>(16, std::vector<int>{50, 57});
  open();
  memory_->limit_shared_blocks(std::size_t{18} * 100 * 3 * 16);
  const CiphertextMatrix a = encrypt({100, 1}, 0x1p20);
  const CiphertextMatrix b = encrypt({1, 100}, 0x1p20);
  CiphertextMatrix sum(*ckks_->context.first_context_data(), {100, 100}, 3, 0x1p40);
  CiphertextMatrix expected = sum;
  for (int i = 0; i < 2; ++i) {
    watch().launches = 0;
    watch().work_items = 0;
    watch().uploads = 0;
    watch().waits = 0;
    multiply_accumulate(*evaluator_, sum, a, b);
    multiply_accumulate(ckks_->evaluator, expected, a, b);
    EXPECT_EQ(watch().launches, 6);
    // Each work item has one word of two rows: of three sums, and of the factors.
    EXPECT_EQ(watch().work_items, std::size_t{50} * 100 * 16);
    EXPECT_EQ(watch().waits, 0);
    if (i == 1) {
      EXPECT_EQ(watch().uploads, 0);
    }
  }
  EXPECT_EQ(Snapshot::of(sum), Snapshot::of(expected));
}

TEST_F(DeviceMatrices, SmallerOnesAreOneLaunch) {
  const CiphertextMatrix a = encrypt({10, 8}, kPipelineScale);
  const CiphertextMatrix b = encrypt({8, 9}, kPipelineScale);
  CiphertextMatrix product;
  multiply(*evaluator_, a, b, product);
  CiphertextMatrix expected;
  multiply(ckks_->evaluator, a, b, expected);
  EXPECT_EQ(watch().launches, 1);
  EXPECT_EQ(watch().waits, 0);
  EXPECT_EQ(Snapshot::of(product), Snapshot::of(expected));

  // A factor computed entry by entry is first copied into blocks, and stays in them.
  std::vector<Ciphertext> entries(8 * 9);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    evaluator_->negate(b.entries()[i], entries[i]);
  }
  const CiphertextMatrix minus_b({8, 9}, std::move(entries));
  CiphertextMatrix minus;
  for (int i = 0; i < 2; ++i) {
    watch().launches = 0;
    const int copies = watch().copies;
    multiply(*evaluator_, a, minus_b, minus);
    EXPECT_EQ(watch().launches, 1);
    EXPECT_EQ(watch().copies - copies, i == 0 ? 8 * 9 : 0);
  }
  for (std::size_t i = 0; i < minus.entries().size(); ++i) {
    const Ciphertext negated =
        result_of(ckks_->evaluator, &Evaluator::negate, expected.entries()[i]);
    EXPECT_EQ(Snapshot(minus.entries()[i]), Snapshot(negated));
  }
}

TEST_F(DeviceMatrices, WithoutRoomForBlocksOfRowsTheBitsAreTheSame) {
  const CiphertextMatrix a = encrypt({3, 2}, kPipelineScale);
  const CiphertextMatrix b = encrypt({2, 3}, kPipelineScale);
  CiphertextMatrix expected;
  multiply(ckks_->evaluator, a, b, expected);
  for (int room = 0; room < 40; ++room) {
    open();
    const CiphertextMatrix left = a;
    const CiphertextMatrix right = b;
    CiphertextMatrix product;
    watch().allocations_left = room;
    bool is_done = false;
    try {
      multiply(*evaluator_, left, right, product);
      is_done = true;
    } catch (const OutOfDeviceMemory&) {
      EXPECT_TRUE(product.empty());
    }
    watch().allocations_left = std::numeric_limits<int>::max();
    EXPECT_EQ(Snapshot::of(left), Snapshot::of(a));
    EXPECT_EQ(Snapshot::of(right), Snapshot::of(b));
    if (!is_done) multiply(*evaluator_, left, right, product);
    EXPECT_EQ(Snapshot::of(product), Snapshot::of(expected));
    if (is_done) return;
  }
  ADD_FAILURE() << "there never was enough room";
}

/// Every call that submits something fails once, in turn.
class DeviceMatrixFaults : public DeviceMatrices, public ::testing::WithParamInterface<bool> {};

TEST_P(DeviceMatrixFaults, LeaveOperandsAndDestination) {
  const CiphertextMatrix a = encrypt({3, 2}, kPipelineScale);
  const CiphertextMatrix b = encrypt({2, 2}, kPipelineScale);
  const CiphertextMatrix c = encrypt({3, 2}, kPipelineScale * kPipelineScale);
  CiphertextMatrix expected;
  multiply(ckks_->evaluator, a, b, expected);
  CiphertextMatrix expected_sum = c;
  multiply_accumulate(ckks_->evaluator, expected_sum, a, b);
  std::size_t refusals = 0;
  for (const bool is_sum : {false, true}) {
    bool is_done = false;
    for (int call = 0; !is_done; ++call) {
      ASSERT_LT(call, 200);
      open();
      memory_->limit_shared_blocks(std::size_t{2} * 2 * 9 * 64);
      const CiphertextMatrix left = a;
      const CiphertextMatrix right = b;
      CiphertextMatrix result = c;
      const auto run = [&] {
        if (is_sum) return multiply_accumulate(*evaluator_, result, left, right);
        multiply(*evaluator_, left, right, result);
      };
      watch().finds_no_memory = GetParam();
      watch().calls_left = call;
      try {
        run();
        is_done = watch().calls_left >= 0;
      } catch (const RuntimeError&) {
        ++refusals;
        watch().calls_left = std::numeric_limits<int>::max();
        EXPECT_EQ(Snapshot::of(result), Snapshot::of(c)) << "call " << call;
        run();
      }
      watch().calls_left = std::numeric_limits<int>::max();
      EXPECT_EQ(Snapshot::of(left), Snapshot::of(a)) << "call " << call;
      EXPECT_EQ(Snapshot::of(right), Snapshot::of(b)) << "call " << call;
      EXPECT_EQ(Snapshot::of(result), Snapshot::of(is_sum ? expected_sum : expected))
          << "call " << call;
    }
  }
  // If memory is short once, the call is repeated.
  if (!GetParam()) {
    EXPECT_GT(refusals, 2u * (6 + 4));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DeviceMatrixFaults, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "NoMemory" : "Refused"; });

}  // namespace
}  // namespace ringlet::test
