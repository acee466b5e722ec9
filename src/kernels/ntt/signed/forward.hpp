// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/signed/rows.hpp"

namespace ringlet::kernels {

/// Computes stage u between the vectors of some groups side by side. factor(g, t) is factor t of
/// the tree of group g.
template <SignedPolicy A, int u, bool kPlain, int K, int kGroups, typename FactorAt>
RINGLET_INLINE void signed_forward_row_stage(SignedRows<A, K> (&groups)[kGroups],
                                             const std::uint64_t* reductions,
                                             const SignedConstants<A>& m, FactorAt&& factor) {
  if (!kPlain && reductions[u] != 0) {
    const Vec<A> multiple = A::reduction(reductions[u]);
    unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
      groups[g].template stage<u>([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
        signed_reduce<A>(a, b, multiple, m);
      });
    });
  }
  unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
    groups[g].template stage<u>([&](Vec<A>& a, Vec<A>& b, int t) __attribute__((always_inline)) {
      signed_forward_butterfly<A>(a, b, factor(decltype(g)::value, t), m);
    });
  });
  expect_within<A>(groups, m);
}

/// The forward transform as a visitor of walk_forward. It takes the blocks of signed_mirror.
template <SignedPolicy A, typename Word>
struct SignedForward : SignedCursor<A, Word> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    const int stages = pass.is_tail ? pass.row_stages + A::kLogLanes : pass.row_stages;
    const bool reduces =
        SignedReductions::reduces(this->forward_reductions + pass.first_stage, stages);
    if (pass.is_tail) {
      with_plain<A::kHasPlainTail>(!reduces, [&](auto plain) __attribute__((always_inline)) {
        tail<decltype(plain)::value>(pass, first_block, block_count);
      });
      return;
    }
    if constexpr (A::kOperandsAreValues) {
      if (pass.first_stage > 0) this->operand = this->result;
    }
    with_row_stages_up_to<A::kMaxRowStages>(pass.row_stages, [&](auto k) __attribute__((
                                                                 always_inline)) {
      constexpr int K = decltype(k)::value;
      with_plain<(K > 1)>(!reduces, [&](auto plain) __attribute__((always_inline)) {
        constexpr bool kPlain = decltype(plain)::value;
        if (A::kOperandsAreValues || pass.first_stage == 0) {
          row_pass<K, kPlain, FromOperand<A>>(pass, first_block, block_count);
        } else if constexpr (!A::kOperandsAreValues && K >= min_inner_stages(A::kMaxRowStages)) {
          row_pass<K, kPlain, FromValues<A>>(pass, first_block, block_count);
        }
      });
    });
  }

 private:
  /// Calls body(plain) with a constant. A plain pass reduces nothing; a pass that asks at every
  /// stage is slower. Passes of one stage, of which small transforms have one, always ask.
  template <bool kMayBePlain, typename Body>
  RINGLET_INLINE static void with_plain(bool plain, Body&& body) {
    if constexpr (kMayBePlain) {
      plain ? body(std::true_type{}) : body(std::false_type{});
    } else {
      body(std::false_type{});
    }
  }

  template <int K, bool kPlain, typename From>
  __attribute__((noinline)) void row_pass(const Pass& pass, std::size_t first_block,
                                          std::size_t block_count) {
    constexpr int kGroups = kSignedGroups<A, K>;
    const SignedConstants<A> m = this->modulus;
    const std::uint64_t* const reductions = this->forward_reductions + pass.first_stage;
    const std::size_t row = row_words(this->table.radix2.schedule, pass);
    const std::size_t mirror = signed_mirror<A>(pass);
    for (std::size_t i = first_block; i < first_block + block_count; ++i) {
      const std::size_t base = (i ^ mirror) * (row << K);
      const auto from = rows_at<From>(*this, base, row);
      const auto to = rows_at<ToValues<A>>(*this, base, row);
      SignedFactor<A> tree[(1 << K) - 1];
      unroll<(1 << K) - 1>([&](auto t) __attribute__((always_inline)) {
        tree[t] = A::broadcast_factor(this->stream + 2 * decltype(t)::value);
      });
      this->stream += tree_words(pass);
      for (std::size_t j = 0; j < row; j += kGroups * kLanes<A>) {
        SignedRows<A, K> r[kGroups];
        unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
          r[g].each([&](auto e) __attribute__((always_inline)) {
            r[g].x[e] = From::load(from.at(e, j + g * kLanes<A>));
          });
        });
        unroll<K>([&](auto u) __attribute__((always_inline)) {
          signed_forward_row_stage<A, decltype(u)::value, kPlain>(
              r, reductions, m,
              [&](int, int t)
                  __attribute__((always_inline)) -> const SignedFactor<A>& { return tree[t]; });
        });
        unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
          r[g].each([&](auto e) __attribute__((always_inline)) {
            A::store(to.at(e, j + g * kLanes<A>), r[g].x[e]);
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
    const std::uint64_t* const reductions = this->forward_reductions + pass.first_stage;
    const std::size_t mirror = signed_mirror<A>(pass);
    const std::uint64_t* words = this->stream;
    constexpr int kAhead = kGroups * kSignedStepsAhead<A>;
    const bool prefetches = this->table.radix2.schedule.log_degree > kMaxUnprefetchedLogDegree;
    for (std::size_t i = first_block; i < first_block + block_count; i += kGroups) {
      if (prefetches) {
        prefetch<kGroups * kRecord * sizeof(std::uint64_t)>(words + kAhead * kRecord);
      }
      SignedRows<A, K> r[kGroups];
      unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
        const auto* const from = this->values(((i + g) ^ mirror) * kWords);
        r[g].each([&](auto e) __attribute__((always_inline)) {
          r[g].x[e] = A::load(from + e * kLanes<A>);
        });
      });
      unroll<K>([&](auto u) __attribute__((always_inline)) {
        signed_forward_row_stage<A, decltype(u)::value, kPlain>(
            r, reductions, m, [&](int g, int t) __attribute__((always_inline)) {
              return A::broadcast_factor(words + static_cast<std::size_t>(g) * kRecord + 2 * t);
            });
      });
      unroll<A::kLogLanes>([&](auto v) __attribute__((always_inline)) {
        lane_stage<decltype(v)::value, kPlain>(r, words, reductions, m);
      });
      unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
        Word* const to = this->result + ((i + g) ^ mirror) * kWords;
        r[g].pairs([&](Vec<A>& a, Vec<A>& b, int pair) __attribute__((always_inline)) {
          A::template to_lane_stage<A::kLogLanes>(a, b);
          A::store_result(to + static_cast<std::size_t>(2 * pair) * kLanes<A>, a, m);
          A::store_result(to + static_cast<std::size_t>(2 * pair + 1) * kLanes<A>, b, m);
        });
      });
      words += kGroups * kRecord;
    }
    this->stream = words;
  }

  /// Computes stage v inside the vectors of some groups, with their records at `words`.
  template <int v, bool kPlain, int K, int kGroups>
  RINGLET_INLINE static void lane_stage(SignedRows<A, K> (&groups)[kGroups],
                                        const std::uint64_t* words, const std::uint64_t* reductions,
                                        const SignedConstants<A>& m) {
    constexpr std::size_t kRecord = lane_offset_of(A::kLaneLayout, K, A::kLogLanes);
    constexpr std::size_t kFirst = lane_offset_of(A::kLaneLayout, K, v);
    unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
      groups[g].pairs([&](Vec<A>& a, Vec<A>& b, int)
                          __attribute__((always_inline)) { A::template to_lane_stage<v>(a, b); });
    });
    if (!kPlain && reductions[K + v] != 0) {
      const Vec<A> multiple = A::reduction(reductions[K + v]);
      unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
        groups[g].pairs([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
          signed_reduce<A>(a, b, multiple, m);
        });
      });
    }
    unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
      groups[g].pairs([&](Vec<A>& a, Vec<A>& b, int pair) __attribute__((always_inline)) {
        const std::uint64_t* const lane =
            words + g * kRecord + kFirst +
            static_cast<std::size_t>(pair) * lane_words(A::kLaneLayout, v);
        signed_forward_butterfly<A>(a, b, A::template lane_factor<v>(lane), m);
      });
    });
    expect_within<A>(groups, m);
  }
};

}  // namespace ringlet::kernels
