// SPDX-License-Identifier: Apache-2.0
#include "kernels/karatsuba/shape.hpp"
#include "ringlet/base/aligned.hpp"
#include "support/kernels/kernel_under_test.hpp"
#include "support/kernels/kernels_of_tables.hpp"
#include "support/memcheck.hpp"

// Data decides no branch and no address in element-wise operations, Karatsuba's recursion and
// sampling, except that sampling may show what it rejects. Moduli, scalars, factors, comparisons,
// bounds and sizes are public. Valgrind runs the tables up to avx2.

namespace ringlet::test {
namespace {

TEST(DISABLED_KernelsConstantTimeBody, Eltwise) {
  ASSERT_TRUE(under_valgrind()) << "the tests of KernelsConstantTime run this";
  auto rng = make_rng();
  std::size_t runs = 0;
  for (const KernelUnderTest& kernel : kernels_under_test()) {
    if (!kernel.is_available()) continue;
    const std::string operation = kernel.operation();
    for (const std::uint64_t q :
         {std::uint64_t{97}, (std::uint64_t{1} << 49) - 69, (std::uint64_t{1} << 61) - 1}) {
      if (!kernel.takes(q)) continue;
      for (const RangeFactors factors : factors_of(operation, q)) {
        const EltwiseSample sample(operation, 21, q, factors, rng);
        EltwiseOperands x = sample.operands();
        for (int i = 0; i < (operation.starts_with("compare_") ? kComparisonCount : 1); ++i) {
          x.comparison = static_cast<Comparison>(i);
          x.for_each_vector(
              [](const auto& vector) { make_secret(vector.data(), vector.size_bytes()); });
          kernel.run(q, x);
          ++runs;
        }
      }
    }
  }
  EXPECT_GT(runs, 3 * kEltwiseNames.size());
  std::printf("element-wise operations with secret data: %zu\n", runs);
}

TEST(DISABLED_EltwiseConstantTimeControl, ABranchOnAResultIsFound) {
  const Words words(5, 3);
  make_secret(words.data(), sizeof(words[0]) * words.size());
  const Words result = run_eltwise(Eltwise(97), "multiply", {words, words});
  EXPECT_EQ(result, Words(5, 9));
}

constexpr kernels::KaratsubaProblem kProblem{75, 125};

AlignedVector<std::uint64_t> memory(std::size_t bytes) {
  return AlignedVector<std::uint64_t>(bytes / sizeof(std::uint64_t));
}

/// The planes of a product of secret operands.
AlignedVector<std::uint64_t> secret_product(const kernels::Chosen<kernels::KaratsubaKernel>& chosen,
                                            const kernels::KaratsubaShape& shape) {
  const kernels::KaratsubaKernel& kernel = *chosen.kernel;
  const std::size_t degree = kProblem.degree;
  const Words p(2 * degree, 0x0123456789abcdef);
  const std::vector<std::int8_t> u(degree, -1);
  make_secret(p.data(), p.size() * sizeof(p[0]));
  make_secret(u.data(), u.size());
  auto wide = memory(kernel.wide_bytes(shape));
  auto small = memory(kernel.small_bytes(shape));
  auto room = memory(kernel.scratch_bytes(shape));
  auto planes = memory(shape.plane_count * 2 * (shape.base_size << shape.recursions) * 8);
  kernel.split_wide(wide.data(), {p.data(), degree, 2}, shape, room.data());
  kernel.split_small(small.data(), u.data(), degree, shape, room.data());
  chosen.counter.count();
  kernel.multiply(planes.data(), wide.data(), small.data(), shape, room.data());
  return planes;
}

TEST(DISABLED_KernelsConstantTimeBody, Karatsuba) {
  std::size_t runs = 0;
  for (const auto& chosen : kernels::karatsuba_kernels()) {
    for (int recursions = 0; recursions <= 3; ++recursions) {
      const auto shape = karatsuba_shape(*chosen.kernel, kProblem, recursions);
      if (shape.base_size == 0) continue;
      EXPECT_FALSE(secret_product(chosen, shape).empty());
      ++runs;
    }
  }
  EXPECT_GE(runs, 8U);
  std::printf("products with secret data: %zu\n", runs);
}

TEST(DISABLED_KaratsubaConstantTimeControl, ABranchOnAResultIsFound) {
  const auto chosen = kernels::karatsuba_kernels().front();
  EXPECT_NE(secret_product(chosen, karatsuba_shape(*chosen.kernel, kProblem, 0))[0], 0U);
}

// Suppressions for rejections, which only the functions named sample_* may show.
const std::string kRejection = R"({
branch
Memcheck:Cond
...
fun:*ringlet*kernels*sample_*
}
{
address
Memcheck:Value8
...
fun:*ringlet*kernels*sample_*
}
)";

template <typename Word>
std::vector<Word> secret_words(std::size_t count) {
  std::vector<Word> words(count, 1);
  make_secret(words.data(), count * sizeof(Word));
  return words;
}

void sample_all(const kernels::SamplingKernel& kernel) {
  constexpr std::size_t kCount = 203;
  const auto bytes = secret_words<std::uint8_t>(8 * kCount);
  std::vector<std::int8_t> small(kCount);
  Words words(kCount);
  kernel.binomial(small.data(), kCount, bytes.data());
  EXPECT_TRUE(is_secret(small.data(), kCount));
  kernel.ternary(small.data(), kCount, bytes.data(), bytes.size());
  for (const std::uint64_t q :
       {std::uint64_t{17}, (std::uint64_t{1} << 49) + 69, (std::uint64_t{1} << 61) - 1}) {
    kernel.uniform(words.data(), kCount, bytes.data(), bytes.size(), 2 * q - 1, q);
    const auto values = secret_words<std::int64_t>(kCount);
    const auto errors = secret_words<std::int8_t>(kCount);
    words = secret_words<std::uint64_t>(kCount);
    kernel.residues64({.result = words.data(),
                       .values = values.data(),
                       .subtrahend = words.data(),
                       .count = kCount,
                       .q = q,
                       .offset = 4 * q,
                       .limit = 8 * q,
                       .factor = q - 2,
                       .quotient = shoup_quotient(q - 2, q)});
    EXPECT_TRUE(is_secret(words.data(), kCount * sizeof(words[0])));
    std::vector<std::int64_t> rounded(kCount);
    kernel.rounding8({.result = rounded.data(),
                      .words = words.data(),
                      .errors = errors.data(),
                      .count = kCount,
                      .p = q,
                      .half = q / 2,
                      .offset = q / 2 + q,
                      .limit = 4 * q,
                      .quotient = shoup_quotient(1, q)});
    EXPECT_TRUE(is_secret(rounded.data(), kCount * sizeof(rounded[0])));
  }
}

TEST(DISABLED_KernelsConstantTimeBody, Sampling) {
  for_each_kernel_of(&kernels::KernelTable::sampling, sample_all);
  std::printf("samples with secret data\n");
}

TEST(KernelsConstantTime, NoBranchOrAddressDependsOnTheData) {
  expect_nothing_found("DISABLED_KernelsConstantTimeBody",
                       {"element-wise operations with secret data: ", "products with secret data: ",
                        "samples with secret data"},
                       kRejection);
}

TEST(KernelsConstantTime, TheCheckSeesABranch) {
  expect_found("DISABLED_EltwiseConstantTimeControl");
  expect_found("DISABLED_KaratsubaConstantTimeControl");
}

}  // namespace
}  // namespace ringlet::test
