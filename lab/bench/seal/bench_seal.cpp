// SPDX-License-Identifier: Apache-2.0
// Times SEAL's interface beside Ringlet's own, and beside SEAL itself if a module with it is given.
// Every row is checked on each of them, then timed in turn.
#include <dlfcn.h>

#include "../in_turn.hpp"
#include "../program.hpp"
#include "rows.hpp"

namespace ringlet::bench {
namespace {

constexpr double kBlockMicroseconds = 200;
constexpr const char* kUsage =
    "ringlet_bench_seal --scheme bfv|bgv|ckks --degree N --json FILE [--rounds COUNT] "
    "[--seal MODULE]";

/// One of the interfaces, with the calls of a block and the times of every row.
struct Interface {
  Interface(const char* name_, std::unique_ptr<SealRows> rows_)
      : name(name_), rows(std::move(rows_)), calls(rows->size()) {
    for (std::size_t row = 0; row < rows->size(); ++row) {
      if (!rows->is_right(row)) {
        throw std::runtime_error(std::string(rows->name(row)) + " of " + name +
                                 " gives a wrong result");
      }
      const double one = std::max(rows->time(row, 2), 1e-3);
      calls[row] = static_cast<std::int64_t>(std::max(1.0, std::ceil(kBlockMicroseconds / one)));
      sides.push_back({name, nullptr});
    }
  }

  const char* name;
  std::unique_ptr<SealRows> rows;
  std::vector<std::int64_t> calls;
  std::vector<Side> sides;
};

void* symbol(void* module, const char* name) {
  if (void* const found = dlsym(module, name)) return found;
  throw std::runtime_error(dlerror());
}

/// Loads the module and sets the version of its SEAL. The module stays loaded.
std::unique_ptr<SealRows> load_rows(const std::string& path, SealScheme scheme, std::size_t degree,
                                    std::string& version) {
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) throw std::runtime_error(dlerror());
  using Make = SealRows*(SealScheme, std::size_t);
  using Version = const char*();
  version = reinterpret_cast<Version*>(symbol(module, "ringlet_bench_seal_version"))();
  auto* const make = reinterpret_cast<Make*>(symbol(module, "ringlet_bench_seal_rows"));
  return std::unique_ptr<SealRows>(make(scheme, degree));
}

SealScheme parse_scheme(const std::string& name) {
  constexpr std::string_view kNames[] = {"bfv", "bgv", "ckks"};
  const auto* const found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) throw std::invalid_argument(std::string("usage: ") + kUsage);
  return static_cast<SealScheme>(found - std::begin(kNames));
}

int run(int argc, char** argv) {
  std::string scheme_name, degree_text, json, rounds_text = "20", seal, version;
  take_options(argc, argv, kUsage,
               {{"--scheme", &scheme_name},
                {"--degree", &degree_text},
                {"--json", &json},
                {"--rounds", &rounds_text},
                {"--seal", &seal}});
  const SealScheme scheme = parse_scheme(scheme_name);
  const auto degree = static_cast<std::size_t>(parse(degree_text, 1024));
  const int rounds = parse(rounds_text, 1);

  std::vector<Interface> interfaces;
  interfaces.emplace_back("own", make_own_rows(scheme, degree));
  interfaces.emplace_back("interface", make_seal_rows(scheme, degree));
  if (!seal.empty()) interfaces.emplace_back("seal", load_rows(seal, scheme, degree, version));
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t row = 0; row < interfaces[0].calls.size(); ++row) {
      for (Interface& one : interfaces) {
        one.sides[row].samples.push_back(one.rows->time(row, one.calls[row]));
      }
      std::reverse(interfaces.begin(), interfaces.end());
    }
  }

  JsonEntries entries;
  for (const Interface& one : interfaces) {
    for (std::size_t row = 0; row < one.sides.size(); ++row) {
      entries.add(scheme_name + "/n=" + degree_text + "/" + one.rows->name(row) + "/" + one.name,
                  one.sides[row], "\"calls\": " + std::to_string(one.calls[row]));
    }
  }
  entries.write(json, "\"seal_version\": \"" + version + "\"");
  return 0;
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  return ringlet::bench::run_program(ringlet::bench::run, argc, argv);
}
