// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ringlet/wide_modulus.hpp"

// Times of instructions that do not exist. MQX are three instructions proposed for AVX-512 (product
// of two words, addition with carry, subtraction with borrow); PISA times a kernel in which an
// instruction that exists stands in for each of them. What such a kernel computes is wrong, so
// these functions return times and nothing else. Bit-exact results, without a meaningful time, come
// from the kernels of the table "mqx". Zhang et al., "Towards Closing the Performance Gap ..."
// (MICRO 2025); docs/notes/double_word.md.

namespace ringlet {

/// Nanoseconds per element or per butterfly.
struct WideTiming {
  double minimum_ns = 0;
  double median_ns = 0;
};

/// How the words of two double words are multiplied: with four products of words, or three.
enum class WideWordProduct { schoolbook, karatsuba };

/// The element-wise operations of the projection, named as those of WideEltwise.
enum class WideProjectedOperation { add, subtract, multiply, multiply_scalar_add };

/// True if this processor has the instructions that stand in (AVX512-F and DQ); without them the
/// functions below throw RuntimeError.
bool can_project_mqx() noexcept;

/// The time per butterfly of `runs` forward negacyclic transforms of `degree` elements by MQX with
/// stand-ins: the time of a transform divided by degree/2 * log2(degree).
/// @throws InvalidArgument as WideNtt does, if q has fewer than 66 bits, or if runs is not in
///         [1, 10^6]; RuntimeError if this processor cannot.
WideTiming time_projected_ntt(std::size_t degree, const WideModulus& q, WideWordProduct product,
                              int runs);

/// The time per element of `runs` operations on vectors of `length` elements by MQX with stand-ins.
/// @throws InvalidArgument as WideEltwise does, if q has fewer than 66 bits, if length is not in
///         [1, 2^24] or runs is not in [1, 10^6]; RuntimeError if this processor cannot.
WideTiming time_projected_eltwise(WideProjectedOperation operation, std::size_t length,
                                  const WideModulus& q, WideWordProduct product, int runs);

/// How well a stand-in tells the time of an instruction that exists.
struct ProjectionCheck {
  std::string instruction;   ///< What the transform executes,
  std::string stand_in;      ///< and what stands in for it.
  WideTiming real;           ///< Per butterfly.
  WideTiming projected;      ///< Per butterfly.
  double error_percent = 0;  ///< 100 * (projected - real) / real, of the minima.
};

/// Projects instructions of the AVX-512 transform (2 x 64 bits, Barrett, schoolbook) through
/// stand-ins of like structure, `runs` transforms of each and of the real ones in turn. The first
/// check is of an instruction through itself: what the way of the projection costs by itself. The
/// paper says that its projections err by less than 8 %.
/// @throws as time_projected_ntt
std::vector<ProjectionCheck> check_projection(std::size_t degree, const WideModulus& q, int runs);

}  // namespace ringlet
