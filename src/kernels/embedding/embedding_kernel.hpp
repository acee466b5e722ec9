// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu_features.hpp"
#include "ringlet/arith/modular.hpp"

// What the canonical embedding of CKKS computes, as a kernel: docs/notes/ckks_embedding.md. Plain
// data and function pointers, as in kernels/kernel.hpp.

namespace ringlet::kernels {

/// Doubles of one radix-4 block: the factors s, s^2, s^3, a real and an imaginary part each.
inline constexpr std::size_t kEmbeddingFactors = 6;

/// A transform of 2^log_slots complex values, real and imaginary parts apart, in place.
struct EmbeddingArguments {
  double* re = nullptr;
  double* im = nullptr;
  int log_slots = 0;
  /// The factors of all radix-4 blocks, level by level from the root of the tree. Those of the last
  /// level, whose blocks have four values, stand in groups of `lanes` blocks: one number of all
  /// blocks of the group, then the next number of all.
  const double* factors = nullptr;
  /// Factor of the radix-2 level at the root, which exists if log_slots is odd.
  double root_re = 0;
  double root_im = 0;
};

/// The places of slots among the points of a transform. Kernels go through slots in tiles, so that
/// the points of a tile stay in the nearest cache. With `columns` columns (a power of two,
/// `slot_count` if there is one tile) and R = slot_count / columns rows, the place of slot
/// r*columns + 4*c + k, k < 4, is places[4 * (c*R + r) + k].
struct SlotPlaces {
  const std::uint32_t* places = nullptr;
  std::size_t slot_count = 0;
  std::size_t columns = 0;
};

/// The slots themselves: one double each, or a real and an imaginary part.
struct ScatterArguments {
  SlotPlaces places;
  double* re = nullptr;
  double* im = nullptr;
  const double* slots = nullptr;
  std::size_t count = 0;  ///< At most slot_count; the other slots are 0.
  bool is_complex = false;
  double factor = 1;
};

struct GatherArguments {
  SlotPlaces places;
  const double* re = nullptr;
  const double* im = nullptr;
  double* slots = nullptr;
  bool is_complex = false;
};

/// One of the primes below 2^61 whose residues represent an integer.
struct MixedRadixPrime {
  std::uint64_t q = 0;
  std::uint64_t inverse = 0;  ///< 1/q modulo 2^64.
  BarrettRatio ratio;
};

/// Mixed-radix digits d_i of an integer x: d_i = x_i * u_i + sum over j < i of d_j * c_ij modulo
/// q_i, with x_i the residue, u_i = 1 / (q_0 ... q_{i-1}) and c_ij = -(q_0 ... q_{j-1}) * u_i.
struct MixedRadix {
  const MixedRadixPrime* primes = nullptr;
  std::size_t count = 0;
  /// c_i0, ..., c_i(i-1), u_i at constants64 + i*(i+1)/2, each times 2^64 modulo q_i.
  const std::uint64_t* constants64 = nullptr;
  /// The same with 2^52, if all primes are in [2^14, 2^50); else null.
  const std::uint64_t* constants52 = nullptr;
  /// The same with 2^104.
  const std::uint64_t* constants104 = nullptr;
};

/// Words of scratch that `combine` needs per prime.
inline constexpr std::size_t kCombineTile = 64;

/// values[t] = sum of d_i * weights[i] with the sign of x, where x is the integer of least absolute
/// value with residues[i * stride + t], and d_i are the digits of its magnitude.
struct CombineArguments {
  MixedRadix radix;
  const double* weights = nullptr;
  const std::uint64_t* residues = nullptr;
  std::size_t stride = 0;
  double* values = nullptr;
  std::size_t count = 0;
  std::uint64_t* scratch = nullptr;  ///< kCombineTile * radix.count words, 64-byte aligned.
};

/// Bits of the magnitudes of integers that fit one signed word here; 2^62 itself fits.
inline constexpr int kEmbeddingWordBits = 62;

/// A kernel of the canonical embedding. No branch and no index depends on values; results have the
/// same bits for every kernel, because each does the same operations in the same order and rounds
/// after each. Unless stated, arrays have any alignment and any count.
struct EmbeddingKernel {
  const char* table = nullptr;
  const char* algorithm = nullptr;
  CpuFeatureMask needs = 0;
  int min_log_degree = 0;  ///< Of the transforms; there are half as many slots.
  /// Points stand in groups of 4 * lanes: point p of block b, of the blocks of four in the order of
  /// the tree, at 4*lanes*(b / lanes) + lanes*p + b % lanes.
  std::size_t lanes = 1;
  /// Transform coefficients to points, and back without the factor 1/slots.
  void (*forward)(const EmbeddingArguments& arguments) = nullptr;
  void (*inverse)(const EmbeddingArguments& arguments) = nullptr;
  /// Set points to slots times the factor, with magnitudes below 2^-900 taken as 0; and slots to
  /// points. Odd slots are conjugates.
  void (*scatter)(const ScatterArguments& arguments) = nullptr;
  void (*gather)(const GatherArguments& arguments) = nullptr;
  /// The largest of the words that are the bits of |values[i]|; 0 for none.
  std::uint64_t (*largest)(const double* values, std::size_t count) = nullptr;
  /// Rounds values[i] * 2^shift, at most 2^62 in magnitude, to integers in signed words, halves
  /// away from zero.
  void (*round)(std::uint64_t* result, const double* values, std::size_t count,
                int shift) = nullptr;
  /// result[i] = values[i] mod q in [0, q), of signed words of at most 2^62 in magnitude,
  /// q in [2, 2^62); in place or not.
  void (*reduce)(std::uint64_t* result, const std::uint64_t* values, std::size_t count,
                 std::uint64_t q, BarrettRatio ratio) = nullptr;
  void (*combine)(const CombineArguments& arguments) = nullptr;
};

}  // namespace ringlet::kernels
