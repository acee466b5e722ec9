// SPDX-License-Identifier: Apache-2.0
//
// Transforms modulo 16 primes one after the other, whose tables do not stay in the second-level
// cache: one call of RnsNtt against a loop of Ntt calls, for every available kernel and for the one
// that a plan chooses ("chosen"). Names such as
// rns_ntt_forward/ifma52/radix2/batch/n=4096/q=49/polynomials=1, where q is the width of the primes
// in bits; `single` is the loop, polynomial by polynomial. Both ways take turns within one
// benchmark: `separate` is the fastest block of the other way, `ratio` how many times faster this
// one is, and `per_transform` the fastest block divided by the number of transforms.
// RINGLET_THREADS says how many threads a batch may use.

#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "ringlet/aligned.hpp"
#include "ringlet/kernel_selection.hpp"
#include "ringlet/primes.hpp"
#include "ringlet/rns_ntt.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

constexpr std::size_t kRnsDegrees[] = {4096, 8192, 16384, 32768, 65536};
constexpr std::size_t kPolynomials[] = {1, 4};
constexpr std::size_t kPrimes = 16;
constexpr int kBits = 49;
/// Words between two limbs beyond their own: limbs a power of two apart collide in the cache.
constexpr std::size_t kGap = 64;

struct Workplace {
  Workplace(std::size_t degree, std::size_t polynomials, const KernelSelection& selection)
      : moduli(generate_ntt_primes(kBits, degree, kPrimes)),
        rns(degree, moduli, selection),
        limb_stride(degree + kGap),
        polynomial_count(polynomials),
        words(polynomials * kPrimes * limb_stride) {
    for (std::size_t i = 0; i < polynomials * kPrimes; ++i) fill(limb(i), moduli[i % kPrimes], i);
  }

  /// Limb i % kPrimes of polynomial i / kPrimes.
  std::span<std::uint64_t> limb(std::size_t i) {
    return std::span(words).subspan(i * limb_stride, rns.degree());
  }
  RnsWords all() { return {words, limb_stride, polynomial_count, kPrimes * limb_stride}; }
  std::size_t transforms() const { return polynomial_count * kPrimes; }

  std::vector<Modulus> moduli;
  RnsNtt rns;
  std::size_t limb_stride;
  std::size_t polynomial_count;
  AlignedVector<std::uint64_t> words;
};

void forward_batch(Workplace& w) { w.rns.forward(w.all(), w.all()); }
void inverse_batch(Workplace& w) { w.rns.inverse(w.all(), w.all()); }

void forward_single(Workplace& w) {
  for (std::size_t i = 0; i < w.transforms(); ++i) w.rns[i % kPrimes].forward(w.limb(i));
}
void inverse_single(Workplace& w) {
  for (std::size_t i = 0; i < w.transforms(); ++i) w.rns[i % kPrimes].inverse(w.limb(i));
}

using Way = void (*)(Workplace&);

void register_way(const std::string& name, std::size_t degree, std::size_t polynomials,
                  const KernelSelection& selection, Way way, Way other) {
  register_benchmark(name + "/n=" + std::to_string(degree) + "/q=" + std::to_string(kBits) +
                         "/polynomials=" + std::to_string(polynomials),
                     [=](benchmark::State& state) {
                       Workplace work(degree, polynomials, selection);
                       run_in_turns(state, [&] { way(work); }, [&] { other(work); });
                       state.SetLabel(work.rns[0].kernel_name());
                       state.counters["per_transform"] =
                           state.counters["min"] / static_cast<double>(work.transforms());
                     });
}

void register_kernel(const std::string& name, const KernelSelection& selection) {
  for (const std::size_t polynomials : kPolynomials) {
    for (const std::size_t degree : kRnsDegrees) {
      const auto add = [&](const std::string& prefix, Way way, Way other) {
        register_way(prefix, degree, polynomials, selection, way, other);
      };
      add("rns_ntt_forward/" + name + "/batch", forward_batch, forward_single);
      add("rns_ntt_forward/" + name + "/single", forward_single, forward_batch);
      add("rns_ntt_inverse/" + name + "/batch", inverse_batch, inverse_single);
      add("rns_ntt_inverse/" + name + "/single", inverse_single, inverse_batch);
    }
  }
}

void register_all() {
  register_kernel("chosen", KernelSelection::from_environment());
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (kernel.operation != "ntt" || !kernel.available || kernel.named_only) continue;
    if (kernel.modulus_limit >> kBits == 0) continue;  // It does not take these moduli.
    const std::string name = kernel.table + "/" + kernel.algorithm;
    register_kernel(name, KernelSelection(name));
  }
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  ringlet::bench::register_all();
  return ringlet::bench::run_all(argc, argv);
}
