// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/radix2/forward.hpp"
#include "kernels/ntt/radix2/inverse.hpp"

// Two radix-2 transforms at once, of vectors of one lane: each twiddle is loaded once for both. The
// arithmetic is that of one transform after the other.

namespace ringlet::kernels {

/// The state of two transforms, like Radix2Cursor.
template <ArithmeticPolicy A>
struct TwoRadix2Cursor {
  const Radix2Table& table;
  NttTwoArguments columns;
  const std::uint64_t* stream;
  Mod<A> modulus;

  /// Calls stages(rows, tree) on the rows of both transforms, for some blocks of a pass that reads
  /// `source`.
  template <int K, bool kIsTail, typename Stages>
  RINGLET_INLINE void run_blocks(const Pass& pass, std::size_t first_block, std::size_t block_count,
                                 const std::uint64_t* const (&source)[2], Stages&& stages) {
    const std::size_t row = kIsTail ? 1 : row_words(table.schedule, pass);
    std::uint64_t* const to[2] = {columns.results[0], columns.results[1]};
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      Twiddle<A> tree[(1 << K) - 1];
      load_tree<A, K>(tree, stream);
      stream += tree_words(pass);
      const std::size_t base = block * (row << K);
      for (std::size_t j = base; j < base + row; ++j) {
        unroll<2>([&](auto c) __attribute__((always_inline)) {
          Rows<A, K> r;
          r.load(source[c] + j, row);
          stages(r, tree);
          r.store(to[c] + j, row);
        });
      }
    }
  }
};

/// Two forward transforms as a visitor of walk_forward.
template <ArithmeticPolicy A>
struct ForwardTwoRadix2 : TwoRadix2Cursor<A> {
  static_assert(A::kLogLanes == 0);

  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    with_row_stages<A>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
      constexpr int K = decltype(k)::value;
      const bool reduced = pass.first_stage == 0 && this->columns.factors.input <= 2;
      reduced ? run<K, true>(pass, first_block, block_count)
              : run<K, false>(pass, first_block, block_count);
    });
  }

 private:
  template <int K, bool kReduced>
  RINGLET_INLINE void run(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    if (!pass.is_tail) {
      rows<K, kReduced, false, false>(pass, first_block, block_count);
    } else if (this->columns.factors.output == 1) {
      rows<K, kReduced, true, true>(pass, first_block, block_count);
    } else {
      rows<K, kReduced, true, false>(pass, first_block, block_count);
    }
  }

  template <int K, bool kReduced, bool kIsTail, bool kReduceOutput>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    const Mod<A> m = this->modulus;
    const NttTwoArguments& two = this->columns;
    const bool first = pass.first_stage == 0;
    const std::uint64_t* const source[2] = {first ? two.operands[0] : two.results[0],
                                            first ? two.operands[1] : two.results[1]};
    this->template run_blocks<K, kIsTail>(pass, first_block, block_count, source,
                                          [&](Rows<A, K>& r, const Twiddle<A>* tree)
                                              __attribute__((always_inline)) {
                                                forward_row_stages<A, K, kReduced>(r, tree, m);
                                                if constexpr (kReduceOutput) {
                                                  r.reduce_once(m.two_q);
                                                  r.reduce_once(m.q);
                                                }
                                              });
  }
};

/// Two inverse transforms as a visitor of walk_inverse.
template <ArithmeticPolicy A>
struct InverseTwoRadix2 : TwoRadix2Cursor<A> {
  static_assert(A::kLogLanes == 0);

  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    const bool last = pass.first_stage == 0;
    with_row_stages<A>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
      constexpr int K = decltype(k)::value;
      if (pass.is_tail) {
        last ? tail<K, true>(pass, first_block, block_count)
             : tail<K, false>(pass, first_block, block_count);
      } else {
        last ? rows<K, true, false, false>(pass, first_block, block_count)
             : rows<K, false, false, false>(pass, first_block, block_count);
      }
    });
  }

 private:
  template <int K, bool kLast>
  RINGLET_INLINE void tail(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    this->columns.factors.input == 1 ? rows<K, kLast, true, true>(pass, first_block, block_count)
                                     : rows<K, kLast, false, true>(pass, first_block, block_count);
  }

  template <int K, bool kLast, bool kReduced, bool kIsTail>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    const Mod<A> m = this->modulus;
    const Twiddle<A> scale = degree_inverse<A>(this->table);
    const NttTwoArguments& two = this->columns;
    const bool reduce_output = kLast && two.factors.output == 1;
    const std::uint64_t* const source[2] = {pass.is_tail ? two.operands[0] : two.results[0],
                                            pass.is_tail ? two.operands[1] : two.results[1]};
    this->template run_blocks<K, kIsTail>(
        pass, first_block, block_count, source,
        [&](Rows<A, K>& r, const Twiddle<A>* tree) __attribute__((always_inline)) {
          inverse_row_stages<A, K, kLast, kReduced>(r, tree, scale, m);
          if (reduce_output) r.reduce_once(m.q);
        });
  }
};

template <ArithmeticPolicy A>
struct TwoRadix2 {
  static void forward(const NttTwoArguments& arguments, const void* table) {
    const auto& t = *static_cast<const Radix2Table*>(table);
    ForwardTwoRadix2<A> visitor{{t, arguments, t.forward_stream(), broadcast_modulus<A>(t.q)}};
    walk_forward(t.schedule, visitor);
  }
  static void inverse(const NttTwoArguments& arguments, const void* table) {
    const auto& t = *static_cast<const Radix2Table*>(table);
    InverseTwoRadix2<A> visitor{{t, arguments, t.inverse_stream(), broadcast_modulus<A>(t.q)}};
    walk_inverse(t.schedule, visitor);
  }
  /// Returns `kernel`, which is Radix2<A>, with two transforms at once.
  static constexpr NttKernel with_two(NttKernel kernel) {
    kernel.forward_two = &forward;
    kernel.inverse_two = &inverse;
    return kernel;
  }
};

}  // namespace ringlet::kernels
