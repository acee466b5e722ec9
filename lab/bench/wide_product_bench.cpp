// SPDX-License-Identifier: Apache-2.0
//
// Times the steps of one product modulo (Phi_m, q) of a wide and a small polynomial by the way ntt:
// transforms of the small polynomial modulo all primes, products of values, inverse transforms,
// reductions of all planes modulo Phi_m, and the conversion of residues to integers modulo q. Names
// are such as wide_product_part/forward/ifma52/m=3485/q=125, where q is the width of the modulus in
// bits. `ringlet bench fv` times whole products.

#include <benchmark/benchmark.h>

#include "fv/products/product_length.hpp"
#include "fv/products/reconstruction.hpp"
#include "kernels/select.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/fv/wide_product.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

constexpr std::uint64_t kRings[] = {2783, 3485, 10773, 8191};
constexpr int kModulusBits = 125;
/// The steps of the way ntt.
struct Parts {
  static constexpr std::size_t kPrimes = 3;
  static constexpr std::uint64_t kGrowth = 4096;

  Parts(std::uint64_t index, const KernelSelection& selection)
      : polynomial(index),
        count(2 * polynomial.degree() - 1),
        length(wide::product_length(count)),
        primes(generate_ntt_primes(49, length.first, kPrimes)),
        reduction(polynomial),
        reconstruction(WideModulus::largest_prime(kModulusBits), primes, kGrowth,
                       kernels::choose_residue(selection)),
        words(kPrimes * length.total()),
        factors(kPrimes * length.total()),
        e(polynomial.degree(), 3),
        result(polynomial.degree(), 2) {
    for (std::size_t l = 0; l < kPrimes; ++l) {
      first.emplace_back(length.first, primes[l], selection);
      if (length.second != 0) second.emplace_back(length.second, primes[l], selection);
      eltwise.emplace_back(primes[l], selection);
      fill(plane(l), primes[l], l);
      fill(std::span(factors).subspan(l * length.total(), length.total()), primes[l], l + 9);
    }
  }

  std::span<std::uint64_t> plane(std::size_t l) {
    return std::span(words).subspan(l * length.total(), length.total());
  }
  void forward() {
    for (std::size_t l = 0; l < kPrimes; ++l) {
      first[l].forward(plane(l).first(length.first));
      if (length.second != 0) second[l].forward(plane(l).subspan(length.first));
    }
  }
  void multiply() {
    for (std::size_t l = 0; l < kPrimes; ++l) {
      eltwise[l].multiply(plane(l), plane(l),
                          std::span(factors).subspan(l * length.total(), length.total()));
    }
  }
  void inverse() {
    for (std::size_t l = 0; l < kPrimes; ++l) {
      first[l].inverse(plane(l).first(length.first));
      if (length.second != 0) second[l].inverse(plane(l).subspan(length.first));
    }
  }
  void reduce() {
    for (std::size_t l = 0; l < kPrimes; ++l) reduction.reduce_words(plane(l).first(count));
  }
  void reconstruct() { reconstruction.run(result, words.data(), length.total(), e); }

  CyclotomicPolynomial polynomial;
  std::size_t count;
  wide::ProductLength length;
  std::vector<Modulus> primes;
  CyclotomicReduction reduction;
  wide::Reconstruction reconstruction;
  std::vector<Ntt> first, second;
  std::vector<Eltwise> eltwise;
  AlignedVector<std::uint64_t> words, factors;
  std::vector<std::int32_t> e;
  WidePoly result;
};

void register_parts(const std::string& table, std::uint64_t index,
                    const KernelSelection& selection) {
  const auto add = [&](const char* name, void (Parts::*step)()) {
    register_benchmark("wide_product_part/" + std::string(name) + "/" + table +
                           "/m=" + std::to_string(index) + "/q=" + std::to_string(kModulusBits),
                       [=](benchmark::State& state) {
                         Parts parts(index, selection);
                         run_in_blocks(state, [&] { (parts.*step)(); });
                       });
  };
  add("forward", &Parts::forward);
  add("multiply", &Parts::multiply);
  add("inverse", &Parts::inverse);
  add("reduce", &Parts::reduce);
  add("reconstruct", &Parts::reconstruct);
}

/// The tables that this processor has.
std::vector<std::string> available_tables() {
  std::vector<std::string> names;
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (!kernel.available || (!names.empty() && names.back() == kernel.table)) continue;
    names.push_back(kernel.table);
  }
  return names;
}

void register_all() {
  for (const std::uint64_t index : kRings) {
    for (const std::string& table : available_tables()) {
      register_parts(table, index, KernelSelection(table));
    }
  }
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  ringlet::bench::register_all();
  return ringlet::bench::run_all(argc, argv);
}
