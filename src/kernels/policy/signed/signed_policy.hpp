// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/signed/table.hpp"
#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

template <typename A>
using SignedConstants = typename A::Constants;

template <typename A>
using SignedFactor = typename A::Factor;

/// A word of memory between two passes.
template <typename A>
using SignedWord = typename A::Word;

/// A policy of signed arithmetic offers these to the transforms. A Vec holds 2^kLogLanes signed
/// integers in the policy's own form; signed_ranges(kArithmetic, q) bounds them. Products and
/// reductions keep them modulo q.
///   make_constants(q, one):   constants of q for the functions below; `one` is the factor 1
///   load(p), store(p, x):     values between passes, as Words
///   from_operand(p):          words in [0, factor*q), as the table takes them
///   reduce_operand(to, p, m): words in [0, 4q) -> residues in [0, q)
///   store_result(p, x, m):    the residue of any value;   store_product(p, x, m): of a product
///   add(x, y), sub(x, y)
///   product(y, w, m):         y*w mod q
///   reduction(word):          a vector for reduce() that stands for that entry of the plan
///   reduce(x, r, m):          a smaller number that is x modulo q
///   broadcast_factor(p):      the pair of words at p as a factor of all lanes
///   lane_factor<v>(p), to_lane_stage<v>(a, b), from_lane_stage<v>(a, b): as in ArithmeticPolicy
///   kVectorsAtOnce:           how many vectors a pass works on stage by stage, a power of two
///   kHasPlainTail:            whether tails of forward transforms are compiled without reductions
///   kOperandsAreValues:       true if from_operand(p) is load(p)
template <typename A>
concept SignedPolicy =
    requires(Vec<A> x, SignedFactor<A> w, SignedConstants<A> m, const SignedWord<A>* from,
             SignedWord<A>* to, const std::uint64_t* words, std::uint64_t q, TwiddlePair one) {
      { A::kLogLanes } -> std::convertible_to<int>;
      { A::kMaxRowStages } -> std::convertible_to<int>;
      { A::kVectorsAtOnce } -> std::convertible_to<int>;
      { A::kLaneLayout } -> std::convertible_to<LaneLayout>;
      { A::kHasPlainTail } -> std::convertible_to<bool>;
      { A::kOperandsAreValues } -> std::convertible_to<bool>;
      { A::kArithmetic } -> std::convertible_to<SignedArithmetic>;
      { A::make_constants(q, one) } -> std::same_as<SignedConstants<A>>;
      { A::load(from) } -> std::same_as<Vec<A>>;
      { A::store(to, x) } -> std::same_as<void>;
      { A::add(x, x) } -> std::same_as<Vec<A>>;
      { A::sub(x, x) } -> std::same_as<Vec<A>>;
      { A::product(x, w, m) } -> std::same_as<Vec<A>>;
      { A::reduce(x, x, m) } -> std::same_as<Vec<A>>;
      { A::broadcast_factor(words) } -> std::same_as<SignedFactor<A>>;
    };

}  // namespace ringlet::kernels
