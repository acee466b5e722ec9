// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/products.hpp"
#include "kernels/ntt/radix2/forward.hpp"
#include "kernels/ntt/radix2/inverse.hpp"

namespace ringlet::kernels {

/// Returns the arguments of element-wise products modulo the q of a table, for operands in
/// [0, input*q).
RINGLET_INLINE EltwiseArguments product_arguments(const Radix2Table& table, int input) {
  EltwiseArguments arguments;
  arguments.q = table.q;
  arguments.ratio = table.ratio;
  arguments.factors.input = input;
  return arguments;
}

/// The product of two polynomials as a visitor of walk_fused, for schedules of several passes. In
/// the tail both transforms, their product and the first stages of the inverse transform are one
/// trip through the registers. There are no reductions, stores and loads between them, and no
/// permutations, as the lanes need no natural order. Both transforms read the same twiddles.
template <ArithmeticPolicy A>
struct ProductRadix2 {
  ForwardRadix2<A> a;
  ForwardRadix2<A> b;
  InverseRadix2<A> back;
  bool is_square;

  void forward(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    a(pass, first_block, block_count);
    if (!is_square) b(pass, first_block, block_count);
  }
  void inverse(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    back(pass, first_block, block_count);
  }
  void tail(const Pass&, std::size_t first_block, std::size_t block_count) {
    with_product_from<A, 4>(product_arguments(a.table, 4),
                            [&](auto product) __attribute__((always_inline)) {
                              tail_blocks(product, first_block, block_count);
                            });
  }

 private:
  /// A tail with passes before it has as many row stages as it may.
  template <typename Product>
  __attribute__((noinline)) void tail_blocks(const Product& product, std::size_t first_block,
                                             std::size_t block_count) {
    constexpr int K = A::kMaxRowStages;
    constexpr std::size_t kWords = kLanes<A> << K;
    constexpr std::size_t kRecord = lane_offset<A, K>(A::kLogLanes);
    const Mod<A> m = a.modulus;
    const Twiddle<A> scale = degree_inverse<A>(a.table);
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      alignas(64) std::uint64_t x[kWords];
      Rows<A, K> r;
      r.load(a.result + block * kWords, kLanes<A>);
      forward_tail_stages<A, K>(r, a.stream, m);
      r.store(x, kLanes<A>);
      if (!is_square) {
        r.load(b.result + block * kWords, kLanes<A>);
        forward_tail_stages<A, K>(r, a.stream, m);
      }
      unroll<(1 << K)>([&](auto i) __attribute__((always_inline)) {
        const Vec<A> y = A::load(x + i * kLanes<A>);
        r.x[i] = narrow<A, Product::kRange, 2>(product(y, r.x[i]), product.multiples);
      });
      inverse_tail_stages<A, K, false, false>(r, back.stream, scale, m);
      r.store(back.result + block * kWords, kLanes<A>);
      a.stream += kRecord;
      back.stream += kRecord;
    }
    b.stream = a.stream;
  }
};

template <ArithmeticPolicy A>
struct FusedProduct {
  static void run(const NttProductArguments& arguments, const void* table) {
    const auto& t = *static_cast<const Radix2Table*>(table);
    const Mod<A> m = broadcast_modulus<A>(t.q);
    const RangeFactors forward{arguments.factors.input, 4};
    ProductRadix2<A> visitor{{{t, arguments.result, arguments.a, t.forward_stream(), m, forward}},
                             {{t, arguments.scratch, arguments.b, t.forward_stream(), m, forward}},
                             {{t,
                               arguments.result,
                               arguments.result,
                               t.inverse_stream(),
                               m,
                               {2, arguments.factors.output}}},
                             arguments.a == arguments.b};
    if (t.schedule.pass_count == 1) {
      multiply_short(visitor);
    } else {
      walk_fused(t.schedule, visitor);
    }
  }

 private:
  /// Multiplies polynomials that fit the registers, by one transform after the other.
  static void multiply_short(ProductRadix2<A>& visitor) {
    const Radix2Table& table = visitor.a.table;
    visitor.forward(table.schedule.passes[0], 0, 1);
    EltwiseArguments arguments = product_arguments(table, 4);
    arguments.result = visitor.a.result;
    arguments.a = visitor.a.result;
    arguments.b = visitor.is_square ? visitor.a.result : visitor.b.result;
    arguments.count = std::size_t{1} << table.schedule.log_degree;
    Products<A>::multiply(arguments);
    visitor.inverse(table.schedule.passes[0], 0, 1);
  }
};

}  // namespace ringlet::kernels
