// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/radix2_table.hpp"
#include "kernels/policy/policy.hpp"
#include "kernels/policy/range_check.hpp"

// The radix-2 negacyclic transform with Harvey's butterflies, over any policy. Several stages share
// one trip through the registers (see schedule.hpp); the arithmetic is that of one stage at a time.

namespace ringlet::kernels {

/// Forward butterfly (Cooley-Tukey; Boemer et al., "Intel HEXL", Algorithms 4 and 6):
/// (u, v) <- (u + w*v, u - w*v), u, v in [0, 4q) -> [0, 4q). With kReduced, u is in [0, 2q)
/// already.
template <ArithmeticPolicy A, bool kReduced>
RINGLET_INLINE void forward_butterfly(Vec<A>& u, Vec<A>& v, const Twiddle<A>& w, const Mod<A>& m) {
  const Vec<A> a = kReduced ? u : A::reduce_once(u, m.two_q);
  expect_below<A>(a, m.two_q);
  const Vec<A> b = A::mul_lazy(v, w, m);
  expect_below<A>(b, m.two_q);
  u = A::add(a, b);
  v = A::sub(A::add(a, m.two_q), b);
}

/// Inverse butterfly (Gentleman-Sande; Algorithms 5 and 7 there):
/// (u, v) <- (u + v, w*(u - v)), u, v in [0, 2q) -> [0, 2q). With kReduced, u and v are in [0, q).
template <ArithmeticPolicy A, bool kReduced>
RINGLET_INLINE void inverse_butterfly(Vec<A>& u, Vec<A>& v, const Twiddle<A>& w, const Mod<A>& m) {
  expect_below<A>(u, m.two_q);
  expect_below<A>(v, m.two_q);
  const Vec<A> sum = A::add(u, v);
  const Vec<A> difference = A::add(A::sub(u, v), m.two_q);
  u = kReduced ? sum : A::reduce_once(sum, m.two_q);
  v = A::mul_lazy(difference, w, m);
}

/// The inverse butterfly of stage 0, which also divides by N: w carries 1/N, `scale` is 1/N.
template <ArithmeticPolicy A>
RINGLET_INLINE void last_inverse_butterfly(Vec<A>& u, Vec<A>& v, const Twiddle<A>& w,
                                           const Twiddle<A>& scale, const Mod<A>& m) {
  const Vec<A> sum = A::add(u, v);
  const Vec<A> difference = A::add(A::sub(u, v), m.two_q);
  u = A::mul_lazy(sum, scale, m);
  v = A::mul_lazy(difference, w, m);
}

/// 2^K vectors and the twiddle tree of K stages between them.
template <ArithmeticPolicy A, int K>
struct Rows {
  static constexpr int kCount = 1 << K;
  Vec<A> x[kCount];

  /// Butterflies of stage U of K: `tree` holds the pairs of all K stages, first stage first.
  template <int U, typename Butterfly>
  RINGLET_INLINE void stage(const Twiddle<A>* tree, Butterfly&& butterfly) {
    constexpr int kBlocks = 1 << U;
    constexpr int kHalf = kCount >> (U + 1);
    unroll<kBlocks>([&](auto block) __attribute__((always_inline)) {
      unroll<kHalf>([&](auto i) __attribute__((always_inline)) {
        constexpr int kTop = 2 * kHalf * decltype(block)::value + decltype(i)::value;
        butterfly(x[kTop], x[kTop + kHalf], tree[kBlocks - 1 + decltype(block)::value]);
      });
    });
  }
  /// body(a, b, r) for the r-th pair (a, b) of neighbouring vectors.
  template <typename Body>
  RINGLET_INLINE void pairs(Body&& body) {
    unroll<kCount / 2>([&](auto r) __attribute__((always_inline)) {
      body(x[2 * decltype(r)::value], x[2 * decltype(r)::value + 1], decltype(r)::value);
    });
  }
  RINGLET_INLINE void load(const std::uint64_t* p, std::size_t stride) {
    unroll<kCount>([&](auto r) __attribute__((always_inline)) {
      x[r] = A::load(p + static_cast<std::size_t>(decltype(r)::value) * stride);
    });
  }
  RINGLET_INLINE void store(std::uint64_t* p, std::size_t stride) const {
    unroll<kCount>([&](auto r) __attribute__((always_inline)) {
      A::store(p + static_cast<std::size_t>(decltype(r)::value) * stride, x[r]);
    });
  }
  RINGLET_INLINE void reduce_once(const Vec<A>& bound) {
    unroll<kCount>([&](auto r)
                       __attribute__((always_inline)) { x[r] = A::reduce_once(x[r], bound); });
  }
};

template <ArithmeticPolicy A, int K>
RINGLET_INLINE void load_tree(Twiddle<A> (&tree)[(1 << K) - 1], const std::uint64_t* words) {
  unroll<(1 << K) - 1>([&](auto i) __attribute__((always_inline)) {
    tree[i] = broadcast_twiddle<A>(words + 2 * decltype(i)::value);
  });
}

/// Offset, in a tail record, of the lane twiddles of stage v.
template <ArithmeticPolicy A, int K>
RINGLET_INLINE constexpr std::size_t lane_offset(int v) {
  std::size_t offset = std::size_t{2} << K;
  for (int i = 0; i < v; ++i) offset += lane_words(A::kLaneLayout, i) << (K - 1);
  return offset;
}

/// Where a transform stands: its buffers and its place in the stream of twiddles. The first pass
/// over a block reads the operand; all later ones work in place on the result.
template <ArithmeticPolicy A>
struct Radix2Cursor {
  const Radix2Table& table;
  std::uint64_t* result;
  const std::uint64_t* operand;
  const std::uint64_t* stream;
  Mod<A> modulus;
  RangeFactors factors;
};

/// Calls body(std::integral_constant<int, row_stages>), for 1 to A::kMaxRowStages stages.
template <ArithmeticPolicy A, typename Body>
RINGLET_INLINE void with_row_stages(int row_stages, Body&& body) {
  unroll<A::kMaxRowStages>([&](auto i) __attribute__((always_inline)) {
    constexpr int kStages = decltype(i)::value + 1;
    if (row_stages == kStages) body(std::integral_constant<int, kStages>{});
  });
}

/// The forward transform as a visitor of walk_forward.
template <ArithmeticPolicy A>
struct ForwardRadix2 : Radix2Cursor<A> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    with_row_stages<A>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
      run<decltype(k)::value>(pass, first_block, block_count);
    });
  }

 private:
  template <int K>
  RINGLET_INLINE void run(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    const bool reduced = pass.first_stage == 0 && this->factors.input <= 2;
    if (!pass.is_tail) {
      reduced ? rows<K, true>(pass, first_block, block_count)
              : rows<K, false>(pass, first_block, block_count);
    } else if (this->factors.output == 1) {
      reduced ? tail<K, true, true>(pass, first_block, block_count)
              : tail<K, false, true>(pass, first_block, block_count);
    } else {
      reduced ? tail<K, true, false>(pass, first_block, block_count)
              : tail<K, false, false>(pass, first_block, block_count);
    }
  }

  template <int K, bool kReduced>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    const Mod<A> m = this->modulus;
    const std::size_t row = row_words(this->table.schedule, pass);
    const std::uint64_t* const source = pass.first_stage == 0 ? this->operand : this->result;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      const std::size_t base = block * (row << K);
      const std::uint64_t* from = source + base;
      std::uint64_t* to = this->result + base;
      Twiddle<A> tree[(1 << K) - 1];
      load_tree<A, K>(tree, this->stream);
      this->stream += tree_words(pass);
      for (std::size_t j = 0; j < row; j += kLanes<A>) {
        Rows<A, K> r;
        r.load(from + j, row);
        row_stages<K, kReduced>(r, tree, m);
        r.store(to + j, row);
      }
    }
  }

  template <int K, bool kReduced>
  RINGLET_INLINE static void row_stages(Rows<A, K>& r, const Twiddle<A>* tree, const Mod<A>& m) {
    unroll<K>([&](auto u) __attribute__((always_inline)) {
      r.template stage<decltype(u)::value>(
          tree, [&](Vec<A>& a, Vec<A>& b, const Twiddle<A>& w) __attribute__((always_inline)) {
            forward_butterfly<A, (kReduced && decltype(u)::value == 0)>(a, b, w, m);
          });
    });
  }

  template <int K, bool kReduced, bool kReduceOutput>
  __attribute__((noinline)) void tail(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    constexpr std::size_t kWords = kLanes<A> << K;
    const Mod<A> m = this->modulus;
    const std::uint64_t* const source = pass.first_stage == 0 ? this->operand : this->result;
    const std::uint64_t* words = this->stream;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      Rows<A, K> r;
      r.load(source + block * kWords, kLanes<A>);
      Twiddle<A> tree[(1 << K) - 1];
      load_tree<A, K>(tree, words);
      row_stages<K, kReduced>(r, tree, m);
      unroll<A::kLogLanes>([&](auto v) __attribute__((always_inline)) {
        constexpr int kStage = decltype(v)::value;
        const std::uint64_t* lane = words + lane_offset<A, K>(kStage);
        r.pairs([&](Vec<A>& a, Vec<A>& b, int pair) __attribute__((always_inline)) {
          A::template to_lane_stage<kStage>(a, b);
          const Twiddle<A> w = A::template lane_twiddle<kStage>(
              lane + static_cast<std::size_t>(pair) * lane_words(A::kLaneLayout, kStage));
          forward_butterfly<A, false>(a, b, w, m);
        });
      });
      r.pairs([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
        A::template to_lane_stage<A::kLogLanes>(a, b);
      });
      if constexpr (kReduceOutput) {
        r.reduce_once(m.two_q);
        r.reduce_once(m.q);
      }
      r.store(this->result + block * kWords, kLanes<A>);
      words += lane_offset<A, K>(A::kLogLanes);
    }
    this->stream = words;
  }
};

/// The inverse transform as a visitor of walk_inverse.
template <ArithmeticPolicy A>
struct InverseRadix2 : Radix2Cursor<A> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    with_row_stages<A>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
      run<decltype(k)::value>(pass, first_block, block_count);
    });
  }

 private:
  template <int K>
  RINGLET_INLINE void run(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    const bool last = pass.first_stage == 0;
    if (pass.is_tail) {
      last ? tail<K, true>(first_block, block_count) : tail<K, false>(first_block, block_count);
    } else {
      last ? rows<K, true>(pass, first_block, block_count)
           : rows<K, false>(pass, first_block, block_count);
    }
  }

  /// The stages between vectors, last stage first; in the pass that ends the transform stage 0
  /// divides by N and the result is reduced as far as was asked for.
  template <int K, bool kLast, bool kReduced>
  RINGLET_INLINE static void row_stages(Rows<A, K>& r, const Twiddle<A>* tree,
                                        const Twiddle<A>& scale, const Mod<A>& m) {
    unroll<K>([&](auto i) __attribute__((always_inline)) {
      constexpr int kStage = K - 1 - decltype(i)::value;
      r.template stage<kStage>(
          tree, [&](Vec<A>& a, Vec<A>& b, const Twiddle<A>& w) __attribute__((always_inline)) {
            if constexpr (kLast && kStage == 0) {
              last_inverse_butterfly<A>(a, b, w, scale, m);
            } else {
              inverse_butterfly<A, (kReduced && decltype(i)::value == 0)>(a, b, w, m);
            }
          });
    });
  }

  RINGLET_INLINE Twiddle<A> load_scale() const {
    const TwiddlePair& scale = this->table.degree_inverse;
    return {A::broadcast(scale.operand), A::broadcast(scale.quotient)};
  }

  template <int K, bool kLast>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    const Mod<A> m = this->modulus;
    const Twiddle<A> scale = load_scale();
    const bool reduce_output = kLast && this->factors.output == 1;
    const std::size_t row = row_words(this->table.schedule, pass);
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      std::uint64_t* data = this->result + block * (row << K);
      Twiddle<A> tree[(1 << K) - 1];
      load_tree<A, K>(tree, this->stream);
      this->stream += tree_words(pass);
      for (std::size_t j = 0; j < row; j += kLanes<A>) {
        Rows<A, K> r;
        r.load(data + j, row);
        row_stages<K, kLast, false>(r, tree, scale, m);
        if (reduce_output) r.reduce_once(m.q);
        r.store(data + j, row);
      }
    }
  }

  template <int K, bool kLast>
  RINGLET_INLINE void tail(std::size_t first_block, std::size_t block_count) {
    this->factors.input == 1 ? tail_blocks<K, kLast, true>(first_block, block_count)
                             : tail_blocks<K, kLast, false>(first_block, block_count);
  }

  template <int K, bool kLast, bool kReduced>
  __attribute__((noinline)) void tail_blocks(std::size_t first_block, std::size_t block_count) {
    constexpr std::size_t kWords = kLanes<A> << K;
    constexpr int kLaneStages = A::kLogLanes;
    const Mod<A> m = this->modulus;
    const Twiddle<A> scale = load_scale();
    const std::uint64_t* words = this->stream;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      Rows<A, K> r;
      r.load(this->operand + block * kWords, kLanes<A>);
      r.pairs([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
        A::template from_lane_stage<kLaneStages>(a, b);
      });
      unroll<kLaneStages>([&](auto i) __attribute__((always_inline)) {
        constexpr int kStage = kLaneStages - 1 - decltype(i)::value;
        const std::uint64_t* lane = words + lane_offset<A, K>(kStage);
        r.pairs([&](Vec<A>& a, Vec<A>& b, int pair) __attribute__((always_inline)) {
          const Twiddle<A> w = A::template lane_twiddle<kStage>(
              lane + static_cast<std::size_t>(pair) * lane_words(A::kLaneLayout, kStage));
          inverse_butterfly<A, (kReduced && decltype(i)::value == 0)>(a, b, w, m);
          A::template from_lane_stage<kStage>(a, b);
        });
      });
      Twiddle<A> tree[(1 << K) - 1];
      load_tree<A, K>(tree, words);
      row_stages<K, kLast, kReduced && kLaneStages == 0>(r, tree, scale, m);
      if (kLast && this->factors.output == 1) r.reduce_once(m.q);
      r.store(this->result + block * kWords, kLanes<A>);
      words += lane_offset<A, K>(kLaneStages);
    }
    this->stream = words;
  }
};

template <ArithmeticPolicy A>
struct Radix2 {
  static constexpr Radix2Shape kShape{A::kLaneLayout, A::kQuotientBits, A::kMaxRowStages};

  static std::size_t table_bytes(int log_degree) { return radix2_table_bytes(log_degree, kShape); }
  static void build_table(void* table, const NttRequest& request) {
    build_radix2_table(table, request, kShape);
  }

  static void forward(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    const auto& t = *static_cast<const Radix2Table*>(table);
    ForwardRadix2<A> visitor{
        {t, result, operand, t.forward_stream(), broadcast_modulus<A>(t.q), factors}};
    walk_forward(t.schedule, visitor);
  }

  static void inverse(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    const auto& t = *static_cast<const Radix2Table*>(table);
    InverseRadix2<A> visitor{
        {t, result, operand, t.inverse_stream(), broadcast_modulus<A>(t.q), factors}};
    walk_inverse(t.schedule, visitor);
  }

  static constexpr NttKernel descriptor(const char* table_name, CpuFeatureMask needs) {
    return {.table = table_name,
            .algorithm = "radix2",
            .needs = needs,
            .modulus_limit = A::kNttModulusLimit,
            .min_log_degree = A::kLogLanes + 1,
            .max_log_degree = 20,
            .table_bytes = &table_bytes,
            .build_table = &build_table,
            .forward = &forward,
            .inverse = &inverse};
  }
};

}  // namespace ringlet::kernels
