// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernel.hpp"
#include "kernels/ntt/schedule.hpp"

namespace ringlet::kernels {

/// The two words that represent a factor w, with beta = 2^quotient_bits:
///   quotient: w and floor(w * beta / q), for Shoup's products
///   fraction: floor(w * beta^2 / q), low word and high word, for products by fractions
/// and for w centred, in (-q/2, q/2):
///   real:       the doubles w and w/q
///   long_real:  the word w and the double w/q
///   mont64:     w * 2^32 and w * 2^64, centred modulo q, as signed halves (split_halves)
///   mont32:     w * 2^32, centred modulo q, and that over q modulo 2^32
///   shoup64:    the word w, and w * 2^64 / q rounded to nearest, as signed halves
enum class TwiddleForm { quotient, fraction, real, long_real, mont64, mont32, shoup64 };

/// What distinguishes the radix-2 tables of two policies.
struct Radix2Shape {
  LaneLayout layout;
  int quotient_bits = 64;
  int max_row_stages = 1;
  TwiddleForm form = TwiddleForm::quotient;
  bool has_inverse = true;  ///< Else the table ends after the forward stream.
  int max_far_stages = kMaxFarStages;
  /// The forward stream is for a transform that takes the blocks of every pass from the last one
  /// to the first.
  bool descending = false;
};

/// A constant factor in the form of its table. The high word of a fraction is the quotient.
struct TwiddlePair {
  std::uint64_t operand = 0;
  std::uint64_t quotient = 0;
};

/// Head of a radix-2 table; the two streams of twiddles follow it in memory. Each stream is read
/// from start to end, in the order of walk_forward and walk_inverse. In the inverse stream the
/// twiddle of stage 0 carries the factor 1/N, which `degree_inverse` holds for the other half.
struct alignas(64) Radix2Table {
  Schedule schedule;
  std::uint64_t q = 0;
  BarrettRatio ratio;  ///< For products of transforms.
  TwiddlePair degree_inverse;
  std::size_t stream_words = 0;

  const std::uint64_t* forward_stream() const {
    return reinterpret_cast<const std::uint64_t*>(this + 1);
  }
  const std::uint64_t* inverse_stream() const { return forward_stream() + stream_words; }
};

/// Returns the words of the factor w modulo q.
TwiddlePair make_twiddle_pair(std::uint64_t w, std::uint64_t q, const Radix2Shape& shape);

/// Size of a table in bytes, a multiple of 64.
std::size_t radix2_table_bytes(int log_degree, const Radix2Shape& shape);

/// Fills `memory` (64-byte aligned, radix2_table_bytes long).
void build_radix2_table(void* memory, const NttRequest& request, const Radix2Shape& shape);

}  // namespace ringlet::kernels
