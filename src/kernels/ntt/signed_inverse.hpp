// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/signed_rows.hpp"

namespace ringlet::kernels {

/// Stage u between the vectors of some groups side by side; factor(g, t) is the t-th of the tree of
/// group g. With kLast it is stage 0, which also divides by N: the factors carry 1/N, `scale` is
/// 1/N.
template <SignedPolicy A, int u, bool kLast, bool kPlain, int K, int kGroups, typename FactorAt>
RINGLET_INLINE void signed_inverse_row_stage(SignedRows<A, K> (&groups)[kGroups],
                                             const std::uint64_t* reductions,
                                             const SignedFactor<A>& scale,
                                             const SignedConstants<A>& m, FactorAt&& factor) {
  unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
    groups[g].template stage<u>([&](Vec<A>& a, Vec<A>& b, int t) __attribute__((always_inline)) {
      signed_inverse_butterfly<A>(a, b, factor(decltype(g)::value, t), m);
      if constexpr (kLast) a = A::product(a, scale, m);
    });
  });
  if (!kLast && !kPlain && reductions[u] != 0) {
    const Vec<A> multiple = A::reduction(reductions[u]);
    unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
      groups[g].template stage<u>([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
        signed_reduce<A>(a, b, multiple, m);
      });
    });
  }
  expect_within<A>(groups, m);
}

/// Reduces the first rows of the groups as the plan has it for the pass.
template <SignedPolicy A, int K, int kGroups>
RINGLET_INLINE void signed_reduce_rows(SignedRows<A, K> (&groups)[kGroups],
                                       const std::uint64_t* multiples,
                                       const SignedConstants<A>& m) {
  constexpr int kCount = SignedRows<A, K>::kCount / 2;
  unroll<(kCount < kMaxReducedRows ? kCount : kMaxReducedRows)>(
      [&](auto e) __attribute__((always_inline)) {
        if (multiples[e] == 0) return;
        const Vec<A> multiple = A::reduction(multiples[e]);
        unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
          groups[g].x[e] = A::reduce(groups[g].x[e], multiple, m);
        });
      });
}

/// The inverse transform as a visitor of walk_inverse.
template <SignedPolicy A, typename Word>
struct SignedInverse : SignedCursor<A, Word> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    const SignedPlan& plan = this->table.plan;
    const int stages = pass.is_tail ? pass.row_stages + A::kLogLanes : pass.row_stages;
    const bool reduces = SignedPlan::reduces(plan.inverse + pass.first_stage, stages) ||
                         SignedPlan::reduces(plan.inverse_rows[index_of(pass)], kMaxReducedRows);
    reduces ? run<false>(pass, first_block, block_count)
            : run<true>(pass, first_block, block_count);
  }

 private:
  /// kPlain: nothing is reduced. A pass that asks at every stage is slower by an eighth.
  template <bool kPlain>
  RINGLET_INLINE void run(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    if (pass.is_tail) return tail<kPlain>(pass, first_block, block_count);
    with_row_stages_up_to<A::kMaxRowStages>(
        pass.row_stages, [&](auto k) __attribute__((always_inline)) {
          constexpr int K = decltype(k)::value;
          pass.first_stage == 0 ? rows<K, true, kPlain>(pass, first_block, block_count)
                                : rows<K, false, kPlain>(pass, first_block, block_count);
        });
  }

  RINGLET_INLINE std::size_t index_of(const Pass& pass) const {
    return static_cast<std::size_t>(&pass - this->table.radix2.schedule.passes);
  }

  RINGLET_INLINE SignedFactor<A> scale() const {
    return A::broadcast_factor(&this->table.radix2.degree_inverse.operand);
  }

  /// From the end of the rows on: the last pass may write words that are longer than the values it
  /// reads.
  template <int K, bool kLast, bool kPlain>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    using To = std::conditional_t<kLast, ToResidues<A>, ToValues<A>>;
    constexpr int kGroups = kSignedGroups<A, K>;
    const SignedConstants<A> m = this->modulus;
    const SignedFactor<A> degree_inverse = scale();
    const std::uint64_t* const reductions = this->table.plan.inverse + pass.first_stage;
    [[maybe_unused]] const std::uint64_t* const reduced_rows =
        this->table.plan.inverse_rows[index_of(pass)];
    const std::size_t row = row_words(this->table.radix2.schedule, pass);
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      const std::size_t base = block * (row << K);
      const auto from = rows_at<FromValues<A>>(*this, base, row);
      const auto to = rows_at<To>(*this, base, row);
      SignedFactor<A> tree[(1 << K) - 1];
      unroll<(1 << K) - 1>([&](auto t) __attribute__((always_inline)) {
        tree[t] = A::broadcast_factor(this->stream + 2 * decltype(t)::value);
      });
      this->stream += tree_words(pass);
      for (std::size_t left = row; left > 0; left -= kGroups * kLanes<A>) {
        const std::size_t j = left - kGroups * kLanes<A>;
        SignedRows<A, K> r[kGroups];
        unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
          r[g].each([&](auto e) __attribute__((always_inline)) {
            r[g].x[e] = A::load(from.at(e, j + g * kLanes<A>));
          });
        });
        unroll<K>([&](auto i) __attribute__((always_inline)) {
          constexpr int u = K - 1 - decltype(i)::value;
          signed_inverse_row_stage<A, u, (kLast && u == 0), kPlain>(
              r, reductions, degree_inverse, m,
              [&](int, int t)
                  __attribute__((always_inline)) -> const SignedFactor<A>& { return tree[t]; });
        });
        if constexpr (!kPlain && !kLast) {
          signed_reduce_rows<A>(r, reduced_rows, m);
        }
        unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
          r[g].each([&](auto e) __attribute__((always_inline)) {
            To::store(to.at(e, j + g * kLanes<A>), r[g].x[e], m);
          });
        });
      }
    }
  }

  template <bool kPlain>
  __attribute__((noinline)) void tail(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    constexpr int K = A::kMaxRowStages;
    constexpr int kGroups = kSignedGroups<A, K>;
    constexpr std::size_t kWords = kLanes<A> << K;
    constexpr std::size_t kRecord = lane_offset_of(A::kLaneLayout, K, A::kLogLanes);
    const SignedConstants<A> m = this->modulus;
    const std::uint64_t* const reductions = this->table.plan.inverse + pass.first_stage;
    const std::uint64_t* const reduced_rows = this->table.plan.inverse_rows[index_of(pass)];
    const std::uint64_t* words = this->stream;
    for (std::size_t block = first_block; block < first_block + block_count; block += kGroups) {
      SignedRows<A, K> r[kGroups];
      unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
        const Word* const from = this->operand + (block + g) * kWords;
        r[g].each([&](auto e) __attribute__((always_inline)) {
          r[g].x[e] = A::from_operand(from + e * kLanes<A>);
        });
        r[g].pairs([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
          A::template from_lane_stage<A::kLogLanes>(a, b);
        });
      });
      unroll<A::kLogLanes>([&](auto i) __attribute__((always_inline)) {
        lane_stage<A::kLogLanes - 1 - decltype(i)::value, kPlain>(r, words, reductions, m);
      });
      unroll<K>([&](auto i) __attribute__((always_inline)) {
        constexpr int u = K - 1 - decltype(i)::value;
        signed_inverse_row_stage<A, u, false, kPlain>(
            r, reductions, SignedFactor<A>{}, m, [&](int g, int t) __attribute__((always_inline)) {
              return A::broadcast_factor(words + static_cast<std::size_t>(g) * kRecord + 2 * t);
            });
      });
      if constexpr (!kPlain) signed_reduce_rows<A>(r, reduced_rows, m);
      unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
        SignedWord<A>* const to = this->values((block + g) * kWords);
        r[g].each([&](auto e)
                      __attribute__((always_inline)) { A::store(to + e * kLanes<A>, r[g].x[e]); });
      });
      words += kGroups * kRecord;
    }
    this->stream = words;
  }

  /// Stage v inside the vectors of some groups, with their records at `words`.
  template <int v, bool kPlain, int K, int kGroups>
  RINGLET_INLINE static void lane_stage(SignedRows<A, K> (&groups)[kGroups],
                                        const std::uint64_t* words, const std::uint64_t* reductions,
                                        const SignedConstants<A>& m) {
    constexpr std::size_t kRecord = lane_offset_of(A::kLaneLayout, K, A::kLogLanes);
    constexpr std::size_t kFirst = lane_offset_of(A::kLaneLayout, K, v);
    unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
      groups[g].pairs([&](Vec<A>& a, Vec<A>& b, int pair) __attribute__((always_inline)) {
        const std::uint64_t* const lane =
            words + g * kRecord + kFirst +
            static_cast<std::size_t>(pair) * lane_words(A::kLaneLayout, v);
        signed_inverse_butterfly<A>(a, b, A::template lane_factor<v>(lane), m);
      });
    });
    if (!kPlain && reductions[K + v] != 0) {
      const Vec<A> multiple = A::reduction(reductions[K + v]);
      unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
        groups[g].pairs([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
          signed_reduce<A>(a, b, multiple, m);
        });
      });
    }
    expect_within<A>(groups, m);
    unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
      groups[g].pairs([&](Vec<A>& a, Vec<A>& b, int)
                          __attribute__((always_inline)) { A::template from_lane_stage<v>(a, b); });
    });
  }
};

}  // namespace ringlet::kernels
