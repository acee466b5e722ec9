// SPDX-License-Identifier: Apache-2.0
// The study of splits between hardware and software: prints the table, and writes JSON.
//   ringlet_split_study [--json=FILE] [--recursions=R]... [--measure]
// --recursions=R (5 to 10) adds the paper's split of a product of 5 * 2^R coefficients.
// With --measure it times the software's recursions here: those of one component of four
// encryptions, with the functions that the host's half runs.
#include "hw/karatsuba/study/splits.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fv/products/karatsuba_recursions.hpp"
#include "hw/karatsuba/model/timing.hpp"

namespace ringlet::hw {
namespace {

// Splits in the table: the range of recursions in hardware.
constexpr std::pair<unsigned, unsigned> kPre{1, 5};
constexpr std::pair<unsigned, unsigned> kPost{3, 7};
constexpr std::pair<unsigned, unsigned> kPaperPre{3, 3};
constexpr std::pair<unsigned, unsigned> kPaperPost{5, 5};
// Fields of 8 bits in packed words hold bits after seven recursions in software.
constexpr unsigned kMostRecursions = kPaperPre.first + wide::kMaxPackedRecursions;

/// Words of `bits` bits, the same on every run.
template <typename Word>
std::vector<Word> make_words(std::size_t count, int bits) {
  std::vector<Word> words(count);
  std::uint64_t state = 1;
  for (Word& word : words) {
    state = state * 6364136223846793005 + 1442695040888963407;
    word = static_cast<Word>(state >> (64 - bits));
  }
  return words;
}

/// The recursions before the products: of the key in chunks, and of the packed bits.
double measure_pre(unsigned recursions, std::size_t degree) {
  const int r = static_cast<int>(recursions);
  const std::size_t words = wide::sub_polynomial_count(r) * (degree >> recursions);
  const auto chunks = make_words<std::uint32_t>(wide::kChunks * degree, wide::kChunkBits - 1);
  std::vector<std::uint32_t> bits = make_words<std::uint32_t>(degree, 32);
  for (std::uint32_t& word : bits) word &= 0x01010101U;
  std::vector<std::uint32_t> key(wide::kChunks * words);
  std::vector<std::uint32_t> packed(words);
  return fastest_us([&] {
    wide::split_wide(key, chunks, r);
    wide::split_small(packed, bits, r);
  });
}

/// The recursions after the products: each plane of chunks of each encryption.
double measure_post(unsigned recursions, std::size_t degree, std::uint64_t lanes) {
  const int r = static_cast<int>(recursions);
  const std::size_t size = 2 * (degree >> recursions) - 1;
  const auto products = make_words<std::uint64_t>(wide::sub_polynomial_count(r) * size, 40);
  std::vector<std::uint64_t> plane(2 * degree - 1);
  const double one = fastest_us([&] { wide::join_words(plane, products, r); });
  return one * static_cast<double>(wide::kChunks * lanes);
}

/// Which splits of which product.
struct Part {
  SplitSetting setting;
  std::pair<unsigned, unsigned> pre = kPre, post = kPost;
};

std::vector<SplitRow> rows_of(const Part& part, bool measure) {
  const SplitSetting& setting = part.setting;
  const std::size_t degree = setting.base_coefficients << setting.recursions;
  SoftwareTimes times;
  for (unsigned pre = part.pre.first; measure && pre <= part.pre.second; ++pre) {
    const unsigned recursions = setting.recursions - pre;
    times.pre[recursions] = measure_pre(recursions, degree);
  }
  for (unsigned post = part.post.first; measure && post <= part.post.second; ++post) {
    const unsigned recursions = setting.recursions - post;
    times.post[recursions] = measure_post(recursions, degree, setting.lanes);
  }
  return split_table(part.pre, part.post, setting, times);
}

Part part_of(const std::string& recursions) {
  Part part{.setting = {}, .pre = kPaperPre, .post = kPaperPost};
  const char* const end = recursions.data() + recursions.size();
  const auto [at, error] = std::from_chars(recursions.data(), end, part.setting.recursions);
  if (error != std::errc{} || at != end || part.setting.recursions < kPaperPost.first ||
      part.setting.recursions > kMostRecursions) {
    throw_invalid_argument({"study of splits", "recursions = " + recursions, "5 to 10",
                            "give another number of recursions"});
  }
  return part;
}

std::string number_or(const std::optional<double>& value, const char* missing) {
  if (!value) return missing;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", *value);
  return text;
}

void print_table(const std::vector<SplitRow>& rows) {
  std::printf(
      "   n  pre post  input bursts   bytes  output bursts   bytes  products  cycles  units  use "
      "%%  "
      "DSP   FIFO  card+link us: ideal  shared  software us: pre  post\n");
  for (const SplitRow& row : rows) {
    std::printf(
        "%4llu  %3u %4u  %12llu %7llu  %13llu %7llu  %8llu  %6llu  %5llu  %5.1f  %3llu  %5llu  "
        "%19.1f  %6.1f  %16s  %4s\n",
        static_cast<unsigned long long>(row.degree), row.pre, row.post,
        static_cast<unsigned long long>(row.input_bursts),
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
  text << "{\"degree\": " << row.degree << ", \"pre\": " << row.pre << ", \"post\": " << row.post
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
  bool measure = false;
  std::vector<Part> parts(1);
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--json=")) {
      json = argument.substr(std::strlen("--json="));
    } else if (argument.starts_with("--recursions=")) {
      parts.push_back(part_of(argument.substr(std::strlen("--recursions="))));
    } else if (argument == "--measure") {
      measure = true;
    } else {
      std::fprintf(stderr, "ringlet_split_study [--json=FILE] [--recursions=R]... [--measure]\n");
      return 2;
    }
  }
  std::vector<SplitRow> rows;
  for (const Part& part : parts) {
    for (const SplitRow& row : rows_of(part, measure)) rows.push_back(row);
  }
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
