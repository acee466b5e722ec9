// SPDX-License-Identifier: Apache-2.0
// gpu_bench PART [--option value]...: measures one part of `ringlet bench gpu` without Python, and
// prints its results as JSON, an object a line.

#include "gpu/measure.hpp"
#include "ringlet/base/error.hpp"

namespace {

ringlet::bench::Options parse(int argc, char** argv) {
  ringlet::bench::Options::Values values;
  for (int i = 2; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (!name.starts_with("--") || i + 1 == argc) {
      ringlet::throw_invalid_argument({"gpu_bench", std::string(name), "options with a value",
                                       "gpu_bench PART --device NAME --rounds 20"});
    }
    values[std::string(name.substr(2))] = argv[i + 1];
  }
  return ringlet::bench::Options(std::move(values));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    // Each line is flushed, so that earlier results are there even if the device hangs.
    ringlet::bench::measure(argc > 1 ? argv[1] : "", parse(argc, argv),
                            [](const std::string& line) { std::cout << line << std::endl; });
    return 0;
  } catch (const ringlet::InvalidArgument& error) {
    std::cerr << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
