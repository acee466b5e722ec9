// SPDX-License-Identifier: Apache-2.0
//
// ringlet_check_selection [--json FILE] [--filter TEXT] [--length N]
//
// Is any table slower than the one below it? For every operation, width of the modulus and table
// above the lowest, the kernel that the selection "table" chooses is timed in turn with the one
// that the selection of the next lower table chooses. The same kernel on both sides is not timed.
// Exit status 1 if a ratio of minima stays above the allowed one. --filter takes the rows whose
// name contains the text, such as multiply/q=49. --length is that of the vectors, 4096 without it.
// --json writes both sides of every timed row in the layout of Google Benchmark.

#include <charconv>
#include <cstdio>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "in_turn.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/eltwise.hpp"
#include "ringlet/error.hpp"
#include "ringlet/kernel_selection.hpp"
#include "ringlet/ntt.hpp"
#include "ringlet/primes.hpp"

namespace ringlet::bench {
namespace {

constexpr int kWidths[] = {30, 49, 50, 55, 60, 61};
constexpr std::size_t kTransformLengths[] = {1024, 4096, 16384};
constexpr std::size_t kTerms = 4;
constexpr std::uint64_t kScalar = 123456;

/// Differences below this one are not told apart from the machine's own.
constexpr double kAllowedRatio = 1.08;
constexpr int kRetries = 3;
constexpr int kBlocks = 20;
constexpr double kBlockMicroseconds = 150;

/// Vectors in one block of memory, at different places of a page: a store that seems to meet a load
/// a page further would slow down some kernels and not others.
struct Buffers {
  /// Values below `range`, or any words if it is 0.
  Buffers(std::size_t length_, std::uint64_t range)
      : length(length_), words((4 + 2 * kTerms) * (length + kGap)) {
    std::uint64_t state = 1;
    for (auto& value : words) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const std::uint64_t word = state ^ (state >> 29);
      value = range == 0 ? word : word % range;
    }
    for (std::size_t k = 0; k < kTerms; ++k) {
      a_terms.push_back(vector(4 + 2 * k));
      b_terms.push_back(vector(5 + 2 * k));
    }
  }

  static constexpr std::size_t kGap = 136;
  std::span<std::uint64_t> vector(std::size_t k) {
    return std::span(words).subspan(k * (length + kGap), length);
  }

  std::size_t length;
  AlignedVector<std::uint64_t> words;
  std::span<std::uint64_t> result = vector(0);
  Eltwise::Operand a = vector(1), b = vector(2), c = vector(3);
  std::vector<Eltwise::Operand> a_terms, b_terms;
};

/// An element-wise operation with one input factor.
struct Operation {
  const char* name;
  int factor;
  void (*call)(const Eltwise&, Buffers&, int factor);
};

using E = const Eltwise&;
using B = Buffers&;
constexpr auto kAbove = Comparison::not_less_equal;

void multiply(E e, B x, int f) { e.multiply(x.result, x.a, x.b, f); }
void multiply_scalar(E e, B x, int f) { e.multiply_scalar(x.result, x.a, kScalar, f); }
void multiply_scalar_add(E e, B x, int f) { e.multiply_scalar_add(x.result, x.a, kScalar, x.c, f); }

/// Factor 0 stands for operations that take any word.
constexpr Operation kOperations[] = {
    {"add", 1, [](E e, B x, int) { e.add(x.result, x.a, x.b); }},
    {"add_scalar", 1, [](E e, B x, int) { e.add_scalar(x.result, x.a, kScalar); }},
    {"subtract", 1, [](E e, B x, int) { e.subtract(x.result, x.a, x.b); }},
    {"subtract_scalar", 1, [](E e, B x, int) { e.subtract_scalar(x.result, x.a, kScalar); }},
    {"negate", 1, [](E e, B x, int) { e.negate(x.result, x.a); }},
    {"multiply", 1, multiply},
    {"multiply", 2, multiply},
    {"multiply", 4, multiply},
    {"multiply_add", 1, [](E e, B x, int) { e.multiply_add(x.result, x.a, x.b, x.c); }},
    {"multiply_scalar", 1, multiply_scalar},
    {"multiply_scalar", 2, multiply_scalar},
    {"multiply_scalar", 4, multiply_scalar},
    {"multiply_scalar", 8, multiply_scalar},
    {"multiply_scalar_add", 1, multiply_scalar_add},
    {"multiply_scalar_add", 2, multiply_scalar_add},
    {"multiply_scalar_add", 4, multiply_scalar_add},
    {"multiply_scalar_add", 8, multiply_scalar_add},
    {"multiply_accumulate", 1,
     [](E e, B x, int) { e.multiply_accumulate(x.result, x.a_terms, x.b_terms); }},
    {"dot", 1, [](E e, B x, int) { x.result[0] = e.dot(x.a, x.b); }},
    {"reduce", 0, [](E e, B x, int) { e.reduce(x.result, x.a); }},
    {"reduce_range", 2, [](E e, B x, int) { e.reduce_range(x.result, x.a, 2, 1); }},
    {"reduce_range", 4, [](E e, B x, int) { e.reduce_range(x.result, x.a, 4, 1); }},
    {"compare_add", 0,
     [](E e, B x, int) { e.compare_add(x.result, x.a, kAbove, e.modulus().value() / 2, 5); }},
    {"compare_subtract", 0,
     [](E e, B x, int) { e.compare_subtract(x.result, x.a, kAbove, e.modulus().value() / 2, 5); }},
};

/// The kernel that a selection chooses for a row.
struct Candidate {
  std::string selection;
  Side side;
};

class Check {
 public:
  explicit Check(std::string filter) : filter_(std::move(filter)) {}

  bool wants(const std::string& row) const { return row.find(filter_) != std::string::npos; }

  /// `rival` is of the table below or, exactly named, of the same table.
  void compare(const std::string& row, Candidate chosen, Candidate rival) {
    Side& mine = chosen.side;
    Side& other = rival.side;
    if (mine.name == other.name) {
      ++equal_;
      return;
    }
    const auto ratio = [&] { return mine.min() / other.min(); };
    const auto run = [&] { time_in_turn(mine, other, kBlocks, kBlockMicroseconds); };
    run();
    for (int i = 0; i < kRetries && ratio() > kAllowedRatio; ++i) run();
    const bool slower = ratio() > kAllowedRatio;
    const bool is_below = rival.selection.find('/') == std::string::npos;
    slower_ += slower && is_below ? 1 : 0;
    std::printf("%-34s %-26s %8.3f %8.3f   %-26s %8.3f %8.3f  %5.2f%s\n", row.c_str(),
                mine.name.c_str(), mine.min(), mine.median(), other.name.c_str(), other.min(),
                other.median(), ratio(),
                !slower    ? ""
                : is_below ? "  SLOWER"
                           : "  slower than its neighbour");
    const std::string pair = row + "/" + chosen.selection + "-" + rival.selection;
    for (const Side* side : {&mine, &other}) {
      entries_.add("selection/" + pair + "/" + side->name, *side,
                   "\"ratio\": " + std::to_string(ratio()));
    }
  }

  /// Exit status of the program.
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

/// The tables that this processor has, lowest first; the others are named.
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

/// Calls body(table, other) with what each table is to be compared with, as selections: the next
/// lower table, and the exact names of its own kernels of the operation that take q.
template <typename Body>
void for_each_rival(const std::vector<std::string>& tables, std::string_view operation,
                    const Modulus& q, Body body) {
  const auto catalog = kernel_catalog();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (i > 0) body(tables[i], tables[i - 1]);
    for (const KernelInfo& kernel : catalog) {
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
  const std::string row =
      std::string(operation.name) + "/q=" + std::to_string(bits) +
      (operation.factor > 1 ? "/factor=" + std::to_string(operation.factor) : std::string());
  if (!check.wants(row)) return;
  Buffers buffers(length, q.value() * static_cast<unsigned>(operation.factor));
  const auto side = [&](const std::string& selection) -> Candidate {
    const Eltwise plan(q, KernelSelection(selection));
    return {selection, {plan.kernel_name(operation.name), [&buffers, plan, operation] {
                          operation.call(plan, buffers, operation.factor);
                        }}};
  };
  for_each_rival(tables, operation.name, q,
                 [&](const std::string& table, const std::string& rival) {
                   check.compare(row, side(table), side(rival));
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
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    std::string* const value = option == "--json"     ? &json_file
                               : option == "--filter" ? &filter
                               : option == "--length" ? &length_text
                                                      : nullptr;
    if (value == nullptr || i + 1 == argc) {
      std::printf("usage: %s [--json FILE] [--filter TEXT] [--length N]\n", argv[0]);
      return 2;
    }
    *value = argv[++i];
  }
  std::size_t length = 0;
  const char* const end = length_text.data() + length_text.size();
  const auto parsed = std::from_chars(length_text.data(), end, length);
  if (parsed.ptr != end || length == 0) {
    throw std::invalid_argument("--length " + length_text + ": not a positive number");
  }
  const std::vector<std::string> tables = usable_tables();
  Check check(filter);
  std::printf("%-34s %-26s %8s %8s   %-26s %8s %8s  %s\n", "microseconds", "chosen", "min",
              "median", "rival", "min", "median", "ratio");
  for (const Operation& operation : kOperations) {
    for (const int bits : kWidths) check_operation(check, tables, operation, length, bits);
  }
  for (const std::size_t degree : kTransformLengths) {
    for (const int bits : kWidths) check_transforms(check, tables, degree, bits);
  }
  return check.finish(json_file);
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  try {
    return ringlet::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
