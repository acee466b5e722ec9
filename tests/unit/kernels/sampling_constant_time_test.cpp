// SPDX-License-Identifier: Apache-2.0
#include "kernels/select.hpp"
#include "ringlet/modular.hpp"
#include "support/kernels_of_tables.hpp"
#include "support/memcheck.hpp"
#include "support/test.hpp"

// What is sampled, and what residues are taken of, decides no branch and no address; which fields
// and words are rejected may. Valgrind runs the tables up to avx2.

namespace ringlet::test {
namespace {

using kernels::SamplingKernel;

constexpr std::size_t kCount = 203;

// Sampling that rejects, which the functions of that name alone may show.
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

void run_all(const SamplingKernel& kernel) {
  const auto bytes = secret_words<std::uint8_t>(8 * kCount);
  std::vector<std::int8_t> small(kCount);
  std::vector<std::uint64_t> words(kCount);
  kernel.binomial(small.data(), kCount, bytes.data());
  EXPECT_TRUE(is_secret(small.data(), kCount));
  kernel.ternary(small.data(), kCount, bytes.data(), bytes.size());
  for (const std::uint64_t q :
       {std::uint64_t{17}, (std::uint64_t{1} << 49) + 69, (std::uint64_t{1} << 61) - 1}) {
    kernel.uniform(words.data(), kCount, bytes.data(), bytes.size(), 2 * q - 1, q);
    const auto values = secret_words<std::int64_t>(kCount);
    const auto errors = secret_words<std::int8_t>(kCount);
    words = secret_words<std::uint64_t>(kCount);
    kernels::SignedResidueArguments<std::int64_t> residues{.result = words.data(),
                                                           .values = values.data(),
                                                           .subtrahend = words.data(),
                                                           .count = kCount,
                                                           .q = q,
                                                           .offset = 4 * q,
                                                           .limit = 8 * q,
                                                           .factor = q - 2,
                                                           .quotient = shoup_quotient(q - 2, q)};
    kernel.residues64(residues);
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

TEST(DISABLED_SamplingConstantTimeBody, EveryKernel) {
  ASSERT_TRUE(under_valgrind()) << "the tests of SamplingConstantTime run this";
  std::size_t runs = 0;
  for_each_kernel_of(&kernels::KernelTable::sampling, &kernels::KernelTable::sampling_count,
                     [&](const SamplingKernel& kernel) {
                       run_all(kernel);
                       ++runs;
                     });
  std::printf("%zu kernels with secret data\n", runs);
}

TEST(SamplingConstantTime, NoBranchOrAddressDependsOnWhatIsKept) {
  expect_nothing_found("DISABLED_SamplingConstantTimeBody", {"kernels with secret data"},
                       kRejection);
}

}  // namespace
}  // namespace ringlet::test
