// SPDX-License-Identifier: Apache-2.0
// Primitives on several queues of one device: the bits of the processor, and no waiting.

#include "ring/backend/reinterpret.hpp"
#include "support/devices/device_primitives.hpp"
#include "support/devices/watched_device.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kDegree = 512;

/// All primitives, each on what others have made: in place and apart, from limb to limb, without
/// anybody looking in between. Of the five polynomials of as many primes all are operands.
void run_all(const Backend& backend, const PlacedImages& x, const Indices& primes,
             const PreparedKey& key) {
  const std::size_t count = primes.size();
  const auto values = [&x](std::size_t i) { return x[i]->values(); };
  const auto coefficients = [&x](std::size_t i) { return x[i]->coefficients(); };
  for (const std::size_t i : {1, 2, 3}) backend.forward_ntt(values(i), coefficients(i), primes);
  backend.add(values(0), values(1), values(2), primes);
  backend.multiply(values(1), values(0), values(2), primes);
  backend.multiply_add(values(2), values(2), values(1), values(0), primes);
  const std::vector<ConstNttView> left{values(1), values(2), values(3)};
  const std::vector<ConstNttView> right{values(2), values(3), values(3)};
  backend.multiply_accumulate(values(0), left, right, primes);
  backend.subtract(values(3), values(0), values(3), primes);
  backend.automorphism(values(4), values(3), 5, primes);
  backend.inverse_ntt_to_digits(coefficients(3), values(3), primes);
  for (std::size_t i = 0; i < count; ++i) {
    backend.lift_digit_to_ntt(values(2), x[3]->limb(i), primes[i], primes);
    backend.add(values(1), values(1), values(2), primes);
  }
  const ConstNttView digits[] = {values(1), values(2)};
  backend.key_inner_product(values(0), values(4), digits, 0, key, primes);
  backend.inverse_ntt(coefficients(4), values(4), primes);
  backend.to_digits(coefficients(4), coefficients(4), primes);
  backend.automorphism(coefficients(3), coefficients(4), 2 * kDegree - 1, primes);
  backend.lift_digit(coefficients(2), x[3]->limb(0), primes[0], primes);
  backend.negate(coefficients(4), coefficients(2), primes);
  backend.multiply_scalars(values(1), values(0), Words(count, 3), primes);
  backend.copy(values(2).first(1), values(0).part(count - 1, 1));
}

/// Divisions of polynomials of primes that are all different, in place and apart.
void run_divisions(const Backend& backend, const PlacedImages& x, const Indices& primes) {
  const std::size_t kept = primes.size() - 2;
  const Indices first(primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(kept));
  const Indices last(primes.begin() + static_cast<std::ptrdiff_t>(kept), primes.end());
  const BasisConversion conversion(backend.basis(), last, first);
  const BasisConversion to_modulus(backend.basis(), first, Modulus(65537));
  const NttView a = x[1]->values();
  const CoeffView b = x[2]->coefficients();
  backend.divide_and_round_by_last(x[0]->values().first(kept + 1), a, primes, 3);
  backend.divide_and_round(a.first(kept), a, primes, conversion, 1);
  backend.divide_and_round_by_last(x[3]->coefficients().first(kept + 1), b, primes, 1);
  backend.divide_and_round(b.first(kept), b, primes, conversion, 3);
  backend.convert_basis(x[4]->coefficients().first(kept), b.part(kept, 2), conversion);
  backend.convert_to_modulus(x[3]->limb(kept), b.first(kept), to_modulus);
  const NttView c = x[0]->values();
  backend.divide_and_round_by_last(c.first(kept + 1), c, primes, 1);
}

struct Lanes {
  std::size_t queue_count;
  bool is_on_parts;
};

class DeviceQueuesTest : public DeviceBackendTest {
 protected:
  void SetUp() override {
    DeviceBackendTest::SetUp();
    if (device_ == nullptr) return;
    key_words_ = std::make_unique<Image>(make_image(basis_, first_primes(basis_.size()), rng_));
    cpu_ = make_cpu_backend(basis_);
    cpu_key_ = prepare_primitive_key(*cpu_, *key_words_);
  }
  /// On its own object of the device, all the same one.
  std::shared_ptr<gpu::DeviceMemory> make_queues(const Lanes& lanes, bool watch = false) {
    std::string reason;
    std::shared_ptr<gpu::DriverDevice> device = find_test_device(reason);
    if (watch) device = watched_ = std::make_shared<WatchedDevice>(device);
    if (!lanes.is_on_parts) static_cast<void>(device->allocate(8));  // in use as a whole
    auto memory = std::make_shared<gpu::DeviceMemory>(
        "gpu:0", device, DeviceOptions{.queue_count = lanes.queue_count});
    const bool is_on_parts = memory->describe_queues().find("part") != std::string::npos;
    EXPECT_EQ(is_on_parts, lanes.is_on_parts) << memory->describe_queues();
    return memory;
  }
  std::vector<Image> make_images(const Indices& primes) {
    return make_primitive_images(basis_, rng_, Fill::scattered, primes);
  }
  static void expect_same(const PlacedImages& actual, const PlacedImages& expected) {
    EXPECT_EQ(download(actual), download(expected));
  }

  void expect_bits_of_the_processor(const Lanes& lanes) {
    const auto memory = make_queues(lanes);
    const auto backend = gpu::make_device_backend(basis_, memory);
    const auto key = prepare_primitive_key(*backend, *key_words_);
    for (const Indices& primes : {Indices{3}, Indices{4, 0}, Indices{7, 3, 3, 9, 1, 7, 0}}) {
      SCOPED_TRACE(::testing::Message() << primes.size() << " limbs");
      const std::vector<Image> images = make_images(primes);
      const PlacedImages expected = place(images, nullptr);
      const PlacedImages actual = place(images, memory);
      for (int round = 0; round < 3; ++round) {
        run_all(*cpu_, expected, primes, *cpu_key_);
        run_all(*backend, actual, primes, *key);
      }
      expect_same(actual, expected);
    }
    for (const Indices& primes : {Indices{4, 0, 2, 6, 5, 1, 8}, Indices{2, 7, 1}}) {
      SCOPED_TRACE(::testing::Message() << "divisions, " << primes.size() << " limbs");
      const std::vector<Image> images = make_images(primes);
      const PlacedImages expected = place(images, nullptr);
      const PlacedImages actual = place(images, memory);
      run_divisions(*cpu_, expected, primes);
      run_divisions(*backend, actual, primes);
      expect_same(actual, expected);
    }
  }

  RnsBasis basis_ = make_device_basis(kDegree);
  std::mt19937_64 rng_ = make_rng();
  std::unique_ptr<Image> key_words_;
  std::shared_ptr<const Backend> cpu_;
  std::shared_ptr<const PreparedKey> cpu_key_;
  std::shared_ptr<WatchedDevice> watched_;
};

TEST_F(DeviceQueuesTest, SeveralQueuesGiveTheBitsOfTheProcessor) {
  for (const std::size_t count : {2, 3}) expect_bits_of_the_processor({count, false});
}

TEST_F(DeviceQueuesTest, TwoTilesGiveTheBitsOfTheProcessor) {
  if (device_->properties().largest_partition < 2) GTEST_SKIP() << "the device does not divide";
  expect_bits_of_the_processor({2, true});
}

TEST_F(DeviceQueuesTest, NothingWaitsBeforeAResultIsReadAndLimbwiseWorkNeverDoes) {
  const auto memory = make_queues({2, false}, true);
  const auto backend = gpu::make_device_backend(basis_, memory);
  const auto key = prepare_primitive_key(*backend, *key_words_);
  const Indices primes{4, 0, 2, 6, 5};
  const PlacedImages x = place(make_images(primes), memory);
  DeviceWatch& watch = watched_->watch();
  watch.waits = 0;
  run_all(*backend, x, primes, *key);
  run_divisions(*backend, x, primes);
  EXPECT_EQ(watch.waits, 0);
  EXPECT_GT(watch.orders, 0);
  // Each queue has its limbs by now.
  const NttView a = x[1]->values();
  const NttView b = x[2]->values();
  backend->forward_ntt(a, as_coefficients(a), primes);
  backend->forward_ntt(b, as_coefficients(b), primes);
  backend->add(a, a, b, primes);
  watch.orders = 0;
  for (int i = 0; i < 5; ++i) {
    backend->multiply(a, a, b, primes);
    backend->inverse_ntt(as_coefficients(a), a, primes);
    backend->forward_ntt(a, as_coefficients(a), primes);
    backend->subtract(b, a, b, primes);
  }
  EXPECT_EQ(watch.orders, 0);
  EXPECT_EQ(watch.waits, 0);
}

TEST_F(DeviceQueuesTest, ManyThreadsMayShareOneBackend) {
  const auto memory = make_queues({3, false});
  const auto backend = gpu::make_device_backend(basis_, memory);
  const auto key = prepare_primitive_key(*backend, *key_words_);
  const Indices primes{4, 0, 2, 6, 5};
  const std::vector<Image> images = make_images(primes);
  const PlacedImages expected = place(images, nullptr);
  run_all(*cpu_, expected, primes, *cpu_key_);
  run_divisions(*cpu_, expected, primes);
  in_threads([&](std::size_t) {
    const PlacedImages actual = place(images, memory);
    run_all(*backend, actual, primes, *key);
    run_divisions(*backend, actual, primes);
    expect_same(actual, expected);
  });
}

// At each call in turn; what was made before is there, and the next attempt succeeds.
TEST_F(DeviceQueuesTest, EveryCallMayFail) {
  const auto memory = make_queues({2, false}, true);
  const auto backend = gpu::make_device_backend(basis_, memory);
  const auto key = prepare_primitive_key(*backend, *key_words_);
  const Indices primes{4, 0, 2};
  const std::vector<Image> images = make_images(primes);
  const PlacedImages expected = place(images, nullptr);
  run_all(*cpu_, expected, primes, *cpu_key_);
  const PlacedImages bystander = place(images, memory);
  DeviceWatch& watch = watched_->watch();
  std::size_t failures = 0;
  for (const bool finds_no_memory : {false, true}) {
    for (int left = 0;; ++left) {
      SCOPED_TRACE(::testing::Message() << "after " << left << " calls");
      const PlacedImages actual = place(images, memory);
      watch.finds_no_memory = finds_no_memory;
      watch.calls_left = left;
      bool has_failed = false;
      try {
        run_all(*backend, actual, primes, *key);
      } catch (const RuntimeError& error) {
        EXPECT_FALSE(finds_no_memory) << error.what();
        has_failed = true;
      }
      const bool was_reached = watch.calls_left < 0;
      watch.calls_left = std::numeric_limits<int>::max();
      EXPECT_EQ(has_failed, was_reached && !finds_no_memory);
      failures += has_failed;
      if (!has_failed) expect_same(actual, expected);
      if (!was_reached) break;
    }
  }
  EXPECT_GT(failures, 50u);
  for (std::size_t i = 0; i < images.size(); ++i) {
    EXPECT_EQ(bystander[i]->download(), images[i].words);
  }
}

}  // namespace
}  // namespace ringlet::test
