// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/kernels/wisdom.hpp"

namespace ringlet {

/// Describes one kernel of the library.
struct KernelInfo {
  std::string name;       ///< "table/algorithm/operation", such as "scalar64/radix2/ntt".
  std::string table;      ///< First part of the name.
  std::string algorithm;  ///< Second part.
  std::string operation;  ///< Third part: "ntt", "add", "multiply", ...
  std::vector<std::string> features;  ///< Processor features that it needs.
  bool available = false;             ///< True if this processor has all of them.
  std::uint64_t modulus_limit = 0;    ///< Moduli must be below this limit.
  std::uint64_t modulus_minimum = 2;  ///< The smallest modulus.
  std::size_t min_degree = 0;         ///< Smallest transform length; 0 for element-wise kernels.
  /// For studies: the kernel runs only when it is named. Estimates, measurements and wisdom never
  /// choose it. A transform runs if it is named exactly, a kernel for double words if its table is
  /// named.
  bool named_only = false;
  std::uint64_t calls = 0;  ///< Calls so far; 0 in programs that do not count calls.
};

/// Returns all kernels of the library, the lowest table first, with their call counts so far.
RINGLET_API std::vector<KernelInfo> kernel_catalog();

/// Returns the names of the kernel tables, the lowest first: "scalar64", ...
RINGLET_API std::vector<std::string> kernel_tables();

/// Returns true if this program counts calls per kernel, as tests do.
RINGLET_API bool kernel_statistics_enabled() noexcept;

/// How a plan chooses among the kernels that it may use and that accept its modulus and degree.
enum class PlanEffort {
  estimate,  ///< By a fixed ranking in the library, without timing.
  measure,   ///< By timing each kernel at construction, which takes milliseconds.
};

/// Returns "estimate" or "measure".
RINGLET_API const char* plan_effort_name(PlanEffort effort) noexcept;

/// The kernels that a plan may choose from, and how it chooses. An immutable value, cheap to copy.
///
/// Text form, as in the environment variable RINGLET_FORCE_KERNELS:
/// - "": the kernels of every table that the processor supports;
/// - "table": no table above this one. If its kernels do not accept the modulus or the degree, the
///   plan takes a lower table, which its kernel_name() shows;
/// - "table/algorithm": exactly this kernel, for operations for which the table has an algorithm of
///   that name. A plan with a modulus or degree outside the kernel's range is refused. For other
///   operations, no table above this one.
///
/// Among these kernels the plan takes the kernel that its wisdom names. Without such an entry it
/// takes the fastest kernel in trials if the effort is `measure`, else the first in the ranking of
/// the estimate. The choice is made once and changes no result.
class RINGLET_API KernelSelection {
 public:
  /// Allows all kernels, with PlanEffort::estimate and no wisdom.
  KernelSelection() = default;
  /// Parses the text form, with PlanEffort::estimate and no wisdom.
  /// @throws InvalidArgument if the name is unknown; RuntimeError if this processor lacks a feature
  ///         that the named table needs.
  explicit KernelSelection(std::string_view text);

  /// Returns the selection of the environment, read once per process at the first call. Unset and
  /// empty variables mean the defaults.
  /// - RINGLET_FORCE_KERNELS: the text form;
  /// - RINGLET_PLAN_EFFORT: "estimate" or "measure";
  /// - RINGLET_WISDOM: the path of a wisdom file. An unusable file is ignored;
  ///   Wisdom::from_environment() returns the reason.
  /// @throws as the parsing constructor, and InvalidArgument if RINGLET_PLAN_EFFORT is another
  ///         word. Every call throws while a variable is unusable.
  static const KernelSelection& from_environment();

  /// Returns a copy with the given effort.
  KernelSelection with_effort(PlanEffort effort) const;
  /// Returns a copy with the given wisdom.
  KernelSelection with_wisdom(Wisdom wisdom) const;

  const std::string& table() const noexcept { return table_; }
  const std::string& algorithm() const noexcept { return algorithm_; }
  /// Returns the text form.
  std::string text() const { return algorithm_.empty() ? table_ : table_ + "/" + algorithm_; }
  PlanEffort effort() const noexcept { return effort_; }
  const Wisdom& wisdom() const noexcept { return wisdom_; }

  friend bool operator==(const KernelSelection&, const KernelSelection&) = default;

 private:
  std::string table_;
  std::string algorithm_;
  PlanEffort effort_ = PlanEffort::estimate;
  Wisdom wisdom_;
};

}  // namespace ringlet
