// SPDX-License-Identifier: Apache-2.0
//
// ringlet_transform_once SELECTION DEGREE BITS DIRECTION [OUTPUT_FACTOR]
//
// Transforms once between two breakpoints. lab/scripts/count_slots.py reads the instructions that
// the processor executes between them. SELECTION is as in RINGLET_FORCE_KERNELS; the modulus is the
// largest prime of BITS bits; DIRECTION is forward or inverse. Prints the name of the kernel first.

#include "program.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ntt/ntt.hpp"

namespace ringlet::bench {
namespace {

int run(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    throw std::invalid_argument(
        "usage: ringlet_transform_once SELECTION DEGREE BITS forward|inverse [OUTPUT_FACTOR]");
  }
  const auto degree = static_cast<std::size_t>(parse(argv[2], 1));
  const Modulus q = generate_ntt_primes(parse(argv[3], 1), degree, 1).front();
  const bool forward = std::string_view(argv[4]) == "forward";
  if (!forward && std::string_view(argv[4]) != "inverse") {
    throw std::invalid_argument(std::string(argv[4]) + ": not a direction");
  }
  const int factor = argc == 6 ? parse(argv[5], 1) : 1;
  const Ntt plan(degree, q, KernelSelection(argv[1]));
  std::puts(plan.kernel_name().c_str());
  std::fflush(stdout);
  AlignedVector<std::uint64_t> values(degree, 1);
  breakpoint();
  forward ? plan.forward(values, values, 1, factor) : plan.inverse(values, values, 1, factor);
  breakpoint();
  return 0;
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  return ringlet::bench::run_program(ringlet::bench::run, argc, argv);
}
