// SPDX-License-Identifier: Apache-2.0
#include "lab/kernels/wide_projection.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "lab/kernels/projection.hpp"
#include "ntt/wide_checks.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/error.hpp"
#include "ringlet/wide.hpp"

namespace ringlet {
namespace {

using kernels::WideKernel;
using Words = AlignedVector<std::uint64_t>;
using Clock = std::chrono::steady_clock;

constexpr int kMaxRuns = 1000000;
constexpr std::size_t kMaxLength = std::size_t{1} << 24;
/// A sample is not shorter: the clock itself takes tens of nanoseconds.
constexpr double kLeastSampleNs = 20000;

void check_runs(const char* operation, int runs) {
  if (runs >= 1 && runs <= kMaxRuns) return;
  throw_invalid_argument({operation, concat("runs = ", runs), concat("1 to ", kMaxRuns),
                          "choose a number in that range"});
}

void check_projectable(const char* operation, const WideModulus& q) {
  if (!can_project_mqx()) {
    throw_runtime_error({operation, "a processor without AVX512-F and AVX512-DQ",
                         "processors that have the instructions that stand in",
                         "ask can_project_mqx() first"});
  }
  const int least = kernels::projected_wide_kernels().front().kernel.min_modulus_bits;
  if (q.bit_count() >= least) return;
  throw_invalid_argument({operation, concat("modulus = ", q.to_string()),
                          concat("moduli of ", least, " to ", kMaxDoubleWordBits, " bits"),
                          "choose a longer modulus"});
}

const WideKernel& kernel_of(WideWordProduct product) {
  return kernels::projected_wide_kernels()[static_cast<std::size_t>(product)].kernel;
}

/// Double words below 2^(bits of q - 1), in planes, the same ones on every run.
void fill(std::span<std::uint64_t> low, std::span<std::uint64_t> high, const WideModulus& q) {
  std::uint64_t state = 1;
  const auto next = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return state ^ (state >> 29);
  };
  const int high_bits = q.bit_count() - 1 - 64;
  for (std::uint64_t& word : low) word = next();
  for (std::uint64_t& word : high) word = next() >> (64 - high_bits);
}

/// Samples of nanoseconds per unit of one way to do some work.
template <typename Work>
class Stopwatch {
 public:
  /// One call does `units` units.
  Stopwatch(Work work, double units) : work_(std::move(work)), units_(units) {
    work_();
    const double once = std::max(measure(1), 1.0);
    repeats_ = static_cast<int>(std::max(1.0, kLeastSampleNs / once));
  }

  void sample() { samples_.push_back(measure(repeats_) / units_); }
  WideTiming timing() {
    std::ranges::sort(samples_);
    const std::size_t half = samples_.size() / 2;
    const double median =
        samples_.size() % 2 != 0 ? samples_[half] : (samples_[half - 1] + samples_[half]) / 2;
    return {.minimum_ns = samples_.front(), .median_ns = median};
  }

 private:
  double measure(int repeats) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) work_();
    const std::chrono::duration<double, std::nano> duration = Clock::now() - start;
    return duration.count() / repeats;
  }

  Work work_;
  double units_;
  int repeats_ = 1;
  std::vector<double> samples_;
};

/// A forward transform of some kernel.
class Transform {
 public:
  Transform(const WideKernel& kernel, const WideNtt& plan)
      : forward_(kernel.forward),
        table_(kernel.table_bytes(std::countr_zero(plan.degree())) / sizeof(std::uint64_t)),
        scratch_(kernel.scratch_words(std::countr_zero(plan.degree()))),
        operand_(2 * plan.degree()),
        result_(2 * plan.degree()) {
    const std::size_t n = plan.degree();
    const WideModulus& q = plan.modulus();
    const DoubleWord root = plan.root_of_unity();
    kernel.build_table(table_.data(), {.log_degree = std::countr_zero(n),
                                       .cyclic = false,
                                       .q = {q.value()[0], q.value()[1]},
                                       .root = {root[0], root[1]}});
    fill(std::span(operand_).first(n), std::span(operand_).last(n), q);
  }
  void operator()() {
    const std::size_t n = result_.size() / 2;
    forward_({{result_.data(), result_.data() + n, 1},
              {operand_.data(), operand_.data() + n, 1},
              scratch_.data()},
             table_.data());
  }

 private:
  void (*forward_)(const kernels::WideNttArguments&, const void*);
  Words table_;
  Words scratch_;
  Words operand_;
  Words result_;
};

double butterflies(std::size_t degree) {
  return static_cast<double>(degree) / 2 * std::countr_zero(degree);
}

/// The checks of WideNtt, and a root.
WideNtt plan_of(std::size_t degree, const WideModulus& q) {
  return {degree, q, WideRing::negacyclic, KernelSelection("scalar64")};
}

}  // namespace

bool can_project_mqx() noexcept { return !kernels::projected_wide_kernels().empty(); }

WideTiming time_projected_ntt(std::size_t degree, const WideModulus& q, WideWordProduct product,
                              int runs) {
  check_runs("time_projected_ntt", runs);
  const WideNtt plan = plan_of(degree, q);
  check_projectable("time_projected_ntt", q);
  Stopwatch watch(Transform(kernel_of(product), plan), butterflies(degree));
  for (int i = 0; i < runs; ++i) watch.sample();
  return watch.timing();
}

WideTiming time_projected_eltwise(WideProjectedOperation operation, std::size_t length,
                                  const WideModulus& q, WideWordProduct product, int runs) {
  constexpr const char* kName = "time_projected_eltwise";
  check_runs(kName, runs);
  if (length < 1 || length > kMaxLength) {
    throw_invalid_argument({kName, concat("length = ", length), concat("1 to ", kMaxLength),
                            "choose a length in that range"});
  }
  check_double_modulus(kName, q);
  check_projectable(kName, q);
  const WideKernel& kernel = kernel_of(product);
  Words vectors(6 * length);
  const auto plane = [&](std::size_t i) { return std::span(vectors).subspan(i * length, length); };
  fill(plane(0), plane(1), q);
  fill(plane(2), plane(3), q);
  const std::uint64_t modulus[2] = {q.value()[0], q.value()[1]};
  const std::uint64_t scalar[2] = {plane(0)[0], plane(1)[0]};
  kernels::WideConstants constants;
  kernel.build_constants(constants, modulus);
  std::uint64_t factor[kernels::kMaxWideFactorWords];
  kernel.make_factor(factor, scalar, constants);
  const kernels::WideEltwiseArguments arguments{{plane(4).data(), plane(5).data(), 1},
                                                {plane(0).data(), plane(1).data(), 1},
                                                {plane(2).data(), plane(3).data(), 1},
                                                length,
                                                factor};
  const auto run = kernel.run[static_cast<std::size_t>(operation)];
  Stopwatch watch([&] { run(arguments, constants); }, static_cast<double>(length));
  for (int i = 0; i < runs; ++i) watch.sample();
  return watch.timing();
}

std::vector<ProjectionCheck> check_projection(std::size_t degree, const WideModulus& q, int runs) {
  check_runs("check_projection", runs);
  const WideNtt plan = plan_of(degree, q);
  check_projectable("check_projection", q);
  std::vector<ProjectionCheck> checks;
  for (const kernels::StandInWideKernel& pair : kernels::stand_in_wide_kernels()) {
    Stopwatch real(Transform(pair.real, plan), butterflies(degree));
    Stopwatch projected(Transform(pair.projected, plan), butterflies(degree));
    for (int i = 0; i < runs; ++i) {
      real.sample();
      projected.sample();
    }
    ProjectionCheck check{.instruction = pair.instruction,
                          .stand_in = pair.stand_in,
                          .real = real.timing(),
                          .projected = projected.timing()};
    check.error_percent =
        100 * (check.projected.minimum_ns - check.real.minimum_ns) / check.real.minimum_ns;
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace ringlet
