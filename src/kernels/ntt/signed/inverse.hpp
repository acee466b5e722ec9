// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/signed/rows.hpp"

namespace ringlet::kernels {

/// Computes stage u between the vectors of some groups side by side. factor(g, t) is factor t of
/// the tree of group g. With kLast it is stage 0, which also divides by N: the factors carry 1/N,
/// `scale` is 1/N. With kReduces it reduces the sums by multiples[u].
template <SignedPolicy A, int u, bool kLast, bool kReduces, int K, int kGroups, typename FactorAt>
RINGLET_INLINE void signed_inverse_row_stage(SignedRows<A, K> (&groups)[kGroups],
                                             const std::uint64_t* multiples,
                                             const SignedFactor<A>& scale,
                                             const SignedConstants<A>& m, FactorAt&& factor) {
  unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
    groups[g].template stage<u>([&](Vec<A>& a, Vec<A>& b, int t) __attribute__((always_inline)) {
      signed_inverse_butterfly<A>(a, b, factor(decltype(g)::value, t), m);
      if constexpr (kLast) a = A::product(a, scale, m);
    });
  });
  if constexpr (kReduces) {
    const Vec<A> multiple = A::reduction(multiples[u]);
    unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
      groups[g].template stage<u>([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
        signed_reduce<A>(a, b, multiple, m);
      });
    });
  }
  expect_within<A>(groups, m);
}

/// Calls body(w) with way w of a pass as a constant.
template <SignedPolicy A, int K, int kLaneStages, bool kLast, typename Body>
RINGLET_INLINE void with_way(int way, Body&& body) {
  unroll<inverse_way_count(A::kArithmetic, K, kLaneStages, kLast)>(
      [&](auto w) __attribute__((always_inline)) {
        if constexpr (has_inverse_way(A::kArithmetic, decltype(w)::value, K, kLaneStages, kLast)) {
          if (way == decltype(w)::value) body(w);
        }
      });
}

/// Reduces the first rows of the groups.
template <SignedPolicy A, int kRows, int K, int kGroups>
RINGLET_INLINE void signed_reduce_rows(SignedRows<A, K> (&groups)[kGroups],
                                       const std::uint64_t* multiples,
                                       const SignedConstants<A>& m) {
  unroll<kRows>([&](auto e) __attribute__((always_inline)) {
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
    const int way = this->table.reductions.inverse_ways[index_of(pass)];
    if (pass.is_tail) {
      with_way<A, A::kMaxRowStages, A::kLogLanes, false>(
          way, [&](auto w) __attribute__((always_inline)) {
            tail<decltype(w)::value>(pass, first_block, block_count);
          });
      return;
    }
    with_row_stages_up_to<A::kMaxRowStages>(
        pass.row_stages, [&](auto k) __attribute__((always_inline)) {
          constexpr int K = decltype(k)::value;
          if (pass.first_stage == 0) row_pass<K, true>(pass, way, first_block, block_count);
          if constexpr (K >= min_inner_stages(A::kMaxRowStages)) {
            if (pass.first_stage > 0) row_pass<K, false>(pass, way, first_block, block_count);
          }
        });
  }

 private:
  template <int K, bool kLast>
  RINGLET_INLINE void row_pass(const Pass& pass, int way, std::size_t first_block,
                               std::size_t block_count) {
    with_way<A, K, 0, kLast>(way, [&](auto w) __attribute__((always_inline)) {
      rows<K, kLast, decltype(w)::value>(pass, first_block, block_count);
    });
  }

  RINGLET_INLINE std::size_t index_of(const Pass& pass) const {
    return static_cast<std::size_t>(&pass - this->table.radix2.schedule.passes);
  }

  RINGLET_INLINE SignedFactor<A> scale() const {
    return A::broadcast_factor(&this->table.radix2.degree_inverse.operand);
  }

  /// Goes from the end of the rows to their start, because the last pass may write words that are
  /// longer than the values it reads.
  template <int K, bool kLast, int kWay>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    using To = std::conditional_t<kLast, ToResidues<A>, ToValues<A>>;
    constexpr int kGroups = kSignedGroups<A, K>;
    constexpr InverseReductions kReductions = inverse_way(A::kArithmetic, kWay, K, 0, kLast);
    const SignedConstants<A> m = this->modulus;
    const SignedFactor<A> degree_inverse = scale();
    const std::uint64_t* const multiples = this->table.reductions.inverse + pass.first_stage;
    const std::uint64_t* const row_multiples = this->table.reductions.inverse_rows[index_of(pass)];
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
          signed_inverse_row_stage<A, u, (kLast && u == 0), kReductions.at(decltype(i)::value)>(
              r, multiples, degree_inverse, m,
              [&](int, int t)
                  __attribute__((always_inline)) -> const SignedFactor<A>& { return tree[t]; });
        });
        signed_reduce_rows<A, kReductions.rows>(r, row_multiples, m);
        unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
          r[g].each([&](auto e) __attribute__((always_inline)) {
            To::store(to.at(e, j + g * kLanes<A>), r[g].x[e], m);
          });
        });
      }
    }
  }

  template <int kWay>
  __attribute__((noinline)) void tail(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    constexpr int K = A::kMaxRowStages;
    constexpr int kGroups = kSignedGroups<A, K>;
    constexpr std::size_t kWords = kLanes<A> << K;
    constexpr std::size_t kRecord = lane_offset_of(A::kLaneLayout, K, A::kLogLanes);
    constexpr InverseReductions kReductions =
        inverse_way(A::kArithmetic, kWay, K, A::kLogLanes, false);
    const SignedConstants<A> m = this->modulus;
    const std::uint64_t* const multiples = this->table.reductions.inverse + pass.first_stage;
    const std::uint64_t* const row_multiples = this->table.reductions.inverse_rows[index_of(pass)];
    const std::uint64_t* words = this->stream;
    constexpr int kAhead = kGroups * kSignedStepsAhead<A>;
    const bool prefetches = this->table.radix2.schedule.log_degree > kMaxUnprefetchedLogDegree;
    for (std::size_t block = first_block; block < first_block + block_count; block += kGroups) {
      if (prefetches) {
        const std::size_t ahead = (block + kAhead) * kWords;
        prefetch<kGroups * kRecord * sizeof(std::uint64_t)>(words + kAhead * kRecord);
        prefetch<kGroups * kWords * sizeof(Word)>(this->operand + ahead);
        if (this->result != this->operand) {
          prefetch<kGroups * kWords * sizeof(SignedWord<A>)>(this->values(ahead));
        }
      }
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
        lane_stage<A::kLogLanes - 1 - decltype(i)::value, kReductions.at(decltype(i)::value)>(
            r, words, multiples, m);
      });
      unroll<K>([&](auto i) __attribute__((always_inline)) {
        constexpr int u = K - 1 - decltype(i)::value;
        signed_inverse_row_stage<A, u, false, kReductions.at(A::kLogLanes + decltype(i)::value)>(
            r, multiples, SignedFactor<A>{}, m, [&](int g, int t) __attribute__((always_inline)) {
              return A::broadcast_factor(words + static_cast<std::size_t>(g) * kRecord + 2 * t);
            });
      });
      signed_reduce_rows<A, kReductions.rows>(r, row_multiples, m);
      unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
        SignedWord<A>* const to = this->values((block + g) * kWords);
        r[g].each([&](auto e)
                      __attribute__((always_inline)) { A::store(to + e * kLanes<A>, r[g].x[e]); });
      });
      words += kGroups * kRecord;
    }
    this->stream = words;
  }

  /// Computes stage v inside the vectors of some groups, with their records at `words`.
  template <int v, bool kReduces, int K, int kGroups>
  RINGLET_INLINE static void lane_stage(SignedRows<A, K> (&groups)[kGroups],
                                        const std::uint64_t* words, const std::uint64_t* multiples,
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
    if constexpr (kReduces) {
      const Vec<A> multiple = A::reduction(multiples[K + v]);
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
