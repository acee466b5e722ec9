// SPDX-License-Identifier: Apache-2.0
#include "base/instruction_loops.hpp"
#include "bindings/core/arguments.hpp"
#include "lab_bindings.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"

// Lower bounds of kernels' times on this processor, as jobs of the same stopwatch: arithmetic that
// never waits, and words that are only read and written. Instructions of an extension are written
// as assembly, so that this file needs no flags of an instruction set.

namespace ringlet::python {
namespace {

using Words = AlignedVector<std::uint64_t>;

constexpr std::uint64_t kMostCount = std::uint64_t{96} << 20;

/// Products y*w - floor(y*w' / 2^64)*q of eight independent words.
void run_scalar_products(std::uint64_t count) {
  std::array<std::uint64_t, 8> y{3, 5, 7, 11, 13, 17, 19, 23};
  std::uint64_t w = 0x123456789abcdef;
  std::uint64_t quotient = 0xfedcba987654321;
  std::uint64_t q = 0x3fffffffffffff5;
  // Hides the values from the compiler, so that it computes with them.
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
// A round has twelve instructions: enough registers to hide their latencies.
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

// Runs the multiply-adds, shifts and other vector instructions of one operation of a kernel on
// eight double words: of its product, carries, sums and corrections, counted in kernels/policy/
// wide_ifma52*, without loads and stores. Here the others are additions, the cheapest instructions.
// No instruction waits for another of the same round.
template <int kMultiplyAdds, int kShifts, int kOthers>
void run_mixture(std::uint64_t count) {
  constexpr int kRest = kMultiplyAdds % 12;
  std::uint64_t rounds = count / 8;
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
}

/// c = a ^ b in vectors of eight words; `count` is a multiple of eight, at least eight.
void run_stream(std::uint64_t* c, const std::uint64_t* a, const std::uint64_t* b,
                std::size_t count) {
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
}
#endif

bool always() { return true; }

Stopwatch::Job pass_job(std::uint64_t count) {
  return repeated(
      [words = std::make_shared<Words>(count)] { bench::run_pass(words->data(), words->size()); });
}
Stopwatch::Job stream_job([[maybe_unused]] std::uint64_t count) {
#if defined(__x86_64__)
  const auto words = [count] { return std::make_shared<Words>(count); };
  return repeated([a = words(), b = words(), c = words()] {
    run_stream(c->data(), a->data(), b->data(), c->size());
  });
#else
  return nullptr;
#endif
}
template <void (*kRun)(std::uint64_t)>
Stopwatch::Job job(std::uint64_t count) {
  return repeated([count] { kRun(count); });
}

struct Limit {
  const char* name;
  bool (*is_available)();
  std::uint64_t step;  ///< Counts must be multiples of it.
  Stopwatch::Job (*make)(std::uint64_t count);
};

constexpr Limit kLimits[] = {
    {"pass", always, 16, pass_job},
    {"shoup/scalar64", always, 96, job<run_scalar_products>},
#if defined(__x86_64__)
    {"integer/avx2", bench::has_avx2, 96, job<RINGLET_LIMIT_AVX2("vpmuludq")>},
    {"real/avx2", bench::has_avx2, 96, job<RINGLET_LIMIT_AVX2("vfmadd231pd")>},
    {"integer/avx512dq", bench::has_avx512, 96, job<RINGLET_LIMIT_AVX512("vpmuludq")>},
    {"real/avx512dq", bench::has_avx512, 96, job<RINGLET_LIMIT_AVX512("vfmadd231pd")>},
    {"integer/ifma52", bench::has_avx512_ifma, 96, job<RINGLET_LIMIT_AVX512("vpmadd52luq")>},
    {"stream", bench::has_avx512_ifma, 16, stream_job},
    {"wide/butterfly/special", bench::has_avx512_ifma, 8, job<run_mixture<19, 2, 13>>},
    {"wide/butterfly/shoup", bench::has_avx512_ifma, 8, job<run_mixture<27, 4, 13>>},
    {"wide/butterfly/montgomery", bench::has_avx512_ifma, 8, job<run_mixture<39, 5, 15>>},
    {"wide/multiply/special", bench::has_avx512_ifma, 8, job<run_mixture<27, 13, 16>>},
    {"wide/multiply/shoup", bench::has_avx512_ifma, 8, job<run_mixture<35, 15, 17>>},
    {"wide/multiply/montgomery", bench::has_avx512_ifma, 8, job<run_mixture<35, 15, 17>>},
    {"wide/axpy/special", bench::has_avx512_ifma, 8, job<run_mixture<21, 12, 27>>},
    {"wide/axpy/shoup", bench::has_avx512_ifma, 8, job<run_mixture<33, 14, 26>>},
    {"wide/axpy/montgomery", bench::has_avx512_ifma, 8, job<run_mixture<45, 15, 28>>},
#endif
};
#undef RINGLET_LIMIT_AVX2
#undef RINGLET_LIMIT_AVX512

std::vector<Limit> available_limits() {
  std::vector<Limit> found;
  for (const Limit& limit : kLimits) {
    if (limit.is_available()) found.push_back(limit);
  }
  return found;
}

std::vector<std::string> limit_names() {
  std::vector<std::string> names;
  for (const Limit& limit : available_limits()) names.emplace_back(limit.name);
  return names;
}

/// Adds one limit; returns its index.
std::size_t add_limit(Stopwatch& stopwatch, const std::string& name, const Integer& count) {
  const char* function = "add_limit";
  const std::vector<Limit> limits = available_limits();
  const Limit& limit = find_named(function, "limit", limits, name);
  const std::uint64_t size = count.word(function, "count");
  if (size == 0 || size > kMostCount || size % limit.step != 0) {
    throw_invalid_argument(
        {function, "count = " + std::to_string(size),
         "multiples of " + std::to_string(limit.step) + " up to " + std::to_string(kMostCount),
         "choose a number in this range"});
  }
  return stopwatch.add(limit.make(size));
}

}  // namespace

void bind_bench_limits(nb::module_& module) {
  module.def("limits", &limit_names,
             "What add_limit takes on this processor: \"pass\", \"stream\", names such as "
             "\"integer/avx2\"\n(multiplications of a table of kernels) and \"wide/axpy/shoup\" "
             "(operation and algorithm on double words).");
  module.def("add_limit", &add_limit, "stopwatch"_a, "limit"_a, "count"_a,
             "Adds `count` multiplications that wait for nothing: products of 32 bits (or of 52) "
             "in integer lanes,\nmultiply-adds of doubles in real ones, products by a known factor "
             "modulo a word for shoup/scalar64; or\nthe arithmetic of `count` operations on double "
             "words; or vectors of `count` words, of which one is read\nand written (pass), or two "
             "are read and one is written (stream). Returns its index.");
}

}  // namespace ringlet::python
