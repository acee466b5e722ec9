// SPDX-License-Identifier: Apache-2.0
#include "kernels/measure.hpp"

#include <chrono>
#include <thread>

#include "ringlet/arith/primes.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "support/threads.hpp"

// Trials: they choose among the candidates, leave no trace, and may run in many threads.

namespace ringlet::kernels {
namespace {

const KernelSelection& measuring() {
  static const KernelSelection selection = KernelSelection().with_effort(PlanEffort::measure);
  return selection;
}

std::uint64_t prime(int bits, int log_degree) {
  return generate_ntt_primes(bits, std::size_t{1} << log_degree, 1).front().value();
}

template <typename Kernel>
bool is_among(const Chosen<Kernel>& chosen, const std::vector<Chosen<Kernel>>& candidates) {
  return std::ranges::any_of(candidates,
                             [&](const auto& other) { return other.kernel == chosen.kernel; });
}

std::vector<std::uint64_t> calls() {
  std::vector<std::uint64_t> calls;
  for (const KernelInfo& kernel : kernel_catalog()) calls.push_back(kernel.calls);
  return calls;
}

TEST(Fastest, KeepsTheFirstUnlessAnotherIsClearlyFaster) {
  const auto place = [](std::vector<double> seconds) { return fastest(seconds); };
  EXPECT_EQ(place({1}), 0U);
  EXPECT_EQ(place({1, 1}), 0U);
  EXPECT_EQ(place({1, 0.99}), 0U);
  EXPECT_EQ(place({1, 0.97}), 1U);
  EXPECT_EQ(place({1, 0.97, 0.96, kNotTimed}), 2U);
  EXPECT_EQ(place({1, kNotTimed}), 0U);
}

void expect_times(const std::vector<double>& seconds, std::size_t count) {
  ASSERT_EQ(seconds.size(), count);
  ASSERT_GT(count, 0U);
  EXPECT_TRUE(std::isfinite(seconds.front())) << "the estimate's kernel is always timed";
  for (const double time : seconds) EXPECT_GT(time, 0);
}

TEST(TimeTransforms, GivesOneTimePerKernel) {
  for (const int log_degree : {1, 3, 4, 10, 14}) {
    for (const int bits : {20, 49, 61}) {
      const std::uint64_t q = prime(bits, log_degree);
      const auto candidates = ntt_candidates(log_degree, q, KernelSelection());
      const auto seconds = time_transforms(log_degree, q, candidates, kPlanTransformTrials);
      expect_times(seconds, candidates.size());
      EXPECT_GE(*std::ranges::min_element(seconds), 1e-9);
    }
  }
}

TEST(TimeTransforms, RefusesModuliWithoutATransform) {
  const std::uint64_t composite = (std::uint64_t{1} << 49) - 1;
  EXPECT_THROW(choose_ntt(12, composite, measuring()), InvalidArgument);
  EXPECT_THROW(choose_ntt(12, 97, measuring()), InvalidArgument);
}

TEST(TimeEltwise, GivesOneTimePerKernel) {
  for (unsigned i = 0; i < kEltwiseOperationCount; ++i) {
    const auto operation = static_cast<EltwiseOperation>(i);
    for (const std::uint64_t q : {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{1} << 20,
                                  (std::uint64_t{1} << 50) - 1, (std::uint64_t{1} << 62) - 1}) {
      SCOPED_TRACE(kEltwiseOperationNames[i]);
      const auto candidates = eltwise_candidates(operation, q, KernelSelection());
      expect_times(time_eltwise(operation, q, candidates, kPlanEltwiseTrials), candidates.size());
    }
  }
}

constexpr std::chrono::milliseconds kLong{20};

void take_long(const EltwiseArguments&) { std::this_thread::sleep_for(kLong); }
void take_no_time(const EltwiseArguments&) {}

// The long kernel cannot take less than it sleeps, and the short one is measured many times.
TEST(TimeEltwise, GivesTheLongTimesToTheLongKernel) {
  EltwiseKernel slow{};
  EltwiseKernel quick{};
  slow.run = take_long;
  quick.run = take_no_time;
  const auto times = [](const EltwiseKernel& first, const EltwiseKernel& second) {
    const std::vector<Chosen<EltwiseKernel>> both{{&first, {}}, {&second, {}}};
    return time_eltwise(EltwiseOperation::add, 97, both, kPlanEltwiseTrials);
  };
  const auto estimate_is_slow = times(slow, quick);
  EXPECT_GE(estimate_is_slow[0], std::chrono::duration<double>(kLong).count());
  EXPECT_EQ(fastest(estimate_is_slow), 1U);
  const auto estimate_is_quick = times(quick, slow);
  EXPECT_EQ(estimate_is_quick[1], kNotTimed) << "given up after its first run";
  EXPECT_EQ(fastest(estimate_is_quick), 0U);
}

TEST(Measure, ChoosesOneOfTheCandidates) {
  for (const KernelInfo& info : kernel_catalog()) {
    if (!info.available) continue;
    const KernelSelection ceiling = KernelSelection(info.table).with_effort(PlanEffort::measure);
    const std::uint64_t q = prime(49, 8);
    EXPECT_TRUE(is_among(choose_ntt(8, q, ceiling), ntt_candidates(8, q, ceiling)));
    const auto operation = EltwiseOperation::multiply;
    EXPECT_TRUE(
        is_among(choose_eltwise(operation, q, ceiling), eltwise_candidates(operation, q, ceiling)));
  }
}

TEST(Measure, StaysBelowTheCeilingAndLeavesExactNamesAlone) {
  const KernelSelection lowest = KernelSelection("scalar64").with_effort(PlanEffort::measure);
  EXPECT_STREQ(choose_ntt(10, prime(30, 10), lowest).kernel->table, "scalar64");
  for (unsigned i = 0; i < kEltwiseOperationCount; ++i) {
    EXPECT_STREQ(choose_eltwise(static_cast<EltwiseOperation>(i), 97, lowest).kernel->table,
                 "scalar64");
  }
  const KernelSelection exact = KernelSelection("scalar64/radix2").with_effort(PlanEffort::measure);
  EXPECT_EQ(choose_ntt(12, prime(49, 12), exact).name(), "scalar64/radix2");
}

TEST(Measure, HasNothingToChooseWhereNoKernelFits) {
  const std::uint64_t large = (std::uint64_t{1} << 63) - 1;
  EXPECT_EQ(choose_eltwise(EltwiseOperation::multiply, large, measuring()).kernel, nullptr);
  EXPECT_NE(choose_eltwise(EltwiseOperation::add, large, measuring()).kernel, nullptr);
}

TEST(Measure, TrialsAreNotCountedAsCalls) {
  if (!kernel_statistics_enabled()) GTEST_SKIP() << "this build counts no calls";
  const std::uint64_t q = prime(49, 10);
  const auto before = calls();
  choose_ntt(10, q, measuring());
  const Eltwise eltwise(q, measuring());
  EXPECT_EQ(calls(), before);
  std::vector<std::uint64_t> words(8, 1);
  eltwise.add(words, words, words);
  EXPECT_NE(calls(), before);
}

TEST(Measure, RunsInManyThreadsAtOnce) {
  const std::uint64_t q = prime(49, 9);
  const auto candidates = ntt_candidates(9, q, KernelSelection());
  test::expect_in_threads(3, [&](std::size_t thread, std::size_t) {
    const auto chosen = choose_ntt(9, q, measuring());
    const auto sum = choose_eltwise(EltwiseOperation::add, q + thread, measuring());
    return is_among(chosen, candidates) && sum.kernel != nullptr;
  });
}

}  // namespace
}  // namespace ringlet::kernels
