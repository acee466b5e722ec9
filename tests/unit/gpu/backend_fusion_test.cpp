// SPDX-License-Identifier: Apache-2.0
// Work that the passes of transforms do on the way: the bits of the processor with it and without,
// and fewer launches.

#include "ring/reinterpret.hpp"
#include "ringlet/basis_conversion.hpp"
#include "support/device_backend_pair.hpp"
#include "support/device_fixture.hpp"
#include "support/test.hpp"
#include "support/watched_device.hpp"
#include "unit/gpu/ntt_support.hpp"

namespace ringlet::test {
namespace {

/// Primes of polynomials, and how many of the last ones divisions take off.
const Indices kPrimes = {4, 0, 5, 7, 2, 6, 1};
constexpr std::size_t kDropped = 2;

class DeviceFusionTest : public DeviceBackendTest {
 protected:
  static DeviceOptions options_of(GpuNtt variant, bool is_fused) {
    DeviceOptions options;
    options.ntt = variant;
    options.use_fused_passes = is_fused;
    return options;
  }

  /// The digits of every prime of the list, lifted to all of them, apart and over the digits of
  /// others; digits of values apart and in place.
  static void expect_same_digits(const DeviceBackendPair& pair, const Indices& primes, Fill fill) {
    auto rng = make_rng(pair.basis().degree());
    const std::size_t count = primes.size();
    pair.expect_same(
        {make_image(pair.basis(), primes, rng, fill, 2), make_room(pair.basis(), count, 1),
         make_room(pair.basis(), count), make_room(pair.basis(), count, 3)},
        [&](const Backend& backend, const PlacedImages& images) {
          const NttView a = images[0]->values();
          backend.inverse_ntt_to_digits(images[1]->coefficients(), a, primes);
          for (std::size_t i = 0; i < count; ++i) {
            const NttView lifted = images[2 + i % 2]->values();
            backend.lift_digit_to_ntt(lifted, images[1]->limb(i), primes[i], primes);
          }
          backend.inverse_ntt_to_digits(as_coefficients(a), a, primes);
        });
  }

  /// Divisions by the last prime and by the product of the last two, apart and in place.
  static void expect_same_quotients(const DeviceBackendPair& pair, const Indices& primes,
                                    Fill fill) {
    auto rng = make_rng(pair.basis().degree());
    const std::size_t kept = primes.size() - kDropped;
    const std::span<const std::size_t> all(primes);
    const BasisConversion conversion(pair.basis(), all.last(kDropped), all.first(kept));
    for (const std::uint64_t t : {1, 65537}) {
      pair.expect_same(
          {make_image(pair.basis(), primes, rng, fill, 1), make_room(pair.basis(), kept + 1, 2),
           make_room(pair.basis(), kept), make_image(pair.basis(), primes, rng, fill, 3),
           make_image(pair.basis(), primes, rng, fill)},
          [&](const Backend& backend, const PlacedImages& images) {
            const NttView a = images[0]->values();
            const NttView b = images[3]->values();
            const NttView c = images[4]->values();
            backend.divide_and_round_by_last(images[1]->values(), a, primes, t);
            backend.divide_and_round(images[2]->values(), a, primes, conversion, t);
            backend.divide_and_round_by_last(b.first(kept + 1), b, primes, t);
            backend.divide_and_round(c.first(kept), c, primes, conversion, t);
          });
    }
  }

  /// With fused passes and without.
  void expect_same(DeviceOptions options, const RnsBasis& basis, const Indices& primes,
                   bool has_all_fills) {
    for (const bool is_fused : {true, false}) {
      options.use_fused_passes = is_fused;
      const DeviceBackendPair pair = make_pair(basis, options);
      for (const Fill fill : kFills) {
        if (!has_all_fills && fill != Fill::scattered) continue;
        SCOPED_TRACE(::testing::Message()
                     << pair.device().kernel_names()[0] << ", degree " << basis.degree()
                     << (is_fused ? ", fused" : ", apart") << ", queues " << options.queue_count);
        expect_same_digits(pair, primes, fill);
        expect_same_quotients(pair, primes, fill);
      }
    }
  }
};

TEST_F(DeviceFusionTest, SmallDegreesOfAllHighRadices) {
  for (const std::size_t degree : {2, 16}) {
    expect_same({.ntt = GpuNtt::radix8}, make_device_basis(degree), kPrimes, degree == 2);
  }
  expect_same({.ntt = GpuNtt::radix4}, make_device_basis(16), kPrimes, false);
  // PoCL takes long to compile this one for primes of all paths.
  expect_same({.ntt = GpuNtt::radix16}, make_basis_of_bits(32, {50, 40, 45, 41}), first_primes(4),
              false);
}

TEST_F(DeviceFusionTest, SmallBasesOfOnePath) {
  for (const int bits : {28, 50, 60}) {
    const std::vector<int> all(5, bits);
    expect_same({}, make_basis_of_bits(16, all), first_primes(5), false);
  }
}

// Several blocks behind a pass through global memory.
TEST_F(DeviceFusionTest, LongPolynomials) {
  expect_same({}, make_device_basis(8192), kPrimes, false);
}

using AllDegreesFusion = OfDegree<DeviceFusionTest>;

TEST_P(AllDegreesFusion, OfEveryHighRadix) {
  if (test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  const std::size_t degree = GetParam();
  expect_same({}, make_device_basis(degree), kPrimes, true);
  for (const GpuNtt variant : {GpuNtt::radix4, GpuNtt::radix16}) {
    expect_same({.ntt = variant}, make_basis_of_bits(degree, {50, 40, 45, 41}), first_primes(4),
                true);
  }
}

INSTANTIATE_TEST_SUITE_P(, AllDegreesFusion, ::testing::ValuesIn(degrees_of_practice()),
                         ::testing::PrintToStringParamName());

// Blocks of 8192 words, which a group stores in several turns.
TEST_F(DeviceFusionTest, LongPolynomialsOfNarrowPrimes) {
  expect_same({}, make_basis_of_bits(8192, {29, 28, 30, 27}), first_primes(4), false);
}

// Two passes above the block: what lies between them has its own place in a division.
TEST_F(DeviceFusionTest, SeveralPassesThroughGlobalMemory) {
  expect_same({.ntt = GpuNtt::radix4}, make_basis_of_bits(32768, {50, 40, 45, 41}), first_primes(4),
              false);
}

TEST_F(DeviceFusionTest, SmallChunksAndQueues) {
  const RnsBasis basis = make_device_basis(16);
  for (const std::size_t queues : {1, 3}) {
    for (const std::size_t chunk : {0, 2}) {
      expect_same({.queue_count = queues, .ntt_chunk_limbs = chunk}, basis, kPrimes, false);
    }
  }
}

/// Launches of each primitive on one queue, without conversions of several primes.
struct LaunchCounts {
  int lift = 0;
  int to_digits = 0;
  int by_last = 0;
  int by_product = 0;
  friend bool operator==(const LaunchCounts&, const LaunchCounts&) = default;
};

class DeviceFusionLaunchTest : public DeviceFusionTest {
 protected:
  LaunchCounts count(const DeviceOptions& options, std::size_t degree) {
    const RnsBasis basis = make_device_basis(degree);
    const auto watched = std::make_shared<WatchedDevice>(device_);
    const auto memory = std::make_shared<gpu::DeviceMemory>("gpu:0", watched, options);
    const auto backend = gpu::make_device_backend(basis, memory);
    auto rng = make_rng();
    const Placed image(make_image(basis, kPrimes, rng), memory);
    const Placed room(make_room(basis, kPrimes.size()), memory);
    const std::size_t kept = kPrimes.size() - kDropped;
    const std::span<const std::size_t> all(kPrimes);
    const BasisConversion conversion(basis, all.last(kDropped), all.first(kept));
    const NttView a = image.values();
    const NttView result = room.values();
    const auto launches = [&](const auto& work) {
      const int before = watched->watch().launches;
      work();
      return watched->watch().launches - before;
    };
    LaunchCounts counts;
    counts.lift =
        launches([&] { backend->lift_digit_to_ntt(result, image.limb(0), kPrimes[0], kPrimes); });
    counts.to_digits =
        launches([&] { backend->inverse_ntt_to_digits(room.coefficients(), a, kPrimes); });
    counts.by_last =
        launches([&] { backend->divide_and_round_by_last(result.first(kept + 1), a, kPrimes); });
    counts.by_product =
        launches([&] { backend->divide_and_round(result.first(kept), a, kPrimes, conversion); });
    return counts;
  }
};

TEST_F(DeviceFusionLaunchTest, FusedPassesSaveLaunches) {
  EXPECT_EQ(count(options_of(GpuNtt::radix8, false), 16), (LaunchCounts{2, 2, 4, 4}));
  EXPECT_EQ(count(options_of(GpuNtt::radix8, true), 16), (LaunchCounts{1, 1, 2, 3}));
  EXPECT_EQ(count(options_of(GpuNtt::radix8, false), 8192), (LaunchCounts{3, 3, 6, 6}));
  EXPECT_EQ(count(options_of(GpuNtt::radix8, true), 8192), (LaunchCounts{2, 2, 4, 5}));
}

TEST_F(DeviceFusionLaunchTest, OtherVariantsStayAsTheyAre) {
  for (const GpuNtt variant : {GpuNtt::naive, GpuNtt::simd_8_8}) {
    EXPECT_EQ(count(options_of(variant, true), 64), count(options_of(variant, false), 64));
  }
}

}  // namespace
}  // namespace ringlet::test

namespace ringlet::gpu {
namespace {

class NttBatchTest : public NttTest {
 protected:
  static constexpr std::size_t kBatches = 3;

  /// Batches of limbs that lie between each other: limb i of batch b is limb i * kBatches + b.
  void check_batches(const DeviceOptions& options, std::size_t degree) {
    open(options);
    const RnsBasis basis = make_basis(degree, {50, 30, 58, 61});
    const DeviceNtt ntt(memory, basis);
    std::vector<Limb> limbs;
    std::vector<Limb> of_a_batch;
    for (const std::size_t prime : {2, 0, 3, 1, 0}) {
      of_a_batch.push_back({prime, Fill::random});
      limbs.insert(limbs.end(), kBatches, {prime, Fill::random});
    }
    const Words operand = fill(basis, limbs, degree);
    const Words values = expected(basis, limbs, operand, degree, true);
    const Block source(memory, operand);
    const Block room(memory, Words(operand.size(), kBetween));
    const PlacedList list(*this, of_a_batch);
    const auto place = [&](const Block& block) {
      return BatchLimbs{{memory->resolve(block.address), kBatches * degree}, degree};
    };
    NttWork work{
        .result = place(room), .a = place(source), .primes = list.primes, .batch_count = kBatches};
    memory->with_queue(
        [&](Queue& queue) { ntt.run(queue, ntt.forward_passes(), work, 0, of_a_batch.size()); });
    EXPECT_EQ(differences(room.words(), values), 0u) << ntt.name(0);
    work.a = work.result;
    memory->with_queue([&](Queue& queue) {
      ntt.run(queue, ntt.inverse_passes(), work, 0, 2);
      ntt.run(queue, ntt.inverse_passes(), work, 2, of_a_batch.size());
    });
    EXPECT_EQ(differences(room.words(), operand), 0u) << ntt.name(0);
  }
};

TEST_F(NttBatchTest, SmallBatchesOfEveryVariant) {
  for (const GpuNtt variant : kVariants) {
    for (const std::size_t chunk : {0, 4}) {
      if (chunk != 0 && variant != GpuNtt::radix8) continue;
      DeviceOptions options;
      options.ntt = variant;
      options.ntt_chunk_limbs = chunk;
      check_batches(options, 64);
    }
  }
}

}  // namespace
}  // namespace ringlet::gpu
