// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "seal/modulus.h"
#include "seal/util/defines.h"
#include "seal/util/numth.h"

// Arithmetic on single words modulo a modulus of at most 61 bits. "Reduced" means below the
// modulus. Ranges are a precondition and are not checked. Constant time in the operands unless
// stated otherwise.

namespace ringlet::seal4_util {

/// Returns input mod modulus, for any input; the modulus must not be zero.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t barrett_reduce_64(std::uint64_t input,
                                                                const Modulus& modulus) noexcept;
/// Returns the number in the two words at `input`, the lower word first, modulo the modulus.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t barrett_reduce_128(const std::uint64_t* input,
                                                                 const Modulus& modulus) noexcept;

/// Returns a + b, reduced, for reduced a and b.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t add_uint_mod(std::uint64_t a, std::uint64_t b,
                                                           const Modulus& modulus) noexcept;
/// Returns a - b, reduced, for reduced a and b.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t sub_uint_mod(std::uint64_t a, std::uint64_t b,
                                                           const Modulus& modulus) noexcept;
/// Returns -a, reduced, for a reduced a.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t negate_uint_mod(std::uint64_t a,
                                                              const Modulus& modulus) noexcept;
/// Returns a*b, reduced, for any words.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t multiply_uint_mod(std::uint64_t a, std::uint64_t b,
                                                                const Modulus& modulus) noexcept;
/// Returns base^exponent, reduced, for any base. Variable time in the exponent.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t exponentiate_uint_mod(
    std::uint64_t base, std::uint64_t exponent, const Modulus& modulus) noexcept;

/// A constant factor with Shoup's quotient floor(2^64 * operand / modulus), which makes products by
/// this factor cheap.
struct RINGLET_SEAL_API MultiplyUIntModOperand {
  std::uint64_t operand = 0;
  std::uint64_t quotient = 0;

  /// Computes the quotient for the present operand. Uses a division: for public values.
  /// @throws std::invalid_argument if operand >= modulus.
  void set_quotient(const Modulus& modulus);
  /// Sets the operand and its quotient.
  /// @throws std::invalid_argument if new_operand >= modulus.
  void set(std::uint64_t new_operand, const Modulus& modulus);
};

/// Returns x * y.operand, reduced, for any word x.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t multiply_uint_mod(std::uint64_t x,
                                                                MultiplyUIntModOperand y,
                                                                const Modulus& modulus) noexcept;

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
