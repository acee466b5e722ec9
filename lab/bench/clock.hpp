// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/instruction_loops.hpp"
#include "standard.hpp"

// Measures the processor's clock while vector code runs, by a chain of multiply-adds of which each
// waits for the preceding one.

namespace ringlet::bench {

/// Runs `rounds` times 16 multiply-adds, each on the preceding sum.
inline void run_multiply_add_chain([[maybe_unused]] std::int64_t rounds) {
#if defined(__x86_64__)
  RINGLET_INSTRUCTION_LOOP(rounds, "vpxorq %%zmm16, %%zmm16, %%zmm16\n",
                           ".rept 16\n"
                           "vpmadd52luq %%zmm16, %%zmm16, %%zmm16\n"
                           ".endr\n");
#endif
}

/// The clock in cycles per microsecond.
class CycleClock {
 public:
  /// Takes samples for about 0.1 ms; the fastest of all samples so far counts.
  void sample() {
    if (!has_avx512_ifma()) return;
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
