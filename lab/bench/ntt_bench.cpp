// SPDX-License-Identifier: Apache-2.0
//
// Transforms of every available kernel, in place, outputs in [0, q). Names such as
// ntt_forward/ifma52/radix2/n=4096/q=49, where q is the width of the prime in bits.

#include <string>

#include <benchmark/benchmark.h>

#include "ringlet/aligned.hpp"
#include "ringlet/kernel_selection.hpp"
#include "ringlet/ntt.hpp"
#include "ringlet/primes.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

void register_transforms(const KernelInfo& kernel, std::size_t degree, int bits) {
  const Modulus q = generate_ntt_primes(bits, degree, 1).front();
  if (q.value() >= kernel.modulus_limit || degree < kernel.min_degree) return;
  const std::string selection = kernel.table + "/" + kernel.algorithm;
  const std::string suffix =
      "/" + selection + "/n=" + std::to_string(degree) + "/q=" + std::to_string(bits);
  for (const bool is_forward : {true, false}) {
    const std::string name = is_forward ? "ntt_forward" : "ntt_inverse";
    register_benchmark(name + suffix, [=](benchmark::State& state) {
      const Ntt plan(degree, q, KernelSelection(selection));
      AlignedVector<std::uint64_t> values(degree);
      fill(values, q, 1);
      run_in_blocks(state, [&] { is_forward ? plan.forward(values) : plan.inverse(values); });
    });
  }
}

void register_all() {
  for (const int bits : kPrimeBits) {
    for (const std::size_t degree : kDegrees) {
      for (const auto& kernel : kernel_catalog()) {
        if (kernel.operation == "ntt" && kernel.available) {
          register_transforms(kernel, degree, bits);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  ringlet::bench::register_all();
  return ringlet::bench::run_all(argc, argv);
}
