// SPDX-License-Identifier: Apache-2.0
#include "kernels/karatsuba/shape.hpp"
#include "kernels/select.hpp"
#include "ringlet/aligned.hpp"
#include "support/memcheck.hpp"
#include "support/test.hpp"

// The coefficients of neither operand decide a branch or an address in a kernel of Karatsuba's
// recursion; sizes are public. Valgrind runs the tables up to avx2.

namespace ringlet::test {
namespace {

using kernels::KaratsubaKernel;
using kernels::KaratsubaShape;

constexpr std::size_t kDegree = 75;
constexpr int kBits = 125;

AlignedVector<std::uint64_t> memory(std::size_t bytes) {
  return AlignedVector<std::uint64_t>(bytes / sizeof(std::uint64_t));
}

/// The planes of a product of secret operands.
AlignedVector<std::uint64_t> secret_product(const kernels::Chosen<KaratsubaKernel>& chosen,
                                            const KaratsubaShape& shape) {
  const KaratsubaKernel& kernel = *chosen.kernel;
  const std::vector<std::uint64_t> p(2 * kDegree, 0x0123456789abcdef);
  const std::vector<std::int8_t> u(kDegree, -1);
  make_secret(p.data(), p.size() * sizeof(p[0]));
  make_secret(u.data(), u.size());
  auto wide = memory(kernel.wide_bytes(shape));
  auto small = memory(kernel.small_bytes(shape));
  auto room = memory(kernel.scratch_bytes(shape));
  auto planes = memory(shape.plane_count * 2 * (shape.base_size << shape.recursions) * 8);
  kernel.split_wide(wide.data(), {p.data(), kDegree, 2}, shape, room.data());
  kernel.split_small(small.data(), u.data(), kDegree, shape, room.data());
  chosen.counter.count();
  kernel.multiply(planes.data(), wide.data(), small.data(), shape, room.data());
  return planes;
}

TEST(DISABLED_KaratsubaConstantTimeBody, EveryKernel) {
  ASSERT_TRUE(under_valgrind()) << "the tests of KaratsubaConstantTime run this";
  std::size_t runs = 0;
  for (const auto& chosen : kernels::karatsuba_kernels()) {
    for (int recursions = 0; recursions <= 3; ++recursions) {
      const KaratsubaShape shape = karatsuba_shape(*chosen.kernel, {kDegree, kBits}, recursions);
      if (shape.base_size == 0) continue;
      EXPECT_FALSE(secret_product(chosen, shape).empty());
      ++runs;
    }
  }
  EXPECT_GE(runs, 8U);
  std::printf("%zu calls with secret data\n", runs);
}

TEST(DISABLED_KaratsubaConstantTimeControl, ABranchOnAResultIsFound) {
  ASSERT_TRUE(under_valgrind()) << "the tests of KaratsubaConstantTime run this";
  const auto chosen = kernels::karatsuba_kernels().front();
  const auto planes = secret_product(chosen, karatsuba_shape(*chosen.kernel, {kDegree, kBits}, 0));
  EXPECT_NE(planes[0], 0U);
}

TEST(KaratsubaConstantTime, NoBranchOrAddressDependsOnTheData) {
  expect_nothing_found("DISABLED_KaratsubaConstantTimeBody", {"calls with secret data"});
}

TEST(KaratsubaConstantTime, TheCheckSeesABranch) {
  expect_found("DISABLED_KaratsubaConstantTimeControl");
}

}  // namespace
}  // namespace ringlet::test
