// SPDX-License-Identifier: Apache-2.0
//
// ringlet_transform_once SELECTION DEGREE BITS DIRECTION [OUTPUT_FACTOR|time]
//
// Transforms once between two breakpoints. lab/scripts/count_slots.py reads the instructions that
// the processor executes between them. SELECTION is as in RINGLET_FORCE_KERNELS; the modulus is the
// largest prime of BITS bits; DIRECTION is forward or inverse. Prints the name of the kernel first.
// With `time`, transforms many times and prints the fewest microseconds, and the clock in MHz.

#include "clock.hpp"
#include "in_turn.hpp"
#include "program.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ntt/ntt.hpp"

namespace ringlet::bench {
namespace {

template <typename Transform>
void print_time(const Transform& transform) {
  // Short blocks: some meet no other work of the machine.
  constexpr int kBlocks = 150;
  constexpr double kBlockMicroseconds = 50;
  const std::int64_t calls = calls_per_block(transform, kBlockMicroseconds);
  CycleClock clock;
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kBlocks; ++i) {
    fastest = std::min(fastest, time_block(transform, calls));
    clock.sample();
  }
  std::printf("%.4f %.1f\n", fastest, clock.cycles_per_microsecond());
}

int run(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    throw std::invalid_argument(
        "usage: ringlet_transform_once SELECTION DEGREE BITS forward|inverse "
        "[OUTPUT_FACTOR|time]");
  }
  const auto degree = static_cast<std::size_t>(parse(argv[2], 1));
  const Modulus q = generate_ntt_primes(parse(argv[3], 1), degree, 1).front();
  const bool forward = std::string_view(argv[4]) == "forward";
  if (!forward && std::string_view(argv[4]) != "inverse") {
    throw std::invalid_argument(std::string(argv[4]) + ": not a direction");
  }
  const bool is_timed = argc == 6 && std::string_view(argv[5]) == "time";
  const int factor = argc == 6 && !is_timed ? parse(argv[5], 1) : 1;
  const Ntt plan(degree, q, KernelSelection(argv[1]));
  std::puts(plan.kernel_name().c_str());
  std::fflush(stdout);
  AlignedVector<std::uint64_t> values(degree, 1);
  const auto transform = [&] {
    forward ? plan.forward(values, values, 1, factor) : plan.inverse(values, values, 1, factor);
  };
  if (is_timed) {
    print_time(transform);
    return 0;
  }
  breakpoint();
  transform();
  breakpoint();
  return 0;
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  return ringlet::bench::run_program(ringlet::bench::run, argc, argv);
}
