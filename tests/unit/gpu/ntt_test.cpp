// SPDX-License-Identifier: Apache-2.0
// Compares all variants of transforms on a device with those of the processor, word by word.

#include "ringlet/ntt/ntt.hpp"

#include "gpu/backend/device_constants.hpp"
#include "gpu/backend/device_ntt.hpp"
#include "support/devices/device_backend_pair.hpp"
#include "support/devices/watched_device.hpp"

namespace ringlet::gpu {
namespace {

using test::Words;

/// The contents of a limb before the transform.
enum class Fill : std::uint8_t { random, zero, largest, above, one };

struct Limb {
  std::size_t prime;
  Fill fill;
};

constexpr GpuNtt kVariants[] = {GpuNtt::naive,     GpuNtt::simd_8_8, GpuNtt::simd_16_8,
                                GpuNtt::simd_32_8, GpuNtt::radix4,   GpuNtt::radix8,
                                GpuNtt::radix16};
const std::vector<int> kBits = {30, 50, 57, 58, 60, 61};

/// Returns the end of the name of a prime's transform.
std::string path_name(const Modulus& q, const DeviceOptions& options) {
  if (options.use_narrow_words && q.value() < (std::uint64_t{1} << 30)) return "/narrow";
  return options.use_lazy_reduction && q.value() < (std::uint64_t{1} << 57) ? "/lazy" : "/exact";
}

struct NttTest : test::DeviceBackendTest {
  /// Makes words of limbs with a stride.
  Words fill(const RnsBasis& basis, const std::vector<Limb>& limbs, std::size_t stride) {
    const std::size_t degree = basis.degree();
    Words words(limbs.size() * stride, test::kSentinel);
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      const std::uint64_t q = basis[limbs[i].prime].value();
      const auto limb = std::span(words).subspan(i * stride, degree);
      const bool is_largest = limbs[i].fill == Fill::largest;
      std::ranges::fill(limb, is_largest ? q - 1 : limbs[i].fill == Fill::above ? 4 * q - 1 : 0);
      if (limbs[i].fill == Fill::one) limb[rng() % degree] = 1;
      if (limbs[i].fill == Fill::random) {
        std::ranges::copy(test::mixed_values(degree, q, 1, rng), limb.begin());
      }
    }
    return words;
  }

  /// Transforms the limbs of `words` on the host: only words of limbs change.
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

    void expect(const Words& wanted, const char* where) const {
      Words words(count);
      memory->download(words.data(), address, count);
      EXPECT_TRUE(words == wanted) << where;
    }

    std::shared_ptr<DeviceMemory> memory;
    std::uint64_t* address;
    std::size_t count;
  };

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

  /// Checks a transform of every prime with every fill, primes mixed: apart, to the middle of a
  /// block, in place, and back.
  void check(const DeviceNtt& ntt, const RnsBasis& basis, bool is_forward, std::size_t stride) {
    std::vector<Limb> limbs;
    for (const Fill fill : {Fill::random, Fill::zero, Fill::largest, Fill::above, Fill::one}) {
      if (fill == Fill::above && !is_forward) continue;
      for (std::size_t prime = 0; prime < basis.size(); ++prime) limbs.push_back({prime, fill});
    }
    const Words operand = fill(basis, limbs, stride);
    const Words wanted = expected(basis, limbs, operand, stride, is_forward);
    const PlacedList list(*this, limbs);
    const Block source(memory, operand);
    const Block room(memory, Words(operand.size() + 3, test::kSentinel));
    const Limbs a{.place = memory->resolve(source.address), .stride = stride};
    const Limbs result{.place = memory->resolve(room.address + 3), .stride = stride};
    const auto transform = [&](bool forward, const Limbs& to, const Limbs& from) {
      memory->with_queue([&](Queue& queue) {
        forward ? ntt.forward(queue, to, from, list.primes)
                : ntt.inverse(queue, to, from, list.primes);
      });
    };
    transform(is_forward, result, a);
    Words apart(3, test::kSentinel);
    apart.insert(apart.end(), wanted.begin(), wanted.end());
    room.expect(apart, "apart");
    source.expect(operand, "the operand has changed");
    transform(is_forward, a, a);
    source.expect(wanted, "in place");
    if (is_forward) return;
    transform(true, a, a);
    source.expect(operand, "there and back");
  }

  void check_basis(const DeviceOptions& options, const RnsBasis& basis) {
    memory = make_memory(options);
    const DeviceNtt ntt(memory, basis);
    SCOPED_TRACE(::testing::Message() << ntt.name(0) << ", degree " << basis.degree());
    for (std::size_t i = 0; i < basis.size(); ++i) {
      EXPECT_TRUE(ntt.name(i).ends_with(path_name(basis[i], options))) << ntt.name(i);
    }
    const std::size_t stride = basis.degree() + basis.degree() % 3;
    for (const bool is_forward : {true, false}) check(ntt, basis, is_forward, stride);
  }
  void check_degree(const DeviceOptions& options, std::size_t degree,
                    const std::vector<int>& bits = kBits) {
    check_basis(options, test::make_basis_of_bits(degree, bits));
  }

  std::shared_ptr<DeviceMemory> memory;
  std::mt19937_64 rng = test::make_rng();
};

/// Checks each variant at a degree where all of its kernels run. All tests of small degrees take
/// these degrees, so that programs are compiled once.
TEST_F(NttTest, SmallDegreesOfEveryVariant) {
  for (const GpuNtt variant : kVariants) {
    check_degree({.ntt = variant}, variant == GpuNtt::simd_32_8 ? 256 : 64);
  }
  check_degree({}, 2);
}

TEST_F(NttTest, SmallBasesOfOnePathOnly) {
  check_degree({}, 16, {31, 57, 57});
  check_degree({}, 16, {58, 61});
}

TEST_F(NttTest, DegreesOfSeveralBlocks) {
  check_degree({.ntt = GpuNtt::simd_16_8}, 8192);
  check_degree({.ntt_chunk_limbs = 4}, 8192);
}

/// Everything, in the long run.
TEST_F(NttTest, AllDegreesOfEveryVariant) {
  if (test::test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  for (const GpuNtt variant : kVariants) {
    const bool is_whole = variant == GpuNtt::radix8 || !is_host_processor();
    const std::size_t most = std::size_t{1} << (is_whole ? 17 : 15);
    for (std::size_t degree = 2; degree <= most; degree *= 2)
      check_degree({.ntt = variant}, degree);
    check_degree({.ntt = variant}, 4096, {31, 50, 57});
    check_degree({.ntt = variant}, 4096, {57, 58, 61});
  }
  check_degree({.use_lazy_reduction = false}, 4096);
  check_degree({.ntt = GpuNtt::radix4}, std::size_t{1} << 17, {57, 61});
  check_degree({.ntt = GpuNtt::radix16}, std::size_t{1} << 17, {57, 61});
}

/// Batches of limbs that lie between each other: limb i of batch b is limb i * kBatches + b.
struct NttBatchTest : NttTest {
  void check_batches(const DeviceOptions& options, std::size_t degree) {
    constexpr std::size_t kBatches = 3;
    memory = make_memory(options);
    const RnsBasis basis = test::make_basis_of_bits(degree, {50, 30, 58, 61});
    const DeviceNtt ntt(memory, basis);
    SCOPED_TRACE(ntt.name(0));
    std::vector<Limb> limbs;
    std::vector<Limb> of_a_batch;
    for (const std::size_t prime : {2, 0, 3, 1, 0}) {
      of_a_batch.push_back({prime, Fill::random});
      limbs.insert(limbs.end(), kBatches, {prime, Fill::random});
    }
    const Words operand = fill(basis, limbs, degree);
    const Block source(memory, operand);
    const Block room(memory, Words(operand.size(), test::kSentinel));
    const PlacedList list(*this, of_a_batch);
    const auto place = [&](const Block& block) {
      return BatchLimbs{{memory->resolve(block.address), kBatches * degree}, degree};
    };
    NttWork work{
        .result = place(room), .a = place(source), .primes = list.primes, .batch_count = kBatches};
    memory->with_queue(
        [&](Queue& queue) { ntt.run(queue, ntt.forward_passes(), work, 0, of_a_batch.size()); });
    room.expect(expected(basis, limbs, operand, degree, true), "forward");
    work.a = work.result;
    memory->with_queue([&](Queue& queue) {
      ntt.run(queue, ntt.inverse_passes(), work, 0, 2);
      ntt.run(queue, ntt.inverse_passes(), work, 2, of_a_batch.size());
    });
    room.expect(operand, "and back");
  }

  /// Runs the passes above blocks, of digits that are lifted without the limbs of a diagonal, which
  /// keep their words. Narrow limbs keep half of them.
  void check_left_out(std::size_t degree) {
    memory = make_memory({});
    const RnsBasis basis = test::make_basis_of_bits(degree, {50, 29});
    const DeviceNtt ntt(memory, basis);
    ASSERT_TRUE(ntt.has_passes_above_block());
    const BackendConstants constants(memory, basis);
    const std::vector<std::size_t> primes{0, 1, 1};
    const auto lifts = constants.digit_lifts(primes, 0, 2);
    const std::vector<Limb> of_a_batch{{0, Fill::one}, {1, Fill::one}, {1, Fill::one}};
    std::vector<Limb> limbs = of_a_batch;
    limbs.insert(limbs.end(), of_a_batch.begin(), of_a_batch.end());
    const Block source(memory, fill(basis, limbs, degree));
    const PlacedList list(*this, of_a_batch);
    const DeviceNtt::Passes* const lifting = ntt.fused(NttFusion::lift_digits);
    const std::vector<std::pair<const DeviceNtt::Passes*, std::uint64_t>> cases{
        {lifting, 0},
        {lifting, 1},
        {lifting, ~std::uint64_t{0}},
        {&ntt.forward_passes(), kNoneLeftOut}};
    for (const auto& [passes, first] : cases) {
      const Block room(memory, Words(limbs.size() * degree, test::kSentinel));
      const auto place = [&](const Block& block) {
        return BatchLimbs{{memory->resolve(block.address), degree}, of_a_batch.size() * degree};
      };
      const NttWork work{.result = place(room),
                         .a = place(source),
                         .primes = list.primes,
                         .batch_count = 2,
                         .constants = lifts->place(),
                         .constants_stride = 8 * (of_a_batch.size() + 1),
                         .left_out = first};
      memory->with_queue(
          [&](Queue& queue) { ntt.run_above_block(queue, *passes, work, 0, of_a_batch.size()); });
      Words words(room.count);
      memory->download(words.data(), room.address, room.count);
      for (std::size_t i = 0; i < limbs.size(); ++i) {
        const std::size_t limb = i % of_a_batch.size();
        const bool is_left_out = limb == first + i / of_a_batch.size();
        const bool is_half = limbs[i].prime == 1;
        const auto all = std::span(words).subspan(i * degree, degree);
        const auto kept = std::ranges::count(all, test::kSentinel);
        const std::size_t wanted = is_left_out ? degree : is_half ? degree / 2 : 0;
        EXPECT_EQ(static_cast<std::size_t>(kept), wanted) << "limb " << i;
      }
    }
  }
};

TEST_F(NttBatchTest, LeavesLimbsOutAndPacksNarrowWords) { check_left_out(8192); }

TEST_F(NttBatchTest, SmallBatchesOfEveryVariant) {
  for (const GpuNtt variant : kVariants) check_batches({.ntt = variant}, 64);
  check_batches({.ntt_chunk_limbs = 4}, 64);
}

/// Tests in which the device's own shuffles exchange words, at every width of its sub-groups.
class SubGroups : public NttTest, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(SubGroups, ShufflesGiveTheHostsResults) {
  const gpu::DeviceProperties& properties = device_->properties();
  if (std::ranges::find(properties.sub_group_sizes, GetParam()) ==
      properties.sub_group_sizes.end()) {
    GTEST_SKIP() << properties.name << " has no sub-groups of " << GetParam();
  }
  const auto of_one_width = std::make_shared<test::WatchedDevice>(device_);
  of_one_width->properties_to_change().sub_group_sizes = {GetParam()};
  device_ = of_one_width;
  for (const GpuNtt variant : {GpuNtt::simd_8_8, GpuNtt::simd_16_8, GpuNtt::simd_32_8}) {
    for (const std::size_t degree : {256, 1024, 8192}) {
      check_degree({.ntt = variant}, degree, {30, 57, 58, 61});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, SubGroups, ::testing::Values(8, 16, 32));

NttRequest request_of(GpuNtt variant, int log_degree = 12) {
  return {.variant = variant,
          .log_degree = log_degree,
          .paths = NttPath::lazy | NttPath::exact,
          .use_assembly = true};
}

DeviceProperties properties_with(std::size_t local_memory_bytes) {
  DeviceProperties properties;
  properties.largest_group = 1024;
  properties.local_memory_bytes = local_memory_bytes;
  return properties;
}

/// A name always shows that shuffles are emulated.
TEST(NttPlanTest, ShufflesOfSubGroupsAreNamedApartFromEmulatedOnes) {
  DeviceProperties properties = properties_with(65536);
  EXPECT_EQ(make_ntt_plan(request_of(GpuNtt::simd_8_8), properties).name,
            "simd(8,8) by emulated shuffles");
  properties.sub_group_sizes = {4, 16, 32};
  const NttPlan plan = make_ntt_plan(request_of(GpuNtt::simd_32_8), properties);
  EXPECT_EQ(plan.name, "simd(32,8)");
  const std::vector<std::string>& definitions = plan.program.definitions;
  for (const std::string definition :
       {"SUB_GROUPS=1", "RINGLET_SUB_GROUP_SIZE=16", "TER_SIMD_GAP_SZ=32", "TER_SLM_GAP_SZ=2048"}) {
    EXPECT_NE(std::ranges::find(definitions, definition), definitions.end()) << definition;
  }
  properties.sub_group_sizes = {4};
  EXPECT_THROW(make_ntt_plan(request_of(GpuNtt::simd_8_8), properties), RuntimeError);
  EXPECT_EQ(make_ntt_plan(request_of(GpuNtt::radix8), properties).name, "radix8");
}

/// A plan has the two passes of the paper, and small blocks where these cost no pass; with less
/// local memory blocks are smaller.
TEST(NttPlanTest, PassesOf32768Words) {
  const DeviceProperties properties = properties_with(36 * 1024);
  NttPlan plan = make_ntt_plan(request_of(GpuNtt::radix8, 15), properties);
  EXPECT_EQ(plan.pass_levels, (std::vector<int>{4, 2, 3, 3, 3}));
  EXPECT_EQ(plan.forward.size(), 2u);
  EXPECT_EQ(plan.forward[1].groups, 16u);
  EXPECT_EQ(plan.forward[1].group_size, 256u);
  EXPECT_EQ(plan.program.large_kernels.size(), 2u);
  plan = make_ntt_plan(request_of(GpuNtt::radix8, 16), properties);
  EXPECT_EQ(plan.pass_levels, (std::vector<int>{4, 3, 3, 3, 3}));
  EXPECT_EQ(plan.forward.back().groups, 16u);
  plan = make_ntt_plan(request_of(GpuNtt::radix8, 16), properties_with(36 * 1024 - 1));
  EXPECT_EQ(plan.forward.back().groups, 32u);
}

constexpr std::uint64_t kLimit = std::uint64_t{1} << 30;

/// Returns the smallest prime from `least` on that is 1 mod 2 * degree.
Modulus prime_from(std::uint64_t least, std::size_t degree) {
  std::uint64_t q = (least + 2 * degree - 1) / (2 * degree) * (2 * degree) + 1;
  while (!is_prime(q)) q += 2 * degree;
  return Modulus(q);
}

/// Tests of primes below 2^30, in words of 32 bits: at both edges, alone and beside wide primes.
struct NarrowNtt : NttTest {
  /// Returns the smallest narrow prime, the smallest of 30 bits, and the largest two; then the
  /// smallest wide prime and one of 61 bits, so that programs are those of other tests.
  static RnsBasis primes(std::size_t degree, bool about_the_limit) {
    std::vector<Modulus> primes = generate_ntt_primes(30, degree, 2);
    primes.push_back(prime_from(1, degree));
    primes.push_back(prime_from(kLimit / 2, degree));
    if (about_the_limit) {
      primes.push_back(prime_from(kLimit, degree));
      primes.push_back(generate_ntt_primes(61, degree, 1)[0]);
    }
    return {degree, primes};
  }
  void check_narrow(GpuNtt variant, std::size_t degree) {
    check_basis({.ntt = variant}, primes(degree, false));
  }
  void check_limit(GpuNtt variant, std::size_t degree) {
    check_basis({.ntt = variant}, primes(degree, true));
  }
};

/// Checks all kernels of the narrow path alone, at the smallest degrees that have them.
TEST_F(NarrowNtt, SmallDegreesOfNarrowPrimesAlone) {
  check_narrow(GpuNtt::naive, 4);
  check_narrow(GpuNtt::simd_8_8, 32);
  check_narrow(GpuNtt::radix4, 16);
  check_narrow(GpuNtt::radix8, 128);
  check_narrow(GpuNtt::radix16, 64);
}

TEST_F(NarrowNtt, PrimesAboutTheLimitInEveryVariant) {
  for (const GpuNtt variant : kVariants) check_limit(variant, 64);
  for (const std::size_t degree : {2, 16, 512}) check_limit(GpuNtt::radix8, degree);
}

/// Checks blocks of 8192 words, blocks of 2048 after a pass through global memory, and chunks.
TEST_F(NarrowNtt, DegreesOfLargeBlocks) {
  check_degree({}, 8192, {30, 30, 29});
  check_degree({.ntt = GpuNtt::radix4}, 8192, {30, 28});
  check_degree({.ntt_chunk_limbs = 3}, 16384, {30, 29});
}

TEST_F(NarrowNtt, BasesOfAllWidths) {
  check_degree({}, 512, {22, 25, 28, 30, 31, 32, 40, 57, 58, 61});
  check_degree({}, 512, {22, 30, 58, 61});
  check_degree({}, 512, {22, 30, 31, 57});
  check_degree({}, 8192, {30, 50, 61});
}

/// Without the option narrow primes take the path of wide ones, with the same results.
TEST_F(NarrowNtt, WideWordsWithoutTheOption) {
  const RnsBasis basis = primes(64, true);
  for (const auto& [narrow, lazy, path] :
       {std::tuple(false, true, "/lazy"), std::tuple(false, false, "/exact"),
        std::tuple(true, false, "/narrow")}) {
    check_basis({.use_lazy_reduction = lazy, .use_narrow_words = narrow}, basis);
    EXPECT_TRUE(DeviceNtt(memory, basis).name(0).ends_with(path));
  }
}

/// Everything, in the long run.
TEST_F(NarrowNtt, AllDegreesOfEveryVariantOfNarrowPrimes) {
  if (test::test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  for (const GpuNtt variant : kVariants) {
    const std::size_t most = std::size_t{1} << (variant == GpuNtt::radix8 ? 17 : 13);
    for (std::size_t degree = 2; degree <= most; degree *= 2) {
      check_narrow(variant, degree);
      check_limit(variant, degree);
    }
  }
  check_degree({.ntt = GpuNtt::radix4}, std::size_t{1} << 15, {30, 29});
  check_degree({.ntt = GpuNtt::radix4}, std::size_t{1} << 17, {30, 29});
  check_degree({.ntt = GpuNtt::radix16}, std::size_t{1} << 17, {30, 29});
}

/// A block has more than 2048 words only if that saves a pass, and if they fit.
TEST(NarrowPlan, LargeBlocksSaveAPass) {
  constexpr std::size_t kRoom = std::size_t{36} * 1024;
  struct Case {
    int log_degree;
    std::size_t passes;
    std::size_t block_words;
    GpuNtt variant = GpuNtt::radix8;
    std::size_t local_memory_bytes = kRoom;
    NttPaths paths = static_cast<NttPaths>(NttPath::narrow);
  };
  const Case cases[] = {{12, 1, 4096},
                        {13, 1, 8192},
                        {14, 2, 2048},
                        {15, 2, 2048},
                        {17, 2, 8192},
                        {15, 2, 8192, GpuNtt::radix4},
                        {13, 2, 2048, GpuNtt::radix8, kRoom - 1},
                        {12, 2, 2048, GpuNtt::radix8, kRoom / 2 - 1},
                        {13, 2, 2048, GpuNtt::radix8, kRoom, NttPath::narrow | NttPath::lazy}};
  for (const Case& one : cases) {
    const NttPlan plan = make_ntt_plan({.variant = one.variant,
                                        .log_degree = one.log_degree,
                                        .paths = one.paths,
                                        .use_assembly = false},
                                       properties_with(one.local_memory_bytes));
    SCOPED_TRACE(::testing::Message() << plan.name << ", 2^" << one.log_degree << " words");
    EXPECT_EQ(plan.forward.size(), one.passes);
    EXPECT_EQ(plan.inverse.size(), one.passes);
    EXPECT_EQ((std::size_t{1} << one.log_degree) / plan.forward.back().groups, one.block_words);
  }
}

TEST(NarrowPlan, PathsOfPrimesAtTheLimits) {
  const auto path_of = [](std::uint64_t q, bool narrow, bool lazy) {
    return ntt_path(Modulus(q), {.use_lazy_reduction = lazy, .use_narrow_words = narrow});
  };
  EXPECT_EQ(path_of(kLimit - 1, true, true), NttPath::narrow);
  EXPECT_EQ(path_of(kLimit - 1, true, false), NttPath::narrow);
  EXPECT_EQ(path_of(kLimit - 1, false, true), NttPath::lazy);
  EXPECT_EQ(path_of(kLimit - 1, false, false), NttPath::exact);
  EXPECT_EQ(path_of(kLimit + 1, true, true), NttPath::lazy);
  EXPECT_EQ(path_of((std::uint64_t{1} << 57) + 1, true, true), NttPath::exact);
}

}  // namespace
}  // namespace ringlet::gpu
