// SPDX-License-Identifier: Apache-2.0
//
// Compares sums of products of every available kernel with the calls that they replace: a multiply
// and one multiply_add for each further term, by the table's best kernels. Also compares products
// of pairs, as eltwise_multiply_pairs, with three multiply and one multiply_add by the same
// kernels. The two sides take turns within one benchmark; `min` and `median` are the sum's,
// `separate` is the fastest block of the replaced calls and `ratio` separate / min. Names are such
// as eltwise_multiply_accumulate/ifma52/wide/n=4096/q=49/terms=8.

#include <benchmark/benchmark.h>

#include "ringlet/arith/primes.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

constexpr std::size_t kTermCounts[] = {1, 2, 3, 4, 8, 16};

struct Terms {
  Terms(std::size_t term_count, std::size_t size, const Modulus& q) : result(size) {
    words.reserve(2 * term_count);
    for (std::size_t k = 0; k < term_count; ++k) {
      for (auto* side : {&a, &b}) {
        fill(words.emplace_back(size), q, words.size());
        side->push_back(words.back());
      }
    }
  }
  std::vector<AlignedVector<std::uint64_t>> words;
  std::vector<std::span<const std::uint64_t>> a, b;
  AlignedVector<std::uint64_t> result;
};

void multiply_accumulate(benchmark::State& state, const KernelInfo& kernel, std::size_t size,
                         const Modulus& q, std::size_t term_count) {
  const Eltwise plan(q, KernelSelection(kernel.table + "/" + kernel.algorithm));
  const Eltwise table(q, KernelSelection(kernel.table));
  Terms terms(term_count, size, q);
  const auto separate = [&] {
    table.multiply(terms.result, terms.a[0], terms.b[0]);
    for (std::size_t k = 1; k < term_count; ++k) {
      table.multiply_add(terms.result, terms.a[k], terms.b[k], terms.result);
    }
    benchmark::ClobberMemory();
  };
  const auto sum = [&] {
    plan.multiply_accumulate(terms.result, terms.a, terms.b);
    benchmark::ClobberMemory();
  };
  run_in_turns(state, sum, separate);
}

/// Uses four limbs that together exceed the second-level cache, as ciphertexts do.
void multiply_pairs(benchmark::State& state, const KernelInfo& kernel, std::size_t size,
                    const Modulus& q) {
  const Eltwise plan(q, KernelSelection(kernel.table + "/" + kernel.algorithm));
  std::vector<Terms> limbs;
  for (int i = 0; i < 4; ++i) limbs.emplace_back(2, size, q);
  std::vector<AlignedVector<std::uint64_t>> results(8);
  for (auto& words : results) words.resize(size);
  const auto separate = [&] {
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      Terms& x = limbs[i];
      plan.multiply(x.result, x.a[0], x.b[0]);
      plan.multiply(results[2 * i], x.a[0], x.b[1]);
      plan.multiply_add(results[2 * i], x.a[1], x.b[0], results[2 * i]);
      plan.multiply(results[2 * i + 1], x.a[1], x.b[1]);
    }
    benchmark::ClobberMemory();
  };
  const auto together = [&] {
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      Terms& x = limbs[i];
      plan.multiply_pairs(
          std::array<Eltwise::Result, 3>{x.result, results[2 * i], results[2 * i + 1]},
          std::array<Eltwise::Operand, 2>{x.a[0], x.a[1]},
          std::array<Eltwise::Operand, 2>{x.b[0], x.b[1]});
    }
    benchmark::ClobberMemory();
  };
  run_in_turns(state, together, separate);
}

void dot(benchmark::State& state, const KernelInfo& kernel, std::size_t size, const Modulus& q) {
  const Eltwise plan(q, KernelSelection(kernel.table + "/" + kernel.algorithm));
  const Terms terms(1, size, q);
  run_in_blocks(state, [&] { benchmark::DoNotOptimize(plan.dot(terms.a[0], terms.b[0])); });
}

void register_kernel(const KernelInfo& kernel, std::size_t size, int bits) {
  const Modulus q = generate_ntt_primes(bits, size, 1).front();
  if (q.value() < kernel.modulus_minimum || q.value() >= kernel.modulus_limit) return;
  const std::string name = "eltwise_" + kernel.operation + "/" + kernel.table + "/" +
                           kernel.algorithm + "/n=" + std::to_string(size) +
                           "/q=" + std::to_string(bits);
  if (kernel.operation == "dot") {
    register_benchmark(name, [=](benchmark::State& state) { dot(state, kernel, size, q); });
  }
  if (kernel.operation == "multiply") {
    register_benchmark("eltwise_multiply_pairs/" + kernel.table + "/" + kernel.algorithm +
                           "/n=" + std::to_string(size) + "/q=" + std::to_string(bits),
                       [=](benchmark::State& state) { multiply_pairs(state, kernel, size, q); });
  }
  if (kernel.operation != "multiply_accumulate") return;
  for (const std::size_t terms : kTermCounts) {
    register_benchmark(name + "/terms=" + std::to_string(terms), [=](benchmark::State& state) {
      multiply_accumulate(state, kernel, size, q, terms);
    });
  }
}

void register_all() {
  for (const int bits : {49, 60}) {
    for (const std::size_t size : {std::size_t{4096}, std::size_t{16384}}) {
      for (const auto& kernel : kernel_catalog()) {
        if (kernel.available) register_kernel(kernel, size, bits);
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
