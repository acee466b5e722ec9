// SPDX-License-Identifier: Apache-2.0
//
// ringlet_check_planner [--json FILE] [--filter TEXT] [--quick]
//
// Does the planner take the fastest kernel? For every degree, every element-wise operation and
// every width of the modulus, all suitable kernels are timed in turn, and the choice of
// PlanEffort::estimate is compared with the fastest. A transform is timed forward and inverse
// together, short ones several at a time. An element-wise operation is timed at several lengths,
// though a plan has one kernel for all of them. The exit status is 1 if the estimate's kernel stays
// slower than allowed; the choice of PlanEffort::measure is shown as well. --filter keeps rows
// whose name contains the text, --quick a few degrees and widths. --json writes every timed kernel
// in the layout of Google Benchmark.

#include "eltwise_rows.hpp"
#include "in_turn.hpp"
#include "program.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ntt/ntt.hpp"

namespace ringlet::bench {
namespace {

/// Smaller differences cannot be told apart from the machine's own.
constexpr double kAllowedRatio = 1.08;
/// Kernels this much slower than the fastest are not timed further.
constexpr double kHopelessRatio = 2;
constexpr int kRetries = 6;
constexpr std::chrono::milliseconds kPause{50};
constexpr int kBlocks = 12;
constexpr double kBlockMicroseconds = 100;
/// Shorter transforms are timed several at a time, independent of each other.
constexpr std::size_t kLeastWords = 1024;

struct Grid {
  std::vector<int> widths{30, 45, 48, 49, 50, 55, 60, 61};
  std::vector<int> log_degrees{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
  std::vector<std::size_t> lengths{1024, 4096, 16384};
};

Grid quick_grid() { return {{30, 49, 50, 60}, {6, 10, 12, 14}, {4096}}; }

/// One kernel of a row, by its exact name.
struct Kernel {
  Side side;
  bool is_hopeless = false;

  double time() const { return side.min(); }
};

double best_time(const std::vector<Kernel>& kernels) {
  return std::ranges::min_element(kernels, {}, &Kernel::time)->time();
}

/// Adds samples to all kernels that are not hopeless, in turn.
void time_all_in_turn(std::vector<Kernel>& kernels, int blocks) {
  std::vector<std::int64_t> calls;
  for (const Kernel& kernel : kernels) {
    calls.push_back(kernel.is_hopeless ? 0 : calls_per_block(kernel.side.run, kBlockMicroseconds));
  }
  for (int block = 0; block < blocks; ++block) {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      Side& side = kernels[i].side;
      if (calls[i] > 0) side.samples.push_back(time_block(side.run, calls[i]));
    }
  }
}

/// The exact names of the kernels that a plan may take for an operation, for q at a degree (0 for
/// element-wise operations).
std::vector<std::string> names_of_kernels(std::string_view operation, const Modulus& q,
                                          std::size_t degree) {
  std::vector<std::string> names;
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (kernel.named_only) continue;
    if (kernel.operation == operation && kernel.available && kernel.min_degree <= degree &&
        q.value() >= kernel.modulus_minimum && q.value() < kernel.modulus_limit) {
      names.push_back(kernel.table + "/" + kernel.algorithm);
    }
  }
  return names;
}

class Check {
 public:
  explicit Check(std::string filter) : filter_(std::move(filter)) {}

  bool wants(const std::string& row) const { return row.find(filter_) != std::string::npos; }

  void compare(const std::string& row, std::vector<Kernel> kernels, const std::string& estimate,
               const std::string& measure) {
    if (kernels.size() < 2) {
      ++single_;
      return;
    }
    time_all_in_turn(kernels, 2);
    const double best = best_time(kernels);
    for (Kernel& kernel : kernels) {
      kernel.is_hopeless = kernel.time() > kHopelessRatio * best && kernel.side.name != estimate;
    }
    time_all_in_turn(kernels, kBlocks);
    const auto ratio = [&](const std::string& name) {
      const auto chosen = std::ranges::find_if(
          kernels, [&](const Kernel& kernel) { return kernel.side.name == name; });
      return chosen->time() / best_time(kernels);
    };
    for (int i = 0; i < kRetries && ratio(estimate) > kAllowedRatio; ++i) {
      std::this_thread::sleep_for(kPause);  // A disturbance of the machine may be over then.
      time_all_in_turn(kernels, kBlocks);
    }
    report(row, kernels, {estimate, ratio(estimate)}, {measure, ratio(measure)});
  }

  /// Returns the exit status of the program.
  int finish(const std::string& json_file) const {
    std::printf(
        "%d rows timed, %d with a single kernel; estimate more than %.0f %% slower than the best: "
        "%d (worst %.3f); measure: %d (worst %.3f)\n",
        timed_, single_, 100 * (kAllowedRatio - 1), slow_estimates_, worst_estimate_,
        slow_measures_, worst_measure_);
    if (!json_file.empty()) {
      entries_.write(json_file, "\"allowed_ratio\": " + std::to_string(kAllowedRatio));
    }
    return slow_estimates_ == 0 ? 0 : 1;
  }

 private:
  struct Choice {
    std::string name;
    double ratio = 1;
  };

  void report(const std::string& row, const std::vector<Kernel>& kernels, const Choice& estimate,
              const Choice& measure) {
    const Kernel& best = *std::ranges::min_element(kernels, {}, &Kernel::time);
    ++timed_;
    worst_estimate_ = std::max(worst_estimate_, estimate.ratio);
    worst_measure_ = std::max(worst_measure_, measure.ratio);
    const bool is_slow = estimate.ratio > kAllowedRatio;
    slow_estimates_ += is_slow ? 1 : 0;
    slow_measures_ += measure.ratio > kAllowedRatio ? 1 : 0;
    std::printf("%-32s %-26s %6.3f  %-26s %6.3f  %-26s %10.3f%s\n", row.c_str(),
                estimate.name.c_str(), estimate.ratio, measure.name.c_str(), measure.ratio,
                best.side.name.c_str(), best.time(), is_slow ? "  SLOW" : "");
    for (const Kernel& kernel : kernels) {
      entries_.add("planner/" + row + "/" + kernel.side.name, kernel.side,
                   "\"ratio\": " + std::to_string(kernel.time() / best.time()));
    }
  }

  std::string filter_;
  JsonEntries entries_;
  int timed_ = 0;
  int single_ = 0;
  int slow_estimates_ = 0;
  int slow_measures_ = 0;
  double worst_estimate_ = 1;
  double worst_measure_ = 1;
};

const KernelSelection& measuring() {
  static const KernelSelection selection = KernelSelection().with_effort(PlanEffort::measure);
  return selection;
}

std::optional<Modulus> transform_prime(int bits, std::size_t degree) {
  try {
    return generate_ntt_primes(bits, degree, 1).front();
  } catch (const InvalidArgument& error) {
    std::printf("skipped: %s\n", error.what());
    return std::nullopt;
  }
}

void check_transforms(Check& check, int log_degree, int bits) {
  const std::size_t degree = std::size_t{1} << log_degree;
  const std::string row = "ntt/n=" + std::to_string(degree) + "/q=" + std::to_string(bits);
  if (!check.wants(row)) return;
  const auto q = transform_prime(bits, degree);
  if (!q) return;
  AlignedVector<std::uint64_t> values(std::max(degree, kLeastWords), 1);
  std::vector<Kernel> kernels;
  for (const std::string& name : names_of_kernels("ntt", *q, degree)) {
    const Ntt plan(degree, *q, KernelSelection(name));
    const auto run = [&values, plan, degree] {
      const std::span words(values);
      for (std::size_t k = 0; k < words.size(); k += degree) plan.forward(words.subspan(k, degree));
      for (std::size_t k = 0; k < words.size(); k += degree) plan.inverse(words.subspan(k, degree));
    };
    kernels.push_back({{name, run}});
  }
  check.compare(row, std::move(kernels), Ntt(degree, *q, KernelSelection()).kernel_name(),
                Ntt(degree, *q, measuring()).kernel_name());
}

void check_operations(Check& check, std::size_t length, int bits) {
  const Modulus q = *transform_prime(bits, 4096);
  const Eltwise estimating(q, KernelSelection());
  const Eltwise measured(q, measuring());
  for (const Operation& operation : kOperations) {
    const std::string row = operation.row(bits) + "/n=" + std::to_string(length);
    if (!check.wants(row)) continue;
    Buffers buffers(length, q.value() * static_cast<unsigned>(operation.factor));
    std::vector<Kernel> kernels;
    for (const std::string& name : names_of_kernels(operation.name, q, 0)) {
      const Eltwise plan(q, KernelSelection(name));
      kernels.push_back({{name, [&buffers, plan, operation] {
                            operation.call(plan, buffers, operation.factor);
                          }}});
    }
    check.compare(row, std::move(kernels), estimating.kernel_name(operation.name),
                  measured.kernel_name(operation.name));
  }
}

int run(int argc, char** argv) {
  std::string json_file;
  std::string filter;
  bool quick = false;
  take_options(argc, argv, "ringlet_check_planner [--json FILE] [--filter TEXT] [--quick]",
               {{"--json", &json_file}, {"--filter", &filter}}, &quick);
  const Grid grid = quick ? quick_grid() : Grid{};
  Check check(filter);
  std::printf("%-32s %-26s %6s  %-26s %6s  %-26s %10s\n", "", "estimate", "ratio", "measure",
              "ratio", "fastest", "us");
  for (const int log_degree : grid.log_degrees) {
    for (const int bits : grid.widths) check_transforms(check, log_degree, bits);
  }
  for (const std::size_t length : grid.lengths) {
    for (const int bits : grid.widths) check_operations(check, length, bits);
  }
  return check.finish(json_file);
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  return ringlet::bench::run_program(ringlet::bench::run, argc, argv);
}
