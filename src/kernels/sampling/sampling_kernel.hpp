// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu_features.hpp"

// Plain data and function pointers, as in kernels/kernel.hpp.

namespace ringlet::kernels {

/// Half the number of bits that a centred binomial sample counts, and the bytes that it takes.
inline constexpr int kBinomialSideBits = 21;
inline constexpr std::size_t kBinomialBytes = 6;

/// Multiples of signed integers modulo q, minus a vector:
///   result[i] = (values[i] + offset) * factor - subtrahend[i]  modulo q, in [0, q)
/// for 0 <= values[i] + offset < limit. `offset` is a multiple of q, plus the summand if there is
/// one. The result may be the subtrahend; no other overlap.
template <typename Integer>
struct SignedResidueArguments {
  std::uint64_t* result = nullptr;
  const Integer* values = nullptr;
  const std::uint64_t* subtrahend = nullptr;  ///< In [0, q); null for none.
  std::size_t count = 0;
  std::uint64_t q = 0;         ///< At least 2, below 2^62.
  std::uint64_t offset = 0;    ///< Below 2^63.
  std::uint64_t limit = 0;     ///< At most 2^63.
  std::uint64_t factor = 1;    ///< In [0, q).
  std::uint64_t quotient = 0;  ///< floor(factor * 2^64 / q).
};

/// Errors minus the remainders that a rounded division by p drops:
///   result[i] = errors[i] + half - ((words[i] + errors[i] + offset) modulo p)
/// for words in [0, p) and 0 <= words[i] + errors[i] + offset < limit. The result may overwrite the
/// words; no other overlap.
template <typename Integer>
struct RoundingArguments {
  std::int64_t* result = nullptr;
  const std::uint64_t* words = nullptr;
  const Integer* errors = nullptr;
  std::size_t count = 0;
  std::uint64_t p = 0;  ///< At least 2, below 2^62.
  std::uint64_t half = 0;
  std::uint64_t offset = 0;    ///< half plus a multiple of p; below 2^63.
  std::uint64_t limit = 0;     ///< At most 2^63.
  std::uint64_t quotient = 0;  ///< floor(2^64 / p).
};

/// A kernel that makes samples of random bytes, and residues of small integers: any count, any
/// alignment. Constant time in all data, except for which bytes `ternary` and `uniform` reject.
struct SamplingKernel {
  const char* table = nullptr;
  const char* algorithm = nullptr;
  CpuFeatureMask needs = 0;
  /// result[i] = ones among bits 0-20 less ones among bits 21-41 of the i-th 6 bytes, the least
  /// significant first.
  void (*binomial)(std::int8_t* result, std::size_t count, const std::uint8_t* bytes) = nullptr;
  /// Each byte has four fields f of 2 bits, lowest first. Writes f - 1 for those that are not 3, in
  /// order, while there is room. Returns how many; all of the room may be overwritten.
  std::size_t (*ternary)(std::int8_t* result, std::size_t room, const std::uint8_t* bytes,
                         std::size_t byte_count) = nullptr;
  /// Takes the bits of `mask` from each 8 bytes, the least significant first. Writes the numbers
  /// below `bound` < 2^63, in order, while there is room. Returns how many; all of the room may be
  /// overwritten.
  std::size_t (*uniform)(std::uint64_t* result, std::size_t room, const std::uint8_t* bytes,
                         std::size_t byte_count, std::uint64_t mask, std::uint64_t bound) = nullptr;
  void (*residues8)(const SignedResidueArguments<std::int8_t>& arguments) = nullptr;
  void (*residues32)(const SignedResidueArguments<std::int32_t>& arguments) = nullptr;
  void (*residues64)(const SignedResidueArguments<std::int64_t>& arguments) = nullptr;
  void (*rounding8)(const RoundingArguments<std::int8_t>& arguments) = nullptr;
  void (*rounding32)(const RoundingArguments<std::int32_t>& arguments) = nullptr;
};

}  // namespace ringlet::kernels
