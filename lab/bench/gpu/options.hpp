// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "standard.hpp"

namespace ringlet::bench {

/// The options of a part of a benchmark, as text: the members of a command line.
class Options {
 public:
  using Values = std::map<std::string, std::string, std::less<>>;
  explicit Options(Values values) : values_(std::move(values)) {}

  /// @throws InvalidArgument if an option has another name than these.
  void check_names(std::initializer_list<std::string_view> names) const;

  std::string text(std::string_view name, std::string_view otherwise) const;
  /// Returns an integer in [least, most], or `otherwise` if the option is not given.
  /// @throws InvalidArgument
  std::size_t number(std::string_view name, std::size_t otherwise, std::size_t least,
                     std::size_t most) const;
  /// Returns integers in [least, most], separated by commas, at least one.
  std::vector<std::size_t> numbers(std::string_view name, std::string_view otherwise,
                                   std::size_t least, std::size_t most) const;
  /// Returns lists of integers, as many as `form` has places: "100x100x1:8192:3" for "xx::".
  std::vector<std::vector<std::size_t>> shapes(std::string_view name, std::string_view otherwise,
                                               std::string_view form) const;

 private:
  Values values_;
};

}  // namespace ringlet::bench
