// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rlwe/serialization/frame.hpp"
#include "rlwe/serialization/polynomials.hpp"

// Sizes in bytes of the payloads that docs/files.md describes, for writing, reading and foretelling
// files. Callers keep their arguments within the limits of a Context, for which nothing here
// overflows.

namespace ringlet::rlwe {

/// Form, scale, number of words.
inline constexpr std::size_t kPlaintextFields = 3 * 8;
/// Form, size, limbs, degree, scale, correction factor.
inline constexpr std::size_t kCiphertextFields = 6 * 8;
/// Limbs, degree.
inline constexpr std::size_t kPublicKeyFields = 2 * 8;
/// Type of the set, index, digits, limbs, degree.
inline constexpr std::size_t kKeyFields = 5 * 8;
/// Number of keys of a directory.
inline constexpr std::size_t kCountField = 8;
/// Index, offset, length of one key.
inline constexpr std::size_t kEntryBytes = 3 * 8;
/// The degree of a secret key.
inline constexpr std::size_t kDegreeBytes = 8;
/// Coefficients of a secret key in a byte.
inline constexpr std::size_t kCoefficientsPerByte = 4;
/// Scheme, degree, plain modulus, level, table, digit size, numbers of data and special primes.
inline constexpr std::size_t kParameterFields = 8;

/// Returns the size of parameters. A ring other than X^N + 1 has its m before the fields.
constexpr std::size_t parameters_bytes(std::size_t primes, bool has_general_ring) noexcept {
  return 8 * (kParameterFields + primes + (has_general_ring ? 1 : 0));
}

/// Returns the size of one key of a set.
constexpr std::size_t key_bytes(std::size_t digits, std::size_t limbs, std::size_t degree,
                                bool is_seeded) noexcept {
  return kKeyFields + digits * pair_bytes(limbs, degree, is_seeded);
}

/// Returns the size of the directory of a set.
constexpr std::size_t directory_bytes(std::size_t count) noexcept {
  return kCountField + count * kEntryBytes;
}

/// Returns the size of a secret key.
constexpr std::size_t secret_key_bytes(std::size_t degree) noexcept {
  return kDegreeBytes + (degree + kCoefficientsPerByte - 1) / kCoefficientsPerByte;
}

}  // namespace ringlet::rlwe
