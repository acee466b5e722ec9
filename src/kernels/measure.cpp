// SPDX-License-Identifier: Apache-2.0
#include "kernels/measure.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/buffer_check.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/aligned.hpp"

namespace ringlet::kernels {
namespace {

using Clock = std::chrono::steady_clock;
using Words = AlignedVector<std::uint64_t>;

constexpr double kHopeless = 2;
/// A kernel replaces the estimate's if it takes less than this part of its time.
constexpr double kClearlyFaster = 0.98;
constexpr int kMinRounds = 3;
constexpr int kMaxRepeats = 1024;
/// A run shorter than this is repeated at once: its first time is that of cold tables.
constexpr double kShortRun = 1e-3;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Seconds per trial.run(i) for i < trial.count(), the least of samples taken in turn.
/// trial.prepare(i) comes before the first run, trial.release(i) when i is given up.
template <typename Trial>
std::vector<double> time_in_turn(Trial& trial, const TrialLimits& limits) {
  const std::size_t count = trial.count();
  const auto sample = [&trial](std::size_t i, int repeats) {
    const auto start = Clock::now();
    for (int r = 0; r < repeats; ++r) trial.run(i);
    return seconds_since(start) / repeats;
  };
  const auto begin = Clock::now();
  std::vector<double> least(count);
  double best = kNotTimed;
  for (std::size_t i = 0; i < count; ++i) {
    trial.prepare(i);
    least[i] = sample(i, 1);
    if (least[i] < kShortRun) least[i] = std::min(least[i], sample(i, 2));
    best = std::min(best, least[i]);
    if (i > 0 && least[i] > kHopeless * best) {
      least[i] = kNotTimed;
      trial.release(i);
    }
  }
  std::vector<int> repeats(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double runs = limits.sample_seconds / least[i];
    repeats[i] = static_cast<int>(std::clamp(runs, 1.0, 1.0 * kMaxRepeats));
  }
  for (int round = 0; round < limits.rounds; ++round) {
    if (round >= kMinRounds && seconds_since(begin) > limits.budget_seconds) break;
    for (std::size_t i = 0; i < count; ++i) {
      if (least[i] != kNotTimed) least[i] = std::min(least[i], sample(i, repeats[i]));
    }
  }
  return least;
}

/// Fills `words` with the same numbers on every run, below `range`, or any words if `range` is 0.
void fill(std::span<std::uint64_t> words, std::uint64_t range) {
  const Modulus modulus(range < 2 ? 2 : range);
  std::uint64_t state = 1;
  for (auto& word : words) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t mixed = state ^ (state >> 29);
    word = range == 0 ? mixed : modulus.reduce(mixed);
  }
}

/// Transforms in place. Several short ones run on separate words, as in a basis of many primes. A
/// table lives from before its kernel's first run until the kernel is given up.
class TransformTrial {
 public:
  TransformTrial(int log_degree, std::uint64_t q, std::span<const Chosen<NttKernel>> kernels)
      : kernels_(kernels),
        request_{log_degree, q, minimal_primitive_root(std::uint64_t{2} << log_degree, Modulus(q))},
        degree_(std::size_t{1} << log_degree),
        values_(std::max(degree_, kLeastWords)),
        tables_(kernels.size()) {
    fill(values_, q);
  }

  std::size_t count() const { return kernels_.size(); }
  void prepare(std::size_t i) {
    const NttKernel& kernel = *kernels_[i].kernel;
    tables_[i].resize(kernel.table_bytes(request_.log_degree) / sizeof(std::uint64_t));
    kernel.build_table(tables_[i].data(), request_);
  }
  void run(std::size_t i) {
    const void* const table = tables_[i].data();
    for (const auto transform : {kernels_[i].kernel->forward, kernels_[i].kernel->inverse}) {
      for (std::size_t k = 0; k < values_.size(); k += degree_) {
        const std::span words(values_.data() + k, degree_);
        // A plan does this before each call, which changes the faster of two kernels for N = 64.
        check_buffers(degree_, {"result", words}, {{"operand", words}});
        transform(words.data(), words.data(), table, {});
      }
    }
  }
  void release(std::size_t i) { Words().swap(tables_[i]); }

 private:
  static constexpr std::size_t kLeastWords = 1024;

  std::span<const Chosen<NttKernel>> kernels_;
  NttRequest request_;
  std::size_t degree_;
  Words values_;
  std::vector<Words> tables_;
};

/// An element-wise operation on vectors at different offsets in a page. At equal offsets, loads
/// that seem to depend on stores would slow down some kernels and not others.
class EltwiseTrial {
 public:
  EltwiseTrial(EltwiseOperation operation, std::uint64_t q, std::size_t length,
               std::span<const Chosen<EltwiseKernel>> kernels)
      : kernels_(kernels), words_(4 * (length + kGap)) {
    using enum EltwiseOperation;
    const bool takes_any_word =
        operation == reduce || operation == compare_add || operation == compare_subtract;
    fill(words_, takes_any_word ? 0 : q);
    const auto vector = [&](std::size_t k) { return words_.data() + k * (length + kGap); };
    a_terms_ = {vector(1), vector(2)};
    b_terms_ = {vector(2), vector(3)};
    arguments_ = {.result = vector(0),
                  .a = vector(1),
                  .b = vector(2),
                  .c = vector(3),
                  .count = length,
                  .scalar = q / 3,
                  .q = q,
                  .ratio = Modulus(q).ratio(),
                  .comparison = Comparison::not_less_equal,
                  .bound = q / 2,
                  .a_terms = a_terms_.data(),
                  .b_terms = b_terms_.data(),
                  .term_count = a_terms_.size()};
    if (operation == reduce_range) arguments_.factors.input = 2;
  }
  EltwiseTrial(const EltwiseTrial&) = delete;
  EltwiseTrial& operator=(const EltwiseTrial&) = delete;

  std::size_t count() const { return kernels_.size(); }
  void prepare(std::size_t) {}
  void run(std::size_t i) { kernels_[i].kernel->run(arguments_); }
  void release(std::size_t) {}

 private:
  static constexpr std::size_t kGap = 136;

  std::span<const Chosen<EltwiseKernel>> kernels_;
  Words words_;
  std::array<const std::uint64_t*, 2> a_terms_{};
  std::array<const std::uint64_t*, 2> b_terms_{};
  EltwiseArguments arguments_;
};

constexpr std::array<std::size_t, 2> kEltwiseLengths{1024, 4096};

}  // namespace

std::vector<double> time_transforms(int log_degree, std::uint64_t q,
                                    std::span<const Chosen<NttKernel>> kernels,
                                    const TrialLimits& limits) {
  TransformTrial trial(log_degree, q, kernels);
  return time_in_turn(trial, limits);
}

std::vector<double> time_eltwise(EltwiseOperation operation, std::uint64_t q,
                                 std::span<const Chosen<EltwiseKernel>> kernels,
                                 const TrialLimits& limits) {
  std::vector<double> means(kernels.size(), 1);
  for (const std::size_t length : kEltwiseLengths) {
    EltwiseTrial trial(operation, q, length, kernels);
    const std::vector<double> seconds = time_in_turn(trial, limits);
    for (std::size_t i = 0; i < means.size(); ++i) means[i] *= seconds[i];
  }
  for (double& mean : means) mean = std::pow(mean, 1.0 / kEltwiseLengths.size());
  return means;
}

std::size_t fastest(std::span<const double> seconds) {
  const auto least = std::ranges::min_element(seconds);
  return *least < kClearlyFaster * seconds.front()
             ? static_cast<std::size_t>(least - seconds.begin())
             : 0;
}

}  // namespace ringlet::kernels
