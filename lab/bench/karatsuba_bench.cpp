// SPDX-License-Identifier: Apache-2.0
//
// Karatsuba's recursion by part and as a whole, for every kernel of this processor, at the ring
// m = 2783 (n = 2420, padded to 2560) and 125 bits: ONE component of a ciphertext.
//   karatsuba_part/<kernel>/...: pre_wide, the sub-polynomials of p, which a prepared key keeps;
//     pre_small, those of one u; base, the base products; product, base products and
//     post-computation; reduce, all planes modulo Phi_m. What is left of a whole product carries
//     the planes, adds e and reduces modulo q.
//   karatsuba/<kernel>/products=k/key=prepared: whole products p * u_i + e_i with p prepared;
//   .../key=new: with the preparation of p in the call, as Migliore et al. (2017) do it.
// karatsuba_shape/<kernel>/r=<recursions>: `product` in each shape that the estimate considers.

#include <random>

#include <benchmark/benchmark.h>

#include "kernels/karatsuba/shape.hpp"
#include "kernels/select.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/fv/wide_product.hpp"
#include "sampling.hpp"

namespace ringlet::bench {
namespace {

using kernels::KaratsubaKernel;
using kernels::KaratsubaShape;

constexpr std::uint64_t kRing = 2783;
constexpr int kModulusBits = 125;
constexpr std::size_t kMaxProducts = 4;

/// Words that are the same on every run.
using Sequence =
    std::linear_congruential_engine<std::uint64_t, 6364136223846793005U, 1442695040888963407U, 0>;

WidePoly wide_operand(std::size_t degree, Sequence& words) {
  WidePoly p(degree, 2);
  for (std::size_t i = 0; i < degree; ++i) p.set(i, {words(), words() >> 4, 0});
  return p;
}

std::vector<std::int8_t> small_operand(std::size_t degree, Sequence& words) {
  std::vector<std::int8_t> u(degree);
  for (auto& value : u) value = static_cast<std::int8_t>(words() >> 63);
  return u;
}

/// A kernel with its operands and memory.
class Parts {
 public:
  Parts(const KaratsubaKernel& kernel, const KaratsubaShape& shape)
      : kernel_(kernel),
        shape_(shape),
        phi_(kRing),
        reduction_(phi_),
        p_(wide_operand(phi_.degree(), words_)),
        u_(small_operand(phi_.degree(), words_)),
        wide_(kernel.wide_bytes(shape) / 8),
        small_(kernel.small_bytes(shape) / 8),
        room_(kernel.scratch_bytes(shape) / 8),
        planes_(shape.plane_count * stride()) {
    pre_wide();
    pre_small();
  }

  void pre_wide() {
    kernel_.split_wide(wide_.data(), {p_.plane(0).data(), p_.degree(), p_.word_count()}, shape_,
                       room_.data());
  }
  void pre_small() {
    kernel_.split_small(small_.data(), u_.data(), u_.size(), shape_, room_.data());
  }
  void base() {
    kernel_.multiply_base(planes_.data(), wide_.data(), small_.data(), shape_, room_.data());
  }
  void product() {
    kernel_.multiply(planes_.data(), wide_.data(), small_.data(), shape_, room_.data());
  }
  void reduce() {
    for (std::size_t k = 0; k < shape_.plane_count; ++k) {
      reduction_.reduce_words({planes_.data() + k * stride(), 2 * phi_.degree() - 1});
    }
  }

 private:
  std::size_t stride() const { return 2 * shape_.base_size << shape_.recursions; }

  const KaratsubaKernel& kernel_;
  KaratsubaShape shape_;
  CyclotomicPolynomial phi_;
  CyclotomicReduction reduction_;
  Sequence words_;
  WidePoly p_;
  std::vector<std::int8_t> u_;
  AlignedVector<std::uint64_t> wide_, small_, room_, planes_;
};

/// Whole products of the way karatsuba.
class Whole {
 public:
  explicit Whole(const KernelSelection& selection)
      : product_(CyclotomicPolynomial(kRing), WideModulus::largest_prime(kModulusBits),
                 ProductWay::karatsuba, selection),
        p_(wide_operand(product_.polynomial().degree(), words_)),
        results_(kMaxProducts) {
    for (std::size_t k = 0; k < kMaxProducts; ++k) {
      u_.push_back(small_operand(p_.degree(), words_));
      e_.emplace_back(p_.degree());
      for (auto& value : e_.back()) value = static_cast<std::int32_t>(words_() >> 60) - 8;
    }
    small_.assign(u_.begin(), u_.end());
    summands_.assign(e_.begin(), e_.end());
    prepare();
  }

  void prepare() { prepared_ = product_.prepare(p_); }
  void run(std::size_t products) {
    product_.multiply_add(std::span(results_).first(products), *prepared_,
                          std::span(small_).first(products), std::span(summands_).first(products));
  }
  std::string name() const { return product_.kernel_name(); }

 private:
  Sequence words_;
  WideProduct product_;
  WidePoly p_;
  std::shared_ptr<const PreparedWidePoly> prepared_;
  std::vector<std::vector<std::int8_t>> u_;
  std::vector<std::vector<std::int32_t>> e_;
  std::vector<std::span<const std::int8_t>> small_;
  std::vector<std::span<const std::int32_t>> summands_;
  std::vector<WidePoly> results_;
};

std::string setting(const char* what, const std::string& kernel) {
  return std::string(what) + "/" + kernel + "/m=" + std::to_string(kRing) +
         "/q=" + std::to_string(kModulusBits);
}

void register_parts(const KaratsubaKernel& kernel, const std::string& name) {
  const std::size_t degree = CyclotomicPolynomial(kRing).degree();
  const KaratsubaShape best = best_karatsuba_shape(kernel, {degree, kModulusBits});
  const auto add = [&](const char* part, void (Parts::*step)()) {
    register_benchmark(setting("karatsuba_part", name) + "/" + part,
                       [=, &kernel](benchmark::State& state) {
                         Parts parts(kernel, best);
                         run_in_blocks(state, [&] { (parts.*step)(); });
                       });
  };
  add("pre_wide", &Parts::pre_wide);
  add("pre_small", &Parts::pre_small);
  add("base", &Parts::base);
  add("product", &Parts::product);
  add("reduce", &Parts::reduce);
  for (int recursions = 3; recursions <= 8; ++recursions) {
    const KaratsubaShape shape = karatsuba_shape(kernel, {degree, kModulusBits}, recursions);
    if (shape.base_size == 0) continue;
    register_benchmark(setting("karatsuba_shape", name) + "/r=" + std::to_string(recursions),
                       [=, &kernel](benchmark::State& state) {
                         Parts parts(kernel, shape);
                         run_in_blocks(state, [&] { parts.product(); });
                       });
  }
}

void register_whole(const std::string& name) {
  for (std::size_t products = 1; products <= kMaxProducts; ++products) {
    const std::string row =
        setting("karatsuba", name) + "/products=" + std::to_string(products) + "/key=";
    register_benchmark(row + "prepared", [=](benchmark::State& state) {
      Whole whole{KernelSelection(name)};
      run_in_blocks(state, [&] { whole.run(products); });
      state.SetLabel(whole.name());
    });
    register_benchmark(row + "new", [=](benchmark::State& state) {
      Whole whole{KernelSelection(name)};
      run_in_blocks(state, [&] {
        whole.prepare();
        whole.run(products);
      });
      state.SetLabel(whole.name());
    });
  }
}

void register_all() {
  for (const auto& chosen : kernels::karatsuba_kernels()) {
    register_parts(*chosen.kernel, chosen.name());
    register_whole(chosen.name());
  }
}

}  // namespace
}  // namespace ringlet::bench

int main(int argc, char** argv) {
  ringlet::bench::register_all();
  return ringlet::bench::run_all(argc, argv);
}
