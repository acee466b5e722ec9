// SPDX-License-Identifier: Apache-2.0
//
// Element-wise operations of every available kernel. Names such as
// eltwise_multiply/ifma52/barrett/n=4096/q=49, where q is the width of the modulus in bits.

#include <functional>
#include <map>
#include <string>

#include <benchmark/benchmark.h>

#include "ringlet/aligned.hpp"
#include "ringlet/eltwise.hpp"
#include "ringlet/kernel_selection.hpp"
#include "ringlet/primes.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

struct Buffers {
  explicit Buffers(std::size_t size, const Modulus& q) : a(size), b(size), c(size), result(size) {
    fill(a, q, 1);
    fill(b, q, 2);
    fill(c, q, 3);
  }
  AlignedVector<std::uint64_t> a, b, c, result;
};

using Call = std::function<void(const Eltwise&, Buffers&)>;

constexpr std::uint64_t kScalar = 12345;

const std::map<std::string, Call>& calls() {
  static const std::map<std::string, Call> table = {
      {"add", [](const Eltwise& e, Buffers& x) { e.add(x.result, x.a, x.b); }},
      {"subtract", [](const Eltwise& e, Buffers& x) { e.subtract(x.result, x.a, x.b); }},
      {"negate", [](const Eltwise& e, Buffers& x) { e.negate(x.result, x.a); }},
      {"multiply", [](const Eltwise& e, Buffers& x) { e.multiply(x.result, x.a, x.b); }},
      {"multiply_add",
       [](const Eltwise& e, Buffers& x) { e.multiply_add(x.result, x.a, x.b, x.c); }},
      {"multiply_scalar",
       [](const Eltwise& e, Buffers& x) { e.multiply_scalar(x.result, x.a, kScalar); }},
      {"multiply_scalar_add",
       [](const Eltwise& e, Buffers& x) { e.multiply_scalar_add(x.result, x.a, kScalar, x.c); }},
      {"reduce", [](const Eltwise& e, Buffers& x) { e.reduce(x.result, x.a); }},
  };
  return table;
}

void register_operation(const KernelInfo& kernel, std::size_t size, int bits) {
  const Modulus q = generate_ntt_primes(bits, size, 1).front();
  const auto call = calls().find(kernel.operation);
  if (call == calls().end() || q.value() >= kernel.modulus_limit) return;
  const std::string name = "eltwise_" + kernel.operation + "/" + kernel.table + "/" +
                           kernel.algorithm + "/n=" + std::to_string(size) +
                           "/q=" + std::to_string(bits);
  register_benchmark(name, [=, run = call->second](benchmark::State& state) {
    const Eltwise plan(q, KernelSelection(kernel.table + "/" + kernel.algorithm));
    Buffers buffers(size, q);
    run_in_blocks(state, [&] {
      run(plan, buffers);
      benchmark::ClobberMemory();
    });
  });
}

void register_all() {
  for (const int bits : kPrimeBits) {
    for (const std::size_t size : {std::size_t{4096}, std::size_t{16384}}) {
      for (const auto& kernel : kernel_catalog()) {
        if (kernel.available) register_operation(kernel, size, bits);
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
