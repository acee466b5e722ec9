// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu_features.hpp"

// The interface of kernels of double words. Plain data and function pointers, because kernel units
// include this header.
//
// A double word x < 2^128 is two 64-bit words; residues are modulo an odd q, 3 <= q < 2^124. Inside
// a kernel it is a few limbs, as LimbFormat says.

namespace ringlet::kernels {

inline constexpr int kMaxWideLimbs = 5;
/// Words of the largest factor: limbs of w and of its quotient.
inline constexpr int kMaxWideFactorWords = 2 * kMaxWideLimbs;

/// Element i is at low[i * step] and high[i * step]: planes (step 1) or interleaved words (step 2,
/// high = low + 1).
struct WideWords {
  std::uint64_t* low = nullptr;
  std::uint64_t* high = nullptr;
  std::size_t step = 1;
};
struct ConstWideWords {
  const std::uint64_t* low = nullptr;
  const std::uint64_t* high = nullptr;
  std::size_t step = 1;
};

/// How factors that are known in advance are stored; beta = 2^(limb_bits * limb_count).
///   plain:       w
///   quotient:    w and floor(w * beta / q) (Shoup)
///   montgomery:  w * beta mod q
///   fraction:    doubles, each limb at its place and of least absolute value: the low limb of w or
///                of w - q, and w/q or w/q - 1, to limb_count + 2 limbs behind the point
enum class WideFactor { plain, quotient, montgomery, fraction };

/// How a policy cuts double words, and which constants of a modulus it uses.
struct LimbFormat {
  int limb_bits = 64;
  int limb_count = 2;
  WideFactor factor = WideFactor::quotient;
  /// Barrett's reduction works on q' = q * 2^shift of exactly `barrett_bits` bits with
  /// floor(2^barrett_exponent / q'). With 0 bits the policy has another reduction.
  int barrett_bits = 124;
  int barrett_exponent = 250;
  int barrett_shift = 0;  ///< If not 0, the shift of all moduli; `barrett_bits` then sets none.
  /// The multiples of q that keep sums and differences of a forward or inverse transform of
  /// 2^log_degree elements positive: `forward_multiple` + `forward_growth` * log_degree, and
  /// `inverse_multiple` << (`inverse_doubles` ? log_degree : 0).
  int forward_multiple = 0;
  int forward_growth = 0;
  int inverse_multiple = 4;
  bool inverse_doubles = false;

  constexpr int factor_words() const {
    if (factor == WideFactor::fraction) return limb_count + 3;
    return factor == WideFactor::quotient ? 2 * limb_count : limb_count;
  }
};

/// Constants that turn a residue into a factor, in words of 64 bits for every format.
struct WideFactorConstants {
  std::uint64_t shifted[2] = {};          ///< q * 2^shift of exactly 124 bits.
  std::uint64_t quotient[2] = {};         ///< floor(2^250 / shifted).
  std::uint64_t beta[2] = {};             ///< beta mod q.
  std::uint64_t negated_inverse[3] = {};  ///< -q^-1 modulo 2^192.
  int shift = 0;
};

/// Constants of q for a policy. Limbs are as its LimbFormat says, least significant first.
struct WideConstants {
  std::uint64_t words[2] = {};                  ///< q itself.
  std::uint64_t q[kMaxWideLimbs] = {};          ///< q.
  std::uint64_t negated[kMaxWideLimbs] = {};    ///< beta - q.
  std::uint64_t inverse[kMaxWideLimbs] = {};    ///< q^-1 modulo beta.
  std::uint64_t shifted[kMaxWideLimbs] = {};    ///< q'.
  std::uint64_t quotient[kMaxWideLimbs] = {};   ///< floor(2^barrett_exponent / q').
  std::uint64_t one[kMaxWideFactorWords] = {};  ///< The factor 1.
  WideFactorConstants factor;                   ///< For make_factor.
  int bits = 0;                                 ///< Significant bits of q.
  int shift = 0;                                ///< The shift of q'.
};

/// The operations besides transforms. `scalar` is a factor.
enum class WideOperation : unsigned {
  add,                  ///< a + b
  subtract,             ///< a - b
  multiply,             ///< a * b
  multiply_scalar_add,  ///< scalar * a + b (axpy)
  dot,                  ///< one element: the sum of a[i] * b[i]
  reduce,               ///< any a < 2^128
};
inline constexpr unsigned kWideOperationCount = 6;
inline constexpr const char* kWideOperationNames[kWideOperationCount] = {
    "wide_add", "wide_subtract", "wide_multiply", "wide_multiply_scalar_add",
    "wide_dot", "wide_reduce"};

/// Operands of an operation; those that it does not read are null. `result` may be the same as an
/// operand; partial overlap is not allowed. Results are reduced; operands too, except of `reduce`.
struct WideEltwiseArguments {
  WideWords result;
  ConstWideWords a;
  ConstWideWords b;
  std::size_t count = 0;
  const std::uint64_t* factor = nullptr;  ///< Words that make_factor wrote.
};

/// Parameters of a table of twiddles. The order of the root is 2N if negacyclic, N if cyclic.
struct WideNttRequest {
  int log_degree = 0;
  bool cyclic = false;
  std::uint64_t q[2] = {};
  std::uint64_t root[2] = {};
};

struct WideNttArguments {
  WideWords result;
  ConstWideWords operand;
  std::uint64_t* scratch = nullptr;  ///< 64-byte aligned, scratch_words long; overlaps nothing.
};

/// A kernel of double words: element-wise operations and transforms of one arithmetic. They take
/// any count and alignment and are constant time in the data.
struct WideKernel {
  const char* table = nullptr;
  const char* algorithm = nullptr;
  CpuFeatureMask needs = 0;
  int min_modulus_bits = 2;
  int max_modulus_bits = 124;
  bool special_modulus = false;  ///< Takes only q = k * 2^104 + 1.
  bool named_only = false;       ///< Chosen only if its table is named: for studies.
  int factor_words = 0;
  void (*build_constants)(WideConstants& constants, const std::uint64_t q[2]) = nullptr;
  void (*make_factor)(std::uint64_t* words, const std::uint64_t w[2],
                      const WideConstants& constants) = nullptr;
  void (*run[kWideOperationCount])(const WideEltwiseArguments& arguments,
                                   const WideConstants& constants) = {};
  int min_log_degree = 0;
  /// Size and contents of an opaque table, whose size in bytes is a multiple of 64.
  std::size_t (*table_bytes)(int log_degree) = nullptr;
  void (*build_table)(void* table, const WideNttRequest& request) = nullptr;
  std::size_t (*scratch_words)(int log_degree) = nullptr;
  void (*forward)(const WideNttArguments& arguments, const void* table) = nullptr;
  void (*inverse)(const WideNttArguments& arguments, const void* table) = nullptr;
};

}  // namespace ringlet::kernels
