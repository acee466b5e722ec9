// SPDX-License-Identifier: Apache-2.0
//
// ringlet_check_selection [--json FILE] [--filter TEXT] [--length N]
//
// Is any table slower than the next lower one? For every operation, width of the modulus and table
// above the lowest, the kernel that the selection "table" chooses takes turns with the kernel that
// the next lower table chooses. Equal kernels are not timed. The exit status is 1 if a ratio of
// minima stays above the allowed one. Where an element-wise operation waits for the second cache,
// the geometric mean of that ratio and of the ratio at a quarter of the length counts, as it does
// for the planner. --filter keeps rows whose name contains the text, such as multiply/q=49.
// --length is that of the vectors, by default 4096. --json writes both sides of every timed row in
// the layout of Google Benchmark.

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

constexpr int kTransformWidths[] = {30, 49, 50, 55, 60, 61};
/// Both sides of every limit of an element-wise kernel, and of every width at which a kernel
/// changes its steps.
constexpr int kWidths[] = {20, 28, 30, 32, 33, 34, 35, 40, 47, 49, 50, 51,
                           52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62};
constexpr std::size_t kTransformLengths[] = {1024, 4096, 16384};

/// Smaller differences cannot be told apart from the machine's own.
constexpr double kAllowedRatio = 1.08;
constexpr int kRetries = 3;
constexpr int kBlocks = 20;
constexpr double kBlockMicroseconds = 150;

/// The kernel that a selection chooses for a row.
struct Candidate {
  std::string selection;
  Side side;
};

class Check {
 public:
  explicit Check(std::string filter) : filter_(std::move(filter)) {}

  bool wants(const std::string& row) const { return row.find(filter_) != std::string::npos; }

  /// `rival` is a kernel of the next lower table or, exactly named, of the same table. `shorter`,
  /// if given, returns the ratio of the same kernels on shorter vectors.
  void compare(const std::string& row, Candidate chosen, Candidate rival,
               const std::function<double()>& shorter = nullptr) {
    Side& mine = chosen.side;
    Side& other = rival.side;
    if (mine.name == other.name) {
      ++equal_;
      return;
    }
    const auto ratio = [&] { return mine.min() / other.min(); };
    time_until_faster(mine, other);
    bool slower = ratio() > kAllowedRatio;
    const bool is_below = rival.selection.find('/') == std::string::npos;
    std::string note;
    if (slower && is_below && shorter) {
      const double short_ratio = shorter();
      slower = ratio() * short_ratio > kAllowedRatio * kAllowedRatio;
      if (!slower) note = "  on short vectors " + std::to_string(short_ratio).substr(0, 4);
    }
    slower_ += slower && is_below ? 1 : 0;
    std::printf("%-34s %-26s %8.3f %8.3f   %-26s %8.3f %8.3f  %5.2f%s\n", row.c_str(),
                mine.name.c_str(), mine.min(), mine.median(), other.name.c_str(), other.min(),
                other.median(), ratio(),
                !slower    ? note.c_str()
                : is_below ? "  SLOWER"
                           : "  slower than its neighbour");
    const std::string pair = row + "/" + chosen.selection + "-" + rival.selection;
    for (const Side* side : {&mine, &other}) {
      entries_.add("selection/" + pair + "/" + side->name, *side,
                   "\"ratio\": " + std::to_string(ratio()));
    }
  }

  /// Times two operations in turn, again if the first one is slower.
  static double time_until_faster(Side& mine, Side& other) {
    const auto run = [&] {
      time_in_turn(mine, other, kBlocks, kBlockMicroseconds);
      return mine.min() / other.min();
    };
    double ratio = run();
    for (int i = 0; i < kRetries && ratio > kAllowedRatio; ++i) ratio = run();
    return ratio;
  }

  /// Returns the exit status of the program.
  int finish(const std::string& json_file) const {
    std::printf("%zu pairs timed, %d with the same kernel; tables slower than the one below: %d\n",
                entries_.size() / 2, equal_, slower_);
    if (!json_file.empty()) {
      entries_.write(json_file, "\"allowed_ratio\": " + std::to_string(kAllowedRatio));
    }
    return slower_ == 0 ? 0 : 1;
  }

 private:
  std::string filter_;
  JsonEntries entries_;
  int equal_ = 0;
  int slower_ = 0;
};

/// Returns the tables that this processor has, lowest first; prints the others.
std::vector<std::string> usable_tables() {
  std::vector<std::string> tables;
  for (const std::string& table : kernel_tables()) {
    try {
      const KernelSelection selection(table);
      tables.push_back(table);
    } catch (const RuntimeError& error) {
      std::printf("skipped: %s\n", error.what());
    }
  }
  return tables;
}

/// Calls body(table, other) with the selections to compare each table with. They are the next lower
/// table, and the exact names of its own kernels of the operation that take q and that a plan may
/// take.
template <typename Body>
void for_each_rival(const std::vector<std::string>& tables, std::string_view operation,
                    const Modulus& q, Body body) {
  const auto catalog = kernel_catalog();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (i > 0) body(tables[i], tables[i - 1]);
    for (const KernelInfo& kernel : catalog) {
      if (kernel.named_only) continue;
      if (kernel.table == tables[i] && kernel.operation == operation && kernel.available &&
          q.value() >= kernel.modulus_minimum && q.value() < kernel.modulus_limit) {
        body(tables[i], kernel.table + "/" + kernel.algorithm);
      }
    }
  }
}

void check_operation(Check& check, const std::vector<std::string>& tables,
                     const Operation& operation, std::size_t length, int bits) {
  const Modulus q = generate_ntt_primes(bits, 4096, 1).front();
  const std::string row = operation.row(bits);
  if (!check.wants(row) || bits + std::bit_width(unsigned(operation.factor)) > 65) return;
  const std::uint64_t range = q.value() * static_cast<unsigned>(operation.factor);
  Buffers buffers(length, range);
  Buffers short_buffers(std::max<std::size_t>(length / 4, 1), range);
  const auto side = [&](const std::string& selection, Buffers& on) -> Candidate {
    const Eltwise plan(q, KernelSelection(selection));
    return {selection, {plan.kernel_name(operation.name), [&on, plan, operation] {
                          operation.call(plan, on, operation.factor);
                        }}};
  };
  for_each_rival(tables, operation.name, q,
                 [&](const std::string& table, const std::string& rival) {
                   check.compare(row, side(table, buffers), side(rival, buffers), [&] {
                     Candidate mine = side(table, short_buffers);
                     Candidate other = side(rival, short_buffers);
                     return Check::time_until_faster(mine.side, other.side);
                   });
                 });
}

void check_transforms(Check& check, const std::vector<std::string>& tables, std::size_t length,
                      int bits) {
  const Modulus q = generate_ntt_primes(bits, length, 1).front();
  AlignedVector<std::uint64_t> values(length, 1);
  for (const bool is_forward : {true, false}) {
    const std::string row = std::string(is_forward ? "ntt_forward" : "ntt_inverse") +
                            "/n=" + std::to_string(length) + "/q=" + std::to_string(bits);
    if (!check.wants(row)) continue;
    const auto side = [&](const std::string& selection) -> Candidate {
      const Ntt plan(length, q, KernelSelection(selection));
      return {selection, {plan.kernel_name(), [&values, plan, is_forward] {
                            is_forward ? plan.forward(values) : plan.inverse(values);
                          }}};
    };
    for_each_rival(tables, "ntt", q, [&](const std::string& table, const std::string& rival) {
      check.compare(row, side(table), side(rival));
    });
  }
}

int run(int argc, char** argv) {
  std::string json_file;
  std::string filter;
  std::string length_text = "4096";
  take_options(argc, argv, "ringlet_check_selection [--json FILE] [--filter TEXT] [--length N]",
               {{"--json", &json_file}, {"--filter", &filter}, {"--length", &length_text}});
  const auto length = static_cast<std::size_t>(parse(length_text, 1));
  const std::vector<std::string> tables = usable_tables();
  Check check(filter);
  std::printf("%-34s %-26s %8s %8s   %-26s %8s %8s  %s\n", "microseconds", "chosen", "min",
              "median", "rival", "min", "median", "ratio");
  for (const Operation& operation : kOperations) {
    for (const int bits : kWidths) check_operation(check, tables, operation, length, bits);
  }
  for (const std::size_t degree : kTransformLengths) {
    for (const int bits : kTransformWidths) check_transforms(check, tables, degree, bits);
  }
  return check.finish(json_file);
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  return ringlet::bench::run_program(ringlet::bench::run, argc, argv);
}
