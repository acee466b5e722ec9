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
  /// null if it is not finite.
  Object& add(std::string_view name, double value);
  /// `value` is JSON already.
  Object& add_json(std::string_view name, std::string_view value);

  std::string text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

/// What a benchmark of devices says as soon as it knows it: an object in one line, with a "type"
/// such as "entry", "refused" or "note".
class Line : public Object {
 public:
  explicit Line(std::string_view type) { add("type", type); }
};

/// Takes lines. What it throws ends the measurement.
using Sink = std::function<void(const std::string& line)>;

/// An entry in Google Benchmark's layout: microseconds of one of `divisor` equal parts of what each
/// sample took, in seconds. Members may be added.
Line entry(std::string_view name, std::string_view kind, const std::vector<double>& seconds,
           double divisor = 1);

}  // namespace ringlet::bench
