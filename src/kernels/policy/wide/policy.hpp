// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "kernels/ntt/schedule.hpp"
#include "kernels/policy/unroll.hpp"
#include "kernels/wide/wide_kernel.hpp"
#include "ringlet/base/export.hpp"

// The policies of the kernels of double words.

namespace ringlet::kernels {

/// 2^kLogLanes double words in registers: limb by limb, as A::kLimbFormat cuts them.
template <typename A>
struct WideElement {
  typename A::Vec limb[A::kLimbFormat.limb_count];
};

/// A factor that is known in advance: one for all lanes, or one for each.
template <typename A>
struct WideTwiddle {
  typename A::Vec word[A::kLimbFormat.factor_words()];
};

/// Besides lanes (Vec, kLogLanes, kLaneLayout, kMaxWideRowStages, load, store, broadcast, and the
/// permutations lane_words, to_lane_stage and from_lane_stage of ArithmeticPolicy), for
/// M = A::WideModulus and elements x, y, u, v:
///   make_wide_modulus(c)            constants of q for the functions below
///   from_words(low, high)           any double words -> limbs
///   to_words(x, low, high)          limbs of reduced elements -> words
/// Transforms, with values in the policy's own ranges between `start` and `finish`:
///   start_forward(x, offset), start_inverse(x)   reduced elements -> what the butterflies take;
///                                   `offset` is the policy's multiple of q for this length
///   forward_butterfly(u, v, w, m)   (u + w*v, u - w*v)
///   inverse_butterfly(u, v, w, offset, m)        (u + v, w*(u - v))
///   scale(x, w, m)                  w*x, for the sums of the last inverse stage
///   settle(x, m)                    bounds the sums of several inverse stages, in the first
///                                   kSettledRows rows of a pass (1 if there is no such constant)
///   finish_forward(x, m), finish_inverse(x, m)   reduced elements
/// Element-wise, all reduced (x, y only words where `words` is in the name):
///   add_words(a, b, m), subtract_words(a, b, m)  of WordPairs
///   multiply(x, y, m), multiply_factor(x, w, m)
///   reduce(x, m)                    any double word in limbs -> reduced
/// or, in place of the last three and of both finishes, functions on words with `_words` in their
/// names (kernels/wide/words.hpp).
template <typename A>
concept WidePolicy =
    requires(WideElement<A> x, WideTwiddle<A> w, const typename A::WideModulus& m,
             const WideConstants& constants, typename A::Vec low, typename A::Vec high) {
      { A::kLimbFormat } -> std::convertible_to<LimbFormat>;
      { A::kMaxWideRowStages } -> std::convertible_to<int>;
      { A::make_wide_modulus(constants) } -> std::same_as<typename A::WideModulus>;
      { A::from_words(low, high) } -> std::same_as<WideElement<A>>;
      { A::to_words(x, low, high) } -> std::same_as<void>;
      { A::start_forward(x, x) } -> std::same_as<WideElement<A>>;
      { A::start_inverse(x) } -> std::same_as<WideElement<A>>;
      { A::forward_butterfly(x, x, w, m) } -> std::same_as<void>;
      { A::inverse_butterfly(x, x, w, x, m) } -> std::same_as<void>;
      { A::scale(x, w, m) } -> std::same_as<WideElement<A>>;
      { A::settle(x, m) } -> std::same_as<WideElement<A>>;
    };

template <typename A>
inline constexpr std::size_t kWideLanes = std::size_t{1} << A::kLogLanes;

/// Double words of one vector, as words, for sums and differences of reduced elements.
template <typename A>
struct WordPair {
  typename A::Vec low;
  typename A::Vec high;
};

template <typename A>
RINGLET_INLINE WideElement<A> broadcast_limbs(const std::uint64_t* limbs) {
  WideElement<A> x;
  unroll<A::kLimbFormat.limb_count>([&](auto i) __attribute__((always_inline)) {
    x.limb[i] = A::broadcast(limbs[decltype(i)::value]);
  });
  return x;
}

template <typename A>
RINGLET_INLINE WideTwiddle<A> broadcast_factor(const std::uint64_t* words) {
  WideTwiddle<A> w;
  unroll<A::kLimbFormat.factor_words()>([&](auto i) __attribute__((always_inline)) {
    w.word[i] = A::broadcast(words[decltype(i)::value]);
  });
  return w;
}

}  // namespace ringlet::kernels
