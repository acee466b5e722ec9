// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/instruction_loops.hpp"
#include "clock.hpp"
#include "in_turn.hpp"

// Shows which instructions of the transforms share execution ports: the cycles of eight independent
// ones, and of four of them together with eight of another kind. If the twelve take as long as
// those eight alone, they have ports of their own, or there is room to spare.

namespace ringlet::bench {

#if defined(__x86_64__)

/// An instruction in its loops; the functions take the number of rounds.
struct PortCase {
  const char* text;  ///< The name of the instruction comes first.
  void (*alone)(std::int64_t rounds);
  void (*with_multiply_adds)(std::int64_t rounds);
  void (*with_additions)(std::int64_t rounds);
  void (*with_permutations)(std::int64_t rounds);
};

// Operands are independent: sources are zmm16 and zmm17, the other kind writes zmm20 to zmm27, and
// an instruction writes zmm0 to zmm7 or the mask registers.
#define RINGLET_PORT_LOOP(body)                                    \
  [](std::int64_t rounds) {                                        \
    RINGLET_INSTRUCTION_LOOP(rounds,                               \
                             "vpxorq %%zmm16, %%zmm16, %%zmm16\n"  \
                             "vpxorq %%zmm17, %%zmm17, %%zmm17\n", \
                             ".rept 4\n" body ".endr\n");          \
  }
#define RINGLET_PORT_MIXTURE(operation, instruction)                                            \
  RINGLET_PORT_LOOP(                                                                            \
      RINGLET_FOR_REGISTERS("20,21,22,23,24,25,26,27", operation " %%zmm16, %%zmm17, %%zmm\\d") \
          RINGLET_FOR_REGISTERS("0,1,2,3", instruction))
#define RINGLET_PORT_CASE(instruction)                                                            \
  {instruction, RINGLET_PORT_LOOP(RINGLET_FOR_REGISTERS("0,1,2,3,4,5,6,7", instruction)),         \
   RINGLET_PORT_MIXTURE("vpmadd52luq", instruction), RINGLET_PORT_MIXTURE("vpaddq", instruction), \
   RINGLET_PORT_MIXTURE("vpermq", instruction)}

inline constexpr PortCase kPortCases[] = {
    RINGLET_PORT_CASE("vpmadd52luq %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vpaddq %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vpandq %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vpternlogq $0x96, %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vpsrlq $12, %%zmm16, %%zmm\\d"),
    RINGLET_PORT_CASE("vprolq $12, %%zmm16, %%zmm\\d"),
    RINGLET_PORT_CASE("vpermq %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vpermt2q %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vshufi64x2 $0x44, %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vpunpcklqdq %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vpminuq %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vminpd %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vpabsq %%zmm16, %%zmm\\d"),
    RINGLET_PORT_CASE("vpmuludq %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vaddpd %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vfmadd231pd %%zmm16, %%zmm17, %%zmm\\d"),
    RINGLET_PORT_CASE("vpcmpuq $1, %%zmm16, %%zmm17, %%k\\d"),
    RINGLET_PORT_CASE("vptestmq %%zmm16, %%zmm17, %%k\\d"),
    RINGLET_PORT_CASE("vpblendmq %%zmm16, %%zmm17, %%zmm\\d%{%%k1%}"),
};

#undef RINGLET_PORT_CASE
#undef RINGLET_PORT_MIXTURE
#undef RINGLET_PORT_LOOP

/// Cycles per round of `run`, which repeats four rounds in its loop; the fastest of many blocks.
inline double port_cycles(CycleClock& clock, void (*run)(std::int64_t)) {
  constexpr int kBlocks = 50;
  constexpr std::int64_t kRounds = 2000;
  double fastest = 1e9;
  for (int i = 0; i < kBlocks; ++i)
    fastest = std::min(fastest, time_block([&] { run(kRounds); }, 1));
  clock.sample();
  return fastest * clock.cycles_per_microsecond() / (4 * kRounds);
}

#endif

/// Prints the table of the instructions; returns the exit status of the program.
inline int print_ports() {
  if (!has_avx512_ifma()) {
    std::puts("this processor has no vpmadd52");
    return 2;
  }
#if defined(__x86_64__)
  CycleClock clock;
  clock.sample();
  std::printf("%-12s %8s %18s %12s %12s\n", "cycles of", "8 alone", "4 + 8 vpmadd52luq",
              "4 + 8 vpaddq", "4 + 8 vpermq");
  for (const PortCase& item : kPortCases) {
    std::printf(
        "%-12.*s %8.2f %18.2f %12.2f %12.2f\n", static_cast<int>(std::strcspn(item.text, " ")),
        item.text, port_cycles(clock, item.alone), port_cycles(clock, item.with_multiply_adds),
        port_cycles(clock, item.with_additions), port_cycles(clock, item.with_permutations));
  }
#endif
  return 0;
}

}  // namespace ringlet::bench
