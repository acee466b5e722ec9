// SPDX-License-Identifier: Apache-2.0
//
// Times the five routines of CKKS and the two products of matrices of ciphertexts of Zhai et al.,
// "Accelerating Encrypted Computing on Intel GPUs" (IPDPS 2022, IV-C and IV-E), on the device that
// RINGLET_DEVICE names, by default the processor. Names are such as
// routine/MulLinRS/batch/n=4096/l=3/count=4 and matrix_product/10x9x8/fused/n=512/l=3, with the
// degree and the number of data primes; shapes are rows of C, columns of C, columns of A.
//
// Routines: one call for `count` ciphertexts (batch) against a call for each (single). Products: C
// += A * B in the fused form against separate multiplications and additions, each of which reduces
// and stores. Both sides take turns within one benchmark: `separate` is the fastest block of the
// other side, `ratio` is separate / min.
//
// --paper uses the paper's sizes: N = 32768 with 8 data primes for routines; N = 8192 with 3 for
// products, of which the larger needs 6 GB.

#include <benchmark/benchmark.h>

#include "gpu/meters/product_meter.hpp"
#include "gpu/meters/routine_meter.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

constexpr std::size_t kBatch = 4;

void register_routine(const std::string& name, const SchemeShape& shape) {
  const std::string suffix = "/n=" + std::to_string(shape.degree) +
                             "/l=" + std::to_string(shape.data_primes) +
                             "/count=" + std::to_string(kBatch);
  for (const bool is_batch : {true, false}) {
    register_benchmark("routine/" + name + (is_batch ? "/batch" : "/single") + suffix,
                       [=](benchmark::State& state) {
                         const RoutineHost host(shape, kBatch);
                         const Evaluator evaluator(host.context);
                         const RunRoutine run = find_routine(name, true);
                         Operands operands(host);
                         // Devices work in order: the last result is complete last.
                         const auto in_calls_of = [&](std::size_t count) {
                           for (std::size_t i = 0; i < kBatch; i += count)
                             run(evaluator, host, operands, i, count);
                           operands.results.back().bring_to_host();
                         };
                         const std::size_t count = is_batch ? kBatch : 1;
                         const std::size_t other = is_batch ? 1 : kBatch;
                         run_in_turns(
                             state, [&] { in_calls_of(count); }, [&] { in_calls_of(other); });
                       });
  }
}

void register_product(const ProductShape& shape) {
  const std::string suffix =
      "/n=" + std::to_string(shape.degree) + "/l=" + std::to_string(shape.data_primes);
  const auto add = [&](const char* way, MatrixProduct form, MatrixProduct other) {
    register_benchmark("matrix_product/" + shape.name() + "/" + way + suffix,
                       [=](benchmark::State& state) {
                         const ProductHost host(shape);
                         const Evaluator evaluator(host.context);
                         const CiphertextMatrix a = host.encrypted(shape.rows, shape.depth);
                         const CiphertextMatrix b = host.encrypted(shape.depth, shape.columns);
                         CiphertextMatrix c = host.zeros();
                         const auto run = [&](MatrixProduct taken) {
                           multiply_accumulate(evaluator, c, a, b, taken);
                           c.entries().back().bring_to_host();
                         };
                         run_in_turns(state, [&] { run(form); }, [&] { run(other); });
                       });
  };
  add("fused", MatrixProduct::fused, MatrixProduct::separate);
  add("separate", MatrixProduct::separate, MatrixProduct::fused);
}

void register_all(const SchemeShape& routines, const SchemeShape& products) {
  for (const char* name : {"MulLin", "MulLinRS", "SqrLinRS", "MulLinRSModSwAdd", "Rotate"}) {
    register_routine(name, routines);
  }
  register_product({100, 100, 1, products.degree, products.data_primes});
  register_product({10, 9, 8, products.degree, products.data_primes});
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  char** const paper = std::find_if(
      argv, argv + argc, [](const char* text) { return std::string_view(text) == "--paper"; });
  if (paper == argv + argc) {
    ringlet::bench::register_all({4096, 3}, {512, 3});
  } else {
    ringlet::bench::register_all({32768, 8}, {8192, 3});
    std::copy(paper + 1, argv + argc--, paper);
  }
  return ringlet::bench::run_all(argc, argv);
}
