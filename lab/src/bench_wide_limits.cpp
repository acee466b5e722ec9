// SPDX-License-Identifier: Apache-2.0
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
#include "bench_wide.hpp"
#include "lab_bindings.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/error.hpp"
#include "stopwatch.hpp"

// What bounds operations on double words from below on this processor, as jobs of the same
// stopwatch: instructions that wait for nothing, and vectors that are only read and written.

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

using Words = AlignedVector<std::uint64_t>;

constexpr std::size_t kLanes = 8;

// Multiply-adds, shifts and other vector instructions as often as in one operation of a kernel on
// eight double words: its product, carries, sums and corrections, counted in kernels/policy/
// wide_ifma52*; loads and stores are left out. The others are additions here, the least that each
// of them takes. No instruction waits for one of the same round.
template <int kMultiplyAdds, int kShifts, int kOthers>
void run_mixture([[maybe_unused]] std::uint64_t rounds) {
#if defined(__x86_64__)
  constexpr int kRest = kMultiplyAdds % 12;
  RINGLET_INSTRUCTION_LOOP(
      rounds, "vpxorq %%zmm16, %%zmm16, %%zmm16\n",
      ".rept %c[twelves]\n" RINGLET_FOR_REGISTERS(
          "17,18,19,20,21,22,23,24,25,26,27,28",
          "vpmadd52luq %%zmm16, %%zmm16, %%zmm\\d") ".endr\n"
      ".rept %c[eights]\n" RINGLET_FOR_REGISTERS(
          "17,18,19,20,21,22,23,24", "vpmadd52luq %%zmm16, %%zmm16, %%zmm\\d") ".endr\n"
      ".rept %c[fours]\n" RINGLET_FOR_REGISTERS(
          "25,26,27,28", "vpmadd52luq %%zmm16, %%zmm16, %%zmm\\d") ".endr\n"
      ".rept %c[twos]\n" RINGLET_FOR_REGISTERS(
          "29,30", "vpmadd52luq %%zmm16, %%zmm16, %%zmm\\d") ".endr\n"
      ".rept %c[ones]\n"
      "vpmadd52luq %%zmm16, %%zmm16, %%zmm31\n"
      ".endr\n"
      ".rept %c[shifts]\n"
      "vpsrlq $52, %%zmm16, %%zmm30\n"
      ".endr\n"
      ".rept %c[others]\n"
      "vpaddq %%zmm16, %%zmm16, %%zmm29\n"
      ".endr\n",
      [twelves] "i"(kMultiplyAdds / 12), [eights] "i"(kRest / 8), [fours] "i"(kRest % 8 / 4),
      [twos] "i"(kRest % 4 / 2), [ones] "i"(kRest % 2), [shifts] "i"(kShifts),
      [others] "i"(kOthers));
#endif
}

struct Mixture {
  const char* name;
  void (*run)(std::uint64_t rounds);
};

constexpr Mixture kMixtures[] = {
    {"butterfly/special", run_mixture<19, 2, 13>},
    {"butterfly/shoup", run_mixture<27, 4, 13>},
    {"butterfly/montgomery", run_mixture<39, 5, 15>},
    {"multiply/special", run_mixture<27, 13, 16>},
    {"multiply/shoup", run_mixture<35, 15, 17>},
    {"multiply/montgomery", run_mixture<35, 15, 17>},
    {"axpy/special", run_mixture<21, 12, 27>},
    {"axpy/shoup", run_mixture<33, 14, 26>},
    {"axpy/montgomery", run_mixture<45, 15, 28>},
};

/// c = a ^ b in vectors of eight words; `count` is a multiple of eight, at least eight.
void run_stream([[maybe_unused]] std::uint64_t* c, [[maybe_unused]] const std::uint64_t* a,
                [[maybe_unused]] const std::uint64_t* b, [[maybe_unused]] std::size_t count) {
#if defined(__x86_64__)
  std::size_t i = 0;
  asm volatile(
      "1:\n"
      "vmovdqu64 (%[a],%[i],8), %%zmm16\n"
      "vpxorq (%[b],%[i],8), %%zmm16, %%zmm16\n"
      "vmovdqu64 %%zmm16, (%[c],%[i],8)\n"
      "add $8, %[i]\n"
      "cmp %[count], %[i]\n"
      "jb 1b\n"
      : [i] "+r"(i)
      : [a] "r"(a), [b] "r"(b), [c] "r"(c), [count] "r"(count)
      : "cc", "memory");
#endif
}

std::vector<std::string> instruction_limits() {
  std::vector<std::string> names;
  for (const Mixture& mixture : kMixtures) names.emplace_back(mixture.name);
  return names;
}

/// Adds one limit; its unit is what a repetition does once.
std::size_t add_limit(Stopwatch& stopwatch, const std::string& limit, const Integer& count) {
  const char* function = "add_wide_limit";
  const std::uint64_t size = count.word(function, "count");
  if (size < 2 * kLanes || size > kMostElements || size % (2 * kLanes) != 0) {
    throw_invalid_argument({function, "count = " + std::to_string(size),
                            "multiples of 16 up to " + std::to_string(kMostElements),
                            "choose one of these"});
  }
  if (!bench::has_avx512_ifma()) {
    throw_invalid_argument({function, "limit '" + limit + "'", "a processor with AVX-512 IFMA",
                            "leave limits out on this processor"});
  }
  for (const Mixture& mixture : kMixtures) {
    if (limit != mixture.name) continue;
    return stopwatch.add([size, run = mixture.run](std::uint64_t repetitions) {
      run(repetitions * (size / kLanes));
    });
  }
  const auto words = [size] { return std::make_shared<Words>(2 * size); };
  if (limit == "stream") {
    return stopwatch.add([size, a = words(), b = words(), c = words()](std::uint64_t repetitions) {
      for (std::uint64_t i = 0; i < repetitions; ++i) {
        run_stream(c->data(), a->data(), b->data(), 2 * size);
      }
    });
  }
  if (limit == "pass") {
    return stopwatch.add([size, c = words()](std::uint64_t repetitions) {
      for (std::uint64_t i = 0; i < repetitions; ++i) bench::run_pass(c->data(), 2 * size);
    });
  }
  throw_invalid_argument({function, "limit '" + limit + "'",
                          "stream, pass or a name of wide_limits()", "use one of these names"});
}

}  // namespace

void bind_bench_wide_limits(nb::module_& module) {
  module.def("has_wide_limits", &bench::has_avx512_ifma,
             "True if this processor runs what add_wide_limit measures.");
  module.def("wide_limits", &instruction_limits,
             "Names such as \"butterfly/shoup\": operation and algorithm of a kernel of IFMA.");
  module.def("add_wide_limit", &add_limit, "stopwatch"_a, "limit"_a, "count"_a,
             "Adds the arithmetic of `count` operations (a name of wide_limits()), or vectors of "
             "`count`\ndouble words of which two are read and one is written (stream), or one is "
             "read and written (pass).");
}

}  // namespace ringlet::python
