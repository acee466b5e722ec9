// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/extended/extended.hpp"

// Two radix-4 transforms at once, of vectors of one lane. Both use the factors of a block while
// these are in registers or in the first-level cache. The arithmetic is that of two successive
// transforms.

namespace ringlet::kernels {

/// The position of two transforms, a visitor of walk_forward or walk_inverse; the base's own
/// buffers are not read. A pass is Direction::rows<K, kIsAtEnd, kIsTail>, where "at end" means that
/// the direction reads its operands or divides by the degree.
template <typename Direction, ExtendedPolicy A, ExtendedVariant kVariant>
struct TwoExtendedCursor : ExtendedCursor<A> {
  static_assert(A::kLogLanes == 0);

  NttTwoArguments columns;

  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    auto& self = static_cast<Direction&>(*this);
    with_quad_stages<A, kVariant>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
      constexpr int K = decltype(k)::value;
      const bool is_at_end = pass.first_stage == 0;
      if (pass.is_tail) {
        is_at_end ? self.template rows<K, true, true>(pass, first_block, block_count)
                  : self.template rows<K, false, true>(pass, first_block, block_count);
      } else {
        is_at_end ? self.template rows<K, true, false>(pass, first_block, block_count)
                  : self.template rows<K, false, false>(pass, first_block, block_count);
      }
    });
  }

  /// Calls stages(rows, factors) on the rows of both transforms, for some blocks of a pass that
  /// reads its operands or works in place.
  template <int K, bool kIsTail, typename Stages>
  RINGLET_INLINE void run_blocks(const Pass& pass, std::size_t first_block, std::size_t block_count,
                                 bool reads_operands, Stages&& stages) {
    const std::size_t row = kIsTail ? 1 : row_words(this->table.schedule, pass);
    std::uint64_t* const to[2] = {columns.results[0], columns.results[1]};
    const std::uint64_t* const from[2] = {reads_operands ? columns.operands[0] : to[0],
                                          reads_operands ? columns.operands[1] : to[1]};
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      const auto w = this->template factors_of<kVariant.order, K>(pass, block);
      const std::size_t base = block * (row << K);
      for (std::size_t j = base; j < base + row; ++j) {
        unroll<2>([&](auto c) __attribute__((always_inline)) {
          Rows<A, K> r;
          r.load(from[c] + j, row);
          stages(r, w);
          r.store(to[c] + j, row);
        });
      }
    }
  }
};

template <ExtendedPolicy A, ExtendedVariant kVariant>
struct ForwardTwoExtended : TwoExtendedCursor<ForwardTwoExtended<A, kVariant>, A, kVariant> {
  template <int K, bool kFirst, bool kIsTail>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    constexpr int kRange = kExtendedRanges<A>.forward;
    constexpr int kEnd = K % 2 == 0 ? kRange : range_after_pair<A>(kRange);
    const ExtendedModulus<A> m = this->modulus;
    const int output = this->factors.output;
    this->template run_blocks<K, kIsTail>(
        pass, first_block, block_count, kFirst,
        [&](Rows<A, K>& r, const auto& w) __attribute__((always_inline)) {
          ForwardExtended<A, kVariant, true>::template stages<K, kFirst>(r, w, m);
          if constexpr (kIsTail) reduce_rows<A, K, kEnd>(r, output, m);
        });
  }
};

template <ExtendedPolicy A, ExtendedVariant kVariant>
struct InverseTwoExtended : TwoExtendedCursor<InverseTwoExtended<A, kVariant>, A, kVariant> {
  template <int K, bool kLast, bool kIsTail>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    using One = InverseExtended<A, kVariant, true>;
    const ExtendedModulus<A> m = this->modulus;
    const Twiddle<A> n = {A::broadcast(this->table.degree_inverse.operand),
                          A::broadcast(this->table.degree_inverse.quotient)};
    const int output = this->factors.output;
    this->template run_blocks<K, kIsTail>(pass, first_block, block_count, kIsTail,
                                          [&](Rows<A, K>& r, const auto& w)
                                              __attribute__((always_inline)) {
                                                One::template stages<K, kLast>(r, w, n, m);
                                                if constexpr (kLast) One::finish(r, output, m);
                                              });
  }
};

template <ExtendedPolicy A, ExtendedVariant kVariant>
struct TwoExtended {
  static void forward(const NttTwoArguments& arguments, const void* table) {
    const auto& t = *static_cast<const ExtendedTable*>(table);
    ForwardTwoExtended<A, kVariant> visitor{
        {cursor(t, arguments, t.forward_rows(), t.forward_tail()), arguments}};
    walk_forward(t.schedule, visitor);
  }
  static void inverse(const NttTwoArguments& arguments, const void* table) {
    const auto& t = *static_cast<const ExtendedTable*>(table);
    InverseTwoExtended<A, kVariant> visitor{
        {cursor(t, arguments, t.inverse_rows(), t.inverse_tail()), arguments}};
    walk_inverse(t.schedule, visitor);
  }
  /// Adds the functions for two transforms to `kernel`, which is Extended<A, kVariant>.
  static constexpr NttKernel with_two(NttKernel kernel) {
    kernel.forward_two = &forward;
    kernel.inverse_two = &inverse;
    return kernel;
  }

 private:
  static ExtendedCursor<A> cursor(const ExtendedTable& table, const NttTwoArguments& arguments,
                                  const std::uint64_t* rows, const std::uint64_t* tail) {
    return {table,
            arguments.results[0],
            arguments.operands[0],
            rows,
            tail,
            make_extended_modulus<A>(table.q),
            arguments.factors};
  }
};

}  // namespace ringlet::kernels
