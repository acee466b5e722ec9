// SPDX-License-Identifier: Apache-2.0
//
// Operations on double words by every kernel that this processor runs, in planes; transforms in
// place with their scratch. Names such as wide_ntt_forward/ifma52/shoup/n=4096/q=124 and
// wide_multiply/avx2/schoolbook/n=1024/q=124, where q is the width of the prime in bits. Kernels
// that take special primes alone get k * 2^104 + 1, others a prime of any form. The counter
// `ns_per_butterfly` or `ns_per_element` is that of the fastest block.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <benchmark/benchmark.h>

#include "kernels/select.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/kernel_selection.hpp"
#include "ringlet/wide.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

constexpr int kWideBits = 124;
constexpr std::size_t kEltwiseCount = 1024;

/// Residues in two planes, the same on every run.
struct Planes {
  Planes(std::size_t size, const WideModulus& q, std::uint64_t seed) : low(size), high(size) {
    std::uint64_t state = seed;
    const auto next = [&] { return state = state * 6364136223846793005U + 1442695040888963407U; };
    for (std::size_t i = 0; i < size; ++i) {
      low[i] = next();
      // A high word below that of q makes a residue, whatever the low word is.
      high[i] = next() % q.value()[1];
    }
  }
  WideResult result() { return {std::span(low), std::span(high)}; }
  WideOperand operand() const { return {std::span(low), std::span(high)}; }

  AlignedVector<std::uint64_t> low, high;
};

/// Divides the fastest block, in microseconds, by what it did.
void report_unit(benchmark::State& state, const char* unit, double count) {
  state.counters[std::string("ns_per_") + unit] = state.counters["min"] * 1e3 / count;
}

std::string suffix(const std::string& kernel, std::size_t size) {
  return "/" + kernel + "/n=" + std::to_string(size) + "/q=" + std::to_string(kWideBits);
}

struct Subject {
  Subject(const WideModulus& q, const std::string& kernel)
      : plan(q, KernelSelection(kernel)),
        a(kEltwiseCount, q, 1),
        b(kEltwiseCount, q, 2),
        c(kEltwiseCount, q, 3),
        scalar{a.low[0], a.high[0]} {}

  WideEltwise plan;
  Planes a, b, c;
  DoubleWord scalar;
};

struct Operation {
  const char* name;
  void (*run)(Subject& x);
};

constexpr Operation kOperations[] = {
    {"add", [](Subject& x) { x.plan.add(x.c.result(), x.a.operand(), x.b.operand()); }},
    {"subtract", [](Subject& x) { x.plan.subtract(x.c.result(), x.a.operand(), x.b.operand()); }},
    {"multiply", [](Subject& x) { x.plan.multiply(x.c.result(), x.a.operand(), x.b.operand()); }},
    {"axpy",
     [](Subject& x) {
       x.plan.multiply_scalar_add(x.c.result(), x.scalar, x.a.operand(), x.b.operand());
     }},
    {"dot", [](Subject& x) { x.scalar = x.plan.dot(x.a.operand(), x.b.operand()); }},
    {"reduce", [](Subject& x) { x.plan.reduce(x.c.result(), x.a.operand()); }},
};

void register_operation(const Operation& operation, const std::string& kernel,
                        const WideModulus& q) {
  register_benchmark("wide_" + std::string(operation.name) + suffix(kernel, kEltwiseCount),
                     [=](benchmark::State& state) {
                       Subject subject(q, kernel);
                       run_in_blocks(state, [&] { operation.run(subject); });
                       report_unit(state, "element", static_cast<double>(kEltwiseCount));
                     });
}

void register_transforms(int log_degree, const std::string& kernel, const WideModulus& q) {
  const std::size_t degree = std::size_t{1} << log_degree;
  for (const bool is_forward : {true, false}) {
    const std::string name = is_forward ? "wide_ntt_forward" : "wide_ntt_inverse";
    register_benchmark(name + suffix(kernel, degree), [=](benchmark::State& state) {
      const WideNtt plan(degree, q, WideRing::negacyclic, KernelSelection(kernel));
      Planes values(degree, q, 1);
      AlignedVector<std::uint64_t> scratch(plan.scratch_words());
      run_in_blocks(state, [&] {
        if (is_forward) {
          plan.forward(values.result(), values.operand(), scratch);
        } else {
          plan.inverse(values.result(), values.operand(), scratch);
        }
      });
      report_unit(state, "butterfly", static_cast<double>(degree / 2) * log_degree);
    });
  }
}

void register_all() {
  constexpr int kLeastLogDegree = 8;
  const int most = std::countr_zero(kMaxWideNttDegree);
  for (const bool is_special : {false, true}) {
    const WideModulus q = is_special
                              ? generate_special_wide_primes(kWideBits, 1).front()
                              : generate_wide_ntt_primes(kWideBits, kMaxWideNttDegree, 1).front();
    for (const auto& chosen : kernels::wide_kernels(q.value().data())) {
      if (chosen.kernel->special_modulus != is_special) continue;
      for (const Operation& operation : kOperations) {
        register_operation(operation, chosen.name(), q);
      }
      for (int log = kLeastLogDegree; log <= most; ++log) {
        register_transforms(log, chosen.name(), q);
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
