// SPDX-License-Identifier: Apache-2.0
// Transforms on a device: all variants against those of the processor, word by word.
#include "ringlet/ntt.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/device_memory.hpp"
#include "gpu/device_ntt.hpp"
#include "gpu/driver.hpp"
#include "gpu/ntt_plan.hpp"
#include "ringlet/error.hpp"
#include "ringlet/primes.hpp"
#include "support/environment.hpp"
#include "support/values.hpp"

namespace ringlet::gpu {
namespace {

using Words = std::vector<std::uint64_t>;

/// What a limb holds before the transform.
enum class Fill : std::uint8_t { random, zero, largest, above, one };

/// Words between limbs, and after the last.
constexpr std::uint64_t kBetween = 0xa5a5a5a5a5a5a5a5u;

struct Limb {
  std::size_t prime;
  Fill fill;
};

constexpr GpuNtt kVariants[] = {GpuNtt::naive,     GpuNtt::simd_8_8, GpuNtt::simd_16_8,
                                GpuNtt::simd_32_8, GpuNtt::radix4,   GpuNtt::radix8,
                                GpuNtt::radix16};
const std::vector<int> kBits = {30, 50, 57, 58, 60, 61};

RnsBasis make_basis(std::size_t degree, const std::vector<int>& bits) {
  std::vector<Modulus> moduli;
  for (const int bit_count : bits) {
    const auto primes = generate_ntt_primes(bit_count, degree, 2);
    moduli.push_back(
        std::find(moduli.begin(), moduli.end(), primes[0]) == moduli.end() ? primes[0] : primes[1]);
  }
  return {degree, moduli};
}

/// Every prime with every fill, primes mixed.
std::vector<Limb> all_limbs(std::size_t prime_count, bool has_above) {
  std::vector<Limb> limbs;
  for (const Fill fill : {Fill::random, Fill::zero, Fill::largest, Fill::above, Fill::one}) {
    if (fill == Fill::above && !has_above) continue;
    for (std::size_t prime = 0; prime < prime_count; ++prime) limbs.push_back({prime, fill});
  }
  return limbs;
}

class NttTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    static const std::shared_ptr<Driver> driver = load_opencl(reason);
    if (driver == nullptr) GTEST_SKIP() << "no OpenCL: " << reason;
    const auto devices = driver->devices();
    if (devices.empty()) GTEST_SKIP() << "OpenCL has no device";
    device = devices.front();
  }

  void open(const DeviceOptions& options) {
    memory = std::make_shared<DeviceMemory>("gpu:0", device, options);
  }

  /// Words of limbs with a stride.
  Words fill(const RnsBasis& basis, const std::vector<Limb>& limbs, std::size_t stride) {
    Words words(limbs.size() * stride, kBetween);
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      const std::uint64_t q = basis[limbs[i].prime].value();
      const auto limb = words.begin() + static_cast<std::ptrdiff_t>(i * stride);
      const auto end = limb + static_cast<std::ptrdiff_t>(basis.degree());
      switch (limbs[i].fill) {
        case Fill::random:
          std::ranges::copy(test::mixed_values(basis.degree(), q, 1, rng), limb);
          break;
        case Fill::zero:
          std::fill(limb, end, 0);
          break;
        case Fill::largest:
          std::fill(limb, end, q - 1);
          break;
        case Fill::above:
          std::fill(limb, end, 4 * q - 1);
          break;
        case Fill::one:
          std::fill(limb, end, 0);
          limb[static_cast<std::ptrdiff_t>(rng() % basis.degree())] = 1;
          break;
      }
    }
    return words;
  }

  /// The same on the host: only the words of limbs change.
  static Words expected(const RnsBasis& basis, const std::vector<Limb>& limbs, Words words,
                        std::size_t stride, bool is_forward) {
    std::vector<Ntt> plans;
    for (const Modulus& q : basis.moduli()) plans.emplace_back(basis.degree(), q);
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      const auto limb = std::span(words).subspan(i * stride, basis.degree());
      if (is_forward) {
        plans[limbs[i].prime].forward(limb, limb, 4);
      } else {
        plans[limbs[i].prime].inverse(limb, limb);
      }
    }
    return words;
  }

  /// A block of device words.
  struct Block {
    Block(std::shared_ptr<DeviceMemory> device_memory, const Words& words)
        : memory(std::move(device_memory)),
          address(memory->allocate(words.size(), Secrecy::open)),
          count(words.size()) {
      memory->upload(address, words.data(), words.size());
    }
    ~Block() { memory->release(address); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    Words words() const {
      Words result(count);
      memory->download(result.data(), address, count);
      return result;
    }

    std::shared_ptr<DeviceMemory> memory;
    std::uint64_t* address;
    std::size_t count;
  };

  /// Both transforms of all limbs: forward to a place of its own with another stride, inverse of
  /// what comes out and back in place, and of the operand's residues.
  void check(const DeviceNtt& ntt, const RnsBasis& basis, std::size_t gap) {
    check_forward(ntt, basis, gap);
    check_inverse(ntt, basis, gap);
  }

  void check_forward(const DeviceNtt& ntt, const RnsBasis& basis, std::size_t gap) {
    const std::vector<Limb> limbs = all_limbs(basis.size(), true);
    const std::size_t stride = basis.degree() + gap;
    const Words operand = fill(basis, limbs, stride);
    const Words values = expected(basis, limbs, operand, stride, true);
    expect_transform(limbs, stride, operand, values,
                     [&](Queue& queue, const Limbs& result, const Limbs& a, const PrimeList& list) {
                       ntt.forward(queue, result, a, list);
                     });
  }

  void check_inverse(const DeviceNtt& ntt, const RnsBasis& basis, std::size_t gap) {
    const std::vector<Limb> limbs = all_limbs(basis.size(), false);
    const std::size_t stride = basis.degree() + gap;
    const Words operand = fill(basis, limbs, stride);
    const Words coefficients = expected(basis, limbs, operand, stride, false);
    expect_transform(limbs, stride, operand, coefficients,
                     [&](Queue& queue, const Limbs& result, const Limbs& a, const PrimeList& list) {
                       ntt.inverse(queue, result, a, list);
                     });
    // There and back again, in place.
    const Block words(memory, operand);
    const PlacedList list(*this, limbs);
    const Limbs place{.place = memory->resolve(words.address), .stride = stride};
    memory->with_queue([&](Queue& queue) {
      ntt.inverse(queue, place, place, list.primes);
      ntt.forward(queue, place, place, list.primes);
    });
    EXPECT_EQ(differences(words.words(), operand), 0u);
  }

  /// The indices of primes of limbs, on the device; they begin in the middle of a block.
  struct PlacedList {
    PlacedList(const NttTest& test, const std::vector<Limb>& limbs)
        : block(test.memory, indices(limbs)),
          primes{.place = test.memory->resolve(block.address + 1), .count = limbs.size()} {}
    static Words indices(const std::vector<Limb>& limbs) {
      Words words{~std::uint64_t{0}};
      for (const Limb& limb : limbs) words.push_back(limb.prime);
      return words;
    }
    Block block;
    PrimeList primes;
  };

  static std::size_t differences(const Words& a, const Words& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
    return count;
  }

  /// Apart, with words of their own between the limbs of the result, and in place.
  template <typename Transform>
  void expect_transform(const std::vector<Limb>& limbs, std::size_t stride, const Words& operand,
                        const Words& wanted, const Transform& transform) {
    const PlacedList list(*this, limbs);
    const Block source(memory, operand);
    const Block room(memory, Words(operand.size() + 3, kBetween));
    const Limbs a{.place = memory->resolve(source.address), .stride = stride};
    const Limbs result{.place = memory->resolve(room.address + 3), .stride = stride};
    memory->with_queue([&](Queue& queue) { transform(queue, result, a, list.primes); });
    Words apart = room.words();
    EXPECT_EQ(Words(apart.begin(), apart.begin() + 3), Words(3, kBetween));
    apart.erase(apart.begin(), apart.begin() + 3);
    EXPECT_EQ(differences(apart, wanted), 0u) << "apart";
    EXPECT_EQ(differences(source.words(), operand), 0u) << "the operand has changed";
    memory->with_queue([&](Queue& queue) { transform(queue, a, a, list.primes); });
    EXPECT_EQ(differences(source.words(), wanted), 0u) << "in place";
  }

  void check_degree(GpuNtt variant, std::size_t degree, const std::vector<int>& bits = kBits) {
    DeviceOptions options;
    options.ntt = variant;
    check_degree(options, degree, bits);
  }
  void check_degree(const DeviceOptions& options, std::size_t degree,
                    const std::vector<int>& bits) {
    open(options);
    const RnsBasis basis = make_basis(degree, bits);
    const DeviceNtt ntt(memory, basis);
    SCOPED_TRACE(::testing::Message() << ntt.name(0) << ", degree " << degree);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const bool is_lazy = options.use_lazy_reduction && bits[i] <= 57;
      EXPECT_TRUE(ntt.name(i).ends_with(is_lazy ? "/lazy" : "/exact")) << ntt.name(i);
    }
    check(ntt, basis, degree % 3);
  }

  std::shared_ptr<DriverDevice> device;
  std::shared_ptr<DeviceMemory> memory;
  std::mt19937_64 rng = test::make_rng();
};

/// Each variant at a degree where all of its kernels run.
TEST_F(NttTest, SmallDegreesOfEveryVariant) {
  check_degree(GpuNtt::naive, 4);
  check_degree(GpuNtt::simd_8_8, 32);
  check_degree(GpuNtt::simd_16_8, 64);
  check_degree(GpuNtt::simd_32_8, 256);
  check_degree(GpuNtt::radix4, 16);
  check_degree(GpuNtt::radix8, 2);
  check_degree(GpuNtt::radix8, 128);
  check_degree(GpuNtt::radix16, 32);
}

TEST_F(NttTest, SmallBasesOfOnePathOnly) {
  check_degree(GpuNtt::radix8, 16, {30, 57, 57});
  check_degree(GpuNtt::radix8, 16, {58, 61});
}

TEST_F(NttTest, DegreesOfSeveralBlocks) {
  check_degree(GpuNtt::simd_16_8, 8192);
  DeviceOptions options;
  options.ntt_chunk_limbs = 4;
  check_degree(options, 8192, kBits);
}

/// Everything, in the long run.
TEST_F(NttTest, AllDegreesOfEveryVariant) {
  if (test::test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  for (const GpuNtt variant : kVariants) {
    const bool is_whole = variant == GpuNtt::radix8;
    const std::size_t most = std::size_t{1} << (is_whole ? 17 : 13);
    for (std::size_t degree = 2; degree <= most; degree *= 2) check_degree(variant, degree);
    check_degree(variant, 4096, {30, 50, 57});
    check_degree(variant, 4096, {57, 58, 61});
  }
  DeviceOptions options;
  options.use_lazy_reduction = false;
  check_degree(options, 4096, kBits);
  check_degree(GpuNtt::radix4, std::size_t{1} << 17, {57, 61});
  check_degree(GpuNtt::radix16, std::size_t{1} << 17, {57, 61});
}

NttRequest request_of(GpuNtt variant) {
  return {.variant = variant, .log_degree = 12, .paths = NttPaths::both, .use_assembly = true};
}

/// A name never hides that there were no sub-groups.
TEST(NttPlanTest, ShufflesOfSubGroupsAreNamedApartFromEmulatedOnes) {
  DeviceProperties properties;
  properties.largest_group = 1024;
  properties.local_memory_bytes = 65536;
  EXPECT_EQ(make_ntt_plan(request_of(GpuNtt::simd_8_8), properties).name,
            "simd(8,8) by emulated shuffles");
  properties.sub_group_sizes = {4, 16, 32};
  const NttPlan plan = make_ntt_plan(request_of(GpuNtt::simd_32_8), properties);
  EXPECT_EQ(plan.name, "simd(32,8)");
  for (const std::string definition :
       {"SUB_GROUPS=1", "RINGLET_SUB_GROUP_SIZE=16", "TER_SIMD_GAP_SZ=32", "TER_SLM_GAP_SZ=2048"}) {
    EXPECT_NE(std::ranges::find(plan.program.definitions, definition),
              plan.program.definitions.end())
        << definition;
  }
  properties.sub_group_sizes = {4};
  EXPECT_THROW(make_ntt_plan(request_of(GpuNtt::simd_8_8), properties), RuntimeError);
  EXPECT_EQ(make_ntt_plan(request_of(GpuNtt::radix8), properties).name, "radix8");
}

/// The two passes of the paper; smaller blocks where there is less local memory.
TEST(NttPlanTest, PassesOf32768Words) {
  DeviceProperties properties;
  properties.largest_group = 1024;
  properties.local_memory_bytes = 36 * 1024;
  NttRequest request = request_of(GpuNtt::radix8);
  request.log_degree = 15;
  NttPlan plan = make_ntt_plan(request, properties);
  EXPECT_EQ(plan.pass_levels, (std::vector<int>{3, 3, 3, 3, 3}));
  EXPECT_EQ(plan.forward.size(), 2u);
  EXPECT_EQ(plan.forward[1].groups, 8u);
  EXPECT_EQ(plan.forward[1].group_size, 512u);
  properties.local_memory_bytes = 36 * 1024 - 1;
  plan = make_ntt_plan(request, properties);
  EXPECT_EQ(plan.forward.back().groups, 16u);
}

}  // namespace
}  // namespace ringlet::gpu
