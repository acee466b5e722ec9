// SPDX-License-Identifier: Apache-2.0
//
// Element-wise operations of every available kernel, with every input factor. Names such as
// eltwise_multiply/ifma52/barrett/n=4096/q=49/factor=4, where q is the width of the modulus in
// bits.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "ringlet/aligned.hpp"
#include "ringlet/eltwise.hpp"
#include "ringlet/kernel_selection.hpp"
#include "ringlet/primes.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

/// 50-bit primes are the widest below the limit of ifma52.
constexpr int kWidths[] = {30, 49, 50, 60};
constexpr std::size_t kLengths[] = {4096, 16384};

constexpr std::uint64_t kScalar = 12345;

struct Buffers {
  explicit Buffers(std::size_t size, const Modulus& q, int factor)
      : a(size), b(size), c(size), result(size) {
    const Modulus range(q.value() * static_cast<unsigned>(factor));
    fill(a, range, 1);
    fill(b, range, 2);
    fill(c, range, 3);
  }
  AlignedVector<std::uint64_t> a, b, c, result;
};

using Call = std::function<void(const Eltwise&, Buffers&, int factor)>;

/// An operation with its input factors.
struct Operation {
  std::vector<int> factors;
  Call call;
};

const std::map<std::string, Operation>& operations() {
  using E = const Eltwise&;
  using B = Buffers&;
  static const std::map<std::string, Operation> table = {
      {"add", {{1}, [](E e, B x, int) { e.add(x.result, x.a, x.b); }}},
      {"add_scalar", {{1}, [](E e, B x, int) { e.add_scalar(x.result, x.a, kScalar); }}},
      {"subtract", {{1}, [](E e, B x, int) { e.subtract(x.result, x.a, x.b); }}},
      {"subtract_scalar", {{1}, [](E e, B x, int) { e.subtract_scalar(x.result, x.a, kScalar); }}},
      {"negate", {{1}, [](E e, B x, int) { e.negate(x.result, x.a); }}},
      {"multiply", {{1, 2, 4}, [](E e, B x, int f) { e.multiply(x.result, x.a, x.b, f); }}},
      {"multiply_add", {{1}, [](E e, B x, int) { e.multiply_add(x.result, x.a, x.b, x.c); }}},
      {"multiply_scalar",
       {{1, 2, 4, 8}, [](E e, B x, int f) { e.multiply_scalar(x.result, x.a, kScalar, f); }}},
      {"multiply_scalar_add",
       {{1, 2, 4, 8},
        [](E e, B x, int f) { e.multiply_scalar_add(x.result, x.a, kScalar, x.c, f); }}},
      {"reduce", {{1}, [](E e, B x, int) { e.reduce(x.result, x.a); }}},
      {"reduce_range", {{2, 4}, [](E e, B x, int f) { e.reduce_range(x.result, x.a, f, 1); }}},
      {"compare_add",
       {{1},
        [](E e, B x, int) {
          e.compare_add(x.result, x.a, Comparison::not_less_equal, e.modulus().value() / 2,
                        kScalar);
        }}},
      {"compare_subtract",
       {{1},
        [](E e, B x, int) {
          e.compare_subtract(x.result, x.a, Comparison::not_less_equal, e.modulus().value() / 2,
                             kScalar);
        }}},
  };
  return table;
}

/// Widths whose primes a kernel does not take are left out.
void register_operation(const KernelInfo& kernel, std::size_t size, int bits) {
  const Modulus q = generate_ntt_primes(bits, size, 1).front();
  const auto found = operations().find(kernel.operation);
  if (found == operations().end()) return;
  if (q.value() < kernel.modulus_minimum || q.value() >= kernel.modulus_limit) return;
  for (const int factor : found->second.factors) {
    const std::string name =
        "eltwise_" + kernel.operation + "/" + kernel.table + "/" + kernel.algorithm +
        "/n=" + std::to_string(size) + "/q=" + std::to_string(bits) +
        (found->second.factors.size() == 1 ? std::string() : "/factor=" + std::to_string(factor));
    register_benchmark(name, [=, call = found->second.call](benchmark::State& state) {
      const Eltwise plan(q, KernelSelection(kernel.table + "/" + kernel.algorithm));
      Buffers buffers(size, q, factor);
      run_in_blocks(state, [&] {
        call(plan, buffers, factor);
        benchmark::ClobberMemory();
      });
    });
  }
}

void register_all() {
  for (const int bits : kWidths) {
    for (const std::size_t size : kLengths) {
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
