// SPDX-License-Identifier: Apache-2.0
//
// Times every form of every transform kernel that this processor runs: direct calls, in place,
// outputs in [0, q). Names are such as ntt_forward/ifma52/r4r2/unordered/n=4096/q=48. The form is
// ordered, unordered or two (the time of two polynomials); q is the width of the prime in bits. The
// studied kernels support primes up to 48 bits. `ringlet bench ntt --figures` runs such programs of
// several compilers in turn.

#include <benchmark/benchmark.h>

#include "lab/kernels/ntt_variant.hpp"
#include "ringlet/arith/primes.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

constexpr int kBits = 48;
constexpr std::size_t kLeastDegree = 512;
constexpr std::size_t kMostDegree = 65536;

void register_variant(const kernels::NttVariantName& variant, int log_degree, std::uint64_t q) {
  const std::string form(kernels::kNttFormNames[static_cast<unsigned>(variant.form)]);
  const std::string suffix = "/" + variant.kernel + "/" + form +
                             "/n=" + std::to_string(std::size_t{1} << log_degree) +
                             "/q=" + std::to_string(kBits);
  for (const bool is_forward : {true, false}) {
    const std::string name = is_forward ? "ntt_forward" : "ntt_inverse";
    register_benchmark(name + suffix, [=](benchmark::State& state) {
      kernels::NttVariant subject(variant.kernel, variant.form, log_degree, q);
      run_in_blocks(state, [&] { subject.run(is_forward); });
    });
  }
}

void register_all() {
  for (std::size_t degree = kLeastDegree; degree <= kMostDegree; degree *= 2) {
    const int log_degree = std::countr_zero(degree);
    const std::uint64_t q = generate_ntt_primes(kBits, degree, 1).front().value();
    for (const auto& variant : kernels::ntt_variants(log_degree, q)) {
      register_variant(variant, log_degree, q);
    }
  }
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  ringlet::bench::register_all();
  return ringlet::bench::run_all(argc, argv);
}
