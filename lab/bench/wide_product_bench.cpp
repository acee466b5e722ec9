// SPDX-License-Identifier: Apache-2.0
//
// Products p * u + e modulo (Phi_m, q) of a wide and a small polynomial: ONE component of a
// ciphertext, the wide polynomial prepared. Names such as
// wide_product/ntt/ifma52/m=3485/q=125/products=1, where q is the width of the modulus in bits and
// so many products share the wide polynomial in one call; `chosen` is what the planner takes.
// Each takes turns with the chosen way: `separate` is the fastest block of that one, `ratio` how
// many times faster this one is. Names wide_product_part/... are the steps of the way ntt for one
// product: transforms of the small polynomial modulo all primes, products of values, transforms
// back, reductions of all planes modulo Phi_m, and what makes integers modulo q of residues.

#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "kernels/select.hpp"
#include "ring/wide/product_length.hpp"
#include "ring/wide/reconstruction.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/eltwise.hpp"
#include "ringlet/kernel_selection.hpp"
#include "ringlet/ntt.hpp"
#include "ringlet/primes.hpp"
#include "ringlet/wide_product.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

constexpr std::uint64_t kRings[] = {2783, 3485, 10773, 8191};
constexpr int kModulusBits = 125;
constexpr std::size_t kMaxProducts = 4;
constexpr ProductWay kWays[] = {ProductWay::karatsuba, ProductWay::ntt, ProductWay::additions};

/// Words that are the same on every run.
class Sequence {
 public:
  std::uint64_t next() { return state_ = state_ * 6364136223846793005U + 1442695040888963407U; }

 private:
  std::uint64_t state_ = 1;
};

/// Operands and results of calls of one way.
struct Workplace {
  Workplace(std::uint64_t index, ProductWay way, const KernelSelection& selection)
      : product(CyclotomicPolynomial(index), WideModulus::largest_prime(kModulusBits), way,
                selection),
        results(kMaxProducts) {
    Sequence words;
    const std::size_t degree = product.polynomial().degree();
    WidePoly p(degree, 2);
    for (std::size_t i = 0; i < degree; ++i) p.set(i, {words.next(), words.next() >> 4, 0});
    prepared = product.prepare(p);
    for (std::size_t k = 0; k < kMaxProducts; ++k) {
      u.emplace_back(degree);
      e.emplace_back(degree);
      for (auto& value : u.back()) value = static_cast<std::int8_t>(words.next() >> 63);
      for (auto& value : e.back()) value = static_cast<std::int32_t>(words.next() >> 60) - 8;
    }
    small.assign(u.begin(), u.end());
    summands.assign(e.begin(), e.end());
  }

  void run(std::size_t products) {
    product.multiply_add(std::span(results).first(products), *prepared,
                         std::span(small).first(products), std::span(summands).first(products));
  }

  WideProduct product;
  std::shared_ptr<const PreparedWidePoly> prepared;
  std::vector<std::vector<std::int8_t>> u;
  std::vector<std::vector<std::int32_t>> e;
  std::vector<std::span<const std::int8_t>> small;
  std::vector<std::span<const std::int32_t>> summands;
  std::vector<WidePoly> results;
};

std::string ring_suffix(std::uint64_t index) {
  return "/m=" + std::to_string(index) + "/q=" + std::to_string(kModulusBits);
}

void register_way(const std::string& name, std::uint64_t index, ProductWay way,
                  const KernelSelection& selection) {
  for (std::size_t products = 1; products <= kMaxProducts; ++products) {
    register_benchmark(
        "wide_product/" + name + ring_suffix(index) + "/products=" + std::to_string(products),
        [=](benchmark::State& state) {
          Workplace work(index, way, selection);
          Workplace chosen(index, ProductWay::automatic, KernelSelection::from_environment());
          run_in_turns(state, [&] { work.run(products); }, [&] { chosen.run(products); });
          state.SetLabel(work.product.kernel_name());
        });
  }
}

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
    register_benchmark("wide_product_part/" + std::string(name) + "/" + table + ring_suffix(index),
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
  const auto tables = available_tables();
  for (const std::uint64_t index : kRings) {
    register_way("chosen", index, ProductWay::automatic, KernelSelection::from_environment());
    for (const std::string& table : tables) {
      for (const ProductWay way : kWays) {
        register_way(to_string(way) + ("/" + table), index, way, KernelSelection(table));
      }
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
