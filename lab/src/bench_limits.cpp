// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arguments.hpp"
#include "base/instruction_loops.hpp"
#include "lab_bindings.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/error.hpp"
#include "stopwatch.hpp"

// What bounds kernels from below on this processor, as jobs of the same stopwatch: multiplications
// that wait for nothing, and words that are only read and written. Instructions of an extension are
// written as assembly, so that this file needs no flags of an instruction set.

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

using Words = AlignedVector<std::uint64_t>;

// A multiple of what every loop below does in one round.
constexpr std::uint64_t kStep = 96;
constexpr std::uint64_t kMostCount = std::uint64_t{96} << 20;

/// Products y*w - floor(y*w' / 2^64)*q of eight words that do not wait for each other.
void run_scalar_products(std::uint64_t count) {
  std::array<std::uint64_t, 8> y{3, 5, 7, 11, 13, 17, 19, 23};
  std::uint64_t w = 0x123456789abcdef;
  std::uint64_t quotient = 0xfedcba987654321;
  std::uint64_t q = 0x3fffffffffffff5;
  // Values that the compiler does not know, so that it computes with them.
  asm volatile("" : "+r"(w), "+r"(quotient), "+r"(q));
  for (std::uint64_t i = 0; i < count; i += y.size()) {
    for (std::uint64_t& word : y) {
      __extension__ using Wide = unsigned __int128;
      const auto high = static_cast<std::uint64_t>((Wide{word} * quotient) >> 64);
      word = word * w - high * q;
    }
  }
  for (std::uint64_t& word : y) asm volatile("" : "+r"(word));
}

#if defined(__x86_64__)
// Twelve instructions a round: registers enough to hide what each of them takes.
#define RINGLET_LIMIT_AVX2(instruction)                                                       \
  [](std::uint64_t count) {                                                                   \
    std::uint64_t rounds = count / 48;                                                        \
    RINGLET_INSTRUCTION_LOOP(rounds,                                                          \
                             RINGLET_FOR_REGISTERS("0,1,2,3,4,5,6,7,8,9,10,11,12",            \
                                                   "vpxor %%xmm\\d, %%xmm\\d, %%xmm\\d"),     \
                             RINGLET_FOR_REGISTERS("1,2,3,4,5,6,7,8,9,10,11,12",              \
                                                   instruction " %%ymm0, %%ymm0, %%ymm\\d")); \
  }
#define RINGLET_LIMIT_AVX512(instruction)                                                       \
  [](std::uint64_t count) {                                                                     \
    std::uint64_t rounds = count / 96;                                                          \
    RINGLET_INSTRUCTION_LOOP(rounds,                                                            \
                             RINGLET_FOR_REGISTERS("16,17,18,19,20,21,22,23,24,25,26,27,28",    \
                                                   "vpxorq %%zmm\\d, %%zmm\\d, %%zmm\\d"),      \
                             RINGLET_FOR_REGISTERS("17,18,19,20,21,22,23,24,25,26,27,28",       \
                                                   instruction " %%zmm16, %%zmm16, %%zmm\\d")); \
  }
#endif

struct Limit {
  const char* name;
  bool (*is_available)();
  void (*run)(std::uint64_t count);
};

constexpr Limit kLimits[] = {
    {"shoup/scalar64", [] { return true; }, run_scalar_products},
#if defined(__x86_64__)
    {"integer/avx2", bench::has_avx2, RINGLET_LIMIT_AVX2("vpmuludq")},
    {"real/avx2", bench::has_avx2, RINGLET_LIMIT_AVX2("vfmadd231pd")},
    {"integer/avx512dq", bench::has_avx512, RINGLET_LIMIT_AVX512("vpmuludq")},
    {"real/avx512dq", bench::has_avx512, RINGLET_LIMIT_AVX512("vfmadd231pd")},
    {"integer/ifma52", bench::has_avx512_ifma, RINGLET_LIMIT_AVX512("vpmadd52luq")},
#endif
};
#undef RINGLET_LIMIT_AVX2
#undef RINGLET_LIMIT_AVX512

std::vector<std::string> limit_names() {
  std::vector<std::string> names;
  for (const Limit& limit : kLimits) {
    if (limit.is_available()) names.emplace_back(limit.name);
  }
  return names;
}

std::string joined_names() {
  std::string text = "pass";
  for (const std::string& name : limit_names()) text += ", " + name;
  return text;
}

/// Adds one limit; returns its index.
std::size_t add_limit(Stopwatch& stopwatch, const std::string& name, const Integer& count) {
  const char* function = "add_limit";
  const std::uint64_t size = count.word(function, "count");
  if (size == 0 || size > kMostCount || size % kStep != 0) {
    throw_invalid_argument({function, "count = " + std::to_string(size),
                            "multiples of 96 up to " + std::to_string(kMostCount),
                            "choose one of these"});
  }
  if (name == "pass") {
    return stopwatch.add([words = std::make_shared<Words>(size)](std::uint64_t repetitions) {
      for (std::uint64_t i = 0; i < repetitions; ++i) bench::run_pass(words->data(), words->size());
    });
  }
  for (const Limit& limit : kLimits) {
    if (name != limit.name || !limit.is_available()) continue;
    return stopwatch.add([size, run = limit.run](std::uint64_t repetitions) {
      for (std::uint64_t i = 0; i < repetitions; ++i) run(size);
    });
  }
  throw_invalid_argument({function, "limit '" + name + "'", "on this processor: " + joined_names(),
                          "use one of these names"});
}

}  // namespace

void bind_bench_limits(nb::module_& module) {
  module.def("limits", &limit_names,
             "Names such as \"integer/avx2\": multiplications of a table of kernels that this "
             "processor runs.");
  module.def("add_limit", &add_limit, "stopwatch"_a, "limit"_a, "count"_a,
             "Adds `count` multiplications that wait for nothing, a multiple of 96: products of 32 "
             "bits (or\nof 52) in integer lanes, multiply-adds of doubles in real ones, products "
             "by a known factor modulo a\nword for shoup/scalar64. Or, as \"pass\", reads and "
             "writes `count` words once. Returns its index.");
}

}  // namespace ringlet::python
