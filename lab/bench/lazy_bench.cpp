// SPDX-License-Identifier: Apache-2.0
//
// ringlet_check_speed [--kernel SELECTION] [--baseline SELECTION] [--filter TEXT] [--json FILE]
//                     [--quick]
//
// Compares two transform kernels, for every degree and the primes where lazy kernels change their
// schedule of reductions: hot, and with sixteen primes that do not stay in the cache. Kernels are
// selections as in RINGLET_FORCE_KERNELS; by default the choice of "ifma52" is compared with
// "ifma52/radix2". Both are timed in turn, on the same vectors. Ratios are baseline over kernel:
// above 1 the kernel is faster. Cycles are per 16 coefficients, at the clock of a chain of vpmadd52
// in the same run. Microseconds are those of one call, or of one round of sixteen primes. The exit
// status is 1 if a row misses its target. --filter keeps rows whose name contains the text; --quick
// takes a tenth of the samples.

#include "clock.hpp"
#include "in_turn.hpp"
#include "program.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ntt/ntt.hpp"

namespace ringlet::bench {
namespace {

constexpr std::size_t kDegrees[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536};
constexpr std::size_t kColdDegrees[] = {8192, 16384, 32768, 65536};
constexpr std::size_t kColdPrimes = 16;
/// Largest primes of so many bits: with 50, a lazy kernel reduces at every stage.
constexpr int kWidths[] = {48, 49, 50};
constexpr int kUsualWidth = 49;

constexpr int kBlocks = 101;
constexpr int kQuickBlocks = 11;
constexpr double kBlockMicroseconds = 250;
constexpr int kRetries = 2;

struct Options {
  std::string kernel = "ifma52";
  std::string baseline = "ifma52/radix2";
  std::string filter;
  std::string json_file;
  bool quick = false;
};

/// The ratio of minima to reach; 0 if the table in the notes has none for this row.
double target(bool forward, std::size_t degree, int bits) {
  if (bits > kUsualWidth) return forward ? 1.3 : 0;
  switch (degree) {
    case 1024:
      return 1.5;
    case 4096:
      return forward ? 1.6 : 1.5;
    case 16384:
      return forward ? 1.7 : 1.6;
    case 65536:
      return forward ? 1.9 : 1.6;
    default:
      return 0;
  }
}
constexpr double kColdForwardTarget = 1.9;
constexpr double kColdInverseTarget = 1.4;
/// Unreduced results save 8 of 85 slots at N = 4096.
constexpr double kUnreducedTarget = 85.0 / 77;
constexpr int kUnreducedFactor = 16;

/// The rows, with cycles at the clock that is measured during each row.
class Report {
 public:
  explicit Report(const Options& options)
      : rows_({.what = "speed",
               .filter = options.filter,
               .json_file = options.json_file,
               .blocks = options.quick ? kQuickBlocks : kBlocks,
               .block_microseconds = kBlockMicroseconds,
               .retries = kRetries}) {}

  bool wants(const std::string& row) const { return rows_.wants(row); }

  /// Times a row. One call of a side transforms `coefficients`; no target if `target` is 0.
  void compare(const std::string& row, std::size_t coefficients, Side kernel, Side baseline,
               double target) {
    clock_.sample();
    rows_.compare(row, std::move(kernel), std::move(baseline), target, [&](const Side& side) {
      const double cycles = side.min() * clock_.cycles_per_microsecond() * 16;
      return "\"cycles_per_16\": " + std::to_string(cycles / static_cast<double>(coefficients));
    });
  }

  /// Returns the exit status of the program.
  int finish() const {
    const std::string megahertz = std::to_string(clock_.cycles_per_microsecond());
    std::printf("clock %s MHz; ", megahertz.c_str());
    return rows_.finish("\"megahertz\": " + megahertz);
  }

 private:
  CycleClock clock_;
  ComparedRows rows_;
};

std::string row_name(const char* what, std::size_t degree, int bits) {
  return std::string(what) + "/n=" + std::to_string(degree) + "/q=" + std::to_string(bits);
}

void transform(const Ntt& plan, bool forward, std::span<std::uint64_t> values) {
  forward ? plan.forward(values) : plan.inverse(values);
}

/// Transforms one vector with one plan, in place.
void check_hot(Report& report, const Options& options, bool forward, std::size_t degree, int bits) {
  const std::string row = row_name(forward ? "forward" : "inverse", degree, bits);
  if (!report.wants(row)) return;
  const Modulus q = generate_ntt_primes(bits, degree, 1).front();
  AlignedVector<std::uint64_t> values(degree, 1);
  const auto side = [&](const std::string& selection) -> Side {
    const Ntt plan(degree, q, KernelSelection(selection));
    return {plan.kernel_name(), [&values, plan, forward] { transform(plan, forward, values); }};
  };
  report.compare(row, degree, side(options.kernel), side(options.baseline),
                 target(forward, degree, bits));
}

/// Compares unreduced results with the baseline's, and with reduced results of the same kernel.
void check_unreduced(Report& report, const Options& options, std::size_t degree) {
  const Modulus q = generate_ntt_primes(kUsualWidth, degree, 1).front();
  // At different offsets in a page: a load that seems to meet a store in an earlier page waits.
  constexpr std::size_t kGap = 136;
  AlignedVector<std::uint64_t> words(2 * degree + kGap, 1);
  const auto operand = std::span(words).first(degree);
  const auto result = std::span(words).last(degree);
  const auto side = [&](const std::string& selection, int factor) -> Side {
    const Ntt plan(degree, q, KernelSelection(selection));
    return {plan.kernel_name() + (factor > 1 ? " x" + std::to_string(factor) : ""),
            [=] { plan.forward(result, operand, 1, factor); }};
  };
  if (const std::string row = row_name("forward-x16", degree, kUsualWidth); report.wants(row)) {
    report.compare(row, degree, side(options.kernel, kUnreducedFactor),
                   side(options.baseline, kUnreducedFactor), 0);
  }
  if (const std::string row = row_name("unreduced", degree, kUsualWidth); report.wants(row)) {
    report.compare(row, degree, side(options.kernel, kUnreducedFactor), side(options.kernel, 1),
                   degree == 4096 ? kUnreducedTarget : 0);
  }
}

/// Transforms modulo sixteen primes in turn, each with its own plan and vector.
void check_cold(Report& report, const Options& options, bool forward, std::size_t degree) {
  const std::string row =
      row_name(forward ? "cold-forward" : "cold-inverse", degree, kUsualWidth) + "x16";
  if (!report.wants(row)) return;
  const std::vector<Modulus> primes = generate_ntt_primes(kUsualWidth, degree, kColdPrimes);
  std::vector<AlignedVector<std::uint64_t>> vectors(kColdPrimes,
                                                    AlignedVector<std::uint64_t>(degree, 1));
  const auto side = [&](const std::string& selection) -> Side {
    std::vector<Ntt> plans;
    for (const Modulus& q : primes) plans.emplace_back(degree, q, KernelSelection(selection));
    return {plans.front().kernel_name(), [&vectors, plans, forward] {
              for (std::size_t i = 0; i < kColdPrimes; ++i) {
                transform(plans[i], forward, vectors[i]);
              }
            }};
  };
  report.compare(row, kColdPrimes * degree, side(options.kernel), side(options.baseline),
                 forward ? kColdForwardTarget : kColdInverseTarget);
}

/// Calls check(). Prints rows that a kernel does not support, and leaves them out.
void try_row(const std::function<void()>& check) {
  try {
    check();
  } catch (const InvalidArgument& error) {
    std::printf("skipped: %s\n", error.what());
  }
}

int run(int argc, char** argv) {
  Options options;
  take_options(argc, argv,
               "ringlet_check_speed [--kernel SELECTION] [--baseline SELECTION] [--filter TEXT] "
               "[--json FILE] [--quick]",
               {{"--kernel", &options.kernel},
                {"--baseline", &options.baseline},
                {"--filter", &options.filter},
                {"--json", &options.json_file}},
               &options.quick);
  Report report(options);
  for (const int bits : kWidths) {
    for (const bool forward : {true, false}) {
      for (const std::size_t degree : kDegrees) {
        try_row([&] { check_hot(report, options, forward, degree, bits); });
      }
    }
  }
  for (const std::size_t degree : kDegrees) {
    try_row([&] { check_unreduced(report, options, degree); });
  }
  for (const bool forward : {true, false}) {
    for (const std::size_t degree : kColdDegrees) {
      try_row([&] { check_cold(report, options, forward, degree); });
    }
  }
  return report.finish();
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  return ringlet::bench::run_program(ringlet::bench::run, argc, argv);
}
