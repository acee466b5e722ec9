// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "base/text.hpp"
#include "standard.hpp"

namespace ringlet::bench {

/// An object of JSON, built member by member.
class Object {
 public:
  Object& add(std::string_view name, std::string_view value);
  Object& add(std::string_view name, const char* value) {
    return add(name, std::string_view(value));
  }
  template <typename T>
    requires std::integral<T>
  Object& add(std::string_view name, T value) {
    return add_json(name, concat(value));
  }
  /// Adds a number, or null if it is not finite.
  Object& add(std::string_view name, double value);
  /// Adds a `value` that is JSON already.
  Object& add_json(std::string_view name, std::string_view value);

  std::string text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

/// A result that a benchmark of devices prints as soon as it has it: an object in one line, with a
/// "type" such as "entry", "refused" or "note".
class Line : public Object {
 public:
  explicit Line(std::string_view type) { add("type", type); }
};

/// Takes lines. What it throws ends the measurement.
using Sink = std::function<void(const std::string& line)>;

/// Makes an entry in Google Benchmark's layout. `seconds` has the time of each sample; the entry
/// has the microseconds of one of its `divisor` equal parts. Members may be added.
Line entry(std::string_view name, std::string_view kind, const std::vector<double>& seconds,
           double divisor = 1);

}  // namespace ringlet::bench
