// SPDX-License-Identifier: Apache-2.0
//
// ringlet_variant_once KERNEL FORM DIRECTION DEGREE BITS COUNT
// ringlet_variant_once list DEGREE BITS
//
// Calls a form (ordered, unordered or two) of a transform kernel directly, modulo the largest prime
// of BITS bits, for programs that count instructions. COUNT calls follow each other: the difference
// of the counts of two runs belongs to the calls by which they differ. If COUNT is `step`, makes
// one call between two breakpoints. Prints how many polynomials a call transforms, the compiler and
// its options. `list` prints the kernels and forms that can be called.

#include "lab/kernels/ntt_variant.hpp"
#include "program.hpp"
#include "ringlet/arith/primes.hpp"

namespace ringlet::bench {
namespace {

void list(std::size_t degree, int bits) {
  const std::uint64_t q = generate_ntt_primes(bits, degree, 1).front().value();
  for (const auto& variant : kernels::ntt_variants(std::countr_zero(degree), q)) {
    const auto form = kernels::kNttFormNames[static_cast<unsigned>(variant.form)];
    std::printf("%s %s\n", variant.kernel.c_str(), std::string(form).c_str());
  }
}

int run(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "list") {
    list(static_cast<std::size_t>(parse(argv[2], 2)), parse(argv[3], 2));
    return 0;
  }
  if (argc != 7) {
    throw std::invalid_argument(
        "usage: ringlet_variant_once KERNEL FORM forward|inverse DEGREE BITS COUNT|step\n"
        "       ringlet_variant_once list DEGREE BITS");
  }
  const std::string_view direction = argv[3];
  if (direction != "forward" && direction != "inverse") {
    throw std::invalid_argument(std::string(direction) + ": not a direction");
  }
  const bool is_forward = direction == "forward";
  const auto degree = static_cast<std::size_t>(parse(argv[4], 2));
  const std::uint64_t q = generate_ntt_primes(parse(argv[5], 2), degree, 1).front().value();
  kernels::NttVariant variant(argv[1], kernels::parse_ntt_form("ringlet_variant_once", argv[2]),
                              std::countr_zero(degree), q);
  std::printf("%zu %s; %s\n", variant.polynomial_count(), RINGLET_COMPILER, RINGLET_FLAGS);
  std::fflush(stdout);
  if (std::string_view(argv[6]) == "step") {
    breakpoint();
    variant.run(is_forward);
    breakpoint();
    return 0;
  }
  for (int i = parse(argv[6], 0); i > 0; --i) variant.run(is_forward);
  return 0;
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  return ringlet::bench::run_program(ringlet::bench::run, argc, argv);
}
