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

/// One kernel of the library, as shown to people.
struct KernelInfo {
  std::string name;       ///< "table/algorithm/operation", such as "scalar64/radix2/ntt".
  std::string table;      ///< First part of the name.
  std::string algorithm;  ///< Second part.
  std::string operation;  ///< Third part: "ntt", "add", "multiply", ...
  std::vector<std::string> features;  ///< Every processor feature that it needs.
  bool available = false;             ///< True if this processor has them all.
  std::uint64_t modulus_limit = 0;    ///< It takes moduli q < modulus_limit
  std::uint64_t modulus_minimum = 2;  ///< and q >= modulus_minimum.
  std::size_t min_degree = 0;         ///< Smallest transform length; 0 for element-wise kernels.
  /// For studies: no estimate, measurement or wisdom takes it. A transform asks for its exact name,
  /// double words for its table.
  bool named_only = false;
  std::uint64_t calls = 0;  ///< Calls so far; 0 in programs that do not count them.
};

/// All kernels of the library, lowest table first, with their call counts so far.
RINGLET_API std::vector<KernelInfo> kernel_catalog();

/// Names of the tables, lowest first: "scalar64", ...
RINGLET_API std::vector<std::string> kernel_tables();

/// True if this program counts calls per kernel, as tests do.
RINGLET_API bool kernel_statistics_enabled() noexcept;

/// How a plan chooses among the kernels that it may use and that take its modulus and degree.
enum class PlanEffort {
  estimate,  ///< By a ranking that is part of the library; always the same, no timing.
  measure,   ///< By a few trials of each when the plan is made, which takes milliseconds.
};

/// "estimate" or "measure".
RINGLET_API const char* plan_effort_name(PlanEffort effort) noexcept;

/// Which kernels a plan may choose from, and how it chooses; an immutable value, cheap to copy.
///
/// Text form, as in the environment variable RINGLET_FORCE_KERNELS:
/// - "" : the kernels of every table that the processor has;
/// - "table" : a ceiling. What lies outside the range of that table's kernels takes a lower table,
///   and kernel_name() of the plan says so;
/// - "table/algorithm" : exact for the operations that have an algorithm of that name in that
///   table (a plan outside its range is refused); a ceiling for the other operations.
///
/// Of the kernels that are left, the plan takes the one that its wisdom names; without such an
/// entry the one that is fastest in trials if the effort is `measure`, and else the one that the
/// estimate prefers. The choice is made once and changes no result.
class RINGLET_API KernelSelection {
 public:
  /// No restriction, PlanEffort::estimate, no wisdom.
  KernelSelection() = default;
  /// Parses the text form; PlanEffort::estimate, no wisdom.
  /// @throws InvalidArgument if the name is unknown, RuntimeError if this processor lacks a feature
  ///         that the named table needs.
  explicit KernelSelection(std::string_view text);

  /// The selection of the environment, read once per process at the first call. Unset and empty
  /// variables mean the defaults.
  /// - RINGLET_FORCE_KERNELS: the text form;
  /// - RINGLET_PLAN_EFFORT: "estimate" or "measure";
  /// - RINGLET_WISDOM: a file of Wisdom, ignored if it cannot be used; Wisdom::from_environment()
  ///   says why.
  /// @throws as the parsing constructor does, and InvalidArgument for another word as effort, at
  ///         every call while a variable is unusable.
  static const KernelSelection& from_environment();

  /// The same kernels and wisdom, with another effort.
  KernelSelection with_effort(PlanEffort effort) const;
  /// The same kernels and effort, with other wisdom.
  KernelSelection with_wisdom(Wisdom wisdom) const;

  const std::string& table() const noexcept { return table_; }
  const std::string& algorithm() const noexcept { return algorithm_; }
  /// The text form.
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
