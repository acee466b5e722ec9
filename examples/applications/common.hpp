// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ringlet/ringlet.hpp"

// The parts that all applications share: their options, their data, and their report.

namespace app {

using Bytes = std::vector<std::byte>;

/// The options of the command line. --device is RINGLET_DEVICE by default, or else the processor.
struct Options {
  bool help = false;
  std::string device = "cpu";
  std::filesystem::path data = RINGLET_EXAMPLE_DATA;
  std::filesystem::path json;
  std::vector<std::string> rest;
};

inline Options parse(int argc, char** argv) {
  Options options;
  const char* device = std::getenv("RINGLET_DEVICE");
  if (device != nullptr && *device != '\0') options.device = device;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "-h" || argument == "--help") {
      options.help = true;
    } else if (!argument.starts_with("--")) {
      options.rest.push_back(argument);
    } else if (argument != "--device" && argument != "--data" && argument != "--json") {
      throw ringlet::InvalidArgument(
          {"the command line", argument, "--device, --data, --json, --help", "--help shows them"});
    } else if (++i == argc) {
      throw ringlet::InvalidArgument(
          {"the command line", argument, "a value behind it", "--help shows which"});
    } else if (argument == "--device") {
      options.device = argv[i];
    } else if (argument == "--data") {
      options.data = argv[i];
    } else {
      options.json = argv[i];
    }
  }
  return options;
}

[[noreturn]] inline void refuse(const std::filesystem::path& path, const std::string& what,
                                const std::string& limit) {
  throw ringlet::InvalidArgument(
      {"read_csv", path.string() + ": " + what, limit,
       "name a folder with these files by --data, or leave the option out"});
}

/// A CSV file of numbers.
struct Table {
  std::filesystem::path path;
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;

  /// A column by its name.
  std::vector<double> column(const std::string& name) const {
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end()) refuse(path, "no column " + name, name);
    std::vector<double> result;
    for (const auto& row : rows) {
      result.push_back(row[static_cast<std::size_t>(place - names.begin())]);
    }
    return result;
  }
};

inline std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts;
  std::istringstream stream(line + ",");
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

/// The limits of a file's rows, and of its columns unless any number is allowed.
struct Shape {
  std::size_t least_rows = 1;
  std::size_t most_rows = std::numeric_limits<std::size_t>::max();
  std::size_t columns = 0;
};

/// Reads the names of the columns from the first line, then one line per row of finite numbers.
inline Table read_csv(const std::filesystem::path& path, const Shape& shape) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) refuse(path, "no line can be read", "a file that has some");
  Table table{path, split(line), {}};
  if (shape.columns != 0 && table.names.size() != shape.columns) {
    refuse(path, std::to_string(table.names.size()) + " columns",
           std::to_string(shape.columns) + " columns");
  }
  while (std::getline(file, line)) {
    std::vector<double> row;
    for (const std::string& part : split(line)) {
      double value = 0;
      const char* const end = part.data() + part.size();
      const auto read = std::from_chars(part.data(), end, value);
      const bool is_number = read.ec == std::errc() && read.ptr == end && std::isfinite(value);
      if (!is_number) {
        row.clear();
        break;
      }
      row.push_back(value);
    }
    if (row.size() != table.names.size()) {
      refuse(path, "the line '" + line.substr(0, 60) + "'",
             std::to_string(table.names.size()) + " finite numbers in every line");
    }
    table.rows.push_back(std::move(row));
  }
  if (table.rows.size() < shape.least_rows || table.rows.size() > shape.most_rows) {
    const bool is_any = shape.most_rows == Shape().most_rows;
    refuse(path, std::to_string(table.rows.size()) + " rows",
           "at least " + std::to_string(shape.least_rows) +
               (is_any ? "" : ", at most " + std::to_string(shape.most_rows)));
  }
  return table;
}

/// The largest absolute difference; infinite if one is NaN, so that no check holds.
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

/// A number with six significant digits.
inline std::string shown(double value, const char* format = "%.6g") {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

/// A check of a party before it encrypts. The parameters support values up to a bound that all
/// sides know: results of larger ones would be wrong without a warning.
inline std::vector<double> checked(const std::vector<double>& values, double largest) {
  for (const double value : values) {
    if (std::abs(value) <= largest) continue;
    throw ringlet::InvalidArgument(
        {"encrypt", "the value " + shown(value),
         "at most " + shown(largest) + ", the bound that all sides know",
         "use parameters with a larger bound, on which all sides agree"});
  }
  return values;
}

/// Collects and prints an application's results, bytes, times and verdicts.
class Report {
 public:
  Report(const std::string& name, const Options& options) : json_(options.json) {
    // Checks this before any computation.
    const auto folder = json_.parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder)) {
      throw ringlet::InvalidArgument(
          {"--json", json_.string(), "a file in a folder that exists", "make the folder first"});
    }
    std::printf("%s: the server computes on %s\n", name.c_str(), options.device.c_str());
    content_ =
        "{\n  \"application\": " + quoted(name) + ",\n  \"device\": " + quoted(options.device);
  }

  /// Measures the time of a call.
  template <typename Call>
  auto phase(const std::string& name, Call&& call) {
    const Clock clock{name, seconds_};
    return call();
  }
  /// A result, or a property such as a noise budget.
  void show(const std::string& what, const std::string& value) {
    std::printf("  %s: %s\n", what.c_str(), value.c_str());
    results_.emplace_back(what, quoted(value));
  }
  void show(const std::string& what, double value) {
    std::printf("  %s: %s\n", what.c_str(), shown(value).c_str());
    // JSON has neither infinity nor NaN.
    results_.emplace_back(what,
                          std::isfinite(value) ? shown(value, "%.17g") : quoted(shown(value)));
  }
  /// Records messages of one kind from one side to another.
  void sent(const std::string& what, std::size_t bytes) {
    std::printf("  %s: %.3f MB\n", what.c_str(), static_cast<double>(bytes) * 1e-6);
    bytes_.emplace_back(what, std::to_string(bytes));
  }
  void sent(const std::string& what, const std::vector<Bytes>& messages) {
    std::size_t size = 0;
    for (const Bytes& message : messages) size += message.size();
    sent(what, size);
  }
  /// Checks a promise of the application: a broken one makes its exit status 1.
  void check(const std::string& what, bool holds) {
    std::printf("  %s: %s\n", what.c_str(), holds ? "right" : "WRONG");
    checks_.emplace_back(what, holds ? "true" : "false");
    failed_ = failed_ || !holds;
  }
  /// Prints the times and writes the JSON file; returns the exit status.
  int finish() {
    for (const auto& [name, seconds] : seconds_) {
      std::printf("  %s: %s s\n", name.c_str(), seconds.c_str());
    }
    if (!json_.empty()) {
      content_ += part("results", results_) + part("bytes", bytes_) + part("checks", checks_) +
                  part("seconds", seconds_) + "\n}\n";
      std::ofstream file(json_);
      file << content_;
      if (!file.flush()) {
        throw ringlet::InvalidArgument({"--json", json_.string(), "a file that can be written",
                                        "check its permissions and the space left"});
      }
    }
    return failed_ ? 1 : 0;
  }

 private:
  using Entries = std::vector<std::pair<std::string, std::string>>;

  /// Records the time of its lifetime.
  struct Clock {
    const std::string& name;
    Entries& seconds;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Clock() {
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      seconds.emplace_back(name, shown(time.count()));
    }
  };

  static std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text)
      result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return result + "\"";
  }
  static std::string part(const std::string& name, const Entries& entries) {
    std::string text = ",\n  " + quoted(name) + ": {";
    for (std::size_t i = 0; i < entries.size(); ++i) {
      text += (i == 0 ? "\n    " : ",\n    ") + quoted(entries[i].first) + ": " + entries[i].second;
    }
    return text + "\n  }";
  }

  std::filesystem::path json_;
  std::string content_;
  Entries results_;
  Entries bytes_;
  Entries checks_;
  Entries seconds_;
  bool failed_ = false;
};

/// Converts a largest error to bits of precision, -log2 of it; at most the precision of a double.
inline double bits(double error) { return -std::log2(std::max(error, 0x1p-53)); }

/// Runs an application. For an error it prints one sentence and returns status 2. `rest` names the
/// arguments beside options, if any.
template <typename Run>
int run(int argc, char** argv, const char* name, Run&& body, const char* rest = "") {
  try {
    const Options options = parse(argc, argv);
    if (options.help) {
      std::printf("usage: app_%s [--device DEVICE] [--data FOLDER] [--json FILE] %s\n", name, rest);
      return 0;
    }
    if (!options.rest.empty() && *rest == '\0') {
      throw ringlet::InvalidArgument(
          {"the command line", options.rest[0], "options alone", "leave it out"});
    }
    Report report(name, options);
    body(report, options);
    return report.finish();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  }
}

}  // namespace app
