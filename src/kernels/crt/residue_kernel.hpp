// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu_features.hpp"
#include "ringlet/arith/modular.hpp"

// What a product of a wide and a small polynomial does besides its transforms modulo a few primes,
// as a kernel. Plain data and function pointers.

namespace ringlet::kernels {

inline constexpr std::size_t kMaxResiduePrimes = 4;
/// Words of a wide integer. A modulus has at most as many limbs of 52 bits.
inline constexpr std::size_t kResidueWords = 3;

/// One mixed-radix digit of an integer: v_j = (x - v_0 - v_1 p_0 - ...) / (p_0 ... p_(j-1)) modulo
/// p_j.
struct MixedRadixDigit {
  std::uint64_t p = 0;
  BarrettRatio ratio;
  /// Half of the product of all primes modulo p, plus a multiple of p. It makes signed residues and
  /// the integer positive.
  std::uint64_t shift = 0;
  /// Inverses of the primes before this one modulo p, with Shoup's quotients of 64 bits.
  std::uint64_t inverse[kMaxResiduePrimes] = {};
  std::uint64_t inverse_quotient[kMaxResiduePrimes] = {};
  /// The product of the primes before this one modulo q, in words and in limbs of 52 bits.
  std::uint64_t weight[kResidueWords] = {};
  std::uint64_t weight52[kResidueWords] = {};
};

/// Constants that compute integers modulo q from their residues modulo 1 to 4 primes.
struct MixedRadixDigits {
  MixedRadixDigit digit[kMaxResiduePrimes];
  std::size_t count = 0;
  std::uint64_t q[kResidueWords] = {};
  std::uint64_t q52[kResidueWords] = {};
  std::size_t word_count = 0;  ///< Words of q.
  std::size_t limb_count = 0;  ///< Limbs of 52 bits of q.
  int shift = 0;               ///< Bits of q, less 1.
  /// floor((2^(shift + 64) - 1) / q).
  std::uint64_t quotient = 0;
  /// Undoes the shift of the digits modulo q. It is at least 2^31.
  std::uint64_t offset[kResidueWords] = {};
  std::uint64_t offset52[kResidueWords] = {};
};

/// results[w][i] = word w of (the integer with the residues residues[l * stride + i]) + e[i] modulo
/// q, for i < count. The residues are signed integers x with 0 <= x + digit.shift < 2^63; words up
/// to stride may be read. `e` is null for 0.
struct ReconstructArguments {
  const MixedRadixDigits* digits = nullptr;
  const std::uint64_t* residues = nullptr;
  std::size_t stride = 0;
  const std::int32_t* e = nullptr;
  std::uint64_t* results[kResidueWords] = {};
  std::size_t count = 0;
};

/// results[w][i] = word w of (the sum over k of the signed word planes[k * stride + i] times
/// 2^(limb_bits * k)) + e[i] modulo q, for i < count. Of `digits`, the modulus and the offset are
/// read. The sums plus the offset are in [0, 2^(digits->shift + 52)), and the highest plane begins
/// below bit digits->shift + 1; the kernel of words takes sums below 2^(digits->shift + 64).
struct FinishArguments {
  const MixedRadixDigits* digits = nullptr;
  const std::uint64_t* planes = nullptr;
  std::size_t stride = 0;
  int limb_bits = 0;
  std::size_t limb_count = 0;
  const std::int32_t* e = nullptr;
  std::uint64_t* results[kResidueWords] = {};
  std::size_t count = 0;
};

/// The residues modulo p of a polynomial modulo X^A + 1 in the first A words, modulo X^B + 1 in the
/// B words after them; A and B powers of two, A > B.
struct JoinArguments {
  std::uint64_t* words = nullptr;
  std::size_t first = 0;   ///< A.
  std::size_t second = 0;  ///< B.
  std::size_t top = 0;     ///< Coefficients of the polynomial from X^A on, at most B.
  std::uint64_t p = 0;     ///< Odd.
};

/// Lengths of sums by additions are multiples of this.
inline constexpr std::size_t kShiftPadding = 64;

/// sums[t] = sum over j < degree of u_j * p[t - j] modulo 2^64, for t < count, a multiple of
/// kShiftPadding that is at least 2 * degree - 1. p is readable from p[1 - degree] to p[count - 1],
/// and 0 outside of its `degree` coefficients.
struct ShiftArguments {
  std::uint64_t* sums = nullptr;
  const std::uint64_t* p = nullptr;
  const std::uint64_t* used = nullptr;      ///< All ones where u_j is not 0, else 0.
  const std::uint64_t* negative = nullptr;  ///< All ones where u_j is -1, else 0.
  std::size_t degree = 0;
  std::size_t count = 0;
};

/// A kernel whose functions are constant time in the data. All primes are below 2^50. Allocated
/// arrays are 64-byte aligned, and their lengths are multiples of 64 words.
struct ResidueKernel {
  const char* table = nullptr;
  const char* algorithm = nullptr;
  CpuFeatureMask needs = 0;
  /// result[i] = small[i] modulo p, in [0, p).
  void (*spread)(std::uint64_t* result, const std::int8_t* small, std::size_t count,
                 std::uint64_t p) = nullptr;
  /// Leaves the polynomial itself, of degree below A + B: its coefficients in order, in [0, p).
  void (*join)(const JoinArguments& arguments) = nullptr;
  void (*reconstruct)(const ReconstructArguments& arguments) = nullptr;
  void (*finish)(const FinishArguments& arguments) = nullptr;
  void (*add_shifts)(const ShiftArguments& arguments) = nullptr;
};

}  // namespace ringlet::kernels
