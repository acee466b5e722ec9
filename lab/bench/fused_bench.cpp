// SPDX-License-Identifier: Apache-2.0
//
// Compares fused products of transforms with the same work in separate calls, for every available
// kernel. Names are such as ntt_product/ifma52/radix2/fused/n=4096/q=49, where q is the width of
// the prime in bits; names of sums end with the numbers of terms and targets. Both sides take turns
// within one benchmark: `separate` is the fastest block of the separate calls, `ratio` is separate
// / min.

#include <benchmark/benchmark.h>

#include "ringlet/arith/primes.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ntt/compose.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "ringlet/ntt/rns_ntt.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

using Words = AlignedVector<std::uint64_t>;

constexpr std::size_t kFusedDegrees[] = {4096, 8192, 16384, 32768};
constexpr int kFusedPrimeBits[] = {49, 60};

struct Shape {
  std::size_t terms = 1;
  std::size_t targets = 1;
};

/// One plan, its element-wise companion, buffers of residues, and scratch memory.
struct Workplace {
  Workplace(std::size_t degree, const Modulus& q, const KernelInfo& kernel, Shape shape)
      : plan(degree, q, KernelSelection(kernel.table + "/" + kernel.algorithm)),
        eltwise(q, KernelSelection(kernel.table)),
        operands(shape.terms, Words(degree)),
        keys(shape.terms * shape.targets, Words(degree)),
        sums(shape.targets, Words(degree)),
        transformed(shape.terms, Words(degree)),
        scratch(shape.terms * degree),
        operand_spans(operands.begin(), operands.end()),
        key_spans(keys.begin(), keys.end()),
        sum_spans(sums.begin(), sums.end()),
        transformed_spans(transformed.begin(), transformed.end()),
        keys_of_target(shape.targets) {
    for (Words& words : operands) fill(words, q, 1 + words.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      fill(keys[i], q, 2 + i);
      keys_of_target[i % shape.targets].push_back(keys[i]);
    }
  }
  Ntt plan;
  Eltwise eltwise;
  std::vector<Words> operands, keys, sums, transformed;
  Words scratch;
  std::vector<Ntt::Operand> operand_spans, key_spans;
  std::vector<Ntt::Result> sum_spans;
  std::vector<Ntt::Operand> transformed_spans;
  std::vector<std::vector<Ntt::Operand>> keys_of_target;
};

/// Multiplies operand 0 by key 0 into sum 0.
void fused_product(Workplace& w) {
  w.plan.multiply(w.sums[0], w.operands[0], w.keys[0], 1, 1, w.scratch);
}

void separate_product(Workplace& w) {
  w.plan.forward(w.sums[0], w.operands[0], 1, 4);
  w.plan.forward(w.scratch, w.keys[0], 1, 4);
  w.eltwise.multiply(w.sums[0], w.sums[0], w.scratch, 4);
  w.plan.inverse(w.sums[0], w.sums[0]);
}

void fused_inner_product(Workplace& w) {
  w.plan.inner_product(w.sum_spans, w.operand_spans, w.key_spans, w.scratch);
}

void separate_inner_product(Workplace& w) {
  for (std::size_t k = 0; k < w.operands.size(); ++k) {
    w.plan.forward(w.transformed[k], w.operands[k]);
  }
  for (std::size_t t = 0; t < w.sums.size(); ++t) {
    w.eltwise.multiply_accumulate(w.sums[t], w.transformed_spans, w.keys_of_target[t]);
  }
}

void fused_multiply_accumulate(Workplace& w) {
  w.plan.multiply_accumulate(w.sums[0], w.operand_spans, w.key_spans, w.scratch);
}

void separate_multiply_accumulate(Workplace& w) {
  separate_inner_product(w);
  w.plan.inverse(w.sums[0], w.sums[0]);
}

/// One product in NTT form needs no sum.
void separate_multiply(Workplace& w) {
  w.plan.forward(w.sums[0], w.operands[0], 1, 4);
  w.eltwise.multiply(w.sums[0], w.sums[0], w.keys[0], 4);
  w.plan.inverse(w.sums[0], w.sums[0]);
}

/// Runs four element-wise stages in blocks that stay in the cache.
void chain_in_blocks(Workplace& w) {
  using namespace stages;  // NOLINT(google-build-using-namespace)
  const auto chain = multiply(w.eltwise, w.keys[0]) | add(w.eltwise, w.keys[0]) |
                     multiply_scalar(w.eltwise, 12345) | subtract(w.eltwise, w.keys[0]);
  chain(w.sums[0], w.operands[0]);
}

void chain_in_calls(Workplace& w) {
  w.eltwise.multiply(w.sums[0], w.operands[0], w.keys[0]);
  w.eltwise.add(w.sums[0], w.sums[0], w.keys[0]);
  w.eltwise.multiply_scalar(w.sums[0], w.sums[0], 12345);
  w.eltwise.subtract(w.sums[0], w.sums[0], w.keys[0]);
}

using Way = void (*)(Workplace&);

struct Subject {
  const char* name;
  Way fused;
  Way separate;
  Shape shape;
};

const Subject kSubjects[] = {
    {"ntt_product", fused_product, separate_product, {1, 1}},
    {"eltwise_chain", chain_in_blocks, chain_in_calls, {1, 1}},
    {"ntt_multiply_accumulate", fused_multiply_accumulate, separate_multiply, {1, 1}},
    {"ntt_multiply_accumulate", fused_multiply_accumulate, separate_multiply_accumulate, {4, 1}},
    {"ntt_inner_product", fused_inner_product, separate_inner_product, {2, 2}},
    {"ntt_inner_product", fused_inner_product, separate_inner_product, {6, 2}},
};

void register_subject(const Subject& subject, const KernelInfo& kernel, std::size_t degree,
                      int bits) {
  const Modulus q = generate_ntt_primes(bits, degree, 1).front();
  if (q.value() >= kernel.modulus_limit) return;
  std::string suffix = "/n=" + std::to_string(degree) + "/q=" + std::to_string(bits);
  if (subject.fused == fused_multiply_accumulate || subject.fused == fused_inner_product) {
    suffix += "/terms=" + std::to_string(subject.shape.terms) +
              "/targets=" + std::to_string(subject.shape.targets);
  }
  const auto add = [&](const char* name, Way way, Way other) {
    register_benchmark(
        subject.name + ("/" + kernel.table + "/" + kernel.algorithm + "/") + name + suffix,
        [=, shape = subject.shape](benchmark::State& state) {
          Workplace work(degree, q, kernel, shape);
          run_in_turns(state, [&] { way(work); }, [&] { other(work); });
        });
  };
  add("fused", subject.fused, subject.separate);
  add("separate", subject.separate, subject.fused);
}

/// Registers all transforms of several polynomials modulo several primes, at once and one by one.
void register_batch(bool is_forward, std::size_t degree, int bits) {
  constexpr std::size_t kPrimes = 4;
  constexpr std::size_t kPolynomials = 4;
  const std::string name = is_forward ? "rns_ntt_forward" : "rns_ntt_inverse";
  for (const bool is_batch : {true, false}) {
    register_benchmark(name + (is_batch ? "/batch" : "/loop") + "/n=" + std::to_string(degree) +
                           "/q=" + std::to_string(bits),
                       [=](benchmark::State& state) {
                         const RnsNtt rns(degree, generate_ntt_primes(bits, degree, kPrimes));
                         Words words(kPolynomials * kPrimes * degree, 1);
                         const RnsWords all{words, degree, kPolynomials, kPrimes * degree};
                         const auto together = [&] {
                           is_forward ? rns.forward(all, all) : rns.inverse(all, all);
                         };
                         const auto one_by_one = [&] {
                           for (std::size_t i = 0; i < kPolynomials * kPrimes; ++i) {
                             const auto limb = std::span(words).subspan(i * degree, degree);
                             const Ntt& plan = rns[i % kPrimes];
                             is_forward ? plan.forward(limb) : plan.inverse(limb);
                           }
                         };
                         if (is_batch) {
                           run_in_turns(state, together, one_by_one);
                         } else {
                           run_in_turns(state, one_by_one, together);
                         }
                       });
  }
}

void register_all() {
  for (const bool is_forward : {true, false}) register_batch(is_forward, 4096, 49);
  for (const int bits : kFusedPrimeBits) {
    for (const std::size_t degree : kFusedDegrees) {
      for (const Subject& subject : kSubjects) {
        for (const auto& kernel : kernel_catalog()) {
          if (kernel.operation != "ntt" || !kernel.available) continue;
          register_subject(subject, kernel, degree, bits);
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
