// SPDX-License-Identifier: Apache-2.0
// Primes below 2^30 in words of 32 bits: at both edges, alone and beside wide primes, against the
// processor word by word.

#include "gpu/ntt_plan.hpp"
#include "gpu/ntt_tables.hpp"
#include "ringlet/primes.hpp"
#include "support/environment.hpp"
#include "support/test.hpp"
#include "unit/gpu/ntt_support.hpp"

namespace ringlet::gpu {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{1} << 30;

/// The smallest prime from `least` on that is 1 mod 2 * degree.
Modulus prime_from(std::uint64_t least, std::size_t degree) {
  std::uint64_t q = (least + 2 * degree - 1) / (2 * degree) * (2 * degree) + 1;
  while (!is_prime(q)) q += 2 * degree;
  return Modulus(q);
}

/// The smallest narrow prime, the smallest of 30 bits, and the largest two.
std::vector<Modulus> narrow_primes(std::size_t degree) {
  std::vector<Modulus> primes = generate_ntt_primes(30, degree, 2);
  primes.push_back(prime_from(1, degree));
  primes.push_back(prime_from(kLimit / 2, degree));
  return primes;
}

/// These, the smallest wide prime, and one of 61 bits: the programs of all paths are those that
/// other tests compile.
std::vector<Modulus> primes_about_the_limit(std::size_t degree) {
  std::vector<Modulus> primes = narrow_primes(degree);
  primes.push_back(prime_from(kLimit, degree));
  primes.push_back(generate_ntt_primes(61, degree, 1)[0]);
  return primes;
}

class NarrowNtt : public NttTest {
 protected:
  void check_narrow(GpuNtt variant, std::size_t degree) {
    DeviceOptions options;
    options.ntt = variant;
    check_basis(options, RnsBasis(degree, narrow_primes(degree)));
  }
  void check_limit(GpuNtt variant, std::size_t degree) {
    DeviceOptions options;
    options.ntt = variant;
    const RnsBasis basis(degree, primes_about_the_limit(degree));
    check_basis(options, basis);
    EXPECT_TRUE(path_name(basis[basis.size() - 2], options) == "/lazy");
  }
};

/// All kernels of the narrow path alone, at the smallest degrees that have them.
TEST_F(NarrowNtt, SmallDegreesOfNarrowPrimesAlone) {
  check_narrow(GpuNtt::naive, 4);
  check_narrow(GpuNtt::simd_8_8, 32);
  check_narrow(GpuNtt::radix4, 16);
  check_narrow(GpuNtt::radix8, 128);
  check_narrow(GpuNtt::radix16, 64);
}

TEST_F(NarrowNtt, PrimesAboutTheLimitInEveryVariant) {
  for (const GpuNtt variant : kVariants) check_limit(variant, 64);
  check_limit(GpuNtt::radix8, 2);
  check_limit(GpuNtt::radix8, 16);
  check_limit(GpuNtt::radix8, 512);
}

/// Blocks of 8192 words, blocks of 2048 after a pass through global memory, chunks of limbs.
TEST_F(NarrowNtt, DegreesOfLargeBlocks) {
  check_degree(GpuNtt::radix8, 8192, {30, 30, 29});
  check_degree(GpuNtt::radix4, 8192, {30, 28});
  DeviceOptions options;
  options.ntt_chunk_limbs = 3;
  check_degree(options, 16384, {30, 29});
}

TEST_F(NarrowNtt, BasesOfAllWidths) {
  check_degree(GpuNtt::radix8, 512, {22, 25, 28, 30, 31, 32, 40, 57, 58, 61});
  check_degree(GpuNtt::radix8, 512, {22, 30, 58, 61});
  check_degree(GpuNtt::radix8, 512, {22, 30, 31, 57});
  check_degree(GpuNtt::radix8, 8192, {30, 50, 61});
}

/// Without the option narrow primes go the path of wide ones, to the same results.
TEST_F(NarrowNtt, WideWordsWithoutTheOption) {
  DeviceOptions options;
  options.use_narrow_words = false;
  const RnsBasis basis(64, primes_about_the_limit(64));
  check_basis(options, basis);
  EXPECT_TRUE(DeviceNtt(memory, basis).name(0).ends_with("/lazy"));
  options.use_lazy_reduction = false;
  check_basis(options, basis);
  EXPECT_TRUE(DeviceNtt(memory, basis).name(0).ends_with("/exact"));
  options.use_narrow_words = true;
  check_basis(options, basis);
  EXPECT_TRUE(DeviceNtt(memory, basis).name(0).ends_with("/narrow"));
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
  check_degree(GpuNtt::radix4, std::size_t{1} << 15, {30, 29});
  check_degree(GpuNtt::radix4, std::size_t{1} << 17, {30, 29});
  check_degree(GpuNtt::radix16, std::size_t{1} << 17, {30, 29});
}

DeviceProperties properties_with(std::size_t local_memory_bytes) {
  DeviceProperties properties;
  properties.largest_group = 1024;
  properties.local_memory_bytes = local_memory_bytes;
  return properties;
}

NttPlan narrow_plan(GpuNtt variant, int log_degree, std::size_t local_memory_bytes) {
  return make_ntt_plan({.variant = variant,
                        .log_degree = log_degree,
                        .paths = static_cast<NttPaths>(NttPath::narrow),
                        .use_assembly = false},
                       properties_with(local_memory_bytes));
}

/// Words of a block, by the number of its groups.
std::size_t block_words(const NttPlan& plan, int log_degree) {
  return (std::size_t{1} << log_degree) / plan.forward.back().groups;
}

/// More than 2048 words only where that is a pass less, and where they fit.
TEST(NarrowPlan, LargeBlocksSaveAPass) {
  constexpr std::size_t kRoom = std::size_t{36} * 1024;
  const std::vector<std::pair<int, std::size_t>> radix8{
      {12, 1}, {13, 1}, {14, 2}, {15, 2}, {17, 2}};
  for (const auto& [log_degree, passes] : radix8) {
    const NttPlan plan = narrow_plan(GpuNtt::radix8, log_degree, kRoom);
    EXPECT_EQ(plan.forward.size(), passes) << log_degree;
    EXPECT_EQ(plan.inverse.size(), passes) << log_degree;
    const std::size_t words = log_degree == 12 ? 4096 : log_degree % 4 == 1 ? 8192 : 2048;
    EXPECT_EQ(block_words(plan, log_degree), words) << log_degree;
  }
  EXPECT_EQ(narrow_plan(GpuNtt::radix4, 15, kRoom).forward.size(), 2u);
  EXPECT_EQ(block_words(narrow_plan(GpuNtt::radix8, 13, kRoom - 1), 13), 2048u);
  EXPECT_EQ(block_words(narrow_plan(GpuNtt::radix8, 12, kRoom / 2 - 1), 12), 2048u);
  const NttPlan mixed = make_ntt_plan({.log_degree = 13, .paths = NttPath::narrow | NttPath::lazy},
                                      properties_with(kRoom));
  EXPECT_EQ(block_words(mixed, 13), 2048u);
}

TEST(NarrowPlan, PathsOfPrimesAtTheLimits) {
  const auto path_of = [](std::uint64_t q, bool narrow, bool lazy) {
    DeviceOptions options;
    options.use_narrow_words = narrow;
    options.use_lazy_reduction = lazy;
    return ntt_path(Modulus(q), options);
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
