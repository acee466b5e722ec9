// SPDX-License-Identifier: Apache-2.0
// The study of splits between hardware and software: prints the table, and writes JSON.
//   ringlet_split_study [--json=FILE] [--software=FILE]
// Lines of the file of software times: "pre,<recursions>,<microseconds>" or "post,...": what was
// measured for one component, for all encryptions at once.
#include "hw/karatsuba/study/splits.hpp"

#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>

namespace ringlet::hw {
namespace {

SoftwareTimes read_times(const std::string& path) {
  std::ifstream file(path);
  SoftwareTimes times;
  std::string line;
  bool good = file.good();
  while (good && std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream text(line);
    std::string kind;
    unsigned recursions = 0;
    char comma = 0;
    double microseconds = 0;
    std::getline(text, kind, ',');
    good = static_cast<bool>(text >> recursions >> comma >> microseconds) && comma == ',' &&
           (kind == "pre" || kind == "post") && microseconds > 0;
    (kind == "pre" ? times.pre : times.post)[recursions] = microseconds;
  }
  if (!good) {
    throw_invalid_argument({"times of the software", path + ": " + line,
                            "lines pre,<recursions>,<microseconds> or post,...",
                            "measure again, or leave the file out"});
  }
  return times;
}

std::string number_or(const std::optional<double>& value, const char* missing) {
  if (!value) return missing;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", *value);
  return text;
}

void print_table(const std::vector<SplitRow>& rows) {
  std::printf(
      "pre post  input bursts   bytes  output bursts   bytes  products  cycles  units  use %%  "
      "DSP   FIFO  card+link us: ideal  shared  software us: pre  post\n");
  for (const SplitRow& row : rows) {
    std::printf(
        "%3u %4u  %12llu %7llu  %13llu %7llu  %8llu  %6llu  %5llu  %5.1f  %3llu  %5llu  "
        "%19.1f  %6.1f  %16s  %4s\n",
        row.pre, row.post, static_cast<unsigned long long>(row.input_bursts),
        static_cast<unsigned long long>(row.input_bytes),
        static_cast<unsigned long long>(row.output_bursts),
        static_cast<unsigned long long>(row.output_bytes),
        static_cast<unsigned long long>(row.products), static_cast<unsigned long long>(row.cycles),
        static_cast<unsigned long long>(row.multipliers), 100 * row.multiplier_use,
        static_cast<unsigned long long>(row.dsp), static_cast<unsigned long long>(row.fifo_bursts),
        row.ideal_us, row.shared_us, number_or(row.software_pre_us, "-").c_str(),
        number_or(row.software_post_us, "-").c_str());
  }
}

std::string json_of(const SplitRow& row) {
  std::ostringstream text;
  text.precision(10);
  text << "{\"pre\": " << row.pre << ", \"post\": " << row.post
       << ", \"input_polynomials\": " << row.input_polynomials
       << ", \"input_bursts\": " << row.input_bursts << ", \"input_bytes\": " << row.input_bytes
       << ", \"output_polynomials\": " << row.output_polynomials
       << ", \"output_bursts\": " << row.output_bursts << ", \"output_bytes\": " << row.output_bytes
       << ", \"products\": " << row.products << ", \"product_cycles\": " << row.product_cycles
       << ", \"multipliers\": " << row.multipliers
       << ", \"multiplier_cycles\": " << row.multiplier_cycles
       << ", \"multiplier_use\": " << row.multiplier_use << ", \"dsp\": " << row.dsp
       << ", \"cycles\": " << row.cycles << ", \"waiting_bursts\": " << row.waiting_bursts
       << ", \"fifo_bursts\": " << row.fifo_bursts << ", \"ideal_us\": " << row.ideal_us
       << ", \"shared_us\": " << row.shared_us
       << ", \"software_pre_us\": " << number_or(row.software_pre_us, "null")
       << ", \"software_post_us\": " << number_or(row.software_post_us, "null") << "}";
  return text.str();
}

void write_json(const std::vector<SplitRow>& rows, const std::string& path) {
  std::ofstream file(path);
  file << "{\"clock_hz\": " << kClockHz << ", \"rows\": [\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    file << "  " << json_of(rows[i]) << (i + 1 < rows.size() ? ",\n" : "\n");
  }
  file << "]}\n";
  if (!file.flush()) {
    throw_runtime_error({"study of splits", "cannot write " + path, "a file that can be written",
                         "give another path"});
  }
}

int run(int argc, char** argv) {
  std::string json;
  SoftwareTimes software;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--json=")) {
      json = argument.substr(std::strlen("--json="));
    } else if (argument.starts_with("--software=")) {
      software = read_times(argument.substr(std::strlen("--software=")));
    } else {
      std::fprintf(stderr, "ringlet_split_study [--json=FILE] [--software=FILE]\n");
      return 2;
    }
  }
  const std::vector<SplitRow> rows = split_table({1, 5}, {3, 7}, {}, software);
  print_table(rows);
  if (!json.empty()) write_json(rows, json);
  return 0;
}

}  // namespace
}  // namespace ringlet::hw

int main(int argc, char** argv) {
  try {
    return ringlet::hw::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
