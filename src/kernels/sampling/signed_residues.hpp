// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "kernels/policy/policy.hpp"
#include "kernels/sampling/sampling_kernel.hpp"

namespace ringlet::kernels {

/// A policy offers these to residues of signed integers besides VectorPolicy:
///   load_signed(p):       kLanes signed integers of 8 or 32 bits as words of 64 bits
///   make_scale(q, w, v):  a factor w in [0, q) with v = floor(w * 2^64 / q)
///   scale(x, s):          x < 2^kScaleBits -> x*w mod q in [0, q)
template <typename A>
concept ScalingPolicy =
    VectorPolicy<A> && requires(Vec<A> x, const std::int8_t* bytes, const std::int32_t* halves,
                                typename A::Scale scale, std::uint64_t word) {
      { A::kScaleBits } -> std::convertible_to<int>;
      { A::kScaleModulusBits } -> std::convertible_to<int>;
      { A::load_signed(bytes) } -> std::same_as<Vec<A>>;
      { A::load_signed(halves) } -> std::same_as<Vec<A>>;
      { A::make_scale(word, word, word) } -> std::same_as<typename A::Scale>;
      { A::scale(x, scale) } -> std::same_as<Vec<A>>;
    };

template <ScalingPolicy A>
struct SignedResidues {
  /// True if the policy takes the modulus q and operands below `limit`.
  RINGLET_INLINE static bool takes(std::uint64_t q, std::uint64_t limit) {
    return q >> A::kScaleModulusBits == 0 && (limit - 1) >> A::kScaleBits == 0;
  }

  template <typename Integer>
  RINGLET_INLINE static void residues(const SignedResidueArguments<Integer>& a) {
    if (a.subtrahend == nullptr) return residues_of<false>(a);
    residues_of<true>(a);
  }

  template <typename Integer>
  RINGLET_INLINE static void rounding(const RoundingArguments<Integer>& a) {
    const auto scale = A::make_scale(a.p, 1, a.quotient);
    const Vec<A> offset = A::broadcast(a.offset);
    const Vec<A> half = A::broadcast(a.half);
    auto* const result = reinterpret_cast<std::uint64_t*>(a.result);
    for (std::size_t i = 0; i < a.count; i += kLanes<A>) {
      const std::size_t n = a.count - i;
      const Vec<A> error = load(a.errors + i, n);
      const Vec<A> sum = A::add(A::add(load_words(a.words + i, n), error), offset);
      store(result + i, A::sub(A::add(error, half), A::scale(sum, scale)), n);
    }
  }

 private:
  template <bool kSubtracts, typename Integer>
  RINGLET_INLINE static void residues_of(const SignedResidueArguments<Integer>& a) {
    const auto scale = A::make_scale(a.q, a.factor, a.quotient);
    const Vec<A> offset = A::broadcast(a.offset);
    const Vec<A> q = A::broadcast(a.q);
    for (std::size_t i = 0; i < a.count; i += kLanes<A>) {
      const std::size_t n = a.count - i;
      Vec<A> x = A::scale(A::add(load(a.values + i, n), offset), scale);
      if constexpr (kSubtracts) {
        x = A::reduce_once(A::add(x, A::sub(q, load_words(a.subtrahend + i, n))), q);
      }
      store(a.result + i, x, n);
    }
  }

  RINGLET_INLINE static Vec<A> load_words(const std::uint64_t* p, std::size_t n) {
    return n >= kLanes<A> ? A::load(p) : A::load_partial(p, n);
  }
  RINGLET_INLINE static void store(std::uint64_t* p, Vec<A> x, std::size_t n) {
    n >= kLanes<A> ? A::store(p, x) : A::store_partial(p, x, n);
  }
  template <typename Integer>
  RINGLET_INLINE static Vec<A> load(const Integer* p, std::size_t n) {
    if constexpr (std::is_same_v<Integer, std::int64_t>) {
      return load_words(reinterpret_cast<const std::uint64_t*>(p), n);
    } else {
      if (n >= kLanes<A>) return A::load_signed(p);
      Integer last[kLanes<A>] = {};
      for (std::size_t k = 0; k < n; ++k) last[k] = p[k];
      return A::load_signed(last);
    }
  }
};

}  // namespace ringlet::kernels
