// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What all applications need besides Ringlet: their options, their data, and their report.

namespace app {

using Bytes = std::vector<std::byte>;

/// What the command line says. --device is RINGLET_DEVICE, or else the processor.
struct Options {
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
    const std::string_view argument = argv[i];
    const bool is_last = i + 1 == argc;
    if (argument.starts_with("--") && is_last) {
      throw std::invalid_argument(std::string(argument) + ": a value is missing behind it");
    }
    if (argument == "--device") {
      options.device = argv[++i];
    } else if (argument == "--data") {
      options.data = argv[++i];
    } else if (argument == "--json") {
      options.json = argv[++i];
    } else if (argument.starts_with("--")) {
      throw std::invalid_argument(std::string(argument) + ": known are --device, --data, --json");
    } else {
      options.rest.emplace_back(argument);
    }
  }
  return options;
}

/// A CSV file of numbers: the names of the columns in its first line, then one line a row.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;

  /// A column by its name.
  std::vector<double> column(const std::string& name) const {
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end()) throw std::invalid_argument("there is no column " + name);
    std::vector<double> result;
    for (const auto& row : rows) {
      result.push_back(row[static_cast<std::size_t>(place - names.begin())]);
    }
    return result;
  }
};

inline std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

inline Table read_csv(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  Table table;
  if (!std::getline(file, line)) throw std::runtime_error(path.string() + " cannot be read");
  table.names = split(line);
  while (std::getline(file, line)) {
    std::vector<double> row;
    for (const std::string& part : split(line)) row.push_back(std::stod(part));
    if (row.size() != table.names.size()) throw std::runtime_error(path.string() + ": " + line);
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// A number with six significant digits, and text as it is.
inline std::string shown(double value, const char* format = "%.6g") {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

/// What an application prints as it goes: results, bytes, times and verdicts.
class Report {
 public:
  Report(const std::string& name, const Options& options) : json_(options.json) {
    std::printf("%s: the server computes on %s\n", name.c_str(), options.device.c_str());
    content_ =
        "{\n  \"application\": " + quoted(name) + ",\n  \"device\": " + quoted(options.device);
  }

  /// Takes the time of a call.
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
    results_.emplace_back(what, shown(value, "%.17g"));
  }
  /// Messages of one kind that went from one side to another.
  void sent(const std::string& what, std::size_t bytes) {
    std::printf("  %s: %.3f MB\n", what.c_str(), static_cast<double>(bytes) * 1e-6);
    bytes_.emplace_back(what, std::to_string(bytes));
  }
  void sent(const std::string& what, const std::vector<Bytes>& messages) {
    std::size_t size = 0;
    for (const Bytes& message : messages) size += message.size();
    sent(what, size);
  }
  /// A promise of the application: one that does not hold makes its exit status 1.
  void check(const std::string& what, bool holds) {
    std::printf("  %s: %s\n", what.c_str(), holds ? "right" : "WRONG");
    checks_.emplace_back(what, holds ? "true" : "false");
    failed_ = failed_ || !holds;
  }
  /// Prints the times and writes the JSON file; the exit status.
  int finish() {
    for (const auto& [name, seconds] : seconds_) {
      std::printf("  %s: %s s\n", name.c_str(), seconds.c_str());
    }
    if (!json_.empty()) {
      content_ += part("results", results_) + part("bytes", bytes_) + part("checks", checks_) +
                  part("seconds", seconds_) + "\n}\n";
      std::ofstream file(json_);
      file << content_;
      if (!file.flush()) throw std::runtime_error(json_.string() + " cannot be written");
    }
    return failed_ ? 1 : 0;
  }

 private:
  using Entries = std::vector<std::pair<std::string, std::string>>;

  /// Writes down the time from its beginning to its end.
  struct Clock {
    const std::string& name;
    Entries& seconds;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Clock() {
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      seconds.emplace_back(name, shown(time.count()));
    }
  };

  static std::string quoted(const std::string& text) { return "\"" + text + "\""; }
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

/// A largest error as bits of precision: -log2 of it; of none at all what a double holds.
inline double bits(double error) { return -std::log2(std::max(error, 0x1p-53)); }

/// Runs an application; what it is refused is said in a sentence, and the status is 2.
template <typename Run>
int run(int argc, char** argv, const char* name, Run&& body) {
  try {
    const Options options = parse(argc, argv);
    Report report(name, options);
    body(report, options);
    return report.finish();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  }
}

}  // namespace app
