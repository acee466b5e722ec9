// SPDX-License-Identifier: Apache-2.0
#include "gpu/line.hpp"

namespace ringlet::bench {
namespace {

/// Returns microseconds with five decimals: a part of a batch may take less than a nanosecond.
std::string microseconds(double seconds) {
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), seconds * 1e6,
                                 std::chars_format::fixed, 5);
  return {digits.data(), end.ptr};
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string json_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr const char* kDigits = "0123456789abcdef";
      result += "\\u00";
      result += kDigits[c >> 4];
      result += kDigits[c & 15];
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

Object& Object::add(std::string_view name, std::string_view value) {
  return add_json(name, json_text(value));
}

Object& Object::add(std::string_view name, double value) {
  return add_json(name, std::isfinite(value) ? concat(value) : "null");
}

Object& Object::add_json(std::string_view name, std::string_view value) {
  if (!members_.empty()) members_ += ", ";
  members_ += concat(json_text(name), ": ", value);
  return *this;
}

Line entry(std::string_view name, std::string_view kind, const std::vector<double>& seconds,
           double divisor) {
  std::vector<double> parts;
  for (const double sample : seconds) parts.push_back(sample / divisor);
  const double median = median_of(parts) * 1e6;
  std::string samples;
  for (const double part : parts)
    samples += concat(samples.empty() ? "" : ", ", microseconds(part));
  Line line("entry");
  line.add("name", name).add("run_name", name).add("run_type", "iteration");
  line.add("repetitions", 1).add("threads", 1).add("iterations", seconds.size());
  line.add("real_time", median).add("cpu_time", median);
  line.add("min", *std::ranges::min_element(parts) * 1e6).add("median", median);
  line.add("time_unit", "us").add("kind", kind).add_json("samples", "[" + samples + "]");
  return line;
}

}  // namespace ringlet::bench
