// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ringlet/export.hpp"

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
  std::uint64_t calls = 0;  ///< Calls so far; 0 if the library was built without statistics.
};

/// All kernels of the library, lowest table first, with their call counts so far.
RINGLET_API std::vector<KernelInfo> kernel_catalog();

/// Names of the tables, lowest first: "scalar64", ...
RINGLET_API std::vector<std::string> kernel_tables();

/// True if the library counts calls per kernel (a build option for tests).
RINGLET_API bool kernel_statistics_enabled() noexcept;

/// Which kernels a plan may choose from; an immutable value.
///
/// Text form, as in the environment variable RINGLET_FORCE_KERNELS:
/// - "" : the best of every table that the processor has;
/// - "table" : a ceiling. What lies outside the range of that table's kernels takes the next lower
///   table, and kernel_name() of the plan says so;
/// - "table/algorithm" : exact for the operations that have an algorithm of that name in that
///   table (a plan outside its range is refused); a ceiling for the other operations.
class RINGLET_API KernelSelection {
 public:
  /// No restriction.
  KernelSelection() = default;
  /// Parses the text form.
  /// @throws InvalidArgument if the name is unknown, RuntimeError if this processor lacks a feature
  ///         that the named table needs.
  explicit KernelSelection(std::string_view text);

  /// The selection of the environment variable RINGLET_FORCE_KERNELS, read once per process at the
  /// first call; unset and empty both mean no restriction.
  /// @throws as the parsing constructor does, at every call while the variable is unusable.
  static const KernelSelection& from_environment();

  const std::string& table() const noexcept { return table_; }
  const std::string& algorithm() const noexcept { return algorithm_; }
  /// The text form.
  std::string text() const { return algorithm_.empty() ? table_ : table_ + "/" + algorithm_; }

  friend bool operator==(const KernelSelection&, const KernelSelection&) = default;

 private:
  std::string table_;
  std::string algorithm_;
};

}  // namespace ringlet
