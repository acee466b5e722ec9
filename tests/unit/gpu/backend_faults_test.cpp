// SPDX-License-Identifier: Apache-2.0
// Refusals of a device's primitives, and the state that they leave; calls to the driver.

#include "gpu/backend/device_constants.hpp"
#include "ring/backend/reinterpret.hpp"
#include "support/devices/device_primitives.hpp"
#include "support/devices/watched_device.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

struct DeviceFaultsTest : DeviceBackendTest {
  static constexpr std::size_t kDegree = 512;

  void SetUp() override {
    DeviceBackendTest::SetUp();
    if (device_ == nullptr) return;
    watched_ = std::make_shared<WatchedDevice>(device_);
    memory_ = std::make_shared<gpu::DeviceMemory>("gpu:0", watched_, DeviceOptions{});
    backend_ = gpu::make_device_backend(basis_, memory_);
    key_words_ = std::make_unique<Image>(
        make_image(basis_, first_primes(basis_.size()), rng_, Fill::scattered));
    images_ = make_primitive_images(basis_, rng_);
  }
  PlacedImages place(const std::shared_ptr<Memory>& memory) const {
    return test::place(images_, memory);
  }
  void expect_unchanged(const PlacedImages& placed) const {
    for (std::size_t i = 0; i < placed.size(); ++i) {
      EXPECT_EQ(placed[i]->download(), images_[i].words) << "image " << i;
    }
  }
  std::vector<Primitive> calls() const {
    return primitives(basis_, prepare_primitive_key(*backend_, *key_words_));
  }

  RnsBasis basis_ = make_device_basis(kDegree);
  std::mt19937_64 rng_ = make_rng();
  std::shared_ptr<WatchedDevice> watched_;
  std::shared_ptr<gpu::DeviceMemory> memory_;
  std::shared_ptr<const Backend> backend_;
  std::unique_ptr<Image> key_words_;
  std::vector<Image> images_;
};

TEST_F(DeviceFaultsTest, WordsOfTheHostAreRefused) {
  const PlacedImages on_host = place(nullptr);
  for (const Primitive& call : calls()) {
    EXPECT_THROW(call(*backend_, on_host), LogicError) << call.name;
  }
  expect_unchanged(on_host);
}

TEST_F(DeviceFaultsTest, WordsOfAnotherDeviceAreRefused) {
  const auto other = make_memory();
  const PlacedImages elsewhere = place(other);
  for (const Primitive& call : calls()) {
    EXPECT_THROW(call(*backend_, elsewhere), LogicError) << call.name;
  }
  expect_unchanged(elsewhere);
  // A key in another memory is refused too.
  const auto other_backend = gpu::make_device_backend(basis_, other);
  const PlacedImages placed = place(memory_);
  const auto foreign =
      primitives(basis_, prepare_primitive_key(*other_backend, *key_words_)).back();
  EXPECT_THROW(foreign(*backend_, placed), LogicError);
  expect_unchanged(placed);
}

TEST_F(DeviceFaultsTest, AClosedDeviceRefusesEverything) {
  const std::vector<Primitive> all = calls();
  const PlacedImages placed = place(memory_);
  memory_->close();
  for (const Primitive& call : all) {
    EXPECT_THROW(call(*backend_, placed), LogicError) << call.name;
  }
  EXPECT_THROW(static_cast<void>(prepare_primitive_key(*backend_, *key_words_)), LogicError);
}

// Whichever allocation of a primitive fails, nothing was changed.
TEST_F(DeviceFaultsTest, WithoutMemoryNothingIsChanged) {
  const auto key = prepare_primitive_key(*backend_, *key_words_);
  const PlacedImages placed = place(memory_);
  const PlacedImages expected = place(nullptr);
  const auto cpu = make_cpu_backend(basis_);
  const auto cpu_calls = primitives(basis_, prepare_primitive_key(*cpu, *key_words_));
  const auto device_calls = primitives(basis_, key);
  for (std::size_t i = 0; i < device_calls.size(); ++i) {
    SCOPED_TRACE(device_calls[i].name);
    // A new backend for every call, so that no constants of the previous call are cached.
    const auto backend = gpu::make_device_backend(basis_, memory_);
    int failures = 0;
    for (int left = 0;; ++left) {
      memory_->trim();
      watched_->watch().allocations_left = left;
      try {
        device_calls[i](*backend, placed);
        break;
      } catch (const OutOfDeviceMemory& error) {
        EXPECT_FALSE(error.remedy().empty());
        ++failures;
      }
      ASSERT_LT(left, 20);
      watched_->watch().allocations_left = 1 << 20;
      for (std::size_t k = 0; k < placed.size(); ++k) {
        ASSERT_EQ(placed[k]->download(), expected[k]->download()) << "image " << k;
      }
    }
    watched_->watch().allocations_left = 1 << 20;
    const std::string& name = device_calls[i].name;
    EXPECT_EQ(failures > 0, name != "copy" && !name.starts_with("automorphism of values"));
    cpu_calls[i](*cpu, expected);
    for (std::size_t k = 0; k < placed.size(); ++k) {
      ASSERT_EQ(placed[k]->download(), expected[k]->download()) << "image " << k;
    }
  }
}

TEST_F(DeviceFaultsTest, AKeyThatDoesNotFitIsRefused) {
  memory_->trim();
  watched_->watch().allocations_left = 0;
  EXPECT_THROW(static_cast<void>(prepare_primitive_key(*backend_, *key_words_)), OutOfDeviceMemory);
  watched_->watch().allocations_left = 1 << 20;
  const auto all = calls();
  const PlacedImages placed = place(memory_);
  all.back()(*backend_, placed);
}

TEST_F(DeviceFaultsTest, NoPrimitiveWaitsAndAWarmOneUploadsAndAllocatesNothing) {
  const std::vector<Primitive> all = calls();
  const PlacedImages placed = place(memory_);
  for (const Primitive& call : all) {
    SCOPED_TRACE(call.name);
    DeviceWatch& watch = watched_->watch();
    watch.waits = 0;
    call(*backend_, placed);
    EXPECT_EQ(watch.waits, 0);
    watch.launches = 0;
    watch.uploads = 0;
    watch.allocations = 0;
    for (int i = 0; i < 3; ++i) call(*backend_, placed);
    EXPECT_EQ(watch.waits, 0);
    EXPECT_EQ(watch.uploads, 0);
    EXPECT_EQ(watch.allocations, 0);
    EXPECT_GE(watch.launches, 3);
    EXPECT_LE(watch.launches, 3 * 10);
  }
}

// The intermediate words of a division are secret: their block is zero at its next use.
TEST_F(DeviceFaultsTest, ScratchMemoryIsWiped) {
  const PlacedImages placed = place(memory_);
  for (const Primitive& call : calls()) {
    if (call.name.find("of values") == std::string::npos || call.name[0] != 'd') continue;
    SCOPED_TRACE(call.name);
    call(*backend_, placed);
    const std::size_t words = kPrimitivePrimes.size() * kDegree;
    const std::uint64_t reused = memory_->statistics().reuse_count;
    std::uint64_t* const block = memory_->allocate(words, Secrecy::open);
    ASSERT_EQ(memory_->statistics().reuse_count, reused + 1);
    Words left(words, 1);
    memory_->download(left.data(), block, words);
    memory_->release(block);
    EXPECT_EQ(left, Words(words, 0));
  }
}

TEST_F(DeviceFaultsTest, ManyThreadsMayShareOneBackend) {
  const std::vector<Primitive> all = calls();
  const auto work = [&] {
    std::vector<Words> results;
    const PlacedImages placed = place(memory_);
    for (const Primitive& call : all) {
      call(*backend_, placed);
      results.push_back(placed[0]->download());
    }
    return results;
  };
  const auto expected = work();
  std::vector<std::vector<Words>> results(kThreads);
  in_threads([&](std::size_t thread) { results[thread] = work(); });
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

TEST_F(DeviceFaultsTest, ItsNamesAreThoseOfTheDeviceAndTheTransform) {
  EXPECT_EQ(backend_->name(), "gpu:0");
  EXPECT_EQ(backend_->memory(), memory_);
  const std::vector<std::string> names = backend_->kernel_names();
  ASSERT_EQ(names.size(), basis_.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int bits = basis_[i].bit_count();
    const std::string path = bits <= 30 ? "narrow" : bits <= 57 ? "lazy" : "exact";
    EXPECT_EQ(names[i], "gpu:0/radix8/" + path);
  }
}

struct ConstantCacheTest : DeviceBackendTest {
  static Words words_of(gpu::DeviceMemory& memory, const gpu::ConstantCache::Block& block,
                        std::size_t count) {
    Words words(count);
    memory.download(words.data(), block->words(), count);
    return words;
  }
};

TEST_F(ConstantCacheTest, MakesAListOnceAndKeepsThoseThatWereUsedLast) {
  const auto memory = make_memory();
  gpu::ConstantCache cache(memory);
  constexpr std::size_t kMost = gpu::ConstantCache::kMostLists;
  std::size_t made = 0;
  const auto get = [&](std::uint64_t i) {
    return cache.get({1, i}, [&] {
      ++made;
      return Words{i, i + 1};
    });
  };
  const auto first = get(0);
  EXPECT_EQ(get(0), first);
  EXPECT_EQ(made, 1u);
  for (std::size_t i = 1; i < kMost; ++i) get(i);
  get(0);
  EXPECT_EQ(made, kMost);
  get(kMost);  // drops list 1
  EXPECT_EQ(cache.size(), kMost);
  EXPECT_EQ(get(0), first);
  EXPECT_EQ(made, kMost + 1);
  get(1);
  EXPECT_EQ(made, kMost + 2);
  for (std::size_t i = 2; i < 2 * kMost; ++i) get(i);
  EXPECT_EQ(words_of(*memory, first, 2), (Words{0, 1}));  // still held
  EXPECT_NE(get(0), first);
  EXPECT_EQ(words_of(*memory, get(0), 2), (Words{0, 1}));
  EXPECT_NE(get(7), cache.get({7}, [] { return Words{9}; }));
}

TEST_F(ConstantCacheTest, ItsWordsAreBounded) {
  const auto memory = make_memory();
  gpu::ConstantCache cache(memory);
  constexpr std::size_t kMost = gpu::ConstantCache::kMostWords;
  for (std::uint64_t i = 0; i < 5; ++i) {
    cache.get({i}, [] { return Words(kMost / 2, 3); });
    EXPECT_LE(cache.size(), 2u);
  }
  cache.get({5}, [] { return Words(2 * kMost, 4); });
  EXPECT_EQ(cache.size(), 1u);
  const auto again = cache.get({5}, []() -> Words { throw std::bad_alloc(); });
  EXPECT_EQ(words_of(*memory, again, 2), (Words{4, 4}));
}

TEST_F(ConstantCacheTest, WhatCannotBeMadeIsNotKept) {
  gpu::ConstantCache cache(make_memory());
  EXPECT_THROW(cache.get({1}, []() -> Words { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_NE(cache.get({1}, [] { return Words{1}; }), nullptr);
  EXPECT_EQ(cache.size(), 1u);
}

// Primitives on several queues of one device give the bits of the processor, without waits.

constexpr std::size_t kDegree = 512;

/// Runs all primitives, each on results of others: in place and apart, from limb to limb. No
/// result is read in between. All five polynomials, modulo the same primes, are operands.
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
  backend.key_inner_product(values(0), values(4), digits, {key}, primes);
  backend.inverse_ntt(coefficients(4), values(4), primes);
  backend.to_digits(coefficients(4), coefficients(4), primes);
  backend.automorphism(coefficients(3), coefficients(4), 2 * kDegree - 1, primes);
  backend.lift_digit(coefficients(2), x[3]->limb(0), primes[0], primes);
  backend.negate(coefficients(4), coefficients(2), primes);
  backend.multiply_scalars(values(1), values(0), Words(count, 3), primes);
  backend.copy(values(2).first(1), values(0).part(count - 1, 1));
}

/// Runs divisions of polynomials whose primes are all different, in place and apart.
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

struct DeviceQueuesTest : DeviceBackendTest {
  void SetUp() override {
    DeviceBackendTest::SetUp();
    if (device_ == nullptr) return;
    key_words_ = std::make_unique<Image>(make_image(basis_, first_primes(basis_.size()), rng_));
    cpu_ = make_cpu_backend(basis_);
    cpu_key_ = prepare_primitive_key(*cpu_, *key_words_);
  }
  /// Makes a memory with queues, each time on a new object of the same device.
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
  // By now each queue has its own limbs.
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

// Each call fails in turn; earlier polynomials are unchanged, and the next attempt succeeds.
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
