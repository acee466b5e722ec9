// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_backend.hpp"
#include "gpu/device_memory.hpp"
#include "gpu/driver.hpp"
#include "support/device_fixture.hpp"
#include "support/test.hpp"
#include "support/watched_device.hpp"
#include "unit/schemes/ckks_support.hpp"
#include "unit/schemes/exact_support.hpp"

// Circuits of an Evaluator on a device with several queues: the bits of the processor, whether the
// queues are on the whole device or on parts of it, and no waiting before a result is read.

namespace ringlet::test {
namespace {

/// On objects of their own of one device.
class DeviceQueues : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find() == nullptr) GTEST_SKIP() << reason_;
  }
  std::shared_ptr<gpu::DriverDevice> find() { return test::find_test_device(reason_); }
  /// The same context on `queue_count` queues.
  Context on_queues(const Context& context, std::size_t queue_count, bool on_parts) {
    watched_ = std::make_shared<WatchedDevice>(find());
    if (!on_parts) static_cast<void>(watched_->allocate(8));  // in use as a whole
    DeviceOptions options;
    options.queue_count = queue_count;
    options.use_timing = true;
    memory_ = std::make_shared<gpu::DeviceMemory>("gpu:0", watched_, options);
    EXPECT_EQ(memory_->describe_queues().find("part") != std::string::npos, on_parts);
    return context.on(gpu::make_device_backend(context.backend().basis(), memory_));
  }
  using Circuit = std::function<Ciphertext(const Evaluator&)>;
  void expect_bits_of_the_processor(const Context& context, const Circuit& circuit,
                                    std::size_t queue_count, bool on_parts) {
    SCOPED_TRACE(::testing::Message() << queue_count << (on_parts ? " parts" : " queues"));
    const Evaluator on_host(context, Device::cpu());
    const Evaluator on_device(on_queues(context, queue_count, on_parts));
    const Ciphertext expected = circuit(on_host);
    for (int round = 0; round < 3; ++round) {
      watched_->watch().waits = 0;
      const Ciphertext result = circuit(on_device);
      EXPECT_EQ(watched_->watch().waits, 0);
      EXPECT_EQ(result.device_memory(), memory_);
      expect_same(expected, result);
    }
    EXPECT_GT(watched_->watch().orders, 0);
    const double seconds = memory_->time([&] { circuit(on_device); });
    EXPECT_GT(seconds, 0);
  }
  void expect_bits_of_the_processor(const Context& context, const Circuit& circuit) {
    for (const std::size_t queue_count : {2, 3}) {
      expect_bits_of_the_processor(context, circuit, queue_count, false);
    }
    if (find()->properties().largest_partition < 2) return;
    expect_bits_of_the_processor(context, circuit, 2, true);
  }

  std::string reason_;
  std::shared_ptr<WatchedDevice> watched_;
  std::shared_ptr<gpu::DeviceMemory> memory_;
};

TEST_F(DeviceQueues, TileCircuitOfCkks) {
  const Ckks ckks(64, {50, 40, 40, 60});
  auto rng = test::make_rng();
  const Ciphertext a = ckks.encrypt(test::random_slots(32, rng), 0x1p40);
  const Ciphertext b = ckks.encrypt(test::random_slots(32, rng), 0x1p40);
  expect_bits_of_the_processor(ckks.context, [&](const Evaluator& e) {
    Ciphertext product;
    e.multiply(a, b, product);
    e.relinearize_inplace(product, ckks.relin_keys);
    e.rescale_to_next_inplace(product);
    Ciphertext rotated;
    e.rotate_vector(product, 1, ckks.galois_keys, rotated);
    e.complex_conjugate_inplace(product, ckks.galois_keys);
    e.add_inplace(product, rotated);
    Ciphertext lowered;
    e.mod_switch_to(a, product.parms_id(), lowered);
    lowered.scale() = product.scale();
    e.sub_inplace(product, lowered);
    e.square_inplace(product);
    e.relinearize_inplace(product, ckks.relin_keys);
    return product;
  });
}

TEST_F(DeviceQueues, TileCircuitsOfBfvAndBgv) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    SCOPED_TRACE(scheme == SchemeType::bfv ? "BFV" : "BGV");
    const Exact exact(scheme, {.degree = 64, .t = 257, .data = {40, 50, 57}, .special = {60}});
    auto rng = test::make_rng();
    const Ciphertext a = exact.encrypt(exact.random_plain(rng));
    const Ciphertext b = exact.encrypt(exact.random_plain(rng));
    expect_bits_of_the_processor(exact.context, [&](const Evaluator& e) {
      Ciphertext product;
      e.multiply(a, b, product);
      e.relinearize_inplace(product, exact.relin_keys);
      e.mod_switch_to_next_inplace(product);
      Ciphertext turned;
      e.apply_galois(product, 3, exact.galois_keys, turned);
      e.add_inplace(turned, product);
      e.negate_inplace(turned);
      return turned;
    });
  }
}

}  // namespace
}  // namespace ringlet::test
