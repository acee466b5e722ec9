// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

// The processor's clock while vector code runs, from a chain of multiply-adds of which each waits
// for the one before. Written as assembly, so that the including file needs no flags of the
// instruction set: compilers without them use none of the registers above zmm15.

namespace ringlet::bench {

/// True if this processor has vpmadd52.
inline bool has_multiply_add() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512ifma") != 0;
#else
  return false;
#endif
}

/// Runs `rounds` times 16 multiply-adds, each with the sum of the one before.
inline void run_multiply_add_chain([[maybe_unused]] std::int64_t rounds) {
#if defined(__x86_64__)
  asm volatile(
      "vpxorq %%zmm16, %%zmm16, %%zmm16\n"
      "1:\n"
      ".rept 16\n"
      "vpmadd52luq %%zmm16, %%zmm16, %%zmm16\n"
      ".endr\n"
      "dec %[rounds]\n"
      "jnz 1b\n"
      : [rounds] "+r"(rounds)
      :
      : "cc");
#endif
}

/// The clock in cycles per microsecond.
class CycleClock {
 public:
  /// Takes samples for about 0.1 ms; the fastest of all samples so far counts.
  void sample() {
    if (!has_multiply_add()) return;
    using Clock = std::chrono::steady_clock;
    constexpr int kSamples = 8;
    constexpr std::int64_t kRounds = 512;
    constexpr double kLatency = 4;
    for (int i = 0; i < kSamples; ++i) {
      const auto start = Clock::now();
      run_multiply_add_chain(kRounds);
      const std::chrono::duration<double, std::micro> time = Clock::now() - start;
      fastest_ = std::max(fastest_, kLatency * 16 * kRounds / time.count());
    }
  }

  /// Zero before the first sample and on processors without vpmadd52.
  double cycles_per_microsecond() const { return fastest_; }

 private:
  double fastest_ = 0;
};

}  // namespace ringlet::bench
